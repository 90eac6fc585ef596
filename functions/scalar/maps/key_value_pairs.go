package maps

import (
	"encoding/hex"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "extractKeyValuePairs", AnyCase: []string{"str_to_map", "mapFromString"}, MinArgs: 1, MaxArgs: 5,
		Doc: functions.Doc{
			Syntax:  "extractKeyValuePairs(s[, delimiter[, pair_delimiters[, quote[, strategy]]]])",
			Summary: "A map of the pairs name:value that a text holds between marks.", Examples: []string{"SELECT extractKeyValuePairs('a:1, b:2')"},
		},
		Bind: bindPairs("extractKeyValuePairs", false),
	})
	_ = add(functions.Scalar{
		Name: "extractKeyValuePairsWithEscaping", MinArgs: 1, MaxArgs: 5,
		Doc: functions.Doc{
			Syntax:  "extractKeyValuePairsWithEscaping(s[, delimiter[, pair_delimiters[, quote[, strategy]]]])",
			Summary: "extractKeyValuePairs that reads escapes such as \\n.", Examples: []string{"SELECT extractKeyValuePairsWithEscaping('a:1, b:2')"},
		},
		Bind: bindPairs("extractKeyValuePairsWithEscaping", true),
	})
)

// pairReader takes a text apart into names and values.
type pairReader struct {
	delimiter byte
	ends      string // each of them ends a pair
	quote     byte
	escapes   bool
	accept    bool // a quote within a bare word is a sign as any other
	promote   bool // a quote within a bare word begins a quoted one
	most      uint64
}

func bindPairs(name string, escapes bool) kernel.Bind {
	return func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if err := kernel.Check(name, "s", args); err != nil {
			return nil, err
		}
		words := []string{"", ":", " ,;", `"`, "INVALID"}
		for i := 1; i < len(args); i++ {
			w, ok := args[i].ConstString()
			if !ok {
				return nil, kernel.NotConst(name, i)
			}
			words[i] = w
		}
		p := pairReader{escapes: escapes, ends: words[2], most: env.Settings.Uint("extract_key_value_pairs_max_pairs_per_row")}
		if len(words[1]) != 1 || len(words[3]) > 1 {
			return nil, cherr.New(cherr.BadArguments, "The key-value delimiter and the quoting character of %s are single characters", name)
		}
		p.delimiter = words[1][0]
		if words[3] != "" {
			p.quote = words[3][0]
		}
		switch strings.ToUpper(words[4]) {
		case "INVALID":
		case "ACCEPT":
			p.accept = true
		case "PROMOTE":
			p.promote = true
		default:
			return nil, cherr.New(cherr.BadArguments, "Invalid unexpected_quoting_character_strategy: '%s'", words[4])
		}
		if err := p.check(); err != nil {
			return nil, err
		}
		return kernel.Fn(types.Map(types.String, types.String), func(args []column.Column, rows int) (column.Column, error) {
			in := kernel.Strings(args[0])
			keys, values := kernel.NewStr(rows, 0), kernel.NewStr(rows, 0)
			out := &column.Map{Offsets: make([]uint64, 1, rows+1), Keys: keys, Values: values}
			for i := range rows {
				n := uint64(0)
				p.each(in.At(i), func(k, v []byte) {
					n++
					keys.Append(k)
					values.Append(v)
				})
				if p.most > 0 && n > p.most {
					return nil, cherr.New(cherr.LimitExceeded, "Number of pairs produced exceeded the limit of %d", p.most)
				}
				out.Offsets = append(out.Offsets, uint64(keys.Len()))
			}
			return out, nil
		}), nil
	}
}

// check: no mark may stand for two things.
func (p *pairReader) check() error {
	const most = 8
	switch {
	case len(p.ends) == 0 || len(p.ends) > most:
		return cherr.New(cherr.BadArguments, "Invalid pair delimiters: there must be from 1 to %d of them", most)
	case strings.IndexByte(p.ends, p.delimiter) >= 0, p.quote != 0 && strings.IndexByte(p.ends, p.quote) >= 0, p.quote == p.delimiter:
		return cherr.New(cherr.BadArguments, "Invalid arguments: the delimiters and the quoting character must differ")
	case p.escapes && (p.delimiter == '\\' || p.quote == '\\' || strings.IndexByte(p.ends, '\\') >= 0):
		return cherr.New(cherr.BadArguments, "Invalid arguments: a backslash begins an escape and is no delimiter")
	}
	return nil
}

func (p *pairReader) isEnd(c byte) bool   { return strings.IndexByte(p.ends, c) >= 0 }
func (p *pairReader) isQuote(c byte) bool { return p.quote != 0 && c == p.quote }

// each calls f for every pair of s.
func (p *pairReader) each(s []byte, f func(key, value []byte)) {
	for at := 0; at < len(s); {
		if c := s[at]; c == p.delimiter || p.isEnd(c) || p.escapes && c == '\\' {
			at++
			continue
		}
		key, next, ok := p.key(s, at)
		if at = next; !ok {
			continue
		}
		value, next, ok := p.value(s, at)
		if at = next; ok {
			f(key, value)
		}
	}
}

// key reads a name and the mark behind it; without ok the search goes on at next.
func (p *pairReader) key(s []byte, at int) (key []byte, next int, ok bool) {
	if p.isQuote(s[at]) {
		return p.quotedKey(s, at+1)
	}
	from := at
	for at < len(s) {
		switch c := s[at]; {
		case p.escapes && c == '\\':
			text, n, ok := escape(s[at:])
			key = append(append(key, s[from:at]...), text...)
			at += n
			from = at
			if !ok {
				return nil, at, false
			}
			continue
		case c == p.delimiter:
			return append(key, s[from:at]...), at + 1, true
		case p.isEnd(c):
			return nil, at + 1, false
		case p.isQuote(c) && p.promote:
			return p.quotedKey(s, at+1)
		case p.isQuote(c) && !p.accept:
			return nil, at + 1, false
		}
		at++
	}
	return nil, len(s), false
}

func (p *pairReader) quotedKey(s []byte, at int) (key []byte, next int, ok bool) {
	key, at, ok = p.quoted(s, at)
	if !ok || len(key) == 0 || at >= len(s) || s[at] != p.delimiter {
		return nil, at, false
	}
	return key, at + 1, true
}

// quoted reads up to the closing quote.
func (p *pairReader) quoted(s []byte, at int) (text []byte, next int, ok bool) {
	from := at
	for at < len(s) {
		switch c := s[at]; {
		case p.escapes && c == '\\':
			piece, n, ok := escape(s[at:])
			text = append(append(text, s[from:at]...), piece...)
			at += n
			from = at
			if !ok {
				return nil, at, false
			}
			continue
		case p.isQuote(c):
			return append(text, s[from:at]...), at + 1, true
		}
		at++
	}
	return nil, len(s), false
}

// value reads what stands behind the mark; nothing is a value too.
func (p *pairReader) value(s []byte, at int) (value []byte, next int, ok bool) {
	if at < len(s) && p.isQuote(s[at]) {
		return p.quoted(s, at+1)
	}
	if at < len(s) && p.escapes && s[at] == '\\' {
		return nil, at, false
	}
	from := at
	for at < len(s) {
		switch c := s[at]; {
		case p.escapes && c == '\\':
			text, n, ok := escape(s[at:])
			value = append(append(value, s[from:at]...), text...)
			at += n
			from = at
			if !ok {
				return value, at, true
			}
			continue
		case p.isEnd(c):
			return append(value, s[from:at]...), at + 1, true
		case p.isQuote(c) && p.promote:
			return p.quoted(s, at+1)
		case p.isQuote(c) && !p.accept:
			return nil, at + 1, false
		}
		at++
	}
	return append(value, s[from:]...), len(s), true
}

// escapes are the letters behind a backslash.
var escapes = map[byte]byte{'a': '\a', 'b': '\b', 'e': 0x1b, 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v', '0': 0}

// escape reads \n, \xHH and their like; an unknown letter keeps its backslash.
func escape(s []byte) (text []byte, n int, ok bool) {
	if len(s) < 2 {
		return nil, len(s), false
	}
	c := s[1]
	if c == 'x' {
		if len(s) < 4 {
			return nil, len(s), false
		}
		b, err := hex.DecodeString(string(s[2:4]))
		if err != nil {
			return nil, 4, false
		}
		return b, 4, true
	}
	if r, ok := escapes[c]; ok {
		return []byte{r}, 2, true
	}
	switch c {
	case '\\', '\'', '"', '`', '/', '=':
		return []byte{c}, 2, true
	}
	return []byte{'\\', c}, 2, true
}
