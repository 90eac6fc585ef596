package paimon

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/RoaringBitmap/roaring/v2"

	"lakeserver/column"
)

// FileIndexWriter makes the indexes of one data file's columns, as the table's
// options file-index.<kind>.columns ask for: bloom filters and bitmaps. Other
// kinds are not made; an index only helps.
type FileIndexWriter struct {
	columns []*indexedColumn
	rows    int
}

// indexedColumn is one column of one index.
type indexedColumn struct {
	name, kind string
	at         int // in the schema
	t          *Type
	bits       []byte // of a bloom filter
	functions  int
	order      []column.Value // of a bitmap: values as they came
	sets       map[column.Value]*roaring.Bitmap
	null       *roaring.Bitmap
}

// NewFileIndexWriter begins; nil when no index is asked for.
func NewFileIndexWriter(s *Schema, options map[string]string) *FileIndexWriter {
	w := &FileIndexWriter{}
	for _, kind := range []string{"bitmap", "bloom-filter"} {
		for _, name := range SplitList(options["file-index."+kind+".columns"]) {
			for i := range s.Fields {
				f := &s.Fields[i]
				if f.Name == name && indexable(kind, f.Type) {
					w.columns = append(w.columns, newIndexedColumn(kind, i, f, options))
				}
			}
		}
	}
	if len(w.columns) == 0 {
		return nil
	}
	return w
}

func indexable(kind string, t *Type) bool {
	switch t.Kind {
	case Char, VarChar, TinyInt, SmallInt, Int, Date, Time, BigInt:
		return true
	case Timestamp, TimestampLTZ:
		return t.Precision <= 6
	case Float, Double, Binary, VarBinary:
		return kind == "bloom-filter"
	case Boolean:
		return kind == "bitmap"
	}
	return false
}

func newIndexedColumn(kind string, at int, f *Field, options map[string]string) *indexedColumn {
	c := &indexedColumn{name: f.Name, kind: kind, at: at, t: f.Type, sets: map[column.Value]*roaring.Bitmap{}, null: roaring.New()}
	if kind != "bloom-filter" {
		return c
	}
	option := func(name string, otherwise float64) float64 {
		for _, key := range []string{"file-index." + kind + "." + f.Name + "." + name, "file-index." + kind + "." + name} {
			if v, err := strconv.ParseFloat(options[key], 64); err == nil && v > 0 {
				return v
			}
		}
		return otherwise
	}
	items, wrong := option("items", 1_000_000), option("fpp", 0.1)
	bits := -items * math.Log(wrong) / (math.Ln2 * math.Ln2)
	n := int(min(max(bits, 8), 1<<30))
	c.bits = make([]byte, (n+7)/8)
	c.functions = max(1, int(math.Round(bits/items*math.Ln2)))
	return c
}

// Add counts the rows of a block of the schema's columns.
func (w *FileIndexWriter) Add(cols []column.Column, rows int) {
	for _, c := range w.columns {
		values, null := column.SplitNulls(column.Full(cols[c.at]))
		for i := range rows {
			if null != nil && null[i] != 0 {
				c.null.Add(uint32(w.rows + i))
				continue
			}
			c.add(column.At(values, i), w.rows+i)
		}
	}
	w.rows += rows
}

func (c *indexedColumn) add(v column.Value, row int) {
	if c.bits == nil {
		if c.sets[v] == nil {
			c.sets[v] = roaring.New()
			c.order = append(c.order, v)
		}
		c.sets[v].Add(uint32(row))
		return
	}
	hash, ok := bloomHash(c.t, v)
	if !ok { // zero and NaN have several forms: they are looked for in vain
		switch x := v.(type) {
		case float32:
			hash = mix(int64(int32(math.Float32bits(x))))
		case float64:
			hash = mix(int64(math.Float64bits(x)))
		}
	}
	h1, h2 := int32(hash), int32(hash>>32)
	for i := 1; i <= c.functions; i++ {
		at := h1 + int32(i)*h2
		if at < 0 {
			at = ^at
		}
		at %= int32(8 * len(c.bits))
		c.bits[at/8] |= 1 << (at % 8)
	}
}

// Bytes gives the container of all indexes (paimon.md §1.10).
func (w *FileIndexWriter) Bytes() ([]byte, error) {
	var names []string
	byName := map[string][]*indexedColumn{}
	for _, c := range w.columns {
		if byName[c.name] == nil {
			names = append(names, c.name)
		}
		byName[c.name] = append(byName[c.name], c)
	}
	head := 8 + 4 + 4 + 4 + 4
	for _, c := range w.columns {
		head += 2 + len(c.kind) + 8
	}
	for _, n := range names {
		head += 2 + len(n) + 4
	}
	be := binary.BigEndian
	out := be.AppendUint64(nil, fileIndexMagic)
	out = be.AppendUint32(out, fileIndexVersion)
	out = be.AppendUint32(out, uint32(head))
	out = be.AppendUint32(out, uint32(len(names)))
	text := func(s string) { out = append(be.AppendUint16(out, uint16(len(s))), s...) }
	var body []byte
	for _, n := range names {
		text(n)
		out = be.AppendUint32(out, uint32(len(byName[n])))
		for _, c := range byName[n] {
			data, err := c.bytes(w.rows)
			if err != nil {
				return nil, err
			}
			text(c.kind)
			out = be.AppendUint32(out, uint32(head+len(body)))
			out = be.AppendUint32(out, uint32(len(data)))
			body = append(body, data...)
		}
	}
	return append(be.AppendUint32(out, 0), body...), nil
}

// bytes gives one index: of a bloom filter its functions and bits, of bitmaps
// version 1.
func (c *indexedColumn) bytes(rows int) ([]byte, error) {
	be := binary.BigEndian
	if c.bits != nil {
		return append(be.AppendUint32(nil, uint32(c.functions)), c.bits...), nil
	}
	out := be.AppendUint32([]byte{1}, uint32(rows))
	out = be.AppendUint32(out, uint32(len(c.order)))
	var body []byte
	place := func(set *roaring.Bitmap) error {
		if set.GetCardinality() == 1 {
			out = be.AppendUint32(out, uint32(int32(-1-int32(set.Minimum()))))
			return nil
		}
		out = be.AppendUint32(out, uint32(len(body)))
		data, err := set.ToBytes()
		body = append(body, data...)
		return err
	}
	if c.null.IsEmpty() {
		out = append(out, 0)
	} else {
		out = append(out, 1)
		if err := place(c.null); err != nil {
			return nil, err
		}
	}
	for _, v := range c.order {
		out = c.appendKey(out, v)
		if err := place(c.sets[v]); err != nil {
			return nil, err
		}
	}
	return append(out, body...), nil
}

// appendKey is what readKey reads.
func (c *indexedColumn) appendKey(out []byte, v column.Value) []byte {
	be := binary.BigEndian
	switch x := v.(type) {
	case string:
		return append(be.AppendUint32(out, uint32(len(x))), x...)
	case uint8:
		return append(out, x)
	case int8:
		return append(out, uint8(x))
	case int16:
		return be.AppendUint16(out, uint16(x))
	case int32:
		return be.AppendUint32(out, uint32(x))
	case int64:
		switch c.t.Kind {
		case Time:
			return be.AppendUint32(out, uint32(x/1000))
		case Timestamp, TimestampLTZ:
			return be.AppendUint64(out, uint64(timeKey(x, c.t)))
		}
		return be.AppendUint64(out, uint64(x))
	}
	return out
}
