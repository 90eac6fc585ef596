package read

import (
	"lakeserver/column"
	"lakeserver/types"
)

// full wraps a finish that needs a column spelled out.
func full(f finish) finish {
	return func(c column.Column) (column.Column, error) { return f(column.Full(c)) }
}

func finishArray(f finish) finish {
	if f == nil {
		return nil
	}
	return full(func(c column.Column) (column.Column, error) {
		a := c.(*column.Array)
		elems, err := f(a.Elems)
		return &column.Array{Offsets: a.Offsets, Elems: elems}, err
	})
}

func finishMap(kf, vf finish) finish {
	if kf == nil && vf == nil {
		return nil
	}
	return full(func(c column.Column) (column.Column, error) {
		m := c.(*column.Map)
		keys, values := m.Keys, m.Values
		var err error
		if kf != nil {
			if keys, err = kf(keys); err != nil {
				return nil, err
			}
		}
		if vf != nil {
			values, err = vf(values)
		}
		return &column.Map{Offsets: m.Offsets, Keys: keys, Values: values}, err
	})
}

func finishTuple(fins []finish) finish {
	return full(func(c column.Column) (column.Column, error) {
		t := c.(*column.Tuple)
		out := &column.Tuple{N: t.N, Elems: append([]column.Column(nil), t.Elems...)}
		for i, f := range fins {
			if f == nil {
				continue
			}
			e, err := f(out.Elems[i])
			if err != nil {
				return nil, err
			}
			out.Elems[i] = e
		}
		return out, nil
	})
}

// datesToTimes makes times of days: a column promoted from date.
func datesToTimes(scale int) finish {
	day := int64(86400)
	for range scale {
		day *= 10
	}
	return full(func(c column.Column) (column.Column, error) {
		values, null := column.SplitNulls(c)
		days := column.Values[int32](values)
		out := make([]int64, len(days))
		for i, d := range days {
			out[i] = int64(d) * day
		}
		if _, ok := c.(*column.Nullable); ok {
			return &column.Nullable{Values: column.NewFixed(out), Null: null}, nil
		}
		return column.NewFixed(out), nil
	})
}

// unwrapTuple takes the only element of a tuple: how a leaf inside of structs
// is read alone.
func unwrapTuple(depth int, f finish) finish {
	return full(func(c column.Column) (column.Column, error) {
		for range depth {
			c = c.(*column.Tuple).Elems[0]
		}
		if f == nil {
			return c, nil
		}
		return f(c)
	})
}

func isNested(t *types.Type) bool {
	k := t.Kind()
	return k == types.KindArray || k == types.KindMap || k == types.KindTuple
}

// absent gives the one value of a column that a file does not have.
func (f *fileUnits) absent(t *types.Type, v column.Value) column.Column {
	c := column.FromValue(t, v, 1).Value
	if v == nil && f.s.req.KeepNulls && isNested(t) {
		return &column.Nullable{Values: c, Null: []uint8{1}}
	}
	return c
}

// aroundNulls applies a step to the values of nested columns whose NULLs are
// kept apart. A file where none can be NULL gives the plain column.
func aroundNulls(f finish) finish {
	return full(func(c column.Column) (column.Column, error) {
		values, null := column.SplitNulls(c)
		if f != nil {
			var err error
			if values, err = f(values); err != nil {
				return nil, err
			}
		}
		return &column.Nullable{Values: values, Null: null}, nil
	})
}
