package functions

import (
	"context"
	"math"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/types"
)

// In says how IN treats NULL and which way it answers.
type In struct {
	Negate bool // NOT IN
	// TransformNull: NULL is a value like others (nullIn, transform_null_in).
	// Otherwise NULL IN (...) is NULL, and a NULL in the set is never found.
	TransformNull bool
}

// NewIn binds `left IN set`. name is the function's ("in", "globalNotIn"); it
// is printed and pruning knows it. The set may be filled later, before the
// first evaluation. left is converted to the set's types where they differ;
// values that those cannot hold are not in the set.
func NewIn(env *Env, name string, left *types.Type, set *expr.Set, how In) (*expr.Function, error) {
	parts := []*types.Type{left}
	tuple := types.Unwrap(left).Kind() == types.KindTuple && len(set.Types()) > 1
	if tuple {
		parts = types.Unwrap(left).Elems()
	}
	if len(parts) != len(set.Types()) {
		return nil, cherr.New(cherr.NumberOfColumnsDoesntMatch,
			"Number of columns in section IN doesn't match. %d at left, %d at right", len(parts), len(set.Types()))
	}
	k := &inKernel{set: set, how: how}
	for i, p := range parts {
		c, err := newInPart(env, p, set.Types()[i])
		if err != nil {
			return nil, err
		}
		k.parts = append(k.parts, c)
	}
	result := types.UInt8
	if !tuple && left.IsNullable() && !how.TransformNull {
		result = types.Nullable(types.UInt8)
	}
	if left.Kind() == types.KindNullable && left.Elem().Kind() == types.KindNothing && !how.TransformNull {
		result = types.NullableNothing
	}
	return &expr.Function{Name: name, Result: result, Set: set, KeepNulls: true, Kernel: k.eval}, nil
}

// inPart brings one column of the left side to its column of the set.
type inPart struct {
	try cast.TryFunc // nil: the types are one
	all bool         // NULL in every row
}

func newInPart(env *Env, from, to *types.Type) (inPart, error) {
	from, to = types.Unwrap(from), types.Unwrap(to)
	if from.Kind() == types.KindNothing {
		return inPart{all: true}, nil
	}
	if from.Equal(to) {
		return inPart{}, nil
	}
	try, err := cast.BindTry(from, to, &cast.Options{Zone: env.Zone, Accurate: true})
	if err != nil {
		return inPart{}, cherr.New(cherr.TypeMismatch, "Types of columns in section IN don't match: %s on the left, %s on the right", from, to)
	}
	return inPart{try: try}, nil
}

type inKernel struct {
	set   *expr.Set
	how   In
	parts []inPart
}

func (k *inKernel) eval(_ context.Context, args []column.Column, rows int) (column.Column, error) {
	left := column.Full(args[0])
	cols := []column.Column{left}
	if len(k.parts) > 1 {
		values, _ := column.SplitNulls(left)
		cols = values.(*column.Tuple).Elems
	}
	keys := make([]column.Column, len(cols))
	var null, lost []uint8
	for i, c := range cols {
		values, n := column.SplitNulls(c)
		switch p := k.parts[i]; {
		case p.all:
			n = ones(rows)
			values = column.Default(types.Unwrap(k.set.Types()[i]), rows)
		case p.try != nil:
			out, failed, err := p.try(values)
			if err != nil {
				return nil, err
			}
			values, lost = out, column.OrNulls(lost, failed)
		}
		null = column.OrNulls(null, n)
		if k.how.TransformNull && n != nil {
			values = column.NewNullable(values, n)
		}
		keys[i] = values
	}
	found := k.set.Contains(keys, rows)
	for i, f := range lost {
		if f != 0 && (null == nil || null[i] == 0) {
			found[i] = 0
		}
	}
	return k.answer(found, null, args[0]), nil
}

func (k *inKernel) answer(found, null []uint8, left column.Column) column.Column {
	if null != nil && !k.how.TransformNull {
		for i, n := range null {
			if n != 0 {
				found[i] = 0
			}
		}
	}
	if k.how.Negate {
		for i := range found {
			found[i] ^= 1
		}
	}
	out := column.NewFixed(found)
	if k.how.TransformNull || len(k.parts) > 1 {
		return out
	}
	if k.parts[0].all {
		return column.Default(types.NullableNothing, len(found))
	}
	if _, ok := column.Full(left).(*column.Nullable); ok {
		return column.NewNullable(out, null)
	}
	return out
}

func ones(n int) []uint8 {
	out := make([]uint8, n)
	for i := range out {
		out[i] = 1
	}
	return out
}

// LiteralSet makes the set of a literal right side for a left side of type
// left: (1, 2) and [1, 2] are values, ((1, 2), (3, 4)) are rows when left is a
// tuple, anything else is one value. Values that the left type cannot hold are
// left out; text that is none of its values is an error.
func LiteralSet(env *Env, left, t *types.Type, value column.Column, transformNull bool) (*expr.Set, error) {
	value = column.Full(value)
	want := types.Unwrap(left)
	elems, elemTypes := literalElements(want, types.WithoutLowCardinality(t), value)
	parts := []*types.Type{want}
	rowwise := want.Kind() == types.KindTuple && len(want.Elems()) > 1
	if rowwise {
		parts = nil
		for _, e := range want.Elems() {
			parts = append(parts, setType(e, transformNull))
		}
	} else {
		parts[0] = setType(want, transformNull)
	}
	set := expr.NewSet(parts)
	for i, e := range elems {
		if err := addLiteral(env, set, want, elemTypes[i], e, rowwise, transformNull); err != nil {
			return nil, err
		}
	}
	set.Seal()
	return set, nil
}

func setType(t *types.Type, nulls bool) *types.Type {
	t = types.Unwrap(t)
	if t.Kind() == types.KindNothing {
		t = types.UInt8
	}
	if nulls && t.CanBeNullable() {
		return types.Nullable(t)
	}
	return t
}

// literalElements takes a literal apart into columns of values and their types.
func literalElements(left, t *types.Type, value column.Column) (elems []column.Column, elemTypes []*types.Type) {
	switch c := value.(type) {
	case *column.Tuple:
		if left.Kind() == types.KindTuple && !tupleOfTuples(t) {
			break // one row
		}
		return c.Elems, t.Elems()
	case *column.Array:
		if left.Kind() == types.KindArray && t.Elem().Kind() != types.KindArray {
			break // one value
		}
		a := c.Slice(0, 1).(*column.Array).Compact()
		return []column.Column{a.Elems.Slice(0, int(a.Offsets[1]))}, []*types.Type{t.Elem()}
	}
	return []column.Column{value.Slice(0, 1)}, []*types.Type{t}
}

func tupleOfTuples(t *types.Type) bool {
	for _, e := range t.Elems() {
		if e.Kind() != types.KindTuple {
			return false
		}
	}
	return len(t.Elems()) > 0
}

// addLiteral adds a column of literal values of one type.
func addLiteral(env *Env, set *expr.Set, left, t *types.Type, c column.Column, rowwise, nulls bool) error {
	if !rowwise {
		v, ok, err := convertLiteral(env, t, left, c, nulls)
		if err != nil {
			return err
		}
		cols, rows := keepRows([]column.Column{v}, ok)
		set.Add(cols, rows)
		return nil
	}
	tuple, isTuple := c.(*column.Tuple)
	if !isTuple || len(tuple.Elems) != len(left.Elems()) {
		return cherr.New(cherr.IncorrectElementOfSet, "Incorrect element of set. Must be tuple of %d elements", len(left.Elems()))
	}
	cols := make([]column.Column, len(tuple.Elems))
	var keep []uint8
	for i, e := range tuple.Elems {
		v, ok, err := convertLiteral(env, t.Elems()[i], types.Unwrap(left.Elems()[i]), e, nulls)
		if err != nil {
			return err
		}
		cols[i] = v
		for row, k := range ok {
			if keep == nil {
				keep = ones(len(ok))
			}
			keep[row] &= k
		}
	}
	cols, rows := keepRows(cols, keep)
	set.Add(cols, rows)
	return nil
}

// keepRows leaves the rows that keep marks; nil keeps all.
func keepRows(cols []column.Column, keep []uint8) ([]column.Column, int) {
	if keep == nil {
		return cols, cols[0].Len()
	}
	var rows []uint32
	for i, k := range keep {
		if k != 0 {
			rows = append(rows, uint32(i))
		}
	}
	out := make([]column.Column, len(cols))
	for i, c := range cols {
		out[i] = c.Gather(rows)
	}
	return out, len(rows)
}

// FitsDecimal refuses numbers that have more digits before the point than a
// Decimal of its precision.
func FitsDecimal(c column.Column, from, to *types.Type) error {
	if !to.IsDecimal() || !from.IsInteger() && !from.IsFloat() {
		return nil
	}
	most := math.Pow10(to.Precision() - to.Scale())
	for _, v := range cast.Floats(column.Full(c), from) {
		if math.Abs(v) >= most {
			return cherr.New(cherr.ArgumentOutOfBound, "Number is too big to place in %s", to)
		}
	}
	return nil
}

// convertLiteral converts values to the left side's type; keep has 0 for those
// that it cannot hold, and for NULL unless NULL counts.
func convertLiteral(env *Env, from, to *types.Type, c column.Column, nulls bool) (out column.Column, keep []uint8, err error) {
	values, null := column.SplitNulls(c)
	if _, nothing := values.(*column.Nothing); nothing {
		null = ones(c.Len())
		from = types.Nothing
	}
	from = types.Unwrap(from)
	if to.Kind() == types.KindNothing {
		to = types.UInt8
	}
	o := &cast.Options{Zone: env.Zone, Accurate: true}
	var failed []uint8
	switch {
	case from.Kind() == types.KindNothing:
		out = column.Default(to, c.Len())
	case from.Equal(to):
		out = values
	case from.IsString() && to.IsNumber() && to.Kind() != types.KindBool:
		return nil, nil, cherr.New(cherr.TypeMismatch, "Cannot convert string %q to type %s", column.At(values, 0), to)
	case from.IsString() && !to.IsEnum():
		if out, err = cast.Column(values, from, to, o); err != nil {
			return nil, nil, cherr.Wrap(err, "converting a literal of IN to %s", to)
		}
	default:
		try, err := cast.BindTry(from, to, o)
		if err != nil {
			return nil, nil, cherr.New(cherr.TypeMismatch, "Types of columns in section IN don't match: %s on the left, %s on the right", to, from)
		}
		if out, failed, err = try(values); err != nil {
			return nil, nil, err
		}
		if err := FitsDecimal(values, from, to); err != nil {
			return nil, nil, err
		}
	}
	if failed != nil || null != nil && !nulls {
		keep = ones(c.Len())
		for i := range keep {
			if failed != nil && failed[i] != 0 || null != nil && !nulls && null[i] != 0 {
				keep[i] = 0
			}
		}
	}
	if nulls && null != nil {
		out = column.NewNullable(out, null)
	}
	return out, keep, nil
}
