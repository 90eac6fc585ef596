package iceberg

import (
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/codec/parquet"
	"lakeserver/column"
	"lakeserver/metadata/iceberg"
	"lakeserver/types"
	"lakeserver/write"
)

// Layout is how a table's rows lie in its data files: the columns of a schema
// in their ClickHouse types, and what the table's properties say of formats
// and metrics. It is immutable.
type Layout struct {
	Header column.Header // of the blocks to be written: all columns of the schema
	stored []int         // those of them that files hold
	opt    write.Options
	kinds  map[int]*iceberg.Field // leaves by id
	modes  map[int]metricsMode
	end    string // of file names
}

// metricsMode is what is kept of a leaf in manifests.
type metricsMode struct {
	stats write.StatsMode
	cut   int // code points or bytes of bounds; 0: whole
}

// defaultCut is where bounds of text are cut where nothing else is said.
const defaultCut = 16

// NewLayout makes the layout of a table's current schema. With lineage the
// files hold two more columns, row ids and the numbers of their last change.
func NewLayout(m *iceberg.TableMetadata, opt RowOptions) (*Layout, error) {
	l := &Layout{kinds: map[int]*iceberg.Field{}}
	if err := l.formatOf(m, opt.Format, opt.Workers); err != nil {
		return nil, err
	}
	schema := m.CurrentSchema()
	l.modes = metricsModes(m, schema)
	blooms := prefixed(m.Properties, "write.parquet.bloom-filter-enabled.column.")
	for i := range schema.Fields {
		f := &schema.Fields[i]
		typeOf := iceberg.ClickHouseType
		if opt.KeepNulls {
			typeOf = iceberg.StoredType
		}
		t, err := typeOf(f)
		if err != nil {
			return nil, err
		}
		l.Header = append(l.Header, column.Field{Name: f.Name, Type: t})
		if f.Type.Kind == iceberg.Unknown { // nothing but NULL: files leave it out
			continue
		}
		wf, err := l.field(f, f.Name, blooms)
		if err != nil {
			return nil, err
		}
		l.store(i, f.Name, t, wf)
	}
	if opt.Lineage {
		long := types.Nullable(types.Int64)
		for _, c := range []struct {
			name string
			id   int
		}{{"_row_id", iceberg.RowIDField}, {"_last_updated_sequence_number", iceberg.LastUpdatedField}} {
			l.Header = append(l.Header, column.Field{Name: c.name, Type: long})
			l.store(len(l.Header)-1, c.name, long, write.Field{ID: c.id, Stats: write.StatsNone})
		}
	}
	return l, nil
}

func (l *Layout) store(i int, name string, t *types.Type, f write.Field) {
	l.stored = append(l.stored, i)
	l.opt.Header = append(l.opt.Header, column.Field{Name: name, Type: t})
	l.opt.Fields = append(l.opt.Fields, f)
}

// field describes a field to the file writer.
func (l *Layout) field(f *iceberg.Field, name string, blooms map[string]string) (write.Field, error) {
	out := write.Field{ID: f.ID}
	child := func(c *iceberg.Field) error {
		w, err := l.field(c, name+"."+c.Name, blooms)
		out.Children = append(out.Children, w)
		return err
	}
	switch f.Type.Kind {
	case iceberg.Struct:
		for i := range f.Type.Fields {
			if err := child(&f.Type.Fields[i]); err != nil {
				return out, err
			}
		}
		return out, nil
	case iceberg.List:
		return out, child(f.Type.Elem)
	case iceberg.Map:
		if err := child(f.Type.Key); err != nil {
			return out, err
		}
		return out, child(f.Type.Value)
	case iceberg.Binary:
		out.Form = parquet.FormBinary
	case iceberg.Time:
		out.Form = parquet.FormTime
	case iceberg.Variant, iceberg.Geometry, iceberg.Geography, iceberg.Unknown, iceberg.Unsupported:
		return out, cherr.New(cherr.NotImplemented, "Column `%s` of type %s cannot be written to Iceberg tables", name, f.Type)
	}
	l.kinds[f.ID] = f
	out.Stats = l.modes[f.ID].stats
	out.Bloom = blooms[name] == "true"
	return out, nil
}

func prefixed(p map[string]string, prefix string) map[string]string {
	out := map[string]string{}
	for k, v := range p {
		if name, ok := strings.CutPrefix(k, prefix); ok {
			out[name] = v
		}
	}
	return out
}

func (l *Layout) formatOf(m *iceberg.TableMetadata, format string, workers int) error {
	p := m.Properties
	if format == "" {
		format = p["write.format.default"]
	}
	switch strings.ToLower(format) {
	case "", "parquet":
		codec, ok := parquetCodecs[strings.ToLower(p["write.parquet.compression-codec"])]
		if !ok {
			return cherr.New(cherr.BadArguments, "Table property write.parquet.compression-codec is '%s', which is not known", p["write.parquet.compression-codec"])
		}
		level, err := strconv.Atoi(p["write.parquet.compression-level"])
		if err != nil && codec == parquet.CodecZstd {
			level = 1 // half the time of the next one, for a few percent of the bytes
		}
		l.end = ".parquet"
		l.opt.Params = parquet.WriterOptions{
			Codec: codec, Level: level, PageBytes: intProperty(p, "write.parquet.page-size-bytes", 1<<20), GroupRows: groupRows,
			CreatedBy: "lakeserver", SmallDecimals: true, LocalTimestamps: true, Workers: workers,
		}
	case "avro":
		codec, ok := avroCodecs[strings.ToLower(p["write.avro.compression-codec"])]
		if !ok {
			return cherr.New(cherr.BadArguments, "Table property write.avro.compression-codec is '%s', which is not known", p["write.avro.compression-codec"])
		}
		l.end, l.opt.Format, l.opt.Codec = ".avro", write.Avro, codec
		l.opt.Params.Workers = workers
	default:
		return cherr.New(cherr.NotImplemented, "Data files of Iceberg tables cannot be written in format %s, only in Parquet and Avro", format)
	}
	return nil
}

// groupRows bounds row groups: large enough for long pages, small enough for
// several readers of one file.
const groupRows = 1 << 20

var parquetCodecs = map[string]parquet.Codec{
	"": parquet.CodecZstd, "zstd": parquet.CodecZstd, "snappy": parquet.CodecSnappy, "gzip": parquet.CodecGzip, "brotli": parquet.CodecBrotli,
	"lz4": parquet.CodecLZ4Raw, "lz4_raw": parquet.CodecLZ4Raw, "none": parquet.CodecNone, "uncompressed": parquet.CodecNone,
}

var avroCodecs = map[string]string{
	"": "deflate", "gzip": "deflate", "deflate": "deflate", "zstd": "zstandard", "zstandard": "zstandard", "snappy": "snappy", "none": "null", "uncompressed": "null",
}
