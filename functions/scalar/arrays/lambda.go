package arrays

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

// higher describes a function of a lambda and arrays. Many also stand without
// the lambda: then the one array is its own answer.
type higher struct {
	name    string
	summary string
	example string
	// needLambda: the lambda cannot be left out.
	needLambda bool
	// condition: the lambda answers UInt8.
	condition bool
	// bind gives the result type and the kernel for the types of the first
	// array's elements and of the lambda's answers.
	bind func(env *functions.Env, elem, answer *types.Type) (*types.Type, higherKernel, error)
}

// applied is the arrays with the lambda's answers, one for each element.
type applied struct {
	offsets []uint64
	elems   column.Column // of the first array
	answers column.Column // full, as long as elems
	rows    int
}

func (a *applied) bounds(i int) (from, to int) { return int(a.offsets[i]), int(a.offsets[i+1]) }

type higherKernel func(ctx context.Context, a *applied) (column.Column, error)

func addHigher(h higher) bool {
	minArgs := 1
	if h.needLambda {
		minArgs = 2
	}
	return add(functions.Scalar{
		Name: h.name, MinArgs: minArgs, MaxArgs: -1, KeepNulls: true, KeepLowCardinality: true,
		LambdaParams: elementParams(h.name, 1),
		Doc:          functions.Doc{Syntax: h.name + "(x -> …, arr, …)", Summary: h.summary, Examples: []string{"SELECT " + h.example}},
		Bind:         h.bindCall,
	})
}

// elementParams gives a lambda's parameters: the elements of the arrays from
// argument first on.
func elementParams(name string, first int) func(args []functions.Arg, i int) ([]*types.Type, error) {
	return func(args []functions.Arg, i int) ([]*types.Type, error) {
		if i != 0 {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Function %s takes a lambda only as its first argument", name)
		}
		var out []*types.Type
		for k := first; k < len(args); k++ {
			t := args[k].Type
			switch {
			case t != nil && t.Kind() == types.KindMap:
				t = types.Array(types.Tuple(t.Elems(), nil))
			case t == nil || t.Kind() != types.KindArray:
				return nil, cherr.New(cherr.IllegalTypeOfArgument, "Argument %d of function %s must be array. Found %v instead", k+1, name, t)
			}
			if args[0].Arity == 1 && len(args) == first+1 || args[0].Arity == len(args)-first || t.Elem().Kind() != types.KindTuple {
				out = append(out, t.Elem())
				continue
			}
			out = append(out, t.Elem().Elems()...) // a lambda may take a tuple apart
		}
		if len(out) != args[0].Arity {
			return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Function %s needs a lambda of %d arguments, got one of %d", name, len(args)-first, args[0].Arity)
		}
		return out, nil
	}
}

func (h *higher) bindCall(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	withLambda := args[0].Lambda != nil
	arrays := args
	if withLambda {
		arrays = args[1:]
	} else if h.needLambda || len(args) > 1 {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "First argument for function %s must be a function", h.name)
	}
	if len(arrays) == 0 {
		return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Function %s needs at least one array argument", h.name)
	}
	for i, a := range arrays {
		if a.Type.Kind() != types.KindArray {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Argument %d of function %s must be array. Found %s instead", len(args)-len(arrays)+i+1, h.name, a.Type)
		}
	}
	elem := arrays[0].Type.Elem()
	answer := elem
	if withLambda {
		answer = args[0].Lambda.Type()
	}
	a := types.Unwrap(answer).Kind()
	if h.condition && a != types.KindUInt8 && a != types.KindBool && (a != types.KindNothing || !withLambda) {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Unexpected type of filter: function %s needs UInt8, got %s", h.name, answer)
	}
	result, k, err := h.bind(env, elem, answer)
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: result, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		a, err := apply(ctx, h.name, args, rows)
		if err != nil {
			return nil, err
		}
		return k(ctx, a)
	}}, nil
}

// apply evaluates the lambda, if there is one, for all elements of a block at once.
func apply(ctx context.Context, name string, args []column.Column, rows int) (*applied, error) {
	closure, withLambda := args[0].(*expr.Closure)
	if !withLambda {
		a := column.Full(args[0]).(*column.Array).Compact()
		return &applied{a.Offsets, a.Elems, a.Elems, rows}, nil
	}
	arrs := make([]*column.Array, len(args)-1)
	for k, c := range args[1:] {
		arrs[k] = column.Full(c).(*column.Array).Compact()
		for i := range rows {
			if arrs[k].Offsets[i+1] != arrs[0].Offsets[i+1] {
				return nil, cherr.New(cherr.SizesOfArraysDontMatch, "Arrays passed to function %s must have equal size", name)
			}
		}
	}
	n := arrs[0].Elems.Len()
	var params []column.Column
	for _, a := range arrs {
		params = append(params, a.Elems)
	}
	if len(params) != len(closure.Lambda.Params) {
		params = nil
		for _, a := range arrs {
			if t, ok := a.Elems.(*column.Tuple); ok {
				params = append(params, t.Elems...)
			} else {
				params = append(params, a.Elems)
			}
		}
	}
	answers, err := closure.Apply(ctx, params, n, rowOf(closure, arrs[0].Offsets, n))
	if err != nil {
		return nil, err
	}
	return &applied{arrs[0].Offsets, arrs[0].Elems, column.Full(answers), rows}, nil
}

// rowOf gives the row of each element, nil when the lambda captures nothing.
func rowOf(closure *expr.Closure, offsets []uint64, n int) []uint32 {
	if len(closure.Captured) == 0 {
		return nil
	}
	rows := make([]uint32, n)
	for i := range len(offsets) - 1 {
		for e := offsets[i]; e < offsets[i+1]; e++ {
			rows[e] = uint32(i)
		}
	}
	return rows
}

// truths reads answers as conditions: NULL is false.
func truths(c column.Column) []uint8 {
	values, null := column.SplitNulls(c)
	v, ok := values.(*column.Fixed[uint8])
	if !ok { // Nothing
		return make([]uint8, c.Len())
	}
	if null == nil {
		return v.Values
	}
	out := make([]uint8, len(null))
	for i, n := range null {
		if n == 0 {
			out[i] = v.Values[i]
		}
	}
	return out
}

// wrapped gives the elements as rows of arrays with the offsets of a.
func (a *applied) wrapped(elems column.Column) column.Column {
	return &column.Array{Offsets: a.offsets, Elems: elems}
}
