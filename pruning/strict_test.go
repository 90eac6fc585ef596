package pruning

import (
	"testing"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/metadata/iceberg"
	"lakeserver/types"
)

// Files whose rows all match, and files that only seem so.
func TestStrict(t *testing.T) {
	nint, nstr, nflt := types.Nullable(types.Int32), types.Nullable(types.String), types.Nullable(types.Float64)
	schema, err := iceberg.NewSchema(0, []iceberg.Field{
		{ID: 1, Name: "n", Type: iceberg.ParseType("int")},
		{ID: 2, Name: "s", Type: iceberg.ParseType("string")},
		{ID: 3, Name: "f", Type: iceberg.ParseType("double")},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	cols := func(i int) Column {
		return Column{Field: []int{1, 2, 3, -1}[i], Type: []*types.Type{nint, nstr, nflt, nint}[i]}
	}
	n, s, f := &expr.Column{Index: 0, T: nint}, &expr.Column{Index: 1, T: nstr}, &expr.Column{Index: 2, T: nflt}
	hidden := &expr.Column{Index: 3, T: nint}
	stat := func(id int, nulls, nans int64, lo, hi column.Value) iceberg.ColumnStat {
		ft := schema.Field(id).Type
		return iceberg.ColumnStat{ID: int32(id), Values: 10, Nulls: nulls, NaNs: nans, Lower: iceberg.EncodeBound(ft, lo), Upper: iceberg.EncodeBound(ft, hi)}
	}
	file := func(stats ...iceberg.ColumnStat) *iceberg.DataFile {
		return &iceberg.DataFile{Records: 10, Stats: stats}
	}
	num := func(v int32) expr.Expr { return lit(types.Int32, v) }
	ints := file(stat(1, 0, -1, int32(5), int32(9)))
	null := lit(types.NullableNothing, nil)
	for i, c := range []struct {
		where []expr.Expr
		f     *iceberg.DataFile
		want  bool
	}{
		{[]expr.Expr{call("greater", n, num(4))}, ints, true},
		{[]expr.Expr{call("greater", n, num(5))}, ints, false},
		{[]expr.Expr{call("greaterOrEquals", n, num(5)), call("less", n, num(10))}, ints, true},
		{[]expr.Expr{call("greaterOrEquals", n, num(5)), call("less", n, num(9))}, ints, false},
		{[]expr.Expr{call("and", call("greater", n, num(4)), call("less", n, num(10)))}, ints, true},
		{[]expr.Expr{call("or", call("greater", n, num(4)), call("unknown", n))}, ints, true},
		{[]expr.Expr{call("and", call("greater", n, num(4)), call("unknown", n))}, ints, false},
		{[]expr.Expr{call("not", call("less", n, num(5)))}, ints, true},
		{[]expr.Expr{call("equals", n, num(5))}, file(stat(1, 0, -1, int32(5), int32(5))), true},
		{[]expr.Expr{in(n, true, types.Int32, int32(1), int32(20))}, ints, true},
		{[]expr.Expr{in(n, false, types.Int32, int32(5), int32(9))}, ints, false},
		{[]expr.Expr{num(1)}, ints, true},
		{[]expr.Expr{num(0)}, ints, false},
		// NULL is neither true nor false.
		{[]expr.Expr{call("greater", n, num(4))}, file(stat(1, 1, -1, int32(5), int32(9))), false},
		{[]expr.Expr{call("greater", n, num(4))}, file(stat(1, -1, -1, int32(5), int32(9))), false},
		{[]expr.Expr{call("greater", n, num(4))}, file(), false},
		{[]expr.Expr{call("equals", n, null)}, ints, false},
		{[]expr.Expr{null}, ints, false},
		{[]expr.Expr{call("or", call("greater", n, num(4)), null)}, ints, false},
		{[]expr.Expr{call("or", call("greater", n, num(4)), call("equals", s, lit(types.String, "x")))}, ints, false},
		// Bounds of text may be cut short, NaN stands outside of bounds.
		{[]expr.Expr{call("equals", s, lit(types.String, "a"))}, file(stat(2, 0, -1, "a", "a")), false},
		{[]expr.Expr{call("greater", s, lit(types.String, "A"))}, file(stat(2, 0, -1, "a", "b")), true},
		{[]expr.Expr{call("greater", f, lit(types.Float64, 1.0))}, file(stat(3, 0, 0, 2.0, 3.0)), true},
		{[]expr.Expr{call("greater", f, lit(types.Float64, 1.0))}, file(stat(3, 0, 1, 2.0, 3.0)), false},
		{[]expr.Expr{call("greater", f, lit(types.Float64, 1.0))}, file(stat(3, 0, -1, 2.0, 3.0)), false},
		{[]expr.Expr{call("greater", hidden, num(4))}, ints, false},
		{nil, ints, false},
	} {
		strict := NewStrict(c.where, cols, nil, schema)
		if got := strict.AllMatch(&iceberg.TableMetadata{}, &iceberg.PartitionSpec{}, c.f); got != c.want {
			t.Errorf("case %d: %v, want %v", i, got, c.want)
		}
	}
}
