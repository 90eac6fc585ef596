package iceberg

import (
	"context"
	"fmt"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/metadata/iceberg"
	"lakeserver/pruning"
	"lakeserver/table"
	"lakeserver/types"
	write "lakeserver/write/iceberg"
)

// Overwrite starts an INSERT OVERWRITE: what gives way goes in the snapshot
// that brings the new rows.
func (t *Table) Overwrite(ctx context.Context, req *table.OverwriteRequest) (table.Sink, error) {
	if err := t.gate(insertGate); err != nil {
		return nil, err
	}
	mode := strings.ToLower(t.settings.Get("iceberg_overwrite_mode"))
	switch {
	case req.Where != nil && t.byPartition(req.Where):
		return t.overwriteWhere(req)
	case req.Where != nil:
		return t.replaceRows(ctx, req)
	case req.Partition != nil && !req.Partition.All:
		match, err := t.partitionMatcher(*req.Partition)
		if err != nil {
			return nil, err
		}
		return t.overwriteFiles(req.Columns, write.Removal{Is: match})
	case mode == "dynamic":
		return t.newSink(req.Columns, (*sink).replacePartitions)
	case mode != "static":
		return nil, cherr.New(cherr.BadArguments, "Setting iceberg_overwrite_mode must be 'static' or 'dynamic', not '%s'", mode)
	}
	return t.overwriteFiles(req.Columns, write.Removal{Is: func(*iceberg.PartitionSpec, *iceberg.Live) (bool, error) { return true, nil }})
}

func (t *Table) overwriteFiles(columns []string, r write.Removal) (table.Sink, error) {
	return t.newSink(columns, func(s *sink, _ []write.NewFile) error {
		s.p.Operation, s.p.Removed = "overwrite", []write.Removal{r}
		return nil
	})
}

// replacePartitions takes out what is in the partitions that got new rows.
func (s *sink) replacePartitions(files []write.NewFile) error {
	if len(files) == 0 {
		return nil
	}
	touched := map[string]bool{}
	for i := range files {
		touched[write.PartitionKey(files[i].SpecID, &files[i].DataFile)] = true
	}
	s.p.Operation = "overwrite"
	if s.p.Summary == nil {
		s.p.Summary = map[string]string{}
	}
	s.p.Summary["replace-partitions"] = "true"
	s.p.Removed = []write.Removal{{Is: func(spec *iceberg.PartitionSpec, f *iceberg.Live) (bool, error) {
		return touched[write.PartitionKey(spec.ID, f.DataFile)], nil
	}}}
	return nil
}

// DropPartitions takes out all files of partitions.
func (t *Table) DropPartitions(ctx context.Context, partitions []table.Partition) error {
	if err := t.gate(insertGate); err != nil {
		return err
	}
	var matches []func(*iceberg.PartitionSpec, *iceberg.Live) (bool, error)
	for _, p := range partitions {
		m, err := t.partitionMatcher(p)
		if err != nil {
			return err
		}
		matches = append(matches, m)
	}
	return t.remove(ctx, write.Removal{Is: func(spec *iceberg.PartitionSpec, f *iceberg.Live) (bool, error) {
		for _, m := range matches {
			if is, err := m(spec, f); is || err != nil {
				return is, err
			}
		}
		return false, nil
	}})
}

// partitionMatcher tells whether a file is in a partition given by values: all
// of the spec's fields in their order, or some by the name of field or column.
func (t *Table) partitionMatcher(p table.Partition) (func(*iceberg.PartitionSpec, *iceberg.Live) (bool, error), error) {
	m := t.src.Meta
	spec := m.Spec(m.DefaultSpecID)
	switch {
	case p.All:
		return func(*iceberg.PartitionSpec, *iceberg.Live) (bool, error) { return true, nil }, nil
	case p.ID != "":
		return nil, cherr.New(cherr.BadArguments, "Partitions of Iceberg tables have no ID")
	case len(spec.Fields) == 0:
		return nil, cherr.New(cherr.BadArguments, "Iceberg table %s is not partitioned", t.path)
	}
	want := map[int]column.Value{} // by partition field id
	for i, arg := range p.Values {
		f := partitionField(m, spec, arg.Name, i)
		if f == nil || arg.Name == "" && len(p.Values) != len(spec.Fields) {
			return nil, cherr.New(cherr.InvalidPartitionValue, "Iceberg table %s is partitioned by %d fields, %d values are given", t.path, len(spec.Fields), len(p.Values))
		}
		v, err := partitionValue(m, f, arg)
		if err != nil {
			return nil, err
		}
		want[f.FieldID] = v
	}
	return func(spec *iceberg.PartitionSpec, f *iceberg.Live) (bool, error) {
		found := 0
		for i, field := range spec.Fields {
			v, ok := want[field.FieldID]
			if !ok {
				continue
			}
			found++
			if v != f.Partition[i] {
				return false, nil
			}
		}
		if found < len(want) {
			return false, cherr.New(cherr.NotImplemented, "File %s was written under partition spec %d, which lacks a field of this partition", f.Path, spec.ID)
		}
		return true, nil
	}, nil
}

func partitionField(m *iceberg.TableMetadata, spec *iceberg.PartitionSpec, name string, i int) *iceberg.PartitionField {
	if name == "" {
		if i < len(spec.Fields) {
			return &spec.Fields[i]
		}
		return nil
	}
	for i := range spec.Fields {
		f := &spec.Fields[i]
		source := m.CurrentSchema().Field(f.SourceID)
		if f.Name == name || source != nil && source.Name == name && f.Transform.Kind == iceberg.Identity {
			return f
		}
	}
	return nil
}

// partitionValue brings a value to the type of a partition field.
func partitionValue(m *iceberg.TableMetadata, f *iceberg.PartitionField, arg table.Argument) (column.Value, error) {
	if arg.Value == nil {
		return nil, nil
	}
	it := m.PartitionType(*f)
	if it == nil {
		return nil, cherr.New(cherr.NotImplemented, "Partition field `%s` has transform %s, which is not supported here", f.Name, f.Transform.Name)
	}
	t, err := iceberg.ClickHouseType(&iceberg.Field{Required: true, Type: it})
	if err != nil {
		return nil, err
	}
	if it.Kind == iceberg.Date && arg.Type.Kind() != types.KindString && !isDate(arg.Type) {
		t = types.Int32 // a number of days
	}
	c, err := cast.Column(column.FromValue(arg.Type, arg.Value, 1).Value, arg.Type, t, &cast.Options{})
	if err != nil {
		return nil, cherr.New(cherr.InvalidPartitionValue, "%s is no value of partition field `%s`: %s", arg.Text, f.Name, err)
	}
	if got := column.At(c, 0); fmt.Sprint(got) != "" || it.Kind == iceberg.String {
		return got, nil
	}
	return nil, cherr.New(cherr.InvalidPartitionValue, "%s is no value of partition field `%s`", arg.Text, f.Name)
}

func isDate(t *types.Type) bool {
	k := types.Unwrap(t).Kind()
	return k == types.KindDate || k == types.KindDate32
}

// overwriteWhere replaces the rows that match a filter. Files with other rows
// as well are not taken apart here: the filter must decide by whole files.
func (t *Table) overwriteWhere(req *table.OverwriteRequest) (table.Sink, error) {
	ts, err := t.overwriteFiles(req.Columns, write.Removal{Is: t.fileFilter(req.Where)})
	if err != nil {
		return nil, err
	}
	s := ts.(*sink)
	s.check = func(ctx context.Context, b *column.Block) error { return t.allMatch(ctx, req.Where, b) }
	return s, nil
}

// allMatch refuses new rows outside of the filter: they would stand beside the
// rows that did not give way.
func (t *Table) allMatch(ctx context.Context, where []expr.Expr, b *column.Block) error {
	for _, e := range where {
		c, err := e.Eval(ctx, b)
		if err != nil {
			return err
		}
		for i := range b.Rows {
			if v := column.At(c, i); v == nil || v == uint8(0) {
				return cherr.New(cherr.BadArguments, "A new row does not match the filter of REPLACE WHERE")
			}
		}
	}
	return nil
}

// fileFilter tells of a file whether its rows give way to a filter: not when
// statistics say that none matches; all when the filter asks only for columns
// that one partition value fixes. Delete files go with what they delete from.
func (t *Table) fileFilter(where []expr.Expr) func(*iceberg.PartitionSpec, *iceberg.Live) (bool, error) {
	pruned := pruning.NewIceberg(t.compile(&table.ScanRequest{Filter: where}), t.src.Schema)
	return func(spec *iceberg.PartitionSpec, f *iceberg.Live) (bool, error) {
		if might, _ := pruned.ForSpec(t.src.Meta, spec).FileMightMatch(f.DataFile); !might && f.Content == iceberg.DataContent {
			return false, nil
		}
		is, known, err := t.onPartition(where, spec, f.DataFile)
		switch {
		case err != nil:
			return false, err
		case known:
			return is, nil
		case f.Content != iceberg.DataContent:
			return false, nil
		}
		return false, cherr.New(cherr.NotImplemented, "Data file %s may hold rows that match the filter of REPLACE WHERE beside others; only filters over partition columns are supported", f.Path)
	}
}

// onPartition evaluates a filter where identity partition fields fix all its
// columns; known is false elsewhere.
func (t *Table) onPartition(where []expr.Expr, spec *iceberg.PartitionSpec, f *iceberg.DataFile) (is, known bool, err error) {
	b := &column.Block{Rows: 1}
	fixed := map[int]bool{}
	for i, c := range t.columns {
		var v column.Value
		for k, pf := range spec.Fields {
			if pf.SourceID == t.all[i].Field.ID && pf.Transform.Kind == iceberg.Identity && f.Unreadable&(1<<min(k, 63)) == 0 {
				v, fixed[i] = f.Partition[k], true
			}
		}
		if v == nil && !c.Type.IsNullable() {
			b.Columns = append(b.Columns, column.Default(c.Type, 1))
			continue
		}
		b.Columns = append(b.Columns, column.FromValue(c.Type, v, 1).Value)
	}
	for _, e := range where {
		all := true
		expr.Walk(e, func(x expr.Expr) {
			if c, ok := x.(*expr.Column); ok && !fixed[c.Index] {
				all = false
			}
		})
		if !all || !expr.Deterministic(e) {
			return false, false, nil
		}
	}
	for _, e := range where {
		c, err := e.Eval(context.Background(), b)
		if err != nil {
			return false, false, err
		}
		if v := column.At(c, 0); v == nil || v == uint8(0) {
			return false, true, nil
		}
	}
	return true, true, nil
}
