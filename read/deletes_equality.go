package read

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata/iceberg"
	"lakeserver/types"
)

// keyTable is the keys that equality delete files name, each with the greatest
// sequence number: rows of older data files with that key are deleted. NULL
// equals NULL and NaN equals NaN. Read-only once built.
type keyTable struct {
	ids   []int
	types []*types.Type
	paths [][]*iceberg.Field

	cols  []column.Column
	seqs  []int64
	heads map[uint64]int32 // hash → last row
	next  []int32          // row → earlier row of the same hash, -1
}

// keys gives the table of a group, reading its files the first time.
func (src *Source) keys(ctx context.Context, g *equalityGroup) (*keyTable, error) {
	return g.load.get(func() (*keyTable, error) { return src.loadKeys(ctx, g) })
}

func (src *Source) loadKeys(ctx context.Context, g *equalityGroup) (*keyTable, error) {
	if len(g.ids) == 0 {
		return nil, cherr.New(cherr.IcebergSpecificationViolation, "equality delete file %s names no columns", g.files[0].path)
	}
	t := &keyTable{ids: g.ids, heads: map[uint64]int32{}}
	var fields []*iceberg.Field
	for _, id := range g.ids {
		path := src.fieldPath(id)
		if path == nil {
			return nil, cherr.New(cherr.IcebergSpecificationViolation, "equality delete file %s names column %d, which no schema has", g.files[0].path, id)
		}
		leaf := *path[len(path)-1]
		leaf.Required = false
		ct, err := iceberg.ClickHouseType(&leaf)
		if err != nil {
			return nil, err
		}
		t.types, t.paths, fields = append(t.types, ct), append(t.paths, path), append(fields, path[len(path)-1])
	}
	builders := make([]column.Builder, len(t.types))
	for i, ct := range t.types {
		builders[i] = column.NewBuilder(ct, 0)
	}
	for _, f := range g.files {
		err := src.readKeys(ctx, f, fields, t, func(cols []column.Column) error {
			n := cols[0].Len()
			for i, b := range builders {
				b.AppendRange(column.Full(cols[i]), 0, n)
			}
			for range n {
				t.seqs = append(t.seqs, f.seq)
			}
			return nil
		})
		if err != nil {
			return nil, cherr.Wrap(err, "reading equality delete file %s", f.path)
		}
	}
	for _, b := range builders {
		t.cols = append(t.cols, b.Finish())
	}
	t.build()
	return t, nil
}

// readKeys reads the key columns; those inside of structs stand in structs in
// the delete file as well.
func (src *Source) readKeys(ctx context.Context, f *equalityFile, leaves []*iceberg.Field, t *keyTable, take func([]column.Column) error) error {
	fields, ts := make([]*iceberg.Field, len(leaves)), make([]*types.Type, len(leaves))
	for i := range leaves {
		fields[i], ts[i] = structChain(t.paths[i], t.types[i])
	}
	return src.readPlain(ctx, f.file, f.path, fields, ts, func(cols []column.Column) error {
		for i, path := range t.paths {
			for range len(path) - 1 {
				cols[i] = column.Full(cols[i]).(*column.Tuple).Elems[0]
			}
		}
		return take(cols)
	})
}

// fieldPath gives the structs around a field and itself, from the schema of
// the scan or else any that had it.
func (src *Source) fieldPath(id int) []*iceberg.Field {
	if p := pathIn(src.Schema.Fields, id); p != nil {
		return p
	}
	if p := pathIn(src.Meta.CurrentSchema().Fields, id); p != nil {
		return p
	}
	for i := len(src.Meta.Schemas) - 1; i >= 0; i-- {
		if p := pathIn(src.Meta.Schemas[i].Fields, id); p != nil {
			return p
		}
	}
	return nil
}

func pathIn(fields []iceberg.Field, id int) []*iceberg.Field {
	for i := range fields {
		f := &fields[i]
		if f.ID == id {
			return []*iceberg.Field{f}
		}
		if f.Type.Kind == iceberg.Struct {
			if p := pathIn(f.Type.Fields, id); p != nil {
				return append([]*iceberg.Field{f}, p...)
			}
		}
	}
	return nil
}

// build makes the hash table; of equal keys the one with the greatest sequence
// number stays.
func (t *keyTable) build() {
	n := len(t.seqs)
	hashes := make([]uint64, n)
	for _, c := range t.cols {
		column.HashInto(c, hashes)
	}
	t.next = make([]int32, n)
	for i, h := range hashes {
		if old := t.lookup(h, t.cols, i); old >= 0 {
			t.seqs[old] = max(t.seqs[old], t.seqs[i])
			continue
		}
		head, ok := t.heads[h]
		if !ok {
			head = -1
		}
		t.next[i] = head
		t.heads[h] = int32(i)
	}
}

// size estimates the bytes held.
func (t *keyTable) size() int64 {
	n := int64(len(t.seqs))*12 + int64(len(t.heads))*24
	for _, c := range t.cols {
		n += c.Size()
	}
	return n
}

func (t *keyTable) lookup(hash uint64, cols []column.Column, row int) int32 {
	at, ok := t.heads[hash]
	for ok && at >= 0 {
		same := true
		for c := range t.cols {
			if column.Compare(t.cols[c], int(at), cols[c], row, 1) != 0 {
				same = false
				break
			}
		}
		if same {
			return at
		}
		at = t.next[at]
	}
	return -1
}

// keep gives the rows that the table does not delete from a data file of a
// sequence number.
func (t *keyTable) keep(cols []column.Column, rows int, seq int64) []uint32 {
	hashes := make([]uint64, rows)
	for _, c := range cols {
		column.HashInto(c, hashes)
	}
	out := make([]uint32, 0, rows)
	for i, h := range hashes {
		if at := t.lookup(h, cols, i); at < 0 || t.seqs[at] <= seq {
			out = append(out, uint32(i))
		}
	}
	return out
}
