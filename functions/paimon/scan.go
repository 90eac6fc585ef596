package paimon

import (
	"context"
	"sync/atomic"

	"lakeserver/column"
	"lakeserver/read"
	"lakeserver/table"
)

// Scan plans the files and opens streams that share them. The whole filter is
// applied.
func (t *Table) Scan(ctx context.Context, req *table.ScanRequest) ([]column.Stream, error) {
	if t.fallback != nil {
		return t.scanBoth(ctx, req)
	}
	streams, err := t.scan(ctx, req)
	if err != nil || t.progress == nil {
		return streams, err
	}
	return t.follow(streams), nil
}

func (t *Table) scan(ctx context.Context, req *table.ScanRequest) ([]column.Stream, error) {
	f := t.compile(req)
	p, err := t.planFor(ctx, req, f)
	if err != nil {
		return nil, err
	}
	if req.Report == nil {
		req.Report = &table.Report{}
	}
	report := req.Report
	t.count(report, p)
	// What is known at the end only gets its place now: the list may be read
	// while the scan runs.
	report.Counters = append(report.Counters, table.Counter64{Name: "ParquetReadRowGroups"}, table.Counter64{Name: "ParquetPrunedRowGroups"})
	late := report.Counters[len(report.Counters)-2:]
	s := t.settingsOf(req)
	r := &read.Request{
		Source: t.src, Columns: t.all, Output: req.Columns, Filter: req.Filter, Prune: f, KeyPrune: t.compileKeys(req),
		Limit: req.Limit, Streams: max(1, req.Streams), Memory: req.Memory, TopN: topN(req.TopN), Keys: keyFilters(req.Keys),
		Options: read.Options{
			VerifyChecksums: s.Bool("input_format_parquet_verify_checksums"),
			NoRowGroups:     !s.Bool("input_format_parquet_filter_push_down"),
			NoBloom:         !s.Bool("input_format_parquet_bloom_filter_push_down"),
			NoPages:         !s.Bool("input_format_parquet_page_filter_push_down"),
			PageCache:       s.Bool("use_decompressed_page_cache"),
		},
		Progress: func(rows, bytes int64) {
			report.RowsRead.Add(rows)
			report.BytesRead.Add(bytes)
		},
		Done: func(m *read.Metrics) {
			atomic.StoreInt64(&late[0].Value, m.RowGroups.Load())
			atomic.StoreInt64(&late[1].Value, m.RowGroupsPruned.Load())
		},
	}
	if req.PreserveOrder { // also of files, which a top-N would visit by their bounds
		r.Streams, r.TopN, r.Ordered = 1, nil, true
	}
	streams, err := read.StartPaimon(r, t.src, p)
	if err != nil {
		return nil, err
	}
	req.Applied = make([]bool, len(req.Filter))
	for i := range req.Applied {
		req.Applied[i] = true
	}
	return streams, nil
}

func keyFilters(keys []*table.KeyFilter) []read.KeyFilter {
	out := make([]read.KeyFilter, len(keys))
	for i, k := range keys {
		out[i] = read.KeyFilter{Column: k.Column, Keep: func(c column.Column) ([]uint32, bool, bool) {
			if s := k.Keys(); s != nil {
				return s.Keep(c)
			}
			return nil, false, false
		}}
	}
	return out
}

func topN(n *table.TopN) *read.TopN {
	if n == nil {
		return nil
	}
	return &read.TopN{Column: n.Column, Desc: n.Desc, NullsFirst: n.NullsFirst, Threshold: func() (column.Value, bool) {
		if v := n.Threshold.Load(); v != nil {
			return v.Value, true
		}
		return nil, false
	}}
}

// count fills in what planning found, under names like those that ClickHouse
// has for Iceberg.
func (t *Table) count(r *table.Report, p *read.Plan) {
	hits, misses, _ := t.src.Loader.Stats()
	rep := p.Report
	add := func(name string, n int64) {
		if n > 0 {
			r.Counters = append(r.Counters, table.Counter64{Name: name, Value: n})
		}
	}
	add("PaimonPartitionPrunedFiles", int64(rep.PrunedByPartition))
	add("PaimonBucketPrunedFiles", int64(rep.PrunedByBucket))
	add("PaimonMinMaxIndexPrunedFiles", int64(rep.PrunedByBounds))
	add("PaimonFileIndexPrunedFiles", int64(rep.PrunedByIndex))
	add("PaimonMetadataReturnedObjectInfos", int64(rep.Files))
	add("PaimonMetadataFilesCacheHits", hits)
	add("PaimonMetadataFilesCacheMisses", misses)
	r.Parts, r.TotalRows, r.TotalSize = int64(rep.Files), rep.FileRows, rep.FileBytes
}

// CountRows answers count() from the manifests where no filter and no merge
// stands in between.
func (t *Table) CountRows(ctx context.Context, req *table.ScanRequest) (int64, bool, error) {
	if len(req.Filter) > 0 || t.progress != nil {
		return 0, false, nil
	}
	p, err := t.plan(ctx, nil)
	if err != nil {
		return 0, false, err
	}
	n, ok, err := read.CountPaimon(ctx, t.src, p)
	if ok && err == nil && t.fallback != nil {
		var more int64
		more, ok, err = t.fallback.CountRows(ctx, req)
		n += more
	}
	if ok && err == nil {
		if req.Report == nil {
			req.Report = &table.Report{}
		}
		req.Report.Counters = append(req.Report.Counters, table.Counter64{Name: "PaimonTrivialCountOptimizationApplied", Value: 1})
	}
	return n, ok, err
}

// EstimateRows gives the rows of the files that may match.
func (t *Table) EstimateRows(ctx context.Context, req *table.ScanRequest) (int64, error) {
	p, err := t.planFor(ctx, req, t.compile(req))
	if err != nil {
		return 0, err
	}
	n := p.Report.FileRows
	if t.fallback != nil {
		more, err := t.fallback.EstimateRows(ctx, req)
		return n + more, err
	}
	return n, nil
}
