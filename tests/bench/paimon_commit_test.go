package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"lakeserver/column"
	"lakeserver/metadata/paimon"
	"lakeserver/objstore"
	write "lakeserver/write/paimon"
)

// paimonFiles are the data files of the table that is committed to.
const paimonFiles = 100_000

var paimonColumns = []*paimon.Type{
	{Kind: paimon.BigInt},
	{Kind: paimon.Int},
	{Kind: paimon.VarChar, Length: paimon.MaxLength},
	{Kind: paimon.Double},
	{Kind: paimon.BigInt},
	{Kind: paimon.VarChar, Length: paimon.MaxLength},
	{Kind: paimon.Date},
	{Kind: paimon.BigInt},
}

func paimonFile(n int) paimon.DataFile {
	row := func(v int) []byte {
		text := fmt.Sprintf("text of value %9d", v)[:16]
		return paimon.EncodeRow(column.Row{int64(v), int32(v), text, float64(v), int64(v), text, int32(v % 20000), int64(v)}, paimonColumns)
	}
	none, zero, created, source := paimon.EncodeRow(nil, nil), int64(0), int64(1), int32(paimon.SourceAppend)
	return paimon.DataFile{
		Name: fmt.Sprintf("data-%08x-0000-4000-8000-000000000000-0.parquet", n), Size: 1 << 26, Rows: 1000, MinKey: none, MaxKey: none, KeyStats: paimon.EmptyStats(),
		ValueStats:  paimon.Stats{Min: row(n * 1000), Max: row(n*1000 + 999), Nulls: make([]int64, len(paimonColumns))},
		MaxSequence: 999, DeleteRows: &zero, CreationTime: &created, Source: &source,
	}
}

func paimonTable(b *testing.B, options string) *write.Committer {
	b.Helper()
	root := filepath.Join(b.TempDir(), "t")
	must(b, os.MkdirAll(filepath.Join(root, "schema"), 0o755))
	fields := ""
	for i, t := range paimonColumns {
		if i > 0 {
			fields += ","
		}
		fields += fmt.Sprintf(`{"id":%d,"name":"c%d","type":"%s"}`, i, i, t)
	}
	schema := `{"version":3,"id":0,"fields":[` + fields + `],"highestFieldId":7,"partitionKeys":[],"primaryKeys":[],"options":{"bucket":"-1"` + options + `},"timeMillis":1}`
	must(b, os.WriteFile(filepath.Join(root, "schema", "schema-0"), []byte(schema), 0o600))
	x, err := write.NewContextBuilder(root, "bench").WithFileSystem(objstore.NewUnrestricted("/")).Finish()
	must(b, err)
	c, err := write.Create(b.Context(), x)
	must(b, err)
	m := &write.Message{Partition: paimon.EncodeRow(nil, nil)}
	for i := range paimonFiles {
		m.Data.NewFiles = append(m.Data.NewFiles, paimonFile(i))
	}
	must(b, c.Commit(b.Context(), []any{m}, nil))
	return c
}

// BenchmarkPaimonCommit appends one file to a table of 100,000 files.
func BenchmarkPaimonCommit(b *testing.B) {
	c := paimonTable(b, "")
	n := paimonFiles
	for b.Loop() {
		m := &write.Message{Partition: paimon.EncodeRow(nil, nil)}
		m.Data.NewFiles = []paimon.DataFile{paimonFile(n)}
		n++
		must(b, c.Commit(b.Context(), []any{m}, nil))
	}
}

// BenchmarkPaimonCommitChecked replaces one file of 100,000 by another, which
// is checked against all that are live.
func BenchmarkPaimonCommitChecked(b *testing.B) {
	c := paimonTable(b, "")
	n := paimonFiles
	last := 0
	for b.Loop() {
		m := &write.Message{Partition: paimon.EncodeRow(nil, nil)}
		m.Compact.Before, m.Compact.After = []paimon.DataFile{paimonFile(last)}, []paimon.DataFile{paimonFile(n)}
		last = n
		n++
		must(b, c.Commit(b.Context(), []any{m}, nil))
	}
}
