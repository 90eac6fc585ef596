package read

import (
	"lakeserver/cherr"
	"lakeserver/column"
)

// mergeEngine makes one row of each key of a chunk.
type mergeEngine interface {
	merge(c *chunk) (*merged, error)
	// fork gives an engine of its own to another goroutine.
	fork() mergeEngine
}

func newMergeEngine(m *merging) (mergeEngine, error) {
	ignore := m.src.isSet("ignore-delete")
	switch e := m.src.MergeEngine(); e {
	case "deduplicate":
		return &lastRow{m: m, gather: newGatherers(m), ignore: ignore || m.src.isSet("deduplicate.ignore-delete")}, nil
	case "first-row":
		return &firstRow{m: m, gather: newGatherers(m), ignore: ignore || m.src.isSet("first-row.ignore-delete")}, nil
	case "partial-update", "aggregation":
		return newFolding(m, e, ignore || m.src.isSet(e+".ignore-delete"))
	default:
		return nil, cherr.New(cherr.NotImplemented, "merge-engine '%s' of Paimon table %s is not supported", e, m.src.Dir.Root)
	}
}

func newGatherers(m *merging) []*gatherer {
	out := make([]*gatherer, len(m.columns))
	for i := range out {
		out[i] = &gatherer{t: m.columns[i].Type}
	}
	return out
}

// merged is what is left of a chunk: a row a key, of which conditions may drop
// some. Columns are made when they are asked for.
type merged struct {
	kinds []int8
	cols  []column.Column // made already
	make  func(r *merged, at int) (column.Column, error)

	// Of rows that are rows of the chunk: where they lie.
	c   *chunk
	src []uint16
	row []uint32
	// Of rows that were made: columns of all keys, and the keys still in.
	sel []uint32 // nil: all
}

func (r *merged) rows() int { return len(r.kinds) }

// keep narrows the rows to those at positions.
func (r *merged) keep(rel []uint32) {
	kinds := make([]int8, len(rel))
	for i, p := range rel {
		kinds[i] = r.kinds[p]
	}
	r.kinds = kinds
	if r.src != nil {
		src, row := make([]uint16, len(rel)), make([]uint32, len(rel))
		for i, p := range rel {
			src[i], row[i] = r.src[p], r.row[p]
		}
		r.src, r.row = src, row
	} else {
		sel := make([]uint32, len(rel))
		for i, p := range rel {
			sel[i] = p
			if r.sel != nil {
				sel[i] = r.sel[p]
			}
		}
		r.sel = sel
	}
	for i, c := range r.cols {
		if c != nil {
			r.cols[i] = c.Gather(rel)
		}
	}
}

// dropDeletes leaves the rows that are there.
func (r *merged) dropDeletes() {
	n := 0
	for _, k := range r.kinds {
		n += int(^k & 1)
	}
	if n == len(r.kinds) {
		return
	}
	rel := make([]uint32, 0, n)
	for i, k := range r.kinds {
		if k&1 == 0 {
			rel = append(rel, uint32(i))
		}
	}
	r.keep(rel)
}

func (r *merged) column(at int) (column.Column, error) {
	if c := r.cols[at]; c != nil {
		return c, nil
	}
	c, err := r.make(r, at)
	r.cols[at] = c
	return c, err
}

// kindsOf gives the kinds of rows of a chunk.
func (c *chunk) kindsOf(src []uint16, row []uint32) []int8 {
	out := make([]int8, len(src))
	kinds := make([][]int8, len(c.blocks))
	for i, b := range c.blocks {
		if b.Columns[c.m.kind] == nil {
			return out // nobody needs to know, and all are there
		}
		kinds[i] = column.Values[int8](b.Columns[c.m.kind])
	}
	for i, s := range src {
		out[i] = kinds[s][row[i]]
	}
	return out
}

// columnOf gives one column of the chunk's blocks.
func (c *chunk) columnOf(at int) []column.Column {
	out := make([]column.Column, len(c.blocks))
	for i, b := range c.blocks {
		out[i] = b.Columns[at]
	}
	return out
}

// picked makes a result of rows of the chunk.
func picked(c *chunk, gather []*gatherer, src []uint16, row []uint32) *merged {
	return &merged{
		kinds: c.kindsOf(src, row), cols: make([]column.Column, len(gather)), c: c, src: src, row: row,
		make: func(r *merged, at int) (column.Column, error) {
			return gather[at].gather(r.c.columnOf(at), r.src, r.row), nil
		},
	}
}

// lastRow is deduplicate: of each key the row written last.
type lastRow struct {
	m      *merging
	gather []*gatherer
	ignore bool // deletes do not count
}

func (e *lastRow) fork() mergeEngine {
	return &lastRow{m: e.m, gather: newGatherers(e.m), ignore: e.ignore}
}

func (e *firstRow) fork() mergeEngine {
	return &firstRow{m: e.m, gather: newGatherers(e.m), ignore: e.ignore}
}

func (e *folding) fork() mergeEngine {
	out := *e
	out.gather = newGatherers(e.m)
	return &out
}

func (e *lastRow) merge(c *chunk) (*merged, error) {
	n := c.keys()
	src, row := c.src, c.row
	if n != len(c.src) {
		src, row = make([]uint16, n), make([]uint32, n)
		for k := range n {
			last := c.starts[k+1] - 1
			src[k], row[k] = c.src[last], c.row[last]
		}
	}
	if e.ignore && n != len(c.src) {
		all := c.kindsOf(c.src, c.row)
		for k := range n {
			for i := int(c.starts[k+1]) - 1; i >= int(c.starts[k]); i-- {
				if all[i]&1 == 0 {
					src[k], row[k] = c.src[i], c.row[i]
					break
				}
			}
		}
	}
	return picked(c, e.gather, src, row), nil
}

// firstRow keeps of each key the row written first.
type firstRow struct {
	m      *merging
	gather []*gatherer
	ignore bool
}

func (e *firstRow) merge(c *chunk) (*merged, error) {
	n := c.keys()
	src, row := make([]uint16, n), make([]uint32, n)
	all := c.kindsOf(c.src, c.row)
	for k := range n {
		from, to := int(c.starts[k]), int(c.starts[k+1])
		src[k], row[k] = c.src[from], c.row[from]
		for i := from; i < to; i++ {
			if all[i]&1 != 0 && !e.ignore && to-from > 1 {
				return nil, cherr.New(cherr.IncorrectData, "Paimon table %s has merge-engine first-row, which cannot accept records of kind -D and -U without ignore-delete", e.m.src.Dir.Root)
			}
		}
		for i := from; i < to; i++ {
			if all[i]&1 == 0 {
				src[k], row[k] = c.src[i], c.row[i]
				break
			}
		}
	}
	return picked(c, e.gather, src, row), nil
}
