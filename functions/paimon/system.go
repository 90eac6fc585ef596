package paimon

import (
	"context"
	"maps"
	"slices"
	"sort"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/metadata"
	"lakeserver/metadata/paimon"
	"lakeserver/read"
	"lakeserver/table"
	"lakeserver/timetravel"
	"lakeserver/types"
)

// systemTable describes one of a table's system tables, t$name.
type systemTable struct {
	columns []table.Column
	rows    func(ctx context.Context, s *subject) ([]column.Row, error)
	// view is set instead for those that are the table itself, seen otherwise.
	view func(ctx context.Context, o *opener, env *functions.Env, loc location, v timetravel.PaimonVersion) (table.Table, error)
}

// subject is the table that a system table is about.
type subject struct {
	dir     paimon.Dir
	loader  *metadata.Loader
	version timetravel.PaimonVersion
	src     *read.Paimon
}

var systemTables = map[string]systemTable{
	"snapshots":          {columns: snapshotsColumns, rows: snapshots},
	"schemas":            {columns: schemasColumns, rows: schemas},
	"options":            {columns: optionsColumns, rows: options},
	"manifests":          {columns: manifestsColumns, rows: manifests},
	"files":              {columns: filesColumns, rows: files},
	"file_key_ranges":    {columns: keyRangesColumns, rows: keyRanges},
	"tags":               {columns: tagsColumns, rows: tags},
	"branches":           {columns: branchesColumns, rows: branches},
	"partitions":         {columns: partitionsColumns, rows: partitions},
	"buckets":            {columns: bucketsColumns, rows: buckets},
	"consumers":          {columns: consumersColumns, rows: consumers},
	"aggregation_fields": {columns: aggregationColumns, rows: aggregationFields},
	"statistics":         {columns: statisticsColumns, rows: statistics},
	"table_indexes":      {columns: indexesColumns, rows: tableIndexes},
	"ro":                 {view: readOptimized},
	"audit_log":          {view: auditLog},
	"binlog":             {view: binlog},
	"row_tracking":       {view: rowTracking},
}

func systemTableNames() []string {
	return slices.Sorted(maps.Keys(systemTables))
}

func isSystemTable(name string) bool {
	_, ok := systemTables[name]
	return ok
}

// openSystem gives a system table of the version that settings ask for.
func (o *opener) openSystem(ctx context.Context, env *functions.Env, loc location, req *functions.OpenRequest, opts map[string]string) (table.Table, error) {
	s := systemTables[loc.system]
	v, err := o.pin(ctx, env, loc.dir(), loc, req, opts)
	if err != nil {
		return nil, err
	}
	if s.view != nil {
		return s.view(ctx, o, env, loc, v)
	}
	sub := &subject{dir: v.Dir, loader: o.loader(loc.store, env.Settings), version: v}
	sub.src = &read.Paimon{Loader: sub.loader, Dir: v.Dir, Snapshot: v.Snapshot, Schema: v.Schema}
	rows, err := s.rows(ctx, sub)
	if err != nil {
		return nil, cherr.Wrap(err, "listing %s of Paimon table %s", loc.system, loc.path)
	}
	return &listing{columns: s.columns, rows: rows}, nil
}

// listing is a system table with its rows at hand.
type listing struct {
	columns []table.Column
	rows    []column.Row
}

// Columns gives the system table's columns.
func (l *listing) Columns() []table.Column { return l.columns }

// Scan gives the rows in one block.
func (l *listing) Scan(_ context.Context, req *table.ScanRequest) ([]column.Stream, error) {
	req.Report = &table.Report{}
	b := &column.Block{Rows: len(l.rows)}
	for _, c := range req.Columns {
		builder := column.NewBuilder(l.columns[c].Type, len(l.rows))
		for _, r := range l.rows {
			builder.AppendValue(r[c])
		}
		b.Columns = append(b.Columns, builder.Finish())
	}
	return []column.Stream{column.Blocks(b)}, nil
}

type named struct {
	name string
	t    *types.Type
}

func columnsOf(own ...named) []table.Column {
	var out []table.Column
	for _, c := range own {
		out = append(out, table.Column{Name: c.name, Type: c.t})
	}
	return out
}

var (
	maybeLong = types.Nullable(types.Int64)
	maybeText = types.Nullable(types.String)
	millis    = types.DateTime64(3, "UTC", nil)
	maybeTime = types.Nullable(millis)
)

func optional(v *int64) column.Value {
	if v == nil {
		return nil
	}
	return *v
}

func textOr(s string) column.Value {
	if s == "" {
		return nil
	}
	return s
}

var snapshotsColumns = columnsOf(
	named{"snapshot_id", types.Int64}, named{"schema_id", types.Int64}, named{"commit_user", types.String},
	named{"commit_identifier", types.Int64}, named{"commit_kind", types.String}, named{"commit_time", millis},
	named{"base_manifest_list", types.String}, named{"delta_manifest_list", types.String}, named{"changelog_manifest_list", maybeText},
	named{"total_record_count", maybeLong}, named{"delta_record_count", maybeLong}, named{"changelog_record_count", maybeLong},
	named{"watermark", maybeLong}, named{"next_row_id", maybeLong}, named{"operation", maybeText}, named{"writer_version", maybeText},
)

func snapshots(ctx context.Context, s *subject) ([]column.Row, error) {
	ids, err := s.dir.SnapshotIDs(ctx)
	if err != nil {
		return nil, err
	}
	var out []column.Row
	for _, id := range ids {
		x, err := s.dir.Snapshot(ctx, id)
		if cherr.Is(err, cherr.FileDoesntExist) {
			continue // expired meanwhile
		}
		if err != nil {
			return nil, err
		}
		out = append(out, column.Row{
			x.ID, x.SchemaID, x.CommitUser, x.CommitIdentifier, string(x.CommitKind), x.TimeMillis, x.BaseManifestList, x.DeltaManifestList,
			textOr(x.ChangelogManifestList), optional(x.TotalRecordCount), optional(x.DeltaRecordCount), optional(x.ChangelogRecordCount),
			optional(x.Watermark), optional(x.NextRowID), textOr(x.Operation), textOr(x.WriterVersion),
		})
	}
	return out, nil
}

var schemasColumns = columnsOf(
	named{"schema_id", types.Int64}, named{"fields", types.String}, named{"partition_keys", types.String}, named{"primary_keys", types.String},
	named{"options", types.String}, named{"comment", maybeText}, named{"update_time", millis},
)

func schemas(ctx context.Context, s *subject) ([]column.Row, error) {
	ids, err := s.dir.SchemaIDs(ctx)
	if err != nil {
		return nil, err
	}
	var out []column.Row
	for _, id := range ids {
		x, err := s.dir.Schema(ctx, id)
		if err != nil {
			return nil, err
		}
		comment := textOr(x.Comment)
		if x.NullComment {
			comment = "null" // as Paimon's own engine shows it
		}
		out = append(out, column.Row{
			x.ID, paimon.FieldsJSON(x.Fields), paimon.JSON(x.PartitionKeys), paimon.JSON(x.PrimaryKeys), paimon.JSON(x.Options), comment, x.TimeMillis,
		})
	}
	return out, nil
}

var optionsColumns = columnsOf(named{"key", types.String}, named{"value", types.String})

func options(_ context.Context, s *subject) ([]column.Row, error) {
	var out []column.Row
	for k, v := range s.version.Schema.Options {
		out = append(out, column.Row{k, v})
	}
	sort.Slice(out, func(i, j int) bool { return out[i][0].(string) < out[j][0].(string) })
	return out, nil
}

var tagsColumns = columnsOf(
	named{"tag_name", types.String}, named{"snapshot_id", types.Int64}, named{"schema_id", types.Int64}, named{"commit_time", millis},
	named{"record_count", maybeLong}, named{"create_time", maybeTime}, named{"time_retained", maybeText},
)

func tags(ctx context.Context, s *subject) ([]column.Row, error) {
	names, err := s.dir.TagNames(ctx)
	if err != nil {
		return nil, err
	}
	var out []column.Row
	for _, n := range names {
		x, err := s.dir.Tag(ctx, n)
		if err != nil {
			return nil, err
		}
		row := column.Row{n, x.ID, x.SchemaID, x.TimeMillis, optional(x.TotalRecordCount), nil, nil}
		if x.Created != nil {
			row[5] = x.Created.UnixMilli()
		}
		if x.Retained != nil {
			row[6] = isoDuration(*x.Retained)
		}
		out = append(out, row)
	}
	return out, nil
}

var branchesColumns = columnsOf(named{"branch_name", types.String}, named{"create_time", millis})

func branches(ctx context.Context, s *subject) ([]column.Row, error) {
	list, err := s.dir.Branches(ctx)
	var out []column.Row
	for _, b := range list {
		out = append(out, column.Row{b.Name, b.Created.UnixMilli()})
	}
	return out, err
}

var consumersColumns = columnsOf(named{"consumer_id", types.String}, named{"next_snapshot_id", types.Int64})

func consumers(ctx context.Context, s *subject) ([]column.Row, error) {
	ids, err := s.dir.ConsumerIDs(ctx)
	if err != nil {
		return nil, err
	}
	var out []column.Row
	for _, id := range ids {
		c, err := s.dir.Consumer(ctx, id)
		if err != nil {
			return nil, err
		}
		out = append(out, column.Row{c.ID, c.NextSnapshot})
	}
	return out, nil
}
