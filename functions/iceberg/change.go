package iceberg

import (
	"context"
	"maps"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/pruning"
	"lakeserver/read"
	"lakeserver/table"
	"lakeserver/types"
	write "lakeserver/write/iceberg"
)

// rowNames are what names a row while it is changed: its file as the metadata
// spells it, its place there, and its id in tables that give rows one. No
// statement can spell the names.
var rowNames = []read.Column{
	{Name: "\x00file", Type: lowString, Virtual: read.VirtualMeta},
	{Name: "\x00row", Type: types.Nullable(types.Int64), Virtual: read.VirtualRow},
	{Name: "\x00row_id", Type: types.Nullable(types.Int64), Virtual: read.VirtualRowID},
}

// Change begins a change of rows. Files whose rows all match go at once.
func (t *Table) Change(ctx context.Context, req *table.ChangeRequest) (*table.Change, error) {
	if err := t.gate("Iceberg mutations is experimental. To allow its usage, enable setting allow_insert_into_iceberg"); err != nil {
		return nil, err
	}
	branch, err := t.branch()
	if err != nil {
		return nil, err
	}
	var strict *pruning.Strict
	if req.Exact {
		strict = pruning.NewStrict(req.Where, t.pruneColumn, t.zone, t.src.Schema)
	}
	plan, err := t.plan(ctx, nil, strict.Fields()...)
	if err != nil {
		return nil, err
	}
	opt := write.DeltaOptions{
		Source: t.src, Plan: plan, Kind: req.Kind.String(), Branch: branch, Rows: t.rowOptions(),
		Filter: pruning.NewIceberg(pruning.New(req.Where, t.pruneColumn, t.zone), t.src.Schema),
	}
	if id := t.settings.Get("iceberg_wap_id"); id != "" {
		opt.Stage, opt.Summary = true, map[string]string{"wap.id": id}
	}
	d, err := write.NewRowDelta(t.writer(), opt)
	if err != nil {
		return nil, err
	}
	whole := map[string]bool{}
	if strict != nil {
		for _, task := range plan.Tasks {
			if strict.AllMatch(t.src.Meta, task.Spec, task.File) {
				whole[task.Name] = true
				d.DeleteFile(task)
			}
		}
	}
	names := rowNames
	if !d.Lineage() {
		names = names[:2]
	}
	c := &table.Change{Rows: t.named(names, plan, whole), Sink: &changeSink{t: t, d: d, ids: len(names)}}
	for i := range names {
		c.RowID = append(c.RowID, len(t.all)+i)
	}
	return c, nil
}

// named gives the table with columns that name rows, without some of its files.
func (t *Table) named(names []read.Column, plan *read.Plan, skip map[string]bool) *Table {
	out := &Table{
		path: t.path, src: t.src, settings: t.settings, zone: t.zone, columns: t.columns, virtual: t.virtual[:len(t.virtual):len(t.virtual)],
		all: append(t.all[:len(t.all):len(t.all)], names...), skip: maps.Clone(skip),
	}
	for _, c := range names {
		out.virtual = append(out.virtual, table.Column{Name: c.Name, Type: c.Type})
	}
	out.whole = out.skipped(plan)
	return out
}

// skipped leaves out the files that are not to be read.
func (t *Table) skipped(p *read.Plan) *read.Plan {
	if len(t.skip) == 0 {
		return p
	}
	out := &read.Plan{Report: p.Report}
	for _, task := range p.Tasks {
		if !t.skip[task.Name] {
			out.Tasks = append(out.Tasks, task)
		}
	}
	return out
}

// changeSink hands the rows of a statement to the table's change.
type changeSink struct {
	t    *Table
	d    *write.RowDelta
	ids  int // columns that name a row
	done bool
}

// Write implements table.ChangeSink.
func (s *changeSink) Write(ctx context.Context, c table.RowChange, b *column.Block) error {
	err := s.write(ctx, c, b)
	return cherr.Wrap(err, "changing rows of Iceberg table %s", s.t.path)
}

func (s *changeSink) write(ctx context.Context, c table.RowChange, b *column.Block) error {
	if c == table.InsertRows {
		return s.d.Insert(ctx, b, nil)
	}
	if err := s.delete(b.Columns[0], b.Columns[1]); err != nil {
		return err
	}
	if c == table.DeleteRows {
		return nil
	}
	var rowIDs column.Column
	if s.ids > 2 {
		rowIDs = b.Columns[2]
	}
	return s.d.Insert(ctx, &column.Block{Columns: b.Columns[s.ids:], Rows: b.Rows}, rowIDs)
}

// delete takes rows away; runs of one file go together.
func (s *changeSink) delete(files, rows column.Column) error {
	values, _ := column.SplitNulls(column.Full(rows))
	pos := column.Values[int64](values)
	switch f := files.(type) {
	case *column.Const:
		name, _ := column.At(f, 0).(string)
		return s.d.Delete(name, pos)
	case *column.Dict:
		names := column.Full(f.Values).(*column.Str)
		return s.runs(pos, func(i, j int) bool { return f.Codes[i] == f.Codes[j] }, func(i int) string { return names.StringAt(int(f.Codes[i])) })
	}
	names := column.Full(files).(*column.Str)
	return s.runs(pos, func(i, j int) bool { return string(names.At(i)) == string(names.At(j)) }, names.StringAt)
}

func (s *changeSink) runs(pos []int64, same func(i, j int) bool, name func(i int) string) error {
	for i := 0; i < len(pos); {
		j := i + 1
		for j < len(pos) && same(i, j) {
			j++
		}
		if err := s.d.Delete(name(i), pos[i:j]); err != nil {
			return err
		}
		i = j
	}
	return nil
}

// Commit implements table.ChangeSink.
func (s *changeSink) Commit(ctx context.Context) error {
	if s.done {
		return nil
	}
	s.done = true
	_, err := s.d.Commit(ctx)
	if write.IsStale(err) {
		err = table.Stale(err)
	}
	return cherr.Wrap(err, "committing to Iceberg table %s", s.t.path)
}

// Abort implements table.ChangeSink.
func (s *changeSink) Abort(ctx context.Context) error {
	if !s.done {
		s.done = true
		s.d.Abort(ctx)
	}
	return nil
}
