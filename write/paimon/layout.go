package paimon

import (
	"time"
	"unicode/utf8"

	"lakeserver/cherr"
	"lakeserver/codec/parquet"
	"lakeserver/column"
	"lakeserver/metadata/paimon"
	"lakeserver/types"
	"lakeserver/write"
)

// layout is how a table's rows lie in its files.
type layout struct {
	c      *Committer
	header column.Header // of the blocks: the schema's columns as ClickHouse types
	fields []paimon.Field
	keys   []int // of those: the trimmed primary key
	opt    *write.Options
	end    string
}

func newLayout(c *Committer) (*layout, error) {
	if err := c.writable(); err != nil {
		return nil, err
	}
	l := &layout{c: c, fields: c.schema.Fields, end: ".parquet", opt: &write.Options{Store: c.dir.Store, Format: write.Parquet}}
	l.opt.Params = parquet.WriterOptions{SmallDecimals: true, LocalTimestamps: true, Workers: workers(), Level: int(c.options.number("file.compression.zstd-level", 1))}
	codec, ok := codecs[c.options.text("file.compression", "zstd")]
	if !ok {
		return nil, invalid("file.compression = %s is not known", c.options["file.compression"])
	}
	l.opt.Params.Codec = codec
	if codec != parquet.CodecZstd {
		l.opt.Params.Level = 0
	}
	keyed := c.schema.HasPrimaryKey()
	if keyed {
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
			l.add(paimon.KeyFieldPrefix+k.Name, t, write.Field{ID: paimon.KeyFieldBase + k.ID, Form: formOf(k.Type), Stats: write.StatsNone})
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
	return l, nil
}

func (l *layout) add(name string, t *types.Type, f write.Field) {
	l.opt.Header = append(l.opt.Header, column.Field{Name: name, Type: t})
	l.opt.Fields = append(l.opt.Fields, f)
}

var codecs = map[string]parquet.Codec{"zstd": parquet.CodecZstd, "snappy": parquet.CodecSnappy, "none": parquet.CodecNone, "gzip": parquet.CodecGzip, "lz4": parquet.CodecLZ4Raw}

// storedType is the ClickHouse type that the Parquet writer turns into what
// Paimon's readers want: binary as bytes, times with a zone as points in time.
func storedType(t *paimon.Type) (*types.Type, error) {
	out, err := paimon.ClickHouseType(t, false)
	if err != nil {
		return nil, err
	}
	var plain *types.Type
	switch t.Kind {
	case paimon.Binary:
		plain = types.String
	case paimon.Timestamp, paimon.TimestampLTZ:
		if t.Precision > 6 {
			return nil, cherr.New(cherr.NotImplemented, "Times of precision %d are not written to Paimon tables: their readers want INT96", t.Precision)
		}
		plain = types.DateTime64(t.Precision, "", nil)
		if t.Kind == paimon.TimestampLTZ {
			plain = types.DateTime64(t.Precision, "UTC", time.UTC)
		}
	case paimon.Time, paimon.Variant, paimon.Blob, paimon.Vector, paimon.Multiset:
		return nil, cherr.New(cherr.NotImplemented, "Values of type %s are not written to Paimon tables", t)
	case paimon.Array, paimon.Map, paimon.Row:
		return out, nil
	default:
		return out, nil
	}
	if !t.NotNull {
		plain = types.Nullable(plain)
	}
	return plain, nil
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
	for i, c := range b.Columns {
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
	created := c.now().UnixMilli()
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
