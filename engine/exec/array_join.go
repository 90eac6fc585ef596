package exec

import (
	"context"
	"slices"

	"lakeserver/cherr"
	"lakeserver/column"

	"lakeserver/engine/plan"
)

func arrayJoinPort(p *port, n *plan.ArrayJoin) *port {
	out := p.each(func(s column.Stream) column.Stream { return &arrayJoin{in: s, node: n, header: p.header} })
	out.header = n.Fields
	return out
}

// arrayJoin repeats each row for the elements of its arrays.
type arrayJoin struct {
	in     column.Stream
	node   *plan.ArrayJoin
	header column.Header
	block  *column.Block // being repeated
	row    int           // its next row
	within int           // how many of its elements are out already
	most   int           // rows of a block out
	arrays []ranges      // of the block, one a column of the node
}

const (
	// arrayJoinRows is the most rows that a block out has.
	arrayJoinRows = 1 << 15
	// arrayJoinBytes is about the most bytes of a block out: rows that are wide
	// come fewer at a time.
	arrayJoinBytes = 64 << 20
)

func (a *arrayJoin) Next(ctx context.Context) (*column.Block, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if a.block == nil {
			b, err := a.in.Next(ctx)
			if err != nil || b == nil {
				return nil, err
			}
			if err := a.take(b); err != nil {
				return nil, err
			}
		}
		b, err := a.repeat()
		if err != nil {
			return nil, err
		}
		if b.Rows > 0 {
			return b, nil
		}
	}
}

// take begins with a block.
func (a *arrayJoin) take(b *column.Block) error {
	a.block, a.row, a.within = b, 0, 0
	a.arrays = make([]ranges, len(a.node.Columns))
	for i, c := range a.node.Columns {
		var err error
		if a.arrays[i], err = rangesOf(b.Columns[c]); err != nil {
			return err
		}
	}
	wide := int64(1)
	for i, c := range b.Columns {
		if !slices.Contains(a.node.Columns, i) {
			wide += column.LargestRow(c)
		}
	}
	for _, r := range a.arrays {
		wide += column.LargestRow(r.elems)
	}
	a.most = int(max(1, min(arrayJoinRows, arrayJoinBytes/wide)))
	return nil
}

// ranges is the elements of an array or map column.
type ranges struct {
	offsets []uint64
	elems   column.Column
}

func rangesOf(c column.Column) (ranges, error) {
	switch x := column.Full(c).(type) {
	case *column.Array:
		return ranges{x.Offsets, x.Elems}, nil
	case *column.Map:
		return ranges{x.Offsets, column.NewTuple(x.Keys, x.Values)}, nil
	}
	return ranges{}, cherr.New(cherr.TypeMismatch, "ARRAY JOIN requires array or map argument")
}

// repeat makes the next rows of the block at hand.
func (a *arrayJoin) repeat() (*column.Block, error) {
	var rows []uint32                        // of the block, one a row out
	elems := make([][]uint32, len(a.arrays)) // of each array, noGroup for a default
	for a.row < a.block.Rows && len(rows) < a.most {
		n, err := a.length(a.arrays, a.row)
		if err != nil {
			return nil, err
		}
		to := min(n, a.within+a.most-len(rows))
		for e := a.within; e < to; e++ {
			rows = append(rows, uint32(a.row))
			for i := range a.arrays {
				at := a.arrays[i].offsets[a.row] + uint64(e)
				if at < a.arrays[i].offsets[a.row+1] {
					elems[i] = append(elems[i], uint32(at))
				} else {
					elems[i] = append(elems[i], noGroup)
				}
			}
		}
		if a.within = to; to == n {
			a.row, a.within = a.row+1, 0
		}
	}
	out := &column.Block{Rows: len(rows), Columns: make([]column.Column, len(a.block.Columns))}
	for i, c := range a.node.Columns {
		out.Columns[c] = gatherOr(a.node.Fields[c].Type, a.arrays[i].elems, elems[i])
	}
	for i, c := range a.block.Columns {
		if out.Columns[i] == nil {
			out.Columns[i] = c.Gather(rows)
		}
	}
	if a.row == a.block.Rows {
		a.block = nil
	}
	return out, nil
}

// length gives how many rows a row becomes.
func (a *arrayJoin) length(arrays []ranges, row int) (int, error) {
	n := -1
	for _, r := range arrays {
		l := int(r.offsets[row+1] - r.offsets[row])
		if n >= 0 && l != n && !a.node.Unaligned {
			return 0, cherr.New(cherr.SizesOfArraysDontMatch, "Sizes of ARRAY-JOIN-ed arrays do not match")
		}
		n = max(n, l)
	}
	if n <= 0 && a.node.Left {
		return 1, nil
	}
	return max(n, 0), nil
}

// gatherOr gathers rows; noGroup gives the type's default.
func gatherOr(t fieldType, c column.Column, rows []uint32) column.Column {
	missing := false
	for _, r := range rows {
		missing = missing || r == noGroup
	}
	if !missing {
		return c.Gather(rows)
	}
	b := column.NewBuilder(t, len(rows))
	for from := 0; from < len(rows); {
		to := from
		for to < len(rows) && (rows[to] == noGroup) == (rows[from] == noGroup) {
			to++
		}
		if rows[from] == noGroup {
			for range to - from {
				b.AppendDefault()
			}
		} else {
			b.AppendRows(c, rows[from:to])
		}
		from = to
	}
	return b.Finish()
}

func (a *arrayJoin) Close() error { a.block, a.arrays = nil, nil; return a.in.Close() }
