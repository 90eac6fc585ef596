package parquet

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fixtures are files of other writers; they stand beside the project.
const fixtures = "../../../shared/fixtures"

// TestFixtures reads files that Spark, PyIceberg, DuckDB, ClickHouse and Flink
// wrote and compares every value with arrow-go's reading.
func TestFixtures(t *testing.T) {
	root, err := filepath.EvalSymlinks(fixtures)
	if err != nil {
		t.Skip("the fixtures of other writers are not here:", err)
	}
	read, refused, n := 0, 0, 0
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".parquet") {
			return err
		}
		if n++; testing.Short() && n%10 != 0 {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		ok := t.Run(strings.TrimPrefix(path, root+"/"), func(t *testing.T) {
			table, err := arrowTable(data)
			if err != nil {
				refused++
				r := openBytes(t, data) // then ours is to read it all the same
				if _, err := readAll(r, wantAll(r), 0, 1000); err != nil {
					t.Error(err)
				}
				return
			}
			defer table.Release()
			compareTable(t, data, table)
		})
		if ok {
			read++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d files read; arrow-go refused %d", read, n, refused)
}
