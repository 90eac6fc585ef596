package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"path/filepath"
	"testing"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/memory"
	"lakeserver/metadata"
	"lakeserver/metadata/paimon"
	"lakeserver/objstore"
	"lakeserver/pruning"
	"lakeserver/read"
	"lakeserver/types"
	write "lakeserver/write/paimon"
)

var (
	mergeRows = flag.Int("merge.rows", 5_000_000, "rows of the Paimon table")
	mergeRuns = flag.Int("merge.runs", 10, "runs in which they were written")
)

// mergeLimit is what a merge may keep.
const mergeLimit = 300_000_000

const mergeSchema = `{"version":3,"id":0,"fields":[{"id":0,"name":"id","type":"BIGINT NOT NULL"},{"id":1,"name":"a","type":"INT NOT NULL"},
{"id":2,"name":"b","type":"BIGINT NOT NULL"},{"id":3,"name":"s","type":"STRING NOT NULL"},{"id":4,"name":"d","type":"DOUBLE NOT NULL"}],
"highestFieldId":4,"partitionKeys":[],"primaryKeys":["id"],"options":{"bucket":"2","write-only":"true","target-file-size":"1 gb"},"timeMillis":1}`

// BenchmarkPaimonMerge scans a table of runs whose keys lie among each other,
// and the same rows in one run: what merging costs.
func BenchmarkPaimonMerge(b *testing.B) {
	for _, c := range []struct {
		name string
		runs int
	}{{"runs", *mergeRuns}, {"one", 1}} {
		b.Run(c.name, func(b *testing.B) {
			src := mergeTable(b, c.runs)
			b.ResetTimer()
			for b.Loop() {
				limit := memory.New(nil, "query", mergeLimit)
				rows := mergeScan(b, src, limit)
				if rows != *mergeRows/c.runs*c.runs {
					b.Fatalf("%d rows", rows)
				}
				b.ReportMetric(float64(limit.Peak())/1e6, "MB-kept")
			}
			b.ReportMetric(float64(*mergeRows)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}

func mergeScan(b *testing.B, src *read.Paimon, limit *memory.Tracker) int {
	ctx := b.Context()
	plan, err := read.PlanPaimon(ctx, src, pruning.NewPaimon(nil, src.Schema))
	must(b, err)
	req := &read.Request{Source: src, Streams: 2, Memory: limit}
	for i := range src.Schema.Fields {
		f := &src.Schema.Fields[i]
		t, err := paimon.ClickHouseType(f.Type, false)
		must(b, err)
		req.Columns, req.Output = append(req.Columns, read.Column{Name: f.Name, Type: t, Paimon: f}), append(req.Output, i)
	}
	streams, err := read.StartPaimon(req, src, plan)
	must(b, err)
	counts := make([]int, len(streams))
	g, gctx := cherr.NewGroup(ctx)
	for i, s := range streams {
		g.Go(func() (err error) { // ends with its stream
			counts[i], err = drain(gctx, s)
			return err
		})
	}
	must(b, g.Wait())
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}

func drain(ctx context.Context, s column.Stream) (n int, err error) {
	defer s.Close()
	for {
		blk, err := s.Next(ctx)
		if err != nil || blk == nil {
			return n, err
		}
		n += blk.Rows
	}
}

// mergeTable writes a table in runs: run r has the keys r, r+runs, …, and every
// tenth of the run before it once more.
func mergeTable(b *testing.B, runs int) *read.Paimon {
	ctx, root := b.Context(), filepath.Join(b.TempDir(), "t")+"/"
	dir := paimon.Dir{Store: objstore.NewUnrestricted("/"), Root: root}
	_, err := dir.Store.Put(ctx, dir.SchemaPath(0), bytes.NewReader([]byte(mergeSchema)), objstore.PutOptions{IfAbsent: true})
	must(b, err)
	per := *mergeRows / runs
	for r := range runs {
		c, err := write.NewContextBuilder(root, fmt.Sprint("bench-", r)).WithFileSystem(dir.Store).Finish()
		must(b, err)
		w, err := write.Create(ctx, c)
		must(b, err)
		rows, err := w.NewRowWriter(memory.New(nil, "insert", 0))
		must(b, err)
		for from := 0; from < per; from += 65536 {
			must(b, rows.Write(ctx, mergeBlock(from, min(per, from+65536), func(i int) int { return i*runs + r }), write.Insert))
		}
		if r > 0 {
			must(b, rows.Write(ctx, mergeBlock(0, per/10, func(i int) int { return i*10*runs + r - 1 }), write.Insert))
		}
		messages, err := rows.Close(ctx)
		must(b, err)
		must(b, w.Commit(ctx, messages, nil))
	}
	s := &paimon.Schema{}
	must(b, json.Unmarshal([]byte(mergeSchema), s))
	head, err := dir.LatestSnapshot(ctx)
	must(b, err)
	return &read.Paimon{Loader: &metadata.Loader{Store: dir.Store}, Shared: read.NewShared(64 << 20), Dir: dir, Snapshot: head, Schema: s}
}

func mergeBlock(from, to int, id func(i int) int) *column.Block {
	out := &column.Block{Rows: to - from}
	ids, as, bs, ds := make([]int64, 0, out.Rows), make([]int32, 0, out.Rows), make([]int64, 0, out.Rows), make([]float64, 0, out.Rows)
	text := column.NewBuilder(types.String, out.Rows)
	for i := from; i < to; i++ {
		ids, as, bs, ds = append(ids, int64(id(i))), append(as, int32(i%1000)), append(bs, int64(i)*7), append(ds, float64(i)/3)
		text.AppendValue("s" + fmt.Sprint(i%5000))
	}
	out.Columns = []column.Column{column.NewFixed(ids), column.NewFixed(as), column.NewFixed(bs), text.Finish(), column.NewFixed(ds)}
	return out
}
