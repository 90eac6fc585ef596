package timetravel

import (
	"fmt"
	"testing"

	"lakeserver/cherr"
	"lakeserver/metadata/iceberg"
	"lakeserver/settings"
)

func table(t *testing.T) *iceberg.TableMetadata {
	t.Helper()
	schema := `{"type":"struct","schema-id":%d,"fields":[{"id":1,"name":"a","required":true,"type":"int"}]}`
	m, err := iceberg.ParseMetadata("m.json", []byte(fmt.Sprintf(`{"format-version":2,"location":"/t","current-schema-id":1,"schemas":[%s,%s],
		"partition-specs":[{"spec-id":0,"fields":[]}],"current-snapshot-id":3,
		"snapshots":[{"snapshot-id":1,"timestamp-ms":100,"schema-id":0},{"snapshot-id":2,"parent-snapshot-id":1,"timestamp-ms":200,"schema-id":1},
			{"snapshot-id":3,"parent-snapshot-id":1,"timestamp-ms":400,"schema-id":1}],
		"snapshot-log":[{"timestamp-ms":100,"snapshot-id":1},{"timestamp-ms":200,"snapshot-id":2},{"timestamp-ms":300,"snapshot-id":1},{"timestamp-ms":400,"snapshot-id":3}],
		"refs":{"main":{"snapshot-id":3,"type":"branch"},"old":{"snapshot-id":1,"type":"tag"},"dev":{"snapshot-id":1,"type":"branch"}}}`,
		fmt.Sprintf(schema, 0), fmt.Sprintf(schema, 1))))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestVersions(t *testing.T) {
	m := table(t)
	for _, c := range []struct {
		set              string
		value            string
		snapshot, schema int
		code             cherr.Code
	}{
		{"", "", 3, 1, 0},
		{"iceberg_snapshot_id", "1", 1, 0, 0},
		{"iceberg_snapshot_id", "9", 0, 0, cherr.IcebergSpecificationViolation},
		{"iceberg_timestamp_ms", "99", 0, 0, cherr.BadArguments},
		{"iceberg_timestamp_ms", "100", 1, 0, 0},
		{"iceberg_timestamp_ms", "299", 2, 1, 0},
		{"iceberg_timestamp_ms", "300", 1, 0, 0}, // after the rollback
		{"iceberg_timestamp_ms", "99999", 3, 1, 0},
		{"iceberg_ref", "old", 1, 0, 0},
		{"iceberg_ref", "dev", 1, 1, 0},
		{"iceberg_ref", "main", 3, 1, 0},
		{"iceberg_ref", "nobody", 0, 0, cherr.BadArguments},
	} {
		s := settings.Default()
		if c.set != "" {
			s, _ = s.With(c.set, c.value)
		}
		w, err := FromSettings(s, "t/")
		if err != nil {
			t.Fatal(err)
		}
		v, err := Iceberg(m, w, "t/")
		if cherr.CodeOf(err) != c.code {
			t.Errorf("%s=%s: %v", c.set, c.value, err)
		} else if err == nil && (v.Snapshot.ID != int64(c.snapshot) || v.Schema.ID != c.schema) {
			t.Errorf("%s=%s: snapshot %d, schema %d", c.set, c.value, v.Snapshot.ID, v.Schema.ID)
		}
	}
}

func TestConflicts(t *testing.T) {
	one := int64(1)
	s, _ := settings.Default().With("iceberg_snapshot_id", "1")
	for _, other := range []string{"iceberg_timestamp_ms", "iceberg_ref"} {
		both, _ := s.With(other, "1")
		if _, err := FromSettings(both, "t/"); !cherr.Is(err, cherr.BadArguments) {
			t.Errorf("id and %s: %v", other, err)
		}
	}
	w, _ := FromSettings(s, "t/")
	if _, err := w.And(When{TimestampMs: &one}, "t/"); !cherr.Is(err, cherr.BadArguments) {
		t.Errorf("setting and clause: %v", err)
	}
	if w, err := w.And(When{}, "t/"); err != nil || *w.SnapshotID != 1 {
		t.Errorf("no clause: %v, %v", w, err)
	}
}
