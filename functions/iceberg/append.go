package iceberg

import (
	"context"
	"runtime"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata/iceberg"
	"lakeserver/table"
	"lakeserver/timetravel"
	write "lakeserver/write/iceberg"
)

const insertGate = "Insert into iceberg is in beta.To allow its usage, enable setting allow_insert_into_iceberg"

// Append starts an insert: its rows become data files as they come, and one
// snapshot at the end.
func (t *Table) Append(_ context.Context, columns []string) (table.Sink, error) {
	if err := t.gate(insertGate); err != nil {
		return nil, err
	}
	return t.newSink(columns, nil)
}

// branch gives the branch that a statement writes to; a version of the past is
// no place to write to.
func (t *Table) branch() (string, error) {
	when, err := timetravel.FromSettings(t.settings, t.path)
	switch {
	case err != nil:
		return "", err
	case when.SnapshotID != nil, when.TimestampMs != nil:
		return "", cherr.New(cherr.BadArguments, "Iceberg table %s cannot be written to at a version of the past", t.path)
	}
	return when.Ref, nil
}

// rowOptions are the settings of a statement that writes rows.
func (t *Table) rowOptions() write.RowOptions {
	s := t.settings
	return write.RowOptions{
		Format: t.format, MaxRows: int64(min(s.Uint("iceberg_insert_max_rows_in_data_file"), 1<<62)),
		MaxBytes:      int64(min(s.Uint("iceberg_insert_max_bytes_in_data_file"), 1<<62)),
		MaxPartitions: int(min(s.Uint("iceberg_insert_max_partitions"), 1<<30)), Workers: runtime.GOMAXPROCS(0), SpecID: -1,
	}
}

// sink takes the rows of one INSERT. finish says what the new files replace;
// nil: nothing.
type sink struct {
	t      *Table
	w      *write.Table
	rows   *write.RowWriter
	p      *write.Producer
	from   []int // column of the table → place in the blocks, -1: not given
	check  func(ctx context.Context, b *column.Block) error
	finish func(files []write.NewFile) error
	done   bool
}

func (t *Table) newSink(columns []string, finish func(*sink, []write.NewFile) error) (*sink, error) {
	branch, err := t.branch()
	if err != nil {
		return nil, err
	}
	w := t.writer()
	rows, err := write.NewRowWriter(w, t.src.Meta, t.rowOptions())
	if err != nil {
		return nil, err
	}
	s := &sink{t: t, w: w, rows: rows, p: &write.Producer{Table: w, Branch: branch}}
	if id := t.settings.Get("iceberg_wap_id"); id != "" {
		s.p.Stage, s.p.Summary = true, map[string]string{"wap.id": id}
	}
	if finish != nil {
		s.finish = func(files []write.NewFile) error { return finish(s, files) }
	}
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

// block puts the columns in the table's order; one that is not given holds its
// default.
func (s *sink) block(b *column.Block) *column.Block {
	out := &column.Block{Rows: b.Rows, Columns: make([]column.Column, len(s.from))}
	for i, at := range s.from {
		if at >= 0 {
			out.Columns[i] = b.Columns[at]
			continue
		}
		out.Columns[i] = column.NewConst(column.Default(s.rows.Header()[i].Type, 1), b.Rows)
	}
	return out
}

// Write implements table.Sink.
func (s *sink) Write(ctx context.Context, b *column.Block) error {
	b = s.block(b)
	if s.check != nil {
		if err := s.check(ctx, b); err != nil {
			return err
		}
	}
	return cherr.Wrap(s.rows.Write(ctx, b), "writing to Iceberg table %s", s.t.path)
}

// Commit implements table.Sink. Without a row there is no snapshot, unless
// rows give way.
func (s *sink) Commit(ctx context.Context) error {
	if s.done {
		return nil
	}
	s.done = true
	files, err := s.rows.Close(ctx)
	if err != nil {
		return err
	}
	if s.finish != nil {
		if err := s.finish(files); err != nil {
			s.rows.Abort(ctx, err)
			return err
		}
	}
	s.p.Added = files
	if len(files) == 0 && len(s.p.Removed) == 0 && !s.p.AllowEmpty {
		return nil
	}
	_, err = s.w.Commit(ctx, s.p)
	if write.IsStale(err) {
		err = table.Stale(err)
	}
	return cherr.Wrap(err, "committing to Iceberg table %s", s.t.path)
}

// Abort implements table.Sink.
func (s *sink) Abort(ctx context.Context) error {
	if !s.done {
		s.done = true
		s.rows.Abort(ctx, context.Canceled)
	}
	return nil
}

// Truncate takes out all files in one snapshot; the past stays readable.
func (t *Table) Truncate(ctx context.Context) error {
	if err := t.gate(insertGate); err != nil {
		return err
	}
	return t.remove(ctx, write.Removal{Is: func(*iceberg.PartitionSpec, *iceberg.Live) (bool, error) { return true, nil }})
}

// remove commits a snapshot that only takes files out.
func (t *Table) remove(ctx context.Context, r write.Removal) error {
	branch, err := t.branch()
	if err != nil {
		return err
	}
	w := t.writer()
	p := &write.Producer{Table: w, Branch: branch, Operation: "delete", Removed: []write.Removal{r}}
	_, err = w.Commit(ctx, p)
	return cherr.Wrap(err, "committing to Iceberg table %s", t.path)
}
