package iceberg_test

import (
	"context"
	"fmt"
	"math/rand"
	"path"
	"strings"
	"testing"
	"time"

	"lakeserver/cherr"
	"lakeserver/metadata/iceberg"
	"lakeserver/objstore"
	write "lakeserver/write/iceberg"
)

// put adds files to a branch, and stores something under their names.
func put(t *testing.T, tab *write.Table, branch string, removed []string, names ...string) *iceberg.TableMetadata {
	t.Helper()
	m, err := tab.Swapper.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := &write.Producer{Table: tab, Branch: branch}
	for i, name := range names {
		f := file(m, name, int32(i%2), 10)
		if _, err := tab.Store().Put(t.Context(), tab.Paths.Map(f.Path), strings.NewReader("x"), putAny); err != nil {
			t.Fatal(err)
		}
		p.Added = append(p.Added, f)
	}
	if len(removed) > 0 {
		gone := map[string]bool{}
		for _, r := range removed {
			gone[m.Location+"/data/"+r] = true
		}
		p.Removed = []write.Removal{{Paths: gone, Is: func(_ *iceberg.PartitionSpec, f *iceberg.Live) (bool, error) { return gone[f.Path], nil }}}
	}
	next, err := tab.Commit(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return next
}

func commit(t *testing.T, tab *write.Table, op write.Operation) *iceberg.TableMetadata {
	t.Helper()
	m, err := tab.Commit(t.Context(), op)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// reached is every file that the table needs, found without the code under
// test: all live entries of all manifests of all snapshots.
func reached(t *testing.T, tab *write.Table, m *iceberg.TableMetadata) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, s := range m.Snapshots {
		out[tab.Paths.Map(s.ManifestList)] = true
		lines, err := s.LoadManifests(context.Background(), tab.Loader, tab.Paths.Map)
		if err != nil {
			t.Fatal(err)
		}
		for i := range lines {
			out[tab.Paths.Map(lines[i].Path)] = true
			man, err := iceberg.LoadManifest(context.Background(), tab.Loader, m, &lines[i], tab.Paths.Map(lines[i].Path))
			if err != nil {
				t.Fatal(err)
			}
			for j := range man.Entries {
				if e := &man.Entries[j]; e.Status != iceberg.Deleted {
					out[tab.Paths.Map(e.File.Path)] = true
				}
			}
		}
	}
	return out
}

// stored is every file of the table but its metadata files.
func stored(t *testing.T, tab *write.Table) map[string]bool {
	t.Helper()
	objs, err := tab.Store().List(context.Background(), "tab/", true)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, o := range objs {
		if !strings.Contains(o.Path, ".metadata.json") && !strings.HasSuffix(o.Path, "version-hint.text") {
			out[path.Clean(o.Path)] = true
		}
	}
	return out
}

func sameFiles(t *testing.T, tab *write.Table, m *iceberg.TableMetadata) {
	t.Helper()
	need, have := reached(t, tab, m), stored(t, tab)
	for f := range need {
		if !have[f] {
			t.Errorf("%s is needed and was deleted", f)
		}
	}
	for f := range have {
		if !need[f] {
			t.Errorf("%s is needed by nothing and still there", f)
		}
	}
}

// TestExpireRandom: random histories of appends, removals, branches, tags and
// rollbacks; after an expiry the files are those that what is left needs, and
// no others. A dry run says what the true one does and touches nothing.
func TestExpireRandom(t *testing.T) {
	for seed := range 6 {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewSource(int64(seed)))
			tab := newTable(t, 2+seed%2, map[string]string{"commit.manifest.min-count-to-merge": "3"}, nil)
			var m *iceberg.TableMetadata
			for i := range 30 {
				branch := "main"
				if m != nil && len(m.Refs) > 1 && rnd.Intn(3) == 0 {
					for name, r := range m.Refs {
						if r.Type == "branch" {
							branch = name
						}
					}
				}
				switch k := rnd.Intn(10); {
				case m != nil && k == 0:
					m = commit(t, tab, write.SetRef(write.RefOptions{Name: fmt.Sprint("r", i), Tag: i%2 == 0}))
				case m != nil && k == 1:
					m = commit(t, tab, write.SetCurrentSnapshot(m.Snapshots[rnd.Intn(len(m.Snapshots))].ID, ""))
				case m != nil && k == 2:
					for name := range m.Refs {
						if name != "main" {
							m = commit(t, tab, write.DropRef(name, m.Refs[name].Type == "tag", false))
							break
						}
					}
				default:
					var gone []string
					if m != nil {
						for name := range live(t, tab, m, branch) {
							if rnd.Intn(4) == 0 {
								gone = append(gone, name)
							}
						}
					}
					m = put(t, tab, branch, gone, fmt.Sprintf("f%d.parquet", i), fmt.Sprintf("g%d.parquet", i))
				}
			}
			last, age := 1+rnd.Intn(3), int64(0)
			o := write.ExpireOptions{NowMs: time.Now().UnixMilli() + 10_000, RetainLast: &last, MaxAgeMs: &age, DefaultMaxRefAgeMs: 1<<63 - 1}
			before := stored(t, tab)
			dry, err := tab.ExpireSnapshots(t.Context(), o, true)
			if err != nil {
				t.Fatal(err)
			}
			if after := stored(t, tab); len(after) != len(before) {
				t.Fatalf("a dry run left %d of %d files", len(after), len(before))
			}
			wet, err := tab.ExpireSnapshots(t.Context(), o, false)
			if err != nil {
				t.Fatal(err)
			}
			if dry.Files != wet.Files || len(dry.Snapshots) != len(wet.Snapshots) {
				t.Errorf("dry %v of %d, then %v of %d", dry.Files, len(dry.Snapshots), wet.Files, len(wet.Snapshots))
			}
			next, err := tab.Swapper.Load(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(wet.Snapshots) == 0 || len(next.Snapshots)+len(wet.Snapshots) != len(m.Snapshots) {
				t.Errorf("%d snapshots went, %d of %d stay", len(wet.Snapshots), len(next.Snapshots), len(m.Snapshots))
			}
			for name, r := range next.Refs {
				if next.Snapshot(r.SnapshotID) == nil {
					t.Errorf("%s points to nothing", name)
				}
			}
			sameFiles(t, tab, next)
		})
	}
}

// ages makes a table of snapshots 1…n, of the given ages in ms.
func ages(properties map[string]string, refs map[string]iceberg.Ref, age ...int64) *iceberg.TableMetadata {
	m := &iceberg.TableMetadata{FormatVersion: 2, Location: "/t", Properties: properties, Refs: refs, CurrentSnapshotID: int64(len(age))}
	for i, a := range age {
		s := &iceberg.Snapshot{ID: int64(i + 1), TimestampMs: now - a}
		if i > 0 {
			parent := int64(i)
			s.ParentID = &parent
		}
		m.Snapshots = append(m.Snapshots, s)
	}
	if m.Refs == nil {
		m.Refs = map[string]iceberg.Ref{}
	}
	m.Refs["main"] = iceberg.Ref{SnapshotID: m.CurrentSnapshotID, Type: "branch", MinSnapshotsToKeep: m.Refs["main"].MinSnapshotsToKeep}
	return m
}

var putAny = objstore.PutOptions{}

const now = int64(1_700_000_000_000)

func TestExpiryPolicy(t *testing.T) {
	two, thousand, fuse, one := 2, int64(1000), now-35, int64(1)
	three := 3
	branch := func(id int64, keep *int, age, refAge *int64) iceberg.Ref {
		return iceberg.Ref{SnapshotID: id, Type: "branch", MinSnapshotsToKeep: keep, MaxSnapshotAgeMs: age, MaxRefAgeMs: refAge}
	}
	tag := func(id int64, age *int64) iceberg.Ref {
		return iceberg.Ref{SnapshotID: id, Type: "tag", MaxRefAgeMs: age}
	}
	for _, c := range []struct {
		name    string
		m       *iceberg.TableMetadata
		o       write.ExpireOptions
		gone    []int64
		refs    string
		refused string
	}{
		{"by age", ages(nil, nil, 50, 40, 30, 20, 10), write.ExpireOptions{DefaultMaxAgeMs: 25}, []int64{1, 2, 3}, "", ""},
		{"age is kept to the millisecond", ages(nil, nil, 50, 30, 10), write.ExpireOptions{DefaultMaxAgeMs: 30}, []int64{1}, "", ""},
		{"by number", ages(nil, nil, 50, 40, 30, 20, 10), write.ExpireOptions{DefaultMaxAgeMs: 1, DefaultRetainLast: 2}, []int64{1, 2, 3}, "", ""},
		{"properties", ages(map[string]string{"history.expire.max-snapshot-age-ms": "1", "history.expire.min-snapshots-to-keep": "3"}, nil, 50, 40, 30, 20, 10), write.ExpireOptions{DefaultMaxAgeMs: 1000, DefaultRetainLast: 1}, []int64{1, 2}, "", ""},
		{"arguments before properties", ages(map[string]string{"history.expire.max-snapshot-age-ms": "1", "history.expire.min-snapshots-to-keep": "3"}, nil, 50, 40, 30), write.ExpireOptions{MaxAgeMs: &thousand, RetainLast: &two}, nil, "", ""},
		{"a branch's own before arguments", ages(nil, map[string]iceberg.Ref{"main": {MinSnapshotsToKeep: &three}}, 50, 40, 30, 20), write.ExpireOptions{MaxAgeMs: &one, RetainLast: &two}, []int64{1}, "", ""},
		{"the fuse", ages(nil, nil, 50, 40, 30, 20, 10), write.ExpireOptions{DefaultMaxAgeMs: 1, FuseMs: &fuse}, []int64{1, 2}, "", ""},
		{"a tag keeps one", ages(nil, map[string]iceberg.Ref{"x": tag(2, nil)}, 50, 40, 30, 20), write.ExpireOptions{DefaultMaxAgeMs: 1}, []int64{1, 3}, "", ""},
		{"a branch keeps its own", ages(nil, map[string]iceberg.Ref{"x": branch(3, &two, nil, nil)}, 50, 40, 30, 20, 10), write.ExpireOptions{DefaultMaxAgeMs: 1}, []int64{1, 4}, "", ""},
		{"a branch's age", ages(nil, map[string]iceberg.Ref{"x": branch(3, nil, &thousand, nil)}, 50, 40, 30, 20, 10), write.ExpireOptions{DefaultMaxAgeMs: 1}, []int64{4}, "", ""},
		{"old refs", ages(nil, map[string]iceberg.Ref{"old": tag(2, &one), "young": tag(3, &thousand)}, 50, 40, 30, 20), write.ExpireOptions{DefaultMaxAgeMs: 1, DefaultMaxRefAgeMs: 1 << 62}, []int64{1, 2}, "old", ""},
		{"the table's age of refs", ages(map[string]string{"history.expire.max-ref-age-ms": "5"}, map[string]iceberg.Ref{"old": tag(2, nil)}, 50, 40, 30), write.ExpireOptions{DefaultMaxAgeMs: 1000, DefaultMaxRefAgeMs: 1 << 62}, nil, "old", ""},
		{"a ref to nowhere", ages(nil, map[string]iceberg.Ref{"lost": tag(99, nil)}, 50, 40), write.ExpireOptions{DefaultMaxAgeMs: 1000}, nil, "lost", ""},
		{"by id", ages(nil, nil, 50, 40, 30), write.ExpireOptions{IDs: []int64{2}, DefaultMaxAgeMs: 1}, []int64{2}, "", ""},
		{"by id, fused", ages(nil, nil, 50, 40, 30, 20), write.ExpireOptions{IDs: []int64{1, 3}, FuseMs: &fuse}, []int64{1}, "", ""},
		{"unknown id", ages(nil, nil, 50, 40), write.ExpireOptions{IDs: []int64{7}}, nil, "", "expire_snapshots snapshot id 7 does not exist."},
		{"the current one", ages(nil, nil, 50, 40), write.ExpireOptions{IDs: []int64{2}}, nil, "", "cannot expire snapshot 2"},
		{"a tag's", ages(nil, map[string]iceberg.Ref{"x": tag(1, nil)}, 50, 40), write.ExpireOptions{IDs: []int64{1}}, nil, "", "cannot expire snapshot 1"},
		{"gc.enabled", ages(map[string]string{"gc.enabled": "false"}, nil, 50, 40), write.ExpireOptions{DefaultMaxAgeMs: 1}, nil, "", "gc.enabled"},
	} {
		if c.o.DefaultMaxRefAgeMs == 0 {
			c.o.DefaultMaxRefAgeMs = 1<<63 - 1
		}
		c.o.NowMs = now
		x, err := write.PlanExpiry(c.m, c.o)
		if c.refused != "" {
			if !cherr.Is(err, cherr.BadArguments) || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if refs := strings.Join(append(x.Refs, x.Dangling...), " "); fmt.Sprint(x.Snapshots) != fmt.Sprint(c.gone) || refs != c.refs {
			t.Errorf("%s: %v and refs %q go, want %v and %q", c.name, x.Snapshots, refs, c.gone, c.refs)
		}
	}
	staged := ages(nil, nil, 50, 40)
	staged.Snapshots = append(staged.Snapshots, &iceberg.Snapshot{ID: 10, TimestampMs: now - 45}, &iceberg.Snapshot{ID: 11, TimestampMs: now - 5})
	if x, err := write.PlanExpiry(staged, write.ExpireOptions{NowMs: now, DefaultMaxAgeMs: 42, DefaultMaxRefAgeMs: 1 << 62}); err != nil || fmt.Sprint(x.Snapshots) != "[1 10]" {
		t.Errorf("staged: %v, %v", x, err)
	}
}

// TestExpireUnreadable: a kept manifest that cannot be read leaves all files.
func TestExpireUnreadable(t *testing.T) {
	tab := newTable(t, 2, map[string]string{"commit.manifest-merge.enabled": "false"}, nil)
	put(t, tab, "", nil, "a")
	m := put(t, tab, "", []string{"a"}, "b")
	lines, err := m.CurrentSnapshot().LoadManifests(t.Context(), tab.Loader, tab.Paths.Map)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		if err := tab.Store().Delete(t.Context(), tab.Paths.Map(l.Path)); err != nil {
			t.Fatal(err)
		}
	}
	before := stored(t, tab)
	age := int64(0)
	if _, err := tab.ExpireSnapshots(t.Context(), write.ExpireOptions{NowMs: time.Now().UnixMilli() + 5000, MaxAgeMs: &age, DefaultMaxRefAgeMs: 1 << 62}, false); !cherr.Is(err, cherr.FileDoesntExist) {
		t.Errorf("%v", err)
	}
	if after := stored(t, tab); len(after) != len(before) {
		t.Errorf("%d of %d files are left", len(after), len(before))
	}
}
