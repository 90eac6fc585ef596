package parquet

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"testing"

	"lakeserver/column"
	"lakeserver/objstore"
)

// memFile is a file in memory.
type memFile struct {
	*bytes.Reader
	name string
}

func fileOf(name string, data []byte) objstore.File { return memFile{bytes.NewReader(data), name} }

func (f memFile) Object() objstore.Object { return objstore.Object{Path: f.name, Size: f.Size()} }
func (f memFile) Close() error            { return nil }

func openBytes(t testing.TB, data []byte) *Reader {
	t.Helper()
	r, err := Open(context.Background(), fileOf("test.parquet", data), Options{VerifyChecksums: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func openPath(t testing.TB, path string) *Reader {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return openBytes(t, data)
}

// wantAll asks for every column as ClickHouse would.
func wantAll(r *Reader) []Want {
	var wants []Want
	for _, n := range r.Schema().Children {
		wants = append(wants, Want{Node: n, Type: TypeOf(n)})
	}
	return wants
}

// readAll reads every row of every column, in windows of the sizes in turn.
// With every > 1 it selects only every so many rows.
func readAll(r *Reader, wants []Want, every int, windows ...int) ([][]column.Value, error) {
	out := make([][]column.Value, len(wants))
	for g := range r.RowGroups() {
		cur, err := r.Scan(g, wants)
		if err != nil {
			return nil, err
		}
		err = readGroup(cur, out, every, windows)
		cur.Close()
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func readGroup(cur *Cursor, out [][]column.Value, every int, windows []int) error {
	for k := 0; ; k++ {
		n := cur.Next(windows[k%len(windows)])
		if n == 0 {
			return nil
		}
		var sel []uint32
		if every > 1 {
			sel = []uint32{}
			for i := range n {
				if (cur.Row()+i)%every == 0 {
					sel = append(sel, uint32(i))
				}
			}
			if len(sel) == 0 {
				continue // as a caller would
			}
		}
		for i := range out {
			c, err := cur.Read(context.Background(), i, sel)
			if err != nil {
				return err
			}
			want := n
			if sel != nil {
				want = len(sel)
			}
			if c.Len() != want {
				return fmt.Errorf("column %d has %d rows, not %d", i, c.Len(), want)
			}
			for row := range c.Len() {
				out[i] = append(out[i], column.At(c, row))
			}
		}
	}
}

// text prints a value so that NaNs compare and signs of zero count.
func text(v column.Value) string {
	switch v := v.(type) {
	case float64:
		return fmt.Sprintf("f64:%x", math.Float64bits(v))
	case float32:
		return fmt.Sprintf("f32:%x", math.Float32bits(v))
	case column.Row:
		s := "["
		for _, e := range v {
			s += text(e) + ","
		}
		return s + "]"
	case column.Entries:
		s := "{"
		for _, e := range v {
			s += text(e.Key) + ":" + text(e.Value) + ","
		}
		return s + "}"
	case nil:
		return "NULL"
	}
	return fmt.Sprintf("%v", v)
}
