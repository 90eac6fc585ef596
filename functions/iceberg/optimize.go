package iceberg

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/expr"
	"lakeserver/pruning"
	"lakeserver/table"
	write "lakeserver/write/iceberg"
)

// Optimize writes small files together and takes deleted rows out of their
// files; with MANIFEST it packs manifests alone. PARTITION and WHERE choose
// files, not rows.
func (t *Table) Optimize(ctx context.Context, req *table.OptimizeRequest) error {
	if !t.open && !t.settings.Bool("allow_experimental_iceberg_compaction") {
		what := "optimize"
		if req.Manifest {
			what = "OPTIMIZE TABLE ... MANIFEST"
		}
		return cherr.New(cherr.BadArguments, "Enable 'allow_experimental_iceberg_compaction' setting to call %s for iceberg tables.", what)
	}
	branch, err := t.branch()
	if err != nil {
		return err
	}
	if req.Manifest {
		_, _, err := t.rewriteManifests(ctx, branch, int(min(t.settings.Uint("iceberg_manifest_min_count_to_compact")+1, 1<<30)))
		return err
	}
	opt := t.rewriteOptions(branch, req.Where)
	opt.MinInputFiles, opt.DeleteFiles = 2, 1
	if req.Partition != nil {
		if opt.Match, err = t.partitionMatcher(*req.Partition); err != nil {
			return err
		}
	}
	opt.All = req.Final && req.Force
	_, err = t.writer().RewriteDataFiles(ctx, opt)
	return cherr.Wrap(err, "optimizing Iceberg table %s", t.path)
}

func (t *Table) rewriteOptions(branch string, where []expr.Expr) write.RewriteOptions {
	opt := write.RewriteOptions{Branch: branch, Shared: t.src.Shared, Rows: t.rowOptions()}
	if len(where) > 0 {
		opt.Filter = pruning.NewIceberg(t.compile(&table.ScanRequest{Filter: where}), t.src.Schema)
	}
	return opt
}

func (t *Table) rewriteManifests(ctx context.Context, branch string, least int) (rewritten, added int, err error) {
	w := t.writer()
	op := &write.RewriteManifests{Producer: write.Producer{Table: w, Branch: branch}, Least: least}
	_, err = w.Commit(ctx, op)
	return op.Rewritten, op.Added, cherr.Wrap(err, "rewriting the manifests of Iceberg table %s", t.path)
}
