package exec

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/memory"

	"lakeserver/engine/plan"
)

// distinct keeps the first of equal rows.
func (b *builder) distinct(p *port, n *plan.Distinct) *port {
	cols := n.Columns
	if cols == nil {
		cols = make([]int, len(p.header))
		for i := range cols {
			cols[i] = i
		}
	}
	s := b.opt.Settings
	out := *p
	out.streams = []column.Stream{&distinct{
		in: b.single(p), cols: cols, held: b.opt.Memory.Reserve(),
		set:     &grouping{grouper: newGrouper(typesOf(p.header, cols), false)},
		maxRows: s.Uint("max_rows_in_distinct"), stop: s.Get("distinct_overflow_mode") == "break",
	}}
	return &out
}

type distinct struct {
	in      column.Stream
	cols    []int
	set     *grouping
	held    *memory.Reservation
	groups  []uint32
	maxRows uint64
	stop    bool
	end     bool
}

func (d *distinct) Next(ctx context.Context) (*column.Block, error) {
	for !d.end {
		b, err := d.in.Next(ctx)
		if err != nil || b == nil {
			return nil, err
		}
		rows := d.fresh(b)
		if err := d.held.Resize(d.set.size()); err != nil {
			return nil, err
		}
		if d.maxRows > 0 && uint64(d.set.count()) > d.maxRows {
			if !d.stop {
				return nil, cherr.New(cherr.SetSizeLimitExceeded, "Limit for DISTINCT exceeded, max rows: %d, current rows: %d", d.maxRows, d.set.count())
			}
			d.end = true
		}
		if len(rows) == b.Rows {
			return b, nil
		}
		if len(rows) > 0 {
			return b.Gather(rows), nil
		}
	}
	return nil, nil
}

// fresh gives the rows that were not seen before.
func (d *distinct) fresh(b *column.Block) []uint32 {
	if len(d.cols) == 0 { // rows without columns are all alike
		d.end = true
		return sequence(min(b.Rows, 1))
	}
	if cap(d.groups) < b.Rows {
		d.groups = make([]uint32, b.Rows)
	}
	next := uint32(d.set.count())
	d.set.assign(pickColumns(b, d.cols), b.Rows, d.groups[:b.Rows])
	return firstOfEach(d.groups[:b.Rows], next)
}

// firstOfEach gives the first row of each group from next on: groups are
// numbered in the order in which they appear.
func firstOfEach(groups []uint32, next uint32) []uint32 {
	var rows []uint32
	for i, g := range groups {
		if g == next {
			rows = append(rows, uint32(i))
			next++
		}
	}
	return rows
}

func (d *distinct) Close() error {
	d.held.Free()
	d.set = nil
	d.end = true
	return d.in.Close()
}
