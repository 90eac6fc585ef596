package iceberg

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/memory"
	"lakeserver/metadata/iceberg"
	"lakeserver/write"
)

// RowOptions say how rows become files.
type RowOptions struct {
	Format        string // of files; "": what the table says
	MaxRows       int64  // of a file, 0: any number
	MaxBytes      int64  // of a file, 0: what the table says
	MaxPartitions int    // that one statement may write to, 0: any number
	Workers       int    // columns encoded at once
	Lineage       bool   // blocks bring row ids and change numbers behind the columns
	SpecID        int    // -1: the table's default
	KeepNulls     bool   // blocks may bring lists, maps and structs that are NULL
	Unsorted      bool   // the table's sort order is not kept
	Memory        *memory.Tracker
}

// RowWriter turns rows of a table's current schema into data files: one or
// more a partition, sorted when the table has an order. It is used by one
// goroutine.
type RowWriter struct {
	t      *Table
	meta   *iceberg.TableMetadata
	layout *Layout
	opt    RowOptions
	spec   *iceberg.PartitionSpec
	split  *partitioner
	keys   []sortKey
	order  int
	parts  map[uint32]*openPartition
	held   int64 // bytes kept for sorting
	files  []NewFile
	rows   int64
}

// openPartition is a partition that rows were seen of.
type openPartition struct {
	tuple []column.Value
	file  *write.Writer // nil: none is open
	path  string
	raw   int64           // bytes of the blocks since its last row group
	kept  []*column.Block // rows to be sorted
	size  int64           // of them
}

// NewRowWriter begins. meta is the version whose schema, spec and properties
// count.
func NewRowWriter(t *Table, meta *iceberg.TableMetadata, opt RowOptions) (*RowWriter, error) {
	layout, err := NewLayout(meta, opt)
	if err != nil {
		return nil, err
	}
	layout.opt.Store = t.Store()
	w := &RowWriter{t: t, meta: meta, layout: layout, opt: opt, order: -1, parts: map[uint32]*openPartition{}}
	if w.spec = meta.Spec(opt.SpecID); opt.SpecID < 0 {
		w.spec = meta.Spec(meta.DefaultSpecID)
	}
	if w.spec == nil {
		return nil, cherr.New(cherr.IcebergSpecificationViolation, "partition spec %d is not in the metadata of Iceberg table %s", opt.SpecID, meta.Location)
	}
	if w.split, err = newPartitioner(meta.CurrentSchema(), w.spec); err != nil {
		return nil, err
	}
	if !opt.Unsorted && meta.DefaultSortOrderID != 0 {
		if w.keys, err = sortKeys(meta.CurrentSchema(), meta.SortOrder(meta.DefaultSortOrderID).Fields); err != nil {
			return nil, err
		}
		w.order = meta.DefaultSortOrderID
	}
	target := intProperty(meta.Properties, "write.target-file-size-bytes", 512<<20)
	if w.opt.MaxBytes <= 0 || w.opt.MaxBytes > target {
		w.opt.MaxBytes = target
	}
	return w, nil
}

// Header gives the columns that blocks must bring.
func (w *RowWriter) Header() column.Header { return w.layout.Header }

// Rows gives the rows so far.
func (w *RowWriter) Rows() int64 { return w.rows }

// Write adds a block's rows.
func (w *RowWriter) Write(ctx context.Context, b *column.Block) error {
	if b.Rows == 0 {
		return nil
	}
	w.rows += int64(b.Rows)
	b, err := w.layout.withoutNulls(b)
	if err != nil {
		return err
	}
	codes, err := w.split.split(b)
	if err != nil {
		return err
	}
	for _, p := range groups(codes, b) {
		if err := w.writePart(ctx, p.code, p.rows); err != nil {
			return err
		}
	}
	return w.bound(ctx)
}

// withoutNulls unwraps columns that say where they are NULL though the schema
// says that they never are: what was read may come so.
func (l *Layout) withoutNulls(b *column.Block) (*column.Block, error) {
	out := b
	for i, f := range l.Header {
		n, ok := b.Columns[i].(*column.Nullable)
		if !ok || f.Type.IsNullable() {
			continue
		}
		if slices.Contains(n.Null, 1) {
			return nil, cherr.New(cherr.CannotInsertNullInOrdinaryColumn, "Column `%s` is required and cannot hold NULL", f.Name)
		}
		if out == b {
			out = &column.Block{Columns: slices.Clone(b.Columns), Rows: b.Rows}
		}
		out.Columns[i] = n.Values
	}
	return out, nil
}

type group struct {
	code uint32
	rows *column.Block
}

// groups takes a block apart by the rows' codes.
func groups(codes []uint32, b *column.Block) []group {
	if codes == nil {
		return []group{{0, b}}
	}
	first, same := codes[0], true
	for _, c := range codes {
		same = same && c == first
	}
	if same {
		return []group{{first, b}}
	}
	b = column.FullBlock(b)
	rows, order := map[uint32][]uint32{}, []uint32(nil)
	for r, c := range codes {
		list, ok := rows[c]
		if !ok {
			order = append(order, c)
		}
		rows[c] = append(list, uint32(r))
	}
	out := make([]group, len(order))
	for i, c := range order {
		out[i] = group{c, b.Gather(rows[c])}
	}
	return out
}

func (w *RowWriter) writePart(ctx context.Context, code uint32, b *column.Block) error {
	p := w.parts[code]
	if p == nil {
		if w.opt.MaxPartitions > 0 && len(w.parts) >= w.opt.MaxPartitions {
			return cherr.New(cherr.BadArguments, "Too many partitions: more than %d in one insert (iceberg_insert_max_partitions)", w.opt.MaxPartitions)
		}
		p = &openPartition{tuple: w.split.tuple(code)}
		w.parts[code] = p
	}
	if w.keys == nil {
		return w.append(ctx, p, b)
	}
	n := b.Size()
	if err := w.opt.Memory.Grow(n); err != nil {
		return err
	}
	p.kept, p.size = append(p.kept, b), p.size+n
	w.held += n
	return nil
}

// append adds rows to the partition's file and begins a new one when it is
// full.
func (w *RowWriter) append(ctx context.Context, p *openPartition, b *column.Block) error {
	for from := 0; from < b.Rows; {
		if p.file == nil {
			p.path = DataFolder(w.meta) + uuid.NewString() + w.layout.end
			f, err := write.Create(ctx, &w.layout.opt, w.t.Paths.Map(p.path))
			if err != nil {
				return err
			}
			p.file, p.raw = f, 0
		}
		to := b.Rows
		if w.opt.MaxRows > 0 {
			to = min(to, from+int(max(1, w.opt.MaxRows-p.file.Rows())))
		}
		part := w.layout.columnsOf(b.Slice(from, to))
		p.raw += part.Size()
		if err := p.file.Write(ctx, part); err != nil {
			return err
		}
		from = to
		if w.opt.MaxRows > 0 && p.file.Rows() >= w.opt.MaxRows || p.file.Bytes() >= w.opt.MaxBytes {
			if err := w.closeFile(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// columnsOf leaves out the columns that files do not hold.
func (l *Layout) columnsOf(b *column.Block) *column.Block {
	if len(l.stored) == len(b.Columns) {
		return b
	}
	out := &column.Block{Rows: b.Rows}
	for _, i := range l.stored {
		out.Columns = append(out.Columns, b.Columns[i])
	}
	return out
}

func (w *RowWriter) closeFile(p *openPartition) error {
	f, err := p.file.Close()
	p.file = nil
	if err != nil {
		return err
	}
	w.files = append(w.files, w.layout.dataFile(f, p.path, w.spec, p.tuple, w.order))
	return nil
}

// Bounds of what one statement keeps in memory.
const (
	sortBytes  = 256 << 20 // rows waiting to be sorted
	groupBytes = 512 << 20 // row groups not yet on disk
	groupLeast = 8 << 20   // less is not worth a row group
)

// bound ends the largest row groups, or sorts and writes the largest kept
// part, when all together hold too much.
func (w *RowWriter) bound(ctx context.Context) error {
	for w.held > sortBytes {
		if err := w.flush(ctx, w.largest(func(p *openPartition) int64 { return p.size })); err != nil {
			return err
		}
	}
	open := int64(0)
	for _, p := range w.parts {
		if p.file != nil {
			open += p.raw
		}
	}
	for open > groupBytes {
		p := w.largest(func(p *openPartition) int64 {
			if p.file == nil {
				return 0
			}
			return p.raw
		})
		if p.raw < groupLeast {
			return nil
		}
		open -= p.raw
		p.raw = 0
		if err := p.file.EndGroup(); err != nil {
			return err
		}
	}
	return nil
}

func (w *RowWriter) largest(size func(*openPartition) int64) *openPartition {
	var best *openPartition
	for _, p := range w.parts {
		if best == nil || size(p) > size(best) {
			best = p
		}
	}
	return best
}

// flush sorts what is kept of a partition and writes it to files of its own:
// rows of later ones may stand before these.
func (w *RowWriter) flush(ctx context.Context, p *openPartition) error {
	if len(p.kept) == 0 {
		return nil
	}
	all := w.layout.concat(p.kept)
	w.opt.Memory.Shrink(p.size)
	w.held -= p.size
	p.kept, p.size = nil, 0
	sorted, err := sortBlock(all, w.keys)
	if err != nil {
		return err
	}
	for from := 0; from < sorted.Rows; from += sortedStep {
		if err := w.append(ctx, p, sorted.Slice(from, min(from+sortedStep, sorted.Rows))); err != nil {
			return err
		}
	}
	if p.file == nil {
		return nil
	}
	return w.closeFile(p)
}

// sortedStep is how many sorted rows are written at once.
const sortedStep = 1 << 16

func (l *Layout) concat(blocks []*column.Block) *column.Block {
	if len(blocks) == 1 {
		return column.FullBlock(blocks[0])
	}
	out := &column.Block{}
	for i, f := range l.Header {
		cols := make([]column.Column, len(blocks))
		for j, b := range blocks {
			cols[j] = b.Columns[i]
		}
		out.Columns = append(out.Columns, column.Full(column.Concat(f.Type, cols)))
	}
	for _, b := range blocks {
		out.Rows += b.Rows
	}
	return out
}

// Close ends all files and gives them. They are on disk and belong to no
// snapshot yet: a Producer takes them over. After an error all are deleted.
func (w *RowWriter) Close(ctx context.Context) ([]NewFile, error) {
	for code := range uint32(len(w.parts)) { // codes count up
		p := w.parts[code]
		err := w.flush(ctx, p)
		if err == nil && p.file != nil {
			err = w.closeFile(p)
		}
		if err != nil {
			w.Abort(ctx, err)
			return nil, err
		}
	}
	return w.files, nil
}

// Abort gives up what is open and deletes what was written.
func (w *RowWriter) Abort(ctx context.Context, cause error) {
	for _, p := range w.parts {
		if p.file != nil {
			p.file.Abort(cause)
			p.file = nil
		}
		w.opt.Memory.Shrink(p.size)
		p.kept, p.size = nil, 0
	}
	ctx = context.WithoutCancel(ctx)
	for i := range w.files {
		w.t.Delete(ctx, w.files[i].Path)
	}
	w.files = nil
}
