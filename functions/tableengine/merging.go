package tableengine

import (
	"context"
	"slices"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/table"
	"lakeserver/types"
)

// mergingEngines are MergeTree's kinds that merge rows with equal sorting keys.
// In memory they merge within each insert (optimize_on_insert), for FINAL, and
// for good by OPTIMIZE … FINAL; in between all rows are there, as in ClickHouse.
func mergingEngines() []functions.Engine {
	var out []functions.Engine
	for kind, summary := range map[string]string{
		"Replacing": "the last or highest version of", "Summing": "the sums of", "Aggregating": "the merged states of",
		"Collapsing": "what signs leave of", "VersionedCollapsing": "what signs and versions leave of", "Coalescing": "the last values that are not NULL of",
	} {
		name := kind + "MergeTree"
		out = append(out, functions.Engine{
			Name: name, Merging: true,
			Doc: functions.Doc{Syntax: "ENGINE = " + name + "(…) ORDER BY key", Summary: "Keeps rows in memory, under mergetree_as: memory; FINAL gives " + summary + " rows with equal keys."},
			Create: func(_ context.Context, env *functions.Env, req *functions.OpenRequest) error {
				_, err := newMerging(env, kind, req, req.Columns)
				return err
			},
			Open: func(_ context.Context, env *functions.Env, req *functions.OpenRequest) (table.Table, error) {
				if req.Version != nil {
					return nil, cherr.New(cherr.BadArguments, "Tables in memory have no versions")
				}
				if req.Keep.Value == nil {
					req.Keep.Value = &store{}
				}
				s, _ := req.Keep.Value.(*store)
				t := s.version(req.Columns)
				m, err := newMerging(env, kind, req, t.columns)
				if err != nil {
					return nil, err
				}
				return &mergingTable{t, m}, nil
			},
		})
	}
	slices.SortFunc(out, func(a, b functions.Engine) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// merging says how rows with equal keys become one.
type merging struct {
	env     *functions.Env
	kind    string
	columns []table.Column
	keys    []functions.SortingTerm
	inKey   []bool // columns that the key reads
	version int    // columns, -1 where there is none
	sign    int
	deleted int
	summed  []string // of Summing and Coalescing; nil: all that can be
}

func newMerging(env *functions.Env, kind string, req *functions.OpenRequest, columns []table.Column) (*merging, error) {
	m := &merging{env: env, kind: kind, columns: columns, keys: req.SortingKey, version: -1, sign: -1, deleted: -1}
	m.inKey = make([]bool, len(columns))
	for _, k := range m.keys {
		for i, c := range columns {
			m.inKey[i] = m.inKey[i] || k.Reads(c.Name)
		}
	}
	names, err := columnNames(req)
	if err != nil {
		return nil, err
	}
	if kind == "Summing" || kind == "Coalescing" {
		m.summed = names
		return m, nil
	}
	places := map[string][]*int{"Replacing": {&m.version, &m.deleted}, "Collapsing": {&m.sign}, "VersionedCollapsing": {&m.sign, &m.version}}[kind]
	least := map[string]int{"Collapsing": 1, "VersionedCollapsing": 2}[kind]
	if len(names) > len(places) || len(names) < least {
		return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "%sMergeTree takes %d to %d columns, %d are given", kind, least, len(places), len(names))
	}
	for i, name := range names {
		at := slices.IndexFunc(columns, func(c table.Column) bool { return c.Name == name })
		if at < 0 {
			return nil, cherr.New(cherr.NoSuchColumnInTable, "%sMergeTree names the column %s, which is not there", kind, name)
		}
		*places[i] = at
	}
	return m, nil
}

// columnNames reads the engine's arguments; the two that Replicated… has before
// them are places in a keeper.
func columnNames(req *functions.OpenRequest) ([]string, error) {
	args := req.Args
	if strings.HasPrefix(req.Name, "Replicated") {
		args = slices.DeleteFunc(slices.Clone(args), func(a functions.TableArg) bool { return a.Const })
	}
	if len(args) == 1 && args[0].Call != nil && args[0].Call.Name == "tuple" {
		args = args[0].Call.Args
	}
	var out []string
	for _, a := range args {
		if a.Ident == "" {
			return nil, cherr.New(cherr.BadArguments, "Arguments of engine %s are names of columns", req.Name)
		}
		out = append(out, a.Ident)
	}
	return out, nil
}

// final merges blocks into one. For reading it leaves out deleted rows and rows
// of sign -1.
func (m *merging) final(ctx context.Context, blocks []*column.Block, reading bool) ([]*column.Block, error) {
	one, groups, err := m.sorted(ctx, blocks)
	if err != nil || one == nil {
		return nil, err
	}
	switch m.kind {
	case "Replacing":
		one = one.Gather(m.replaced(one, groups, reading))
	case "Collapsing":
		one = one.Gather(m.collapsed(one, groups, reading))
	case "VersionedCollapsing":
		one = one.Gather(m.cancelled(one, groups))
	default:
		if one, err = m.folded(one, groups); err != nil {
			return nil, err
		}
	}
	if one.Rows == 0 {
		return nil, nil
	}
	return []*column.Block{one}, nil
}

// sorted puts all rows in the key's order, equal ones in that of their
// insertion, and gives each row the number of its key. Versions belong to the
// key of VersionedCollapsing.
func (m *merging) sorted(ctx context.Context, blocks []*column.Block) (*column.Block, []uint32, error) {
	all := &column.Block{}
	for _, b := range blocks {
		all.Rows += b.Rows
	}
	if all.Rows == 0 {
		return nil, nil, nil
	}
	for i, c := range m.columns {
		parts := make([]column.Column, len(blocks))
		for j, b := range blocks {
			parts[j] = column.Full(b.Columns[i])
		}
		all.Columns = append(all.Columns, column.Concat(c.Type, parts))
	}
	keys, desc := make([]column.Column, len(m.keys)), make([]bool, len(m.keys))
	for i, k := range m.keys {
		c, err := k.Expr.Eval(ctx, all)
		if err != nil {
			return nil, nil, err
		}
		keys[i], desc[i] = c, k.Desc
	}
	if m.kind == "VersionedCollapsing" {
		keys, desc = append(keys, all.Columns[m.version]), append(desc, false)
	}
	compare := func(a, b uint32) int {
		for i, k := range keys {
			if r := column.Compare(k, int(a), k, int(b), 1); r != 0 {
				if desc[i] {
					return -r
				}
				return r
			}
		}
		return 0
	}
	rows := make([]uint32, all.Rows)
	for i := range rows {
		rows[i] = uint32(i)
	}
	slices.SortStableFunc(rows, compare)
	groups := make([]uint32, len(rows))
	for i := 1; i < len(rows); i++ {
		groups[i] = groups[i-1]
		if compare(rows[i-1], rows[i]) != 0 {
			groups[i]++
		}
	}
	return all.Gather(rows), groups, nil
}

// eachGroup calls f with the rows of each key.
func eachGroup(groups []uint32, f func(from, to int)) {
	for from := 0; from < len(groups); {
		to := from + 1
		for to < len(groups) && groups[to] == groups[from] {
			to++
		}
		f(from, to)
		from = to
	}
}

func (m *merging) replaced(b *column.Block, groups []uint32, reading bool) (out []uint32) {
	eachGroup(groups, func(from, to int) {
		best := to - 1
		if m.version >= 0 {
			v := b.Columns[m.version]
			for best = from; from+1 < to; from++ {
				if column.Compare(v, from+1, v, best, 1) >= 0 {
					best = from + 1
				}
			}
		}
		if !reading || m.deleted < 0 || column.Values[uint8](column.Full(b.Columns[m.deleted]))[best] != 1 {
			out = append(out, uint32(best))
		}
	})
	return out
}

func (m *merging) signs(b *column.Block) []int8 {
	return column.Values[int8](column.Full(b.Columns[m.sign]))
}

// collapsed keeps of each key the last row that adds, and the first that takes
// away where it stands alone.
func (m *merging) collapsed(b *column.Block, groups []uint32, reading bool) (out []uint32) {
	signs := m.signs(b)
	eachGroup(groups, func(from, to int) {
		first, last, sum := -1, -1, 0
		for i := from; i < to; i++ {
			sum += int(signs[i])
			if signs[i] > 0 {
				last = i
			} else if first < 0 {
				first = i
			}
		}
		if sum == 0 && signs[to-1] < 0 {
			return
		}
		if sum <= 0 && !reading && first >= 0 {
			out = append(out, uint32(first))
		}
		if sum >= 0 && last >= 0 {
			out = append(out, uint32(last))
		}
	})
	return out
}

// cancelled takes rows of opposite signs away in pairs.
func (m *merging) cancelled(b *column.Block, groups []uint32) (out []uint32) {
	signs := m.signs(b)
	eachGroup(groups, func(from, to int) {
		start := len(out)
		for i := from; i < to; i++ {
			if n := len(out); n > start && signs[out[n-1]] != signs[i] {
				out = out[:n-1]
			} else {
				out = append(out, uint32(i))
			}
		}
	})
	return out
}

// folded makes one row of each key, a column at a time.
func (m *merging) folded(b *column.Block, groups []uint32) (*column.Block, error) {
	n := int(groups[len(groups)-1]) + 1
	firsts := make([]uint32, 0, n)
	eachGroup(groups, func(from, _ int) { firsts = append(firsts, uint32(from)) })
	out := b.Gather(firsts)
	var sums []int
	for i, c := range m.columns {
		f, err := m.foldOf(i, c.Type)
		if err != nil {
			return nil, err
		}
		if f == nil || !f.Result.Equal(c.Type) && !f.Result.Equal(types.Unwrap(c.Type)) {
			continue
		}
		acc := f.New()
		acc.Grow(n)
		if err := acc.Add(groups, []column.Column{b.Columns[i]}, b.Rows); err != nil {
			return nil, err
		}
		if out.Columns[i], err = acc.Result(0, n); err != nil {
			return nil, err
		}
		sums = append(sums, i)
	}
	if m.kind == "Summing" {
		return m.withoutZeros(out, sums), nil
	}
	return out, nil
}

// foldOf gives the aggregate function of a column, nil for one that keeps its
// first value.
func (m *merging) foldOf(i int, t *types.Type) (*functions.BoundAggregate, error) {
	reg := m.env.Registry
	switch {
	case t.Kind() == types.KindAggregateFunction:
		return reg.BindMerge(m.env, t)
	case t.Kind() == types.KindSimpleAggregateFunction:
		return reg.BindAggregate(m.env, t.Aggregate().Function, nil, t.Elems())
	case m.inKey[i] || m.kind == "Aggregating":
		return nil, nil
	case m.summed != nil && !slices.Contains(m.summed, m.columns[i].Name):
		return nil, nil
	case m.kind == "Coalescing":
		return reg.BindAggregate(m.env, "anyLast", nil, []*types.Type{t})
	case types.Unwrap(t).IsNumber() && types.Unwrap(t).Kind() != types.KindBool:
		return reg.BindAggregate(m.env, "sumWithOverflow", nil, []*types.Type{t})
	}
	return nil, nil
}

// withoutZeros leaves out rows all of whose sums are zero.
func (m *merging) withoutZeros(b *column.Block, sums []int) *column.Block {
	if len(sums) == 0 {
		return b
	}
	zeros := make([]column.Column, len(sums))
	for k, i := range sums {
		zeros[k] = column.Default(m.columns[i].Type, 1)
	}
	var keep []uint32
	for r := range b.Rows {
		for k, i := range sums {
			// Of Nullable only NULL is nothing, as in ClickHouse.
			if m.columns[i].Type.IsNullable() && !column.IsNullAt(b.Columns[i], r) || column.Compare(b.Columns[i], r, zeros[k], 0, 1) != 0 {
				keep = append(keep, uint32(r))
				break
			}
		}
	}
	return b.Gather(keep)
}
