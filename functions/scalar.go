package functions

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/types"
)

// Scalar describes a scalar function.
type Scalar struct {
	Name            string
	Aliases         []string
	CaseInsensitive bool // also for the aliases
	// AnyCase are further aliases that are found in any case although the name
	// itself is not (FROM_BASE64 of base64Decode).
	AnyCase []string
	Doc     Doc

	// MinArgs and MaxArgs bound the number of arguments; MaxArgs -1 is no
	// bound. The registry answers NUMBER_OF_ARGUMENTS_DOESNT_MATCH.
	MinArgs, MaxArgs int

	// LambdaParams is set by higher-order functions: it gives the types of the
	// parameters of the lambda at position i, from the types of the other
	// arguments (a lambda's own Arg has Type nil there and Arity set).
	LambdaParams func(args []Arg, i int) ([]*types.Type, error)

	// Bind chooses the kernel. Unless KeepNulls, no argument's type is
	// Nullable and Result is without it; unless KeepLowCardinality, none is
	// LowCardinality. The registry puts both back around the result.
	Bind func(env *Env, args []Arg) (*expr.Function, error)

	KeepNulls          bool // Bind and kernel see Nullable types and columns
	KeepVariants       bool // Bind and kernel see Variant and Dynamic; else each of their types is bound apart
	KeepLowCardinality bool // Bind sees LowCardinality types; the result's type is left as it is
	// NoNothing: a NULL literal among the arguments does not make the result
	// NULL at once (only together with KeepNulls does it matter).
}

// Arg is one argument at binding time.
type Arg struct {
	Type  *types.Type
	Const column.Column // one full row when the argument is constant, else nil
	Arity int           // parameters of a lambda, 0 for others
	// Lambda is the bound lambda when Arity > 0 and Bind is called.
	Lambda *expr.Lambda
}

// ConstString gives a constant string argument.
func (a Arg) ConstString() (string, bool) {
	if a.Const == nil {
		return "", false
	}
	s, ok := column.At(a.Const, 0).(string)
	return s, ok
}

// ConstInt gives a constant integer argument of any width up to 64 bits.
func (a Arg) ConstInt() (int64, bool) {
	if a.Const == nil {
		return 0, false
	}
	switch v := column.At(a.Const, 0).(type) {
	case uint8:
		return int64(v), true
	case uint16:
		return int64(v), true
	case uint32:
		return int64(v), true
	case uint64:
		return int64(v), true
	case int8:
		return int64(v), true
	case int16:
		return int64(v), true
	case int32:
		return int64(v), true
	case int64:
		return v, true
	}
	return 0, false
}

// bind applies the laws around Scalar.Bind.
func (s *Scalar) bind(env *Env, args []Arg) (*expr.Function, error) {
	if len(args) < s.MinArgs || s.MaxArgs >= 0 && len(args) > s.MaxArgs {
		return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch,
			"Number of arguments for function %s doesn't match: passed %d, should be %s", s.Name, len(args), s.arity())
	}
	if at := variantArg(args); at >= 0 && !s.KeepVariants {
		return s.bindVariant(env, args, at)
	}
	plain := append([]Arg(nil), args...)
	nullable, onlyNull := false, false
	lowCards, others := 0, 0
	for i := range plain {
		t := plain[i].Type
		if t.Kind() == types.KindLowCardinality {
			lowCards++
			if !s.KeepLowCardinality {
				t = types.WithoutLowCardinality(t)
			}
		} else if plain[i].Const == nil {
			others++
		}
		if !s.KeepNulls && t.IsNullable() && t.Kind() != types.KindVariant && t.Kind() != types.KindDynamic {
			nullable = true
			t = types.WithoutNullable(t)
			onlyNull = onlyNull || t.Kind() == types.KindNothing
			if plain[i].Const != nil {
				plain[i].Const, _ = column.SplitNulls(plain[i].Const)
			}
		}
		plain[i].Type = t
	}
	if onlyNull {
		return nullFunction(s.Name), nil
	}
	if !s.KeepNulls {
		for _, a := range plain {
			if a.Type.Kind() == types.KindNothing {
				return nothingFunction(s.Name), nil
			}
		}
	}
	f, err := s.Bind(env, plain)
	if err != nil {
		return nil, cherr.Wrap(err, "binding function %s", s.Name)
	}
	if f.Name == "" {
		f.Name = s.Name
	}
	f.KeepNulls = f.KeepNulls || s.KeepNulls
	if nullable && f.Result.CanBeNullable() {
		f.Result = types.Nullable(f.Result)
	}
	if !s.KeepLowCardinality && lowCards > 0 && others == 0 && canBeLowCardinality(f.Result) {
		f.Result = types.LowCardinality(f.Result)
	}
	return f, nil
}

// canBeLowCardinality: ClickHouse keeps the wrapper only around these results.
func canBeLowCardinality(t *types.Type) bool {
	switch types.WithoutNullable(t).Kind() {
	case types.KindString, types.KindFixedString, types.KindDate, types.KindDateTime, types.KindUUID, types.KindIPv4, types.KindIPv6:
		return true
	}
	return types.WithoutNullable(t).IsInteger() || types.WithoutNullable(t).IsFloat()
}

// nothingFunction is any function of an element of an empty array literal:
// there are no rows to compute it for.
func nothingFunction(name string) *expr.Function {
	return &expr.Function{Name: name, Result: types.Nothing, KeepNulls: true, Kernel: func(_ context.Context, _ []column.Column, rows int) (column.Column, error) {
		return &column.Nothing{N: rows}, nil
	}}
}

func nullFunction(name string) *expr.Function {
	return &expr.Function{Name: name, Result: types.NullableNothing, KeepNulls: true, Kernel: nullKernel}
}
