package read

import (
	"context"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/metadata/iceberg"
	"lakeserver/objstore"
	"lakeserver/types"
)

// fileUnits is an open data file and its row groups that nobody has taken yet.
type fileUnits struct {
	s      *Scan
	task   *Task
	file   objstore.File
	obj    objstore.Object
	groups []rowRange // guarded by Scan.mu
	users  int        // units at work; guarded by Scan.mu
	// release tells the file that the first row group, of which reading began
	// ahead, is done; nil: nothing was begun.
	release func()

	positions positions // deleted, nil: none
	equality  []*keyTable
	extra     []extraColumn // columns that only equality deletes read
	kind      int           // slot of the rows' kinds, where deleted ones must go; -1: they need not
	bind      []binding     // a slot, then those of extra
	format    format
}

// rowRange is one unit of work: a row group, or a whole file.
type rowRange struct {
	group       int
	first, rows int64  // rows -1: not known before reading
	ranges      []rows // within the group, the rows that may match; nil: all
}

// format is a file's reader.
type format interface {
	// start begins to read a range; nil: nothing in it is wanted any more.
	start(ctx context.Context, f *fileUnits, g rowRange) (source, error)
}

// source reads windows of rows, front to back.
type source interface {
	// next moves to the next window and gives its rows, 0 at the end, and the
	// place of its first row in the file.
	next(ctx context.Context, n int) (rows int, first int64, err error)
	// read gives a column at the positions of the window (nil: all).
	read(ctx context.Context, want int, sel []uint32) (column.Column, error)
	close()
}

// binding says where a slot's values come from in one file.
type binding struct {
	from   int           // want of the format, -1: not from the file
	fin    finish        // to apply to what was read, nil: none
	value  column.Column // one row, when every row of the file has it
	rowID  bool          // computed: first row id and position, where NULL was read or nothing
	last   bool          // where NULL was read: the data sequence number
	number bool          // the row's place in the file, counted from base
	base   int64
}

// extraColumn is a column read for equality deletes alone.
type extraColumn struct {
	id   int
	t    *types.Type
	path []*iceberg.Field // structs around the leaf, and the leaf
	slot int
}

// openFile opens a task's file and prepares its units. nil, nil: nothing in it
// can match.
func (s *Scan) openFile(ctx context.Context, t *Task) (*fileUnits, error) {
	f := &fileUnits{s: s, task: t, kind: -1}
	skip, err := s.paths.refuse(ctx, s, t)
	if err != nil || skip || s.fileBehind(t) {
		s.Metrics.FilesPruned.Add(1)
		return nil, err
	}
	if skip, err = s.req.Source.refuse(ctx, s, t); err != nil || skip {
		s.Metrics.FilesPruned.Add(1)
		return nil, err
	}
	if s.countOnly(t) {
		return s.countUnits(f), nil
	}
	if err := s.req.Source.loadDeletes(ctx, f); err != nil {
		return nil, err
	}
	if f.file, err = s.store().Open(ctx, t.Path); err != nil {
		return nil, cherr.Wrap(err, "opening data file %s", t.Path)
	}
	f.obj = f.file.Object()
	if err := f.prepare(ctx); err != nil {
		f.file.Close()
		return nil, err
	}
	s.Metrics.Files.Add(1)
	return f, nil
}

// countOnly: nothing but the number of rows is wanted, and the manifest has it.
func (s *Scan) countOnly(t *Task) bool {
	any, _ := t.HasDeletes()
	return len(s.slots) == 0 && !any && t.Format != "orc"
}

func (s *Scan) countUnits(f *fileUnits) *fileUnits {
	f.format = countFormat{f.task.Records}
	f.groups = []rowRange{{rows: f.task.Records}}
	return f
}

func (f *fileUnits) prepare(ctx context.Context) error {
	if f.obj.Size != f.task.Size {
		return cherr.New(cherr.IncorrectData, "Data file %s has %d bytes, its manifest says %d", f.task.Path, f.obj.Size, f.task.Size)
	}
	f.file = &countingFile{f.file, f.s}
	f.bind = make([]binding, len(f.s.slots), len(f.s.slots)+len(f.extra))
	for i := range f.bind {
		f.bind[i] = binding{from: -1}
	}
	for range f.extra {
		f.bind = append(f.bind, binding{from: -1})
	}
	if f.kind >= 0 {
		f.kind = len(f.bind)
		f.bind = append(f.bind, binding{from: -1})
	}
	for i := range f.s.slots {
		f.bindVirtual(i)
	}
	switch f.task.Format {
	case "parquet":
		return f.openParquet(ctx)
	case "avro":
		return f.openAvro(ctx)
	case "blob":
		return f.openBlob()
	}
	return cherr.New(cherr.NotImplemented, "Data file %s has format %s, which cannot be read", f.task.Path, f.task.Format)
}

func (f *fileUnits) close() {
	if f.file != nil {
		f.file.Close()
		f.file = nil
	}
}

// start begins a unit; the caller has counted itself among the users.
func (f *fileUnits) start(ctx context.Context, g rowRange) (*unit, error) {
	src, err := f.format.start(ctx, f, g)
	if err != nil || src == nil {
		return nil, err
	}
	f.s.Metrics.RowGroups.Add(1)
	return &unit{f: f, s: f.s, src: src}, nil
}

// bindVirtual binds a virtual column; those that may be stored in the file as
// well are completed by the format.
func (f *fileUnits) bindVirtual(slot int) {
	c := &f.s.slots[slot]
	b := &f.bind[slot]
	one := func(t *types.Type, v column.Value) { b.value = column.FromValue(t, v, 1).Value }
	switch c.Virtual {
	case VirtualPath:
		one(types.String, f.task.Path)
	case VirtualFile:
		one(types.String, f.task.Path[strings.LastIndexByte(f.task.Path, '/')+1:])
	case VirtualSize:
		one(c.Type, uint64(f.obj.Size))
	case VirtualTime:
		one(c.Type, uint32(f.obj.Modified.Unix()))
	case VirtualETag:
		one(types.String, f.obj.ETag)
	case VirtualMeta:
		one(types.String, f.task.Name)
	case VirtualTags:
		one(c.Type, nil)
	case VirtualVersion:
		one(c.Type, nil)
	case VirtualRow:
		b.number = true
	case VirtualRowID:
		b.rowID = true
	case VirtualLast:
		b.last = true
	}
	if f.task.Paimon != nil {
		f.bindPaimon(c, b)
	}
}

// countFormat gives rows without columns.
type countFormat struct{ rows int64 }

func (c countFormat) start(context.Context, *fileUnits, rowRange) (source, error) {
	return &countSource{left: c.rows}, nil
}

type countSource struct{ at, left int64 }

func (c *countSource) next(_ context.Context, _ int) (int, int64, error) {
	n := min(c.left, column.MaxBlockRows)
	first := c.at
	c.at += n
	c.left -= n
	return int(n), first, nil
}

func (c *countSource) read(context.Context, int, []uint32) (column.Column, error) {
	return nil, cherr.New(cherr.LogicalError, "a count has no columns")
}
func (c *countSource) close() {}

// countingFile counts the bytes that are read.
type countingFile struct {
	objstore.File
	s *Scan
}

func (c *countingFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.File.ReadAt(p, off)
	c.s.Metrics.Bytes.Add(int64(n))
	if c.s.req.Progress != nil {
		c.s.req.Progress(0, int64(n))
	}
	return n, err
}

// Plan passes on to the file what will be read soon.
func (c *countingFile) Plan(ranges []objstore.Range) func() { return objstore.Plan(c.File, ranges) }

// pathConditions are the conditions over columns that are one value a file and
// known before it is opened; with them a file is refused unopened.
type pathConditions []condition

func (s *Scan) splitPathConditions() pathConditions {
	var out pathConditions
	for _, c := range s.conds {
		ok := len(c.slots) > 0 && expr.Deterministic(c.e)
		for _, slot := range c.slots {
			v := s.slots[slot].Virtual
			ok = ok && (v == VirtualPath || v == VirtualFile || v == VirtualMeta)
		}
		if ok {
			out = append(out, c)
		}
	}
	return out
}

func (p pathConditions) refuse(ctx context.Context, s *Scan, t *Task) (bool, error) {
	if len(p) == 0 {
		return false, nil
	}
	f := &fileUnits{s: s, task: t, bind: make([]binding, len(s.slots))}
	b := &column.Block{Columns: make([]column.Column, len(s.slots)), Rows: 1}
	for i := range s.slots {
		f.bindVirtual(i)
		b.Columns[i] = f.bind[i].value
	}
	for i := range p {
		rows, all, err := p[i].test(ctx, b)
		if err != nil || !all && len(rows) == 0 {
			return true, err
		}
	}
	return false, nil
}
