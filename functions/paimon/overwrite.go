package paimon

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/table"
	"lakeserver/types"
	write "lakeserver/write/paimon"
)

// Overwrite starts an INSERT OVERWRITE: the partitions that get new rows give
// way (dynamic-partition-overwrite), or those that the statement names, whose
// columns the rows then lack.
func (t *Table) Overwrite(ctx context.Context, req *table.OverwriteRequest) (table.Sink, error) {
	if req.Where != nil {
		return nil, cherr.New(cherr.NotImplemented, "INSERT OVERWRITE … WHERE of Paimon tables is not supported; name a PARTITION")
	}
	static := req.Partition != nil && !req.Partition.All
	var options map[string]string
	if static {
		options = map[string]string{"dynamic-partition-overwrite": "false"}
	}
	s, err := t.newSink(ctx, req.Columns, options)
	if err != nil {
		return nil, err
	}
	var spec write.Spec
	if static {
		values, err := t.partitionValues(*req.Partition)
		if err != nil {
			s.rows.Abort(ctx)
			return nil, err
		}
		spec = t.specOf(values)
		for i := range t.src.Schema.Fields {
			if v, ok := values[t.src.Schema.Fields[i].Name]; ok {
				s.fixed[i] = v
			}
		}
	}
	s.commit = func(ctx context.Context, m []any) error { return s.c.Overwrite(ctx, spec, m, nil) }
	return s, nil
}

// DropPartitions takes out all rows of partitions.
func (t *Table) DropPartitions(ctx context.Context, partitions []table.Partition) error {
	if err := t.gate(); err != nil {
		return err
	}
	c, err := t.committer(ctx, nil)
	if err != nil {
		return err
	}
	var specs []write.Spec
	for _, p := range partitions {
		if p.All {
			return c.TruncateTable(ctx, nil)
		}
		values, err := t.partitionValues(p)
		if err != nil {
			return err
		}
		specs = append(specs, t.specOf(values))
	}
	return c.DropPartition(ctx, specs, nil)
}

// partitionValues gives the values that a statement names, by column: all of
// the partition columns in their order, or some by name.
func (t *Table) partitionValues(p table.Partition) (map[string]column.Value, error) {
	fields := t.src.Schema.PartitionFields()
	switch {
	case p.ID != "":
		return nil, cherr.New(cherr.BadArguments, "Partitions of Paimon tables have no ID")
	case len(fields) == 0:
		return nil, cherr.New(cherr.BadArguments, "Paimon table %s is not partitioned", t.path)
	}
	out := map[string]column.Value{}
	for i, arg := range p.Values {
		name := arg.Name
		if name == "" {
			if len(p.Values) != len(fields) {
				return nil, cherr.New(cherr.InvalidPartitionValue, "Paimon table %s is partitioned by %d columns, %d values are given", t.path, len(fields), len(p.Values))
			}
			name = fields[i].Name
		}
		at := -1
		for j := range fields {
			if fields[j].Name == name {
				at = j
			}
		}
		if at < 0 {
			return nil, cherr.New(cherr.BadArguments, "Paimon table %s is not partitioned by `%s`", t.path, name)
		}
		v, err := t.castTo(name, arg)
		if err != nil {
			return nil, err
		}
		out[name] = v
	}
	return out, nil
}

func (t *Table) castTo(name string, arg table.Argument) (column.Value, error) {
	for i := range t.columns {
		if t.columns[i].Name != name {
			continue
		}
		if arg.Value == nil {
			return nil, nil
		}
		c, err := cast.Column(column.FromValue(arg.Type, arg.Value, 1).Value, arg.Type, types.Unwrap(t.columns[i].Type), &cast.Options{})
		if err != nil {
			return nil, cherr.New(cherr.InvalidPartitionValue, "%s is no value of partition column `%s`: %s", arg.Text, name, err)
		}
		return column.At(c, 0), nil
	}
	return nil, cherr.New(cherr.UnknownIdentifier, "There is no column `%s`", name)
}

// specOf gives the texts of values as folder names hold them.
func (t *Table) specOf(values map[string]column.Value) write.Spec {
	names := t.src.Schema.PartitionNames()
	out := write.Spec{}
	for i, f := range names.Fields {
		if v, ok := values[f.Name]; ok {
			out[f.Name] = names.Text(i, v)
		}
	}
	return out
}
