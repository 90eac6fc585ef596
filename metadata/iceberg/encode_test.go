package iceberg

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"lakeserver/metadata"
)

// fixtures gives every metadata file of the fixture tables.
func fixtures(t *testing.T) []string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		for _, shared := range []string{"shared", "../shared"} {
			root := filepath.Join(dir, shared, "fixtures", "iceberg")
			if _, err := os.Stat(root); err != nil {
				continue
			}
			var out []string
			err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
				if _, ok := parseName(path); ok {
					out = append(out, path)
				}
				return err
			})
			if err != nil || len(out) < 100 {
				t.Fatalf("%d metadata files under %s: %v", len(out), root, err)
			}
			return out
		}
	}
	t.Skip("no fixture tables in ../shared/fixtures")
	return nil
}

// TestEncodeFixtures: what engines wrote comes back with every member.
func TestEncodeFixtures(t *testing.T) {
	files := fixtures(t)
	read := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := ParseMetadata(file, data)
		if err != nil {
			continue // those are judged by the tests of reading
		}
		read++
		out, err := Encode(m)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		again, err := ParseMetadata(file, out)
		if err != nil {
			t.Fatalf("%s: %v\n%s", file, err, out)
		}
		if twice, err := Encode(again); err != nil || !bytes.Equal(out, twice) {
			t.Errorf("%s: not the same when encoded again: %v\n%s\n%s", file, err, out, twice)
		}
		text, _ := metadata.Decompress(data)
		lost(t, file, "", generic(t, bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))), generic(t, out))
	}
	if read < 100 {
		t.Fatalf("only %d of %d files could be read", read, len(files))
	}
	t.Logf("%d files", read)
}

func generic(t *testing.T, text []byte) map[string]any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var out map[string]any
	if err := d.Decode(&out); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out
}

// lost reports each member of want that got has not, or has otherwise.
func lost(t *testing.T, file, path string, want, got any) {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			t.Errorf("%s: %s is %v", file, path, got)
			return
		}
		for k, v := range w {
			at := path + "/" + k
			if _, there := g[k]; !there && (v == nil || normalised(at, v)) {
				continue
			}
			lost(t, file, at, v, g[k])
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			t.Errorf("%s: %s is %v, was %v", file, path, got, want)
			return
		}
		for i := range w {
			lost(t, file, path+"/"+fmt.Sprint(i), w[i], g[i])
		}
	default:
		if want != nil && !reflect.DeepEqual(want, got) && !normalised(path, want) {
			t.Errorf("%s: %s is %v, was %v", file, path, got, want)
		}
	}
}

// normalised are members that are left out or spelt otherwise on purpose.
func normalised(path string, v any) bool {
	switch path {
	case "/schema", "/partition-spec": // schema and spec of version 1, which later versions do not have
		return true
	case "/refs/main":
		m, _ := v.(map[string]any)
		return m["snapshot-id"] == json.Number("-1")
	case "/current-snapshot-id": // -1 in version 3 is null
		return v == json.Number("-1")
	case "/last-sequence-number":
		return v == json.Number("0")
	}
	if strings.HasPrefix(path, "/snapshots/") && strings.HasSuffix(path, "/parent-snapshot-id") {
		return v == json.Number("-1")
	}
	return strings.HasSuffix(path, "/doc") && v == "" || strings.HasSuffix(path, "/identifier-field-ids")
}

// TestUnknownMembersSurvive: members of every object that no version knows.
func TestUnknownMembersSurvive(t *testing.T) {
	const text = `{"format-version":3,"table-uuid":"f79c3e09-677c-4bbd-a479-3f349cb785e7","location":"/t","last-sequence-number":1,"last-updated-ms":1000,
	"last-column-id":4,"x-top":{"a":[1,"}",{"b":"\"]"}]},"schemas":[{"type":"struct","schema-id":0,"x-schema":1,"fields":[
	 {"id":1,"name":"a<b","required":true,"type":"long","x-field":[1]},
	 {"id":2,"name":"l","required":false,"type":{"type":"list","element-id":3,"element":{"type":"struct","fields":[{"id":4,"name":"z","required":false,"type":"int","x-inner":"é"}],"x-struct":null},"element-required":false,"required":false}}]}],
	"current-schema-id":0,"partition-specs":[{"spec-id":0,"x-spec":true,"fields":[{"source-ids":[1,4],"field-id":1000,"name":"p","transform":"zorder","x-part":1.50}]}],"default-spec-id":0,"last-partition-id":1007,
	"sort-orders":[{"order-id":1,"x-order":1,"fields":[{"source-ids":[1,4],"transform":"zorder","direction":"asc","null-order":"nulls-first","x-sort":2}]}],"default-sort-order-id":1,
	"properties":{"k":"v"},"current-snapshot-id":9007199254740993,"next-row-id":7,"encryption-keys":[{"key-id":"k"}],
	"refs":{"main":{"snapshot-id":9007199254740993,"type":"branch","x-ref":1}},
	"snapshots":[{"snapshot-id":9007199254740993,"parent-snapshot-id":-1,"sequence-number":1,"timestamp-ms":1000,"manifest-list":"/t/m.avro","summary":{"operation":"append"},"schema-id":0,"first-row-id":0,"added-rows":7,"x-snap":{"q":1}}],
	"statistics":[{"snapshot-id":9007199254740993,"statistics-path":"/t/s","file-size-in-bytes":10,"file-footer-size-in-bytes":5,"blob-metadata":[{"type":"b","snapshot-id":9007199254740993,"sequence-number":1,"fields":[1],"x-blob":1}],"x-stat":1}],
	"snapshot-log":[{"timestamp-ms":1000,"snapshot-id":9007199254740993}],"metadata-log":[]}`
	m, err := ParseMetadata("f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	b := NewBuilder(m)
	if err := b.Apply(SetProperties{map[string]string{"new": "<&>"}}); err != nil {
		t.Fatal(err)
	}
	if m, err = b.Build(); err != nil {
		t.Fatal(err)
	}
	out, err := Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	want := generic(t, []byte(text))
	delete(want, "last-updated-ms")
	delete(want["snapshots"].([]any)[0].(map[string]any), "parent-snapshot-id")
	want["properties"].(map[string]any)["new"] = "<&>"
	delete(want, "metadata-log")
	lost(t, "f", "", want, generic(t, out))
	if strings.Contains(string(out), `\u003c`) || !strings.Contains(string(out), "x-snap") || strings.Contains(string(out), "parent-snapshot-id") {
		t.Errorf("%s", out)
	}
	if _, there := generic(t, out)["sort-orders"].([]any)[0].(map[string]any)["fields"].([]any)[0].(map[string]any)["source-id"]; there {
		t.Error("a sort field of two columns has a source-id")
	}
	if m.LastPartitionID != 1007 {
		t.Errorf("last partition id %d", m.LastPartitionID)
	}
}

// TestPyIcebergReads: PyIceberg parses every file that is written, and sees
// the same schema, specs, snapshots and refs in it as in the original.
func TestPyIcebergReads(t *testing.T) {
	python := os.Getenv("PYICEBERG_PYTHON")
	if python == "" {
		t.Skip("PYICEBERG_PYTHON does not name a Python with pyiceberg")
	}
	dir := t.TempDir()
	for i, file := range fixtures(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := ParseMetadata(file, data)
		if err != nil {
			continue
		}
		out, err := Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := metadata.Decompress(data)
		for name, content := range map[string][]byte{"%04d.was": bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), "%04d.is": out} {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf(name, i)), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	const script = `
import sys, glob
from pyiceberg.table.metadata import TableMetadataUtil
bad = seen = unread = 0
for was in sorted(glob.glob(sys.argv[1] + "/*.was")):
    try:
        a = TableMetadataUtil.parse_raw(open(was).read())
    except Exception:
        unread += 1
        continue
    b = TableMetadataUtil.parse_raw(open(was[:-3] + "is").read())
    seen += 1
    for f in ("format_version","table_uuid","schemas","current_schema_id","partition_specs","default_spec_id","sort_orders","default_sort_order_id","properties","snapshots","snapshot_log","metadata_log","statistics","last_column_id","last_partition_id","last_updated_ms","next_row_id"):
        x, y = getattr(a, f, None), getattr(b, f, None)
        if f == "snapshots":
            x = [s.model_copy(update={"parent_snapshot_id": None if s.parent_snapshot_id == -1 else s.parent_snapshot_id}) for s in x]
        if x != y and not (f == "table_uuid"):
            bad += 1; print(was, f, x, y)
print("seen", seen, "unread", unread, "bad", bad)
sys.exit(1 if bad or seen < 100 else 0)
`
	text, err := exec.Command(python, "-c", script, dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	t.Logf("%s", text)
}
