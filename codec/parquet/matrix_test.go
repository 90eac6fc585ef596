package parquet

import (
	"fmt"
	"math"
	"math/rand"
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
)

// flatFields are one column a type, in an optional and a required form.
func flatFields() []arrow.Field {
	var out []arrow.Field
	for _, t := range []arrow.DataType{
		arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Int16,
		arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Int64,
		arrow.PrimitiveTypes.Uint64, arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64,
		arrow.BinaryTypes.String, arrow.BinaryTypes.Binary, &arrow.FixedSizeBinaryType{ByteWidth: 5},
		arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Time32ms, arrow.FixedWidthTypes.Time64us,
		arrow.FixedWidthTypes.Timestamp_ms, arrow.FixedWidthTypes.Timestamp_us, arrow.FixedWidthTypes.Timestamp_ns,
		&arrow.Decimal128Type{Precision: 7, Scale: 2}, &arrow.Decimal128Type{Precision: 17, Scale: 3},
		&arrow.Decimal128Type{Precision: 38, Scale: 10}, &arrow.Decimal256Type{Precision: 70, Scale: 4},
	} {
		name := strings.NewReplacer("(", "_", ")", "", ",", "_", " ", "", "[", "_", "]", "", "=", "", ":", "").Replace(t.String())
		out = append(out, arrow.Field{Name: "o_" + name, Type: t, Nullable: true}, arrow.Field{Name: "r_" + name, Type: t})
	}
	return out
}

// randomRecord fills fields with n rows, whose values repeat or not.
func randomRecord(fields []arrow.Field, n int, rnd *rand.Rand, nulls float64, distinct int) arrow.RecordBatch {
	schema := arrow.NewSchema(fields, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for i, f := range fields {
		for range n {
			appendRandom(b.Field(i), f.Nullable, rnd, nulls, distinct)
		}
	}
	return b.NewRecordBatch()
}

func appendRandom(b array.Builder, nullable bool, rnd *rand.Rand, nulls float64, distinct int) { // long: one case a type
	if nullable && rnd.Float64() < nulls {
		b.AppendNull()
		return
	}
	x := int64(rnd.Intn(distinct)) * 7919
	if distinct > 1<<20 {
		x = int64(rnd.Uint64())
	}
	if rnd.Intn(2) == 0 {
		x = -x
	}
	switch b := b.(type) {
	case *array.BooleanBuilder:
		b.Append(rnd.Intn(3) == 0)
	case *array.Int8Builder:
		b.Append(int8(x))
	case *array.Uint8Builder:
		b.Append(uint8(x))
	case *array.Int16Builder:
		b.Append(int16(x))
	case *array.Uint16Builder:
		b.Append(uint16(x))
	case *array.Int32Builder:
		b.Append(int32(x))
	case *array.Uint32Builder:
		b.Append(uint32(x))
	case *array.Int64Builder:
		b.Append(x)
	case *array.Uint64Builder:
		b.Append(uint64(x))
	case *array.Float16Builder:
		b.Append(float16.New(float32(int16(x)) / 8))
	case *array.Float32Builder:
		b.Append(float32(x) / 3)
	case *array.Float64Builder:
		b.Append(math.Float64frombits(uint64(x) &^ (1 << 62)))
	case *array.StringBuilder:
		b.Append(fmt.Sprintf("value-%d", x)[:rnd.Intn(3)+5])
	case *array.BinaryBuilder:
		b.Append(be64(uint64(x))[:rnd.Intn(8)])
	case *array.FixedSizeBinaryBuilder:
		b.Append(be64(uint64(x))[3:])
	case *array.Date32Builder:
		b.Append(arrow.Date32(x % 100000))
	case *array.Time32Builder:
		b.Append(arrow.Time32(uint64(x) % 86400000))
	case *array.Time64Builder:
		b.Append(arrow.Time64(uint64(x) % 86400000000))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(x))
	case *array.Decimal128Builder:
		switch p := b.Type().(*arrow.Decimal128Type).Precision; {
		case p > 18:
			b.Append(decimal128.FromI64(x).Mul(decimal128.FromI64(1e9 + 7)))
		case p > 9:
			b.Append(decimal128.FromI64(x % 1e17))
		default:
			b.Append(decimal128.FromI64(x % 1e7))
		}
	case *array.Decimal256Builder:
		b.Append(decimal256.FromI64(x).Mul(decimal256.FromI64(math.MaxInt64)))
	case *array.MapBuilder:
		b.Append(true)
		for range rnd.Intn(3) {
			appendRandom(b.KeyBuilder(), false, rnd, nulls, distinct)
			appendRandom(b.ItemBuilder(), true, rnd, nulls, distinct)
		}
	case *array.ListBuilder:
		b.Append(true)
		f := b.Type().(*arrow.ListType).ElemField()
		for range rnd.Intn(4) {
			appendRandom(b.ValueBuilder(), f.Nullable, rnd, nulls, distinct)
		}
	case *array.StructBuilder:
		b.Append(true)
		for k, f := range b.Type().(*arrow.StructType).Fields() {
			appendRandom(b.FieldBuilder(k), f.Nullable, rnd, nulls, distinct)
		}
	default:
		panic(b.Type().String())
	}
}

func tableOf(rec arrow.RecordBatch) arrow.Table {
	return array.NewTableFromRecords(rec.Schema(), []arrow.RecordBatch{rec})
}

// TestFlat reads every flat type in every codec, page version and density of
// NULLs, dictionary-coded, falling back in the middle, and PLAIN.
func TestFlat(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	fields := flatFields()
	codecs := []compress.Compression{
		compress.Codecs.Uncompressed, compress.Codecs.Snappy, compress.Codecs.Gzip, compress.Codecs.Brotli,
		compress.Codecs.Zstd, compress.Codecs.Lz4Raw,
	}
	k := 0
	for _, version := range []parquet.DataPageVersion{parquet.DataPageV1, parquet.DataPageV2} {
		for _, nulls := range []float64{0, 0.001, 0.3, 1} {
			for _, distinct := range []int{5, 300, 1 << 21} {
				codec := codecs[k%len(codecs)]
				k++
				t.Run(fmt.Sprintf("v%d/nulls%g/distinct%d/%s", version+1, nulls, distinct, codec), func(t *testing.T) {
					rec := randomRecord(fields, 900, rnd, nulls, distinct)
					for _, opts := range [][]parquet.WriterProperty{
						{parquet.WithDictionaryDefault(true), parquet.WithDictionaryPageSizeLimit(1200)},
						{parquet.WithDictionaryDefault(false), parquet.WithStats(false)},
					} {
						opts = append(opts, parquet.WithDataPageVersion(version), parquet.WithDataPageSize(700),
							parquet.WithCompression(codec), parquet.WithBatchSize(50))
						compareTable(t, writeArrow(t, rec, 700, opts...), tableOf(rec))
					}
				})
			}
		}
	}
}

// TestEncodings reads each encoding that its physical types allow.
func TestEncodings(t *testing.T) {
	rnd := rand.New(rand.NewSource(2))
	for _, c := range []struct {
		encoding parquet.Encoding
		kinds    []arrow.DataType
	}{
		{parquet.Encodings.RLE, []arrow.DataType{arrow.FixedWidthTypes.Boolean}},
		{parquet.Encodings.DeltaBinaryPacked, []arrow.DataType{arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Uint32, arrow.FixedWidthTypes.Timestamp_us}},
		{parquet.Encodings.DeltaLengthByteArray, []arrow.DataType{arrow.BinaryTypes.String}},
		{parquet.Encodings.DeltaByteArray, []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.Binary}},
		{parquet.Encodings.ByteStreamSplit, []arrow.DataType{
			arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
			&arrow.FixedSizeBinaryType{ByteWidth: 5}, arrow.FixedWidthTypes.Float16,
		}},
	} {
		for _, typ := range c.kinds {
			for _, distinct := range []int{1, 40, 1 << 21} {
				t.Run(fmt.Sprintf("%s/%s/%d", c.encoding, typ, distinct), func(t *testing.T) {
					fields := []arrow.Field{{Name: "o", Type: typ, Nullable: true}, {Name: "r", Type: typ}}
					rec := randomRecord(fields, 1500, rnd, 0.2, distinct)
					for _, version := range []parquet.DataPageVersion{parquet.DataPageV1, parquet.DataPageV2} {
						data := writeArrow(t, rec, 1000, parquet.WithDictionaryDefault(false), parquet.WithEncoding(c.encoding),
							parquet.WithDataPageVersion(version), parquet.WithDataPageSize(3000), parquet.WithBatchSize(200))
						compareTable(t, data, tableOf(rec))
					}
				})
			}
		}
	}
}

// TestNested reads lists, maps and structs inside each other.
func TestNested(t *testing.T) {
	rnd := rand.New(rand.NewSource(3))
	str, i64 := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64
	point := arrow.StructOf(
		arrow.Field{Name: "x", Type: i64, Nullable: true},
		arrow.Field{Name: "tags", Type: arrow.ListOf(str), Nullable: true},
		arrow.Field{Name: "y", Type: arrow.PrimitiveTypes.Float64},
	)
	fields := []arrow.Field{
		{Name: "list", Type: arrow.ListOf(i64), Nullable: true},
		{Name: "solid", Type: arrow.ListOfNonNullable(str)},
		{Name: "lists", Type: arrow.ListOf(arrow.ListOf(str)), Nullable: true},
		{Name: "map", Type: arrow.MapOf(str, i64), Nullable: true},
		{Name: "struct", Type: point, Nullable: true},
		{Name: "points", Type: arrow.ListOf(point), Nullable: true},
		{Name: "deep", Type: arrow.MapOf(i64, arrow.ListOf(arrow.StructOf(arrow.Field{Name: "m", Type: arrow.MapOf(str, point), Nullable: true}))), Nullable: true},
		{Name: "flat", Type: str, Nullable: true},
	}
	for _, version := range []parquet.DataPageVersion{parquet.DataPageV1, parquet.DataPageV2} {
		for _, nulls := range []float64{0, 0.3} {
			for _, dict := range []bool{true, false} {
				t.Run(fmt.Sprintf("v%d/nulls%g/dict=%t", version+1, nulls, dict), func(t *testing.T) {
					rec := randomRecord(fields, 1000, rnd, nulls, 500)
					data := writeArrow(t, rec, 600, parquet.WithDictionaryDefault(dict), parquet.WithDictionaryPageSizeLimit(300),
						parquet.WithDataPageVersion(version), parquet.WithDataPageSize(1000), parquet.WithBatchSize(64),
						parquet.WithCompression(compress.Codecs.Snappy))
					compareTable(t, data, tableOf(rec))
				})
			}
		}
	}
}

// TestFallback reads columns whose dictionary ended in the middle of a row group.
func TestFallback(t *testing.T) {
	data, err := os.ReadFile("testdata/fallback.parquet")
	if err != nil {
		t.Fatal(err)
	}
	r := openBytes(t, data)
	for i := range r.Leaves() {
		c := r.RowGroups()[0].Chunk(i)
		if !c.HasDictionary() || c.AllDictionary() {
			t.Errorf("column %d has no or nothing but dictionary pages", i)
		}
	}
	table, err := arrowTable(data)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Release()
	compareTable(t, data, table)
}
