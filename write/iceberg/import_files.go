package iceberg

import (
	"context"
	"net/url"
	"path"
	"slices"
	"strings"

	"lakeserver/cherr"
	"lakeserver/codec/parquet"
	"lakeserver/column"
	"lakeserver/metadata/iceberg"
	"lakeserver/objstore"
	"lakeserver/types"
	"lakeserver/write"
)

// nameMapping is the property by which columns of files without field ids are
// found.
const nameMapping = "schema.name-mapping.default"

// ImportFiles makes Parquet files that others wrote part of the table where
// they lie. What their footers say becomes their statistics; folders k=v below
// the place give the values of identity partition fields.
type ImportFiles struct {
	Table *Table
	Place string // a file or a folder in the store
	// Empty asks that the table has no snapshot yet (migrate).
	Empty bool

	files []imported
	base  *iceberg.TableMetadata // of which files was made
	p     *Producer
}

type imported struct {
	object objstore.Object
	rel    string // below the place
	parsed *parquet.Reader
}

// Open lists the files and reads their footers, eight at a time.
func (im *ImportFiles) Open(ctx context.Context) error {
	if err := im.list(ctx); err != nil {
		return err
	}
	g, ctx := cherr.NewGroup(ctx)
	g.SetLimit(readers)
	for i := range im.files {
		g.Go(func() error {
			f, err := im.Table.Store().Open(ctx, im.files[i].object.Path)
			if err != nil {
				return err
			}
			defer f.Close()
			im.files[i].parsed, err = parquet.Open(ctx, f, parquet.Options{})
			return cherr.Wrap(err, "reading the footer of %s", im.files[i].object.Path)
		})
	}
	return g.Wait()
}

func (im *ImportFiles) list(ctx context.Context) error {
	store := im.Table.Store()
	if obj, err := store.Stat(ctx, im.Place); err == nil && !strings.HasSuffix(im.Place, "/") {
		im.files = []imported{{object: obj, rel: path.Base(obj.Path)}}
		return nil
	}
	folder := withSlash(im.Place)
	found, err := store.List(ctx, folder, true)
	if err != nil && !cherr.Is(err, cherr.FileDoesntExist) {
		return err
	}
	for _, obj := range found {
		rel := strings.TrimPrefix(strings.TrimPrefix(obj.Path, folder), "/")
		if strings.HasSuffix(rel, ".parquet") && !hidden(rel) {
			im.files = append(im.files, imported{object: obj, rel: rel})
		}
	}
	if len(im.files) == 0 {
		return cherr.New(cherr.BadArguments, "There are no Parquet files in %s", im.Place)
	}
	return nil
}

// Files gives how many files were found.
func (im *ImportFiles) Files() int { return len(im.files) }

// Plan adds the files to main.
func (im *ImportFiles) Plan(ctx context.Context, base *iceberg.TableMetadata) (*Change, error) {
	if im.Empty && base.CurrentSnapshotID >= 0 {
		return nil, cherr.New(cherr.BadArguments, "Iceberg table %s has rows already: files can be added, but not taken as all of it", base.Location)
	}
	if im.p == nil || !sameShape(im.base, base) {
		if err := im.describe(base); err != nil {
			return nil, err
		}
	}
	return im.p.Plan(ctx, base)
}

// sameShape tells whether files described for one version are so for another.
func sameShape(a, b *iceberg.TableMetadata) bool {
	return a.CurrentSchemaID == b.CurrentSchemaID && a.DefaultSpecID == b.DefaultSpecID && a.Properties[nameMapping] == b.Properties[nameMapping]
}

// Finish tells the producer how it ended.
func (im *ImportFiles) Finish(ctx context.Context, next *iceberg.TableMetadata) {
	if im.p != nil {
		im.p.Finish(ctx, next)
	}
}

func (im *ImportFiles) describe(base *iceberg.TableMetadata) error {
	im.base = base
	im.p = &Producer{Table: im.Table, Operation: "append", Keep: true, Validate: im.notThereYet}
	if base.Properties[nameMapping] == "" {
		text, err := iceberg.NameMappingJSON(base.CurrentSchema())
		if err != nil {
			return err
		}
		im.p.Before = []iceberg.Update{iceberg.SetProperties{Updates: map[string]string{nameMapping: text}}}
	}
	layout, err := NewLayout(base, RowOptions{Format: "Parquet", Workers: 1, SpecID: -1})
	if err != nil {
		return err
	}
	for i := range im.files {
		f, err := im.file(base, layout, &im.files[i])
		if err != nil {
			return cherr.Wrap(err, "adding %s to Iceberg table %s", im.files[i].object.Path, base.Location)
		}
		im.p.Added = append(im.p.Added, f)
	}
	return nil
}

// notThereYet refuses files that the table has: their rows would be twice.
func (im *ImportFiles) notThereYet(ctx context.Context, v *Validation) error {
	if v.Head == nil {
		return nil
	}
	own := map[string]bool{}
	for i := range im.p.Added {
		own[path.Clean(im.Table.Paths.Map(im.p.Added[i].Path))] = true
	}
	f := &deadFinder{t: im.Table, m: v.Base, loader: im.Table.Loader, kept: map[string]iceberg.ManifestFile{}}
	if err := f.lists(ctx, []*iceberg.Snapshot{v.Head}, true); err != nil {
		return err
	}
	twice := ""
	err := f.walk(ctx, f.kept, true, func(e *iceberg.Live) {
		if own[path.Clean(im.Table.Paths.Map(e.Path))] {
			twice = e.Path
		}
	})
	if err == nil && twice != "" {
		err = cherr.New(cherr.BadArguments, "File %s is in Iceberg table %s already", twice, v.Base.Location)
	}
	return err
}

// file describes one file as a manifest does.
func (im *ImportFiles) file(base *iceberg.TableMetadata, layout *Layout, f *imported) (NewFile, error) {
	leaves, err := matchColumns(base.CurrentSchema(), f.parsed.Schema())
	if err != nil {
		return NewFile{}, err
	}
	spec := base.DefaultSpec()
	tuple, err := im.tuple(base, spec, f)
	if err != nil {
		return NewFile{}, err
	}
	out := write.File{Size: f.object.Size}
	groups := f.parsed.RowGroups()
	for i := range groups {
		out.Rows += groups[i].Rows()
	}
	for _, m := range leaves {
		c, err := footerStats(m, groups)
		if err != nil {
			return NewFile{}, err
		}
		out.Columns = append(out.Columns, c)
	}
	file := layout.dataFile(&out, im.location(base, f.object.Path), spec, tuple, 0)
	file.Format = "PARQUET"
	return file, nil
}

// location names a file in the metadata: below the table's location where it
// lies below its folder.
func (im *ImportFiles) location(base *iceberg.TableMetadata, stored string) string {
	if rest, ok := strings.CutPrefix(stored, im.Table.Paths.Root()); ok {
		return withSlash(base.Location) + rest
	}
	return objstore.Location(im.Table.Store(), stored)
}

// tuple gives the partition of a file by the folders that it lies in.
func (im *ImportFiles) tuple(base *iceberg.TableMetadata, spec *iceberg.PartitionSpec, f *imported) ([]column.Value, error) {
	values := map[string]string{}
	for _, part := range strings.Split(path.Dir(f.rel), "/") {
		if k, v, ok := strings.Cut(part, "="); ok {
			if plain, err := url.PathUnescape(v); err == nil {
				v = plain
			}
			values[k] = v
		}
	}
	out := make([]column.Value, len(spec.Fields))
	for i := range spec.Fields {
		p := &spec.Fields[i]
		if p.Transform.Kind == iceberg.Void {
			continue
		}
		source := base.CurrentSchema().Field(p.SourceID)
		text, ok := values[p.Name]
		if !ok || source == nil || p.Transform.Kind != iceberg.Identity {
			return nil, cherr.New(cherr.BadArguments, "the value of partition field `%s` (%s) is not in the file's path", p.Name, p.Transform)
		}
		if text == "__HIVE_DEFAULT_PARTITION__" {
			continue
		}
		v, err := iceberg.ParseValue(source.Type, text)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

// matched is a leaf of a file that is a leaf of the table.
type matched struct {
	field *iceberg.Field
	node  *parquet.SchemaNode
	t     *types.Type
	once  bool // it stands once in each row: statistics make sense
}

// matchColumns finds the table's columns in a file: by their ids where it has
// some, which must then be those of the same names, else by name. What is
// missing must be optional; types must be readable as the table's.
func matchColumns(schema *iceberg.Schema, root *parquet.SchemaNode) ([]matched, error) {
	var out []matched
	for i := range schema.Fields {
		f := &schema.Fields[i]
		n := root.Child(f.Name)
		if n == nil {
			if f.Required && f.InitialDefault == nil {
				return nil, cherr.New(cherr.BadArguments, "it has no column `%s`, which the table requires", f.Name)
			}
			continue
		}
		if err := matchField(f, n, f.Name, true, &out); err != nil {
			return nil, err
		}
	}
	for _, n := range root.Children {
		if n.FieldID < 0 {
			continue
		}
		if f := schema.Field(n.FieldID); f != nil && f.Name != n.Name {
			return nil, cherr.New(cherr.BadArguments, "its column `%s` has field id %d, which is that of `%s` in the table", n.Name, n.FieldID, f.Name)
		}
	}
	return out, nil
}

func matchField(f *iceberg.Field, n *parquet.SchemaNode, name string, once bool, out *[]matched) error {
	if n.FieldID >= 0 && n.FieldID != f.ID {
		return cherr.New(cherr.BadArguments, "its column `%s` has field id %d, in the table it is %d", name, n.FieldID, f.ID)
	}
	mismatch := cherr.New(cherr.BadArguments, "its column `%s` is no %s, as the table's is", name, f.Type)
	switch f.Type.Kind {
	case iceberg.Struct:
		if n.IsLeaf() {
			return mismatch
		}
		for i := range f.Type.Fields {
			child := &f.Type.Fields[i]
			if c := n.Child(child.Name); c != nil {
				if err := matchField(child, c, name+"."+child.Name, once, out); err != nil {
					return err
				}
			}
		}
		return nil
	case iceberg.List:
		elem, ok := n.ListElement()
		if !ok {
			return mismatch
		}
		return matchField(f.Type.Elem, elem, name+".element", false, out)
	case iceberg.Map:
		key, value, ok := n.MapEntry()
		if !ok {
			return mismatch
		}
		if err := matchField(f.Type.Key, key, name+".key", false, out); err != nil {
			return err
		}
		return matchField(f.Type.Value, value, name+".value", false, out)
	}
	if !n.IsLeaf() || !readableAs(n, f.Type) {
		return mismatch
	}
	t, err := iceberg.ClickHouseType(f)
	if err != nil {
		return err
	}
	*out = append(*out, matched{field: f, node: n, t: t, once: once})
	return nil
}

// readableAs tells whether a leaf's values are values of a type, or promote
// to it.
func readableAs(n *parquet.SchemaNode, t *iceberg.Type) bool {
	stored := parquet.TypeOf(n)
	if stored == nil {
		return false
	}
	from, _, err := iceberg.FromClickHouse(stored, iceberg.MaxFormatVersion)
	if err != nil {
		return false
	}
	text := []iceberg.Kind{iceberg.String, iceberg.Binary, iceberg.UUID, iceberg.Fixed}
	micros := []iceberg.Kind{iceberg.Timestamp, iceberg.TimestampTZ}
	nanos := []iceberg.Kind{iceberg.TimestampNS, iceberg.TimestampTZNS}
	switch {
	case from.Kind == iceberg.Decimal && t.Kind == iceberg.Decimal:
		return from.Scale == t.Scale && from.Precision <= t.Precision
	case t.Kind == iceberg.Fixed || t.Kind == iceberg.UUID:
		return from.Kind == t.Kind && from.Length == t.Length || n.Physical == parquet.PhysicalFixed && n.Length == max(t.Length, 16*b2i(t.Kind == iceberg.UUID))
	case from.Kind == t.Kind:
		return true
	case from.Kind == iceberg.Int && t.Kind == iceberg.Long, from.Kind == iceberg.Float && t.Kind == iceberg.Double:
		return true
	}
	return slices.Contains(text[:2], from.Kind) && slices.Contains(text[:2], t.Kind) ||
		slices.Contains(micros, from.Kind) && slices.Contains(micros, t.Kind) || slices.Contains(nanos, from.Kind) && slices.Contains(nanos, t.Kind)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// footerStats gathers what the row groups say of a leaf. A row group that says
// nothing leaves nothing known (iceberg.md §1.9).
func footerStats(m matched, groups []parquet.RowGroup) (write.ColumnStats, error) {
	s := write.ColumnStats{ID: m.field.ID, NaNs: -1}
	bounds := m.once
	for i := range groups {
		c := groups[i].Chunk(m.node.Leaf)
		size, _ := c.Sizes()
		s.Bytes += size
		s.Values += c.Values()
		nulls, ok := c.Nulls()
		if m.node.MaxDef == 0 {
			nulls, ok = 0, true
		}
		if !ok {
			s.Nulls, bounds = -1, false
		} else if s.Nulls >= 0 {
			s.Nulls += nulls
		}
		b, known := c.Bounds(m.t)
		switch {
		case ok && nulls == c.Values():
		case !known || isNaN(b.Min) || isNaN(b.Max):
			bounds = false
		default:
			if s.Low == nil || iceberg.CompareValues(b.Min, s.Low) < 0 {
				s.Low = b.Min
			}
			if s.High == nil || iceberg.CompareValues(b.Max, s.High) > 0 {
				s.High = b.Max
			}
		}
	}
	if m.once && m.field.Required && s.Nulls > 0 {
		return s, cherr.New(cherr.BadArguments, "its column `%s` has %d NULLs, and the table requires values", m.field.Name, s.Nulls)
	}
	if !bounds {
		s.Low, s.High = nil, nil
	}
	if !m.once { // as writers do: counts of elements help nobody
		s.Values, s.Nulls = -1, -1
	}
	return s, nil
}

func isNaN(v column.Value) bool {
	switch x := v.(type) {
	case float32:
		return x != x
	case float64:
		return x != x
	}
	return false
}
