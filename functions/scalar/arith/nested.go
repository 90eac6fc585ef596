package arith

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

// bindNested binds an operator over tuples and arrays element by element; nil
// when neither operand is one.
func bindNested(env *functions.Env, name string, args []functions.Arg) (*expr.Function, error) {
	a, b := args[0].Type, args[1].Type
	ta, tb := a.Kind() == types.KindTuple, b.Kind() == types.KindTuple
	aa, ab := a.Kind() == types.KindArray, b.Kind() == types.KindArray
	switch {
	case ta && tb && name == "multiply":
		return env.Registry.BindScalar(env, "dotProduct", args)
	case ta && tb:
		return elementwise(env, name, args)
	case ta && b.IsNumber() && name != "plus" && name != "minus", tb && a.IsNumber() && name == "multiply":
		return elementwise(env, name, args)
	case aa && ab && (name == "plus" || name == "minus"), (aa && b.IsNumber() || ab && a.IsNumber()) && (name == "multiply" || name == "divide"):
		return arrayElements(env, name, args)
	case ta || tb || aa || ab:
		return nil, illegal(name, args...)
	}
	return nil, nil
}

// elementwise applies an operator to the elements of tuples; a number goes
// with each element of the other side's tuple.
func elementwise(env *functions.Env, name string, args []functions.Arg) (*expr.Function, error) {
	n := 0
	for _, a := range args {
		if a.Type.Kind() != types.KindTuple {
			continue
		}
		if n > 0 && len(a.Type.Elems()) != n {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal types of arguments of function %s: tuples of different sizes", name)
		}
		n = len(a.Type.Elems())
	}
	steps := make([]*expr.Function, n)
	results := make([]*types.Type, n)
	for i := range steps {
		inner := make([]functions.Arg, len(args))
		for j, a := range args {
			inner[j] = functions.Arg{Type: a.Type}
			if a.Type.Kind() == types.KindTuple {
				inner[j].Type = a.Type.Elems()[i]
			}
		}
		f, err := env.Registry.BindScalar(env, name, inner)
		if err != nil {
			return nil, err
		}
		steps[i], results[i] = f, f.Result
	}
	return &expr.Function{Result: types.Tuple(results, nil), Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		out := &column.Tuple{N: rows}
		for i, s := range steps {
			inner := make([]column.Column, len(args))
			for j, a := range args {
				inner[j] = column.Full(a)
				if t, ok := inner[j].(*column.Tuple); ok {
					inner[j] = t.Elems[i]
				}
			}
			c, err := s.Apply(ctx, inner, rows)
			if err != nil {
				return nil, err
			}
			out.Elems = append(out.Elems, column.Full(c))
		}
		return out, nil
	}}, nil
}

// arrayElements applies an operator to elements at the same places of arrays of one
// length; a number goes with each element of the other side's array.
func arrayElements(env *functions.Env, name string, args []functions.Arg) (*expr.Function, error) {
	inner := make([]functions.Arg, len(args))
	for i, a := range args {
		inner[i] = functions.Arg{Type: a.Type}
		if a.Type.Kind() == types.KindArray {
			inner[i].Type = a.Type.Elem()
		}
	}
	f, err := env.Registry.BindScalar(env, name, inner)
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: types.Array(f.Result), Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		var offsets []uint64
		for _, a := range args {
			a, ok := column.Full(a).(*column.Array)
			if !ok {
				continue
			}
			a = a.Compact()
			for i := range offsets {
				if offsets[i] != a.Offsets[i] {
					return nil, cherr.New(cherr.SizesOfArraysDontMatch, "Cannot %s arrays of different sizes", name)
				}
			}
			offsets = a.Offsets
		}
		elems := make([]column.Column, len(args))
		for i, a := range args {
			if x, ok := column.Full(a).(*column.Array); ok {
				elems[i] = x.Compact().Elems
				continue
			}
			rowsOf := make([]uint32, 0, offsets[rows])
			for row := range rows {
				for range offsets[row+1] - offsets[row] {
					rowsOf = append(rowsOf, uint32(row))
				}
			}
			elems[i] = a.Gather(rowsOf)
		}
		out, err := f.Apply(ctx, elems, int(offsets[rows]))
		if err != nil {
			return nil, err
		}
		return &column.Array{Offsets: offsets, Elems: column.Full(out)}, nil
	}}, nil
}

// tupleFunctions are operators over tuples by names of their own.
var tupleFunctions = [...]struct{ name, op, aliases, summary, example string }{
	{"tuplePlus", "plus", "vectorSum", "The sums of the elements of two tuples.", "SELECT tuplePlus((1, 2), (3, 4))"},
	{"tupleMinus", "minus", "vectorDifference", "The differences of the elements of two tuples.", "SELECT tupleMinus((1, 2), (3, 4))"},
	{"tupleMultiply", "multiply", "", "The products of the elements of two tuples.", "SELECT tupleMultiply((1, 2), (3, 4))"},
	{"tupleDivide", "divide", "", "The quotients of the elements of two tuples.", "SELECT tupleDivide((1, 2), (3, 4))"},
	{"tupleModulo", "modulo", "", "The remainders of the elements of two tuples.", "SELECT tupleModulo((5, 6), (3, 4))"},
	{"tupleIntDiv", "intDiv", "", "The integer quotients of the elements of two tuples.", "SELECT tupleIntDiv((5, 6), (3, 4))"},
	{"tupleIntDivOrZero", "intDivOrZero", "", "The integer quotients of the elements of two tuples, 0 for a divisor of 0.", "SELECT tupleIntDivOrZero((5, 6), (3, 0))"},
	{"tupleMultiplyByNumber", "multiply", "", "The elements of a tuple times a number.", "SELECT tupleMultiplyByNumber((1, 2), 3)"},
	{"tupleDivideByNumber", "divide", "", "The elements of a tuple divided by a number.", "SELECT tupleDivideByNumber((1, 2), 2)"},
	{"tupleModuloByNumber", "modulo", "", "The remainders of the elements of a tuple by a number.", "SELECT tupleModuloByNumber((5, 6), 4)"},
	{"tupleIntDivByNumber", "intDiv", "", "The integer quotients of the elements of a tuple by a number.", "SELECT tupleIntDivByNumber((5, 6), 4)"},
	{"tupleIntDivOrZeroByNumber", "intDivOrZero", "", "The integer quotients of the elements of a tuple by a number, 0 for 0.", "SELECT tupleIntDivOrZeroByNumber((5, 6), 0)"},
}

var _ = addTupleFunctions()

func addTupleFunctions() struct{} {
	for _, f := range tupleFunctions {
		var aliases []string
		if f.aliases != "" {
			aliases = []string{f.aliases}
		}
		add(functions.Scalar{
			Name: f.name, Aliases: aliases, MinArgs: 2, MaxArgs: 2,
			Doc: functions.Doc{Syntax: f.name + "(tuple, tuple or number)", Summary: f.summary, Examples: []string{f.example}},
			Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
				if args[0].Type.Kind() != types.KindTuple {
					return nil, illegal(f.name, args[0])
				}
				return elementwise(env, f.op, args)
			},
		})
	}
	add(functions.Scalar{
		Name: "tupleNegate", MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: "tupleNegate(tuple)", Summary: "The negated elements of a tuple.", Examples: []string{"SELECT tupleNegate((1, 2))"}},
		Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
			if args[0].Type.Kind() != types.KindTuple {
				return nil, illegal("tupleNegate", args[0])
			}
			return elementwise(env, "negate", args)
		},
	})
	return struct{}{}
}
