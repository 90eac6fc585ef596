package analyze

import (
	"context"
	"fmt"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

// The nodes of this file stand in resolved trees only: a stage replaces them
// by columns of the plan, so that none is ever evaluated.

// ref is a column of a source in FROM.
type ref struct {
	id   int // of the column, unique in the statement
	name string
	t    *types.Type
}

func (e *ref) Type() *types.Type                                              { return e.t }
func (e *ref) Children() []expr.Expr                                          { return nil }
func (e *ref) WithChildren([]expr.Expr) expr.Expr                             { return e }
func (e *ref) String() string                                                 { return fmt.Sprintf("%s@%d", e.name, e.id) }
func (e *ref) Eval(context.Context, *column.Block) (column.Column, error)     { return unbound(e) }
func (e *param) Eval(context.Context, *column.Block) (column.Column, error)   { return unbound(e) }
func (e *aggCall) Eval(context.Context, *column.Block) (column.Column, error) { return unbound(e) }
func (e *winCall) Eval(context.Context, *column.Block) (column.Column, error) { return unbound(e) }
func (e *arrJoin) Eval(context.Context, *column.Block) (column.Column, error) { return unbound(e) }
func (e *grouping) Eval(context.Context, *column.Block) (column.Column, error) {
	return unbound(e)
}

func unbound(e expr.Expr) (column.Column, error) {
	cherr.Bug("%s is evaluated before it is bound", e)
	return nil, nil
}

// param is a parameter of a lambda that is being resolved.
type param struct {
	frame *frame
	index int
}

// frame is the parameters of one lambda.
type frame struct {
	id     int
	params []column.Field
}

func (e *param) Type() *types.Type                  { return e.frame.params[e.index].Type }
func (e *param) Children() []expr.Expr              { return nil }
func (e *param) WithChildren([]expr.Expr) expr.Expr { return e }
func (e *param) String() string {
	return fmt.Sprintf("%s@lambda%d", e.frame.params[e.index].Name, e.frame.id)
}

// aggCall is an aggregate function over expressions.
type aggCall struct {
	fn   *functions.BoundAggregate
	args []expr.Expr
}

func (e *aggCall) Type() *types.Type     { return e.fn.Result }
func (e *aggCall) Children() []expr.Expr { return e.args }
func (e *aggCall) WithChildren(c []expr.Expr) expr.Expr {
	return &aggCall{fn: e.fn, args: c}
}

func (e *aggCall) String() string {
	var p []string
	for _, x := range e.fn.Params {
		p = append(p, x.Text)
	}
	name := e.fn.Name
	if p != nil {
		name += "(" + strings.Join(p, ", ") + ")"
	}
	return "aggregate " + name + "(" + joined(e.args) + ")"
}

// winCall is a function over a window.
type winCall struct {
	fn   *functions.BoundWindow
	agg  *functions.BoundAggregate
	args []expr.Expr
	over *window
	name string
}

func (e *winCall) Type() *types.Type {
	if e.agg != nil {
		return e.agg.Result
	}
	return e.fn.Result
}

// Children gives arguments, partition and order of the window.
func (e *winCall) Children() []expr.Expr {
	return append(append(append([]expr.Expr(nil), e.args...), e.over.partition...), e.over.orderExprs()...)
}

func (e *winCall) WithChildren(c []expr.Expr) expr.Expr {
	out := *e
	n, p := len(e.args), len(e.over.partition)
	out.args = c[:n]
	w := *e.over
	w.partition = c[n : n+p]
	w.order = append([]orderKey(nil), w.order...)
	for i := range w.order {
		w.order[i].e = c[n+p+i]
	}
	out.over = &w
	return &out
}

func (e *winCall) String() string {
	name := e.name
	if e.agg != nil {
		name = (&aggCall{fn: e.agg}).String()
	}
	return "window " + name + "(" + joined(e.args) + ") over (" + e.over.String() + ")"
}

// arrJoin is the function arrayJoin over an array (or map).
type arrJoin struct {
	arg expr.Expr
	t   *types.Type
}

func (e *arrJoin) Type() *types.Type                    { return e.t }
func (e *arrJoin) Children() []expr.Expr                { return []expr.Expr{e.arg} }
func (e *arrJoin) WithChildren(c []expr.Expr) expr.Expr { return &arrJoin{c[0], e.t} }
func (e *arrJoin) String() string                       { return "arrayJoin(" + e.arg.String() + ")" }

// grouping is the function grouping(…): which of the arguments a row's
// grouping set leaves out.
type grouping struct {
	args []expr.Expr
	// standard: 1 says that the argument is aggregated away; otherwise 0 does.
	standard bool
}

func (e *grouping) Type() *types.Type                    { return types.UInt64 }
func (e *grouping) Children() []expr.Expr                { return e.args }
func (e *grouping) WithChildren(c []expr.Expr) expr.Expr { return &grouping{c, e.standard} }
func (e *grouping) String() string                       { return "grouping(" + joined(e.args) + ")" }

func joined(exprs []expr.Expr) string {
	s := make([]string, len(exprs))
	for i, e := range exprs {
		s[i] = e.String()
	}
	return strings.Join(s, ", ")
}

// has tells whether a node for which f holds stands in e.
func has(e expr.Expr, f func(expr.Expr) bool) bool {
	if f(e) {
		return true
	}
	for _, c := range e.Children() {
		if has(c, f) {
			return true
		}
	}
	return false
}

func isAgg(e expr.Expr) bool     { _, ok := e.(*aggCall); return ok }
func isWin(e expr.Expr) bool     { _, ok := e.(*winCall); return ok }
func isArrJoin(e expr.Expr) bool { _, ok := e.(*arrJoin); return ok }

// hasAggregate tells whether an aggregate function stands in e outside of
// window arguments' own windows.
func hasAggregate(e expr.Expr) bool {
	return has(e, func(x expr.Expr) bool {
		if isAgg(x) {
			return true
		}
		_, ok := x.(*grouping)
		return ok
	})
}
