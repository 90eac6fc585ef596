package iceberg_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lakeserver/cherr"
	"lakeserver/metadata"
	"lakeserver/metadata/iceberg"
	"lakeserver/objstore"
	write "lakeserver/write/iceberg"
)

// TestRegister: an earlier metadata file comes back whole; what came since
// stays until it expires.
func TestRegister(t *testing.T) {
	tab := newTable(t, 2, map[string]string{"a": "1"}, nil)
	old := put(t, tab, "", nil, "a")
	commit(t, tab, write.SetRef(write.RefOptions{Name: "later"}))
	put(t, tab, "", nil, "b")
	commit(t, tab, &write.Alteration{Steps: func(e *write.Evolution) error {
		e.SetProperty("a", "2")
		e.SetProperty("c", "3")
		return e.Rename([]string{"g"}, []string{"h"})
	}})
	m := commit(t, tab, write.RegisterTable(old))
	if names(t, tab, m, "main") != "a" || len(m.Refs) != 1 || m.Properties["a"] != "1" || m.Properties["c"] != "" || m.CurrentSchema().Column("g") == nil || len(m.Snapshots) != 2 {
		t.Errorf("%v, %v, %v", m.Refs, m.Properties, m.CurrentSchema().Fields)
	}
	other := *old
	other.UUID = "x"
	refusedOp(t, tab, "another table", write.RegisterTable(&other))
	age := int64(0)
	put(t, tab, "", nil, "z")
	if _, err := tab.ExpireSnapshots(t.Context(), write.ExpireOptions{NowMs: m.LastUpdatedMs + 100_000, MaxAgeMs: &age, DefaultMaxRefAgeMs: 1 << 62}, false); err != nil {
		t.Fatal(err)
	}
	refusedOp(t, tab, "has expired", write.RegisterTable(old))
}

// imported makes a table (id long, s string, d double, n int, l list<int>) and
// gives it with a folder in which PyArrow wrote files.
func importTable(t *testing.T, dir string, partition ...iceberg.NewPartitionField) *write.Table {
	t.Helper()
	field := func(name, typ string, required bool) iceberg.Field {
		return iceberg.Field{Name: name, Required: required, Type: iceberg.ParseType(typ)}
	}
	m, err := iceberg.NewTableMetadata(iceberg.NewTable{FormatVersion: 2, Location: filepath.Join(dir, "tab"), Partition: partition, Fields: []iceberg.Field{
		field("id", "long", true), field("s", "string", false), field("d", "double", false), field("n", "int", false),
		{Name: "l", Type: &iceberg.Type{Kind: iceberg.List, Elem: &iceberg.Field{Name: "element", Type: iceberg.ParseType("int")}}},
	}})
	store := objstore.NewLocal(dir)
	if err == nil {
		m, err = (&write.Folder{Loader: &metadata.Loader{Store: store}, Root: "tab/"}).Create(t.Context(), m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return openTable(store, m, nil)
}

// TestImportFiles: files that PyArrow wrote, and what PyArrow says of their
// columns.
func TestImportFiles(t *testing.T) {
	python := os.Getenv("PYICEBERG_PYTHON")
	if python == "" {
		t.Skip("PYICEBERG_PYTHON does not name a Python with pyarrow")
	}
	dir := t.TempDir()
	const script = `
import sys, os, pyarrow as pa, pyarrow.parquet as pq
d = sys.argv[1]
def w(name, cols, **kw):
    os.makedirs(os.path.dirname(d + "/" + name), exist_ok=True)
    pq.write_table(pa.table(cols), d + "/" + name, **kw)
i64, i32 = pa.int64(), pa.int32()
w("in/a.parquet", {"id": pa.array([3, 1, 2], i64), "s": ["x", None, "a text that is longer than sixteen"], "d": [0.0, -1.5, 2.5], "n": pa.array([None]*3, i32), "l": pa.array([[1, 2], [], None], pa.list_(i32)), "extra": [1, 2, 3]}, row_group_size=2)
w("in/sub/b.parquet", {"id": pa.array([7], i32), "d": pa.array([1.5], pa.float32())})
w("in/_hidden/c.parquet", {"id": pa.array([7], i64)})
w("bad/noid.parquet", {"s": ["x"]})
w("bad/type.parquet", {"id": ["x"]})
w("bad/narrow.parquet", {"id": pa.array([1], i64), "n": pa.array([1], i64)})
w("bad/nulls.parquet", {"id": pa.array([None], i64)})
w("part/n=5/a.parquet", {"id": pa.array([1], i64), "s": ["x"]})
w("part/n=__HIVE_DEFAULT_PARTITION__/b.parquet", {"id": pa.array([2], i64)})
`
	if out, err := exec.Command(python, "-c", script, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tab := importTable(t, dir)
	im := &write.ImportFiles{Table: tab, Place: "in"}
	if err := im.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	m := commit(t, tab, im)
	files := live(t, tab, m, "main")
	if len(files) != 2 || m.CurrentSnapshot().Summary["added-records"] != "4" || !strings.Contains(m.Properties["schema.name-mapping.default"], `"names":["element"]`) {
		t.Fatalf("%d files, %v, %s", len(files), m.CurrentSnapshot().Summary, m.Properties["schema.name-mapping.default"])
	}
	a := files["a.parquet"]
	got := ""
	for _, s := range a.Stats {
		got += fmt.Sprintf("%d: %d values, %d null, %q..%q; ", s.ID, s.Values, s.Nulls, s.Lower, s.Upper)
	}
	const want = `1: 3 values, 0 null, "\x01\x00\x00\x00\x00\x00\x00\x00".."\x03\x00\x00\x00\x00\x00\x00\x00"; ` +
		`2: 3 values, 1 null, "a text that is l".."x"; ` +
		`3: 3 values, 0 null, "\x00\x00\x00\x00\x00\x00\xf8\xbf".."\x00\x00\x00\x00\x00\x00\x04@"; ` +
		`4: 3 values, 3 null, "".."";`
	if !strings.HasPrefix(got, want) || a.Records != 3 || a.Path != filepath.Join(dir, "in/a.parquet") {
		t.Errorf("%s: %d rows, %s", a.Path, a.Records, got)
	}
	again := &write.ImportFiles{Table: tab, Place: "in/a.parquet"}
	if err := again.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	refusedOp(t, tab, "already", again)
	empty := &write.ImportFiles{Table: tab, Place: "in/sub/", Empty: true}
	if err := empty.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	refusedOp(t, tab, "rows already", empty)
	for file, part := range map[string]string{"noid": "requires", "type": "is no long", "narrow": "is no int", "nulls": "1 NULLs"} {
		bad := &write.ImportFiles{Table: tab, Place: "bad/" + file + ".parquet"}
		if err := bad.Open(t.Context()); err != nil {
			t.Fatal(err)
		}
		refusedOp(t, tab, part, bad)
	}
	for _, place := range []string{"nosuch/", "nosuch.parquet", "in/_hidden/none"} {
		if err := (&write.ImportFiles{Table: tab, Place: place}).Open(t.Context()); !cherr.Is(err, cherr.BadArguments) {
			t.Errorf("%s: %v", place, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "bad/type.parquet")); err != nil {
		t.Error("a file that was refused is gone")
	}

	parted := importTable(t, filepath.Join(dir, "part"), iceberg.NewPartitionField{Source: "n", Transform: iceberg.ParseTransform("identity")})
	im = &write.ImportFiles{Table: parted, Place: ""}
	if err := im.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	files = live(t, parted, commit(t, parted, im), "main")
	if files["a.parquet"].Partition[0] != int32(5) || files["b.parquet"].Partition[0] != nil {
		t.Errorf("%v, %v", files["a.parquet"].Partition, files["b.parquet"].Partition)
	}
	flat := &write.ImportFiles{Table: parted, Place: "n=5/a.parquet"}
	if err := flat.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	refusedOp(t, parted, "not in the file's path", flat)
}
