package iceberg

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"lakeserver/cherr"
	"lakeserver/types"
)

func created(t *testing.T, version int) *TableMetadata {
	t.Helper()
	var fields []Field
	for _, c := range []struct {
		name string
		t    *types.Type
	}{
		{"id", types.Int64},
		{"s", types.Nullable(types.String)},
		{"st", types.Tuple([]*types.Type{types.Int32, types.Array(types.Int32)}, []string{"x", "l"})},
		{"ts", types.DateTime64(6, "", nil)},
		{"m", types.Map(types.String, types.Float64)},
	} {
		f, err := FieldFromClickHouse(c.name, c.t, version)
		if err != nil {
			t.Fatal(err)
		}
		fields = append(fields, f)
	}
	m, err := NewTableMetadata(NewTable{
		FormatVersion: version, Location: "/lake/t/", Fields: fields, Identifiers: []string{"id"},
		Partition:  []NewPartitionField{{Source: "id", Transform: Transform{Kind: Bucket, N: 4}}, {Source: "st.x", Transform: Transform{Kind: Identity}}},
		Sort:       []NewSortField{{"ts", "day", Descending, NullsLast}},
		Properties: map[string]string{"a": "1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestNewTable(t *testing.T) {
	for version := 1; version <= 3; version++ {
		m := created(t, version)
		var ids []int
		for i := range m.CurrentSchema().Fields {
			ids = append(ids, m.CurrentSchema().Fields[i].ID)
		}
		x, key := m.CurrentSchema().Lookup("st.l.element"), m.CurrentSchema().Lookup("m.key")
		if !slices.Equal(ids, []int{1, 2, 3, 4, 5}) || x == nil || x.ID != 8 || key == nil || key.ID != 9 || m.LastColumnID != 10 {
			t.Errorf("ids %v, element %v, key %v, last %d", ids, x, key, m.LastColumnID)
		}
		f := m.DefaultSpec().Fields
		if len(f) != 2 || f[0].Name != "id_bucket" || f[0].FieldID != 1000 || f[1].FieldID != 1001 || f[1].SourceID != 6 || m.LastPartitionID != 1001 {
			t.Errorf("spec %+v, last %d", f, m.LastPartitionID)
		}
		if m.DefaultSortOrderID != 1 || m.SortOrder(1).Fields[0].SourceID != 4 || m.Location != "/lake/t" || m.UUID == "" || m.CurrentSnapshotID != -1 {
			t.Errorf("%+v", m)
		}
		if !slices.Equal(m.CurrentSchema().IdentifierIDs, []int{1}) {
			t.Errorf("identifiers %v", m.CurrentSchema().IdentifierIDs)
		}
	}
}

// TestPyIcebergReadsNew: PyIceberg reads what CREATE, an upgrade, snapshots and
// refs make.
func TestPyIcebergReadsNew(t *testing.T) {
	python := os.Getenv("PYICEBERG_PYTHON")
	if python == "" {
		t.Skip("PYICEBERG_PYTHON does not name a Python with pyiceberg")
	}
	for version := 1; version <= 3; version++ {
		m := created(t, version)
		file := filepath.Join(t.TempDir(), "v1.metadata.json")
		build(t, &m, UpgradeFormatVersion{2}, snap(1, 0, 1), toRef("main", 1, BranchRef), snap(2, 1, 2), toRef("main", 2, BranchRef), toRef("t", 1, TagRef))
		text, err := Encode(m)
		if err == nil {
			err = os.WriteFile(file, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		const script = `
import sys
from pyiceberg.table.metadata import TableMetadataUtil
m = TableMetadataUtil.parse_raw(open(sys.argv[1]).read())
print(m.format_version, [f.name for f in m.schema().fields], m.spec().fields[0].transform, m.current_snapshot().snapshot_id, sorted(m.refs), m.last_column_id, [e.snapshot_id for e in m.snapshot_log], m.sort_orders[0].order_id)`
		out, err := exec.Command(python, "-c", script, file).CombinedOutput()
		want := "['id', 's', 'st', 'ts', 'm'] bucket[4] 2 ['main', 't'] 10 [2] 1"
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("version %d: %v\n%s", version, err, out)
		}
	}
}

func snap(id, parent, seq int64) AddSnapshot {
	s := &Snapshot{ID: id, SequenceNumber: seq, TimestampMs: 1000 * id, ManifestList: "/lake/t/metadata/snap.avro", Summary: map[string]string{"operation": "append"}}
	if parent != 0 {
		s.ParentID = &parent
	}
	first, rows := (id-1)*10, int64(10)
	s.FirstRowID, s.AddedRows = &first, &rows
	return AddSnapshot{s}
}

func toRef(name string, id int64, kind string) SetSnapshotRef {
	return SetSnapshotRef{name, Ref{SnapshotID: id, Type: kind}}
}

func build(t *testing.T, m **TableMetadata, updates ...Update) {
	t.Helper()
	b := NewBuilder(*m)
	updates = slices.DeleteFunc(slices.Clone(updates), func(u Update) bool {
		up, ok := u.(UpgradeFormatVersion)
		return ok && up.Version < (*m).FormatVersion
	})
	if err := b.Apply(updates...); err != nil {
		t.Fatal(err)
	}
	out, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	*m = out
}

func refused(t *testing.T, m *TableMetadata, part string, updates ...Update) {
	t.Helper()
	before, _ := Encode(m)
	b := NewBuilder(m)
	err := b.Apply(updates...)
	if err == nil {
		_, err = b.Build()
	}
	if err == nil || !strings.Contains(err.Error(), part) || !cherr.Is(err, cherr.BadArguments) && !cherr.Is(err, cherr.DuplicateColumn) {
		t.Errorf("want an error with %q, got %v", part, err)
	}
	if after, _ := Encode(m); string(before) != string(after) {
		t.Errorf("the base changed:\n%s\n%s", before, after)
	}
}

func TestBuilderSnapshots(t *testing.T) {
	m := created(t, 3)
	first := m
	m.File = "t/metadata/v1.metadata.json"
	build(t, &m, snap(1, 0, 1), toRef("main", 1, BranchRef))
	if len(first.Snapshots) != 0 || len(first.Refs) != 0 || first.CurrentSnapshotID != -1 {
		t.Fatal("the base changed")
	}
	if m.LastSequenceNumber != 1 || m.NextRowID != 10 || m.CurrentSnapshotID != 1 || len(m.SnapshotLog) != 1 || m.SnapshotLog[0].TimestampMs != 1000 {
		t.Errorf("%+v", m)
	}
	if len(m.MetadataLog) != 1 || m.MetadataLog[0].File != "/lake/t/metadata/v1.metadata.json" || m.MetadataLog[0].TimestampMs != first.LastUpdatedMs {
		t.Errorf("metadata log %+v", m.MetadataLog)
	}
	refused(t, m, "already", snap(1, 0, 5))
	refused(t, m, "sequence number", snap(2, 1, 1))
	refused(t, m, "row id", AddSnapshot{&Snapshot{ID: 2, SequenceNumber: 2, ManifestList: "x", FirstRowID: new(int64), AddedRows: new(int64)}})
	refused(t, m, "first-row-id", AddSnapshot{&Snapshot{ID: 2, SequenceNumber: 2, ManifestList: "x"}})
	refused(t, m, "manifest list", AddSnapshot{&Snapshot{ID: 2, SequenceNumber: 2}})
	refused(t, m, "unknown snapshot", toRef("x", 77, BranchRef))
	refused(t, m, "only be a branch", toRef("main", 1, TagRef))
	one, ms := 1, int64(1)
	refused(t, m, "Tag", SetSnapshotRef{"x", Ref{SnapshotID: 1, Type: TagRef, MinSnapshotsToKeep: &one}})
	refused(t, m, "never expires", SetSnapshotRef{"main", Ref{SnapshotID: 1, Type: BranchRef, MaxRefAgeMs: &ms}})
	refused(t, m, "current", RemoveSnapshots{[]int64{1}})

	// Two snapshots in one commit: main was at the first of them for nobody.
	build(t, &m, snap(2, 1, 2), toRef("main", 2, BranchRef), snap(3, 2, 3), toRef("main", 3, BranchRef), toRef("old", 2, BranchRef))
	if ids := logged(m); !slices.Equal(ids, []int64{1, 3}) {
		t.Errorf("log %v", ids)
	}
	// A move back counts from now.
	b := NewBuilder(m).At(time.UnixMilli(m.LastUpdatedMs + 5000))
	if err := b.Apply(toRef("main", 1, BranchRef)); err != nil {
		t.Fatal(err)
	}
	back, err := b.Build()
	if err != nil || back.SnapshotLog[2].TimestampMs != m.LastUpdatedMs+5000 || back.LastUpdatedMs != m.LastUpdatedMs+5000 {
		t.Errorf("%v, %+v", err, back.SnapshotLog)
	}
	// A clock that runs backwards does not turn the log round.
	b = NewBuilder(back).At(time.UnixMilli(5))
	if err := b.Apply(toRef("main", 3, BranchRef)); err != nil {
		t.Fatal(err)
	}
	again, err := b.Build()
	if err != nil || again.LastUpdatedMs < back.LastUpdatedMs || again.SnapshotLog[3].TimestampMs < again.SnapshotLog[2].TimestampMs {
		t.Errorf("%v, %+v", err, again.SnapshotLog)
	}
	// Snapshot 2 goes, and with it the ref; the log is whole before and after.
	build(t, &m, SetStatistics{StatisticsFile{SnapshotID: 2, Path: "p"}}, RemoveSnapshots{[]int64{2}})
	if len(m.Statistics) != 0 || len(m.Snapshots) != 2 || len(m.Refs) != 1 || !slices.Equal(logged(m), []int64{1, 3}) {
		t.Errorf("%+v", m)
	}
	// Snapshot 1 goes out of the middle of the log: nothing before it stays.
	build(t, &again, toRef("keep", 2, TagRef), RemoveSnapshots{[]int64{1}})
	if !slices.Equal(logged(again), []int64{3}) || again.Snapshot(2) == nil {
		t.Errorf("log %v", logged(again))
	}
	build(t, &again, RemoveSnapshotRef{"main"})
	if again.CurrentSnapshotID != -1 || again.CurrentSnapshot() != nil {
		t.Error("without main there is a current snapshot")
	}
}

func logged(m *TableMetadata) (ids []int64) {
	for _, e := range m.SnapshotLog {
		ids = append(ids, e.SnapshotID)
	}
	return ids
}

func TestBuilderSchemasAndSpecs(t *testing.T) {
	m := created(t, 2)
	s := m.CurrentSchema()
	wider, err := NewSchema(0, append(slices.Clone(s.Fields), Field{ID: 11, Name: "n", Type: ParseType("int")}), s.IdentifierIDs)
	if err != nil {
		t.Fatal(err)
	}
	build(t, &m, AddSchema{Schema: wider}, SetCurrentSchema{LastAdded})
	if m.CurrentSchemaID != 1 || len(m.Schemas) != 2 || m.LastColumnID != 11 {
		t.Errorf("%d, %d, %d", m.CurrentSchemaID, len(m.Schemas), m.LastColumnID)
	}
	build(t, &m, AddSchema{Schema: s}, SetCurrentSchema{LastAdded})
	if m.CurrentSchemaID != 0 || len(m.Schemas) != 2 || m.LastColumnID != 11 {
		t.Error("an equal schema was not taken again")
	}
	same := m
	build(t, &m, AddSchema{Schema: s}, SetCurrentSchema{LastAdded}, SetProperties{map[string]string{"a": "1"}}, RemoveProperties{[]string{"no"}})
	if m != same {
		t.Error("nothing changed, but the metadata is new")
	}
	ns, _ := NewSchema(0, []Field{{ID: 12, Name: "n", Type: ParseType("timestamp_ns")}}, nil)
	refused(t, m, "version 3", AddSchema{Schema: ns})
	refused(t, m, "No schema", SetCurrentSchema{LastAdded})
	refused(t, m, "no schema 9", SetCurrentSchema{9})
	refused(t, m, "not in the schema", AddSchema{Schema: mustSchema(t, s.Fields[1:2])}, SetCurrentSchema{LastAdded})
	refused(t, m, "current schema", RemoveSchemas{[]int{0}})
	build(t, &m, RemoveSchemas{[]int{1}})
	if len(m.Schemas) != 1 {
		t.Error("the schema is still there")
	}

	field := func(name string, source int, transform string) PartitionField {
		return PartitionField{Name: name, SourceID: source, FieldID: -1, Transform: ParseTransform(transform)}
	}
	spec := func(f ...PartitionField) AddSpec { return AddSpec{&PartitionSpec{Fields: f}} }
	build(t, &m, spec(field("st_x", 6, "identity"), field("ts_day", 4, "day")), SetDefaultSpec{LastAdded})
	f := m.DefaultSpec().Fields
	if m.DefaultSpecID != 1 || f[0].FieldID != 1001 || f[1].FieldID != 1002 || m.LastPartitionID != 1002 {
		t.Errorf("%+v", m.DefaultSpec())
	}
	build(t, &m, spec(), SetDefaultSpec{LastAdded})
	build(t, &m, spec(field("ts_day", 4, "day")), SetDefaultSpec{LastAdded})
	if f := m.DefaultSpec().Fields; f[0].FieldID != 1002 || m.LastPartitionID != 1002 || m.DefaultSpecID != 3 {
		t.Errorf("%+v", m.DefaultSpec())
	}
	refused(t, m, "does not fit", spec(field("s_year", 2, "year")))
	refused(t, m, "does not fit", spec(field("st_p", 3, "identity")))
	refused(t, m, "inside of", spec(field("e", 8, "identity")))
	refused(t, m, "not known", spec(field("e", 1, "zorder")))
	refused(t, m, "redundant", spec(field("a", 4, "day"), field("b", 4, "hour")))
	refused(t, m, "Two", spec(field("a", 4, "day"), field("a", 1, "bucket[2]")))
	refused(t, m, "another column", spec(field("ts", 4, "day")))
	refused(t, m, "default partition spec", RemovePartitionSpecs{[]int{3}})
	build(t, &m, RemovePartitionSpecs{[]int{1, 2}})
	if len(m.Specs) != 2 {
		t.Error("the specs are still there")
	}
	v1 := created(t, 1)
	refused(t, v1, "numbered", AddSpec{&PartitionSpec{Fields: v1.DefaultSpec().Fields[1:]}})

	build(t, &m, AddSortOrder{SortOrder{}}, SetDefaultSortOrder{LastAdded})
	if m.DefaultSortOrderID != 0 || len(m.SortOrders) != 2 {
		t.Errorf("%d of %+v", m.DefaultSortOrderID, m.SortOrders)
	}
	refused(t, m, "does not fit", AddSortOrder{SortOrder{Fields: []SortField{{SourceID: 3, Transform: "identity", Direction: Ascending, NullOrder: NullsFirst}}}})
}

func mustSchema(t *testing.T, fields []Field) *Schema {
	t.Helper()
	s, err := NewSchema(0, fields, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestBuilderOthers(t *testing.T) {
	m := created(t, 1)
	refused(t, m, "cannot become", UpgradeFormatVersion{2}, UpgradeFormatVersion{1})
	refused(t, m, "not supported", UpgradeFormatVersion{4})
	refused(t, m, "reserved", SetProperties{map[string]string{"format-version": "2"}})
	refused(t, m, "cannot change", AssignUUID{"f79c3e09-677c-4bbd-a479-3f349cb785e7"})
	m.UUID = ""
	build(t, &m, UpgradeFormatVersion{3})
	if m.FormatVersion != 3 || m.NextRowID != 0 || m.UUID == "" {
		t.Errorf("%+v", m)
	}
	build(t, &m, SetProperties{map[string]string{"write.metadata.previous-versions-max": "2"}}, SetLocation{"/other"}, RemoveProperties{[]string{"a"}})
	for i := range 5 {
		build(t, &m, SetProperties{map[string]string{"i": string(rune('0' + i))}})
		m.File = "/other/metadata/v" + string(rune('0'+i)) + ".metadata.json"
	}
	if len(m.MetadataLog) != 2 || m.MetadataLog[1].File != "/other/metadata/v3.metadata.json" || m.Properties["a"] != "" || m.Location != "/other" {
		t.Errorf("%+v, %+v", m.MetadataLog, m.Properties)
	}
}

func TestIdentifierRules(t *testing.T) {
	fields := []Field{
		{ID: 1, Name: "d", Required: true, Type: ParseType("double")},
		{ID: 2, Name: "o", Type: ParseType("int")},
		{ID: 3, Name: "st", Type: &Type{Kind: Struct, Fields: []Field{{ID: 4, Name: "x", Required: true, Type: ParseType("int")}}}},
		{ID: 5, Name: "l", Required: true, Type: &Type{Kind: List, Elem: &Field{ID: 6, Name: "element", Required: true, Type: ParseType("int")}}},
	}
	for _, id := range []int{1, 2, 3, 4, 5, 6, 7} {
		if _, err := NewSchema(0, fields, []int{id}); !cherr.Is(err, cherr.BadArguments) {
			t.Errorf("%d: %v", id, err)
		}
	}
	if _, err := NewSchema(0, append(slices.Clone(fields), Field{ID: 7, Name: "d", Type: ParseType("int")}), nil); !cherr.Is(err, cherr.DuplicateColumn) {
		t.Errorf("same name: %v", err)
	}
}

func TestRequirements(t *testing.T) {
	m := created(t, 2)
	build(t, &m, snap(1, 0, 1), toRef("main", 1, BranchRef))
	id, no := int64(1), int64(2)
	for _, c := range []struct {
		r    Requirement
		ok   bool
		json string
	}{
		{AssertCreate{}, false, `{"type":"assert-create"}`},
		{AssertUUID{strings.ToUpper(m.UUID)}, true, ""},
		{AssertUUID{"x"}, false, `{"type":"assert-table-uuid","uuid":"x"}`},
		{AssertRefSnapshotID{"main", &id}, true, `{"type":"assert-ref-snapshot-id","ref":"main","snapshot-id":1}`},
		{AssertRefSnapshotID{"main", &no}, false, ""},
		{AssertRefSnapshotID{"main", nil}, false, `{"type":"assert-ref-snapshot-id","ref":"main","snapshot-id":null}`},
		{AssertRefSnapshotID{"dev", nil}, true, ""},
		{AssertRefSnapshotID{"dev", &id}, false, ""},
		{AssertLastAssignedFieldID{10}, true, `{"type":"assert-last-assigned-field-id","last-assigned-field-id":10}`},
		{AssertLastAssignedFieldID{9}, false, ""},
		{AssertCurrentSchemaID{0}, true, `{"type":"assert-current-schema-id","current-schema-id":0}`},
		{AssertCurrentSchemaID{1}, false, ""},
		{AssertLastAssignedPartitionID{1001}, true, `{"type":"assert-last-assigned-partition-id","last-assigned-partition-id":1001}`},
		{AssertLastAssignedPartitionID{1}, false, ""},
		{AssertDefaultSpecID{0}, true, `{"type":"assert-default-spec-id","default-spec-id":0}`},
		{AssertDefaultSpecID{1}, false, ""},
		{AssertDefaultSortOrderID{1}, true, `{"type":"assert-default-sort-order-id","default-sort-order-id":1}`},
		{AssertDefaultSortOrderID{0}, false, ""},
	} {
		err := CheckAll([]Requirement{c.r}, m)
		if (err == nil) != c.ok || err != nil && !errors.Is(err, ErrRequirement) {
			t.Errorf("%+v: %v", c.r, err)
		}
		if _, create := c.r.(AssertCreate); (c.r.Check(nil) == nil) != create {
			t.Errorf("%+v without a table: %v", c.r, c.r.Check(nil))
		}
		if text, err := EncodeRequirements([]Requirement{c.r}); c.json != "" && (err != nil || string(text) != "["+c.json+"]") {
			t.Errorf("%s, %v", text, err)
		}
	}
}

func TestEncodeUpdates(t *testing.T) {
	m := created(t, 3)
	age := int64(5)
	for _, c := range []struct {
		u    Update
		want string
	}{
		{AssignUUID{"u"}, `{"action":"assign-uuid","uuid":"u"}`},
		{UpgradeFormatVersion{3}, `{"action":"upgrade-format-version","format-version":3}`},
		{SetCurrentSchema{LastAdded}, `{"action":"set-current-schema","schema-id":-1}`},
		{AddSpec{m.DefaultSpec()}, `{"action":"add-spec","spec":{"spec-id":0,"fields":[{"source-id":1,"field-id":1000,"name":"id_bucket","transform":"bucket[4]"},{"source-id":6,"field-id":1001,"name":"st.x","transform":"identity"}]}}`},
		{SetDefaultSpec{2}, `{"action":"set-default-spec","spec-id":2}`},
		{AddSortOrder{SortOrder{}}, `{"action":"add-sort-order","sort-order":{"order-id":0,"fields":[]}}`},
		{SetDefaultSortOrder{1}, `{"action":"set-default-sort-order","sort-order-id":1}`},
		{SetSnapshotRef{"b", Ref{SnapshotID: 3, Type: BranchRef, MaxRefAgeMs: &age}}, `{"action":"set-snapshot-ref","ref-name":"b","snapshot-id":3,"type":"branch","max-ref-age-ms":5}`},
		{RemoveSnapshotRef{"b"}, `{"action":"remove-snapshot-ref","ref-name":"b"}`},
		{RemoveSnapshots{[]int64{1}}, `{"action":"remove-snapshots","snapshot-ids":[1]}`},
		{SetProperties{map[string]string{"k": "v"}}, `{"action":"set-properties","updates":{"k":"v"}}`},
		{RemoveProperties{[]string{"k"}}, `{"action":"remove-properties","removals":["k"]}`},
		{SetLocation{"/x"}, `{"action":"set-location","location":"/x"}`},
		{RemoveStatistics{1}, `{"action":"remove-statistics","snapshot-id":1}`},
		{RemoveSchemas{[]int{1}}, `{"action":"remove-schemas","schema-ids":[1]}`},
		{RemovePartitionSpecs{[]int{1}}, `{"action":"remove-partition-specs","spec-ids":[1]}`},
	} {
		if text, err := EncodeUpdates([]Update{c.u}); err != nil || string(text) != "["+c.want+"]" {
			t.Errorf("%v\n%s\n[%s]", err, text, c.want)
		}
	}
	text, err := EncodeUpdates([]Update{AddSchema{Schema: m.CurrentSchema(), LastColumnID: 10}, snap(1, 0, 1)})
	if err != nil || !strings.HasPrefix(string(text), `[{"action":"add-schema","schema":{"type":"struct","schema-id":0,"identifier-field-ids":[1],"fields":[{"id":1,"name":"id","required":true,"type":"long"}`) ||
		!strings.Contains(string(text), `"last-column-id":10},{"action":"add-snapshot","snapshot":{"sequence-number":1,"snapshot-id":1,`) {
		t.Errorf("%v %s", err, text)
	}
}

func TestFromClickHouse(t *testing.T) {
	for _, c := range []struct {
		t       *types.Type
		version int
		want    string
	}{
		{types.Bool, 2, "boolean"},
		{types.UInt8, 2, "int"},
		{types.UInt32, 2, "int"},
		{types.UInt64, 2, "long"},
		{types.Decimal(38, 10), 2, "decimal(38, 10)"},
		{types.FixedString(4), 2, "fixed[4]"},
		{types.Date, 2, "date"},
		{types.DateTime, 2, "timestamp"},
		{types.DateTime64(9, "", nil), 2, "timestamp"},
		{types.DateTime64(9, "", nil), 3, "timestamp_ns"},
		{types.DateTime64(3, "UTC", time.UTC), 3, "timestamptz"},
		{types.LowCardinality(types.Nullable(types.String)), 2, "string"},
		{types.Map(types.String, types.Array(types.Nullable(types.Int8))), 2, "map<string, list<int>>"},
		{types.Tuple([]*types.Type{types.Int8, types.UUID}, nil), 2, "struct<1: int, 2: uuid>"},
	} {
		got, required, err := FromClickHouse(c.t, c.version)
		if err != nil || got.String() != c.want || required == c.t.IsNullable() {
			t.Errorf("%s: %v, %v, %v", c.t, got, required, err)
		}
	}
	for _, bad := range []*types.Type{types.Int128, types.Int256, types.Decimal(76, 2), types.IPv4, types.Array(types.Int128)} {
		if _, _, err := FromClickHouse(bad, 3); !cherr.Is(err, cherr.BadArguments) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	a, _ := FieldFromClickHouse("a", types.Nullable(types.Int64), 2)
	if want := (Field{ID: -1, Name: "a", Type: &Type{Kind: Long, Name: "long"}}); !reflect.DeepEqual(a, want) {
		t.Errorf("%+v", a)
	}
}
