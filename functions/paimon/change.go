package paimon

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/memory"
	"lakeserver/metadata/paimon"
	"lakeserver/read"
	"lakeserver/table"
	"lakeserver/types"
	write "lakeserver/write/paimon"
)

// Change begins a change of rows. In a primary-key table a row is named by all
// of its old values, and changing it writes rows of further kinds; in an append
// table by its file and place, and the files that lose rows are written anew.
func (t *Table) Change(ctx context.Context, req *table.ChangeRequest) (*table.Change, error) {
	if err := t.gate(); err != nil {
		return nil, err
	}
	c, err := t.committer(ctx, nil)
	if err != nil {
		return nil, err
	}
	rows, err := c.NewRowWriter(memory.New(nil, "change", 0))
	if err != nil {
		return nil, err
	}
	s := &changeSink{t: t, c: c, rows: rows}
	if t.src.Schema.HasPrimaryKey() {
		if err := t.changeable(req.Kind); err != nil {
			return nil, err
		}
		for i := range t.src.Schema.Fields {
			col := t.all[i]
			col.Name = "\x00" + col.Name
			s.names = append(s.names, col)
		}
	} else {
		if t.src.Schema.Options["data-evolution.enabled"] == "true" {
			return nil, cherr.New(cherr.NotImplemented, "Changing rows of Paimon tables with data evolution is not supported: %s", t.path)
		}
		s.vectors = t.src.Schema.Options["deletion-vectors.enabled"] == "true"
		s.kept = rows
		s.names = []read.Column{
			{Name: "\x00file", Type: lowString, Virtual: read.VirtualFile},
			{Name: "\x00row", Type: types.Nullable(types.Int64), Virtual: read.VirtualRow},
		}
		s.gone = map[string]*paimon.Positions{}
		if t.src.Schema.Options["row-tracking.enabled"] == "true" {
			if s.kept, err = c.NewTrackedWriter(memory.New(nil, "change", 0)); err != nil {
				return nil, err
			}
			long := types.Nullable(types.Int64)
			s.names = append(s.names, read.Column{Name: "\x00id", Type: long, Virtual: read.VirtualRowID}, read.Column{Name: "\x00sequence", Type: long, Virtual: read.VirtualSequence})
		}
	}
	out := &table.Change{Rows: t.named(s.names), Sink: s}
	for i := range s.names {
		out.RowID = append(out.RowID, len(t.all)+i)
	}
	return out, nil
}

// changeable: a key's row can only be taken back where the last one wins, or
// where the table's options say how.
func (t *Table) changeable(kind table.ChangeKind) error {
	engine, o := t.src.MergeEngine(), t.src.Schema.Options
	switch {
	case engine == "deduplicate", engine == "partial-update" && kind == table.ChangeUpdate:
		return nil
	case kind == table.ChangeDelete && (o["aggregation.remove-record-on-delete"] == "true" || o["partial-update.remove-record-on-delete"] == "true"):
		return nil
	}
	return cherr.New(cherr.NotImplemented, "merge engine %s of Paimon table %s does not support %s", engine, t.path, kind)
}

// named gives the table with columns that name rows.
func (t *Table) named(names []read.Column) *Table {
	out := &Table{
		path: t.path, src: t.src, settings: t.settings, zone: t.zone, columns: t.columns, virtual: t.virtual[:len(t.virtual):len(t.virtual)],
		all: append(t.all[:len(t.all):len(t.all)], names...),
	}
	for _, c := range names {
		out.virtual = append(out.virtual, table.Column{Name: c.Name, Type: c.Type})
	}
	return out
}

// changeSink hands the rows of a statement to the table's writer.
type changeSink struct {
	t    *Table
	c    *write.Committer
	rows *write.RowWriter
	// kept takes rows of append tables that stay or change: where rows are
	// tracked, with their ids; else it is rows.
	kept  *write.RowWriter
	names []read.Column
	gone  map[string]*paimon.Positions // append tables: rows to leave out, by file
	// vectors: files stay as they are, deletion vectors take rows away.
	vectors bool
	done    bool
}

// Write implements table.ChangeSink.
func (s *changeSink) Write(ctx context.Context, c table.RowChange, b *column.Block) error {
	return cherr.Wrap(s.write(ctx, c, b), "changing rows of Paimon table %s", s.t.path)
}

func (s *changeSink) write(ctx context.Context, c table.RowChange, b *column.Block) error {
	n := len(s.names)
	if c == table.InsertRows {
		return s.rows.Write(ctx, b, write.Insert)
	}
	old := &column.Block{Columns: b.Columns[:n], Rows: b.Rows}
	if s.gone != nil {
		s.drop(old)
		if c == table.DeleteRows {
			return nil
		}
		now := &column.Block{Columns: b.Columns[n:], Rows: b.Rows}
		if n > 2 { // the row is the one that it was, changed by this commit
			none := column.NewConst(column.Default(s.names[3].Type, 1), b.Rows)
			now.Columns = append(now.Columns[:len(now.Columns):len(now.Columns)], old.Columns[2], none)
		}
		return s.kept.Write(ctx, now, write.Insert)
	}
	if c == table.DeleteRows {
		return s.rows.Write(ctx, old, write.DeleteRow)
	}
	now := &column.Block{Columns: b.Columns[n:], Rows: b.Rows}
	if err := s.sameKeys(old, now); err != nil {
		return err
	}
	return s.rows.Write(ctx, now, write.UpdateAfter)
}

// sameKeys refuses updates of key columns, as Paimon does.
func (s *changeSink) sameKeys(old, now *column.Block) error {
	for i := range s.t.src.Schema.Fields {
		f := &s.t.src.Schema.Fields[i]
		for _, k := range s.t.src.Schema.PrimaryKeys {
			if k != f.Name {
				continue
			}
			for r := range old.Rows {
				if paimon.CompareValues(column.At(old.Columns[i], r), column.At(now.Columns[i], r)) != 0 {
					return cherr.New(cherr.BadArguments, "Column `%s` of the primary key cannot be updated", k)
				}
			}
		}
	}
	return nil
}

func (s *changeSink) drop(b *column.Block) {
	for r := range b.Rows {
		name, _ := column.At(b.Columns[0], r).(string)
		at, _ := column.At(b.Columns[1], r).(int64)
		if s.gone[name] == nil {
			s.gone[name] = paimon.NewPositions()
		}
		s.gone[name].Add(at)
	}
}

// Commit implements table.ChangeSink.
func (s *changeSink) Commit(ctx context.Context) error {
	if s.done {
		return nil
	}
	s.done = true
	if err := s.commit(ctx); err != nil {
		if !write.IsUnclear(err) {
			s.abort(ctx)
		}
		return cherr.Wrap(err, "committing to Paimon table %s", s.t.path)
	}
	return settle(ctx, s.c)
}

func (s *changeSink) commit(ctx context.Context) error {
	var rewritten []any
	if len(s.gone) > 0 {
		take := s.rewrite
		if s.vectors {
			take = s.mark
		}
		var err error
		if rewritten, err = take(ctx); err != nil {
			return err
		}
	}
	messages, err := s.rows.Close(ctx)
	if err != nil {
		return err
	}
	if s.kept != nil && s.kept != s.rows {
		more, err := s.kept.Close(ctx)
		if err != nil {
			return err
		}
		messages = append(messages, more...)
	}
	return s.c.Commit(ctx, append(messages, rewritten...), nil)
}

// mark writes deletion vectors, an index file a partition.
func (s *changeSink) mark(ctx context.Context) ([]any, error) {
	plan, err := s.t.plan(ctx, nil)
	if err != nil {
		return nil, err
	}
	var order []string
	add := map[string]map[string]*paimon.Positions{}
	drop := map[string]map[string]bool{}
	messages := map[string]*write.Message{}
	for _, task := range plan.Tasks {
		e := task.Paimon.Entry
		p := s.gone[e.File.Name]
		if p == nil {
			continue
		}
		k := string(e.Partition)
		if add[k] == nil {
			order = append(order, k)
			total := e.TotalBuckets
			add[k], drop[k] = map[string]*paimon.Positions{}, map[string]bool{}
			messages[k] = &write.Message{Partition: e.Partition, Bucket: e.Bucket, TotalBuckets: &total}
		}
		add[k][e.File.Name] = p
	}
	var out []any
	for _, k := range order {
		v, err := s.c.LoadVectors(ctx, s.t.src.Snapshot, []byte(k))
		if err != nil {
			return nil, err
		}
		d := &messages[k].Data
		if d.DeletedIndexFiles, d.NewIndexFiles, err = s.rows.ChangeVectors(ctx, v, add[k], drop[k]); err != nil {
			return nil, err
		}
		out = append(out, messages[k])
	}
	return out, nil
}

// rewrite writes the rows that the touched files keep, and gives the messages
// that take those files away.
func (s *changeSink) rewrite(ctx context.Context) ([]any, error) {
	plan, err := s.t.plan(ctx, nil)
	if err != nil {
		return nil, err
	}
	var messages []any
	only := &read.Plan{Report: plan.Report}
	for _, task := range plan.Tasks {
		e := task.Paimon.Entry
		if s.gone[e.File.Name] == nil {
			continue
		}
		only.Tasks = append(only.Tasks, task)
		total := e.TotalBuckets
		m := &write.Message{Partition: e.Partition, Bucket: e.Bucket, TotalBuckets: &total}
		m.Data.DeletedFiles = []paimon.DataFile{e.File}
		messages = append(messages, m)
	}
	t := s.t.named(s.names)
	t.whole = only
	req := &table.ScanRequest{Streams: 1, Settings: s.t.settings}
	for i := range t.columns {
		req.Columns = append(req.Columns, i)
	}
	for i := range s.names {
		req.Columns = append(req.Columns, len(s.t.all)+i)
	}
	streams, err := t.Scan(ctx, req)
	if err != nil {
		return nil, err
	}
	for _, st := range streams {
		err = s.keep(ctx, st, len(t.columns))
		if closed := st.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return nil, err
		}
	}
	return messages, nil
}

func (s *changeSink) keep(ctx context.Context, st column.Stream, columns int) error {
	for {
		b, err := st.Next(ctx)
		if b == nil || err != nil {
			return err
		}
		var rows []uint32
		for r := range b.Rows {
			name, _ := column.At(b.Columns[columns], r).(string)
			at, _ := column.At(b.Columns[columns+1], r).(int64)
			if !s.gone[name].Contains(at) {
				rows = append(rows, uint32(r))
			}
		}
		left := column.FullBlock(&column.Block{Columns: append(b.Columns[:columns:columns], b.Columns[columns+2:]...), Rows: b.Rows}).Gather(rows)
		if err := s.kept.Write(ctx, left, write.Insert); err != nil {
			return err
		}
	}
}

// Abort implements table.ChangeSink.
func (s *changeSink) Abort(ctx context.Context) error {
	if !s.done {
		s.done = true
		s.abort(ctx)
	}
	return nil
}

func (s *changeSink) abort(ctx context.Context) {
	s.rows.Abort(ctx)
	if s.kept != nil && s.kept != s.rows {
		s.kept.Abort(ctx)
	}
}
