package iceberg_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"lakeserver/metadata"
	"lakeserver/metadata/iceberg"
	"lakeserver/objstore"
	write "lakeserver/write/iceberg"
)

// BenchmarkExpire: a stream's table of many snapshots, each of one file, whose
// manifests are merged by the hundred, expires all but the last. The target is
// 10,000 snapshots within 5 s and 500 MB.
func BenchmarkExpire(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				dir := b.TempDir()
				tab := streamed(b, dir, n)
				age, last := int64(0), 1
				runtime.GC()
				peak := watchHeap()
				b.StartTimer()
				x, err := tab.ExpireSnapshots(b.Context(), write.ExpireOptions{NowMs: time.Now().UnixMilli() + 10_000, MaxAgeMs: &age, RetainLast: &last, DefaultMaxRefAgeMs: 1 << 62}, false)
				b.StopTimer()
				if err != nil || len(x.Snapshots) != n-1 || x.Files[write.ManifestListFiles] != int64(n-1) || x.Files[write.DataFiles] != 0 {
					b.Fatal(err, len(x.Snapshots), x.Files)
				}
				b.ReportMetric(float64(peak())/(1<<20), "heap-MB")
				if err := os.RemoveAll(dir); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// watchHeap samples the heap and gives the greatest size seen.
func watchHeap() func() uint64 {
	stop, done := make(chan struct{}), make(chan uint64)
	go func() {
		var most uint64
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
			select {
			case <-stop:
				done <- most
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func() uint64 { close(stop); return <-done }
}

// streamed writes a table of n snapshots: each list has the merged manifests
// of full hundreds and one manifest for each snapshot since.
func streamed(b *testing.B, dir string, n int) *write.Table {
	m, err := iceberg.NewTableMetadata(iceberg.NewTable{
		FormatVersion: 2, Location: dir + "/tab",
		Fields:    []iceberg.Field{{Name: "id", Required: true, Type: iceberg.ParseType("long")}, {Name: "g", Type: iceberg.ParseType("int")}},
		Partition: []iceberg.NewPartitionField{{Source: "g", Transform: iceberg.ParseTransform("identity")}},
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "tab", "metadata"), 0o700); err != nil {
		b.Fatal(err)
	}
	store := func(name string, data []byte) string {
		if err := os.WriteFile(filepath.Join(dir, "tab", "metadata", name), data, 0o600); err != nil {
			b.Fatal(err)
		}
		return m.Location + "/metadata/" + name
	}
	var merged, single []iceberg.ManifestFile
	var entries []iceberg.Entry
	manifest := func(name string, id int64, list []iceberg.Entry) iceberg.ManifestFile {
		w, err := iceberg.NewManifestWriter(m, m.DefaultSpec(), false, id, "deflate")
		if err != nil {
			b.Fatal(err)
		}
		for i := range list {
			if err := w.Add(&list[i]); err != nil {
				b.Fatal(err)
			}
		}
		data, line, err := w.Finish()
		if err != nil {
			b.Fatal(err)
		}
		line.Path, line.SequenceNumber, line.MinSequenceNumber = store(name, data), id, 1
		return line
	}
	build := iceberg.NewBuilder(m)
	for i := 1; i <= n; i++ {
		id := int64(i)
		f := file(m, fmt.Sprintf("f%d.parquet", i), int32(i%8), 100)
		e := iceberg.Entry{Status: iceberg.Added, SnapshotID: id, SequenceNumber: -1, FileSequence: -1, File: f.DataFile}
		if i%100 == 0 { // the hundred becomes one
			single = nil
			merged = append(merged, manifest(fmt.Sprintf("m%d.avro", i), id, append(entries, e)))
			entries = nil
		} else {
			single = append(single, manifest(fmt.Sprintf("s%d.avro", i), id, []iceberg.Entry{e}))
			e.Status, e.SequenceNumber, e.FileSequence = iceberg.Existing, id, id
			entries = append(entries, e)
		}
		s := &iceberg.Snapshot{ID: id, SequenceNumber: id, TimestampMs: id, Summary: map[string]string{"operation": "append", "added-records": "100"}}
		if i > 1 {
			parent := id - 1
			s.ParentID = &parent
		}
		data, err := iceberg.EncodeManifestList(m, s, append(append([]iceberg.ManifestFile(nil), single...), merged...), "deflate")
		if err != nil {
			b.Fatal(err)
		}
		s.ManifestList = store(fmt.Sprintf("snap-%d-1-x.avro", i), data)
		if err := build.Apply(iceberg.AddSnapshot{Snapshot: s}); err != nil {
			b.Fatal(err)
		}
	}
	if err := build.Apply(iceberg.SetSnapshotRef{Name: "main", Ref: iceberg.Ref{SnapshotID: int64(n), Type: "branch"}}); err != nil {
		b.Fatal(err)
	}
	next, err := build.Build()
	if err != nil {
		b.Fatal(err)
	}
	text, err := iceberg.Encode(next)
	if err != nil {
		b.Fatal(err)
	}
	l := &metadata.Loader{Store: objstore.NewLocal(dir)}
	if _, err := l.Store.Put(b.Context(), "tab/metadata/v1.metadata.json", bytes.NewReader(text), objstore.PutOptions{}); err != nil {
		b.Fatal(err)
	}
	return &write.Table{Meta: next, Loader: l, Paths: iceberg.NewPathMapper("tab/", m.Location), Swapper: &write.Folder{Loader: l, Root: "tab/"}}
}
