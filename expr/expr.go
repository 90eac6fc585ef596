package expr

import (
	"context"
	"fmt"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// Expr is a bound expression over the columns of a block.
type Expr interface {
	// Type is the type of the values.
	Type() *types.Type
	// Eval gives a column of b.Rows rows, in any form.
	Eval(ctx context.Context, b *column.Block) (column.Column, error)
	// Children gives the operands; not to be written to.
	Children() []Expr
	// WithChildren gives the same node over other operands.
	WithChildren(children []Expr) Expr
	// String prints the expression; equal text over one header means equal expressions.
	String() string
}

// Column is a column of the block, by index.
type Column struct {
	Index int
	Name  string // for printing
	T     *types.Type
}

// Type gives the column's type.
func (e *Column) Type() *types.Type { return e.T }

// Eval hands out the block's column.
func (e *Column) Eval(_ context.Context, b *column.Block) (column.Column, error) {
	if e.Index >= len(b.Columns) {
		cherr.Bug("column %s has index %d in a block of %d columns", e.Name, e.Index, len(b.Columns))
	}
	return b.Columns[e.Index], nil
}

// Children is empty.
func (e *Column) Children() []Expr { return nil }

// WithChildren is the column itself.
func (e *Column) WithChildren([]Expr) Expr { return e }

// String tells columns of one name apart by their index.
func (e *Column) String() string { return fmt.Sprintf("%s#%d", e.Name, e.Index) }

// Literal is a constant.
type Literal struct {
	Value column.Column // one full row
	T     *types.Type
	Text  string // for printing; may be empty
}

// NewLiteral makes a constant of a boxed value whose form fits t.
func NewLiteral(t *types.Type, v column.Value) *Literal {
	return &Literal{Value: column.FromValue(t, v, 1).Value, T: t}
}

// Type gives the constant's type.
func (e *Literal) Type() *types.Type { return e.T }

// Eval repeats the constant.
func (e *Literal) Eval(_ context.Context, b *column.Block) (column.Column, error) {
	return column.NewConst(e.Value, b.Rows), nil
}

// Children is empty.
func (e *Literal) Children() []Expr { return nil }

// WithChildren is the literal itself.
func (e *Literal) WithChildren([]Expr) Expr { return e }

// String prints value and type.
func (e *Literal) String() string {
	if e.Text != "" {
		return e.Text
	}
	return fmt.Sprintf("%v::%s", column.At(e.Value, 0), e.T)
}

// Lambda is the argument of a higher-order function. Its body sees a block of
// the parameters followed by the captured columns.
type Lambda struct {
	Params   []column.Field
	Captures []Expr // over the outer block
	Body     Expr   // column i: parameter i; column len(Params)+k: capture k
}

// Type gives the type of the body.
func (e *Lambda) Type() *types.Type { return e.Body.Type() }

// Eval gives a Closure.
func (e *Lambda) Eval(ctx context.Context, b *column.Block) (column.Column, error) {
	c := &Closure{Lambda: e, Captured: make([]column.Column, len(e.Captures)), N: b.Rows}
	for i, x := range e.Captures {
		var err error
		if c.Captured[i], err = x.Eval(ctx, b); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Children gives the captured expressions: the body is over another block.
func (e *Lambda) Children() []Expr { return e.Captures }

// WithChildren captures other expressions.
func (e *Lambda) WithChildren(children []Expr) Expr {
	return &Lambda{Params: e.Params, Captures: children, Body: e.Body}
}

// String prints the lambda.
func (e *Lambda) String() string {
	var names []string
	for _, p := range e.Params {
		names = append(names, p.Name)
	}
	var caps []string
	for _, c := range e.Captures {
		caps = append(caps, c.String())
	}
	return "(" + strings.Join(names, ", ") + ") -> " + e.Body.String() + "[" + strings.Join(caps, ", ") + "]"
}

// Closure is a lambda with the columns that it captured: what the kernel of a
// higher-order function gets as argument. It poses as a column.
type Closure struct {
	Lambda   *Lambda
	Captured []column.Column
	N        int
}

// Len gives the rows of the captured columns.
func (c *Closure) Len() int { return c.N }

// Slice captures fewer rows.
func (c *Closure) Slice(from, to int) column.Column {
	out := &Closure{c.Lambda, make([]column.Column, len(c.Captured)), to - from}
	for i, x := range c.Captured {
		out.Captured[i] = x.Slice(from, to)
	}
	return out
}

// Gather captures the rows at the positions.
func (c *Closure) Gather(rows []uint32) column.Column {
	out := &Closure{c.Lambda, make([]column.Column, len(c.Captured)), len(rows)}
	for i, x := range c.Captured {
		out.Captured[i] = x.Gather(rows)
	}
	return out
}

// Size is nothing of its own.
func (c *Closure) Size() int64 { return 0 }

// Apply evaluates the body for n rows of parameters. rows tells which row of
// the captured columns goes with each (nil: row i with row i). Captured columns
// that would become too large, a copy for each row of parameters, are taken a
// part of the rows at a time.
func (c *Closure) Apply(ctx context.Context, params []column.Column, n int, rows []uint32) (column.Column, error) {
	part := n
	if rows != nil && n > 1 {
		var each int64
		for _, x := range c.Captured {
			each += column.LargestRow(x)
		}
		if each*int64(n) > maxSpelled {
			part = int(max(maxSpelled/each, 1))
		}
	}
	if part >= n {
		return c.apply(ctx, params, n, rows)
	}
	var parts []column.Column
	for from := 0; from < n; from += part {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		to := min(from+part, n)
		some := make([]column.Column, len(params))
		for i, p := range params {
			some[i] = p.Slice(from, to)
		}
		out, err := c.apply(ctx, some, to-from, rows[from:to])
		if err != nil {
			return nil, err
		}
		if err := charge(ctx, out); err != nil {
			return nil, err
		}
		parts = append(parts, column.Full(out))
	}
	return column.Concat(c.Lambda.Body.Type(), parts), nil
}

func (c *Closure) apply(ctx context.Context, params []column.Column, n int, rows []uint32) (column.Column, error) {
	b := &column.Block{Columns: make([]column.Column, 0, len(params)+len(c.Captured)), Rows: n}
	b.Columns = append(b.Columns, params...)
	for _, x := range c.Captured {
		if rows != nil {
			x = x.Gather(rows)
		}
		b.Columns = append(b.Columns, x)
	}
	return c.Lambda.Body.Eval(ctx, b)
}

// Walk calls f for e and everything below it (lambda bodies are not below).
func Walk(e Expr, f func(Expr)) {
	f(e)
	for _, c := range e.Children() {
		Walk(c, f)
	}
}

// Rewrite rebuilds e from its leaves up; f gives what stands in for a node.
func Rewrite(e Expr, f func(Expr) Expr) Expr {
	children := e.Children()
	var changed []Expr
	for i, c := range children {
		if r := Rewrite(c, f); r != c {
			if changed == nil {
				changed = append([]Expr(nil), children...)
			}
			changed[i] = r
		}
	}
	if changed != nil {
		e = e.WithChildren(changed)
	}
	return f(e)
}

// Columns gives the distinct column indexes that e reads, in order of first use.
func Columns(e Expr) []int {
	var out []int
	seen := map[int]bool{}
	Walk(e, func(x Expr) {
		if c, ok := x.(*Column); ok && !seen[c.Index] {
			seen[c.Index] = true
			out = append(out, c.Index)
		}
	})
	return out
}

// Remap gives e with every column index i replaced by to[i].
func Remap(e Expr, to func(int) int) Expr {
	return Rewrite(e, func(x Expr) Expr {
		if c, ok := x.(*Column); ok {
			return &Column{Index: to(c.Index), Name: c.Name, T: c.T}
		}
		return x
	})
}

// Conjuncts takes an AND apart into its operands.
func Conjuncts(e Expr) []Expr {
	if c, ok := e.(*Call); ok && c.Fn.Name == "and" {
		var out []Expr
		for _, a := range c.Args {
			out = append(out, Conjuncts(a)...)
		}
		return out
	}
	return []Expr{e}
}

// Deterministic tells whether e gives the same for the same block each time.
func Deterministic(e Expr) bool {
	ok := true
	Walk(e, func(x Expr) {
		switch c := x.(type) {
		case *Call:
			ok = ok && !c.Fn.Volatile
		case *Lambda:
			ok = ok && Deterministic(c.Body)
		}
	})
	return ok
}

// Constant gives the one value of e when it is a literal, else nil.
func Constant(e Expr) column.Column {
	if l, ok := e.(*Literal); ok {
		return l.Value
	}
	return nil
}
