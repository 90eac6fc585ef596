package text

import (
	"lakeserver/column"
	"lakeserver/types"
)

// nestedForm is the form of elements: only JSON is JSON inside, all other
// forms have SQL literals.
func nestedForm(f Form) Form {
	if f == JSON {
		return JSON
	}
	return Quoted
}

// inCSV writes a nested value as one CSV string.
func inCSV(f Form, cell Cell) Cell {
	if f != CSV {
		return cell
	}
	return func(dst []byte, row int) []byte { return AppendCSV(dst, cell(nil, row)) }
}

func printArray(t *types.Type, f Form, o *Options, c *column.Array) Cell {
	elem := bindPrint(t.Elem(), nestedForm(f), o, c.Elems)
	return inCSV(f, func(dst []byte, row int) []byte {
		from, to := c.Bounds(row)
		dst = append(dst, '[')
		for i := from; i < to; i++ {
			if i > from {
				dst = append(dst, ',')
			}
			dst = elem(dst, i)
		}
		return append(dst, ']')
	})
}

func printTuple(t *types.Type, f Form, o *Options, c *column.Tuple) Cell {
	inner := nestedForm(f)
	separate := f == CSV && !o.CSVTuplesWhole
	if separate {
		inner = CSV
	}
	cells := make([]Cell, len(c.Elems))
	for i, e := range c.Elems {
		cells[i] = bindPrint(t.Elems()[i], inner, o, e)
	}
	open, end, comma := "(", ")", byte(',')
	var names [][]byte
	switch {
	case separate:
		open, end, comma = "", "", o.delimiter()
	case f == JSON && t.Names() != nil && !o.TuplesAsArrays:
		open, end = "{", "}"
		for _, n := range t.Names() {
			names = append(names, append(AppendJSON(nil, []byte(n), !o.PlainSlashes), ':'))
		}
	case f == JSON:
		open, end = "[", "]"
	}
	cell := func(dst []byte, row int) []byte {
		dst = append(dst, open...)
		for i, cell := range cells {
			if i > 0 {
				dst = append(dst, comma)
			}
			if names != nil {
				dst = append(dst, names[i]...)
			}
			dst = cell(dst, row)
		}
		return append(dst, end...)
	}
	if separate {
		return cell
	}
	return inCSV(f, cell)
}

func printMap(t *types.Type, f Form, o *Options, c *column.Map) Cell {
	inner := nestedForm(f)
	key := bindPrint(t.Elems()[0], inner, o, c.Keys)
	value := bindPrint(t.Elems()[1], inner, o, c.Values)
	if f == JSON {
		key = jsonKey(t.Elems()[0], o, c.Keys)
	}
	return inCSV(f, func(dst []byte, row int) []byte {
		from, to := c.Bounds(row)
		dst = append(dst, '{')
		for i := from; i < to; i++ {
			if i > from {
				dst = append(dst, ',')
			}
			dst = value(append(key(dst, i), ':'), i)
		}
		return append(dst, '}')
	})
}

// jsonKey writes any key as a JSON string.
func jsonKey(t *types.Type, o *Options, c column.Column) Cell {
	plain := bindPrint(t, Plain, o, c)
	return func(dst []byte, row int) []byte { return AppendJSON(dst, plain(nil, row), !o.PlainSlashes) }
}
