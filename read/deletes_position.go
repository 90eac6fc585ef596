package read

import (
	"context"
	"fmt"
	"strings"

	"lakeserver/cherr"
	"lakeserver/codec/avro"
	"lakeserver/codec/parquet"
	"lakeserver/column"
	"lakeserver/metadata/iceberg"
	"lakeserver/objstore"
	"lakeserver/types"
)

// loadDeletes reads what deletes rows of the file, or waits for another
// stream that reads it.
func (src *Source) loadDeletes(ctx context.Context, f *fileUnits) error {
	p, err := f.s.deleted(ctx, src, f.task)
	if err != nil {
		return err
	}
	if p != nil {
		f.positions = p
	}
	for _, g := range f.task.equality {
		t, err := src.keys(ctx, g)
		if err != nil {
			return err
		}
		if err := f.s.reserve(t); err != nil {
			return err
		}
		f.equality = append(f.equality, t)
		for i, id := range t.ids {
			f.addExtra(id, t.types[i], t.paths[i])
		}
	}
	return nil
}

func (f *fileUnits) addExtra(id int, t *types.Type, path []*iceberg.Field) {
	for _, x := range f.extra {
		if x.id == id {
			return
		}
	}
	f.extra = append(f.extra, extraColumn{id: id, t: t, path: path, slot: len(f.s.slots) + len(f.extra)})
}

func (s *Scan) deleted(ctx context.Context, src *Source, t *Task) (*iceberg.Positions, error) {
	if t.vector == nil && len(t.positions) == 0 {
		return nil, nil
	}
	s.Metrics.DeleteFiles.Add(int64(len(t.positions)))
	return src.positionsOf(ctx, t)
}

// positionsOf gives the deleted positions of a task's file, nil for none.
func (src *Source) positionsOf(ctx context.Context, t *Task) (*iceberg.Positions, error) {
	if t.vector != nil {
		return t.vector.vector.get(func() (*iceberg.Positions, error) { return src.loadVector(ctx, t) })
	}
	var sets []*iceberg.Positions
	for _, d := range t.positions {
		byFile, err := d.load.get(func() (map[string]*iceberg.Positions, error) { return src.loadPositions(ctx, d) })
		if err != nil {
			return nil, cherr.Wrap(err, "reading position delete file %s", d.path)
		}
		if p := byFile[t.Path]; p != nil {
			sets = append(sets, p)
		}
	}
	switch len(sets) {
	case 0:
		return nil, nil
	case 1:
		return sets[0], nil
	}
	all := iceberg.NewPositions()
	for _, p := range sets {
		all.Union(p)
	}
	return all.Seal(), nil
}

func (src *Source) loadVector(ctx context.Context, t *Task) (*iceberg.Positions, error) {
	d := t.vector
	df := d.file
	if df.ContentOffset < 0 || df.ContentSize < 0 || df.ContentSize > 1<<31 {
		return nil, cherr.New(cherr.IcebergSpecificationViolation, "deletion vector in %s has no place and size", d.path)
	}
	file, err := src.Loader.Store.Open(ctx, d.path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if size := file.Object().Size; df.ContentOffset+df.ContentSize > size {
		return nil, cherr.New(cherr.IncorrectData, "deletion vector at byte %d of %d bytes lies outside of %s of %d bytes", df.ContentOffset, df.ContentSize, d.path, size)
	}
	blob := make([]byte, df.ContentSize)
	if _, err := file.ReadAt(blob, df.ContentOffset); err != nil {
		return nil, cherr.WithCode(cherr.CannotReadAllData, err, "reading %s", d.path)
	}
	p, err := iceberg.ParseDeletionVector(blob)
	if err != nil {
		return nil, cherr.Wrap(err, "reading %s at byte %d", d.path, df.ContentOffset)
	}
	if p.Len() != df.Records {
		return nil, cherr.New(cherr.IncorrectData, "deletion vector in %s has %d positions, its manifest says %d", d.path, p.Len(), df.Records)
	}
	return p, nil
}

// positionCollector sorts (path, position) pairs by file.
type positionCollector struct {
	src    *Source
	byFile map[string]*iceberg.Positions
	last   string
	cur    *iceberg.Positions
}

func (c *positionCollector) of(path string) *iceberg.Positions {
	if c.cur != nil && path == c.last {
		return c.cur
	}
	key := c.src.Paths.Map(path)
	p := c.byFile[key]
	if p == nil {
		p = iceberg.NewPositions()
		c.byFile[key] = p
	}
	c.last, c.cur = strings.Clone(path), p
	return p
}

// add takes a block of paths and positions; runs of one path go together.
func (c *positionCollector) add(paths, positions column.Column) error {
	pos := column.Values[int64](column.Full(positions))
	for _, p := range pos {
		if p < 0 {
			return cherr.New(cherr.IncorrectData, "position %d is deleted", p)
		}
	}
	if d, ok := paths.(*column.Dict); ok {
		for i := 0; i < len(pos); {
			j := i + 1
			for j < len(pos) && d.Codes[j] == d.Codes[i] {
				j++
			}
			c.of(d.Values.(*column.Str).StringAt(int(d.Codes[i]))).Add(pos[i:j])
			i = j
		}
		return nil
	}
	s := column.Full(paths).(*column.Str)
	for i := 0; i < len(pos); {
		j := i + 1
		for j < len(pos) && s.StringAt(j) == s.StringAt(i) {
			j++
		}
		c.of(s.StringAt(i)).Add(pos[i:j])
		i = j
	}
	return nil
}

// loadPositions reads a position delete file, or finds what was read of it: a
// file never changes under its path and size.
func (src *Source) loadPositions(ctx context.Context, d *deleteFile) (map[string]*iceberg.Positions, error) {
	if src.Shared == nil || src.Loader.Cache == nil {
		return src.readPositions(ctx, d)
	}
	key := fmt.Sprintf("positions\x00%s\x00%s\x00%d", objstore.Identity(src.Loader.Store), d.path, d.file.Size)
	v, _, err := src.Shared.cache.Get(ctx, key, func() (any, int64, error) {
		m, err := src.readPositions(ctx, d)
		size := int64(256)
		for path, p := range m {
			size += p.Size() + int64(len(path)) + 64
		}
		return m, size, err
	})
	if err != nil {
		return nil, err
	}
	return v.(map[string]*iceberg.Positions), nil
}

func (src *Source) readPositions(ctx context.Context, d *deleteFile) (map[string]*iceberg.Positions, error) {
	c := &positionCollector{src: src, byFile: map[string]*iceberg.Positions{}}
	path := iceberg.Field{ID: iceberg.DeleteFilePathID, Name: "file_path", Required: true, Type: iceberg.ParseType("string")}
	pos := iceberg.Field{ID: iceberg.DeletePosID, Name: "pos", Required: true, Type: iceberg.ParseType("long")}
	err := src.readPlain(ctx, d.file, d.path, []*iceberg.Field{&path, &pos}, []*types.Type{types.String, types.Int64}, func(cols []column.Column) error {
		return c.add(cols[0], cols[1])
	})
	if err != nil {
		return nil, err
	}
	for _, p := range c.byFile {
		p.Seal()
	}
	return c.byFile, nil
}

// readPlain reads columns of a delete file by field id, block by block. A
// field that the file lacks is NULL; the fields of position deletes must be there.
func (src *Source) readPlain(ctx context.Context, df *iceberg.DataFile, path string, fields []*iceberg.Field, ts []*types.Type, f func([]column.Column) error) error {
	file, err := src.Loader.Store.Open(ctx, path)
	if err != nil {
		return err
	}
	defer file.Close()
	if size := file.Object().Size; size != df.Size {
		return cherr.New(cherr.IncorrectData, "Delete file %s has %d bytes, its manifest says %d", path, size, df.Size)
	}
	rows := int64(0)
	count := func(cols []column.Column) error {
		rows += int64(cols[0].Len())
		return f(cols)
	}
	schema := &iceberg.Schema{}
	for _, x := range fields {
		schema.Fields = append(schema.Fields, *x)
	}
	switch {
	case df.IsFormat("parquet"):
		err = src.readPlainParquet(ctx, file, schema, ts, count)
	case df.IsFormat("avro"):
		err = readPlainAvro(ctx, file, path, schema, ts, count)
	default:
		return cherr.New(cherr.NotImplemented, "Delete file %s has format %s, which cannot be read", path, df.Format)
	}
	if err == nil && rows != df.Records {
		err = cherr.New(cherr.IncorrectData, "Delete file %s has %d rows, its manifest says %d", path, rows, df.Records)
	}
	return err
}

func (src *Source) readPlainParquet(ctx context.Context, file objstore.File, schema *iceberg.Schema, ts []*types.Type, f func([]column.Column) error) error {
	r, err := src.Shared.open(ctx, file, parquet.Options{VerifyChecksums: true}, false)
	if err != nil {
		return err
	}
	m := newParquetMatcher(r.Schema(), schema, nil)
	wants, fins := make([]parquet.Want, len(ts)), make([]finish, len(ts))
	for i := range schema.Fields {
		if wants[i], fins[i], err = m.want(m.root, &schema.Fields[i], ts[i]); err != nil {
			return err
		}
		if wants[i].Node == nil {
			return missingKey(&schema.Fields[i])
		}
	}
	for g := range r.RowGroups() {
		if err := scanGroup(ctx, r, g, wants, fins, f); err != nil {
			return err
		}
	}
	return nil
}

func missingKey(f *iceberg.Field) error {
	return cherr.New(cherr.IncorrectData, "the delete file has no column `%s` of id %d", f.Name, f.ID)
}

func scanGroup(ctx context.Context, r *parquet.Reader, g int, wants []parquet.Want, fins []finish, f func([]column.Column) error) error {
	cur, err := r.Scan(g, wants)
	if err != nil {
		return err
	}
	defer cur.Close()
	for cur.Next(defaultBlockRows) > 0 {
		cols := make([]column.Column, len(wants))
		for i := range cols {
			if cols[i], err = cur.Read(ctx, i, nil); err != nil {
				return err
			}
			if fins[i] != nil {
				if cols[i], err = fins[i](cols[i]); err != nil {
					return err
				}
			}
		}
		if err := f(cols); err != nil {
			return err
		}
	}
	return nil
}

func readPlainAvro(ctx context.Context, file objstore.File, path string, schema *iceberg.Schema, ts []*types.Type, f func([]column.Column) error) error {
	a, err := avro.Open(path, file, file.Object().Size)
	if err != nil {
		return err
	}
	defer a.Close()
	if a.Schema.Kind != avro.Record {
		return cherr.New(cherr.IncorrectData, "it has no records")
	}
	m := newAvroMatcher(a.Schema, schema, nil)
	wants, fins := make([]avro.Want, len(ts)), make([]finish, len(ts))
	for i := range schema.Fields {
		if wants[i], fins[i], err = m.want(a.Schema, &schema.Fields[i], ts[i]); err != nil {
			return err
		}
		if wants[i].Field < 0 {
			return missingKey(&schema.Fields[i])
		}
	}
	r, err := a.NewReader(wants)
	if err != nil {
		return err
	}
	for {
		cols, _, rows, err := r.Next(ctx, defaultBlockRows)
		if err != nil || rows == 0 {
			return err
		}
		for i, fin := range fins {
			if fin != nil {
				if cols[i], err = fin(cols[i]); err != nil {
					return err
				}
			}
		}
		if err := f(cols); err != nil {
			return err
		}
	}
}
