package parquet

import (
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"lakeserver/column"
)

// A dictionary of values that hardly repeat costs a look-up a value and is
// given up in the end. What the first block holds tells.
const (
	dictionarySample = 16384 // values looked at
	dictionaryLeast  = 4096  // fewer tell nothing
)

// withoutDictionary gives the properties of the leaves whose values are mostly
// distinct.
func (w *Writer) withoutDictionary(b *column.Block) []parquet.WriterProperty {
	if b == nil || b.Rows < dictionaryLeast {
		return nil
	}
	b = b.Slice(0, min(b.Rows, dictionarySample))
	s := shredder{leaves: w.leaves}
	for i, f := range w.header {
		s.shred(f.Type, b.Columns[i], wholeRows(b.Rows), 0)
	}
	var out []parquet.WriterProperty
	paths := schema.NewSchema(w.root)
	for i := range w.leaves {
		l := &w.leaves[i]
		if mostlyDistinct(l.values) {
			out = append(out, parquet.WithDictionaryFor(paths.Column(i).Path(), false))
		}
		l.def, l.rep, l.values = nil, nil, nil
	}
	return out
}

func mostlyDistinct(c column.Column) bool {
	if c.Len() < dictionaryLeast {
		return false
	}
	switch c := c.(type) {
	case *column.Fixed[int32]:
		return distinct(c.Values)
	case *column.Fixed[uint32]:
		return distinct(c.Values)
	case *column.Fixed[int64]:
		return distinct(c.Values)
	case *column.Fixed[uint64]:
		return distinct(c.Values)
	case *column.Fixed[float32]:
		return distinct(c.Values)
	case *column.Fixed[float64]:
		return distinct(c.Values)
	case *column.Str:
		seen := make(map[string]struct{}, c.Len())
		for i := range c.Len() {
			seen[c.StringAt(i)] = struct{}{}
		}
		return 2*len(seen) > c.Len()
	}
	return false
}

func distinct[T column.Element](v []T) bool {
	seen := make(map[T]struct{}, len(v))
	for _, x := range v {
		seen[x] = struct{}{}
	}
	return 2*len(seen) > len(v)
}
