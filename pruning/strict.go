package pruning

import (
	"slices"
	"time"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/metadata/iceberg"
)

// Strict tells of files whose rows all match a filter. It may say no of one
// whose rows do, never the reverse.
type Strict struct {
	fails  *Iceberg // of rows for which some conjunct is false
	fields []int
	schema *iceberg.Schema
}

// NewStrict compiles conjuncts; nil where it cannot tell of any file.
func NewStrict(filter []expr.Expr, columns func(index int) Column, zone *time.Location, schema *iceberg.Schema) *Strict {
	if len(filter) == 0 {
		return nil
	}
	c := &compiler{columns: columns, zone: zone}
	n := c.junction(filter, false, true)
	if n == nil {
		return nil
	}
	s := &Strict{fails: NewIceberg(&Filter{conjuncts: []node{n}}, schema), schema: schema}
	for _, e := range filter {
		ok := true
		expr.Walk(e, func(e expr.Expr) {
			switch x := e.(type) {
			case *expr.Column:
				f := columns(x.Index).Field
				ok = ok && f >= 0
				s.fields = append(s.fields, f)
			case *expr.Literal:
				// What is NULL is neither true nor false.
				ok = ok && !column.IsNullAt(x.Value, 0)
			}
		})
		if !ok || !expr.Deterministic(e) {
			return nil
		}
	}
	return s
}

// Fields gives the ids of the columns whose statistics it asks for.
func (s *Strict) Fields() []int {
	if s == nil {
		return nil
	}
	return slices.Concat(s.fields, s.fails.Columns())
}

// AllMatch judges a data file of a spec.
func (s *Strict) AllMatch(m *iceberg.TableMetadata, spec *iceberg.PartitionSpec, f *iceberg.DataFile) bool {
	if s == nil {
		return false
	}
	// A condition over NULL is NULL: its row fails without the condition
	// being false.
	stats := &FileStats{File: f, Schema: s.schema}
	for _, id := range s.fields {
		if stats.Range(id).Nulls != None && !s.partitionHas(spec, f, id) {
			return false
		}
	}
	might, _ := s.fails.ForSpec(m, spec).FileMightMatch(f)
	return !might
}

// partitionHas tells whether the partition fixes a field to one value.
func (s *Strict) partitionHas(spec *iceberg.PartitionSpec, f *iceberg.DataFile, id int) bool {
	for i, p := range spec.Fields {
		if p.SourceID == id && p.Transform.Kind == iceberg.Identity && i < len(f.Partition) && i < 64 && f.Unreadable&(1<<i) == 0 && f.Partition[i] != nil {
			return true
		}
	}
	return false
}
