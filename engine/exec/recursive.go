package exec

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/memory"

	"lakeserver/engine/plan"
)

// workingRows is what a WorkingTable stands for in the present round.
type workingRows struct{ blocks []*column.Block }

func (b *builder) workingTable(n *plan.WorkingTable) (*port, error) {
	w, ok := b.working[n]
	if !ok {
		return nil, cherr.New(cherr.LogicalError, "A recursive CTE is read outside of itself")
	}
	return &port{header: n.Fields, ordered: true, streams: []column.Stream{column.Blocks(w.blocks...)}}, nil
}

// recursive runs WITH RECURSIVE round by round.
func (b *builder) recursive(n *plan.Recursive) (*port, error) {
	r := &recursive{b: b, node: n, held: b.opt.Memory.Reserve(), rows: &workingRows{}}
	if n.Distinct {
		all := make([]int, len(n.Header()))
		for i := range all {
			all[i] = i
		}
		r.seen = &grouping{grouper: newGrouper(typesOf(n.Header(), all), false)}
	}
	return &port{header: n.Header(), ordered: true, streams: []column.Stream{r}}, nil
}

type recursive struct {
	b     *builder
	node  *plan.Recursive
	held  *memory.Reservation
	rows  *workingRows
	seen  *grouping // of UNION DISTINCT, else nil
	now   column.Stream
	next  []*column.Block // what the present round gave so far
	round int64
	end   bool
}

func (r *recursive) Next(ctx context.Context) (*column.Block, error) {
	for !r.end {
		if r.now == nil {
			if err := r.start(ctx); err != nil {
				return nil, err
			}
		}
		b, err := r.now.Next(ctx)
		if err != nil {
			return nil, err
		}
		if b == nil {
			err := r.now.Close()
			r.now = nil
			r.end = len(r.next) == 0
			if err != nil {
				return nil, err
			}
			continue
		}
		if b = r.fresh(b); b.Rows == 0 {
			continue
		}
		r.next = append(r.next, b)
		if err := r.held.Add(b.Size()); err != nil {
			return nil, err
		}
		return b, nil
	}
	return nil, nil
}

// start begins the next round over the rows of the one before.
func (r *recursive) start(ctx context.Context) error {
	node := r.node.Base
	if r.round > 0 {
		if r.node.MaxRounds > 0 && r.round > r.node.MaxRounds {
			return cherr.New(cherr.TooDeepRecursion, "Maximum recursive CTE evaluation depth (%d) exceeded. Try to increase the setting max_recursive_cte_evaluation_depth", r.node.MaxRounds)
		}
		node = r.node.Step
	}
	r.rows.blocks, r.next = r.next, nil
	r.held.Free()
	r.round++
	r.b.working[r.node.Working] = r.rows
	p, err := r.b.build(ctx, node)
	if err != nil {
		return err
	}
	r.now = r.b.single(p)
	return nil
}

func (r *recursive) fresh(b *column.Block) *column.Block {
	if r.seen == nil {
		return b
	}
	groups := make([]uint32, b.Rows)
	next := uint32(r.seen.count())
	r.seen.assign(b.Columns, b.Rows, groups)
	return b.Gather(firstOfEach(groups, next))
}

func (r *recursive) Close() error {
	r.held.Free()
	r.end = true
	if r.now == nil {
		return nil
	}
	return r.now.Close()
}
