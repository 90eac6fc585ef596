package read

import (
	"context"

	"lakeserver/codec/avro"
	"lakeserver/codec/parquet"
	"lakeserver/metadata"
	"lakeserver/metadata/iceberg"
	"lakeserver/pruning"
	"lakeserver/types"
)

func (src *Source) loader() *metadata.Loader { return src.Loader }
func (src *Source) shared() *Shared          { return src.Shared }

// icebergParquet finds the columns of a data file of the table.
type icebergParquet struct {
	*parquetMatcher
	src  *Source
	task *Task
}

func (src *Source) parquetColumns(t *Task, root *parquet.SchemaNode) (parquetColumns, error) {
	mapping, err := src.Meta.NameMapping()
	if err != nil {
		return nil, err
	}
	return &icebergParquet{newParquetMatcher(root, src.Schema, mapping), src, t}, nil
}

// icebergAvro is the same of an Avro file.
type icebergAvro struct {
	*avroMatcher
	task *Task
}

func (src *Source) avroColumns(t *Task, root *avro.Schema) (avroColumns, error) {
	mapping, err := src.Meta.NameMapping()
	if err != nil {
		return nil, err
	}
	return &icebergAvro{newAvroMatcher(root, src.Schema, mapping), t}, nil
}

// fieldOf gives the field of a column, also of the virtual ones that files may
// store.
func fieldOf(c *Column) *iceberg.Field {
	if c.Virtual == VirtualRowID || c.Virtual == VirtualLast {
		return reservedField(c.Virtual)
	}
	return c.Field
}

// column finds a column in the file; failing that the identity partition
// value, then the default.
func (m *icebergParquet) column(c *Column) (w parquet.Want, fin finish, stored bool, err error) {
	f := fieldOf(c)
	if f == nil || c.Virtual != NotVirtual && m.find(m.root, f.ID) == nil {
		return w, nil, false, nil
	}
	w, fin, err = m.want(m.root, f, c.Type)
	if pv, ok := m.task.identity(f.ID); w.Node == nil && ok {
		w.Default = pv
	}
	return w, fin, true, err
}

func (m *icebergAvro) column(c *Column) (w avro.Want, fin finish, stored bool, err error) {
	f := fieldOf(c)
	if f == nil || c.Virtual != NotVirtual && m.find(m.root, f.ID) < 0 {
		return w, nil, false, nil
	}
	w, fin, err = m.want(m.root, f, c.Type)
	if pv, ok := m.task.identity(f.ID); w.Field < 0 && ok {
		w.Value = pv
	}
	return w, fin, true, err
}

func (src *Source) refuse(context.Context, *Scan, *Task) (bool, error) { return false, nil }

func (src *Source) fileRange(t *Task, id int) pruning.Range {
	return (&pruning.FileStats{File: t.File, Schema: src.Schema}).Range(id)
}

// leafOf finds a column's node in the file, at any depth of structs. absent
// says that the file does not have the column at all.
func (m *icebergParquet) leafOf(id int, fields []iceberg.Field, group *parquet.SchemaNode) (node *parquet.SchemaNode, field *iceberg.Field, absent bool) {
	for i := range fields {
		f := &fields[i]
		if f.ID != id && f.Type.Kind != iceberg.Struct {
			continue
		}
		n := m.find(group, f.ID)
		if f.ID == id {
			return n, f, n == nil
		}
		if n == nil || n.IsLeaf() {
			continue
		}
		if node, field, _ := m.leafOf(id, f.Type.Fields, n); field != nil {
			return node, field, false // inside of a struct: defaults and NULLs mix
		}
	}
	return nil, nil, false
}

// leaf gives the leaf of a field id and the type in which it is read; nil
// where the footer's statistics do not tell of that type.
func (m *icebergParquet) leaf(id int) (*parquet.SchemaNode, *types.Type) {
	n, f, _ := m.leafOf(id, m.src.Schema.Fields, m.root)
	if n == nil || !n.IsLeaf() || n.MaxRep > 0 {
		return nil, nil
	}
	t, err := iceberg.ClickHouseType(f)
	if err != nil || n.Logical.Kind == parquet.LogicalDate && types.Unwrap(t).Kind() == types.KindDateTime64 {
		return nil, nil
	}
	return n, t
}

// absent judges a column that the file lacks by the value that all rows have.
func (m *icebergParquet) absent(id int) pruning.Range {
	_, f, absent := m.leafOf(id, m.src.Schema.Fields, m.root)
	if f == nil || !absent || f.Type.Nested() {
		return pruning.Range{}
	}
	v, err := defaultOf(f)
	if err != nil {
		return pruning.Range{}
	}
	if pv, ok := m.task.identity(id); ok {
		v = pv
	}
	return constantRange(v)
}
