package exec

import (
	"context"
	"slices"
	"sync/atomic"

	"lakeserver/column"
	"lakeserver/expr"

	"lakeserver/engine/plan"
)

func exprColumns(e expr.Expr) []int { return expr.Columns(e) }

// joinTable is the build side: its rows, and behind them one row of defaults
// that stands for a missing match. Rows of one key lie side by side in order.
type joinTable struct {
	columns []column.Column // of rows+1 rows, in the types of the join's header
	rows    int
	keys    *grouping // nil without keys (all rows are one group), and with direct
	direct  directKeys
	single  bool     // no key has two rows
	starts  []uint32 // where each group begins in order
	order   []uint32
	asof    column.Column // the ordered key of an ASOF join
	used    []uint32      // a bit a row: it had a match
}

// newTable reads the build side and makes its table.
func (j *hashJoin) newTable(ctx context.Context) (*joinTable, error) {
	side, err := j.chooseSides(ctx)
	if err != nil || j.grace != nil {
		return &joinTable{}, err
	}
	rows := int(side.rows.Load())
	t := &joinTable{rows: rows}
	blocks := slices.Concat(side.blocks...)
	j.tellKeys(blocks, rows)
	if err := t.group(j, blocks); err != nil {
		return nil, err
	}
	for c := range j.build.header {
		b := column.NewBuilder(j.node.Fields[j.buildAt+c].Type, rows+1)
		for _, p := range blocks {
			b.AppendRange(p.Columns[c], 0, p.Rows)
		}
		b.AppendDefault()
		t.columns = append(t.columns, b.Finish())
	}
	if j.node.Strictness == plan.AsofStrictness {
		t.sortAsof(j)
	}
	if j.rule.buildOuter || j.rule.buildOnce || j.rule.keyOnce {
		t.used = make([]uint32, (rows+31)/32)
	}
	return t, j.held.Resize(t.size())
}

// tellKeys lets the scans of the probe side know the keys.
func (j *hashJoin) tellKeys(blocks []*column.Block, rows int) {
	for i, w := range j.probeFilters {
		parts := make([]column.Column, len(blocks))
		for k, b := range blocks {
			parts[k] = b.Columns[j.buildKeys[j.filterKeys[i]]]
		}
		if s := newKeySet(parts, rows); s != nil {
			w.filter.Publish(s)
		}
	}
}

type joinLimits struct{ maxRows, maxBytes uint64 }

func newJoinLimits(opt Options) joinLimits {
	return joinLimits{opt.Settings.Uint("max_rows_in_join"), opt.Settings.Uint("max_bytes_in_join")}
}

func (t *joinTable) size() int64 {
	n := int64(len(t.starts)+len(t.order)+len(t.used)) * 4
	for _, c := range t.columns {
		n += c.Size()
	}
	if t.keys != nil {
		n += t.keys.size()
	}
	return n
}

// group numbers the keys and puts the rows of each side by side. Rows whose
// key is NULL belong to no group.
func (t *joinTable) group(j *hashJoin, blocks []*column.Block) error {
	groups := make([]uint32, t.rows)
	n := 1
	if j.equalKeys() == 1 && !j.nullSafe(0) {
		t.direct = newDirectKeys(j, blocks, t.rows)
	}
	if t.direct != nil {
		n = t.direct.groups()
	} else if j.equalKeys() > 0 {
		t.keys = &grouping{grouper: newGrouper(j.keyTypes(), false)}
	}
	at := 0
	for _, b := range blocks {
		part := groups[at : at+b.Rows]
		at += b.Rows
		keys, dead := j.keyColumns(b, j.buildKeys)
		switch {
		case t.direct != nil:
			t.direct.number(keys[0], part)
		case t.keys == nil:
		case dead == nil:
			t.keys.assign(keys, b.Rows, part)
		default:
			t.assignLiving(keys, dead, part)
			continue
		}
		for i, d := range dead {
			if d != 0 {
				part[i] = noGroup
			}
		}
	}
	if t.keys != nil {
		n = t.keys.count()
	}
	t.starts = make([]uint32, n+1)
	for _, g := range groups {
		if g != noGroup {
			t.starts[g+1]++
		}
	}
	t.single = true
	for g := range n {
		t.single = t.single && t.starts[g+1] <= 1
		t.starts[g+1] += t.starts[g]
	}
	next := slices.Clone(t.starts)
	t.order = make([]uint32, t.starts[n])
	for i, g := range groups {
		if g != noGroup {
			t.order[next[g]] = uint32(i)
			next[g]++
		}
	}
	return nil
}

// assignLiving numbers only the rows without a NULL key.
func (t *joinTable) assignLiving(keys []column.Column, dead []uint8, out []uint32) {
	var rows []uint32
	for i, d := range dead {
		out[i] = noGroup
		if d == 0 {
			rows = append(rows, uint32(i))
		}
	}
	some := make([]uint32, len(rows))
	t.keys.assign(gatherColumns(keys, rows), len(rows), some)
	for k, r := range rows {
		out[r] = some[k]
	}
}

// sortAsof orders the rows of each group by the last key.
func (t *joinTable) sortAsof(j *hashJoin) {
	c, _ := column.SplitNulls(t.columns[j.buildKeys[len(j.buildKeys)-1]])
	t.asof = c
	for g := range len(t.starts) - 1 {
		slices.SortStableFunc(t.order[t.starts[g]:t.starts[g+1]], func(x, y uint32) int {
			return column.Compare(c, int(x), c, int(y), 1)
		})
	}
}

// closest gives the row of a group that an ASOF join takes for row i of probe,
// noGroup when none fits.
func (t *joinTable) closest(group uint32, probe column.Column, i int, op string) uint32 {
	rows := t.order[t.starts[group]:t.starts[group+1]]
	// The first row not before (>=), or behind (>), the probe's value.
	behind := op == ">=" || op == "<"
	at, _ := slices.BinarySearchFunc(rows, i, func(r uint32, i int) int {
		c := column.Compare(t.asof, int(r), probe, i, 1)
		if c < 0 || c == 0 && behind {
			return -1
		}
		return 1
	})
	if op == ">" || op == ">=" { // the last row before
		if at == 0 {
			return noGroup
		}
		return rows[at-1]
	}
	if at == len(rows) {
		return noGroup
	}
	return rows[at]
}

// mark notes a match of a row and tells whether it is the first.
func (t *joinTable) mark(row uint32) bool {
	bit := uint32(1) << (row & 31)
	w := &t.used[row>>5]
	if atomic.LoadUint32(w)&bit != 0 {
		return false
	}
	return atomic.OrUint32(w, bit)&bit == 0
}

// unused gives the rows that had no match.
func (t *joinTable) unused() []uint32 {
	var out []uint32
	for r := range t.rows {
		if t.used[r>>5]>>(r&31)&1 == 0 {
			out = append(out, uint32(r))
		}
	}
	return out
}
