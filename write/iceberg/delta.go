package iceberg

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata/iceberg"
	"lakeserver/pruning"
	"lakeserver/read"
	"lakeserver/types"
)

// DeltaOptions say what a change of rows is over.
type DeltaOptions struct {
	Source *read.Source // the version that the statement read, of the table's current schema
	Plan   *read.Plan   // its data files
	Kind   string       // delete, update or merge: in the names of the table's properties
	// Filter is what all changed rows match, for conflicts with other writers;
	// nil: any row may be changed.
	Filter  *pruning.Iceberg
	Branch  string // "": main
	Stage   bool   // the snapshot moves no branch
	Summary map[string]string
	Rows    RowOptions // of new rows
}

// RowDelta is one change of a table's rows on its way: rows are named by file
// and position, new ones are written at once. What becomes of the files with
// deleted rows is decided by Commit: they go where nothing of them is left, are
// written again (copy-on-write), or get position deletes or a deletion vector
// (merge-on-read). It is used by one goroutine.
type RowDelta struct {
	t       *Table
	meta    *iceberg.TableMetadata
	opt     DeltaOptions
	onRead  bool // merge-on-read
	strict  bool // serializable, else snapshot isolation
	tasks   map[string]*read.Task
	changed map[string]*changedFile // by the name in the metadata
	rows    *RowWriter              // nil before the first new row
	added   []NewFile
}

// changedFile is a data file of which rows go.
type changedFile struct {
	task *read.Task
	gone *iceberg.Positions // without those that went before; nil: all rows
}

// NewRowDelta begins a change.
func NewRowDelta(t *Table, opt DeltaOptions) (*RowDelta, error) {
	m := opt.Source.Meta
	d := &RowDelta{t: t, meta: m, opt: opt, changed: map[string]*changedFile{}, tasks: make(map[string]*read.Task, len(opt.Plan.Tasks))}
	switch mode := m.Properties["write."+opt.Kind+".mode"]; mode {
	case "", "copy-on-write":
	case "merge-on-read":
		if m.FormatVersion < 2 {
			return nil, cherr.New(cherr.BadArguments, "Mutations are supported only for the second version of iceberg format: version 1 has no row deletes, so write.%s.mode must be copy-on-write", opt.Kind)
		}
		d.onRead = true
	default:
		return nil, cherr.New(cherr.BadArguments, "Table property write.%s.mode is '%s', neither copy-on-write nor merge-on-read", opt.Kind, mode)
	}
	switch level := m.Properties["write."+opt.Kind+".isolation-level"]; level {
	case "", "serializable":
		d.strict = true
	case "snapshot":
	default:
		return nil, cherr.New(cherr.BadArguments, "Table property write.%s.isolation-level is '%s', neither serializable nor snapshot", opt.Kind, level)
	}
	for _, task := range opt.Plan.Tasks {
		d.tasks[task.Name] = task
	}
	return d, nil
}

// Lineage tells whether new rows bring the ids that they had (format version 3).
func (d *RowDelta) Lineage() bool { return d.meta.FormatVersion > 2 }

// DeleteFile takes a whole data file away.
func (d *RowDelta) DeleteFile(task *read.Task) { d.changed[task.Name] = &changedFile{task: task} }

// Delete takes rows of a data file, named as in the metadata, away.
func (d *RowDelta) Delete(name string, positions []int64) error {
	f := d.changed[name]
	if f == nil {
		task := d.tasks[name]
		if task == nil {
			return cherr.New(cherr.LogicalError, "data file %s, of which rows are deleted, is not in the snapshot that was read", name)
		}
		f = &changedFile{task: task, gone: iceberg.NewPositions()}
		d.changed[name] = f
	}
	if f.gone != nil {
		f.gone.Add(positions)
	}
	return nil
}

// Insert adds rows: all columns of the schema, and with lineage the ids that
// they had, NULL for new rows.
func (d *RowDelta) Insert(ctx context.Context, b *column.Block, ids column.Column) error {
	if b.Rows == 0 {
		return nil
	}
	if err := d.writer(); err != nil {
		return err
	}
	if !d.Lineage() {
		return d.rows.Write(ctx, b)
	}
	null := column.NewConst(column.FromValue(types.Nullable(types.Int64), nil, 1), b.Rows)
	if ids == nil {
		ids = null
	}
	out := &column.Block{Rows: b.Rows, Columns: append(append([]column.Column(nil), b.Columns...), ids, null)}
	return d.rows.Write(ctx, out)
}

func (d *RowDelta) writer() error {
	if d.rows != nil {
		return nil
	}
	opt := d.opt.Rows
	opt.Lineage, opt.SpecID, opt.KeepNulls = d.Lineage(), -1, true
	var err error
	d.rows, err = NewRowWriter(d.t, d.meta, opt)
	return err
}

// Commit makes the change visible, as one snapshot; without a change there is
// none. The files of a change that does not land are deleted.
func (d *RowDelta) Commit(ctx context.Context) (*iceberg.TableMetadata, error) {
	p := &Producer{Table: d.t, Branch: d.opt.Branch, Stage: d.opt.Stage, Summary: d.opt.Summary}
	c := &deltaCommit{d: d, p: p, guarded: map[string]*read.Task{}, removal: Removal{Paths: map[string]bool{}}}
	if err := c.prepare(ctx); err != nil {
		d.Abort(ctx)
		return nil, err
	}
	p.Added, p.Validate = d.added, c.validate
	p.Removed = []Removal{c.finished()}
	d.rows, d.added = nil, nil // the producer's now
	return d.t.Commit(ctx, p)
}

// Abort gives the change up and deletes what was written for it.
func (d *RowDelta) Abort(ctx context.Context) {
	if d.rows != nil {
		d.rows.Abort(ctx, nil)
		d.rows = nil
	}
	seen := map[string]bool{}
	for i := range d.added { // vectors share files
		if path := d.added[i].Path; !seen[path] {
			seen[path] = true
			d.t.Delete(context.WithoutCancel(ctx), path)
		}
	}
	d.added = nil
}

// deltaCommit turns what a change says into files to add and to take out.
type deltaCommit struct {
	d       *RowDelta
	p       *Producer
	removal Removal
	vectors map[string]bool // data files whose vectors go
	deletes map[string]bool // position delete files that go
	// guarded are the data files that must not get new deletes meanwhile.
	guarded map[string]*read.Task
}

// left is a file that loses some of its rows; gone are all that it has lost.
type left struct {
	task *read.Task
	gone *iceberg.Positions
	// fresh are those that go now.
	fresh *iceberg.Positions
}

func (c *deltaCommit) prepare(ctx context.Context) error {
	some, err := c.divide(ctx)
	if err != nil {
		return err
	}
	switch {
	case !c.d.onRead:
		err = c.rewrite(ctx, some)
	case c.d.meta.FormatVersion > 2:
		err = c.vectorise(ctx, some)
	default:
		err = c.positionDeletes(ctx, some)
	}
	if err != nil || c.d.rows == nil {
		return err
	}
	files, err := c.d.rows.Close(ctx)
	c.d.rows = nil
	c.d.added = append(c.d.added, files...)
	return err
}

// divide tells the files that go as a whole from those that lose some rows.
func (c *deltaCommit) divide(ctx context.Context) ([]left, error) {
	var some []left
	for _, task := range c.d.opt.Plan.Tasks { // in the table's order
		f := c.d.changed[task.Name]
		if f == nil {
			continue
		}
		if c.d.opt.Kind != "delete" {
			c.guarded[task.Name] = task
		}
		if f.gone == nil {
			c.removal.Paths[task.Name] = true
			continue
		}
		old, err := c.d.opt.Source.Deleted(ctx, task)
		if err != nil {
			return nil, err
		}
		gone := f.gone.Seal()
		all := gone
		if old != nil {
			all = iceberg.NewPositions()
			all.Union(gone)
			all.Union(old)
			all.Seal()
		}
		if all.CountWithin(0, task.Records) == task.Records {
			c.removal.Paths[task.Name] = true
			continue
		}
		some = append(some, left{task, all, gone})
	}
	return some, nil
}

// finished gives the removal with its tests.
func (c *deltaCommit) finished() Removal {
	r := c.removal
	r.Might = func(line *iceberg.ManifestFile) bool {
		if line.Deletes {
			return len(c.vectors)+len(c.deletes) > 0
		}
		return len(r.Paths) > 0
	}
	r.Is = func(_ *iceberg.PartitionSpec, f *iceberg.Live) (bool, error) {
		if f.Content != iceberg.PositionDeletes {
			return false, nil
		}
		return f.IsDeletionVector() && c.vectors[f.Referenced] || !f.IsDeletionVector() && c.deletes[f.Path], nil
	}
	return r
}

// validate refuses the change where others committed what it should have seen
// (iceberg.md §2.5).
func (c *deltaCommit) validate(ctx context.Context, v *Validation) error {
	d := c.d
	if v.Base.FormatVersion != d.meta.FormatVersion {
		return Conflict("Iceberg table %s became one of format version %d", v.Base.Location, v.Base.FormatVersion)
	}
	from := int64(-1)
	if d.opt.Source.Snapshot != nil {
		from = d.opt.Source.Snapshot.ID
	}
	if v.Head != nil && v.Head.ID == from {
		return nil
	}
	if d.strict {
		err := v.NoNewData(ctx, from, func(spec *iceberg.PartitionSpec, f *iceberg.DataFile) bool {
			might, _ := d.opt.Filter.ForSpec(d.meta, spec).FileMightMatch(f)
			return might
		})
		if err != nil {
			return err
		}
	}
	if err := v.NoNewDeletes(ctx, from, c.concerns); err != nil {
		return err
	}
	return v.NoRemovedData(ctx, from, func(_ *iceberg.PartitionSpec, f *iceberg.DataFile) bool { return d.changed[f.Path] != nil })
}

// concerns tells whether deletes are for a guarded file. Which partition a file
// of another spec lies in is not compared: values of one column may stand in
// both.
func (c *deltaCommit) concerns(spec *iceberg.PartitionSpec, f *iceberg.DataFile) bool {
	if f.Referenced != "" {
		return c.guarded[f.Referenced] != nil
	}
	if f.Content == iceberg.EqualityDeletes && len(spec.Fields) == 0 {
		return len(c.guarded) > 0
	}
	key := PartitionKey(spec.ID, f)
	for _, t := range c.guarded {
		if PartitionKey(t.Spec.ID, t.File) == key {
			return true
		}
	}
	return false
}
