package parquet

import (
	"context"
	"math/rand"
	"os"
	"runtime"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/google/go-cmp/cmp"

	"lakeserver/cherr"
	"lakeserver/column"
)

// damageable are small files that use every decoder.
func damageable(t testing.TB) [][]byte {
	rnd := rand.New(rand.NewSource(6))
	str, i64 := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64
	fields := []arrow.Field{
		{Name: "s", Type: str, Nullable: true},
		{Name: "i", Type: i64, Nullable: true},
		{Name: "b", Type: arrow.FixedWidthTypes.Boolean},
		{Name: "l", Type: arrow.ListOf(str), Nullable: true},
		{Name: "m", Type: arrow.MapOf(str, i64), Nullable: true},
		{Name: "d", Type: &arrow.Decimal128Type{Precision: 38, Scale: 10}, Nullable: true},
		{Name: "f", Type: arrow.PrimitiveTypes.Float32},
	}
	rec := randomRecord(fields, 60, rnd, 0.2, 9)
	var out [][]byte
	for _, opts := range [][]parquet.WriterProperty{
		{parquet.WithCompression(compress.Codecs.Snappy), parquet.WithDataPageVersion(parquet.DataPageV1)},
		{parquet.WithCompression(compress.Codecs.Zstd), parquet.WithDataPageVersion(parquet.DataPageV2), parquet.WithPageIndexEnabled(true)},
		{parquet.WithCompression(compress.Codecs.Gzip), parquet.WithDictionaryDefault(false)},
		{
			parquet.WithDictionaryDefault(false), parquet.WithEncodingFor("s", parquet.Encodings.DeltaByteArray),
			parquet.WithEncodingFor("i", parquet.Encodings.DeltaBinaryPacked), parquet.WithEncodingFor("b", parquet.Encodings.RLE),
			parquet.WithEncodingFor("l.list.element", parquet.Encodings.DeltaLengthByteArray),
			parquet.WithEncodingFor("f", parquet.Encodings.ByteStreamSplit), parquet.WithBloomFilterEnabled(true), parquet.WithMaxBloomFilterBytes(64), parquet.WithBloomFilterNDV(40),
		},
	} {
		out = append(out, writeArrow(t, rec, 40, append(opts, parquet.WithDataPageSize(100), parquet.WithBatchSize(16))...))
	}
	return out
}

// readDamaged reads whatever can be read. Damage may give an error with a code
// or other values, nothing else.
func readDamaged(data []byte) error {
	r, err := Open(context.Background(), fileOf("damaged.parquet", data), Options{})
	if err != nil {
		return err
	}
	if r.Rows() > 1<<16 {
		return nil
	}
	var first error
	note := func(err error) {
		if first == nil {
			first = err
		}
	}
	for _, w := range wantAll(r) {
		_, err := readAll(r, []Want{w}, 0, 17)
		note(err)
		_, err = readAll(r, []Want{w}, 5, 17)
		note(err)
	}
	for g := range r.RowGroups() {
		for i, leaf := range r.Leaves() {
			c := r.RowGroups()[g].Chunk(i)
			c.Bounds(leafType(leaf))
			_, err := c.PageStats(context.Background(), leafType(leaf))
			note(err)
			b, err := c.Bloom(context.Background())
			note(err)
			if b != nil {
				b.MightContain(leafType(leaf), int64(1))
			}
		}
	}
	return first
}

func checkDamaged(t *testing.T, data []byte, what string, at int) {
	t.Helper()
	defer func() {
		if v := recover(); v != nil {
			buf := make([]byte, 4096)
			t.Fatalf("%s at %d: panic %v\n%s", what, at, v, buf[:runtime.Stack(buf, false)])
		}
	}()
	err := readDamaged(data)
	if err == nil {
		return
	}
	switch code := cherr.CodeOf(err); code {
	case cherr.IncorrectData, cherr.CannotReadAllData, cherr.NotImplemented, cherr.ChecksumDoesntMatch,
		cherr.DecimalOverflow, cherr.ValueIsOutOfRangeOfDataType, cherr.TooLargeStringSize:
	default:
		t.Fatalf("%s at %d: code %d: %v", what, at, code, err)
	}
}

// TestDamage flips bytes and cuts, at a sample of places; FuzzOpen goes further.
func TestDamage(t *testing.T) {
	const step = 23
	for _, data := range damageable(t) {
		if err := readDamaged(data); err != nil {
			t.Fatal("undamaged:", err)
		}
		work := make([]byte, len(data))
		for at := 0; at < len(data); at += step {
			for k, mask := range []byte{0x01, 0x80, 0xff} {
				copy(work, data)
				place := (at + 7*k) % len(data)
				work[place] ^= mask
				checkDamaged(t, work, "flip", place)
			}
			checkDamaged(t, data[:at], "cut", at)
		}
	}
}

// TestChecksum notices a flipped byte of any page, since all carry checksums.
func TestChecksum(t *testing.T) {
	for _, path := range []string{"testdata/checksum_v1.parquet", "testdata/checksum_v2.parquet"} {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		r := openBytes(t, data)
		if _, err := readAll(r, wantAll(r), 0, 100); err != nil {
			t.Fatal(err)
		}
		c := r.RowGroups()[0].Chunk(0)
		size, _ := c.Sizes()
		data[c.meta.start()+size-3] ^= 1 // the last page's body
		r = openBytes(t, data)
		if _, err := readAll(r, wantAll(r), 0, 100); !cherr.Is(err, cherr.ChecksumDoesntMatch) {
			t.Error("a damaged page gives", err)
		}
	}
}

// TestInt96 reads instants before and after the epoch.
func TestInt96(t *testing.T) {
	r := openPath(t, "testdata/int96.parquet")
	got, err := readAll(r, wantAll(r), 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	want := []column.Value{int64(-1000), int64(1709168523000004000), nil}
	if diff := cmp.Diff(want, got[0]); diff != "" {
		t.Error(diff)
	}
}

func FuzzOpen(f *testing.F) {
	for _, data := range damageable(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkDamaged(t, data, "fuzz", 0) })
}
