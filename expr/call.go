package expr

import (
	"context"
	"slices"
	"strings"

	"lakeserver/column"
	"lakeserver/types"
)

// Function is a scalar function bound to argument types. Its laws are
// ClickHouse's defaults unless it says otherwise: NULL in gives NULL out,
// constants are computed once, a dictionary's entries once each.
type Function struct {
	Name   string
	Result *types.Type // with Nullable and LowCardinality as they come out

	// Kernel computes rows values. An argument is full or Const, never Dict
	// (unless KeepForms) and never Nullable (unless KeepNulls). It returns a
	// column in any form; it must not write to its arguments.
	Kernel func(ctx context.Context, args []column.Column, rows int) (column.Column, error)

	// Lazy is set instead of Kernel by functions that do not evaluate all
	// their operands for all rows: if, multiIf, and, or, coalesce.
	Lazy func(ctx context.Context, args []Expr, b *column.Block) (column.Column, error)

	KeepNulls bool // the kernel handles Nullable arguments itself
	KeepForms bool // the kernel handles Const and Dict itself (identity, materialize, toTypeName)
	Volatile  bool // not the same for the same arguments (rand), or has a side effect (sleep, throwIf)

	// Monotonic, if set, tells pruning that the function keeps the order of
	// its only varying argument over the whole domain of its type: 1 keeps,
	// -1 reverses, 0 neither.
	Monotonic int

	// Detail tells functions of one name apart that hold constants of their own
	// (the set of IN); it is part of what Call.String prints.
	Detail string

	// Set is the right side of in and notIn and their like, for pruning; nil
	// for all other functions.
	Set *Set
}

// Call applies a function.
type Call struct {
	Fn   *Function
	Args []Expr
}

// Type gives the function's result type.
func (e *Call) Type() *types.Type { return e.Fn.Result }

// Children gives the arguments.
func (e *Call) Children() []Expr { return e.Args }

// WithChildren applies the function to others.
func (e *Call) WithChildren(children []Expr) Expr { return &Call{e.Fn, children} }

// String prints the call.
func (e *Call) String() string {
	var b strings.Builder
	b.WriteString(e.Fn.Name)
	if e.Fn.Detail != "" {
		b.WriteString("[" + e.Fn.Detail + "]")
	}
	b.WriteByte('(')
	for i, a := range e.Args {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(a.String())
	}
	b.WriteByte(')')
	return b.String()
}

// Eval evaluates the arguments and applies the function under its laws. The
// result counts against the query's memory.
func (e *Call) Eval(ctx context.Context, b *column.Block) (column.Column, error) {
	c, err := e.eval(ctx, b)
	if err != nil {
		return nil, err
	}
	return c, charge(ctx, c)
}

func (e *Call) eval(ctx context.Context, b *column.Block) (column.Column, error) {
	if e.Fn.Lazy != nil {
		return e.Fn.Lazy(ctx, e.Args, b)
	}
	args := make([]column.Column, len(e.Args))
	for i, a := range e.Args {
		var err error
		if args[i], err = a.Eval(ctx, b); err != nil {
			return nil, err
		}
	}
	return e.Fn.Apply(ctx, args, b.Rows)
}

// Apply runs the kernel on columns of rows rows, in any form, under the laws.
func (f *Function) Apply(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
	if f.KeepForms {
		return f.applyNulls(ctx, args, rows)
	}
	dict, constant := -1, len(args) > 0
	dicts := 0
	for i, a := range args {
		switch a.(type) {
		case *column.Const:
		case *column.Dict:
			dict, constant = i, false
			dicts++
		default:
			constant = false
			dicts += 2
		}
	}
	switch {
	case constant && !f.Volatile && rows > 0:
		out, err := f.applyNulls(ctx, resized(args, 1), 1)
		if err != nil {
			return nil, err
		}
		return column.NewConst(out, rows), nil
	case dicts == 1 && !f.Volatile:
		d := args[dict].(*column.Dict)
		if n := d.Values.Len(); n <= rows {
			return f.applyDict(ctx, args, dict, n)
		}
	}
	full := make([]column.Column, len(args))
	for i, a := range args {
		full[i] = a
		if _, ok := a.(*column.Dict); ok {
			full[i] = column.Full(a)
		}
	}
	if part := partRows(full, rows); part < rows && !f.Volatile {
		return f.applyParts(ctx, full, rows, part)
	}
	return f.applyNulls(ctx, full, rows)
}

// maxSpelled is how many bytes the constants of a call may be when a kernel
// spells them out, a copy a row.
const maxSpelled = 256 << 20

// partRows gives how many rows at a time keep to maxSpelled.
func partRows(args []column.Column, rows int) int {
	var each int64
	for _, a := range args {
		if c, ok := a.(*column.Const); ok {
			each += c.Value.Size()
		}
	}
	if each*int64(rows) <= maxSpelled {
		return rows
	}
	return int(max(maxSpelled/each, 1))
}

// applyParts computes a block with huge constants a few rows at a time: what
// does not fit into memory together may well do so one after the other, and
// what comes out is counted before there is too much of it.
func (f *Function) applyParts(ctx context.Context, args []column.Column, rows, part int) (column.Column, error) {
	ctx, scope := Within(ctx)
	defer scope.Free()
	var parts []column.Column
	for from := 0; from < rows; from += part {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		to := min(from+part, rows)
		some := make([]column.Column, len(args))
		for i, a := range args {
			some[i] = a.Slice(from, to)
		}
		c, err := f.applyNulls(ctx, some, to-from)
		if err != nil {
			return nil, err
		}
		if err := charge(ctx, c); err != nil {
			return nil, err
		}
		parts = append(parts, c)
	}
	return column.Concat(f.Result, parts), nil
}

// applyDict computes once per entry. An entry that no row uses may raise an
// error that no row would: then the rows themselves are computed.
func (f *Function) applyDict(ctx context.Context, args []column.Column, dict, entries int) (column.Column, error) {
	d := args[dict].(*column.Dict)
	over := resized(args, entries)
	over[dict] = d.Values
	out, err := f.applyNulls(ctx, over, entries)
	if err != nil {
		rows := append([]column.Column(nil), args...)
		rows[dict] = column.Full(d)
		return f.applyNulls(ctx, rows, len(d.Codes))
	}
	switch out := out.(type) {
	case *column.Const:
		return column.NewConst(out.Value, len(d.Codes)), nil
	case *column.Dict:
		return &column.Dict{Codes: recode(d.Codes, out.Codes), Values: out.Values}, nil
	}
	return &column.Dict{Codes: d.Codes, Values: out}, nil
}

func recode(codes, by []uint32) []uint32 {
	out := make([]uint32, len(codes))
	for i, c := range codes {
		out[i] = by[c]
	}
	return out
}

// resized gives constants the length n and leaves the others.
func resized(args []column.Column, n int) []column.Column {
	out := make([]column.Column, len(args))
	for i, a := range args {
		out[i] = a
		if c, ok := a.(*column.Const); ok {
			out[i] = &column.Const{Value: c.Value, N: n}
		}
	}
	return out
}

// applyNulls strips Nullable from the arguments, runs the kernel on the values
// and marks the rows where any argument is NULL.
func (f *Function) applyNulls(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
	if t := types.Unwrap(f.Result); t.Kind() == types.KindFixedString {
		if err := Room(ctx, int64(t.Length())*int64(rows)); err != nil {
			return nil, err
		}
	}
	if f.KeepNulls {
		return f.Kernel(ctx, args, rows)
	}
	var null []uint8
	plain, seen := args, false
	for i, a := range args {
		values, n, nullable, allNull := stripNulls(a)
		if allNull {
			return allNulls(f.Result, rows), nil
		}
		if !nullable {
			continue
		}
		if !seen {
			plain, seen = append([]column.Column(nil), args...), true
		}
		plain[i] = values
		null = column.OrNulls(null, n)
	}
	out, err := f.Kernel(ctx, plain, rows)
	if err != nil && slices.Contains(null, 1) && f.Result.IsNullable() && !f.Volatile {
		return f.applyPresent(ctx, plain, null)
	}
	if err != nil || !seen || !f.Result.IsNullable() {
		// An array cannot be NULL: it is what the default under the NULL gives.
		return out, err
	}
	if c, ok := out.(*column.Const); ok && null == nil {
		v, n := column.SplitNulls(c.Value)
		return &column.Const{Value: column.NewNullable(v, n), N: c.N}, nil
	}
	return column.NewNullable(column.Full(out), null), nil
}

// applyPresent computes only the rows without a NULL: what stands beneath one
// may be no argument that the kernel can take.
func (f *Function) applyPresent(ctx context.Context, args []column.Column, null []uint8) (column.Column, error) {
	present, place := []uint32{}, make([]uint32, len(null))
	for i, n := range null {
		if n == 0 {
			place[i] = uint32(len(present)) + 1
			present = append(present, uint32(i))
		}
	}
	some := make([]column.Column, len(args))
	for i, a := range args {
		some[i] = a.Gather(present)
	}
	out, err := f.Kernel(ctx, some, len(present))
	if err != nil {
		return nil, err
	}
	inner := types.WithoutNullable(f.Result)
	values, more := column.SplitNulls(column.Full(out))
	all := column.Full(column.Concat(inner, []column.Column{column.Default(inner, 1), values}))
	merged := append([]uint8(nil), null...)
	for i, p := range place {
		if p > 0 && more != nil && more[p-1] != 0 {
			merged[i] = 1
		}
	}
	return column.NewNullable(all.Gather(place), merged), nil
}

// stripNulls takes an argument apart; allNull says that it is NULL in every row.
func stripNulls(a column.Column) (values column.Column, null []uint8, nullable, allNull bool) {
	switch c := a.(type) {
	case *column.Nullable:
		if _, ok := c.Values.(*column.Nothing); ok && c.Len() > 0 {
			return nil, nil, true, true
		}
		return c.Values, c.Null, true, false
	case *column.Const:
		if n, ok := c.Value.(*column.Nullable); ok {
			if n.IsNull(0) {
				return nil, nil, true, true
			}
			return &column.Const{Value: n.Values, N: c.N}, nil, true, false
		}
	}
	return a, nil, false, false
}

func allNulls(t *types.Type, rows int) column.Column {
	return column.NewConst(column.Default(t, 1), rows)
}
