package iceberg

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"lakeserver/metadata"
	"lakeserver/objstore"
)

// TestIndexOfFixtures: an index knows of every data file what the whole
// manifest knows, over all manifests of the fixture tables, with all columns
// asked for at once, one after the other, and none.
func TestIndexOfFixtures(t *testing.T) {
	seen := 0
	for _, file := range fixtures(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := ParseMetadata(file, data)
		if err != nil {
			continue // those are judged by the tests of reading
		}
		root := filepath.Dir(filepath.Dir(file))
		paths := NewPathMapper(root, m.Location)
		l := &metadata.Loader{Store: objstore.NewUnrestricted(root), Cache: metadata.NewCache(1 << 30)}
		for _, s := range m.Snapshots {
			lines, err := s.LoadManifests(context.Background(), l, paths.Map)
			if err != nil {
				continue
			}
			for i := range lines {
				if !lines[i].Deletes && sameIndex(t, l, m, &lines[i], paths.Map(lines[i].Path)) {
					seen++
				}
			}
		}
	}
	if seen < 1000 {
		t.Errorf("only %d manifests were compared", seen)
	}
}

func sameIndex(t *testing.T, l *metadata.Loader, m *TableMetadata, line *ManifestFile, path string) bool {
	t.Helper()
	ctx := context.Background()
	whole, err := LoadManifest(ctx, l, m, line, path)
	if err != nil {
		if _, err2 := LoadManifestIndex(ctx, l, m, line, path, nil); err2 == nil {
			t.Errorf("%s: the index has no error, the manifest: %v", path, err)
		}
		return false
	}
	all := map[int32]bool{}
	for i := range whole.Entries {
		for _, s := range whole.Entries[i].File.Stats {
			all[s.ID] = true
		}
	}
	ids := make([]int, 0, len(all))
	for id := range all {
		ids = append(ids, int(id))
	}
	asked := [][]int{nil, ids, {1 << 20}}
	for _, id := range ids {
		asked = append(asked, []int{id})
	}
	for _, ask := range asked {
		x, err := LoadManifestIndex(ctx, l, m, line, path, ask)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return false
		}
		var want, got []string
		err1 := whole.Walk(line, func(e Live) error { want = append(want, planned(e, ask)); return nil })
		err2 := x.Walk(line, func(int) bool { return true }, func(e Live) error { got = append(got, planned(e, ask)); return nil })
		if fmt.Sprint(err1) != fmt.Sprint(err2) || !slices.Equal(want, got) {
			t.Errorf("%s, columns %v (%v, %v):\n%q\n%q", path, ask, err1, err2, want, got)
			return false
		}
	}
	return true
}

// planned prints what planning needs of an entry, with the statistics of some
// columns.
func planned(e Live, ids []int) string {
	f := e.DataFile
	out := fmt.Sprint(e.Status, e.SnapshotID, e.SequenceNumber, e.FileSequence, e.FirstRowID, f.Content, f.Path, f.Format, f.Records, f.Size,
		f.Unreadable, f.FirstRowID, f.Encrypted)
	for _, v := range f.Partition {
		out += fmt.Sprintf(" %T %v", v, v)
	}
	for _, id := range ids {
		if st := f.Stat(id); st != nil && (st.Values >= 0 || st.Nulls >= 0 || st.NaNs >= 0 || st.Lower != nil || st.Upper != nil) {
			out += fmt.Sprintf(" %d: %d %d %d %x %v %x %v", id, st.Values, st.Nulls, st.NaNs, st.Lower, st.Lower == nil, st.Upper, st.Upper == nil)
		}
	}
	return out
}

// A wrong number in a packed column prunes a file that has the rows.
func TestPackedLongs(t *testing.T) {
	for _, spread := range []uint64{0, 1, 255, 256, 65535, 65536, math.MaxUint32, math.MaxUint32 + 1, math.MaxUint64} {
		for _, base := range []int64{-1, 0, math.MinInt64, 1 << 40} {
			rng := rand.New(rand.NewPCG(spread, uint64(base)))
			v := []int64{base, int64(uint64(base) + spread)}
			if v[1] < v[0] { // the spread does not fit behind the base
				continue
			}
			for range 100 {
				x := spread
				if spread > 0 && spread < math.MaxUint64 {
					x = rng.Uint64N(spread + 1)
				}
				v = append(v, int64(uint64(base)+x))
			}
			p := packLongs(v)
			for i, want := range v {
				if got := p.at(i); got != want {
					t.Fatalf("spread %d base %d: %d is %d", spread, base, want, got)
				}
			}
		}
	}
}

func TestPackedTexts(t *testing.T) {
	for _, values := range [][][]byte{
		{},
		{[]byte("one")},
		{nil},
		{nil, []byte("a")},
		{[]byte(""), []byte("")},
		{[]byte("abcx"), []byte("abcyx"), []byte("abx")},
		{[]byte("aa"), []byte("aaa"), []byte("a")},
		{[]byte("12345678"), []byte("87654321")},
		{[]byte("12345678"), nil, []byte("1")},
		{[]byte("same"), []byte("same")},
		append(slices.Repeat([][]byte{[]byte("x")}, 70), nil, []byte("y")),
	} {
		for _, shorten := range []bool{false, true} {
			var b textsBuilder
			for _, v := range values {
				b.add(v)
			}
			p := b.pack(shorten)
			for i, want := range values {
				got := p.at(i)
				if (got == nil) != (want == nil) || want != nil && p.text(i) != string(want) {
					t.Errorf("%q, shorten %v: %q is %q", values, shorten, want, p.text(i))
				}
			}
		}
	}
}
