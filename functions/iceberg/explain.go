package iceberg

import (
	"context"
	"fmt"

	"lakeserver/table"
)

// ExplainScan tells what a scan would read and what was pruned by what.
func (t *Table) ExplainScan(ctx context.Context, req *table.ScanRequest) (*table.Report, error) {
	f := t.compile(req)
	all, err := t.plan(ctx, nil)
	if err != nil {
		return nil, err
	}
	p, err := t.planFor(ctx, req, f)
	if err != nil {
		return nil, err
	}
	r := &table.Report{}
	t.count(r, p)
	line := func(format string, args ...any) { r.Lines = append(r.Lines, fmt.Sprintf(format, args...)) }
	line("Iceberg: %s", t.path)
	line("  Metadata: %s", t.src.Meta.File)
	if s := t.src.Snapshot; s != nil {
		line("  Snapshot: %d", s.ID)
	} else {
		line("  Snapshot: none")
	}
	line("  Schema id: %d", t.src.Schema.ID)
	rep := p.Report
	line("  Manifests: %d/%d", rep.Manifests-rep.ManifestsPruned-rep.ManifestsEmpty, rep.Manifests)
	if rep.ManifestsPruned > 0 {
		line("    Pruned by partition summaries: %d", rep.ManifestsPruned)
	}
	line("  Files: %d/%d", rep.Files, all.Report.Files)
	if rep.PrunedByPartition > 0 {
		line("    Pruned by partition: %d", rep.PrunedByPartition)
	}
	if rep.PrunedByBounds > 0 {
		line("    Pruned by column bounds: %d", rep.PrunedByBounds)
	}
	groups, totalGroups, bytes, err := p.RowGroups(ctx, t.src, t.all, req.Columns, req.Filter, f)
	if err != nil {
		return nil, err
	}
	line("  Row groups: %d/%d", groups, totalGroups)
	line("  Bytes: %d/%d", bytes, all.Report.FileBytes)
	if any, byValue := p.Deletes(); any > 0 {
		line("  Files with deletes: %d, of them by equality: %d", any, byValue)
	}
	for _, e := range req.Filter {
		line("  Filter: %s", e)
	}
	r.Marks = int64(groups)
	return r, nil
}
