package exprtest

import (
	"context"
	"fmt"
	"slices"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
)

// scope holds the parameters of the lambdas around a name.
type scope struct {
	params   []column.Field
	captured []string
	captures []expr.Expr
	parent   *scope
}

func (s *scope) resolve(name string) (expr.Expr, error) {
	if s == nil {
		return nil, fmt.Errorf("unknown name %s", name)
	}
	for i, p := range s.params {
		if p.Name == name {
			return &expr.Column{Index: i, Name: name, T: p.Type}, nil
		}
	}
	if i := slices.Index(s.captured, name); i >= 0 {
		return &expr.Column{Index: len(s.params) + i, Name: name, T: s.captures[i].Type()}, nil
	}
	outer, err := s.parent.resolve(name)
	if err != nil {
		return nil, err
	}
	s.captured, s.captures = append(s.captured, name), append(s.captures, outer)
	return s.resolve(name)
}

// literal is a constant at binding time that may come out full.
type literal struct {
	expr.Literal
	full bool
}

func (l *literal) Eval(_ context.Context, b *column.Block) (column.Column, error) {
	c := column.NewConst(l.Value, b.Rows)
	if l.full {
		return column.Full(c), nil
	}
	return c, nil
}

type binder struct {
	env  *functions.Env
	full bool
}

func (b *binder) bind(n *node, s *scope) (expr.Expr, error) {
	switch {
	case n.typ != nil:
		return &literal{*expr.NewLiteral(n.typ, n.lit), b.full}, nil
	case n.name != "":
		return s.resolve(n.name)
	}
	fn, ok := b.env.Registry.Scalar(n.call)
	if !ok {
		return b.convert(n, s)
	}
	args, exprs := make([]functions.Arg, len(n.args)), make([]expr.Expr, len(n.args))
	for i, a := range n.args {
		if a.params != nil {
			args[i].Arity = len(a.params)
			continue
		}
		e, err := b.bind(a, s)
		if err != nil {
			return nil, err
		}
		exprs[i], args[i] = e, functions.Arg{Type: e.Type(), Const: b.constant(e)}
	}
	for i, a := range n.args {
		if a.params == nil {
			continue
		}
		l, err := b.lambda(fn, a, args, i, s)
		if err != nil {
			return nil, err
		}
		exprs[i], args[i].Lambda, args[i].Type = l, l, l.Type()
	}
	f, err := b.env.Registry.BindScalar(b.env, n.call, args)
	if err != nil {
		return nil, err
	}
	return &expr.Call{Fn: f, Args: exprs}, nil
}

func (b *binder) lambda(fn *functions.Scalar, n *node, args []functions.Arg, i int, s *scope) (*expr.Lambda, error) {
	if fn.LambdaParams == nil {
		return nil, fmt.Errorf("%s takes no lambda", fn.Name)
	}
	params, err := fn.LambdaParams(args, i)
	if err != nil {
		return nil, err
	}
	inner := &scope{parent: s}
	for k, p := range n.params {
		inner.params = append(inner.params, column.Field{Name: p, Type: params[k]})
	}
	body, err := b.bind(n.args[0], inner)
	if err != nil {
		return nil, err
	}
	return &expr.Lambda{Params: inner.params, Captures: inner.captures, Body: body}, nil
}

// constant folds what has only literals below it.
func (b *binder) constant(e expr.Expr) column.Column {
	folds := true
	expr.Walk(e, func(x expr.Expr) {
		switch x := x.(type) {
		case *expr.Column:
			folds = false
		case *expr.Call:
			folds = folds && !x.Fn.Volatile
		}
	})
	if !folds {
		return nil
	}
	c, err := e.Eval(context.Background(), &column.Block{Rows: 1})
	if err != nil {
		return nil
	}
	return column.Full(c)
}
