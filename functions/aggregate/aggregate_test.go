package aggregate

import (
	"encoding/hex"
	"fmt"
	"math"
	"strings"
	"testing"

	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

// call binds a function and runs it over one block, all rows in one group,
// then again by way of two merged halves and by way of a serialised state: all
// must agree.
func call(t *testing.T, name string, params []functions.Param, argTypes []*types.Type, args ...column.Column) (*functions.BoundAggregate, column.Value) {
	t.Helper()
	r, err := functions.NewRegistry(Set())
	if err != nil {
		t.Fatal(err)
	}
	b, err := r.BindAggregate(&functions.Env{}, name, params, argTypes)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	rows := 0
	if len(args) > 0 {
		rows = args[0].Len()
	}
	one := b.New()
	one.Grow(1)
	must(t, one.Add(nil, args, rows))
	want := result(t, one)

	left, right := b.New(), b.New()
	left.Grow(3)
	right.Grow(2)
	lo, hi := rows/2, rows-rows/2
	must(t, left.Add(repeat(2, lo), cutColumns(args, 0, lo), lo))
	must(t, right.Add(repeat(1, hi), cutColumns(args, lo, rows), hi))
	must(t, left.Merge([]uint32{0, 2}, right, nil))
	c, err := left.Result(2, 3)
	must(t, err)
	if got := text(column.At(c, 0)); got != text(want) {
		t.Errorf("%s merged: %s, at once: %s", name, got, text(want))
	}

	back := b.New()
	back.Grow(1)
	state := one.Encode(0, nil)
	n, err := back.Decode(0, state)
	must(t, err)
	if n != len(state) {
		t.Errorf("%s: read %d of %d bytes of state", name, n, len(state))
	}
	if got := text(result(t, back)); got != text(want) {
		t.Errorf("%s read back: %s, at once: %s", name, got, text(want))
	}
	return b, want
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func result(t *testing.T, a functions.Accumulator) column.Value {
	t.Helper()
	c, err := a.Result(0, 1)
	must(t, err)
	return column.At(c, 0)
}

func repeat(v uint32, n int) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = v
	}
	return out
}

func cutColumns(args []column.Column, from, to int) []column.Column {
	out := make([]column.Column, len(args))
	for i, c := range args {
		out[i] = c.Slice(from, to)
	}
	return out
}

func text(v column.Value) string {
	if f, ok := v.(float64); ok {
		return fmt.Sprintf("%.12g", f)
	}
	return fmt.Sprint(v)
}

func numbers(n int) column.Column {
	v := make([]uint64, n)
	for i := range v {
		v[i] = uint64(i)
	}
	return column.NewFixed(v)
}

func param(t *types.Type, v column.Value) functions.Param {
	return functions.Param{Type: t, Value: v, Text: fmt.Sprint(v)}
}

// TestResults holds answers that ClickHouse 26.9 gave.
func TestResults(t *testing.T) {
	u64 := []*types.Type{types.UInt64}
	nullable := []*types.Type{types.Nullable(types.UInt8)}
	withNull := &column.Nullable{Values: column.NewFixed([]uint8{1, 2, 3}), Null: []uint8{0, 1, 0}}
	floats := column.NewFixed([]float64{math.NaN(), 1, 2})
	strs := column.NewStr("b", "a", "c", "a")
	for _, c := range []struct {
		name  string
		types []*types.Type
		args  []column.Column
		typ   string
		want  string
	}{
		{"count", u64, []column.Column{numbers(10)}, "UInt64", "10"},
		{"count", nullable, []column.Column{withNull}, "UInt64", "2"},
		{"sum", u64, []column.Column{numbers(100)}, "UInt64", "4950"},
		{"sum", nullable, []column.Column{withNull}, "Nullable(UInt64)", "4"},
		{"sumWithOverflow", []*types.Type{types.UInt8}, []column.Column{column.NewFixed([]uint8{200, 100})}, "UInt8", "44"},
		{"sum", []*types.Type{types.Decimal(9, 2)}, []column.Column{column.NewFixed([]int32{150, -225})}, "Decimal(38, 2)", "-75"},
		{"avg", u64, []column.Column{numbers(10)}, "Float64", "4.5"},
		{"avg", []*types.Type{types.Decimal(9, 2)}, []column.Column{column.NewFixed([]int32{150, 225})}, "Float64", "1.875"},
		{"avg", []*types.Type{types.Int64}, []column.Column{&column.Const{Value: column.NewFixed([]int64{9000000000000000000}), N: 10}}, "Float64", "-2.23372036855e+17"},
		{"min", []*types.Type{types.Float64}, []column.Column{floats}, "Float64", "1"},
		{"max", []*types.Type{types.Float64}, []column.Column{floats}, "Float64", "2"},
		{"min", []*types.Type{types.String}, []column.Column{strs}, "String", "a"},
		{"max", []*types.Type{types.String}, []column.Column{strs}, "String", "c"},
		{"any", []*types.Type{types.String}, []column.Column{strs}, "String", "b"},
		{"anyLast", []*types.Type{types.String}, []column.Column{strs}, "String", "a"},
		{"argMin", []*types.Type{types.UInt64, types.String}, []column.Column{numbers(4), strs}, "UInt64", "1"},
		{"argMax", []*types.Type{types.String, types.UInt64}, []column.Column{strs, numbers(4)}, "String", "a"},
		{"uniqExact", []*types.Type{types.String}, []column.Column{strs}, "UInt64", "3"},
		{"groupArray", []*types.Type{types.String}, []column.Column{strs}, "Array(String)", "[b a c a]"},
		{"sumIf", []*types.Type{types.UInt64, types.UInt8}, []column.Column{numbers(3), column.NewFixed([]uint8{0, 1, 1})}, "UInt64", "3"},
		{"sumOrNull", u64, []column.Column{numbers(0)}, "Nullable(UInt64)", "<nil>"},
		{"avgOrDefault", u64, []column.Column{numbers(0)}, "Float64", "0"},
		{"avg", u64, []column.Column{numbers(0)}, "Float64", "NaN"},
		{"sumArray", []*types.Type{types.Array(types.UInt8)}, []column.Column{&column.Array{Offsets: []uint64{1, 3, 4}, Elems: column.NewFixed([]uint8{9, 1, 2, 3})}}, "UInt64", "6"},
	} {
		b, got := call(t, c.name, nil, c.types, c.args...)
		if b.Result.String() != c.typ || text(got) != c.want {
			t.Errorf("%s: %s of type %s, want %s of type %s", c.name, text(got), b.Result, c.want, c.typ)
		}
	}
	if _, got := call(t, "groupArray", []functions.Param{param(types.UInt8, uint8(3))}, u64, numbers(10)); text(got) != "[0 1 2]" {
		t.Errorf("groupArray(3): %v", got)
	}
}

// TestStates holds states as ClickHouse 26.9 writes them.
func TestStates(t *testing.T) {
	u64 := []*types.Type{types.UInt64}
	two := []column.Column{numbers(2)}
	for _, c := range []struct {
		name  string
		types []*types.Type
		args  []column.Column
		typ   string
		want  string
	}{
		{"sumState", u64, two, "AggregateFunction(sum, UInt64)", "0100000000000000"},
		{"countState", nil, nil, "AggregateFunction(count)", "00"},
		{"avgState", u64, two, "AggregateFunction(avg, UInt64)", "010000000000000002"},
		{"minState", u64, two, "AggregateFunction(min, UInt64)", "010000000000000000"},
		{"maxState", []*types.Type{types.String}, []column.Column{column.NewStr("abc")}, "AggregateFunction(max, String)", "0400000061626300"},
		{"uniqExactState", u64, []column.Column{numbers(1)}, "AggregateFunction(uniqExact, UInt64)", "010000000000000000"},
		{"groupArrayState", u64, two, "AggregateFunction(groupArray, UInt64)", "0200000000000000000100000000000000"},
		{"argMinState", []*types.Type{types.UInt64, types.UInt64}, []column.Column{numbers(2), numbers(2)}, "AggregateFunction(argMin, UInt64, UInt64)", "010000000000000000010000000000000000"},
		{"sumState", []*types.Type{types.Nullable(types.UInt64)}, []column.Column{column.NewNullable(numbers(2), nil)}, "AggregateFunction(sum, Nullable(UInt64))", "010100000000000000"},
		{"minState", []*types.Type{types.Nullable(types.String)}, []column.Column{column.NewNullable(column.NewStr("x"), nil)}, "AggregateFunction(min, Nullable(String))", "01020000007800"},
		{"sumState", []*types.Type{types.Decimal(9, 2)}, []column.Column{column.NewFixed([]int32{100, 100})}, "AggregateFunction(sum, Decimal(9, 2))", "C8000000000000000000000000000000"},
		{"sumOrNullState", u64, two, "AggregateFunction(sumOrNull, UInt64)", "010000000000000001"},
		{"sumIfState", []*types.Type{types.UInt64, types.UInt8}, []column.Column{numbers(2), column.NewFixed([]uint8{1, 1})}, "AggregateFunction(sumIf, UInt64, UInt8)", "0100000000000000"},
	} {
		r, err := functions.NewRegistry(Set())
		must(t, err)
		b, err := r.BindAggregate(&functions.Env{}, c.name, nil, c.types)
		must(t, err)
		a := b.New()
		a.Grow(1)
		rows := 0
		if len(c.args) > 0 {
			rows = c.args[0].Len()
		}
		must(t, a.Add(nil, c.args, rows))
		if got := strings.ToUpper(hex.EncodeToString([]byte(result(t, a).(string)))); got != c.want || b.Result.String() != c.typ {
			t.Errorf("%s: %s of type %s, want %s of type %s", c.name, got, b.Result, c.want, c.typ)
		}
	}
}
