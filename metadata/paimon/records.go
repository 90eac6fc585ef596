package paimon

import (
	"bytes"
	"context"
	"io"

	"lakeserver/cherr"
	"lakeserver/codec/avro"
	"lakeserver/codec/orc"
	"lakeserver/codec/parquet"
	"lakeserver/column"
	"lakeserver/objstore"
	"lakeserver/types"
)

// recordReader takes the records of a manifest file, by the file's format.
type recordReader struct {
	avro func(c *avro.Cursor, s *avro.Schema)
	row  func(r record) error
}

// eachRecord reads a manifest file. Its format is told by its content: names
// have no endings, and the option may have changed since.
func eachRecord(path string, data []byte, to recordReader) error {
	switch {
	case bytes.HasPrefix(data, []byte("PAR1")):
		return eachParquet(path, data, to.row)
	case bytes.HasPrefix(data, []byte("ORC")):
		return orc.Each(data, func(r orc.Record) error { return to.row(recordOf(r)) })
	}
	f, err := avro.OpenBytes(path, data)
	if err != nil {
		return err
	}
	defer f.Close()
	for {
		rows, block, err := f.Next()
		if err != nil || rows == 0 {
			return err
		}
		c := avro.NewCursor(block)
		for range rows {
			// Old releases made the record itself a union with null.
			s := inside(c, f.Schema)
			if s == nil && c.Err() == nil {
				c.Fail("an entry is no record")
			}
			if s != nil {
				to.avro(c, s)
			}
			if c.Err() != nil {
				return c.Err()
			}
		}
		if c.Left() != 0 {
			return cherr.New(cherr.IncorrectData, "a block has %d bytes more than its entries", c.Left())
		}
	}
}

// memFile is a file that was read whole.
type memFile struct {
	*bytes.Reader
	obj objstore.Object
}

func (m memFile) Object() objstore.Object { return m.obj }
func (memFile) Close() error              { return nil }

var _ io.ReaderAt = memFile{}

// recordOf gives a row of an ORC file the forms that other files' rows have.
func recordOf(r orc.Record) record {
	out := make(record, len(r))
	for name, v := range r {
		switch x := v.(type) {
		case orc.Record:
			v = recordOf(x)
		case []any:
			row := make(column.Row, len(x))
			for i, e := range x {
				row[i] = e
				if rec, ok := e.(orc.Record); ok {
					row[i] = recordOf(rec)
				}
			}
			v = row
		}
		out[name] = v
	}
	return out
}

func eachParquet(path string, data []byte, row func(record) error) error {
	ctx := context.Background() // the bytes are at hand: nothing waits
	r, err := parquet.Open(ctx, memFile{bytes.NewReader(data), objstore.Object{Path: path, Size: int64(len(data))}}, parquet.Options{})
	if err != nil {
		return err
	}
	var wants []parquet.Want
	for _, n := range r.Schema().Children {
		wants = append(wants, parquet.Want{Node: n, Type: parquet.TypeOf(n)})
	}
	for g := range r.RowGroups() {
		cur, err := r.Scan(g, wants)
		if err != nil {
			return err
		}
		for cur.Next(4096) > 0 {
			if err := parquetRows(ctx, r, cur, wants, row); err != nil {
				cur.Close()
				return err
			}
		}
		cur.Close()
	}
	return nil
}

func parquetRows(ctx context.Context, r *parquet.Reader, cur *parquet.Cursor, wants []parquet.Want, row func(record) error) error {
	cols := make([]column.Column, len(wants))
	for i := range wants {
		var err error
		if cols[i], err = cur.Read(ctx, i, nil); err != nil {
			return err
		}
	}
	n := 0
	if len(cols) > 0 {
		n = cols[0].Len()
	}
	for i := range n {
		rec := record{}
		for j, c := range cols {
			rec[r.Schema().Children[j].Name] = named(wants[j].Type, column.At(c, i))
		}
		if err := row(rec); err != nil {
			return err
		}
	}
	return nil
}

// named gives the elements of tuples their names, at any depth.
func named(t *types.Type, v column.Value) column.Value {
	row, ok := v.(column.Row)
	if !ok {
		return v
	}
	switch t = types.Unwrap(t); t.Kind() {
	case types.KindTuple:
		out := record{}
		for i, name := range t.Names() {
			out[name] = named(t.Elems()[i], row[i])
		}
		return out
	case types.KindArray:
		for i := range row {
			row[i] = named(t.Elem(), row[i])
		}
	}
	return row
}
