package urls

import (
	"bytes"

	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "URLHierarchy", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "URLHierarchy(url)", Summary: "The URL cut after each /, ? and # of its path, and whole.", Examples: []string{"SELECT URLHierarchy('http://e.com/a/b')"}},
		Bind: bindHierarchy("URLHierarchy", false),
	})
	_ = add(functions.Scalar{
		Name: "URLPathHierarchy", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "URLPathHierarchy(url)", Summary: "URLHierarchy without scheme and host.", Examples: []string{"SELECT URLPathHierarchy('http://e.com/a/b')"}},
		Bind: bindHierarchy("URLPathHierarchy", true),
	})
)

func bindHierarchy(name string, pathOnly bool) kernel.Bind {
	return kernel.Typed(name, "S", types.Array(types.String), func(args []column.Column, rows int) (column.Column, error) {
		in, out := kernel.Strings(args[0]), kernel.NewStrArray(rows)
		for i := range rows {
			appendHierarchy(&out.Elems, in.At(i), pathOnly)
			out.End()
		}
		return out.Column(), nil
	})
}

// appendHierarchy: the first cut is after the slash behind the host.
func appendHierarchy(out *column.Str, u []byte, pathOnly bool) {
	start := 0
	if n := scheme(u); n > 0 && !bytes.ContainsAny(u[:n], "+-.") && bytes.HasPrefix(u[n:], []byte("://")) {
		at := bytes.IndexAny(u[n+3:], "/?#")
		start = len(u)
		if at >= 0 {
			start = n + 3 + at
		}
	} else if pathOnly {
		return
	} else {
		if len(u) > 0 {
			out.Append(u)
		}
		return
	}
	base := 0
	if pathOnly {
		base = start
	}
	pos := start
	for pos < len(u) {
		pos++ // past the separator
		if !pathOnly || pos > start+1 {
			out.Append(u[base:pos])
		}
		// Separators that follow each other are one.
		for pos < len(u) && isSeparator(u[pos]) {
			pos++
		}
		for pos < len(u) && !isSeparator(u[pos]) {
			pos++
		}
	}
	if start == len(u) && !pathOnly || pos > start+1 && !isSeparator(u[len(u)-1]) {
		out.Append(u[base:])
	}
}

func isSeparator(c byte) bool { return c == '/' || c == '?' || c == '#' }
