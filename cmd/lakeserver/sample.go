package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// sampleFiles is a small Iceberg table that PyIceberg wrote (sample/README.md).
//
//go:embed sample/events
var sampleFiles embed.FS

// sampleQuery works as pasted on a server that was started without flags.
const sampleQuery = `curl 'http://%s/' --data-binary "SELECT day, count(), sum(amount) FROM icebergLocal('sample/events') GROUP BY day ORDER BY day FORMAT PrettyCompact"`

// writeSample puts the sample table into the folder of user files, if it is
// the server's own (no other was named) and not there yet. It tells whether
// the table is there.
func writeSample(dir string) (bool, error) {
	target := filepath.Join(dir, "sample")
	if _, err := os.Stat(target); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err == nil, err
	}
	err := fs.WalkDir(sampleFiles, "sample", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(path))
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		data, err := sampleFiles.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(to, data, 0o644)
	})
	if err != nil {
		return false, fmt.Errorf("cannot write the sample table: %w", err)
	}
	return true, nil
}
