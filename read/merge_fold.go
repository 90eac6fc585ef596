package read

import (
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata/paimon"
	"lakeserver/types"
)

// folding is partial-update and aggregation: the row of a key is made of all
// its records, in their order. A key with one record shows it as it is. Keys
// whose records are only added are folded a column at a time; those with
// records taken back, and rare functions, record by record.
type folding struct {
	m       *merging
	gather  []*gatherer
	partial bool
	fields  []foldField // by column of the runs
	groups  []*sequenceGroup
	slow    bool // some function goes record by record

	ignoreDelete  bool
	removeOnDel   bool
	removeOnGroup map[int]bool // ordering columns of which a delete removes the row
}

// foldField says how one column is folded.
type foldField struct {
	field *paimon.Field // nil: a virtual column
	key   bool
	fn    *aggregate     // nil: of partial-update, what is not NULL overwrites
	group *sequenceGroup // nil: none
	order bool           // is an ordering column of its group
}

// sequenceGroup is columns that are updated only by records that are not
// older, going by ordering columns of their own.
type sequenceGroup struct{ order []int }

func newFolding(m *merging, engine string, ignoreDelete bool) (*folding, error) {
	e := &folding{m: m, partial: engine == "partial-update", ignoreDelete: ignoreDelete, removeOnGroup: map[int]bool{}}
	e.removeOnDel = m.src.isSet(engine + ".remove-record-on-delete")
	if err := e.findGroups(); err != nil {
		return nil, err
	}
	if err := e.findFields(); err != nil {
		return nil, err
	}
	e.gather = newGatherers(m)
	return e, nil
}

// findGroups reads the options fields.<ordering columns>.sequence-group. The
// ordering columns of wanted columns are read too; those of a group that can
// remove rows always are.
func (e *folding) findGroups() error {
	if !e.partial {
		return nil
	}
	removing := map[string]bool{}
	for _, n := range paimon.SplitList(e.m.src.Schema.Options["partial-update.remove-record-on-sequence-group"]) {
		removing[n] = true
	}
	for name, members := range e.m.src.Schema.Options {
		order, ok := strings.CutPrefix(name, "fields.")
		if order, ok = cutSuffix(order, ".sequence-group", ok); !ok {
			continue
		}
		g := &sequenceGroup{}
		names := paimon.SplitList(order)
		wanted := false
		for _, n := range append(paimon.SplitList(members), names...) {
			for i := range e.m.columns {
				wanted = wanted || e.m.columns[i].Paimon != nil && e.m.columns[i].Name == n
			}
		}
		removes := false
		for _, n := range names {
			removes = removes || removing[n]
		}
		if !wanted && !removes {
			continue
		}
		for _, n := range names {
			at, err := e.m.fieldColumn(n)
			if err != nil {
				return err
			}
			g.order = append(g.order, at)
			if removes {
				e.removeOnGroup[at] = true
			}
		}
		e.groups = append(e.groups, g)
		for _, n := range paimon.SplitList(members) {
			if e.m.src.Schema.Field(n) == nil {
				return cherr.New(cherr.BadArguments, "Paimon table %s has no column `%s`, which `%s` names", e.m.src.Dir.Root, n, name)
			}
			for i := range e.m.columns {
				if e.m.columns[i].Paimon != nil && e.m.columns[i].Name == n {
					e.at(i).group = g
				}
			}
		}
		for _, at := range g.order {
			e.at(at).group, e.at(at).order = g, true
		}
	}
	return nil
}

func cutSuffix(s, suffix string, ok bool) (string, bool) {
	out, found := strings.CutSuffix(s, suffix)
	return out, ok && found
}

// at gives the field of a column.
func (e *folding) at(i int) *foldField {
	for len(e.fields) <= i {
		e.fields = append(e.fields, foldField{})
	}
	return &e.fields[i]
}

func (e *folding) findFields() error {
	primary := map[string]bool{}
	for _, n := range e.m.src.Schema.PrimaryKeys {
		primary[n] = true
	}
	sequence := map[string]bool{}
	for _, n := range paimon.SplitList(e.m.src.Schema.Options["sequence.field"]) {
		sequence[n] = true
	}
	for i := range e.m.columns {
		f := e.at(i)
		f.field = e.m.columns[i].Paimon
		if f.field == nil {
			continue
		}
		if f.key = primary[f.field.Name]; f.key {
			continue
		}
		name := e.m.src.Schema.Options["fields."+f.field.Name+".aggregate-function"]
		if name == "" {
			name = e.m.src.Schema.Options["fields.default-aggregate-function"]
		}
		switch {
		case sequence[f.field.Name]:
			name = "last_value"
			if e.partial {
				name = ""
			}
		case f.order:
			name = ""
		case name == "" && !e.partial:
			name = "last_non_null_value"
		}
		if name == "" {
			continue
		}
		fn, err := newAggregate(name, f.field, e.m.src.Schema.Options, e.m.columns[i].Type)
		if err != nil {
			return cherr.Wrap(err, "reading column `%s` of Paimon table %s", f.field.Name, e.m.src.Dir.Root)
		}
		f.fn = fn
		e.slow = e.slow || fn.kernel == kernelNone || f.group != nil && !fn.commutes()
	}
	return nil
}

// folded is the work on one chunk.
type folded struct {
	e     *folding
	c     *chunk
	kinds []int8          // of all rows
	full  []column.Column // of all rows, made when needed
	last  []uint32        // key → the last of its rows
	hard  []uint32        // keys that go record by record
	rows  []column.Row    // of those: a value a column
	wins  map[*sequenceGroup][]int32
}

func (e *folding) merge(c *chunk) (*merged, error) {
	n := c.keys()
	if n == len(c.src) {
		return picked(c, e.gather, c.src, c.row), nil
	}
	w := &folded{e: e, c: c, kinds: c.kindsOf(c.src, c.row), full: make([]column.Column, len(e.m.columns)), last: make([]uint32, n)}
	out := &merged{kinds: make([]int8, n), cols: make([]column.Column, len(e.m.columns)), make: w.column}
	for k := range n {
		from, to := c.starts[k], c.starts[k+1]
		w.last[k] = to - 1
		if to-from == 1 {
			out.kinds[k] = w.kinds[from]
			continue
		}
		hard := e.slow
		for _, kind := range w.kinds[from:to] {
			hard = hard || kind&1 != 0
		}
		if !hard {
			continue // +I
		}
		row, alive, err := w.fold(int(from), int(to))
		if err != nil {
			return nil, err
		}
		if !alive {
			out.kinds[k] = kindDelete
		}
		w.hard, w.rows = append(w.hard, uint32(k)), append(w.rows, row)
	}
	return out, nil
}

// of gives a column of all rows of the chunk.
func (w *folded) of(at int) column.Column {
	if w.full[at] == nil {
		w.full[at] = column.Full(w.e.gather[at].gather(w.c.columnOf(at), w.c.src, w.c.row))
	}
	return w.full[at]
}

// column makes a column of the keys that are still in.
func (w *folded) column(r *merged, at int) (column.Column, error) {
	f := &w.e.fields[at]
	all := w.of(at)
	var out column.Column
	var err error
	switch {
	case f.field == nil || f.key:
		out = all.Gather(w.last)
	case f.group != nil && f.fn == nil:
		out = pick(all, w.winners(f.group))
	case f.group != nil:
		out, err = w.kernel(all, f, w.accepted(f.group))
	case f.fn == nil:
		out = pick(all, lastNonNull(all, w.c.starts))
	default:
		out, err = w.kernel(all, f, nil)
	}
	if err != nil {
		return nil, cherr.Wrap(err, "merging column `%s` of Paimon table %s", f.field.Name, w.e.m.src.Dir.Root)
	}
	if len(w.hard) > 0 && f.field != nil && !f.key {
		out = w.patch(out, at)
	}
	if r.sel != nil {
		out = out.Gather(r.sel)
	}
	return out, nil
}

// patch puts the values of the hard keys into their places.
func (w *folded) patch(c column.Column, at int) column.Column {
	t := w.e.m.columns[at].Type
	nested := w.e.m.nested[at]
	b := column.NewBuilder(t, len(w.hard))
	nulls := make([]uint8, len(w.hard))
	for i := range w.hard {
		b.AppendValue(w.rows[i][at])
		if w.rows[i][at] == nil {
			nulls[i] = 1
		}
	}
	made := b.Finish()
	n := c.Len()
	order := make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
	}
	for i, k := range w.hard {
		order[k] = uint32(n + i)
	}
	if !nested {
		return column.Concat(t, []column.Column{c, made}).Gather(order)
	}
	values, null := column.SplitNulls(c)
	if null == nil {
		null = make([]uint8, n)
	}
	joined := &column.Nullable{
		Values: column.Concat(t, []column.Column{values, made}), Null: append(append([]uint8(nil), null...), nulls...),
	}
	return joined.Gather(order)
}

// pick takes rows of a column; -1 is NULL.
func pick(c column.Column, rows []int32) column.Column {
	at := make([]uint32, len(rows))
	var gone []uint8
	for i, r := range rows {
		if r >= 0 {
			at[i] = uint32(r)
			continue
		}
		if gone == nil {
			gone = make([]uint8, len(rows))
		}
		gone[i] = 1
	}
	out := c.Gather(at)
	if gone == nil {
		return out
	}
	if _, ok := out.(*column.Nullable); !ok {
		return out // NOT NULL: there was nothing else to be had
	}
	return column.NewNullable(out, gone)
}

// lastNonNull gives of each key the last row whose value is not NULL.
func lastNonNull(c column.Column, starts []uint32) []int32 {
	_, null := column.SplitNulls(c)
	out := make([]int32, len(starts)-1)
	for k := range out {
		i := int32(starts[k+1]) - 1
		for null != nil && i >= int32(starts[k]) && null[i] != 0 {
			i--
		}
		if i < int32(starts[k]) {
			i = -1
		}
		out[k] = i
	}
	return out
}

// orderOf encodes a group's ordering columns; skip marks rows where all of them
// are NULL, which the group does not see.
func (w *folded) orderOf(g *sequenceGroup) (keys []string, skip []bool) {
	cols := make([]column.Column, len(g.order))
	for i, at := range g.order {
		cols[i] = w.of(at)
	}
	n := len(w.c.src)
	skip = make([]bool, n)
	for i := range skip {
		skip[i] = true
		for _, c := range cols {
			skip[i] = skip[i] && column.IsNullAt(c, i)
		}
	}
	return textKeys(cols, n, w.e.m.desc), skip
}

// winners gives of each key the row that a sequence group takes its values
// from: the last of those with the greatest order. A lone record always wins.
func (w *folded) winners(g *sequenceGroup) []int32 {
	if out, ok := w.wins[g]; ok {
		return out
	}
	keys, skip := w.orderOf(g)
	out := make([]int32, w.c.keys())
	for k := range out {
		from, to := int32(w.c.starts[k]), int32(w.c.starts[k+1])
		best := int32(-1)
		if to-from == 1 {
			best = from
		}
		for i := from; i < to && to-from > 1; i++ {
			if !skip[i] && (best < 0 || keys[i] >= keys[best]) {
				best = i
			}
		}
		out[k] = best
	}
	if w.wins == nil {
		w.wins = map[*sequenceGroup][]int32{}
	}
	w.wins[g] = out
	return out
}

// accepted marks the rows whose values a group's functions see.
func (w *folded) accepted(g *sequenceGroup) []bool {
	_, skip := w.orderOf(g)
	for i := range skip {
		skip[i] = !skip[i]
	}
	for k := range w.c.keys() {
		if from, to := w.c.starts[k], w.c.starts[k+1]; to-from == 1 {
			skip[from] = true
		}
	}
	return skip
}

// kernel folds a column by its function; rows nil: all count.
func (w *folded) kernel(c column.Column, f *foldField, rows []bool) (column.Column, error) {
	starts := w.c.starts
	switch f.fn.kernel {
	case kernelLast:
		return c.Gather(w.last), nil
	case kernelLastNonNull:
		return pick(c, lastNonNull(c, starts)), nil
	case kernelFirst:
		return c.Gather(starts[:len(starts)-1]), nil
	case kernelFirstNonNull:
		return pick(c, firstNonNull(c, starts)), nil
	case kernelMax, kernelMin:
		return pick(c, extreme(c, starts, rows, f.fn.kernel == kernelMax)), nil
	case kernelSum:
		return sums(c, starts, rows, f.field.Type.Kind == paimon.Decimal)
	}
	return c.Gather(w.last), nil // every key with more records is a hard one
}

func firstNonNull(c column.Column, starts []uint32) []int32 {
	_, null := column.SplitNulls(c)
	out := make([]int32, len(starts)-1)
	for k := range out {
		i, to := int32(starts[k]), int32(starts[k+1])
		for null != nil && i < to && null[i] != 0 {
			i++
		}
		if i == to {
			i = -1
		}
		out[k] = i
	}
	return out
}

// extreme gives of each key the row with the greatest or least value.
func extreme(c column.Column, starts []uint32, rows []bool, greatest bool) []int32 {
	values, null := column.SplitNulls(c)
	var before func(a, b int32) bool // a comes before b
	if w, width := words(values); width > 0 {
		before = func(a, b int32) bool { return w[a] < w[b] }
	} else {
		keys := textKeys([]column.Column{values}, values.Len(), false)
		before = func(a, b int32) bool { return keys[a] < keys[b] }
	}
	out := make([]int32, len(starts)-1)
	for k := range out {
		best := int32(-1)
		for i := int32(starts[k]); i < int32(starts[k+1]); i++ {
			switch {
			case null != nil && null[i] != 0 || rows != nil && !rows[i]:
			case best < 0 || greatest && before(best, i) || !greatest && before(i, best):
				best = i
			}
		}
		out[k] = best
	}
	return out
}

// sums adds up the values of each key. Integers that overflow are an error, a
// decimal beyond its storage is NULL.
func sums(c column.Column, starts []uint32, rows []bool, decimal bool) (column.Column, error) { // long: one case a form
	values, null := column.SplitNulls(c)
	_, nullable := c.(*column.Nullable)
	s := &summing{starts: starts, null: null, rows: rows, none: make([]uint8, len(starts)-1), decimal: decimal}
	var out column.Column
	switch x := values.(type) {
	case *column.Fixed[int8]:
		out = sumIntegers(s, x.Values)
	case *column.Fixed[int16]:
		out = sumIntegers(s, x.Values)
	case *column.Fixed[int32]:
		out = sumIntegers(s, x.Values)
	case *column.Fixed[int64]:
		out = sumIntegers(s, x.Values)
	case *column.Fixed[float32]:
		out = sumFloats(s, x.Values)
	case *column.Fixed[float64]:
		out = sumFloats(s, x.Values)
	case *column.Fixed[types.I128]:
		sum := make([]types.I128, len(s.none))
		for k := range sum {
			s.none[k] = 1
			for i := starts[k]; i < starts[k+1]; i++ {
				if s.counts(i) {
					sum[k] = sum[k].Add(x.Values[i])
					s.none[k] = 0
				}
			}
		}
		out = column.NewFixed(sum)
	}
	if s.overflow && !decimal {
		return nil, cherr.New(cherr.DecimalOverflow, "the sum of integers overflows")
	}
	if !nullable {
		return out, nil
	}
	return &column.Nullable{Values: out, Null: s.none}, nil
}

type summing struct {
	starts   []uint32
	null     []uint8
	rows     []bool
	none     []uint8 // key → 1: nothing was added, or it overflowed
	decimal  bool
	overflow bool
}

func (s *summing) counts(i uint32) bool {
	return (s.null == nil || s.null[i] == 0) && (s.rows == nil || s.rows[i])
}

func sumIntegers[T int8 | int16 | int32 | int64](s *summing, v []T) column.Column {
	out := make([]T, len(s.none))
	for k := range out {
		s.none[k] = 1
		for i := s.starts[k]; i < s.starts[k+1]; i++ {
			if !s.counts(i) {
				continue
			}
			sum := out[k] + v[i]
			if (sum > out[k]) != (v[i] > 0) && v[i] != 0 {
				s.overflow = true
				s.none[k] = 1
				break
			}
			out[k] = sum
			s.none[k] = 0
		}
	}
	return column.NewFixed(out)
}

func sumFloats[T float32 | float64](s *summing, v []T) column.Column {
	out := make([]T, len(s.none))
	for k := range out {
		s.none[k] = 1
		for i := s.starts[k]; i < s.starts[k+1]; i++ {
			switch {
			case !s.counts(i):
			case s.none[k] == 1:
				out[k], s.none[k] = v[i], 0
			default:
				out[k] += v[i]
			}
		}
	}
	return column.NewFixed(out)
}
