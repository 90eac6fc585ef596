package logic

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Scalar{
	Name: "and", CaseInsensitive: true, MinArgs: 0, MaxArgs: -1, KeepNulls: true,
	Doc:  functions.Doc{Syntax: "and(a, b, …)", Summary: "1 when no operand is 0; NULL when one is NULL and none is 0; also a AND b.", Examples: []string{"SELECT 1 AND NULL"}},
	Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) { return bind("and", 0, args) },
})

var _ = add(functions.Scalar{
	Name: "or", CaseInsensitive: true, MinArgs: 0, MaxArgs: -1, KeepNulls: true,
	Doc:  functions.Doc{Syntax: "or(a, b, …)", Summary: "1 when an operand is not 0; NULL when one is NULL and all others are 0; also a OR b.", Examples: []string{"SELECT 0 OR NULL"}},
	Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) { return bind("or", 1, args) },
})

// bind binds and (decisive 0) and or (decisive 1): an operand of the decisive
// value settles a row.
func bind(name string, decisive uint8, args []functions.Arg) (*expr.Function, error) {
	if len(args) < 2 {
		return nil, cherr.New(cherr.TooFewArgumentsForFunction, `Number of arguments for function "%s" should be at least 2: passed %d`, name, len(args))
	}
	result, err := resultOf(name, args)
	if err != nil {
		return nil, err
	}
	nullable := result.IsNullable()
	k := &chain{decisive: decisive, nullable: nullable}
	return &expr.Function{Name: name, Result: result, Lazy: k.lazy}, nil
}

// resultOf: Bool when an operand is Bool, Nullable when one is.
func resultOf(name string, args []functions.Arg) (*types.Type, error) {
	nullable, anyBool := false, false
	for i, a := range args {
		t := types.Unwrap(a.Type)
		nullable = nullable || a.Type.IsNullable()
		if t.Kind() == types.KindNothing {
			continue
		}
		if !t.IsNativeNumber() || t.Bytes() > 8 {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type (%s) of %d argument of function %s", a.Type, i+1, name)
		}
		anyBool = anyBool || t.Kind() == types.KindBool
	}
	result := types.UInt8
	if anyBool {
		result = types.Bool
	}
	if nullable {
		result = types.Nullable(result)
	}
	return result, nil
}

// chain evaluates operands one after the other.
type chain struct {
	decisive uint8
	nullable bool
}

func (k *chain) lazy(ctx context.Context, args []expr.Expr, b *column.Block) (column.Column, error) {
	out := make([]uint8, b.Rows) // the answers so far
	var null []uint8
	open := 1 - k.decisive
	for i := range out {
		out[i] = open
	}
	rows, narrowed := []uint32(nil), false // the undecided rows when narrowed
	for i, a := range args {
		sub := b
		if narrowed {
			sub = gatherFor(b, rows, a)
		}
		if sub.Rows == 0 && i > 0 {
			break
		}
		c, err := a.Eval(ctx, sub)
		if err != nil {
			return nil, err
		}
		null = k.join(out, null, c, rows, narrowed, b.Rows)
		if i == len(args)-1 {
			break
		}
		// Narrowing copies the block: it is worth it only when many rows are
		// settled, and it is needed where the next operand may fail for them.
		left := undecided(out, open)
		if len(left) < sub.Rows && (len(left)*2 < b.Rows || canFail(args[i+1])) {
			rows, narrowed = left, true
		}
	}
	values := column.NewFixed(out)
	if k.nullable {
		return column.NewNullable(values, null), nil
	}
	return values, nil
}

// gatherFor gathers only the columns that an operand reads.
func gatherFor(b *column.Block, rows []uint32, e expr.Expr) *column.Block {
	out := &column.Block{Columns: make([]column.Column, len(b.Columns)), Rows: len(rows)}
	for _, i := range expr.Columns(e) {
		out.Columns[i] = b.Columns[i].Gather(rows)
	}
	return out
}

// undecided gives the rows that no operand has settled.
func undecided(out []uint8, open uint8) []uint32 {
	rows := make([]uint32, 0, len(out))
	for i, v := range out {
		if v == open {
			rows = append(rows, uint32(i))
		}
	}
	return rows
}

// canFail tells whether an operand is more than comparisons of columns and
// constants, which never fail and cost less than copying rows.
func canFail(e expr.Expr) bool {
	fails := false
	expr.Walk(e, func(x expr.Expr) {
		if c, ok := x.(*expr.Call); ok && !cheap[c.Fn.Name] {
			fails = true
		}
	})
	return fails
}

var cheap = map[string]bool{
	"equals": true, "notEquals": true, "less": true, "greater": true, "lessOrEquals": true, "greaterOrEquals": true,
	"in": true, "notIn": true, "isNull": true, "isNotNull": true, "not": true, "and": true, "or": true, "plus": true, "minus": true,
}

// join brings one operand into the answers. In out 0 and 1 are answers, and a
// row that is NULL so far keeps the open value with its mark in null.
func (k *chain) join(out, null []uint8, c column.Column, rows []uint32, narrowed bool, total int) []uint8 {
	if n, ok := c.(*column.Const); ok {
		c = column.Full(column.NewConst(n.Value, n.N))
	}
	values, marks := column.SplitNulls(column.Full(c))
	truth, allNull := truthOf(values)
	n := c.Len()
	for i := range n {
		row := i
		if narrowed {
			row = int(rows[i])
		}
		switch {
		case allNull || marks != nil && marks[i] != 0:
			if out[row] != k.decisive {
				if null == nil {
					null = make([]uint8, total)
				}
				null[row] = 1
			}
		case (truth[i] != 0) == (k.decisive != 0):
			out[row] = k.decisive
			if null != nil {
				null[row] = 0
			}
		}
	}
	return null
}

// truthOf gives the truth of numbers; allNull for values of type Nothing.
func truthOf(values column.Column) (truth []uint8, allNull bool) {
	switch v := values.(type) {
	case *column.Nothing:
		return nil, true
	case *column.Fixed[uint8]:
		return v.Values, false
	}
	return cast.NonZero(values), false
}
