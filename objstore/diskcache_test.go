package objstore

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lakeserver/cherr"
)

func openCache(t *testing.T, dir string, max int64) *DiskCache {
	t.Helper()
	c, err := NewDiskCache("c", dir, max)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDiskCache(t *testing.T) {
	dir := t.TempDir()
	c := openCache(t, dir, 1000)
	data := bytes.Repeat([]byte("0123456789"), 30)
	a, b := contentID("s", "k", "1"), contentID("s", "k", "2")
	c.put(a, 100, data)
	if got, ok := c.get(a, 150, 20); !ok || !bytes.Equal(got, data[50:70]) {
		t.Errorf("a part: %q, %v", got, ok)
	}
	for what, miss := range map[string]struct {
		id     string
		off, n int64
	}{"before": {a, 90, 20}, "beyond": {a, 390, 20}, "another content": {b, 150, 20}} {
		if _, ok := c.get(miss.id, miss.off, miss.n); ok {
			t.Errorf("%s is served", what)
		}
	}
	c.put(b, 0, data)
	c.put(b, 1000, data)
	_, _ = c.get(a, 100, 10)
	c.put(b, 2000, data) // the fourth of 300: b's first is the oldest
	if _, ok := c.get(b, 0, 300); ok {
		t.Error("the oldest was not evicted")
	}
	if _, ok := c.get(a, 100, 300); !ok {
		t.Error("what was used lately was evicted")
	}
	if c.put(b, 0, make([]byte, 2000)); len(c.Segments()) != 3 || c.size > 1000 {
		t.Errorf("%d segments of %d bytes", len(c.Segments()), c.size)
	}
	if e := c.Events(); e["CachedReadBufferReadFromCacheBytes"] != 330 || e["CachedReadBufferReadFromSourceBytes"] != 360 || e["CachedReadBufferCacheWriteBytes"] != 1200 {
		t.Errorf("events: %v", e)
	}
	c.Clear()
	if files, _ := os.ReadDir(dir); len(files) != 0 || c.size != 0 {
		t.Errorf("after Clear there are %d files, %d bytes", len(files), c.size)
	}
}

// What a crash leaves is not served: files cut short, files whose bytes never
// reached the disk, files of another name, files being written.
func TestDiskCacheAfterCrash(t *testing.T) {
	dir := t.TempDir()
	data := bytes.Repeat([]byte("x"), 100)
	id := contentID("s", "k", "1")
	c := openCache(t, dir, 10_000)
	for off := int64(0); off < 500; off += 100 {
		c.put(id, off, data)
	}
	path := func(off int64) string { return c.file(&cached{id: id, off: off, n: 100}) }
	if err := os.Truncate(path(0), 50); err != nil {
		t.Fatal(err)
	}
	zeroed := make([]byte, 104)
	if err := os.WriteFile(path(100), zeroed, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path(200), path(900)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{cacheMark + "123", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c = openCache(t, dir, 10_000)
	for off, want := range map[int64]bool{0: false, 100: false, 200: false, 300: true, 400: true, 900: false} {
		if got, ok := c.get(id, off, 100); ok != want || ok && !bytes.Equal(got, data) {
			t.Errorf("at %d: %v, want %v", off, ok, want)
		}
	}
	files, _ := os.ReadDir(dir)
	var names []string
	for _, f := range files {
		names = append(names, f.Name())
	}
	if len(names) != 3 || !strings.Contains(strings.Join(names, " "), "notes.txt") {
		t.Errorf("there are %v", names)
	}
	if c = openCache(t, dir, 150); len(c.Segments()) != 1 {
		t.Errorf("%d segments in a smaller cache", len(c.Segments()))
	}
}

func TestDiskCacheUnknown(t *testing.T) {
	r := NewRegistry(nil)
	RegisterS3(r)
	if _, _, err := r.Open(t.Context(), "", "http://127.0.0.1:1/lake/x", &Access{Cache: "none"}); !cherr.Is(err, cherr.BadArguments) {
		t.Errorf("no such cache: %v", err)
	}
}
