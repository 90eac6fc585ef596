package exec

import (
	"context"
	"sync"
	"sync/atomic"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/memory"
	"lakeserver/table"
	"lakeserver/types"

	"lakeserver/engine/plan"
)

// join joins two inputs by a hash table over one of them, the build side; the
// other side's streams probe it, each on its own.
func (b *builder) join(ctx context.Context, n *plan.Join, above []keyWish) (*port, error) {
	own := newJoinFilters(n)
	b.joinWishes(n, false, above, own.left)
	left, err := b.build(ctx, n.Left)
	if err != nil {
		return nil, err
	}
	b.joinWishes(n, true, above, own.right)
	right, err := b.build(ctx, n.Right)
	if err != nil {
		_ = left.close() // the first error is the one to tell
		return nil, err
	}
	if n.Kind == plan.PasteJoin {
		return b.paste(left, right, n), nil
	}
	j := newHashJoin(n, left, right, b.opt, own)
	if j.rule.unsupported != "" {
		_, _ = left.close(), right.close()
		return nil, cherr.New(cherr.NotImplemented, "%s JOINs are not implemented", j.rule.unsupported)
	}
	streams := max(len(j.probe.streams), 1) // an empty table still meets a right join
	if j.adaptive() {
		streams = max(streams, len(j.build.streams))
	}
	out := &port{header: n.Fields, ordered: streams == 1}
	j.open.Store(int32(streams))
	j.probing.Store(int32(streams))
	for i := range streams {
		out.streams = append(out.streams, &joinStream{j: j, number: i})
	}
	return out, nil
}

// joinFilters are what a join can tell the scans of each side about its keys.
type joinFilters struct {
	left, right []keyWish
	keys        []int // which key each is of
}

// newJoinFilters makes filters for a join whose rows of one side come out only
// with a partner.
func newJoinFilters(n *plan.Join) joinFilters {
	var f joinFilters
	inner := n.Kind == plan.InnerJoin || n.Strictness == plan.SemiStrictness
	toLeft, toRight := inner || n.Kind == plan.RightJoin, n.Symmetric()
	equal := len(n.LeftKeys)
	if n.Strictness == plan.AsofStrictness {
		equal--
	}
	for i := range max(equal, 0) {
		if i < len(n.NullSafe) && n.NullSafe[i] || !filterable(n.Left.Header()[n.LeftKeys[i]].Type) {
			continue
		}
		if toLeft {
			f.left = append(f.left, keyWish{n.LeftKeys[i], &table.KeyFilter{}})
		}
		if toRight {
			f.right = append(f.right, keyWish{n.RightKeys[i], &table.KeyFilter{}})
		}
		f.keys = append(f.keys, i)
	}
	return f
}

// joinRule is what kind and strictness mean once it is settled which side is
// probed.
type joinRule struct {
	pairs      bool // matching pairs come out
	probeOnce  bool // a probe row has at most one match
	buildOnce  bool // a build row is given out at most once
	keyOnce    bool // of build rows of one key only one is given out, once
	probeOuter bool // probe rows without a match come out
	buildOuter bool // build rows without a match come out

	unsupported string
}

func ruleOf(n *plan.Join, buildLeft bool) joinRule {
	leftOuter := n.Kind == plan.LeftJoin || n.Kind == plan.FullJoin
	rightOuter := n.Kind == plan.RightJoin || n.Kind == plan.FullJoin
	// First as if the left side were probed; each flag has its mirror.
	r := joinRule{pairs: true, probeOuter: leftOuter, buildOuter: rightOuter}
	onRight := n.Kind == plan.RightJoin
	switch n.Strictness {
	case plan.AnyStrictness:
		switch n.Kind {
		case plan.InnerJoin:
			r.probeOnce, r.keyOnce = true, true
		case plan.FullJoin:
			r.unsupported = "ANY FULL"
		default:
			r.probeOnce, r.buildOnce = !onRight, onRight
		}
	case plan.SemiStrictness:
		r = joinRule{pairs: true, probeOnce: !onRight, buildOnce: onRight}
	case plan.AntiStrictness:
		r = joinRule{probeOuter: !onRight, buildOuter: onRight}
	case plan.AsofStrictness:
		r.probeOnce = true
		if rightOuter {
			r.unsupported = "ASOF RIGHT and FULL"
		}
	}
	if buildLeft {
		r.probeOnce, r.buildOnce = r.buildOnce, r.probeOnce
		r.probeOuter, r.buildOuter = r.buildOuter, r.probeOuter
	}
	return r
}

// hashJoin is one Join node at work.
type hashJoin struct {
	node                 *plan.Join
	opt                  Options
	rule                 joinRule
	buildLeft            bool
	probe, build         *port
	probeKeys, buildKeys []int
	// probeAt and buildAt are where each side's columns begin in the header.
	probeAt, buildAt int
	needed           []int // columns that Residual reads

	// probeFilters take the keys of the build side to the scans of the probe side;
	// filterKeys says which key each is of.
	probeFilters, buildFilters []keyWish
	filterKeys                 []int
	early                      earlyBlocks
	partAt                     int64      // bytes of the build side from which the join is made in parts, 0: never
	grace                      *graceJoin // when it is

	mu    sync.Mutex // guards the building of table
	table *joinTable
	err   error
	held  *memory.Reservation

	open    atomic.Int32 // streams not closed
	probing atomic.Int32 // streams that have not ended
}

func newHashJoin(n *plan.Join, left, right *port, opt Options, filters joinFilters) *hashJoin {
	j := &hashJoin{node: n, opt: opt, held: opt.Memory.Reserve(), filterKeys: filters.keys}
	j.partAt = spillLimit(opt, "max_bytes_before_external_join", "max_bytes_ratio_before_external_join")
	j.probeFilters, j.buildFilters = filters.left, filters.right
	// Which row of a key is kept depends on the sides: those stay as they are.
	j.buildLeft = n.BuildLeft && n.Symmetric()
	j.rule = ruleOf(n, j.buildLeft)
	j.probe, j.build = left, right
	j.probeKeys, j.buildKeys = n.LeftKeys, n.RightKeys
	j.buildAt = len(left.header)
	if j.buildLeft {
		j.probe, j.build = right, left
		j.probeKeys, j.buildKeys = n.RightKeys, n.LeftKeys
		j.probeAt, j.buildAt = len(left.header), 0
		j.probeFilters, j.buildFilters = filters.right, filters.left
	}
	for _, e := range n.Residual {
		j.needed = append(j.needed, exprColumns(e)...)
	}
	return j
}

// equalKeys is how many key pairs are compared for equality.
func (j *hashJoin) equalKeys() int {
	if j.node.Strictness == plan.AsofStrictness {
		return len(j.probeKeys) - 1
	}
	return len(j.probeKeys)
}

// keyTypes gives the types by which keys are grouped: without Nullable, since
// NULL equals nothing, unless the comparison is <=>.
func (j *hashJoin) keyTypes() []fieldType {
	out := make([]fieldType, j.equalKeys())
	for i := range out {
		t := types.WithoutLowCardinality(j.build.header[j.buildKeys[i]].Type)
		p := types.WithoutLowCardinality(j.probe.header[j.probeKeys[i]].Type)
		if j.nullSafe(i) && (t.Kind() == types.KindNullable || p.Kind() == types.KindNullable) {
			out[i] = types.Nullable(t)
			continue
		}
		if t.Kind() == types.KindNothing || types.WithoutNullable(t).Kind() == types.KindNothing {
			t = p
		}
		out[i] = types.WithoutNullable(t)
	}
	return out
}

func (j *hashJoin) nullSafe(i int) bool { return i < len(j.node.NullSafe) && j.node.NullSafe[i] }

// keyColumns takes the keys of a block: full, without NULL where that matches
// nothing; dead marks the rows where such a NULL is.
func (j *hashJoin) keyColumns(b *column.Block, at []int) (keys []column.Column, dead []uint8) {
	n := j.equalKeys()
	keys = make([]column.Column, n)
	for i, c := range at {
		full := column.Full(b.Columns[c])
		if i < n && j.nullSafe(i) {
			keys[i] = full
			continue
		}
		values, null := column.SplitNulls(full)
		if _, ok := values.(*column.Nothing); ok {
			null = make([]uint8, b.Rows)
			for r := range null {
				null[r] = 1
			}
			values = column.Default(j.keyTypes()[min(i, n-1)], b.Rows)
		}
		dead = column.OrNulls(dead, null)
		if i < n {
			keys[i] = values
		}
	}
	return keys, dead
}

// hashTable builds the table once; whoever comes first does.
func (j *hashJoin) hashTable(ctx context.Context) (*joinTable, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.table == nil && j.err == nil {
		j.table, j.err = j.newTable(ctx)
	}
	return j.table, j.err
}

func (j *hashJoin) close() error {
	if j.open.Add(-1) > 0 {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.held.Free()
	j.table, j.err = nil, errClosed
	j.early = earlyBlocks{}
	err := j.build.close()
	if j.grace != nil {
		if e := j.grace.close(); err == nil {
			err = e
		}
	}
	if e := j.probe.close(); err == nil {
		err = e
	}
	return err
}

var errClosed = cherr.New(cherr.QueryWasCancelled, "A join was closed")
