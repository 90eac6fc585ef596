package compare

import (
	"context"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

// bindTuples compares element by element, so that an element that is NULL
// makes the answer NULL where it matters: a = b is the AND of the elements'
// answers, a < b is a0 < b0 OR a0 = b0 AND a1 < b1 and so on.
func bindTuples(env *functions.Env, o op, args []functions.Arg) (*expr.Function, error) {
	a, b := args[0].Type.Elems(), args[1].Type.Elems()
	if len(a) != len(b) || len(a) == 0 && o != eq {
		return nil, illegal(o, args)
	}
	strict := map[op]op{lt: lt, gt: gt, le: lt, ge: gt}[o]
	t := &tuples{op: o}
	result := types.UInt8
	for i := range a {
		pair := []functions.Arg{{Type: a[i], Const: element(args[0], i)}, {Type: b[i], Const: element(args[1], i)}}
		f, err := env.Registry.BindScalar(env, names[eq].name, pair)
		if err != nil {
			return nil, err
		}
		if types.Unwrap(f.Result).Kind() == types.KindNothing { // a literal NULL decides all
			null := types.Nullable(types.UInt8)
			return &expr.Function{Result: null, KeepNulls: true, Kernel: func(_ context.Context, _ []column.Column, rows int) (column.Column, error) {
				return column.Default(null, rows), nil
			}}, nil
		}
		t.equal = append(t.equal, f)
		if f.Result.IsNullable() {
			result = types.Nullable(types.UInt8)
		}
		if o == eq || o == ne {
			continue
		}
		use := strict
		if i == len(a)-1 {
			use = o
		}
		if f, err = env.Registry.BindScalar(env, names[use].name, pair); err != nil {
			return nil, err
		}
		t.order = append(t.order, f)
	}
	t.nullable = result.IsNullable()
	return &expr.Function{Result: result, KeepNulls: true, Kernel: t.eval}, nil
}

// element gives element i of a constant tuple.
func element(a functions.Arg, i int) column.Column {
	if a.Const == nil {
		return nil
	}
	values, _ := column.SplitNulls(column.Full(a.Const))
	if t, ok := values.(*column.Tuple); ok {
		return t.Elems[i].Slice(0, 1)
	}
	return nil
}

type tuples struct {
	op           op
	equal, order []*expr.Function
	nullable     bool
}

// The three values of SQL's logic.
const (
	no uint8 = iota
	yes
	unknown
)

func (t *tuples) eval(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
	x, null := column.SplitNulls(column.Full(args[0]))
	y, more := column.SplitNulls(column.Full(args[1]))
	null = column.OrNulls(null, more)
	a, b := x.(*column.Tuple), y.(*column.Tuple)
	out := make([]uint8, rows)
	equal := make([]uint8, rows) // of the elements so far
	for i := range equal {
		equal[i] = yes
	}
	for i := range t.equal {
		pair := []column.Column{a.Elems[i], b.Elems[i]}
		if t.order != nil {
			c, err := t.order[i].Apply(ctx, pair, rows)
			if err != nil {
				return nil, err
			}
			for row, v := range truth(c, rows) {
				out[row] = or3(out[row], and3(equal[row], v))
			}
		}
		c, err := t.equal[i].Apply(ctx, pair, rows)
		if err != nil {
			return nil, err
		}
		for row, v := range truth(c, rows) {
			equal[row] = and3(equal[row], v)
		}
	}
	if t.order == nil {
		out = equal
	}
	return t.answer(out, null), nil
}

func (t *tuples) answer(out, null []uint8) column.Column {
	var nulls []uint8
	for i, v := range out {
		if v == unknown || null != nil && null[i] != 0 {
			if nulls == nil {
				nulls = make([]uint8, len(out))
			}
			nulls[i], out[i] = 1, 0
			continue
		}
		if t.op == ne {
			out[i] ^= 1
		}
	}
	if !t.nullable && null == nil {
		return column.NewFixed(out)
	}
	return column.NewNullable(column.NewFixed(out), nulls)
}

// truth gives the answers of a comparison as no, yes or unknown.
func truth(c column.Column, rows int) []uint8 {
	values, null := column.SplitNulls(column.Full(c))
	out := make([]uint8, rows)
	v, ok := values.(*column.Fixed[uint8])
	for i := range out {
		switch {
		case !ok || null != nil && null[i] != 0:
			out[i] = unknown
		case v.Values[i] != 0:
			out[i] = yes
		}
	}
	return out
}

func and3(a, b uint8) uint8 {
	switch {
	case a == no || b == no:
		return no
	case a == yes && b == yes:
		return yes
	}
	return unknown
}

func or3(a, b uint8) uint8 {
	switch {
	case a == yes || b == yes:
		return yes
	case a == no && b == no:
		return no
	}
	return unknown
}
