package parquet

import (
	"context"
	"fmt"
	"math/rand"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
)

const benchRows = 1 << 20

// benchFile writes one column of a million rows without compression.
func benchFile(b *testing.B, f arrow.Field, add func(array.Builder, int), opts ...parquet.WriterProperty) []byte {
	bld := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{f}, nil))
	for i := range benchRows {
		add(bld.Field(0), i)
	}
	opts = append(opts, parquet.WithCompression(compress.Codecs.Uncompressed), parquet.WithStats(true))
	return writeArrow(b, bld.NewRecordBatch(), benchRows, opts...)
}

// benchRead reads the column in windows; bytes are those of the decoded values.
func benchRead(b *testing.B, data []byte, bytes int64) {
	r := openBytes(b, data)
	w := wantAll(r)
	b.SetBytes(bytes)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		cur, err := r.Scan(0, w)
		if err != nil {
			b.Fatal(err)
		}
		for cur.Next(8192) > 0 {
			if _, err := cur.Read(context.Background(), 0, nil); err != nil {
				b.Fatal(err)
			}
		}
		cur.Close()
	}
}

func addInt(bld array.Builder, i int) { bld.(*array.Int64Builder).Append(int64(i)*7919 ^ 0x5555) }

func BenchmarkInt64Plain(b *testing.B) {
	data := benchFile(b, arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int64}, addInt, parquet.WithDictionaryDefault(false))
	benchRead(b, data, 8*benchRows)
}

func BenchmarkInt64PlainOptional(b *testing.B) {
	data := benchFile(b, arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, addInt, parquet.WithDictionaryDefault(false))
	benchRead(b, data, 8*benchRows)
}

func BenchmarkInt64Nulls(b *testing.B) {
	rnd := rand.New(rand.NewSource(1))
	data := benchFile(b, arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, func(bld array.Builder, i int) {
		if rnd.Intn(10) < 3 {
			bld.AppendNull()
			return
		}
		addInt(bld, i)
	}, parquet.WithDictionaryDefault(false))
	benchRead(b, data, 8*benchRows)
}

func BenchmarkInt64Delta(b *testing.B) {
	rnd := rand.New(rand.NewSource(1))
	at := int64(1700000000000)
	data := benchFile(b, arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int64}, func(bld array.Builder, _ int) {
		at += int64(rnd.Intn(2000))
		bld.(*array.Int64Builder).Append(at)
	}, parquet.WithDictionaryDefault(false), parquet.WithEncoding(parquet.Encodings.DeltaBinaryPacked))
	benchRead(b, data, 8*benchRows)
}

func BenchmarkStringDict(b *testing.B) {
	for _, distinct := range []int{10, 5000} {
		b.Run(fmt.Sprint(distinct), func(b *testing.B) {
			rnd := rand.New(rand.NewSource(1))
			data := benchFile(b, arrow.Field{Name: "a", Type: arrow.BinaryTypes.String, Nullable: true}, func(bld array.Builder, _ int) {
				bld.(*array.StringBuilder).Append(fmt.Sprint("city number ", rnd.Intn(distinct)))
			})
			benchRead(b, data, 4*benchRows)
		})
	}
}

func BenchmarkStringPlain(b *testing.B) {
	data := benchFile(b, arrow.Field{Name: "a", Type: arrow.BinaryTypes.String}, func(bld array.Builder, i int) {
		bld.(*array.StringBuilder).Append(fmt.Sprint("https://example.com/some/long/path/", i*7919))
	}, parquet.WithDictionaryDefault(false))
	benchRead(b, data, int64(len(data)))
}

// BenchmarkSelected reads every thousandth row.
func BenchmarkSelected(b *testing.B) {
	data := benchFile(b, arrow.Field{Name: "a", Type: arrow.BinaryTypes.String}, func(bld array.Builder, i int) {
		bld.(*array.StringBuilder).Append(fmt.Sprint("https://example.com/some/long/path/", i*7919))
	}, parquet.WithDictionaryDefault(false))
	r := openBytes(b, data)
	w := wantAll(r)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	sel := []uint32{5, 1005, 2005, 3005, 4005, 5005, 6005, 7005, 8005}
	b.ResetTimer()
	for range b.N {
		cur, err := r.Scan(0, w)
		if err != nil {
			b.Fatal(err)
		}
		for cur.Next(8192) == 8192 {
			if _, err := cur.Read(context.Background(), 0, sel); err != nil {
				b.Fatal(err)
			}
		}
		cur.Close()
	}
}

// BenchmarkFooter parses a footer of 82 row groups and 22 columns.
func BenchmarkFooter(b *testing.B) {
	var fields []arrow.Field
	for i := range 22 {
		fields = append(fields, arrow.Field{Name: fmt.Sprint("column", i), Type: arrow.PrimitiveTypes.Int64, Nullable: true})
	}
	rec := randomRecord(fields, 820, rand.New(rand.NewSource(1)), 0.1, 1000)
	f := fileOf("bench", writeArrow(b, rec, 10))
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if _, err := Open(context.Background(), f, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
