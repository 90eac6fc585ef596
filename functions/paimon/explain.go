package paimon

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
	line("Paimon: %s", t.path)
	if b := t.src.Dir.Branch; b != "" {
		line("  Branch: %s", b)
	}
	if s := t.src.Snapshot; s != nil {
		line("  Snapshot: %d", s.ID)
	} else {
		line("  Snapshot: none")
	}
	line("  Schema id: %d", t.src.Schema.ID)
	rep := p.Report
	line("  Manifests: %d/%d", rep.Manifests-rep.ManifestsPruned-rep.ManifestsEmpty, rep.Manifests)
	if rep.ManifestsPruned > 0 {
		line("    Pruned by partition ranges: %d", rep.ManifestsPruned)
	}
	line("  Files: %d/%d", rep.Files, all.Report.Files)
	for _, by := range []struct {
		what string
		n    int
	}{
		{"partition", rep.PrunedByPartition}, {"bucket", rep.PrunedByBucket}, {"column bounds", rep.PrunedByBounds}, {"file index", rep.PrunedByIndex},
	} {
		if by.n > 0 {
			line("    Pruned by %s: %d", by.what, by.n)
		}
	}
	if files, sections := p.Merges(); sections > 0 {
		line("  Merge engine: %s", t.src.MergeEngine())
		line("    Sections: %d, files: %d", sections, files)
	}
	groups, totalGroups, bytes, err := p.RowGroups(ctx, t.src, t.all, req.Columns, req.Filter, f)
	if err != nil {
		return nil, err
	}
	line("  Row groups: %d/%d", groups, totalGroups)
	line("  Bytes: %d/%d", bytes, all.Report.FileBytes)
	if rep.DeleteFiles > 0 {
		line("  Files with deletion vectors: %d", rep.DeleteFiles)
	}
	for _, e := range req.Filter {
		line("  Filter: %s", e)
	}
	r.Marks = int64(groups)
	if t.fallback != nil {
		more, err := t.fallback.ExplainScan(ctx, req)
		if err != nil {
			return nil, err
		}
		r.Lines = append(r.Lines, more.Lines...)
	}
	return r, nil
}
