package cast

import (
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// toNullable converts to Nullable(T). Text that is no T becomes NULL there, as
// in ClickHouse: CAST('abc' AS Nullable(Int32)) is NULL.
func (b *binder) toNullable(from, to *types.Type) (kernel, error) {
	if from.Kind() == types.KindNothing || from.Kind() == types.KindNullable && from.Elem().Kind() == types.KindNothing {
		return func(c column.Column, _ *failures) (column.Column, error) { return column.Default(to, c.Len()), nil }, nil
	}
	inner := from
	if from.Kind() == types.KindNullable {
		inner = from.Elem()
	}
	lenient := inner.IsString() && !to.Elem().IsString() && !b.o.Accurate
	bb := *b
	if lenient {
		bb.o2.Checked = true
	}
	k, err := bb.bind(inner, to.Elem())
	if err != nil {
		return nil, err
	}
	return func(c column.Column, bad *failures) (column.Column, error) {
		values, null := column.SplitNulls(c)
		if lenient {
			own := &failures{rows: values.Len()}
			out, err := k(values, own)
			if err != nil {
				return nil, err
			}
			return &column.Nullable{Values: out, Null: column.OrNulls(null, own.mask)}, nil
		}
		out, err := underNulls(k, values, null, bad)
		if err != nil {
			return nil, err
		}
		return &column.Nullable{Values: out, Null: null}, nil
	}, nil
}

// underNulls converts values of which those under a NULL must not fail.
func underNulls(k kernel, values column.Column, null []uint8, bad *failures) (column.Column, error) {
	if null == nil {
		return k(values, bad)
	}
	own := &failures{rows: values.Len()}
	out, err := k(values, own)
	if err != nil || own.mask == nil {
		return out, err
	}
	for row, failed := range own.mask {
		if failed == 0 || null[row] != 0 {
			continue
		}
		if bad != nil {
			bad.mark(row)
			continue
		}
		if _, err := k(values.Slice(row, row+1), nil); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// fromNullable converts to a type without NULL; a NULL is an error.
func (b *binder) fromNullable(from, to *types.Type) (kernel, error) {
	if from.Elem().Kind() == types.KindNothing {
		return nil, errNull
	}
	k, err := b.bind(from.Elem(), to)
	if err != nil {
		return nil, err
	}
	return func(c column.Column, bad *failures) (column.Column, error) {
		values, null := column.SplitNulls(c)
		for row, n := range null {
			if n == 0 {
				continue
			}
			if bad == nil {
				return nil, cherr.New(cherr.CannotInsertNullInOrdinaryColumn, "Cannot convert NULL value to non-Nullable type")
			}
			bad.mark(row)
		}
		return underNulls(k, values, null, bad)
	}, nil
}

var errNull = cherr.New(cherr.CannotConvertType, "Cannot convert NULL to a non-nullable type")
