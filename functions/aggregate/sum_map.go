package aggregate

import (
	"slices"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

func sortedByCompare(c column.Column) []uint32 {
	rows := sequence(c.Len())
	slices.SortStableFunc(rows, func(a, b uint32) int { return column.Compare(c, int(a), c, int(b), 1) })
	return rows
}

// addMapped describes sumMap and its like over (keys, values, …) or a map.
func addMapped(name string, aliases []string, dropZeros, filtered bool, summary string, value func(t *types.Type) *functions.BoundAggregate) bool {
	params := map[bool]string{true: "([1])"}[filtered]
	return add(functions.Aggregate{
		Name: name, Aliases: aliases,
		Doc: functions.Doc{
			Syntax: name + "(keys, values, …) or " + name + "(map)", Summary: summary,
			Examples: []string{"SELECT " + name + params + "([1, 2], [number, 1]) FROM numbers(3)"},
		},
		Bind: func(_ *functions.Env, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
			if !filtered {
				if err := noParams(name, params); err != nil {
					return nil, err
				}
			} else if len(params) != 1 {
				return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Aggregate function %s requires exactly one parameter of Array type", name)
			}
			m := &mapped{name: name, dropZeros: dropZeros}
			if filtered {
				m.keep, _ = params[0].Value.(column.Row)
			}
			return m.bind(args, value)
		},
	})
}

type mapped struct {
	name      string
	dropZeros bool
	keep      column.Row // of the filtered forms
	asMap     bool
	nullable  bool // a value may be NULL: then a key without any value is left out, and not one with 0
	fs        []*functions.BoundAggregate
}

// bind takes (keys, values, …), also as one tuple, or a map.
func (m *mapped) bind(args []*types.Type, value func(t *types.Type) *functions.BoundAggregate) (*functions.BoundAggregate, error) {
	parts := args
	if len(args) == 1 && args[0].Kind() == types.KindTuple {
		parts = args[0].Elems()
	}
	if len(args) == 1 && args[0].Kind() == types.KindMap {
		m.asMap = true
		parts = []*types.Type{types.Array(args[0].Elems()[0]), types.Array(args[0].Elems()[1])}
	}
	if len(parts) < 2 {
		return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Aggregate function %s requires at least two arguments of Array type or one argument of tuple of two arrays", m.name)
	}
	elems, err := elementTypes(m.name, parts)
	if err != nil {
		return nil, err
	}
	results := []*types.Type{parts[0]}
	for _, t := range elems[1:] {
		f := value(types.Unwrap(t))
		if f == nil {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Values for %s are expected to be Numeric, Float or Decimal, passed type %s", m.name, t)
		}
		if t.Kind() == types.KindNullable {
			f, m.nullable = nullableValues(f), true
		}
		m.fs = append(m.fs, f)
		results = append(results, types.Array(f.Result))
	}
	c := &collecting{types: args, result: types.Tuple(results, nil), finish: m.finish}
	if m.asMap {
		c.result = types.Map(elems[0], m.fs[0].Result)
	}
	return c.bound(), nil
}

// nullableValues skips NULLs among the values.
func nullableValues(f *functions.BoundAggregate) *functions.BoundAggregate {
	out := *f
	out.New = func() functions.Accumulator { return &skipNull{f.New()} }
	return &out
}

type skipNull struct{ functions.Accumulator }

func (a *skipNull) Add(groups []uint32, args []column.Column, rows int) error {
	values, null := column.SplitNulls(column.Full(args[0]))
	if null == nil {
		return a.Accumulator.Add(groups, []column.Column{values}, rows)
	}
	var keep []uint32
	for i, n := range null {
		if n == 0 {
			keep = append(keep, uint32(i))
		}
	}
	return addRows(a.Accumulator, groups, []column.Column{values}, keep)
}

func (m *mapped) finish(out column.Builder, cols []column.Column, from, to int) error {
	lists, err := m.lists(cols, from, to)
	if err != nil {
		return err
	}
	if m.nullable && m.dropZeros {
		lists = withValues(lists)
	}
	keys, values, err := byKey(lists[0], lists[1:], m.fs)
	if err != nil {
		return err
	}
	if rows, all := m.kept(keys, values); !all {
		keys = keys.Gather(rows)
		for i, v := range values {
			values[i] = v.Gather(rows)
		}
	}
	if m.asMap {
		out.AppendRange(&column.Map{Offsets: []uint64{0, uint64(keys.Len())}, Keys: keys, Values: values[0]}, 0, 1)
		return nil
	}
	row := []column.Column{arrayOf(keys)}
	for _, v := range values {
		row = append(row, arrayOf(v))
	}
	out.AppendRange(column.NewTuple(row...), 0, 1)
	return nil
}

// withValues leaves out the keys whose values are all NULL.
func withValues(lists []column.Column) []column.Column {
	var keep []uint32
	for r := range lists[0].Len() {
		for _, v := range lists[1:] {
			if column.At(v, r) != nil {
				keep = append(keep, uint32(r))
				break
			}
		}
	}
	return gatherAll(lists, keep)
}

// lists gives keys and values of the group's rows, each one behind the other.
func (m *mapped) lists(cols []column.Column, from, to int) ([]column.Column, error) {
	if m.asMap {
		x := cols[0].Slice(from, to).(*column.Map).Compact()
		return []column.Column{x.Keys, x.Values}, nil
	}
	if t, ok := cols[0].(*column.Tuple); ok {
		cols = t.Elems
	}
	var out []column.Column
	var first *column.Array
	for _, c := range cols {
		a := column.Full(c).Slice(from, to).(*column.Array).Compact()
		if first == nil {
			first = a
		} else if err := sameLengths(first, a); err != nil {
			return nil, cherr.New(cherr.BadArguments, "All arrays in function %s must have equal sizes", m.name)
		}
		out = append(out, a.Elems.Slice(0, int(a.Offsets[len(a.Offsets)-1])))
	}
	return out, nil
}

// kept gives the keys that stay: those asked for, and with dropZeros those
// with a value that is not 0.
func (m *mapped) kept(keys column.Column, values []column.Column) (rows []uint32, all bool) {
	for r := range keys.Len() {
		ok := m.keep == nil
		for _, k := range m.keep {
			ok = ok || text1(k) == text1(column.At(keys, r))
		}
		if ok && m.dropZeros && !m.asMap && !m.nullable {
			ok = false
			for i, v := range values {
				zero := column.Default(m.fs[i].Result, 1)
				ok = ok || column.Compare(v, r, zero, 0, 1) != 0
			}
		}
		if ok {
			rows = append(rows, uint32(r))
		}
	}
	return rows, len(rows) == keys.Len()
}

func sumValue(t *types.Type) *functions.BoundAggregate {
	r := sumType(t)
	if r == nil {
		return nil
	}
	return bound(r, newSummer(t, r))
}

func sameSumValue(t *types.Type) *functions.BoundAggregate {
	if sumType(t) == nil {
		return nil
	}
	return bound(t, newSummer(t, t))
}

func extremeValue(sign int) func(t *types.Type) *functions.BoundAggregate {
	return func(t *types.Type) *functions.BoundAggregate {
		return bound(t, func() functions.Accumulator { return &extreme{v: newSlots(t), sign: sign} })
	}
}

var (
	_ = addMapped("sumMap", []string{"sumMappedArrays"}, true, false, "Sums the values of equal keys.", sumValue)
	_ = addMapped("sumMapWithOverflow", nil, true, false, "Sums the values of equal keys in their own type.", sameSumValue)
	_ = addMapped("sumMapFiltered", nil, true, true, "Sums the values of the keys given.", sumValue)
	_ = addMapped("sumMapFilteredWithOverflow", nil, true, true, "Sums the values of the keys given in their own type.", sameSumValue)
	_ = addMapped("minMap", []string{"minMappedArrays"}, false, false, "The least value of equal keys.", extremeValue(-1))
	_ = addMapped("maxMap", []string{"maxMappedArrays"}, false, false, "The greatest value of equal keys.", extremeValue(1))
)
