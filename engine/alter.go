package engine

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/analyze"
	"lakeserver/engine/ast"
	"lakeserver/engine/change"
	"lakeserver/engine/database"
	"lakeserver/engine/exec"
	"lakeserver/table"
)

// alter runs ALTER TABLE. All commands of one statement are done together or
// none is, so they must be of one kind: mutations, partitions, a procedure, or
// the table's description.
func (r *run) alter(ctx context.Context, n *ast.Alter) (*Result, error) {
	if n.Object != ast.ObjectTable {
		return nil, cherr.New(cherr.NotImplemented, "ALTER %s is not supported", n.Object)
	}
	first := alterGroup(n.Commands[0].Kind)
	for _, c := range n.Commands[1:] {
		if g := alterGroup(c.Kind); g != first || g == groupProcedure {
			return nil, cherr.New(cherr.NotImplemented, "%s and %s cannot be done in one ALTER: give a statement to each", n.Commands[0].Kind, c.Kind)
		}
	}
	switch first {
	case groupMutation:
		return done(r.alterRows(ctx, n))
	case groupPartition:
		return done(r.alterPartitions(ctx, n))
	case groupProcedure:
		return r.execute(ctx, n)
	case groupDescription:
		return done(r.alterTable(ctx, n))
	}
	e, err := r.s.lookup(n.Table.Database, n.Table.Table)
	if err != nil {
		return nil, err
	}
	return nil, cherr.New(cherr.NotImplemented, "ALTER %s is not supported by storage %s", n.Commands[0].Kind, e.EngineName())
}

type commandGroup uint8

const (
	groupOther commandGroup = iota
	groupMutation
	groupPartition
	groupProcedure
	groupDescription
)

func alterGroup(k ast.AlterKind) commandGroup {
	switch k {
	case ast.UpdateWhere, ast.DeleteWhere:
		return groupMutation
	case ast.DropPartition, ast.DetachPartition, ast.AttachPartition, ast.AttachPartitionFrom, ast.ReplacePartition, ast.MovePartition,
		ast.FetchPartition, ast.FreezePartition, ast.UnfreezePartition, ast.ForgetPartition, ast.DropDetachedPartition:
		return groupPartition
	case ast.Execute, ast.CreateRef, ast.DropRef, ast.ReplaceRef:
		return groupProcedure
	}
	if _, ok := descriptionKinds[k]; ok {
		return groupDescription
	}
	return groupOther
}

func (r *run) alterRows(ctx context.Context, n *ast.Alter) error {
	list := make([]change.Mutation, len(n.Commands))
	for i, c := range n.Commands {
		if c.Partition != nil {
			return cherr.New(cherr.NotImplemented, "%s of one partition is not supported: name it in the condition", c.Kind)
		}
		list[i] = change.Mutation{Set: c.Set, Where: c.Expr}
	}
	return r.mutate(ctx, n.Table, list)
}

func (r *run) alterPartitions(ctx context.Context, n *ast.Alter) error {
	e, t, err := r.openTable(ctx, n.Table)
	if err != nil {
		return err
	}
	d, ok := t.(table.PartitionDropper)
	if !ok {
		return cherr.New(cherr.NotImplemented, "Table engine %s doesn't support partitioning.", e.EngineName())
	}
	var list []table.Partition
	for _, c := range n.Commands {
		if c.Kind != ast.DropPartition || c.Partition.Part {
			return cherr.New(cherr.NotImplemented, "ALTER %s of a partition is not supported by storage %s", c.Kind, e.EngineName())
		}
		p, err := r.partition(ctx, c.Partition)
		if err != nil {
			return err
		}
		list = append(list, *p)
	}
	return d.DropPartitions(ctx, list)
}

// openTable opens what ALTER and OPTIMIZE name; views are refused.
func (r *run) openTable(ctx context.Context, name *ast.TableName) (*database.Entry, table.Table, error) {
	e, err := r.s.lookup(name.Database, name.Table)
	if err != nil {
		return nil, nil, err
	}
	if e.View != nil {
		return nil, nil, cherr.New(cherr.NotImplemented, "ALTER is not supported by storage %s", e.EngineName())
	}
	t, err := e.Open(ctx, r.env.Functions, nil)
	return e, t, err
}

// alterTable changes what a table is: the table itself where it keeps its
// description, else its rows are given to it anew; then the catalog.
func (r *run) alterTable(ctx context.Context, n *ast.Alter) error {
	e, t, err := r.openTable(ctx, n.Table)
	if err != nil {
		return err
	}
	commands, err := r.alterCommands(ctx, t, n.Commands)
	if err != nil {
		return err
	}
	switch x := t.(type) {
	case table.Alterer:
		err = x.Alter(ctx, commands)
	case table.Rebuilder:
		err = r.rebuild(ctx, e, t, x, commands)
	default:
		err = cherr.New(cherr.NotImplemented, "Alter of type '%s' is not supported by storage %s", commands[0].Kind, e.EngineName())
	}
	if err != nil {
		return err
	}
	after, err := e.Open(ctx, r.env.Functions, nil)
	if err != nil {
		return err
	}
	return r.enterAltered(e, after.Columns(), commands)
}

// rebuild gives a table its rows in the columns that it is to have.
func (r *run) rebuild(ctx context.Context, e *database.Entry, t table.Table, to table.Rebuilder, commands []table.AlterCommand) error {
	next, err := change.Columns(t.Columns(), commands, e.EngineName(), r.env.Parse)
	if err != nil {
		return err
	}
	cols := make([]table.Column, len(next))
	for i := range next {
		cols[i] = next[i].Column
	}
	if err := r.inferTypes(ctx, cols); err != nil {
		return err
	}
	env := *r.env
	env.Tables = &changeResolver{resolver: &resolver{r}, entry: e, version: t, rows: t}
	a, err := analyze.Query(ctx, &env, change.Rebuild(e.Name, next))
	if err != nil {
		return err
	}
	full, err := r.withDefaults(ctx, a.Plan, described(cols))
	if err != nil {
		return err
	}
	res, err := r.optimized(ctx, full, exec.Options{NoResultLimits: true})
	if err != nil {
		return err
	}
	defer res.Stream.Close()
	return r.write(ctx, &rebuilding{to, cols}, full.Header(), res.Stream)
}

// rebuilding is a rebuild as an insert.
type rebuilding struct {
	to      table.Rebuilder
	columns []table.Column
}

// Append implements table.Appender.
func (b *rebuilding) Append(ctx context.Context, names []string) (table.Sink, error) {
	return b.to.Rebuild(ctx, b.columns, names)
}

// described is columns of a table that is not there yet.
type described []table.Column

// Columns implements table.Table.
func (d described) Columns() []table.Column { return d }

// Scan implements table.Table.
func (described) Scan(context.Context, *table.ScanRequest) ([]column.Stream, error) {
	return nil, cherr.New(cherr.NotImplemented, "A table that is not there yet cannot be read")
}

// enterAltered puts an altered table's definition in its old one's place.
func (r *run) enterAltered(e *database.Entry, cols []table.Column, commands []table.AlterCommand) error {
	next := *e
	req := *e.Request
	next.Request, next.Columns = &req, cols
	if req.Columns != nil {
		req.Columns = cols
	}
	if create, ok := ast.Clone(e.Create).(*ast.CreateTable); ok {
		for _, c := range commands {
			if c.Kind == table.ModifyComment {
				next.Comment, create.Comment = *c.Comment, ast.NewString(*c.Comment)
			}
		}
		if len(create.Columns) > 0 {
			redeclare(create, cols)
		}
		req.Options = alteredOptions(create, req.Options, commands)
		next.Create = create
	}
	if e.Temporary {
		r.s.mu.Lock()
		defer r.s.mu.Unlock()
		r.s.temp[e.Name] = &next
		return nil
	}
	return r.s.engine.catalog.Alter(e, &next)
}

// redeclare makes a definition's columns anew, with what only the definition
// says of those that are still there.
func redeclare(create *ast.CreateTable, cols []table.Column) {
	was := map[string]*ast.ColumnDecl{}
	for _, d := range create.Columns {
		was[d.Name] = d
	}
	create.Columns = nil
	made := storedTable(create, "", "", cols, "")
	for _, d := range made.Columns {
		if o := was[d.Name]; o != nil {
			d.Codec, d.Statistics, d.TTL, d.Settings = o.Codec, o.Statistics, o.TTL, o.Settings
		}
	}
	create.Columns = made.Columns
}

// alteredOptions keeps the SETTINGS of a definition in step with the table's:
// those that it names are changed, others are the table's own.
func alteredOptions(create *ast.CreateTable, options map[string]string, commands []table.AlterCommand) map[string]string {
	out := map[string]string{}
	for k, v := range options {
		out[k] = v
	}
	if create.Storage == nil {
		return out
	}
	for _, c := range commands {
		switch c.Kind {
		case table.ModifySetting:
			for _, s := range c.Settings {
				for _, d := range create.Storage.Settings {
					if d.Name == s.Name {
						d.Value, out[s.Name] = ast.NewString(s.Text), s.Text
					}
				}
			}
		case table.ResetSetting:
			for _, name := range c.Names {
				delete(out, name)
				create.Storage.Settings = withoutSetting(create.Storage.Settings, name)
			}
		}
	}
	return out
}

func withoutSetting(list []*ast.Setting, name string) []*ast.Setting {
	var out []*ast.Setting
	for _, s := range list {
		if s.Name != name {
			out = append(out, s)
		}
	}
	return out
}
