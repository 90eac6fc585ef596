package functions

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/types"
)

// Set is one family's descriptions.
type Set struct {
	Family      string
	Scalars     []Scalar
	Aggregates  []Aggregate
	Combinators []Combinator
	Windows     []Window
	Tables      []TableFunction
	Engines     []Engine
	Databases   []DatabaseEngine
}

// Combinator turns an aggregate function into another: sumIf of sum and -If.
type Combinator struct {
	Suffix string // "If"
	Doc    Doc
	// Params gives the parameters that the nested function sees; nil: all.
	Params func(params []Param) []Param
	// Args gives the types that the nested function sees.
	Args func(params []Param, args []*types.Type) ([]*types.Type, error)
	// Wrap gives the combined function; nested is bound to what Args gave.
	Wrap func(env *Env, nested *BoundAggregate, params []Param, args []*types.Type) (*BoundAggregate, error)
}

// Registry finds functions by name. It is immutable and shared.
type Registry struct {
	sets        []Set
	scalars     map[string]*Scalar
	aggregates  map[string]*Aggregate
	windows     map[string]*Window
	tables      map[string]*TableFunction
	engines     map[string]*Engine
	databases   map[string]*DatabaseEngine
	combinators []Combinator // longest suffix first
}

// NewRegistry joins sets; a name given twice is an error.
func NewRegistry(sets ...Set) (*Registry, error) {
	r := &Registry{
		sets: sets, scalars: map[string]*Scalar{}, aggregates: map[string]*Aggregate{},
		windows: map[string]*Window{}, tables: map[string]*TableFunction{}, engines: map[string]*Engine{}, databases: map[string]*DatabaseEngine{},
	}
	var err error
	for _, s := range sets {
		for i := range s.Scalars {
			f := &s.Scalars[i]
			err = firstError(err, enter(r.scalars, f, f.Name, f.Aliases, f.CaseInsensitive))
			for _, a := range f.AnyCase {
				err = firstError(err, enter(r.scalars, f, a, nil, true))
			}
		}
		for i := range s.Aggregates {
			f := &s.Aggregates[i]
			err = firstError(err, enter(r.aggregates, f, f.Name, f.Aliases, f.CaseInsensitive))
		}
		for i := range s.Windows {
			f := &s.Windows[i]
			err = firstError(err, enter(r.windows, f, f.Name, f.Aliases, f.CaseInsensitive))
		}
		for i := range s.Tables {
			f := &s.Tables[i]
			err = firstError(err, enter(r.tables, f, f.Name, f.Aliases, f.CaseInsensitive))
		}
		for i := range s.Engines {
			err = firstError(err, enter(r.engines, &s.Engines[i], s.Engines[i].Name, nil, false))
		}
		for i := range s.Databases {
			err = firstError(err, r.enterDatabase(&s.Databases[i]))
		}
		r.combinators = append(r.combinators, s.Combinators...)
	}
	sort.SliceStable(r.combinators, func(i, j int) bool {
		return len(r.combinators[i].Suffix) > len(r.combinators[j].Suffix)
	})
	return r, err
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// enterDatabase lets an engine that serves some databases stand before the one
// that serves all others of its name.
func (r *Registry) enterDatabase(d *DatabaseEngine) error {
	old, ok := r.databases[d.Name]
	if !ok || d.Serves == nil {
		return enter(r.databases, d, d.Name, nil, false)
	}
	both := *old
	both.Open = func(ctx context.Context, env *Env, req *OpenRequest) (External, error) {
		if d.Serves(req) {
			return d.Open(ctx, env, req)
		}
		return old.Open(ctx, env, req)
	}
	r.databases[d.Name] = &both
	return nil
}

// enter puts a function under its names; case-insensitive ones under the lower
// case as well, with a mark that no written name can have.
func enter[T any](m map[string]*T, f *T, name string, aliases []string, insensitive bool) error {
	for _, n := range append([]string{name}, aliases...) {
		keys := []string{n}
		if insensitive {
			keys = append(keys, "\x00"+strings.ToLower(n))
		}
		for _, k := range keys {
			if old, ok := m[k]; ok && old != f {
				return fmt.Errorf("function %q is registered twice", n)
			}
			m[k] = f
		}
	}
	return nil
}

func lookup[T any](m map[string]*T, name string) (*T, bool) {
	if f, ok := m[name]; ok {
		return f, true
	}
	f, ok := m["\x00"+strings.ToLower(name)]
	return f, ok
}

// Sets gives the families for system.functions and the docs.
func (r *Registry) Sets() []Set { return r.sets }

// Scalar finds a scalar function.
func (r *Registry) Scalar(name string) (*Scalar, bool) { return lookup(r.scalars, name) }

// Window finds a window function.
func (r *Registry) Window(name string) (*Window, bool) { return lookup(r.windows, name) }

// Table finds a table function.
func (r *Registry) Table(name string) (*TableFunction, bool) { return lookup(r.tables, name) }

// Engine finds a table engine.
func (r *Registry) Engine(name string) (*Engine, bool) { return lookup(r.engines, name) }

// Database finds a database engine.
func (r *Registry) Database(name string) (*DatabaseEngine, bool) { return lookup(r.databases, name) }

// IsAggregate tells whether the name is an aggregate function, with or without
// combinators.
func (r *Registry) IsAggregate(name string) bool {
	_, _, ok := r.splitAggregate(name)
	return ok
}

// BindScalar finds and binds a scalar function; UNKNOWN_FUNCTION if there is none.
func (r *Registry) BindScalar(env *Env, name string, args []Arg) (*expr.Function, error) {
	f, ok := r.Scalar(name)
	if !ok {
		return nil, cherr.New(cherr.UnknownFunction, "Function with name `%s` does not exist", name)
	}
	return f.bind(env, args)
}

// Call binds a function by name to bound arguments and folds nothing.
func (r *Registry) Call(env *Env, name string, args ...expr.Expr) (*expr.Call, error) {
	bound := make([]Arg, len(args))
	for i, a := range args {
		bound[i] = Arg{Type: a.Type(), Const: expr.Constant(a)}
		if l, ok := a.(*expr.Lambda); ok {
			bound[i].Arity, bound[i].Lambda = len(l.Params), l
		}
	}
	f, err := r.BindScalar(env, name, bound)
	if err != nil {
		return nil, err
	}
	return &expr.Call{Fn: f, Args: args}, nil
}

// splitAggregate takes combinators off the end of a name, outermost first.
func (r *Registry) splitAggregate(name string) (*Aggregate, []*Combinator, bool) {
	if f, ok := lookup(r.aggregates, name); ok {
		return f, nil, true
	}
	for i := range r.combinators {
		c := &r.combinators[i]
		rest, ok := strings.CutSuffix(name, c.Suffix)
		if !ok || rest == "" {
			continue
		}
		if f, inner, ok := r.splitAggregate(rest); ok {
			return f, append([]*Combinator{c}, inner...), true
		}
	}
	return nil, nil, false
}

// BindAggregate finds and binds an aggregate function with its combinators and
// the law of NULL; UNKNOWN_AGGREGATE_FUNCTION if there is none.
func (r *Registry) BindAggregate(env *Env, name string, params []Param, args []*types.Type) (*BoundAggregate, error) {
	f, combinators, ok := r.splitAggregate(name)
	if !ok {
		return nil, cherr.New(cherr.UnknownAggregateFunction, "Unknown aggregate function %s", name)
	}
	var b *BoundAggregate
	var err error
	if len(combinators) == 0 {
		b, err = f.bind(env, params, args, true)
	} else {
		b, err = r.bindCombined(env, f, combinators, params, args)
	}
	if err != nil {
		return nil, err
	}
	b.Name, b.Args, b.Params = name, args, params
	b.OrderDependent = f.OrderDependent
	if b.State == nil {
		texts := make([]string, len(params))
		for i, p := range params {
			texts[i] = p.Text
		}
		b.State = types.AggregateFunction(types.AggregateSpec{Function: name, Params: texts}, args)
	}
	return b, nil
}

func (r *Registry) bindCombined(env *Env, f *Aggregate, cs []*Combinator, params []Param, args []*types.Type) (*BoundAggregate, error) {
	if len(cs) == 0 {
		return f.bind(env, params, args, false)
	}
	inner, err := cs[0].Args(params, args)
	if err != nil {
		return nil, err
	}
	below := params
	if cs[0].Params != nil {
		below = cs[0].Params(params)
	}
	nested, err := r.bindCombined(env, f, cs[1:], below, inner)
	if err != nil {
		return nil, err
	}
	if nested.Name == "" {
		nested.Name = f.Name
	}
	return cs[0].Wrap(env, nested, params, args)
}

func (s *Scalar) arity() string {
	switch {
	case s.MaxArgs == s.MinArgs:
		return fmt.Sprint(s.MinArgs)
	case s.MaxArgs < 0:
		return fmt.Sprintf("%d or more", s.MinArgs)
	}
	return fmt.Sprintf("from %d to %d", s.MinArgs, s.MaxArgs)
}

func nullKernel(_ context.Context, _ []column.Column, rows int) (column.Column, error) {
	return column.NewConst(column.Default(types.NullableNothing, 1), rows), nil
}
