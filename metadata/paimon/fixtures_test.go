package paimon

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata"
	"lakeserver/objstore"
)

// fixtureRoot finds the tables that other engines wrote; tests skip without.
func fixtureRoot(t testing.TB) string {
	t.Helper()
	dir, _ := os.Getwd()
	for range 6 {
		for _, shared := range []string{"shared", "../shared"} {
			root := filepath.Join(dir, shared, "fixtures")
			if _, err := os.Stat(filepath.Join(root, "paimon")); err == nil {
				return root
			}
		}
		dir = filepath.Dir(dir)
	}
	t.Skip("no fixture tables in ../shared/fixtures")
	return ""
}

// tables gives the folders of all fixture tables.
func tables(t testing.TB, root string) []string {
	var out []string
	for _, pattern := range []string{"paimon/*.db/*", "paimon-cpp/*.db/*", "paimon-cpp/*/*.db/*"} {
		found, _ := filepath.Glob(filepath.Join(root, pattern))
		for _, f := range found {
			if _, err := os.Stat(filepath.Join(f, "schema")); err == nil {
				out = append(out, f)
			}
		}
	}
	if len(out) < 180 {
		t.Fatalf("%d tables", len(out))
	}
	return out
}

// sameJSON compares two texts, with nulls left out.
func sameJSON(a, b []byte) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	return reflect.DeepEqual(plain(x), plain(y))
}

func plain(v any) any {
	o, ok := v.(map[string]any)
	if !ok {
		return v
	}
	for k, e := range o {
		if e == nil || reflect.DeepEqual(e, map[string]any{}) && k == "logOffsets" {
			delete(o, k)
		} else {
			o[k] = plain(e)
		}
	}
	return o
}

// TestFilesBothWays reads every metadata file of the fixtures, writes it again
// and finds the same: JSON files as JSON, Avro files by reading them again.
func TestFilesBothWays(t *testing.T) {
	root := fixtureRoot(t)
	counts := map[string]int{}
	for _, dir := range tables(t, root) {
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			folder, name := filepath.Base(filepath.Dir(path)), d.Name()
			data, err := os.ReadFile(path)
			if err != nil || len(data) == 0 {
				return err
			}
			kind, err := bothWays(folder, name, path, data)
			if cherr.Is(err, cherr.NotImplemented) && bytes.HasPrefix(data, []byte("ORC")) {
				kind, err = "orc", nil
			}
			if err != nil {
				t.Errorf("%s: %v", path, err)
			}
			counts[kind]++
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Log(counts)
	for kind, least := range map[string]int{"snapshot": 400, "schema": 200, "tag": 10, "manifest": 400, "list": 800, "index": 30} {
		if counts[kind] < least {
			t.Errorf("%d files of kind %s", counts[kind], kind)
		}
	}
}

var errDiffers = cherr.New(cherr.IncorrectData, "it is not the same when written again")

func bothWays(folder, name, path string, data []byte) (kind string, err error) { // long: one case a file
	differs := func(same bool) error {
		if same {
			return nil
		}
		return errDiffers
	}
	switch {
	case folder == "snapshot" && strings.HasPrefix(name, "snapshot-") || folder == "changelog":
		if name == "EARLIEST" || name == "LATEST" {
			return "hint", nil
		}
		s, err := ParseSnapshot(path, data)
		if err != nil {
			return "snapshot", err
		}
		out, _ := s.MarshalJSON()
		return "snapshot", differs(sameJSON(data, out))
	case folder == "schema":
		s, err := ParseSchema(path, data)
		if err != nil {
			return "schema", err
		}
		out, _ := s.MarshalJSON()
		again, err := ParseSchema(path, out)
		again.OptionNames = s.OptionNames // which are written sorted
		again.NullComment = s.NullComment // which is left out
		if err != nil || !reflect.DeepEqual(s, again) {
			return "schema", errDiffers
		}
		if s.Version == 1 { // which is written by leaving it out
			data = bytes.Replace(data, []byte("{"), []byte(`{"version":1,`), 1)
		}
		if bytes.Contains(data, []byte(`"nullable"`)) || bytes.Contains(data, []byte(`"description" : ""`)) {
			return "schema", nil // other spellings of the same
		}
		return "schema", differs(sameJSON(data, out))
	case folder == "tag":
		tag, err := ParseTag(strings.TrimPrefix(name, "tag-"), path, data)
		if err != nil {
			return "tag", err
		}
		out, _ := tag.MarshalJSON()
		return "tag", differs(sameJSON(data, out))
	case strings.HasPrefix(name, "manifest-list-"):
		list, err := ParseManifestList(path, data)
		if err != nil {
			return "list", err
		}
		out, err := EncodeManifestList(list, "zstd")
		if err != nil {
			return "list", err
		}
		again, err := ParseManifestList(path, out)
		if err != nil {
			return "list", err
		}
		return "list", differs(reflect.DeepEqual(list, again))
	case strings.HasPrefix(name, "index-manifest-"):
		list, err := ParseIndexManifest(path, data)
		if err != nil {
			return "index", err
		}
		out, err := EncodeIndexManifest(list, "none")
		if err != nil {
			return "index", err
		}
		again, err := ParseIndexManifest(path, out)
		if err != nil {
			return "index", err
		}
		return "index", differs(reflect.DeepEqual(list, again))
	case strings.HasPrefix(name, "manifest-") && folder == "manifest":
		list, err := ParseManifest(path, data)
		if err != nil {
			return "manifest", err
		}
		out, err := EncodeManifest(list, "zstd")
		if err != nil {
			return "manifest", err
		}
		again, err := ParseManifest(path, out)
		if err != nil {
			return "manifest", err
		}
		return "manifest", differs(reflect.DeepEqual(list, again))
	}
	return "other", nil
}

// TestRowsBothWays decodes the partitions, keys and statistics of every
// manifest and encodes them again, byte by byte.
func TestRowsBothWays(t *testing.T) {
	root := fixtureRoot(t)
	rows := 0
	for _, dir := range tables(t, root) {
		if !strings.Contains(dir, "/paimon/") {
			continue
		}
		d := Dir{Store: objstore.NewUnrestricted(""), Root: dir + "/"}
		ctx := context.Background()
		l := &metadata.Loader{Store: d.Store}
		manifests, _ := filepath.Glob(filepath.Join(dir, "manifest", "manifest-*-*"))
		for _, m := range manifests {
			if strings.HasPrefix(filepath.Base(m), "manifest-list-") {
				continue
			}
			entries, err := LoadManifest(ctx, l, m)
			if err != nil {
				continue // ORC, and an empty file put there by hand
			}
			for i := range entries {
				e := &entries[i]
				s, err := d.Schema(ctx, e.File.SchemaID)
				if err != nil {
					continue // of a branch, whose schemas lie elsewhere
				}
				keys := []Field{}
				if s.HasPrimaryKey() {
					keys = s.TrimmedKeys()
				}
				stats, err := s.StatsFields(&e.File)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range []struct {
					what   string
					b      []byte
					fields []Field
				}{
					{"partition", e.Partition, s.PartitionFields()},
					{"min key", e.File.MinKey, keys},
					{"max key", e.File.MaxKey, keys},
					{"min", e.File.ValueStats.Min, stats},
					{"max", e.File.ValueStats.Max, stats},
				} {
					if Arity(c.b) == 0 && len(c.fields) > 0 && c.what != "partition" {
						continue // statistics that were dropped
					}
					ts := TypesOf(c.fields)
					row, err := DecodeRow(c.b, ts)
					if err != nil {
						t.Errorf("%s %s of %s: %v", dir, c.what, e.File.Name, err)
						continue
					}
					if out := EncodeRow(row, ts); !bytes.Equal(out, c.b) {
						t.Errorf("%s %s of %s: %v\n%s read,\n%s written", dir, c.what, e.File.Name, row, hex.EncodeToString(c.b), hex.EncodeToString(out))
					}
					rows++
				}
			}
		}
	}
	t.Logf("%d rows", rows)
	if rows < 3000 {
		t.Errorf("%d rows", rows)
	}
}

// TestPartitionFolders finds every live data file where its partition and
// bucket say.
func TestPartitionFolders(t *testing.T) {
	root := fixtureRoot(t)
	files := 0
	ctx := context.Background()
	for _, dir := range tables(t, root) {
		d := Dir{Store: objstore.NewUnrestricted(""), Root: dir + "/"}
		l := &metadata.Loader{Store: d.Store}
		s, err := d.LatestSnapshot(ctx)
		if err != nil || s == nil {
			continue
		}
		schema, err := d.Schema(ctx, s.SchemaID)
		if err != nil {
			t.Fatal(err)
		}
		names := schema.PartitionNames()
		m := NewMerger(0)
		for _, list := range []string{s.BaseManifestList, s.DeltaManifestList} {
			lines, err := LoadManifestList(ctx, l, d.ManifestPath(list))
			if err != nil {
				break
			}
			for _, line := range lines {
				entries, err := LoadManifest(ctx, l, d.ManifestPath(line.Name))
				if err != nil {
					break
				}
				for i := range entries {
					if err := m.Add(&entries[i]); err != nil {
						t.Errorf("%s: %v", dir, err)
					}
				}
			}
		}
		for _, e := range m.Entries() {
			if e.Kind == Delete {
				t.Errorf("%s: %s is deleted but was not there", dir, e.File.Name)
			}
			row, err := DecodeRow(e.Partition, TypesOf(names.Fields))
			if err != nil {
				t.Fatalf("%s: %v", dir, err)
			}
			if e.File.ExternalPath != "" {
				continue
			}
			path := schema.DataFilePath(d, names, row, &e)
			if st, err := os.Stat(path); err != nil || st.Size() != e.File.Size {
				t.Errorf("%s: %v", path, err)
			}
			files++
		}
	}
	t.Logf("%d files", files)
	if files < 500 {
		t.Errorf("%d files", files)
	}
}

// TestBuckets hashes keys into the buckets in which the writer put them.
func TestBuckets(t *testing.T) {
	root := fixtureRoot(t)
	expected, _ := filepath.Glob(filepath.Join(root, "expected-paimon", "*.json"))
	keys := 0
	for _, path := range expected {
		var x struct {
			Name string
			Keys *struct {
				Columns []string
				Buckets map[string][]column.Row
			} `json:"keys_by_bucket"`
		}
		b, _ := os.ReadFile(path)
		if err := json.Unmarshal(b, &x); err != nil || x.Keys == nil {
			continue
		}
		dir := filepath.Join(root, "paimon", strings.Replace(x.Name, ".", ".db/", 1))
		d := Dir{Store: objstore.NewUnrestricted(""), Root: dir + "/"}
		s, err := d.LatestSchema(context.Background())
		if err != nil || s.Options["bucket"] == "-1" || s.Options["bucket"] == "-2" || strings.HasSuffix(x.Name, "rescale") {
			continue
		}
		f, err := s.BucketFunction()
		if err != nil {
			t.Fatal(err)
		}
		fields := s.BucketKeys()
		for folder, rows := range x.Keys.Buckets {
			for _, row := range rows {
				if len(row) != len(fields) {
					continue
				}
				key := make(column.Row, len(row))
				known := true
				for i, v := range row {
					if v != nil {
						key[i], known = parseValue(fields[i].Type, v.(string), known)
					}
				}
				if !known {
					continue
				}
				n := int(must(t, s.Options["bucket"]))
				if got := BucketFolder(f.Bucket(key, n)); !strings.HasSuffix(folder, got) {
					t.Errorf("%s: %v in %s, the writer chose %s", x.Name, row, got, folder)
				}
				keys++
			}
		}
	}
	t.Logf("%d keys", keys)
	if keys < 300 {
		t.Errorf("%d keys", keys)
	}
}

// TestVectors reads every deletion vector of the fixtures and writes it again.
func TestVectors(t *testing.T) {
	root := fixtureRoot(t)
	vectors := 0
	for _, dir := range tables(t, root) {
		manifests, _ := filepath.Glob(filepath.Join(dir, "manifest", "index-manifest-*"))
		for _, m := range manifests {
			data, _ := os.ReadFile(m)
			entries, err := ParseIndexManifest(m, data)
			if err != nil {
				continue
			}
			for _, e := range entries {
				file, err := os.ReadFile(filepath.Join(dir, "index", e.Name))
				if err != nil || e.Type != IndexDeletionVectors {
					continue
				}
				wide := false
				again := NewVectorFile(false)
				for _, r := range e.Vectors {
					p, err := ReadVector(file, r)
					if err != nil {
						t.Fatalf("%s: %v", m, err)
					}
					wide = wide || binaryMagic64(file, r)
					again.Wide = wide
					if err := again.Add(r.DataFile, p); err != nil {
						t.Fatal(err)
					}
					if n := p.CountWithin(0, 1<<40); n != p.Len() || len(p.Within(0, 1<<40, nil)) != int(n) {
						t.Errorf("%s: %d positions of %d", m, n, p.Len())
					}
					vectors++
				}
				if e.Size == int64(len(file)) && len(again.Bytes) == len(file) && !bytes.Equal(again.Bytes, file) {
					t.Errorf("%s: %s is not the same when written again", dir, e.Name)
				}
			}
		}
	}
	t.Logf("%d vectors", vectors)
	if vectors < 30 {
		t.Errorf("%d vectors", vectors)
	}
}

func binaryMagic64(file []byte, r VectorRange) bool { return file[r.Offset+4] == 0xd1 }
