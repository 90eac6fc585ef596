package bench

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"lakeserver/cherr"
	"lakeserver/expr"
	"lakeserver/metadata"
	"lakeserver/metadata/iceberg"
	"lakeserver/objstore"
	"lakeserver/pruning"
	"lakeserver/read"
	"lakeserver/types"
)

var (
	planFiles     = flag.Int("plan.files", 1_000_000, "data files of the table")
	planManifests = flag.Int("plan.manifests", 250, "manifests of the table")
	planDir       = flag.String("plan.dir", "", "where the table is kept between runs; empty: made anew")
)

// planColumns are twenty columns as tables of events have them: numbers,
// times, texts cut to 16 bytes in the bounds.
func planColumns() []iceberg.Field {
	kinds := []iceberg.Kind{
		iceberg.Long, iceberg.Timestamp, iceberg.String, iceberg.Int, iceberg.Double, iceberg.Long, iceberg.String, iceberg.Date, iceberg.Long, iceberg.String,
		iceberg.Double, iceberg.Int, iceberg.Long, iceberg.Timestamp, iceberg.String, iceberg.Long, iceberg.Int, iceberg.Double, iceberg.String, iceberg.Long,
	}
	out := make([]iceberg.Field, len(kinds))
	for i, k := range kinds {
		out[i] = iceberg.Field{ID: i + 1, Name: "c" + strconv.Itoa(i+1), Type: &iceberg.Type{Kind: k}}
	}
	return out
}

// planTable makes the metadata of a table with many files under dir; each file
// holds the values [i*1000, i*1000+999] of c1.
func planTable(b *testing.B, dir string) *read.Source {
	b.Helper()
	m, err := iceberg.NewTableMetadata(iceberg.NewTable{
		FormatVersion: 2, Location: dir, Fields: planColumns(),
		Partition: []iceberg.NewPartitionField{{Source: "c2", Transform: iceberg.ParseTransform("day")}},
	})
	must(b, err)
	list := filepath.Join(dir, fmt.Sprintf("snap-%d-%d.avro", *planFiles, *planManifests))
	snapshot := &iceberg.Snapshot{ID: 1, SequenceNumber: 1, TimestampMs: 1, ManifestList: list, Summary: map[string]string{"operation": "append"}}
	if _, err := os.Stat(list); err != nil {
		lines := make([]iceberg.ManifestFile, *planManifests)
		g, _ := cherr.NewGroup(b.Context())
		g.SetLimit(runtime.GOMAXPROCS(0))
		for i := range lines {
			g.Go(func() error { // ends with its manifest
				line, err := planManifest(m, dir, i)
				lines[i] = line
				return err
			})
		}
		must(b, g.Wait())
		data, err := iceberg.EncodeManifestList(m, snapshot, lines, "deflate")
		must(b, err)
		must(b, os.WriteFile(list, data, 0o600))
	}
	return &read.Source{
		Loader: &metadata.Loader{Store: objstore.NewLocal(dir)}, Meta: m, Snapshot: snapshot,
		Paths: iceberg.NewPathMapper(dir, m.Location), Schema: m.CurrentSchema(),
	}
}

func planManifest(m *iceberg.TableMetadata, dir string, n int) (iceberg.ManifestFile, error) {
	w, err := iceberg.NewManifestWriter(m, m.DefaultSpec(), false, 1, "deflate")
	if err != nil {
		return iceberg.ManifestFile{}, err
	}
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	each := *planFiles / *planManifests
	for i := n * each; i < (n+1)*each; i++ {
		day := int32(19000 + i%90)
		e := iceberg.Entry{Status: iceberg.Added, SnapshotID: -1, SequenceNumber: -1, FileSequence: -1, File: iceberg.DataFile{
			Path:   fmt.Sprintf("%s/data/c2_day=%d/%05d-%d-%08x-%04x-4%03x-8%03x-%012x-00001.parquet", dir, day, i%200, i, rng.Uint32(), rng.Uint32N(1<<16), rng.Uint32N(1<<12), rng.Uint32N(1<<12), rng.Uint64N(1<<48)),
			Format: "PARQUET", Records: 900 + int64(rng.Uint32N(200)), Size: 30<<20 + int64(rng.Uint32N(10<<20)), Partition: []any{day},
			SortOrderID: 0, FirstRowID: -1, ContentOffset: -1, ContentSize: -1, SplitOffsets: []int64{4},
		}}
		for j, f := range m.CurrentSchema().Fields {
			s := iceberg.ColumnStat{ID: int32(f.ID), Values: e.File.Records, Nulls: int64(rng.Uint32N(3)), NaNs: -1, Bytes: int64(rng.Uint32N(1 << 16))}
			if f.Type.Kind == iceberg.Double {
				s.NaNs = 0
			}
			lo, hi := rng.Uint64N(1<<20), uint64(0)
			if j == 0 {
				lo, hi = uint64(i)*1000, uint64(i)*1000+999
			} else {
				hi = lo + rng.Uint64N(1<<12)
			}
			s.Lower, s.Upper = planBound(f.Type.Kind, lo), planBound(f.Type.Kind, hi)
			e.File.Stats = append(e.File.Stats, s)
		}
		if err := w.Add(&e); err != nil {
			return iceberg.ManifestFile{}, err
		}
	}
	data, line, err := w.Finish()
	if err != nil {
		return line, err
	}
	line.Path = filepath.Join(dir, fmt.Sprintf("m-%d-%d-%d.avro", *planFiles, *planManifests, n))
	return line, os.WriteFile(line.Path, data, 0o600)
}

func planBound(k iceberg.Kind, v uint64) []byte {
	switch k {
	case iceberg.Int, iceberg.Date:
		return binary.LittleEndian.AppendUint32(nil, uint32(v))
	case iceberg.Double:
		return binary.LittleEndian.AppendUint64(nil, math.Float64bits(float64(v)))
	case iceberg.String:
		return fmt.Appendf(nil, "%016x", v)
	}
	return binary.LittleEndian.AppendUint64(nil, v)
}

// planFilter is c1 = v.
func planFilter(src *read.Source, v int64) *pruning.Iceberg {
	e := &expr.Call{Fn: &expr.Function{Name: "equals", Result: types.UInt8}, Args: []expr.Expr{
		&expr.Column{Index: 0, Name: "c1", T: types.Int64}, expr.NewLiteral(types.Int64, v),
	}}
	f := pruning.New([]expr.Expr{e}, func(int) pruning.Column { return pruning.Column{Field: 1, Type: types.Int64} }, time.UTC)
	return pruning.NewIceberg(f, src.Schema)
}

// BenchmarkPlanning plans a filter that hits one of a million files: cold, as
// the first query of a server does, and warm. The figures wanted are at most
// 2.5 s cold on two cores, 20 ms warm, and 120 bytes a file beside the
// statistics of the filter's column.
func BenchmarkPlanning(b *testing.B) {
	dir := *planDir
	if dir == "" {
		dir = b.TempDir()
	}
	src := planTable(b, dir)
	plan := func(b *testing.B, v int64) {
		b.Helper()
		p, err := read.PlanIceberg(context.Background(), src, planFilter(src, v))
		must(b, err)
		if len(p.Tasks) != 1 || p.Report.PrunedByBounds != *planFiles-1 {
			b.Fatalf("%d files kept, %d pruned", len(p.Tasks), p.Report.PrunedByBounds)
		}
	}
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			src.Loader.Cache = metadata.NewCache(8 << 30)
			plan(b, 123_456_789)
		}
		src.Loader.Cache = nil
	})
	b.Run("warm", func(b *testing.B) {
		before := heap()
		src.Loader.Cache = metadata.NewCache(8 << 30)
		plan(b, 1)
		kept := heap() - before
		counted, _ := src.Loader.Cache.Used()
		for v := int64(0); b.Loop(); v++ {
			plan(b, v*7919%int64(*planFiles)*1000)
		}
		b.ReportMetric(float64(kept)/float64(*planFiles), "B/file")
		b.ReportMetric(float64(counted)/float64(*planFiles), "counted-B/file")
		src.Loader.Cache = nil
	})
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
