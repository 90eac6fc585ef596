package format

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lakeserver/column"
	"lakeserver/settings"
	"lakeserver/types"
)

func typ(t testing.TB, s string) *types.Type {
	t.Helper()
	x, err := types.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// table makes a block of boxed rows under "name type" heads.
func table(t testing.TB, heads []string, rows ...column.Row) (column.Header, *column.Block) {
	t.Helper()
	var h column.Header
	b := &column.Block{Rows: len(rows)}
	for i, head := range heads {
		name, ty, _ := strings.Cut(head, ": ")
		f := column.Field{Name: name, Type: typ(t, ty)}
		build := column.NewBuilder(f.Type, len(rows))
		for _, r := range rows {
			build.AppendValue(r[i])
		}
		h, b.Columns = append(h, f), append(b.Columns, build.Finish())
	}
	return h, b
}

type sample struct {
	h                column.Header
	data             *column.Block
	totals, extremes *column.Block
	stats            Statistics
}

// samples are the queries whose answers testdata holds, by extension.
func samples(t testing.TB) map[string]sample { // long: data
	out := map[string]sample{}
	put := func(name string, heads []string, rows ...column.Row) {
		h, b := table(t, heads, rows...)
		out[name] = sample{h: h, data: b}
	}
	put("row", []string{"a: UInt64", "s: String", "n: Nullable(UInt8)", "arr: Array(UInt8)", "d: DateTime64(3, 'UTC')", "f: Float64", "t: Tuple(UInt8, String)", "m: Map(String, UInt8)", "b: Bool", "neg: Int32"},
		column.Row{uint64(1), "x\ty\"<&>é/", nil, column.Row{uint8(1), uint8(2)}, int64(1704067200500), 1.5, column.Row{uint8(1), "z"}, column.Entries{{Key: "k", Value: uint8(1)}}, uint8(1), int32(-12345)})
	put("empty", []string{"number: UInt64", "toString(number): String"})
	put("nest", []string{"at: Array(Tuple(UInt8, String))", "mm: Map(String, Map(String, Array(UInt8)))", "em: Map(String, UInt8)", "nt: Tuple(a UInt8, b Tuple(UInt8, String))", "am: Array(Map(String, UInt8))", "aa: Array(Array(UInt8))", "ta: Tuple(Array(UInt8), UInt8)"},
		column.Row{
			column.Row{column.Row{uint8(1), "a"}},
			column.Entries{{Key: "a", Value: column.Entries{{Key: "b", Value: column.Row{uint8(1)}}}}},
			column.Entries{},
			column.Row{uint8(1), column.Row{uint8(2), "x"}},
			column.Row{column.Entries{{Key: "a", Value: uint8(1)}}},
			column.Row{column.Row{uint8(1)}},
			column.Row{column.Row{}, uint8(1)},
		})
	put("scalar", []string{"d: Date", "t: DateTime('UTC')", "dd: Decimal(9, 2)", "u: UUID", "ip: IPv4", "e: Enum8('a' = 1)", "f: FixedString(2)", "lc: LowCardinality(String)", "nn: Float64", "ii: Float64", "i128: Int128", "d64: DateTime64(6, 'UTC')"},
		column.Row{uint16(18262), uint32(0), int32(150), types.U128{Hi: 0x550e8400e29b41d4, Lo: 0xa716446655440000}, uint32(0x01010101), int8(1), "a\x00", "lc", math.Float64frombits(0x7ff8 << 48), math.Inf(-1), types.ToI128(-5), int64(123000)})
	put("lines", []string{"x: String", "number: UInt64"}, column.Row{"a\nb", uint64(0)}, column.Row{"a\nb", uint64(1000000)})
	var many []column.Row
	for i := range 55 {
		many = append(many, column.Row{uint64(i) * 100000, itoa(i)})
	}
	put("many", []string{"n: UInt64", "s: String"}, many...)
	put("totals", []string{"k: UInt8", "s: UInt64", "we ird: String"}, column.Row{uint8(0), uint64(20), "n"}, column.Row{uint8(1), uint64(25), "n"})
	s := out["totals"]
	s.totals = column.NewBlock(column.NewFixed([]uint8{0}), column.NewFixed([]uint64{45}), column.NewStr("n"))
	s.extremes = s.data
	s.stats = Statistics{RowsBeforeLimit: 2, HasRowsBeforeLimit: true}
	out["totals"] = s
	return out
}

func itoa(i int) string {
	if i < 10 {
		return string(rune('0' + i))
	}
	return itoa(i/10) + itoa(i%10)
}

func options(t testing.TB, kv ...string) *Options {
	t.Helper()
	s := settings.Default()
	var err error
	for i := 0; i < len(kv); i += 2 {
		if s, err = s.With(kv[i], kv[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	o, err := NewOptions(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func render(t testing.TB, name string, s sample, o *Options) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := OpenWriter(name, &out, s.h, o)
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if s.data.Rows > 0 {
		must(w.Write(s.data))
	}
	if s.totals != nil {
		must(w.Totals(s.totals))
	}
	if s.extremes != nil {
		must(w.Extremes(s.extremes))
	}
	must(w.Finish(s.stats))
	return out.Bytes()
}

// The answers under testdata were written by ClickHouse (chdb) for the same
// rows, with output_format_write_statistics = 0.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil || len(files) < 200 {
		t.Fatal(len(files), err)
	}
	all := samples(t)
	o := options(t, "output_format_write_statistics", "0")
	for _, f := range files {
		name, kind, _ := strings.Cut(filepath.Base(f), ".")
		t.Run(name+"."+kind, func(t *testing.T) {
			want, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if got := render(t, name, all[kind], o); !bytes.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}
