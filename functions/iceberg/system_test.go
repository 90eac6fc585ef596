package iceberg

import (
	"context"
	"testing"

	"lakeserver/functions/storage"

	"lakeserver/column"
	"lakeserver/metadata"
	"lakeserver/objstore"
	"lakeserver/read"
)

func TestSystemTables(t *testing.T) {
	root := fixtureRoot(t)
	o := &opener{sources: &storage.Sources{Local: objstore.NewLocal(root)}, form: storage.Local, cache: metadata.NewCache(64 << 20), shared: read.NewShared(64 << 20)}
	ctx := context.Background()
	want := map[string]map[string]int{
		"pos_deletes":   {"iceberg_history": 5, "iceberg_snapshots": 5, "iceberg_files": 6, "iceberg_refs": 1, "iceberg_partitions": 1},
		"branches_tags": {"iceberg_history": 3, "iceberg_refs": 4, "iceberg_files": 2},
		"empty_table":   {"iceberg_history": 0, "iceberg_files": 0, "iceberg_manifests": 0, "iceberg_refs": 0},
		"v3_dv":         {"iceberg_files": 5, "iceberg_snapshots": 5},
		"part_identity": {"iceberg_files": 38, "iceberg_partitions": 38},
	}
	for name, counts := range want {
		tab, err := opened(ctx, o, "iceberg/"+name, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range SystemTables() {
			b, ok, err := s.Block(ctx, "db", name, tab)
			if err != nil || !ok {
				t.Fatalf("%s of %s: %v", s.Name, name, err)
			}
			if n, ok := counts[s.Name]; ok && b.Rows != n {
				t.Errorf("%s of %s: %d rows, want %d", s.Name, name, b.Rows, n)
			}
			if len(b.Columns) != len(s.Columns) {
				t.Errorf("%s: %d columns", s.Name, len(b.Columns))
			}
			if b.Rows > 0 && column.At(b.Columns[1], 0) != name {
				t.Errorf("%s: table is %v", s.Name, column.At(b.Columns[1], 0))
			}
		}
	}
}
