package parquet

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Columns are views into kept pages: readers at once, with a cache that holds
// all and with one that keeps dropping pages, give what reading without one
// gives, over files of other writers.
func TestKeptPages(t *testing.T) {
	root, err := filepath.EvalSymlinks(fixtures)
	if err != nil {
		t.Skip("the fixtures of other writers are not here:", err)
	}
	all, few := NewPageCache(1<<30), NewPageCache(64<<10*pageShards)
	n := 0
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".parquet") {
			return err
		}
		if n++; n%7 != 0 {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		plain := openBytes(t, data)
		want, wantErr := readAll(plain, wantAll(plain), 0, 1000)
		for _, c := range []*PageCache{all, few} {
			var wg sync.WaitGroup
			for k := range 3 {
				wg.Go(func() {
					r, err := Open(context.Background(), fileOf(path, data), Options{VerifyChecksums: true, Pages: c, File: path})
					if err != nil {
						t.Error(err)
						return
					}
					got, err := readAll(r, wantAll(r), 0, 1000, 77*(k+1))
					if fmt.Sprint(err) != fmt.Sprint(wantErr) || fmt.Sprint(got) != fmt.Sprint(want) {
						t.Errorf("%s: other values with kept pages (%v, %v)", path, err, wantErr)
					}
				})
			}
			wg.Wait()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if hits, _ := all.Stats(); hits == 0 {
		t.Error("no page was found")
	}
	if bytes, pages := few.Used(); bytes > 64<<10*pageShards || pages == 0 {
		t.Errorf("%d bytes in %d pages are kept", bytes, pages)
	}
	all.Clear()
	if bytes, pages := all.Used(); bytes != 0 || pages != 0 {
		t.Errorf("%d bytes in %d pages are left", bytes, pages)
	}
}
