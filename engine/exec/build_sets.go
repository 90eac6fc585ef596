package exec

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/memory"

	"lakeserver/engine/plan"
)

// buildSets fills the sets of IN (subquery) before its input is even built:
// the input's scans prune by what is in the sets.
func (b *builder) buildSets(ctx context.Context, n *plan.BuildSets) (*port, error) {
	held := b.opt.Memory.Reserve()
	for _, s := range n.Sets {
		if err := b.fillSet(ctx, s, held); err != nil {
			held.Free()
			return nil, err
		}
	}
	p, err := b.build(ctx, n.Input)
	if err != nil {
		held.Free()
		return nil, err
	}
	if len(p.streams) == 0 {
		held.Free()
		return p, nil
	}
	out := *p
	out.streams = append([]column.Stream{&freeing{p.streams[0], held}}, p.streams[1:]...)
	return &out, nil
}

func (b *builder) fillSet(ctx context.Context, s plan.SetBuild, held *memory.Reservation) error {
	p, err := b.build(ctx, s.Plan)
	if err != nil {
		return err
	}
	in := b.single(p)
	defer in.Close()
	maxRows := b.opt.Settings.Uint("max_rows_in_set")
	stop := b.opt.Settings.Get("set_overflow_mode") == "break"
	full := false
	err = drain(ctx, in, func(blk *column.Block) error {
		if full {
			return nil
		}
		if err := held.Add(blk.Size()); err != nil {
			return err
		}
		s.Set.Add(fullColumns(blk.Columns), blk.Rows)
		if maxRows > 0 && uint64(s.Set.Len()) > maxRows {
			if !stop {
				return cherr.New(cherr.SetSizeLimitExceeded, "Limit for IN-set exceeded, max rows: %d, current rows: %d", maxRows, s.Set.Len())
			}
			full = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.Set.Seal()
	return nil
}

// freeing gives a reservation back when its stream is closed.
type freeing struct {
	column.Stream
	held *memory.Reservation
}

func (f *freeing) Close() error {
	f.held.Free()
	return f.Stream.Close()
}

// FillSet runs a plan and puts its rows into a set, for sets that an analyser
// needs while it works. The set is sealed.
func FillSet(ctx context.Context, node plan.Node, set *expr.Set, opt Options) error {
	b := newBuilder(opt)
	held := b.opt.Memory.Reserve()
	defer held.Free()
	return b.fillSet(ctx, plan.SetBuild{Plan: node, Set: set}, held)
}

// Scalar runs a plan for a scalar subquery and gives its one row, a full
// column of one row for each field; no row gives nil, and more than one
// INCORRECT_RESULT_OF_SCALAR_SUBQUERY.
func Scalar(ctx context.Context, node plan.Node, opt Options) ([]column.Column, error) {
	r, err := Build(ctx, node, opt)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var out []column.Column
	err = drain(ctx, r, func(b *column.Block) error {
		if out != nil || b.Rows > 1 {
			return errManyRows()
		}
		out = fullColumns(b.Columns)
		return nil
	})
	return out, err
}
