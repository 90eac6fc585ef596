package iceberg

import (
	"context"
	"sort"

	"lakeserver/column"
	"lakeserver/metadata/iceberg"
	"lakeserver/types"
)

// listed is a live file with what it inherited and its manifest.
type listed struct {
	iceberg.Live
	spec     *iceberg.PartitionSpec
	schemaID int
}

// liveFiles lists the snapshot's files, data before deletes, in manifest order.
func (t *Table) liveFiles(ctx context.Context) ([]listed, error) {
	src := t.src
	if src.Snapshot == nil {
		return nil, nil
	}
	lines, err := src.Snapshot.LoadManifests(ctx, src.Loader, src.Paths.Map)
	if err != nil {
		return nil, err
	}
	var out []listed
	for i := range lines {
		line := &lines[i]
		if !line.Live() {
			continue
		}
		m, err := iceberg.LoadManifest(ctx, src.Loader, src.Meta, line, src.Paths.Map(line.Path))
		if err != nil {
			return nil, err
		}
		err = m.Walk(line, func(e iceberg.Live) error {
			out = append(out, listed{e, m.Spec, m.SchemaID})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

var filesColumns = []named{
	{"snapshot_id", types.Int64},
	{"content", enum8(contents, []int16{0, 1, 2})},
	{"file_path", types.String},
	{"file_format", types.String},
	{"record_count", types.Int64},
	{"file_size_in_bytes", types.Int64},
	{"partition", types.String},
	{"schema_id", types.Int32},
	{"sequence_number", types.Int64},
	{"sort_order_id", types.Nullable(types.Int32)},
	{"null_value_counts", countMap},
	{"column_sizes", countMap},
	{"value_counts", countMap},
	{"equality_ids", types.Array(types.Int32)},
	{"first_row_id", types.Nullable(types.Int64)},
}

func files(ctx context.Context, t *Table) ([]column.Row, error) {
	list, err := t.liveFiles(ctx)
	if err != nil {
		return nil, err
	}
	var out []column.Row
	for i := range list {
		f := &list[i]
		var order, firstRow column.Value
		if f.SortOrderID >= 0 {
			order = int32(f.SortOrderID)
		}
		if f.FirstRowID >= 0 {
			firstRow = f.FirstRowID
		}
		ids := column.Row{}
		for _, id := range f.EqualityIDs {
			ids = append(ids, int32(id))
		}
		schema := f.schemaID
		if schema < 0 {
			schema = t.src.Schema.ID
		}
		out = append(out, column.Row{
			f.SnapshotID, f.Content, f.Path, f.Format, f.Records, f.Size, t.partitionText(f.spec, f.DataFile), int32(schema),
			f.SequenceNumber, order, counts(f.DataFile, func(s *iceberg.ColumnStat) int64 { return s.Nulls }),
			counts(f.DataFile, func(s *iceberg.ColumnStat) int64 { return s.Bytes }),
			counts(f.DataFile, func(s *iceberg.ColumnStat) int64 { return s.Values }), ids, firstRow,
		})
	}
	return out, nil
}

func counts(f *iceberg.DataFile, of func(*iceberg.ColumnStat) int64) column.Entries {
	out := column.Entries{}
	for i := range f.Stats {
		if n := of(&f.Stats[i]); n >= 0 {
			out = append(out, column.Entry{Key: f.Stats[i].ID, Value: n})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Key.(int32) < out[j].Key.(int32) })
	return out
}

var summaryTuple = types.Tuple([]*types.Type{types.Bool, types.Nullable(types.Bool), types.Nullable(types.String), types.Nullable(types.String)},
	[]string{"contains_null", "contains_nan", "lower_bound", "upper_bound"})

var manifestsColumns = []named{
	{"content", enum8([]string{"DATA", "DELETES"}, []int16{0, 1})},
	{"path", types.String},
	{"length", types.Int64},
	{"partition_spec_id", types.Int32},
	{"added_snapshot_id", types.Int64},
	{"sequence_number", types.Int64},
	{"min_sequence_number", types.Int64},
	{"added_files_count", types.Nullable(types.Int64)},
	{"existing_files_count", types.Nullable(types.Int64)},
	{"deleted_files_count", types.Nullable(types.Int64)},
	{"added_rows_count", types.Nullable(types.Int64)},
	{"existing_rows_count", types.Nullable(types.Int64)},
	{"deleted_rows_count", types.Nullable(types.Int64)},
	{"first_row_id", types.Nullable(types.Int64)},
	{"partition_summaries", types.Array(summaryTuple)},
}

// known gives a count, NULL for one that is not known.
func known(n int64) column.Value {
	if n < 0 {
		return nil
	}
	return n
}

func manifests(ctx context.Context, t *Table) ([]column.Row, error) {
	src := t.src
	if src.Snapshot == nil {
		return nil, nil
	}
	lines, err := src.Snapshot.LoadManifests(ctx, src.Loader, src.Paths.Map)
	if err != nil {
		return nil, err
	}
	var out []column.Row
	for i := range lines {
		l := &lines[i]
		content := int8(0)
		if l.Deletes {
			content = 1
		}
		out = append(out, column.Row{
			content, l.Path, l.Length, int32(l.SpecID), l.AddedSnapshotID, l.SequenceNumber, l.MinSequenceNumber,
			known(l.AddedFiles), known(l.ExistingFiles), known(l.DeletedFiles), known(l.AddedRows), known(l.ExistingRows), known(l.DeletedRows),
			known(l.FirstRowID), t.summaries(l),
		})
	}
	return out, nil
}

func (t *Table) summaries(l *iceberg.ManifestFile) column.Row {
	out := column.Row{}
	spec := t.src.Meta.Spec(l.SpecID)
	for i := range l.Partitions {
		s := &l.Partitions[i]
		row := column.Row{flagOf(s.ContainsNull), nil, nil, nil}
		if s.ContainsNaN >= 0 {
			row[1] = uint8(s.ContainsNaN)
		}
		if spec != nil && i < len(spec.Fields) {
			if pt := t.src.Meta.PartitionType(spec.Fields[i]); pt != nil {
				if v, ok := iceberg.DecodeBound(pt, s.Lower); ok && s.Lower != nil {
					row[2] = valueText(pt.Kind, v)
				}
				if v, ok := iceberg.DecodeBound(pt, s.Upper); ok && s.Upper != nil {
					row[3] = valueText(pt.Kind, v)
				}
			}
		}
		out = append(out, row)
	}
	return out
}

var partitionsColumns = []named{
	{"partition", types.String},
	{"spec_id", types.Int32},
	{"record_count", types.Int64},
	{"file_count", types.Int64},
	{"total_data_file_size_in_bytes", types.Int64},
	{"position_delete_record_count", types.Int64},
	{"position_delete_file_count", types.Int64},
	{"equality_delete_record_count", types.Int64},
	{"equality_delete_file_count", types.Int64},
}

func partitions(ctx context.Context, t *Table) ([]column.Row, error) {
	list, err := t.liveFiles(ctx)
	if err != nil {
		return nil, err
	}
	type key struct {
		spec int
		text string
	}
	at := map[key]int{}
	var out []column.Row
	for i := range list {
		f := &list[i]
		k := key{f.spec.ID, t.partitionText(f.spec, f.DataFile)}
		n, ok := at[k]
		if !ok {
			n = len(out)
			at[k] = n
			out = append(out, column.Row{k.text, int32(k.spec), int64(0), int64(0), int64(0), int64(0), int64(0), int64(0), int64(0)})
		}
		first := 2
		if f.Content != iceberg.DataContent {
			first = 3 + 2*int(f.Content)
		}
		out[n][first] = out[n][first].(int64) + f.Records
		out[n][first+1] = out[n][first+1].(int64) + 1
		if f.Content == iceberg.DataContent {
			out[n][4] = out[n][4].(int64) + f.Size
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i][0].(string) < out[j][0].(string) })
	return out, nil
}
