package aggregate

import (
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

// collector keeps the rows of every group until the end, in the order in which
// they came: for functions whose answer needs all of them. Rows of all groups
// lie in shared columns, so a group costs nothing of its own.
type collector struct {
	*collecting
	n    int             // groups
	args []pile          // one an argument
	gs   []uint32        // the group of each row
	most []uint64        // rows so far of each group, when limit > 0
	view []column.Column // the rows ordered by group, nil when stale
	ends []int           // of each group in view
}

// collecting says what a collecting function does with the rows of a group.
type collecting struct {
	types  []*types.Type
	result *types.Type
	limit  int // rows kept a group, the first ones; 0: all
	// finish appends the answer for the rows [from, to) of full columns.
	finish func(out column.Builder, args []column.Column, from, to int) error
	// whole, if set, makes the answers of all groups at once instead.
	whole func(args []column.Column, bounds []int) (column.Column, error)
}

func (c *collecting) bound() *functions.BoundAggregate { return bound(c.result, c.new) }

func (c *collecting) new() functions.Accumulator {
	return &collector{collecting: c, args: make([]pile, len(c.types))}
}

// pile is columns of one type on top of each other.
type pile struct {
	parts []column.Column
	bytes int64
}

func (p *pile) push(c column.Column) {
	p.parts = append(p.parts, c)
	p.bytes += c.Size()
}

func (a *collector) Grow(n int) {
	a.n = max(a.n, n)
	if a.limit > 0 {
		a.most = grown(a.most, n)
	}
}

func (a *collector) Add(groups []uint32, args []column.Column, rows int) error {
	if rows == 0 {
		return nil
	}
	groups = groupsOf(groups, rows)
	if a.limit > 0 {
		var keep []uint32
		for i, g := range groups {
			if a.most[g] < uint64(a.limit) {
				a.most[g]++
				keep = append(keep, uint32(i))
			}
		}
		if len(keep) == 0 {
			return nil
		}
		if len(keep) < rows {
			groups = pickGroups(groups, keep)
			args = gatherAll(args, keep)
		}
	}
	a.view = nil
	a.gs = append(a.gs, groups...)
	for i := range a.args {
		a.args[i].push(owned(a.types[i], args[i]))
	}
	return nil
}

func gatherAll(args []column.Column, rows []uint32) []column.Column {
	out := make([]column.Column, len(args))
	for i, c := range args {
		out[i] = c.Gather(rows)
	}
	return out
}

// owned copies rows that may point into a larger buffer.
func owned(t *types.Type, c column.Column) column.Column {
	if s, ok := c.(*column.Str); ok {
		return s.Compact()
	}
	b := column.NewBuilder(t, c.Len())
	b.AppendRange(c, 0, c.Len())
	return b.Finish()
}

func (a *collector) Merge(groups []uint32, from functions.Accumulator, some []uint32) error {
	f := from.(*collector)
	if len(f.gs) == 0 {
		return nil
	}
	if some != nil {
		return a.mergeSome(groups, f, some)
	}
	if groups != nil {
		for i, g := range f.gs {
			f.gs[i] = groups[g]
		}
	}
	args := make([]column.Column, len(f.args))
	for i := range args {
		args[i] = column.Concat(f.types[i], f.args[i].parts)
	}
	return a.Add(f.gs, args, len(f.gs))
}

func (a *collector) mergeSome(groups []uint32, f *collector, some []uint32) error {
	f.order()
	var rows, gs []uint32
	for k, i := range some {
		lo, hi := f.bounds(int(i))
		for r := lo; r < hi; r++ {
			rows, gs = append(rows, uint32(r)), append(gs, groups[k])
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return a.Add(gs, gatherAll(f.view, rows), len(rows))
}

// order puts the rows of a group side by side, in their old order.
func (a *collector) order() {
	if a.view != nil && len(a.ends) == a.n {
		return
	}
	a.ends = make([]int, a.n)
	for _, g := range a.gs {
		a.ends[g]++
	}
	at := 0
	for g, n := range a.ends {
		a.ends[g] = at
		at += n
	}
	rows := make([]uint32, len(a.gs))
	for i, g := range a.gs {
		rows[a.ends[g]] = uint32(i)
		a.ends[g]++
	}
	a.view = make([]column.Column, len(a.args))
	for i := range a.args {
		c := column.Full(column.Concat(a.types[i], a.args[i].parts))
		if len(a.args[i].parts) == 0 {
			c = column.NewBuilder(a.types[i], 0).Finish()
		}
		if a.n > 1 {
			c = c.Gather(rows)
		}
		a.view[i] = c
	}
}

func (a *collector) bounds(group int) (from, to int) {
	if group > 0 {
		from = a.ends[group-1]
	}
	return from, a.ends[group]
}

func (a *collector) Result(from, to int) (column.Column, error) {
	a.order()
	if a.whole != nil {
		bounds := make([]int, 1, to-from+1)
		if from > 0 {
			bounds[0] = a.ends[from-1]
		}
		return a.whole(a.view, append(bounds, a.ends[from:to]...))
	}
	b := column.NewBuilder(a.result, to-from)
	for g := from; g < to; g++ {
		lo, hi := a.bounds(g)
		if err := a.finish(b, a.view, lo, hi); err != nil {
			return nil, err
		}
	}
	return b.Finish(), nil
}

func (a *collector) Encode(group int, dst []byte) []byte {
	a.order()
	lo, hi := a.bounds(group)
	dst = putUvarint(dst, uint64(hi-lo))
	for i, c := range a.view {
		for r := lo; r < hi; r++ {
			dst = putRow(dst, a.types[i], c, r)
		}
	}
	return dst
}

func (a *collector) Decode(group int, src []byte) (int, error) {
	r := &reader{src: src}
	n := r.count(1)
	args := make([]column.Column, len(a.types))
	for i, t := range a.types {
		b := column.NewBuilder(t, n)
		for k := 0; k < n && r.err == nil; k++ {
			readRow(r, t, b)
		}
		args[i] = b.Finish()
	}
	if r.err != nil || n == 0 {
		return r.at, r.err
	}
	groups := make([]uint32, n)
	for i := range groups {
		groups[i] = uint32(group)
	}
	return r.at, a.Add(groups, args, n)
}

func (a *collector) Size() int64 {
	n := int64(cap(a.gs)+2*cap(a.most)) * 4
	for i := range a.args {
		n += a.args[i].bytes
	}
	return n
}
