package paimon

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/RoaringBitmap/roaring/v2"

	"lakeserver/cherr"
	"lakeserver/column"
)

// FileIndex is the indexes of one data file's columns, from its .index file or
// its manifest entry. They are decoded when they are asked.
type FileIndex struct {
	columns map[string][]columnIndex
	types   map[string]*Type
}

type columnIndex struct {
	kind string
	body []byte // nil: the column is NULL in every row
}

// RowSet is rows of a data file, by position.
type RowSet struct{ set *roaring.Bitmap }

// IsEmpty tells whether there are none.
func (r *RowSet) IsEmpty() bool { return r.set.IsEmpty() }

// And gives the rows in both.
func (r *RowSet) And(o *RowSet) *RowSet { return &RowSet{roaring.And(r.set, o.set)} }

// Or gives the rows in either.
func (r *RowSet) Or(o *RowSet) *RowSet { return &RowSet{roaring.Or(r.set, o.set)} }

const (
	fileIndexMagic   = 1493475289347502
	fileIndexVersion = 1
)

// reader steps through big-endian data; after the first damage all is zero.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.bad, r.b = true, nil
		return make([]byte, max(0, min(n, 8)))
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) int() int     { return int(int32(binary.BigEndian.Uint32(r.take(4)))) }
func (r *reader) long() int64  { return int64(binary.BigEndian.Uint64(r.take(8))) }
func (r *reader) byte() byte   { return r.take(1)[0] }
func (r *reader) utf() string  { return string(r.take(int(binary.BigEndian.Uint16(r.take(2))))) }
func (r *reader) text() string { return string(r.take(r.int())) }

// ParseFileIndex reads the head of a container of indexes over a file's columns.
func ParseFileIndex(data []byte, fields []Field) (*FileIndex, error) {
	r := &reader{b: data}
	if r.long() != fileIndexMagic || r.int() != fileIndexVersion {
		return nil, cherr.New(cherr.IncorrectData, "it is no file index of version %d", fileIndexVersion)
	}
	r.int() // the head's length
	x := &FileIndex{columns: map[string][]columnIndex{}, types: map[string]*Type{}}
	for range r.int() {
		name := r.utf()
		for range r.int() {
			kind, start, length := r.utf(), r.int(), r.int()
			if r.bad {
				break
			}
			c := columnIndex{kind: kind}
			if start >= 0 {
				if length < 0 || start+length > len(data) {
					return nil, cherr.New(cherr.IncorrectData, "index of column `%s` lies behind the end", name)
				}
				c.body = data[start : start+length : start+length]
			}
			x.columns[name] = append(x.columns[name], c)
		}
		if r.bad {
			return nil, cherr.New(cherr.IncorrectData, "the head of a file index is cut short")
		}
	}
	for i := range fields {
		x.types[fields[i].Name] = fields[i].Type
	}
	return x, nil
}

// Has tells whether a column has an index.
func (x *FileIndex) Has(name string) bool { return len(x.columns[name]) > 0 && x.types[name] != nil }

// MightHave is false only when no row has the value in the column.
func (x *FileIndex) MightHave(name string, v column.Value) bool {
	for _, c := range x.columns[name] {
		if c.body == nil || c.kind == "bloom-filter" && !bloomMightHave(c.body, x.types[name], v) {
			return false
		}
	}
	return true
}

// Op is a comparison that an index can answer.
type Op uint8

// The comparisons.
const (
	Equal Op = iota
	NotEqual
	Less
	LessOrEqual
	Greater
	GreaterOrEqual
)

// Rows gives the rows whose value compares so; NULL never does. ok is false
// when no index of the column can tell.
func (x *FileIndex) Rows(name string, op Op, v column.Value) (rows *RowSet, ok bool) {
	return x.ask(name, func(i sliceIndex) *roaring.Bitmap { return i.rows(op, v) })
}

// Nulls gives the rows where the column is NULL, or those where it is not.
func (x *FileIndex) Nulls(name string, want bool) (rows *RowSet, ok bool) {
	return x.ask(name, func(i sliceIndex) *roaring.Bitmap { return i.nulls(want) })
}

// sliceIndex is an index that knows rows; nil says that it cannot tell.
type sliceIndex interface {
	rows(op Op, v column.Value) *roaring.Bitmap
	nulls(want bool) *roaring.Bitmap
}

func (x *FileIndex) ask(name string, f func(sliceIndex) *roaring.Bitmap) (*RowSet, bool) {
	t := x.types[name]
	if t == nil {
		return nil, false
	}
	for _, c := range x.columns[name] {
		var i sliceIndex
		switch {
		case c.body == nil:
			continue
		case c.kind == "bitmap":
			i = openBitmapIndex(c.body, t)
		case c.kind == "range-bitmap":
			i = openRangeBitmap(c.body, t)
		case c.kind == "bsi":
			i = openBSI(c.body, t)
		}
		if i == nil {
			continue
		}
		if b := f(i); b != nil {
			return &RowSet{b}, true
		}
	}
	return nil, false
}

// readKey reads a value as indexes store it; ok is false for types that they
// do not store, or not exactly.
func readKey(r *reader, t *Type) (v column.Value, ok bool) { // long: one case a type
	switch t.Kind {
	case Char, VarChar:
		return r.text(), true
	case Boolean:
		return r.byte(), true
	case TinyInt:
		return int8(r.byte()), true
	case SmallInt:
		return int16(binary.BigEndian.Uint16(r.take(2))), true
	case Int, Date:
		return int32(r.int()), true
	case Time:
		return int64(r.int()) * 1000, true
	case BigInt:
		return r.long(), true
	case Float:
		return math.Float32frombits(uint32(r.int())), true
	case Double:
		return math.Float64frombits(uint64(r.long())), true
	case Timestamp, TimestampLTZ:
		return indexTime(r.long(), t), t.Precision <= 6
	}
	return nil, false
}

// indexTime brings milliseconds or microseconds, which indexes hold by the
// precision, to units of the precision.
func indexTime(v int64, t *Type) int64 {
	if t.Precision <= 3 {
		return v / pow10[3-t.Precision]
	}
	return v / pow10[6-min(t.Precision, 6)]
}

// timeKey is the reverse of indexTime.
func timeKey(v int64, t *Type) int64 {
	if t.Precision <= 3 {
		return v * pow10[3-t.Precision]
	}
	return v * pow10[6-t.Precision]
}

// readBitmap reads a serialized 32-bit roaring bitmap; nil when it is damaged.
func readBitmap(b []byte) *roaring.Bitmap {
	out := roaring.New()
	if _, err := out.ReadFrom(bytes.NewReader(b)); err != nil {
		return nil
	}
	if err := out.Validate(); err != nil && !out.IsEmpty() {
		return nil
	}
	return out
}

// without gives the rows below n that are not in a set.
func without(set *roaring.Bitmap, n int) *roaring.Bitmap {
	out := set.Clone()
	out.Flip(0, uint64(n))
	return out
}
