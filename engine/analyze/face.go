package analyze

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/ast"
	"lakeserver/engine/plan"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/table"
)

func newAnalyzer(env *Env) *analyzer {
	return &analyzer{env: env, subqueries: map[ast.Query]int{}}
}

// OpenFunction opens a table function by its syntax: CREATE TABLE AS f(…),
// DESCRIBE.
func OpenFunction(ctx context.Context, env *Env, f *ast.Function, version *ast.TimeTravel) (table.Table, error) {
	return newAnalyzer(env).openFunction(ctx, f, version)
}

func (a *analyzer) openFunction(ctx context.Context, f *ast.Function, version *ast.TimeTravel) (table.Table, error) {
	if _, err := a.root().tableExpr(ctx, &ast.TableExpr{Function: f, Version: version}); err != nil {
		return nil, err
	}
	if len(a.tables) == 0 {
		return nil, cherr.New(cherr.BadArguments, "Table function %s is a query, not a table", f.Name)
	}
	return a.tables[0].Table, nil
}

// OpenTarget is OpenFunction for rows that are to be written; h are their
// columns where the statement knows them before (INSERT … SELECT), else nil.
func OpenTarget(ctx context.Context, env *Env, f *ast.Function, h column.Header) (table.Table, error) {
	a := newAnalyzer(env)
	a.target, a.incoming = f, h
	return a.openFunction(ctx, f, nil)
}

// TableArguments binds the arguments of a table engine.
func TableArguments(ctx context.Context, env *Env, f *ast.Function) ([]functions.TableArg, error) {
	return newAnalyzer(env).root().tableArgs(ctx, f.Args)
}

// BindOver binds an expression over columns at hand: defaults of columns,
// conditions of DELETE and UPDATE. It may not aggregate, and a subquery in it
// is run at once.
func BindOver(ctx context.Context, env *Env, h column.Header, e ast.Expr) (expr.Expr, error) {
	a := newAnalyzer(env)
	sc := a.root()
	sc.noAggregate, sc.noWindow = "expression over columns", "expression over columns"
	values := &plan.Values{Fields: h}
	sc.rel = sc.relationOf(values, &source{})
	if err := sc.collect(e, false); err != nil {
		return nil, err
	}
	bound, err := sc.resolve(ctx, e)
	if err != nil {
		return nil, err
	}
	if err := sc.fillSets(ctx); err != nil {
		return nil, err
	}
	low, err := sc.rel.st.lower(bound)
	if err != nil {
		return nil, err
	}
	if sc.rel.st.node != plan.Node(values) {
		return nil, cherr.New(cherr.NotImplemented, "arrayJoin is not supported in an expression over columns")
	}
	return low, nil
}

// fillSets runs the subqueries of IN whose sets the scope's plan would build.
func (sc *scope) fillSets(ctx context.Context) error {
	for _, s := range sc.sets {
		blocks, err := sc.a.env.Run(ctx, s.Plan)
		if err != nil {
			return err
		}
		for _, b := range blocks {
			s.Set.Add(b.Columns, b.Rows)
		}
		s.Set.Seal()
	}
	sc.sets = nil
	return nil
}

// InsertColumns gives the names that an INSERT lists: identifiers, *, EXCEPT.
func InsertColumns(exprs []ast.Expr, all []table.Column) ([]string, error) {
	var out []string
	for _, e := range exprs {
		switch x := e.(type) {
		case *ast.Identifier:
			name := ""
			for i, p := range x.Parts {
				if i > 0 {
					name += "."
				}
				name += p
			}
			out = append(out, name)
		case *ast.Asterisk:
			names, err := starColumns(x, all)
			if err != nil {
				return nil, err
			}
			out = append(out, names...)
		default:
			return nil, cherr.New(cherr.SyntaxError, "An INSERT lists columns, not %s", ast.Format(e))
		}
	}
	return out, nil
}

// starColumns is * [EXCEPT (…)] among the columns that take values.
func starColumns(x *ast.Asterisk, all []table.Column) ([]string, error) {
	left := map[string]bool{}
	for _, t := range x.Transformers {
		except, ok := t.(*ast.Except)
		if !ok {
			return nil, cherr.New(cherr.SyntaxError, "An INSERT's column list may only be changed by EXCEPT")
		}
		for _, n := range except.Names {
			left[n.Parts[len(n.Parts)-1]] = true
		}
	}
	var out []string
	for _, c := range all {
		if !left[c.Name] && (c.DefaultKind == "" || c.DefaultKind == "DEFAULT") {
			out = append(out, c.Name)
		}
	}
	return out, nil
}
