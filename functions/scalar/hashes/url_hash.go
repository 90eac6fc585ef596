package hashes

import (
	"bytes"

	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"

	"github.com/go-faster/city"
)

var _ = add(functions.Scalar{
	Name: "URLHash", MinArgs: 1, MaxArgs: 2,
	Doc: functions.Doc{Syntax: "URLHash(url[, level])", Summary: "A hash of a URL without one trailing /, ? or #, or of its part up to a level of its hierarchy.", Examples: []string{"SELECT URLHash('http://example.com/')"}},
	Bind: kernel.Typed("URLHash", "si", types.UInt64, func(args []column.Column, rows int) (column.Column, error) {
		in := kernel.Strings(args[0])
		if len(args) == 1 {
			return kernel.Each(rows, func(i int) uint64 { return city.CH64(withoutMark(in.At(i))) }), nil
		}
		levels := kernel.Integers(args[1])
		return kernel.Each(rows, func(i int) uint64 { return city.CH64(urlLevel(in.At(i), levels.At(i))) }), nil
	}),
})

func withoutMark(url []byte) []byte {
	if n := len(url); n > 0 && bytes.IndexByte([]byte("/?#"), url[n-1]) >= 0 {
		return url[:n-1]
	}
	return url
}

// urlLevel gives the URL's part up to a level: level 0 is the domain, each
// further one ends before the next /, ? or #.
func urlLevel(url []byte, level int64) []byte {
	at := bytes.Index(url, []byte("://"))
	pos := 0
	if at >= 0 {
		pos = at + 3
	}
	for pos < len(url) && url[pos] != '/' {
		pos++
	}
	for ; level > 0 && pos < len(url); level-- {
		pos++
		for pos < len(url) && bytes.IndexByte([]byte("/?#"), url[pos]) < 0 {
			pos++
		}
	}
	if pos == len(url) {
		return url
	}
	return url[:pos]
}
