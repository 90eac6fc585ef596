package exec

import (
	"context"
	"sync"
	"sync/atomic"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/memory"
	"lakeserver/types"

	"lakeserver/engine/plan"
)

// aggregate groups the rows of an input. having is the HAVING right above,
// given only WITH TOTALS: the totals row counts the groups that pass it.
func (b *builder) aggregate(ctx context.Context, n *plan.Aggregate, having []expr.Expr) (*port, error) {
	return b.over(ctx, n.Input, func(p *port) (*port, error) {
		a := &aggregation{node: n, having: having, opt: b.opt, rules: newGroupRules(b.opt)}
		for _, k := range n.Keys {
			a.keyTypes = append(a.keyTypes, p.header[k].Type)
		}
		if b.opt.Threads > 1 && !a.orderMatters() && !a.rounds(p.header) {
			p = fanOut(p, b.opt.Threads)
		} else if len(p.streams) > 1 && a.rules.max > 0 {
			p = &port{header: p.header, streams: []column.Stream{b.single(p)}}
		}
		a.input, a.any = p, a.newAnyGroups()
		a.spillAt = spillLimit(b.opt, "max_bytes_before_external_group_by", "max_bytes_ratio_before_external_group_by")
		return a.output(), nil
	})
}

// groupRules are max_rows_to_group_by and its overflow mode.
type groupRules struct {
	max       uint64
	mode      string // throw, break, any
	emptyNone bool   // no row for no rows without keys
	before    bool   // totals_mode = before_having
}

func newGroupRules(opt Options) groupRules {
	s := opt.Settings
	return groupRules{
		max: s.Uint("max_rows_to_group_by"), mode: s.Get("group_by_overflow_mode"),
		emptyNone: s.Bool("empty_result_for_aggregation_by_empty_set"),
		before:    s.Get("totals_mode") == "before_having",
	}
}

// aggregation is one Aggregate node at work. Workers, one a stream of the
// input, group into tables of their own. A worker whose table outgrows the
// cache moves it into partitions that all workers share, and scatters its
// further rows there; so no two tables of many groups ever need merging.
type aggregation struct {
	node     *plan.Aggregate
	having   []expr.Expr
	opt      Options
	rules    groupRules
	keyTypes []fieldType
	input    *port
	any      *anyGroups // nil: all groups are wanted

	spillAt int64        // bytes from which partitions go to files, 0: never
	held    atomic.Int64 // bytes of all tables
	mu      sync.Mutex   // guards files
	files   []*spillFile
}

// hold changes what one table has reserved.
func (a *aggregation) hold(r *memory.Reservation, n int64) error {
	a.held.Add(n - r.Bytes())
	return r.Resize(n)
}

func (a *aggregation) keepFile(f *spillFile) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.files = append(a.files, f)
}

// orderMatters tells whether the rows' order shows in the result.
func (a *aggregation) orderMatters() bool {
	if a.rules.max > 0 {
		return true
	}
	for _, c := range a.node.Calls {
		if c.Fn.OrderDependent {
			return true
		}
	}
	return false
}

// rounds tells whether a result depends, in its last digits, on the order in
// which floats are added: then one stream is not shared out to many workers.
func (a *aggregation) rounds(h column.Header) bool {
	for _, c := range a.node.Calls {
		switch c.Fn.Name {
		case "count", "min", "max", "uniqExact", "countIf":
			continue
		}
		for _, arg := range c.Args {
			if types.Unwrap(h[arg].Type).IsFloat() {
				return true
			}
		}
	}
	return false
}

// sets gives the grouping sets as positions in the node's keys.
func (a *aggregation) sets() [][]int {
	if a.node.Sets != nil {
		return a.node.Sets
	}
	all := make([]int, len(a.node.Keys))
	for i := range all {
		all[i] = i
	}
	return [][]int{all}
}

// groupTable is groups with their states.
type groupTable struct {
	keys   *grouping // nil without keys: one group
	accs   []functions.Accumulator
	groups int
	out    []uint32
}

func (a *aggregation) newTable(set []int) *groupTable {
	t := &groupTable{accs: make([]functions.Accumulator, len(a.node.Calls))}
	for i, c := range a.node.Calls {
		t.accs[i] = c.Fn.New()
	}
	if len(set) > 0 {
		t.keys = &grouping{grouper: newGrouper(a.setTypes(set), true)}
	}
	return t
}

func (a *aggregation) setTypes(set []int) []*types.Type {
	ts := make([]*types.Type, len(set))
	for i, k := range set {
		ts[i] = a.keyTypes[k]
	}
	return ts
}

// grow makes the states of groups that are new.
func (t *groupTable) grow(n int) {
	if n <= t.groups {
		return
	}
	t.groups = n
	for _, acc := range t.accs {
		acc.Grow(n)
	}
}

// add adds rows by their keys; args has the arguments of each call.
func (t *groupTable) add(keys []column.Column, args [][]column.Column, rows int) error {
	var groups []uint32
	if t.keys == nil {
		t.grow(1)
	} else {
		if cap(t.out) < rows {
			t.out = make([]uint32, rows)
		}
		groups = t.out[:rows]
		t.keys.assign(keys, rows, groups)
		t.grow(t.keys.count())
	}
	for i, acc := range t.accs {
		if err := acc.Add(groups, args[i], rows); err != nil {
			return err
		}
	}
	return nil
}

// addKnown adds only the rows whose group is there already
// (group_by_overflow_mode = any).
func (t *groupTable) addKnown(keys []column.Column, args [][]column.Column, rows int) error {
	groups := make([]uint32, rows)
	t.keys.find(keys, rows, groups)
	var keep []uint32
	for i, g := range groups {
		if g != noGroup {
			keep = append(keep, uint32(i))
		}
	}
	if len(keep) == 0 {
		return nil
	}
	return t.add(gatherColumns(keys, keep), gatherArgs(args, keep), len(keep))
}

// merge takes in another table; it is not used afterwards.
func (t *groupTable) merge(from *groupTable) error {
	if from.groups == 0 {
		return nil
	}
	var to []uint32
	if t.keys == nil {
		t.grow(1)
	} else {
		to = make([]uint32, from.groups)
		t.keys.assign(from.keys.keys(0, from.groups), from.groups, to)
		t.grow(t.keys.count())
	}
	for i, acc := range t.accs {
		if err := acc.Merge(to, from.accs[i], nil); err != nil {
			return err
		}
	}
	return nil
}

func (t *groupTable) size() int64 {
	n := int64(cap(t.out)) * 4
	if t.keys != nil {
		n += t.keys.size()
	}
	for _, acc := range t.accs {
		n += acc.Size()
	}
	return n
}

// block gives groups [from, to) as rows of the node's header.
func (a *aggregation) block(t *groupTable, set []int, from, to int) (*column.Block, error) {
	n := to - from
	out := &column.Block{Columns: make([]column.Column, len(a.node.Fields)), Rows: n}
	if len(set) > 0 {
		for i, c := range t.keys.keys(from, to) {
			out.Columns[set[i]] = asField(a.node.Fields[set[i]].Type, c)
		}
	}
	left := uint64(0)
	for k := range a.node.Keys {
		if out.Columns[k] == nil {
			left |= 1 << k
			out.Columns[k] = column.NewConst(column.Default(a.node.Fields[k].Type, 1), n)
		}
	}
	for i, acc := range t.accs {
		c, err := acc.Result(from, to)
		if err != nil {
			return nil, err
		}
		out.Columns[len(a.node.Keys)+i] = c
	}
	if a.node.Sets != nil {
		out.Columns[len(out.Columns)-1] = column.NewConst(column.NewFixed([]uint64{left}), n)
	}
	return out, nil
}

// asField wraps plain values where the field's type is Nullable.
func asField(t *types.Type, c column.Column) column.Column {
	if types.WithoutLowCardinality(t).Kind() != types.KindNullable {
		return c
	}
	switch x := c.(type) {
	case *column.Nullable:
		return c
	case *column.Const:
		return &column.Const{Value: asField(t, x.Value), N: x.N}
	case *column.Dict:
		return &column.Dict{Codes: x.Codes, Values: asField(t, x.Values)}
	}
	return column.NewNullable(c, nil)
}

func gatherColumns(cols []column.Column, rows []uint32) []column.Column {
	out := make([]column.Column, len(cols))
	for i, c := range cols {
		out[i] = c.Gather(rows)
	}
	return out
}

func gatherArgs(args [][]column.Column, rows []uint32) [][]column.Column {
	out := make([][]column.Column, len(args))
	for i, a := range args {
		out[i] = gatherColumns(a, rows)
	}
	return out
}

// checkGroups applies max_rows_to_group_by after a block; stop ends the input.
func (a *aggregation) checkGroups(t *groupTable) (stop bool, err error) {
	if a.rules.max == 0 || uint64(t.groups) <= a.rules.max {
		return false, nil
	}
	switch a.rules.mode {
	case "break":
		return true, nil
	case "any":
		return false, nil
	}
	return false, cherr.New(cherr.TooManyRows, "Limit for rows to GROUP BY exceeded: has %d rows, maximum: %d", t.groups, a.rules.max)
}
