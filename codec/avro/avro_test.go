package avro

import (
	"bytes"
	"context"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/hamba/avro/v2/ocf"

	"lakeserver/column"
	"lakeserver/types"
)

const testSchema = `{"type":"record","name":"row","fields":[
 {"name":"skip_map","field-id":90,"type":{"type":"map","values":{"type":"array","items":["null","string"]}}},
 {"name":"i","field-id":1,"type":["null","int"]},
 {"name":"l","field-id":2,"type":"long"},
 {"name":"f","field-id":3,"type":"float"},
 {"name":"s","field-id":4,"type":["null","string"]},
 {"name":"tags","field-id":5,"type":{"type":"array","element-id":6,"items":["null","long"]}},
 {"name":"m","field-id":7,"type":{"type":"map","values":"double"}},
 {"name":"st","field-id":8,"type":{"type":"record","name":"inner","fields":[
    {"name":"a","field-id":9,"type":"boolean"},{"name":"b","field-id":10,"type":"bytes"}]}},
 {"name":"t","field-id":11,"type":{"type":"long","logicalType":"timestamp-micros","adjust-to-utc":true}}
]}`

type inner struct {
	A bool   `avro:"a"`
	B []byte `avro:"b"`
}

type testRow struct {
	SkipMap map[string][]*string `avro:"skip_map"`
	I       *int32               `avro:"i"`
	L       int64                `avro:"l"`
	F       float32              `avro:"f"`
	S       *string              `avro:"s"`
	Tags    []*int64             `avro:"tags"`
	M       map[string]float64   `avro:"m"`
	St      inner                `avro:"st"`
	T       time.Time            `avro:"t"`
}

func testRows() []testRow {
	var out []testRow
	for n := range 1000 {
		r := testRow{L: int64(n) * math.MaxInt32, F: float32(n) / 3, M: map[string]float64{}, St: inner{n%2 == 0, []byte{byte(n)}}, T: time.UnixMicro(int64(n) - 500).UTC()}
		if n%3 > 0 {
			i, s := int32(-n), string(rune('a'+n%26))
			r.I, r.S = &i, &s
			r.SkipMap = map[string][]*string{"x": {&s, nil}}
		}
		for k := range n % 4 {
			v := int64(k)
			r.Tags = append(r.Tags, &v)
		}
		if n%5 == 0 {
			r.Tags, r.M["k"] = append(r.Tags, nil), float64(n)
		}
		out = append(out, r)
	}
	return out
}

func encode(t testing.TB, codec ocf.CodecName, rows []testRow) []byte {
	var b bytes.Buffer
	w, err := ocf.NewEncoder(testSchema, &b, ocf.WithCodec(codec), ocf.WithBlockLength(64))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if err := w.Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func testWants() []Want {
	long := types.Nullable(types.Int64)
	return []Want{
		{Field: 8, Type: types.DateTime64(9, "UTC", time.UTC)},
		{Field: 1, Type: types.Nullable(types.Int64)}, // promoted
		{Field: 2, Type: types.Int64},
		{Field: 3, Type: types.Float64}, // promoted
		{Field: 4, Type: types.Nullable(types.String)},
		{Field: 5, Type: types.Array(long), Parts: []Want{{Type: long}}},
		{Field: 6, Type: types.Map(types.String, types.Float64), Parts: []Want{{Type: types.String}, {Type: types.Float64}}},
		{Field: 7, Type: types.Tuple([]*types.Type{types.String, types.Nullable(types.Int32), types.Bool}, nil), Parts: []Want{
			{Field: 1, Type: types.String}, {Field: -1, Type: types.Nullable(types.Int32)}, {Field: 0, Type: types.Bool},
		}},
		{Field: -1, Type: types.Int32, Value: int32(7)},
	}
}

func wantRow(r testRow) column.Row {
	out := column.Row{r.T.UnixNano(), nil, r.L, float64(r.F), nil, column.Row{}, column.Entries{}, nil, int32(7)}
	if r.I != nil {
		out[1], out[4] = int64(*r.I), *r.S
	}
	tags := column.Row{}
	for _, x := range r.Tags {
		if x == nil {
			tags = append(tags, nil)
		} else {
			tags = append(tags, *x)
		}
	}
	out[5] = tags
	for k, v := range r.M {
		out[6] = column.Entries{{Key: k, Value: v}}
	}
	a := uint8(0)
	if r.St.A {
		a = 1
	}
	out[7] = column.Row{string(r.St.B), nil, a}
	return out
}

func readAll(data []byte) (out []column.Row, err error) {
	f, err := Open("test", bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := f.NewReader(testWants())
	if err != nil {
		return nil, err
	}
	for {
		cols, first, rows, err := r.Next(context.Background(), 50)
		if err != nil || rows == 0 {
			return out, err
		}
		if int(first) != len(out) {
			panic("wrong first row")
		}
		for i := range rows {
			row := column.Row{}
			for _, c := range cols {
				row = append(row, column.At(c, i))
			}
			out = append(out, row)
		}
	}
}

func TestReaderAgainstWriter(t *testing.T) {
	rows := testRows()
	for _, codec := range []ocf.CodecName{ocf.Null, ocf.Deflate, ocf.Snappy, ocf.ZStandard} {
		got, err := readAll(encode(t, codec, rows))
		if err != nil || len(got) != len(rows) {
			t.Fatalf("%s: %d rows, %v", codec, len(got), err)
		}
		for i := range rows {
			if want := wantRow(rows[i]); !reflect.DeepEqual(got[i], want) {
				t.Fatalf("%s: row %d is %v, want %v", codec, i, got[i], want)
			}
		}
	}
}

// A damaged file gives an error or rows, never a panic or a hang; where the
// codec has a checksum, never other rows.
func TestReaderDamaged(t *testing.T) {
	rows := testRows()[:60]
	for _, codec := range []ocf.CodecName{ocf.Null, ocf.Snappy, ocf.Deflate, ocf.ZStandard} {
		data := encode(t, codec, rows)
		whole, err := readAll(data)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(data); i++ {
			bad := bytes.Clone(data)
			bad[i] ^= 0x55
			got, err := readAll(bad)
			if i > len(data)-400 && codec == ocf.Snappy && err == nil && !reflect.DeepEqual(got, whole) {
				t.Fatalf("%s: byte %d flipped: other rows", codec, i)
			}
			if i%7 == 0 {
				if got, err := readAll(data[:i]); err == nil && len(got) == len(whole) {
					t.Fatalf("%s: cut at %d of %d: whole rows", codec, i, len(data))
				}
			}
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(encode(f, ocf.Null, testRows()[:5]))
	f.Add(encode(f, ocf.Deflate, testRows()[:5]))
	f.Fuzz(func(t *testing.T, data []byte) { _, _ = readAll(data) })
}
