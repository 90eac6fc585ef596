package read

import (
	"lakeserver/column"
	"lakeserver/types"
)

// gatherer takes rows of several blocks together, a column at a time. It keeps
// the joined dictionaries of text columns, so that blocks that follow have the
// same.
type gatherer struct {
	t      *types.Type
	dicts  map[column.Column]uint32 // dictionary → where its entries begin
	values column.Column            // of all of them; nil: none yet
}

// maxDict bounds the entries of a joined dictionary.
const maxDict = 1 << 16

// gather gives rows of one column of blocks: row i is row row[i] of src[i].
func (g *gatherer) gather(cols []column.Column, src []uint16, row []uint32) column.Column {
	if len(cols) == 1 {
		return cols[0].Gather(row)
	}
	nullable, allDicts := false, true
	for _, c := range cols {
		_, dict := c.(*column.Dict)
		_, null := c.(*column.Nullable)
		allDicts = allDicts && dict
		nullable = nullable || null
	}
	if allDicts {
		if out := g.gatherDicts(cols, src, row); out != nil {
			return out
		}
	}
	plain := make([]column.Column, len(cols))
	nulls := make([][]uint8, len(cols))
	any := false
	for i, c := range cols {
		c = column.Full(c)
		plain[i], nulls[i] = column.SplitNulls(c)
		any = any || nulls[i] != nil
		_, null := c.(*column.Nullable)
		nullable = nullable || null
	}
	out := gatherPlain(g.t, plain, src, row)
	if !nullable {
		return out
	}
	n := &column.Nullable{Values: out}
	if any {
		n.Null = make([]uint8, len(row))
		for i, s := range src {
			if m := nulls[s]; m != nil {
				n.Null[i] = m[row[i]]
			}
		}
	}
	return n
}

// gatherDicts joins codes into one dictionary; nil when it would be too large.
func (g *gatherer) gatherDicts(cols []column.Column, src []uint16, row []uint32) column.Column {
	bases := make([]uint32, len(cols))
	codes := make([][]uint32, len(cols))
	for i, c := range cols {
		d := c.(*column.Dict)
		base, ok := g.dicts[d.Values]
		if !ok {
			if base, ok = g.join(d.Values); !ok {
				return nil
			}
		}
		bases[i], codes[i] = base, d.Codes
	}
	out := make([]uint32, len(row))
	for i, s := range src {
		out[i] = bases[s] + codes[s][row[i]]
	}
	return &column.Dict{Codes: out, Values: g.values}
}

func (g *gatherer) join(values column.Column) (base uint32, ok bool) {
	n := 0
	if g.values != nil {
		n = g.values.Len()
	}
	if n+values.Len() > maxDict {
		if values.Len() > maxDict/2 || n == 0 {
			return 0, false
		}
		// What was joined so far is mostly done with: begin anew. Columns of
		// this chunk that were given a place already get another one below.
		g.dicts, g.values = nil, nil
		return 0, false
	}
	if g.values == nil {
		g.dicts, g.values = map[column.Column]uint32{}, values
	} else {
		g.values = column.Concat(g.t, []column.Column{g.values, values})
	}
	g.dicts[values] = uint32(n)
	return uint32(n), true
}

func gatherPlain(t *types.Type, cols []column.Column, src []uint16, row []uint32) column.Column { // long: one case a form
	switch cols[0].(type) {
	case *column.Str:
		return gatherText(cols, src, row)
	case *column.Fixed[uint8]:
		return gatherFixed[uint8](cols, src, row)
	case *column.Fixed[uint16]:
		return gatherFixed[uint16](cols, src, row)
	case *column.Fixed[uint32]:
		return gatherFixed[uint32](cols, src, row)
	case *column.Fixed[uint64]:
		return gatherFixed[uint64](cols, src, row)
	case *column.Fixed[int8]:
		return gatherFixed[int8](cols, src, row)
	case *column.Fixed[int16]:
		return gatherFixed[int16](cols, src, row)
	case *column.Fixed[int32]:
		return gatherFixed[int32](cols, src, row)
	case *column.Fixed[int64]:
		return gatherFixed[int64](cols, src, row)
	case *column.Fixed[float32]:
		return gatherFixed[float32](cols, src, row)
	case *column.Fixed[float64]:
		return gatherFixed[float64](cols, src, row)
	case *column.Fixed[types.I128]:
		return gatherFixed[types.I128](cols, src, row)
	}
	return gatherNested(types.WithoutNullable(t), cols, src, row)
}

func gatherFixed[T column.Element](cols []column.Column, src []uint16, row []uint32) column.Column {
	values := make([][]T, len(cols))
	for i, c := range cols {
		values[i] = column.Values[T](c)
	}
	out := make([]T, len(row))
	for i, s := range src {
		out[i] = values[s][row[i]]
	}
	return column.NewFixed(out)
}

func gatherText(cols []column.Column, src []uint16, row []uint32) column.Column {
	text := make([]*column.Str, len(cols))
	for i, c := range cols {
		text[i] = c.(*column.Str)
	}
	n := 0
	for i, s := range src {
		n += int(text[s].Lns[row[i]])
	}
	out := &column.Str{Data: make([]byte, 0, n), Start: make([]uint32, 0, len(row)), Lns: make([]uint32, 0, len(row))}
	for i, s := range src {
		out.Append(text[s].At(int(row[i])))
	}
	return out
}

// gatherNested takes the rows of each block, puts them one behind the other,
// and then into their order.
func gatherNested(t *types.Type, cols []column.Column, src []uint16, row []uint32) column.Column {
	rows := make([][]uint32, len(cols))
	for i, s := range src {
		rows[s] = append(rows[s], row[i])
	}
	var parts []column.Column
	begins := make([]uint32, len(cols))
	n := uint32(0)
	for i, c := range cols {
		begins[i] = n
		if len(rows[i]) > 0 {
			parts = append(parts, c.Gather(rows[i]))
			n += uint32(len(rows[i]))
		}
	}
	if n == 0 {
		return column.NewBuilder(t, 0).Finish()
	}
	order := make([]uint32, len(src))
	for i, s := range src {
		order[i] = begins[s]
		begins[s]++
	}
	return column.Concat(t, parts).Gather(order)
}
