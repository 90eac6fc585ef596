package main

import (
	"fmt"
	"strings"
	"testing"

	"lakeserver/internal/fakes3"
)

// The ranges of a file that is still the same come from the disk, also behind a
// restart.
func TestDiskCache(t *testing.T) {
	f := fakes3.New(t)
	var rows strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&rows, "%d,text of row %d\n", i, i)
	}
	f.Set("lake/t/x.csv", []byte(rows.String()))
	cfg := testConfig(t)
	cfg.Caches.Disk = map[string]DiskCacheConfig{"c": {MaxBytes: 100 << 20}}
	read := fmt.Sprintf("SELECT count(), sum(c1) FROM s3('%s/lake/t/x.csv', 'k', 's', 'CSV') SETTINGS filesystem_cache_name = '%%s'", f.URL)
	answer := func(s *recorded, sql, want string) {
		t.Helper()
		if got, _ := s.run(sql); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
	requests := func(s *recorded) int {
		f.Reset()
		answer(s, fmt.Sprintf(read, "c"), "200000\t19999900000")
		n := 0
		for _, line := range f.Log() {
			if strings.HasPrefix(line, "GET") {
				n++
			}
		}
		return n
	}
	s := recordedServer(t, cfg)
	cold := requests(s)
	if warm := requests(s); cold < 1 || warm != 0 {
		t.Errorf("%d requests for data cold, %d warm", cold, warm)
	}
	answer(s, "SELECT count() > 0, sum(size) > 4000000, any(cache_name) FROM system.filesystem_cache", "1\t1\tc")
	answer(s, "SELECT value > 4000000 FROM system.events WHERE event = 'CachedReadBufferReadFromCacheBytes'", "1")
	answer(s, fmt.Sprintf(read, "none"), "There is no cache by name: none")
	answer(s, "SYSTEM DROP FILESYSTEM CACHE 'none'", "There is no cache by name: none")
	s = recordedServer(t, cfg)
	if again := requests(s); again != 0 {
		t.Errorf("%d requests for data behind a restart", again)
	}
	answer(s, "SYSTEM DROP FILESYSTEM CACHE 'c'", "")
	answer(s, "SELECT count() FROM system.filesystem_cache", "0")
	f.Set("lake/t/x.csv", []byte("1,x\n")) // another content has another ETag
	answer(s, fmt.Sprintf(read, "c"), "1\t1")
}
