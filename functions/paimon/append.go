package paimon

import (
	"context"
	"maps"
	"strings"

	"github.com/google/uuid"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/memory"
	"lakeserver/metadata/paimon"
	"lakeserver/table"
	write "lakeserver/write/paimon"
)

// gate fails when the query may not change Paimon tables.
func (t *Table) gate() error {
	if !t.settings.Bool("allow_insert_into_paimon") {
		return cherr.New(cherr.SupportIsDisabled, "Writing to Paimon tables is experimental. To allow it, enable setting allow_insert_into_paimon")
	}
	return nil
}

// committer opens the table, at its newest schema, to be committed to. Each
// statement commits under a name of its own.
func (t *Table) committer(ctx context.Context, options map[string]string) (*write.Committer, error) {
	all, err := statementOptions(t.settings.Get("paimon_options"))
	if err != nil {
		return nil, err
	}
	maps.Copy(all, options)
	b := write.NewContextBuilder(t.path, "lakeserver-"+uuid.NewString()).WithFileSystem(t.src.Dir.Store).SetOptions(all)
	if br := t.src.Dir.Branch; br != "" && br != paimon.MainBranch {
		b.AddOption("branch", br)
	}
	if t.kept != nil {
		b.WithCatalog(t.kept, t.kept.identifier())
	}
	c, err := b.Finish()
	if err != nil {
		return nil, err
	}
	return write.Create(ctx, c)
}

// statementOptions reads the setting paimon_options.
func statementOptions(text string) (map[string]string, error) {
	out := map[string]string{}
	for _, pair := range paimon.SplitList(text) {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, cherr.New(cherr.BadArguments, "paimon_options wants name=value, not '%s'", pair)
		}
		out[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return out, nil
}

// sink takes the rows of one INSERT.
type sink struct {
	t      *Table
	c      *write.Committer
	rows   *write.RowWriter
	from   []int // column of the table → place in the blocks, -1: not given
	fixed  map[int]column.Value
	commit func(ctx context.Context, messages []any) error
	done   bool
}

// Append starts an insert.
func (t *Table) Append(ctx context.Context, columns []string) (table.Sink, error) {
	return t.newSink(ctx, columns, nil)
}

func (t *Table) newSink(ctx context.Context, columns []string, options map[string]string) (*sink, error) {
	if err := t.gate(); err != nil {
		return nil, err
	}
	c, err := t.committer(ctx, options)
	if err != nil {
		return nil, err
	}
	rows, err := c.NewRowWriter(memory.New(nil, "insert", 0))
	if err != nil {
		return nil, err
	}
	s := &sink{t: t, c: c, rows: rows, fixed: map[int]column.Value{}}
	s.commit = func(ctx context.Context, m []any) error { return c.Commit(ctx, m, nil) }
	given := map[string]int{}
	for i, name := range columns {
		given[name] = i
	}
	for _, f := range rows.Header() {
		at, ok := given[f.Name]
		if !ok {
			at = -1
		}
		s.from = append(s.from, at)
	}
	return s, nil
}

// Write implements table.Sink.
func (s *sink) Write(ctx context.Context, b *column.Block) error {
	out := &column.Block{Rows: b.Rows, Columns: make([]column.Column, len(s.from))}
	for i, at := range s.from {
		t := s.rows.Header()[i].Type
		v, fixed := s.fixed[i]
		switch {
		case fixed:
			one := column.NewBuilder(t, 1)
			one.AppendValue(v)
			out.Columns[i] = column.NewConst(one.Finish(), b.Rows)
		case at >= 0:
			out.Columns[i] = b.Columns[at]
		default:
			out.Columns[i] = column.NewConst(column.Default(t, 1), b.Rows)
		}
	}
	return cherr.Wrap(s.rows.Write(ctx, out, write.Insert), "writing to Paimon table %s", s.t.path)
}

// Commit implements table.Sink.
func (s *sink) Commit(ctx context.Context) error {
	if s.done {
		return nil
	}
	s.done = true
	messages, err := s.rows.Close(ctx)
	if err == nil {
		err = s.commit(ctx, messages)
	}
	if err != nil {
		if !write.IsUnclear(err) {
			s.rows.Abort(ctx)
		}
		return cherr.Wrap(err, "committing to Paimon table %s", s.t.path)
	}
	return settle(ctx, s.c)
}

// settle compacts what a statement leaves to be compacted.
func settle(ctx context.Context, c *write.Committer) error {
	return cherr.Wrap(c.Settle(ctx, nil), "the rows are committed, but compacting them failed")
}

// Abort implements table.Sink.
func (s *sink) Abort(ctx context.Context) error {
	if !s.done {
		s.done = true
		s.rows.Abort(ctx)
	}
	return nil
}

// Truncate takes out all rows in one snapshot; the past stays readable.
func (t *Table) Truncate(ctx context.Context) error {
	if err := t.gate(); err != nil {
		return err
	}
	c, err := t.committer(ctx, nil)
	if err != nil {
		return err
	}
	return c.TruncateTable(ctx, nil)
}
