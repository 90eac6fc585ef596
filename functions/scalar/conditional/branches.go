package conditional

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

// branch converts one operand to the common type.
type branch struct {
	from, to *types.Type
	convert  cast.Func // nil when the types are one
}

func newBranches(env *functions.Env, ts []*types.Type, result *types.Type) ([]branch, error) {
	out := make([]branch, len(ts))
	for i, t := range ts {
		out[i] = branch{from: t, to: result}
		if t.Equal(result) {
			continue
		}
		f, err := cast.Bind(t, result, &cast.Options{Zone: env.Zone, KeepText: true})
		if err != nil {
			return nil, err
		}
		out[i].convert = f
	}
	return out, nil
}

// unpadded takes a FixedString that becomes a String for one already.
func unpadded(t, result *types.Type) *types.Type {
	if types.WithoutNullable(t).Kind() != types.KindFixedString || types.WithoutNullable(result).Kind() != types.KindString {
		return t
	}
	if t.IsNullable() {
		return types.Nullable(types.String)
	}
	return types.String
}

func (b branch) eval(ctx context.Context, e expr.Expr, block *column.Block) (column.Column, error) {
	c, err := e.Eval(ctx, block)
	if err != nil || b.convert == nil {
		return c, err
	}
	return b.convert(c)
}

// conditionTruth gives 1 for the rows in which a condition holds; NULL does not.
func conditionTruth(c column.Column) []uint8 {
	values, null := column.SplitNulls(column.Full(c))
	out := make([]uint8, c.Len())
	if _, nothing := values.(*column.Nothing); nothing {
		return out
	}
	v, ok := values.(*column.Fixed[uint8])
	truth := []uint8(nil)
	if ok {
		truth = v.Values
	} else {
		truth = cast.NonZero(values)
	}
	for i, t := range truth {
		if t != 0 && (null == nil || null[i] == 0) {
			out[i] = 1
		}
	}
	return out
}

// constantTruth tells the answer of a condition that is the same in all rows.
func constantTruth(c column.Column) (holds, constant bool) {
	k, ok := c.(*column.Const)
	if !ok {
		return false, false
	}
	return conditionTruth(k.Value)[0] != 0, true
}

// part is the rows of one branch: values[i] belongs to row rows[i].
type part struct {
	rows   []uint32
	values column.Column
}

// assemble puts the parts, which cover all rows once, into one column.
func assemble(t *types.Type, parts []part, n int) column.Column {
	kept := parts[:0]
	for _, p := range parts {
		if len(p.rows) > 0 {
			kept = append(kept, p)
		}
	}
	if len(kept) == 1 && len(kept[0].rows) == n {
		return kept[0].values
	}
	cols := make([]column.Column, len(kept))
	place := make([]uint32, n)
	at := uint32(0)
	for i, p := range kept {
		// A column that stands for one value needs one place.
		if k, ok := p.values.(*column.Const); ok {
			cols[i] = k.Value
			for _, r := range p.rows {
				place[r] = at
			}
			at++
			continue
		}
		cols[i] = p.values
		for j, r := range p.rows {
			place[r] = at + uint32(j)
		}
		at += uint32(len(p.rows))
	}
	if len(cols) == 0 {
		return column.Default(t, n)
	}
	return column.Full(column.Concat(t, fullAll(cols))).Gather(place)
}

func fullAll(cols []column.Column) []column.Column {
	for i, c := range cols {
		cols[i] = column.Full(c)
	}
	return cols
}

// cases evaluates conditions in turn and each branch for the rows that take it.
type cases struct {
	result   *types.Type
	branches []branch // one a condition, then the else
}

// eval: args are condition, value, condition, value, … , else.
func (k *cases) eval(ctx context.Context, args []expr.Expr, b *column.Block) (column.Column, error) {
	rows := allRows(b.Rows)
	sub := b
	var parts []part
	for i := 0; i+1 < len(args); i += 2 {
		if len(rows) == 0 && b.Rows > 0 {
			break
		}
		c, err := args[i].Eval(ctx, sub)
		if err != nil {
			return nil, err
		}
		var taken, left []uint32
		if holds, constant := constantTruth(c); constant {
			if taken, left = nil, rows; holds {
				taken, left = rows, nil
			}
		} else {
			taken, left = split(conditionTruth(c), rows)
		}
		if len(taken) > 0 {
			p, err := k.part(ctx, k.branches[i/2], args[i+1], b, taken)
			if err != nil {
				return nil, err
			}
			parts = append(parts, p)
		}
		rows = left
		if len(rows) < b.Rows && i+2 < len(args)-1 {
			sub = gatherFor(b, rows, args[i+2])
		}
	}
	if len(rows) > 0 {
		p, err := k.part(ctx, k.branches[len(k.branches)-1], args[len(args)-1], b, rows)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return assemble(k.result, parts, b.Rows), nil
}

// gatherFor gathers only the columns that an expression reads.
func gatherFor(b *column.Block, rows []uint32, es ...expr.Expr) *column.Block {
	out := &column.Block{Columns: make([]column.Column, len(b.Columns)), Rows: len(rows)}
	for _, e := range es {
		for _, i := range expr.Columns(e) {
			if out.Columns[i] == nil {
				out.Columns[i] = b.Columns[i].Gather(rows)
			}
		}
	}
	return out
}

// part evaluates one branch.
func (k *cases) part(ctx context.Context, br branch, e expr.Expr, b *column.Block, rows []uint32) (part, error) {
	sub := b
	if len(rows) < b.Rows {
		sub = gatherFor(b, rows, e)
	}
	v, err := br.eval(ctx, e, sub)
	return part{rows, v}, err
}

func allRows(n int) []uint32 {
	rows := make([]uint32, n)
	for i := range rows {
		rows[i] = uint32(i)
	}
	return rows
}

func split(truth []uint8, rows []uint32) (taken, left []uint32) {
	taken, left = make([]uint32, 0, len(rows)), make([]uint32, 0, len(rows))
	for i, t := range truth {
		if t != 0 {
			taken = append(taken, rows[i])
		} else {
			left = append(left, rows[i])
		}
	}
	return taken, left
}

// bindCases binds if, multiIf and CASE over conditions.
func bindCases(env *functions.Env, name string, args []functions.Arg) (*expr.Function, error) {
	var ts []*types.Type
	var values []functions.Arg
	for i, a := range args {
		if i%2 == 1 || i == len(args)-1 {
			ts = append(ts, types.WithoutLowCardinality(a.Type))
			values = append(values, functions.Arg{Type: ts[len(ts)-1], Const: a.Const})
			continue
		}
		if t := types.Unwrap(a.Type); t.Kind() != types.KindNothing && !t.IsInteger() && t.Kind() != types.KindBool {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of first argument (condition) of function %s. Must be UInt8", a.Type, name)
		}
	}
	result, err := functions.CommonTypeOf(env, values)
	if err != nil {
		return nil, err
	}
	if name == "if" { // it leaves the zero bytes of a FixedString where they are
		for i, t := range ts {
			ts[i] = unpadded(t, result)
		}
	}
	branches, err := newBranches(env, ts, result)
	if err != nil {
		return nil, err
	}
	k := &cases{result, branches}
	return &expr.Function{Name: name, Result: result, Lazy: k.eval}, nil
}
