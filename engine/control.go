package engine

import (
	"context"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/analyze"
	"lakeserver/engine/ast"
	"lakeserver/engine/exec"
	"lakeserver/engine/plan"
	"lakeserver/types"
)

// kill is KILL QUERY WHERE …: the condition is asked of system.processes.
func (r *run) kill(ctx context.Context, n *ast.Kill) (*Result, error) {
	if n.Object != "QUERY" {
		return nil, cherr.New(cherr.NotImplemented, "KILL %s is not supported", n.Object)
	}
	res, err := r.text(ctx, ast.Output{}, "SELECT query_id, user, query FROM system.processes WHERE ("+ast.Format(n.Where)+") AND query_id != queryID()"+r.ownQueries())
	if err != nil {
		return nil, err
	}
	blocks, err := column.ReadAll(ctx, res.Stream)
	if err != nil {
		return nil, err
	}
	var cols [4]column.Str
	for _, b := range blocks {
		for i := range b.Rows {
			id, _ := column.At(b.Columns[0], i).(string)
			status := "finished"
			if n.Mode != "TEST" && r.s.engine.processes.Kill(id) {
				status = "waiting"
			}
			cols[0].AppendString(status)
			for k := range b.Columns {
				text, _ := column.At(b.Columns[k], i).(string)
				cols[k+1].AppendString(text)
			}
		}
	}
	h := column.Header{
		{Name: "kill_status", Type: types.String},
		{Name: "query_id", Type: types.String},
		{Name: "user", Type: types.String},
		{Name: "query", Type: types.String},
	}
	blk := column.NewBlock(&cols[0], &cols[1], &cols[2], &cols[3])
	return &Result{Header: h, Stream: column.Blocks(blk), HasRows: true, Format: n.Format}, nil
}

// system is SYSTEM …: what there is nothing to do for is accepted.
func (r *run) system(ctx context.Context, n *ast.System) error {
	switch {
	case strings.HasPrefix(n.Command, "DROP"), strings.HasPrefix(n.Command, "CLEAR"):
		if r.s.engine.cfg.DropCaches != nil {
			return r.s.engine.cfg.DropCaches(n.Command, systemName(n))
		}
		return nil
	case n.Command == "REFRESH VIEW" && n.Table != nil:
		return r.refreshView(ctx, n.Table)
	case strings.HasPrefix(n.Command, "WAIT VIEW"): // REFRESH VIEW waits itself
		return nil
	case strings.HasPrefix(n.Command, "FLUSH"), strings.HasPrefix(n.Command, "RELOAD"), strings.HasPrefix(n.Command, "SYNC"),
		strings.HasPrefix(n.Command, "START"), strings.HasPrefix(n.Command, "STOP"):
		return nil
	}
	return cherr.New(cherr.NotImplemented, "SYSTEM %s is not supported", n.Command)
}

// systemName is the name behind a command, as a word or as text.
func systemName(n *ast.System) string {
	if len(n.Names) > 0 {
		return n.Names[0]
	}
	if len(n.Args) > 0 {
		if l, ok := n.Args[0].(*ast.Literal); ok {
			return l.Text
		}
	}
	return ""
}

// check is CHECK TABLE: a table that opens is whole.
func (r *run) check(ctx context.Context, n *ast.Check) (*Result, error) {
	if n.Table != nil {
		e, err := r.s.lookup(n.Table.Database, n.Table.Table)
		if err != nil {
			return nil, err
		}
		if e.View == nil {
			if _, err := e.Open(ctx, r.env.Functions, nil); err != nil {
				return nil, err
			}
		}
	}
	h := column.Header{{Name: "result", Type: types.UInt8}}
	return &Result{Header: h, Stream: column.Blocks(column.NewBlock(column.NewFixed([]uint8{1}))), HasRows: true, Format: n.Format}, nil
}

// explain runs EXPLAIN in all its kinds.
func (r *run) explain(ctx context.Context, n *ast.Explain) (*Result, error) {
	switch n.Kind {
	case ast.ExplainAST:
		return explained(n, strings.Split(strings.TrimRight(dumpAST(ast.Redacted(n.Statement)), "\n"), "\n")), nil
	case ast.ExplainSyntax:
		return explained(n, strings.Split(ast.FormatPretty(ast.Redacted(n.Statement)), "\n")), nil
	}
	q, ok := n.Statement.(*ast.QueryStatement)
	if !ok {
		ins, isInsert := n.Statement.(*ast.Insert)
		if !isInsert || ins.Query == nil {
			return nil, cherr.New(cherr.IncorrectQuery, "Only queries can be explained so")
		}
		q = &ast.QueryStatement{Query: ins.Query}
	}
	a, err := analyze.Analyze(ctx, r.env, q)
	if err != nil {
		return nil, err
	}
	if n.Kind == ast.ExplainQueryTree {
		return explained(n, plan.ExplainTree(a.Plan)), nil
	}
	opt, err := explainOptions(n)
	if err != nil {
		return nil, err
	}
	opt.Settings = r.set
	node, err := plan.Optimize(ctx, a.Plan, r.planOptions())
	if err != nil {
		return nil, err
	}
	if n.Kind == ast.ExplainEstimate {
		return r.explainEstimate(ctx, n, node)
	}
	if n.Kind == ast.ExplainPipeline {
		return explained(n, exec.Pipeline(node, int(r.set.Uint("max_threads")))), nil
	}
	text, err := plan.Explain(ctx, node, opt)
	if err != nil {
		return nil, err
	}
	return explained(n, text), nil
}

func explainOptions(n *ast.Explain) (plan.ExplainOptions, error) {
	opt := plan.ExplainOptions{}
	for _, s := range n.Settings {
		v, err := settingText(s.Value)
		if err != nil {
			return opt, err
		}
		on := v != "0"
		switch s.Name {
		case "header":
			opt.Header = on
		case "actions":
			opt.Actions = on
		case "indexes", "indices":
			opt.Indexes = on
		case "description", "optimize", "sorting", "json", "distributed", "graph", "compact", "projections", "keep_logical_steps",
			"run_passes", "dump_passes", "passes", "dump_tree", "dump_ast", "oneline", "query_tree_passes", "run_query_tree_passes", "pretty", "column_structure", "analyze":
		default:
			return opt, cherr.New(cherr.UnknownSetting, "Unknown setting \"%s\" for EXPLAIN query", s.Name)
		}
	}
	return opt, nil
}

func explained(n *ast.Explain, text []string) *Result {
	return lines(n.Output, "explain", text...)
}

// explainLines is EXPLAIN inside FROM: its one column of text.
func (r *run) explainLines(ctx context.Context, n *ast.Explain) ([]string, error) {
	if n.Kind == ast.ExplainEstimate {
		return nil, cherr.New(cherr.NotImplemented, "EXPLAIN ESTIMATE as a subquery is not supported")
	}
	res, err := r.explain(ctx, n)
	if err != nil {
		return nil, err
	}
	blocks, err := column.ReadAll(ctx, res.Stream)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, b := range blocks {
		for i := range b.Rows {
			line, _ := column.At(b.Columns[0], i).(string)
			out = append(out, line)
		}
	}
	return out, nil
}

// explainEstimate shows for each table what the scan would read at most.
func (r *run) explainEstimate(ctx context.Context, n *ast.Explain, node plan.Node) (*Result, error) {
	rows, err := plan.Estimate(ctx, node, r.set)
	if err != nil {
		return nil, err
	}
	var db, name column.Str
	var parts, count, marks []uint64
	for _, e := range rows {
		db.AppendString(r.s.Database())
		name.AppendString(e.Table)
		parts, count, marks = append(parts, uint64(e.Parts)), append(count, uint64(e.Rows)), append(marks, uint64(e.Marks))
	}
	h := column.Header{
		{Name: "database", Type: types.String},
		{Name: "table", Type: types.String},
		{Name: "parts", Type: types.UInt64},
		{Name: "rows", Type: types.UInt64},
		{Name: "marks", Type: types.UInt64},
	}
	blk := column.NewBlock(&db, &name, column.NewFixed(parts), column.NewFixed(count), column.NewFixed(marks))
	return &Result{Header: h, Stream: column.Blocks(blk), HasRows: true, Format: n.Format}, nil
}
