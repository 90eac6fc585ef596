package paimon

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"lakeserver/column"
	"lakeserver/metadata/paimon"
	"lakeserver/read"
	"lakeserver/types"
)

var manifestsColumns = columnsOf(
	named{"file_name", types.String}, named{"file_size", types.Int64}, named{"num_added_files", types.Int64}, named{"num_deleted_files", types.Int64},
	named{"schema_id", types.Int64}, named{"min_partition_stats", maybeText}, named{"max_partition_stats", maybeText},
	named{"min_row_id", maybeLong}, named{"max_row_id", maybeLong},
)

func manifests(ctx context.Context, s *subject) ([]column.Row, error) {
	if s.version.Snapshot == nil {
		return nil, nil
	}
	var out []column.Row
	x := s.version.Snapshot
	for _, list := range []string{x.BaseManifestList, x.DeltaManifestList, x.ChangelogManifestList} {
		if list == "" {
			continue
		}
		lines, err := paimon.LoadManifestList(ctx, s.loader, s.dir.ManifestPath(list))
		if err != nil {
			return nil, err
		}
		for i := range lines {
			m := &lines[i]
			out = append(out, column.Row{
				m.Name, m.Size, m.AddedFiles, m.DeletedFiles, m.SchemaID, s.partitionText(m.Partitions.Min), s.partitionText(m.Partitions.Max),
				optional(m.MinRowID), optional(m.MaxRowID),
			})
		}
	}
	return out, nil
}

// partitionText prints a partition as Paimon's system tables do: {a, b}.
func (s *subject) partitionText(b []byte) string {
	fields := s.version.Schema.PartitionFields()
	row, err := paimon.DecodeRow(b, paimon.TypesOf(fields))
	if err != nil {
		return "{}"
	}
	parts := make([]string, len(row))
	for i, v := range row {
		parts[i] = paimon.ValueText(fields[i].Type, v)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

var filesColumns = columnsOf(
	named{"partition", maybeText}, named{"bucket", types.Int32}, named{"file_path", types.String}, named{"file_format", types.String},
	named{"schema_id", types.Int64}, named{"level", types.Int32}, named{"record_count", types.Int64}, named{"file_size_in_bytes", types.Int64},
	named{"min_key", maybeText}, named{"max_key", maybeText}, named{"null_value_counts", types.String}, named{"min_value_stats", types.String},
	named{"max_value_stats", types.String}, named{"min_sequence_number", maybeLong}, named{"max_sequence_number", maybeLong},
	named{"creation_time", maybeTime}, named{"deleteRowCount", maybeLong}, named{"file_source", maybeText}, named{"first_row_id", maybeLong},
	named{"write_cols", types.Array(types.String)},
)

func files(ctx context.Context, s *subject) ([]column.Row, error) {
	list, err := s.live(ctx)
	if err != nil {
		return nil, err
	}
	var out []column.Row
	for _, f := range list {
		e := &f.Entry.File
		nulls, lo, hi := s.stats(f)
		var source column.Value
		if e.Source != nil {
			source = map[int32]string{paimon.SourceAppend: "APPEND", paimon.SourceCompact: "COMPACT"}[*e.Source]
		}
		cols := column.Row{}
		for _, c := range e.WriteCols {
			cols = append(cols, c)
		}
		out = append(out, append(s.fileRow(f), nulls, lo, hi, e.MinSequence, e.MaxSequence, optional(e.CreationTime), optional(e.DeleteRows),
			source, optional(e.FirstRowID), cols))
	}
	return out, nil
}

// live gives the files of the version, those of rows that wait for a bucket
// left out.
func (s *subject) live(ctx context.Context) ([]*read.PaimonFile, error) {
	if s.version.Snapshot == nil {
		return nil, nil
	}
	list, _, err := read.PaimonEntries(ctx, s.src, nil)
	if err != nil {
		return nil, err
	}
	out := list[:0:0]
	for _, f := range list {
		if f.Entry.Bucket >= 0 {
			out = append(out, f)
		}
	}
	return out, nil
}

// fileRow gives the columns that files and file_key_ranges have in common, up
// to the key range.
func (s *subject) fileRow(f *read.PaimonFile) column.Row {
	e := &f.Entry.File
	path := f.Schema.DataFilePath(s.dir, s.version.Schema.PartitionNames(), f.Partition, f.Entry)
	row := column.Row{
		s.partitionText(f.Entry.Partition), int32(f.Entry.Bucket), path, e.Name[strings.LastIndexByte(e.Name, '.')+1:], e.SchemaID,
		int32(e.Level), e.Rows, e.Size, nil, nil,
	}
	if f.Schema.HasPrimaryKey() {
		row[8], row[9] = keyText(f.Schema, e.MinKey), keyText(f.Schema, e.MaxKey)
	}
	return row
}

func keyText(s *paimon.Schema, b []byte) column.Value {
	fields := s.TrimmedKeys()
	row, err := paimon.DecodeRow(b, paimon.TypesOf(fields))
	if err != nil {
		return nil
	}
	parts := make([]string, len(row))
	for i, v := range row {
		parts[i] = legacyText(fields[i].Type, v)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func legacyText(t *paimon.Type, v column.Value) string {
	if v == nil {
		return "null"
	}
	return paimon.LegacyText(t, v)
}

// stats prints a file's statistics by the names of the table's columns.
func (s *subject) stats(f *read.PaimonFile) (nulls, lo, hi string) {
	e := &f.Entry.File
	fields, err := f.Schema.StatsFields(e)
	ts := paimon.TypesOf(fields)
	mins, errMin := paimon.DecodeRow(e.ValueStats.Min, ts)
	maxs, errMax := paimon.DecodeRow(e.ValueStats.Max, ts)
	table := s.version.Schema.Fields
	if e.WriteCols != nil && e.ValueStatsCols == nil && len(fields) <= len(table) {
		// Of files that hold only some columns, Paimon's engine shows the statistics
		// as if they were of the table's first ones.
		table = table[:len(fields)]
		fields = table
		ts = paimon.TypesOf(fields)
		mins, errMin = paimon.DecodeRow(e.ValueStats.Min, ts)
		maxs, errMax = paimon.DecodeRow(e.ValueStats.Max, ts)
	}
	known := err == nil && errMin == nil && errMax == nil
	parts := [3][]string{}
	order := make([]int, len(table))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(a, b int) bool { return table[order[a]].Name < table[order[b]].Name })
	for _, at := range order {
		c := &table[at]
		text := [3]string{"null", "null", "null"}
		if f.Schema.FieldByID(c.ID) == nil {
			text[0] = strconv.FormatInt(e.Rows, 10) // added since: NULL in every row
		}
		for i := range fields {
			if !known || fields[i].ID != c.ID {
				continue
			}
			if i < len(e.ValueStats.Nulls) && e.ValueStats.Nulls[i] >= 0 {
				text[0] = strconv.FormatInt(e.ValueStats.Nulls[i], 10)
			}
			text[1], text[2] = legacyText(c.Type, read.Recast(mins[i], fields[i].Type, c.Type)), legacyText(c.Type, read.Recast(maxs[i], fields[i].Type, c.Type))
		}
		for k := range parts {
			parts[k] = append(parts[k], c.Name+"="+text[k])
		}
	}
	of := func(k int) string { return "{" + strings.Join(parts[k], ", ") + "}" }
	return of(0), of(1), of(2)
}

var keyRangesColumns = columnsOf(
	named{"partition", maybeText}, named{"bucket", types.Int32}, named{"file_path", types.String}, named{"file_format", types.String},
	named{"schema_id", types.Int64}, named{"level", types.Int32}, named{"record_count", types.Int64}, named{"file_size_in_bytes", types.Int64},
	named{"min_key", maybeText}, named{"max_key", maybeText}, named{"first_row_id", maybeLong},
)

func keyRanges(ctx context.Context, s *subject) ([]column.Row, error) {
	list, err := s.live(ctx)
	var out []column.Row
	for _, f := range list {
		out = append(out, append(s.fileRow(f), optional(f.Entry.File.FirstRowID)))
	}
	return out, err
}

// tally is the sums over the entries of one partition or bucket.
type tally struct {
	partition            []byte
	bucket               int
	rows, bytes, count   int64
	last                 *int64
	totalBuckets, serial int
	deleted              int64
}

// tallies sums the entries of the version's manifests, additions less
// deletions. The time of a file that is gone counts as a time of change.
func (s *subject) tallies(ctx context.Context, byBucket bool) ([]*tally, error) {
	if s.version.Snapshot == nil {
		return nil, nil
	}
	byKey := map[string]*tally{}
	for _, list := range []string{s.version.Snapshot.BaseManifestList, s.version.Snapshot.DeltaManifestList} {
		lines, err := paimon.LoadManifestList(ctx, s.loader, s.dir.ManifestPath(list))
		if err != nil {
			return nil, err
		}
		for i := range lines {
			entries, err := paimon.LoadManifest(ctx, s.loader, s.dir.ManifestPath(lines[i].Name))
			if err != nil {
				return nil, err
			}
			for j := range entries {
				e := &entries[j]
				if e.Bucket < 0 && !byBucket {
					continue // rows that wait there are not shown
				}
				key := string(e.Partition)
				if byBucket {
					key += fmt.Sprint("\x00", e.Bucket)
				}
				t := byKey[key]
				if t == nil {
					t = &tally{partition: e.Partition, bucket: e.Bucket, serial: len(byKey)}
					byKey[key] = t
				}
				t.add(e)
			}
		}
	}
	var out []*tally
	for _, t := range byKey {
		if t.count > 0 {
			out = append(out, t)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].serial < out[j].serial })
	return out, nil
}

func (t *tally) add(e *paimon.Entry) {
	sign := int64(1)
	if e.Kind == paimon.Delete {
		sign = -1
	}
	t.rows += sign * e.File.Rows
	t.bytes += sign * e.File.Size
	t.count += sign
	if e.File.DeleteRows != nil {
		t.deleted += sign * *e.File.DeleteRows
	}
	t.totalBuckets = e.TotalBuckets
	if c := e.File.CreationTime; c != nil && (t.last == nil || *c > *t.last) {
		t.last = c
	}
}

var partitionsColumns = columnsOf(
	named{"partition", maybeText}, named{"record_count", types.Int64}, named{"file_size_in_bytes", types.Int64}, named{"file_count", types.Int64},
	named{"last_update_time", maybeTime}, named{"created_at", maybeTime}, named{"created_by", maybeText}, named{"updated_by", maybeText},
	named{"options", maybeText}, named{"total_buckets", types.Int32}, named{"done", types.Bool}, named{"deleted_record_count", maybeLong},
)

func partitions(ctx context.Context, s *subject) ([]column.Row, error) {
	list, err := s.tallies(ctx, false)
	if f := s.version.Fallback; f != nil && err == nil {
		var more []*tally
		more, err = (&subject{dir: f.Dir, loader: s.loader, version: *f}).tallies(ctx, false)
		for _, t := range more {
			if !slices.ContainsFunc(list, func(o *tally) bool { return string(o.partition) == string(t.partition) }) {
				list = append(list, t)
			}
		}
	}
	if err != nil {
		return nil, err
	}
	names := s.version.Schema.PartitionNames()
	names.SQL = true
	var out []column.Row
	for _, t := range list {
		row, err := paimon.DecodeRow(t.partition, paimon.TypesOf(names.Fields))
		if err != nil {
			return nil, err
		}
		parts := make([]string, len(row))
		for i := range row {
			parts[i] = names.Fields[i].Name + "=" + names.Text(i, row[i])
		}
		done := uint8(0)
		if _, err := s.dir.Store.Stat(ctx, s.dir.Root+s.version.Schema.PartitionNames().Path(row)+"_SUCCESS"); err == nil && len(row) > 0 {
			done = 1
		}
		out = append(out, column.Row{
			strings.Join(parts, "/"), t.rows, t.bytes, t.count, optional(t.last), nil, nil, nil, nil, int32(t.totalBuckets), done, t.deleted,
		})
	}
	return out, nil
}

var bucketsColumns = columnsOf(
	named{"partition", maybeText}, named{"bucket", types.Int32}, named{"record_count", types.Int64}, named{"file_size_in_bytes", types.Int64},
	named{"file_count", types.Int64}, named{"last_update_time", maybeTime},
)

func buckets(ctx context.Context, s *subject) ([]column.Row, error) {
	list, err := s.tallies(ctx, true)
	var out []column.Row
	for _, t := range list {
		out = append(out, column.Row{s.partitionText(t.partition), int32(t.bucket), t.rows, t.bytes, t.count, optional(t.last)})
	}
	return out, err
}

var aggregationColumns = columnsOf(
	named{"field_name", types.String}, named{"field_type", types.String}, named{"function", maybeText}, named{"function_options", maybeText}, named{"comment", maybeText},
)

func aggregationFields(_ context.Context, s *subject) ([]column.Row, error) {
	schema := s.version.Schema
	var out []column.Row
	options := hashOrder(schema.OptionNames)
	for _, f := range schema.Fields {
		var values, names []string
		for _, n := range options {
			if strings.HasPrefix(n, "fields."+f.Name+".") {
				values, names = append(values, schema.Options[n]), append(names, n)
			}
		}
		list := func(s []string) string { return "[" + strings.Join(s, ", ") + "]" }
		out = append(out, column.Row{f.Name, f.Type.String(), list(values), list(names), textOr(f.Description)})
	}
	return out, nil
}

// hashOrder gives names in the order in which Paimon's engine walks a table of
// options: that of a Java HashMap, by the texts' hash codes.
func hashOrder(names []string) []string {
	size := 16
	for len(names)*4 > size*3 {
		size *= 2
	}
	places := make([][]string, size)
	for _, n := range names {
		h := uint32(0)
		for _, c := range utf16.Encode([]rune(n)) {
			h = h*31 + uint32(c)
		}
		at := (h ^ h>>16) & uint32(size-1)
		places[at] = append(places[at], n)
	}
	return slices.Concat(places...)
}

var statisticsColumns = columnsOf(
	named{"snapshot_id", types.Int64}, named{"schema_id", types.Int64}, named{"mergedRecordCount", maybeLong}, named{"mergedRecordSize", maybeLong}, named{"colstat", maybeText},
)

func statistics(ctx context.Context, s *subject) ([]column.Row, error) {
	if s.version.Snapshot == nil || s.version.Snapshot.Statistics == "" {
		return nil, nil
	}
	x, err := s.dir.Statistics(ctx, s.version.Snapshot.Statistics)
	if err != nil {
		return nil, err
	}
	return []column.Row{{x.SnapshotID, x.SchemaID, optional(x.MergedRecordCount), optional(x.MergedRecordSize), textOr(x.ColStatsText)}}, nil
}

var vectorRange = types.Tuple([]*types.Type{types.String, types.Int32, types.Int32, maybeLong}, []string{"f0", "f1", "f2", "_CARDINALITY"})

var indexesColumns = columnsOf(
	named{"partition", maybeText}, named{"bucket", types.Int32}, named{"index_type", types.String}, named{"file_name", types.String},
	named{"file_size", types.Int64}, named{"row_count", types.Int64}, named{"dv_ranges", types.Array(vectorRange)},
	named{"row_range_start", maybeLong}, named{"row_range_end", maybeLong}, named{"index_field_id", types.Nullable(types.Int32)}, named{"index_field_name", maybeText},
)

func tableIndexes(ctx context.Context, s *subject) ([]column.Row, error) {
	if s.version.Snapshot == nil || s.version.Snapshot.IndexManifest == "" {
		return nil, nil
	}
	list, err := paimon.LoadIndexManifest(ctx, s.loader, s.dir.ManifestPath(s.version.Snapshot.IndexManifest))
	if err != nil {
		return nil, err
	}
	var out []column.Row
	for i := range list {
		e := &list[i]
		ranges := column.Row{}
		for _, v := range e.Vectors {
			ranges = append(ranges, column.Row{v.DataFile, v.Offset, v.Length, optional(v.Cardinality)})
		}
		row := column.Row{s.partitionText(e.Partition), int32(e.Bucket), e.Type, e.Name, e.Size, e.Rows, ranges, nil, nil, nil, nil}
		if g := e.Global; g != nil {
			row[7], row[8], row[9] = g.RowRangeStart, g.RowRangeEnd, g.FieldID
			if f := s.version.Schema.FieldByID(int(g.FieldID)); f != nil {
				row[10] = f.Name
			}
		}
		out = append(out, row)
	}
	return out, nil
}

// isoDuration prints a duration as ISO 8601 does, in hours, minutes and seconds.
func isoDuration(d time.Duration) string {
	if d == 0 {
		return "PT0S"
	}
	out := "PT"
	if h := d / time.Hour; h > 0 {
		out += fmt.Sprint(int64(h), "H")
	}
	if m := d % time.Hour / time.Minute; m > 0 {
		out += fmt.Sprint(int64(m), "M")
	}
	if s := d % time.Minute; s > 0 {
		text := strconv.FormatInt(int64(s/time.Second), 10)
		if ns := s % time.Second; ns > 0 {
			text += strings.TrimRight(fmt.Sprintf(".%09d", int64(ns)), "0")
		}
		out += text + "S"
	}
	return out
}
