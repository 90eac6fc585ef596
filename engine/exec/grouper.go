package exec

import (
	"lakeserver/column"
	"lakeserver/types"
)

// noGroup stands for a row without a group: its key is not there.
const noGroup = ^uint32(0)

// grouper gives equal rows of keys the same dense number, in the order of
// first appearance. GROUP BY, DISTINCT, joins, set operations and LIMIT BY are
// made of it. Floats are equal by their bits, all NaNs are one; NULL equals NULL.
type grouper interface {
	// assign gives each row its group, making new ones; out has rows entries.
	assign(keys []column.Column, rows int, out []uint32)
	// find gives each row its group or noGroup. It may run concurrently with itself.
	find(keys []column.Column, rows int, out []uint32)
	// hash gives the hashes by which rows may be partitioned.
	hash(keys []column.Column, rows int, out []uint64)
	// count gives the number of groups.
	count() int
	// keys gives the keys of groups [from, to) as full columns.
	keys(from, to int) []column.Column
	// size estimates the bytes held.
	size() int64
}

// newGrouper makes the grouper for keys of these types; keep says that keys
// will be asked for.
func newGrouper(ts []*types.Type, keep bool) grouper {
	ts = bareTypes(ts)
	if l, ok := packing(ts, 1); ok {
		return &packedGrouper{layout: l}
	}
	if l, ok := packing(ts, 2); ok {
		return &pairGrouper{layout: l}
	}
	if len(ts) == 1 && ts[0].Kind() != types.KindNullable && ts[0].Physical() == types.PhysString {
		return &strGrouper{}
	}
	g := &serialGrouper{ts: ts}
	if keep {
		g.kept = make([]column.Builder, len(ts))
		g.done = make([][]column.Column, len(ts))
	}
	return g
}

// bareTypes takes LowCardinality off: it says nothing of the values.
func bareTypes(ts []*types.Type) []*types.Type {
	out := make([]*types.Type, len(ts))
	for i, t := range ts {
		out[i] = types.WithoutLowCardinality(t)
		if out[i].Kind() == types.KindSimpleAggregateFunction {
			out[i] = out[i].Elem()
		}
	}
	return out
}

// grouping feeds a grouper columns in any form: rows of dictionary codes and
// constants are looked up once for each combination.
type grouping struct {
	grouper
	dicts  []column.Column // the dictionaries that byCode belongs to
	byCode []uint32        // the group of each combination of codes, noGroup when not seen
}

// maxCombinations bounds byCode.
const maxCombinations = 1 << 16

// assign is grouper.assign for columns in any form.
func (g *grouping) assign(keys []column.Column, rows int, out []uint32) {
	n := combinations(keys)
	if n == 0 || n > maxCombinations || n > 4*rows && !g.sameDicts(keys) {
		g.grouper.assign(fullColumns(keys), rows, out)
		return
	}
	if !g.sameDicts(keys) {
		g.remember(keys, n)
	}
	combine(keys, rows, out)
	var fresh []uint32 // one row of each combination not seen before
	for i, c := range out {
		if g.byCode[c] == noGroup {
			g.byCode[c] = 0
			fresh = append(fresh, uint32(i))
		}
	}
	if len(fresh) > 0 {
		some := make([]column.Column, len(keys))
		for i, k := range keys {
			some[i] = column.Full(k.Gather(fresh))
		}
		found := make([]uint32, len(fresh))
		g.grouper.assign(some, len(fresh), found)
		for i, row := range fresh {
			g.byCode[out[row]] = found[i]
		}
	}
	for i, c := range out {
		out[i] = g.byCode[c]
	}
}

// find is grouper.find for columns in any form.
func (g *grouping) find(keys []column.Column, rows int, out []uint32) {
	g.grouper.find(fullColumns(keys), rows, out)
}

func (g *grouping) size() int64 { return g.grouper.size() + int64(len(g.byCode))*4 }

func fullColumns(cols []column.Column) []column.Column {
	out := make([]column.Column, len(cols))
	for i, c := range cols {
		out[i] = column.Full(c)
	}
	return out
}

// combinations gives how many combinations of codes keys can have, 0 when a
// key is neither a Dict nor a Const, or none is a Dict.
func combinations(keys []column.Column) int {
	n, dict := 1, false
	for _, k := range keys {
		switch k := k.(type) {
		case *column.Const:
		case *column.Dict:
			dict = true
			if n *= max(k.Values.Len(), 1); n > maxCombinations {
				return n
			}
		default:
			return 0
		}
	}
	if !dict {
		return 0
	}
	return n
}

func entriesOf(c column.Column) column.Column {
	if d, ok := c.(*column.Dict); ok {
		return d.Values
	}
	return c.(*column.Const).Value
}

func (g *grouping) sameDicts(keys []column.Column) bool {
	if len(g.dicts) != len(keys) {
		return false
	}
	for i, k := range keys {
		switch k.(type) {
		case *column.Dict, *column.Const:
		default:
			return false
		}
		if g.dicts[i] != entriesOf(k) {
			return false
		}
	}
	return true
}

func (g *grouping) remember(keys []column.Column, n int) {
	g.dicts = make([]column.Column, len(keys))
	for i, k := range keys {
		g.dicts[i] = entriesOf(k)
	}
	if cap(g.byCode) < n {
		g.byCode = make([]uint32, n)
	}
	g.byCode = g.byCode[:n]
	for i := range g.byCode {
		g.byCode[i] = noGroup
	}
}

// combine numbers the combination of codes of each row.
func combine(keys []column.Column, rows int, out []uint32) {
	out = out[:rows]
	first := true
	for _, k := range keys {
		d, ok := k.(*column.Dict)
		if !ok {
			continue
		}
		if first {
			copy(out, d.Codes)
			first = false
			continue
		}
		n := uint32(d.Values.Len())
		for i, c := range d.Codes {
			out[i] = out[i]*n + c
		}
	}
}
