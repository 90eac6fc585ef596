package info

import (
	"context"
	"strconv"
	"strings"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Scalar{
	Name: "toColumnTypeName", KeepVariants: true, MinArgs: 1, MaxArgs: 1, KeepNulls: true, KeepLowCardinality: true,
	Doc: functions.Doc{Syntax: "toColumnTypeName(x)", Summary: "The form in memory of a value's column.", Examples: []string{"SELECT toColumnTypeName(today()) AS x FORMAT Null"}},
	Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		name := &column.Str{}
		text := formName(args[0].Type)
		if args[0].Const != nil {
			text = "Const(" + text + ")"
		}
		name.AppendString(text)
		return &expr.Function{Result: types.String, KeepNulls: true, KeepForms: true, Kernel: func(_ context.Context, _ []column.Column, rows int) (column.Column, error) {
			return column.NewConst(name, rows), nil
		}}, nil
	},
})

// formName names what holds the values: dates are numbers there.
func formName(t *types.Type) string {
	nested := func(name string) string {
		parts := make([]string, len(t.Elems()))
		for i, e := range t.Elems() {
			parts[i] = formName(e)
		}
		return name + "(" + strings.Join(parts, ", ") + ")"
	}
	switch t.Kind() {
	case types.KindDate:
		return "UInt16"
	case types.KindDateTime:
		return "UInt32"
	case types.KindDate32:
		return "Int32"
	case types.KindDateTime64:
		return "DateTime64"
	case types.KindBool:
		return "UInt8"
	case types.KindInterval:
		return "Int64"
	case types.KindArray:
		return nested("Array")
	case types.KindTuple:
		return nested("Tuple")
	case types.KindMap:
		return nested("Map")
	case types.KindNullable:
		return nested("Nullable")
	case types.KindLowCardinality:
		return nested("LowCardinality")
	case types.KindAggregateFunction:
		return "AggregateFunction(" + t.Aggregate().Function + ")"
	}
	switch {
	case t.IsEnum():
		return "Int" + strconv.Itoa(8*t.Bytes())
	case t.IsDecimal():
		return "Decimal" + strconv.Itoa(8*t.Bytes())
	}
	return t.String()
}
