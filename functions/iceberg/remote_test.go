package iceberg

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lakeserver/cherr"
	"lakeserver/functions/storage"
	"lakeserver/internal/fakes3"
	"lakeserver/metadata"
	"lakeserver/objstore"
	"lakeserver/read"
)

// inS3 puts fixture tables into a store and gives an opener for them there.
func inS3(t *testing.T, names ...string) (*fakes3.Server, *opener) {
	t.Helper()
	root := fixtureRoot(t)
	f := fakes3.New(t)
	for _, n := range names {
		f.SetFolder(t, "lake/"+n, filepath.Join(root, n))
	}
	r := objstore.NewRegistry(nil)
	objstore.RegisterS3(r)
	return f, &opener{sources: &storage.Sources{Registry: r}, form: storage.S3, cache: metadata.NewCache(64 << 20), shared: read.NewShared(64 << 20)}
}

// Every fixture table has the same rows in a store as on disk.
func TestFixturesInS3(t *testing.T) {
	root := fixtureRoot(t)
	srv, o := inS3(t, "iceberg")
	files, _ := filepath.Glob(filepath.Join(root, "expected", "*.json"))
	for _, file := range files {
		f := loadFixture(t, file)
		if orcNames.MatchString(f.Table) {
			continue
		}
		f.Path = srv.URL + "/lake/" + f.Path
		t.Run(f.Table, func(t *testing.T) { checkFixture(context.Background(), t, o, f) })
	}
}

func dataFiles(t *testing.T, name string) (n int) {
	entries, err := os.ReadDir(filepath.Join(fixtureRoot(t), "iceberg", name, "data"))
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// A cold query lists once and gets each file of metadata once; a data file
// that is small takes one request, and many travel at once.
func TestRequestsOfAQuery(t *testing.T) {
	const name = "many_snapshots"
	srv, o := inS3(t, "iceberg/"+name)
	ctx := context.Background()
	run := func() (lists, meta, data, n int) {
		srv.Reset()
		tab, err := opened(ctx, o, srv.URL+"/lake/iceberg/"+name+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := readRows(ctx, tab, []string{tab.columns[0].Name})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]int{}
		for _, l := range srv.Log() {
			seen[l]++
			switch {
			case strings.HasPrefix(l, "LIST"):
				lists++
			case strings.Contains(l, "/metadata/"):
				meta++
			default:
				data++
			}
			if seen[l] > 1 {
				t.Errorf("asked for twice: %s", l)
			}
			if strings.HasPrefix(l, "HEAD") {
				t.Errorf("a HEAD: %s", l)
			}
		}
		return lists, meta, data, len(rows)
	}
	srv.Latency = 30 * time.Millisecond
	start := time.Now()
	lists, meta, data, rows := run()
	took, files := time.Since(start), dataFiles(t, name)
	t.Logf("cold: %d lists, %d of metadata, %d of %d data files, %d at once, %d rows, %s", lists, meta, data, files, srv.Most(), rows, took)
	if lists != 1 || data > files || meta > 2+files {
		t.Errorf("a cold query took %d lists, %d requests for metadata, %d for %d data files", lists, meta, data, files)
	}
	if limit := 30 * time.Millisecond * time.Duration(8+files/8); took > limit+2*time.Second {
		t.Errorf("%s with 30 ms a request", took)
	}
	lists, meta, data, again := run()
	if lists != 1 || meta != 0 || data > files || again != rows {
		t.Errorf("the second time: %d lists, %d requests for metadata, %d for data, %d rows after %d", lists, meta, data, again, rows)
	}
}

// Whatever breaks, the rows are right or there is an error with a code.
func TestFaultsInReading(t *testing.T) {
	const name = "pos_deletes"
	srv, o := inS3(t, "iceberg/"+name)
	o.cache, o.shared = nil, nil
	ctx := context.Background()
	read := func() ([]string, error) {
		tab, err := opened(ctx, o, srv.URL+"/lake/iceberg/"+name+"/", nil, "s3_retry_attempts", "3")
		if err != nil {
			return nil, err
		}
		return readRows(ctx, tab, []string{tab.columns[0].Name})
	}
	want, err := read()
	if err != nil {
		t.Fatal(err)
	}
	total := len(srv.Log())
	failed := 0
	for k := range total + 1 {
		for kind := range 3 {
			var n atomic.Int64
			srv.SetBefore(func(w http.ResponseWriter, _ *http.Request) bool {
				at := int(n.Add(1)) - 1
				if kind == 2 && at < k || kind < 2 && at != k { // once, or from then on
					return false
				}
				if kind == 0 {
					w.WriteHeader(http.StatusInternalServerError)
					return true
				}
				fakes3.Break(w)
				return true
			})
			got, err := read()
			switch {
			case err != nil && kind < 2:
				t.Errorf("request %d broken once: %v", k, err)
			case err != nil:
				failed++
				if c := cherr.CodeOf(err); c != cherr.S3Error && c != cherr.NetworkError {
					t.Errorf("request %d broken for ever: code %d: %v", k, c, err)
				}
			case firstDifference(got, want) != nil:
				t.Errorf("request %d: %v", k, firstDifference(got, want))
			}
		}
	}
	if failed < total {
		t.Errorf("broken for ever, only %d of %d fail", failed, total)
	}
}
