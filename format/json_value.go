package format

import (
	"strings"

	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/types"
)

// jsonCells binds columns to JSON values, or to their text as JSON strings.
func jsonCells(h column.Header, o *Options, asStrings bool, b *column.Block) []text.Cell {
	if !asStrings {
		return cells(h, text.JSON, &o.Text, b)
	}
	out := make([]text.Cell, len(h))
	for i, cell := range cells(h, text.Plain, o.withNull(prettyNull), b) {
		out[i] = func(dst []byte, row int) []byte {
			var scratch [128]byte
			return text.AppendJSON(dst, cell(scratch[:0], row), !o.Text.PlainSlashes)
		}
	}
	return out
}

// jsonNames gives the names as JSON strings.
func jsonNames(h column.Header, o *Options) [][]byte {
	return names(h, func(dst, v []byte) []byte { return text.AppendJSON(dst, v, !o.Text.PlainSlashes) })
}

// prettyJSON binds a column to JSON on several lines: tuples and maps, and
// arrays of nested values, each element on its own line at depth and deeper.
func prettyJSON(t *types.Type, o *Options, c column.Column, indent string, depth int) text.Cell {
	switch c := c.(type) {
	case *column.Const:
		one := prettyJSON(t, o, c.Value, indent, depth)
		return func(dst []byte, _ int) []byte { return one(dst, 0) }
	case *column.Dict:
		one := prettyJSON(t, o, c.Values, indent, depth)
		return func(dst []byte, row int) []byte { return one(dst, int(c.Codes[row])) }
	case *column.Array:
		if nested(t.Elem()) {
			elem := prettyJSON(t.Elem(), o, c.Elems, indent, depth+1)
			return func(dst []byte, row int) []byte {
				from, to := c.Bounds(row)
				if from == to {
					return append(dst, "[]"...)
				}
				return jsonLines(dst, '[', ']', indent, depth, to-from, func(dst []byte, i int) []byte { return elem(dst, from+i) })
			}
		}
	case *column.Map:
		return prettyMap(t, o, c, indent, depth)
	case *column.Tuple:
		return prettyTuple(t, o, c, indent, depth)
	}
	return text.Print(t, text.JSON, &o.Text, c)
}

func nested(t *types.Type) bool {
	switch t.Kind() {
	case types.KindArray, types.KindMap, types.KindTuple:
		return true
	}
	return false
}

func jsonLines(dst []byte, open, end byte, indent string, depth, n int, item func([]byte, int) []byte) []byte {
	dst = append(dst, open)
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '\n')
		dst = append(dst, strings.Repeat(indent, depth+1)...)
		dst = item(dst, i)
	}
	if n == 0 {
		dst = append(dst, '\n')
	}
	dst = append(dst, '\n')
	dst = append(dst, strings.Repeat(indent, depth)...)
	return append(dst, end)
}

func prettyMap(t *types.Type, o *Options, c *column.Map, indent string, depth int) text.Cell {
	key := text.Print(t.Elems()[0], text.Plain, &o.Text, c.Keys)
	value := prettyJSON(t.Elems()[1], o, c.Values, indent, depth+1)
	return func(dst []byte, row int) []byte {
		from, to := c.Bounds(row)
		if from == to {
			return append(dst, "{}"...)
		}
		return jsonLines(dst, '{', '}', indent, depth, to-from, func(dst []byte, i int) []byte {
			dst = text.AppendJSON(dst, key(nil, from+i), !o.Text.PlainSlashes)
			return value(append(dst, ": "...), from+i)
		})
	}
}

func prettyTuple(t *types.Type, o *Options, c *column.Tuple, indent string, depth int) text.Cell {
	elems := make([]text.Cell, len(c.Elems))
	for i, e := range t.Elems() {
		elems[i] = prettyJSON(e, o, c.Elems[i], indent, depth+1)
	}
	open, end := byte('['), byte(']')
	var keys [][]byte
	if t.Names() != nil && !o.Text.TuplesAsArrays {
		open, end = '{', '}'
		for _, n := range t.Names() {
			keys = append(keys, append(text.AppendJSON(nil, []byte(n), !o.Text.PlainSlashes), ": "...))
		}
	}
	return func(dst []byte, row int) []byte {
		return jsonLines(dst, open, end, indent, depth, len(elems), func(dst []byte, i int) []byte {
			if keys != nil {
				dst = append(dst, keys[i]...)
			}
			return elems[i](dst, row)
		})
	}
}
