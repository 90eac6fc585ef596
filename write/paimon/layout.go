package paimon

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"lakeserver/cherr"
	"lakeserver/codec/avro"
	"lakeserver/codec/parquet"
	"lakeserver/column"
	"lakeserver/metadata/paimon"
	"lakeserver/types"
	"lakeserver/write"
)

// layout is how a table's rows lie in its files.
type layout struct {
	c       *Committer
	header  column.Header // of the blocks: the schema's columns as ClickHouse types
	fields  []paimon.Field
	keys    []int // of those: the trimmed primary key
	thin    bool  // keys stand in the files once
	tracked bool  // rows bring their ids and the numbers of their last change
	stored  column.Header
	columns []write.Field // one a stored column
	forms   map[fileForm]*form
}

// fileForm is what files of one kind look like.
type fileForm struct{ format, codec string }

// form is how files of one kind are named and written.
type form struct {
	prefix, end string
	opt         *write.Options
}

// layoutOf makes the layout; tracked adds the columns of row tracking.
func layoutOf(c *Committer, tracked bool) (*layout, error) {
	if err := c.writable(); err != nil {
		return nil, err
	}
	l := &layout{c: c, fields: c.schema.Fields, thin: c.options.flag("data-file.thin-mode", false), tracked: tracked, forms: map[fileForm]*form{}}
	if c.schema.HasPrimaryKey() {
		for _, k := range c.schema.TrimmedKeys() {
			for i := range l.fields {
				if l.fields[i].ID == k.ID {
					l.keys = append(l.keys, i)
				}
			}
			t, err := storedType(k.Type)
			if err != nil {
				return nil, err
			}
			if !l.thin {
				l.add(paimon.KeyFieldPrefix+k.Name, t, write.Field{ID: paimon.KeyFieldBase + k.ID, Form: formOf(k.Type), Stats: write.StatsNone})
			}
		}
		l.add(paimon.SequenceField, types.Int64, write.Field{ID: paimon.SequenceFieldID, Stats: write.StatsNone})
		l.add(paimon.ValueKindField, types.Int8, write.Field{ID: paimon.ValueKindFieldID, Stats: write.StatsNone})
	}
	for i := range l.fields {
		f := &l.fields[i]
		t, err := paimon.ClickHouseType(f.Type, false)
		if err != nil {
			return nil, err
		}
		l.header = append(l.header, column.Field{Name: f.Name, Type: t})
		st, err := storedType(f.Type)
		if err != nil {
			return nil, cherr.Wrap(err, "writing column `%s`", f.Name)
		}
		l.add(f.Name, st, fieldOf(f.Type, f.ID, f.ID, 1))
	}
	if tracked {
		long := types.Nullable(types.Int64)
		l.add(paimon.RowIDField, long, write.Field{ID: paimon.RowIDFieldID, Stats: write.StatsNone})
		l.add(paimon.SequenceField, long, write.Field{ID: paimon.SequenceFieldID, Stats: write.StatsNone})
	}
	return l, l.makeForms()
}

func (l *layout) add(name string, t *types.Type, f write.Field) {
	l.stored = append(l.stored, column.Field{Name: name, Type: t})
	l.columns = append(l.columns, f)
}

// makeForms prepares the forms of all levels, so that one that is not written
// is told before anything is.
func (l *layout) makeForms() error {
	top := 0
	if l.c.schema.HasPrimaryKey() {
		top = l.c.TopLevel()
	}
	for level := range top + 1 {
		for _, k := range []fileKind{{level: level}, {level: level, changelog: true}} {
			f := l.formOf(k)
			if l.forms[f] != nil {
				continue
			}
			made, err := l.newForm(f)
			if err != nil {
				return err
			}
			l.forms[f] = made
		}
	}
	return nil
}

func (l *layout) form(k fileKind) *form {
	out := *l.forms[l.formOf(k)]
	out.prefix = l.c.options.text("data-file.prefix", "data-")
	if k.changelog {
		out.prefix = l.c.options.text("changelog-file.prefix", "changelog-")
	}
	return &out
}

// formOf reads the options: those of changelogs and of single levels come
// before those of all files.
func (l *layout) formOf(k fileKind) fileForm {
	o := l.c.options
	f := fileForm{strings.ToLower(o.text("file.format", "parquet")), strings.ToLower(o.text("file.compression", "zstd"))}
	level := strconv.Itoa(k.level)
	f.format = strings.ToLower(perLevel(o["file.format.per.level"], level, f.format))
	f.codec = strings.ToLower(perLevel(o["file.compression.per.level"], level, f.codec))
	if k.changelog {
		f.format = strings.ToLower(o.text("changelog-file.format", f.format))
		f.codec = strings.ToLower(o.text("changelog-file.compression", f.codec))
	}
	return f
}

// perLevel reads "0:avro,5:parquet".
func perLevel(option, level, otherwise string) string {
	for _, pair := range paimon.SplitList(option) {
		if l, v, ok := strings.Cut(pair, ":"); ok && strings.TrimSpace(l) == level {
			return strings.TrimSpace(v)
		}
	}
	return otherwise
}

func (l *layout) newForm(f fileForm) (*form, error) {
	out := &form{end: "." + f.format, opt: &write.Options{Store: l.c.dir.Store, Header: l.stored, Fields: l.columns}}
	if l.c.options.flag("file.suffix.include.compression", false) {
		out.end = "." + f.codec + out.end
	}
	switch f.format {
	case "parquet":
		codec, ok := codecs[f.codec]
		if !ok {
			return nil, invalid("file.compression = %s is not known", f.codec)
		}
		out.opt.Params = parquet.WriterOptions{SmallDecimals: true, LocalTimestamps: true, Workers: workers(), Codec: codec}
		if codec == parquet.CodecZstd {
			out.opt.Params.Level = int(l.c.options.number("file.compression.zstd-level", 1))
		}
	case "avro":
		codec, ok := avroCodecs[f.codec]
		if !ok {
			return nil, invalid("file.compression = %s is not known", f.codec)
		}
		out.opt.Format, out.opt.Codec, out.opt.Forms = write.Avro, codec, avro.PaimonForms
	default:
		return nil, cherr.New(cherr.NotImplemented, "Data files of format %s of Paimon table %s are not written; parquet and avro are", f.format, l.c.ctx.Root)
	}
	return out, nil
}

var (
	codecs     = map[string]parquet.Codec{"zstd": parquet.CodecZstd, "snappy": parquet.CodecSnappy, "none": parquet.CodecNone, "uncompressed": parquet.CodecNone, "gzip": parquet.CodecGzip, "lz4": parquet.CodecLZ4Raw}
	avroCodecs = map[string]string{"zstd": "zstandard", "snappy": "snappy", "none": "null", "null": "null", "uncompressed": "null", "gzip": "deflate", "deflate": "deflate"}
)

// storedType is the ClickHouse type that file writers turn into what Paimon's
// readers want: binary as bytes, times with a zone as points in time, NULL also
// for arrays, maps and rows.
func storedType(t *paimon.Type) (*types.Type, error) {
	plain, err := storedPlain(t)
	if err != nil || t.NotNull {
		return plain, err
	}
	return types.Nullable(plain), nil
}

func storedPlain(t *paimon.Type) (*types.Type, error) {
	switch t.Kind {
	case paimon.Binary:
		return types.String, nil
	case paimon.Timestamp, paimon.TimestampLTZ:
		if t.Precision > 6 {
			return nil, cherr.New(cherr.NotImplemented, "Times of precision %d are not written to Paimon tables: their readers want INT96", t.Precision)
		}
		if t.Kind == paimon.TimestampLTZ {
			return types.DateTime64(t.Precision, "UTC", time.UTC), nil
		}
		return types.DateTime64(t.Precision, "", nil), nil
	case paimon.Time, paimon.Variant, paimon.Blob, paimon.Vector, paimon.Multiset:
		return nil, cherr.New(cherr.NotImplemented, "Values of type %s are not written to Paimon tables", t)
	case paimon.Array:
		e, err := storedType(t.Elem)
		if err != nil {
			return nil, err
		}
		return types.Array(e), nil
	case paimon.Map:
		k, err := storedPlain(t.Key)
		if err != nil {
			return nil, err
		}
		v, err := storedType(t.Elem)
		if err != nil {
			return nil, err
		}
		return types.Map(k, v), nil
	case paimon.Row:
		var elems []*types.Type
		var names []string
		for i := range t.Fields {
			e, err := storedType(t.Fields[i].Type)
			if err != nil {
				return nil, err
			}
			elems, names = append(elems, e), append(names, t.Fields[i].Name)
		}
		return types.Tuple(elems, names), nil
	}
	required := *t
	required.NotNull = true
	return paimon.ClickHouseType(&required, false)
}

func formOf(t *paimon.Type) parquet.Form {
	if t.IsBytes() {
		return parquet.FormBinary
	}
	return parquet.FormOfType
}

// fieldOf gives a column and what is inside of it their field ids.
func fieldOf(t *paimon.Type, id, column, depth int) write.Field {
	f := write.Field{ID: id, Form: formOf(t), Stats: write.StatsBounds}
	switch t.Kind {
	case paimon.Array:
		f.Children = []write.Field{fieldOf(t.Elem, paimon.ElementID(column, depth), column, depth+1)}
	case paimon.Map:
		f.Children = []write.Field{
			fieldOf(t.Key, paimon.KeyID(column, depth), column, depth+1),
			fieldOf(t.Elem, paimon.ElementID(column, depth), column, depth+1),
		}
	case paimon.Row:
		for i := range t.Fields {
			f.Children = append(f.Children, fieldOf(t.Fields[i].Type, t.Fields[i].ID, t.Fields[i].ID, 1))
		}
	}
	return f
}

// check refuses NULL where the schema has NOT NULL inside of a Nullable block.
func (l *layout) check(b *column.Block) error {
	for i, c := range b.Columns[:len(l.fields)] {
		if !l.fields[i].Type.NotNull || l.header[i].Type.Kind() == types.KindNullable {
			continue
		}
		if _, null := column.SplitNulls(column.Full(c)); null != nil {
			for _, n := range null {
				if n != 0 {
					return cherr.New(cherr.CannotInsertNullInOrdinaryColumn, "Column `%s` is NOT NULL", l.fields[i].Name)
				}
			}
		}
	}
	return nil
}

// statsCut is how much of a text its bounds keep (metadata.stats-mode
// truncate(16), the default).
const statsCut = 16

// describe gives the manifest's view of a file.
func (l *layout) describe(c *Committer, f *write.File, name string) paimon.DataFile {
	now := c.now()
	_, offset := now.Zone()
	created := now.UnixMilli() + int64(offset)*1000 // the wall clock as if it were UTC
	empty := paimon.EncodeRow(nil, nil)
	d := paimon.DataFile{
		Name: name, Size: f.Size, Rows: f.Rows, MinKey: empty, MaxKey: empty, KeyStats: paimon.EmptyStats(), SchemaID: c.schema.ID,
		CreationTime: &created, MaxSequence: f.Rows - 1,
	}
	if c.options.flag("row-tracking.enabled", false) {
		d.MaxSequence = 0 // the commit gives it the snapshot's id
	}
	zero := int64(0)
	d.DeleteRows = &zero
	if l.tracked {
		for i := range l.stored {
			d.WriteCols = append(d.WriteCols, l.stored[i].Name)
		}
		d.ValueStatsCols = d.WriteCols[:len(l.fields)]
	}
	byID := map[int]*write.ColumnStats{}
	for i := range f.Columns {
		byID[f.Columns[i].ID] = &f.Columns[i]
	}
	ts := paimon.TypesOf(l.fields)
	low, high, nulls := make(column.Row, len(ts)), make(column.Row, len(ts)), make([]int64, len(ts))
	for i := range l.fields {
		st := byID[l.fields[i].ID]
		nulls[i] = -1
		if st == nil || ts[i].Nested() {
			continue
		}
		nulls[i] = st.Nulls
		low[i], high[i] = cut(st.Low, st.High)
		if st.NaNs > 0 {
			low[i], high[i] = nil, nil
		}
	}
	d.ValueStats = paimon.Stats{Min: paimon.EncodeRow(low, ts), Max: paimon.EncodeRow(high, ts), Nulls: nulls}
	return d
}

// cut shortens text bounds; an upper bound that cannot grow is not known.
func cut(low, high column.Value) (column.Value, column.Value) {
	l, ok := low.(string)
	if !ok {
		return low, high
	}
	h := high.(string)
	return firstRunes(l, statsCut), grown(h, statsCut)
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

func grown(s string, n int) column.Value {
	short := firstRunes(s, n)
	if len(short) == len(s) {
		return s
	}
	runes := []rune(short)
	for i := len(runes) - 1; i >= 0; i-- {
		next := runes[i] + 1
		if next == 0xD800 {
			next = 0xE000
		}
		if next <= utf8.MaxRune {
			return string(runes[:i]) + string(next)
		}
	}
	return nil
}
