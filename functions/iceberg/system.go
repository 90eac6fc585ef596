package iceberg

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata/iceberg"
	"lakeserver/table"
	"lakeserver/timetravel"
	"lakeserver/types"
)

// SystemTable describes a system table about Iceberg tables: its first two
// columns are the database and name of the table that a row is about.
type SystemTable struct {
	Name    string
	Columns []table.Column
	rows    func(ctx context.Context, t *Table) ([]column.Row, error)
}

// Block gives the rows about one table; ok is false when it is no Iceberg table.
func (s *SystemTable) Block(ctx context.Context, database, name string, t table.Table) (b *column.Block, ok bool, err error) {
	it, ok := t.(*Table)
	if !ok {
		return nil, false, nil
	}
	rows, err := s.rows(ctx, it)
	if err != nil {
		return nil, true, cherr.Wrap(err, "listing Iceberg table %s", it.path)
	}
	builders := make([]column.Builder, len(s.Columns))
	for i, c := range s.Columns {
		builders[i] = column.NewBuilder(c.Type, len(rows))
	}
	for _, r := range rows {
		builders[0].AppendValue(database)
		builders[1].AppendValue(name)
		for i, v := range r {
			builders[i+2].AppendValue(v)
		}
	}
	b = &column.Block{Rows: len(rows)}
	for _, x := range builders {
		b.Columns = append(b.Columns, x.Finish())
	}
	return b, true, nil
}

// SystemTables gives system.iceberg_history and iceberg_files as ClickHouse has
// them, and those that it does not have.
func SystemTables() []SystemTable {
	return []SystemTable{
		{"iceberg_history", columnsOf(historyColumns), history},
		{"iceberg_files", columnsOf(filesColumns), files},
		{"iceberg_snapshots", columnsOf(snapshotsColumns), snapshots},
		{"iceberg_refs", columnsOf(refsColumns), refs},
		{"iceberg_manifests", columnsOf(manifestsColumns), manifests},
		{"iceberg_partitions", columnsOf(partitionsColumns), partitions},
	}
}

type named struct {
	name string
	t    *types.Type
}

func columnsOf(own []named) []table.Column {
	out := []table.Column{{Name: "database", Type: types.String}, {Name: "table", Type: types.String}}
	for _, c := range own {
		out = append(out, table.Column{Name: c.name, Type: c.t})
	}
	return out
}

func enum8(names []string, values []int16) *types.Type {
	t, err := types.NewEnum(types.KindEnum8, names, values)
	if err != nil {
		cherr.Bug("%s", err)
	}
	return t
}

var (
	textMap    = types.Map(types.String, types.String)
	millis     = types.DateTime64(3, "", nil)
	operations = []string{"UNKNOWN", "APPEND", "OVERWRITE", "DELETE", "REPLACE"}
	countMap   = types.Map(types.Int32, types.Int64)
	contents   = []string{"DATA", "POSITION_DELETE", "EQUALITY_DELETE"}
)

var historyColumns = []named{
	{"made_current_at", types.Nullable(millis)},
	{"snapshot_id", types.UInt64},
	{"parent_id", types.UInt64},
	{"is_current_ancestor", types.UInt8},
	{"operation", enum8(operations, []int16{-1, 0, 1, 2, 3})},
	{"summary", textMap},
}

func summaryOf(s *iceberg.Snapshot) column.Entries {
	keys := make([]string, 0, len(s.Summary))
	for k := range s.Summary {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	out := column.Entries{}
	for _, k := range keys {
		out = append(out, column.Entry{Key: k, Value: s.Summary[k]})
	}
	return out
}

func history(_ context.Context, t *Table) ([]column.Row, error) {
	m := t.src.Meta
	current := map[int64]int64{}
	for _, e := range m.SnapshotLog {
		current[e.SnapshotID] = e.TimestampMs
	}
	ancestors := map[int64]bool{}
	for _, s := range timetravel.Ancestors(m, m.CurrentSnapshotID) {
		ancestors[s.ID] = true
	}
	var out []column.Row
	for _, s := range m.Snapshots {
		var at column.Value
		if ms, ok := current[s.ID]; ok {
			at = ms
		}
		parent := uint64(0)
		if s.ParentID != nil {
			parent = uint64(*s.ParentID)
		}
		op := int8(slices.Index(operations, strings.ToUpper(s.Operation())) - 1)
		if op < -1 {
			op = -1
		}
		out = append(out, column.Row{at, uint64(s.ID), parent, flagOf(ancestors[s.ID]), op, summaryOf(s)})
	}
	return out, nil
}

func flagOf(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

var snapshotsColumns = []named{
	{"committed_at", millis},
	{"snapshot_id", types.Int64},
	{"parent_id", types.Nullable(types.Int64)},
	{"sequence_number", types.Int64},
	{"operation", types.String},
	{"schema_id", types.Nullable(types.Int32)},
	{"manifest_list", types.String},
	{"summary", textMap},
}

func snapshots(_ context.Context, t *Table) ([]column.Row, error) {
	var out []column.Row
	for _, s := range t.src.Meta.Snapshots {
		var parent, schema column.Value
		if p, ok := s.Parent(); ok {
			parent = p
		}
		if s.SchemaID != nil {
			schema = int32(*s.SchemaID)
		}
		out = append(out, column.Row{s.TimestampMs, s.ID, parent, s.SequenceNumber, s.Operation(), schema, s.ManifestList, summaryOf(s)})
	}
	return out, nil
}

var refsColumns = []named{
	{"name", types.String},
	{"type", types.String},
	{"snapshot_id", types.Int64},
	{"max_reference_age_in_ms", types.Nullable(types.Int64)},
	{"min_snapshots_to_keep", types.Nullable(types.Int32)},
	{"max_snapshot_age_in_ms", types.Nullable(types.Int64)},
}

func refs(_ context.Context, t *Table) ([]column.Row, error) {
	names := make([]string, 0, len(t.src.Meta.Refs))
	for n := range t.src.Meta.Refs {
		names = append(names, n)
	}
	slices.Sort(names)
	var out []column.Row
	for _, n := range names {
		r := t.src.Meta.Refs[n]
		row := column.Row{n, r.Type, r.SnapshotID, nil, nil, nil}
		if r.MaxRefAgeMs != nil {
			row[3] = *r.MaxRefAgeMs
		}
		if r.MinSnapshotsToKeep != nil {
			row[4] = int32(*r.MinSnapshotsToKeep)
		}
		if r.MaxSnapshotAgeMs != nil {
			row[5] = *r.MaxSnapshotAgeMs
		}
		out = append(out, row)
	}
	return out, nil
}

// partitionText prints a partition tuple: {1,2024-02-29}.
func (t *Table) partitionText(spec *iceberg.PartitionSpec, f *iceberg.DataFile) string {
	parts := make([]string, len(f.Partition))
	for i, v := range f.Partition {
		kind := iceberg.Unsupported
		if i < len(spec.Fields) {
			if pt := t.src.Meta.PartitionType(spec.Fields[i]); pt != nil {
				kind = pt.Kind
			}
		}
		parts[i] = valueText(kind, v)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func valueText(kind iceberg.Kind, v column.Value) string {
	switch x := v.(type) {
	case nil:
		return "NULL"
	case int32:
		if kind == iceberg.Date {
			return time.Unix(int64(x)*86400, 0).UTC().Format("2006-01-02")
		}
	case int64:
		switch kind {
		case iceberg.Timestamp, iceberg.TimestampTZ:
			return time.UnixMicro(x).UTC().Format("2006-01-02 15:04:05.999999")
		case iceberg.TimestampNS, iceberg.TimestampTZNS:
			return time.Unix(0, x).UTC().Format("2006-01-02 15:04:05.999999999")
		}
	case uint8:
		return strconv.FormatBool(x != 0)
	case types.U128:
		s := fmt.Sprintf("%016x%016x", x.Hi, x.Lo)
		return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
	}
	return fmt.Sprint(v)
}
