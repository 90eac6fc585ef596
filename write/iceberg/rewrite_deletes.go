package iceberg

import (
	"context"

	"lakeserver/metadata/iceberg"
	"lakeserver/read"
)

// RewritePositionDeletes packs the position delete files of a branch, those of
// one partition together, without what is about files that are gone; from
// format version 3 on deletion vectors take their place. least is how many
// files of the table make it worth while.
func (t *Table) RewritePositionDeletes(ctx context.Context, branch string, least int) (rewritten, added int64, err error) {
	r, err := t.newRewrite(ctx, &RewriteOptions{Branch: branch})
	if err != nil || r == nil {
		return 0, 0, err
	}
	old, err := r.positionFiles(ctx)
	if err != nil || len(old) < max(1, least) {
		return 0, 0, err
	}
	d := &RowDelta{t: t, meta: r.base, opt: DeltaOptions{Source: r.src, Plan: r.plan, Branch: branch}}
	p := &Producer{Table: t, Branch: branch, Operation: "replace"}
	c := &deltaCommit{d: d, p: p, guarded: map[string]*read.Task{}, removal: Removal{Paths: map[string]bool{}}}
	var some []left
	for _, task := range r.plan.Tasks {
		if task.Vector() != nil {
			continue
		}
		gone, err := r.src.Deleted(ctx, task)
		if err != nil {
			return 0, 0, err
		}
		if gone == nil || gone.Len() == 0 {
			continue
		}
		some = append(some, left{task, gone, gone})
		c.guarded[task.Name] = task
	}
	if r.base.FormatVersion > 2 {
		err = c.vectorise(ctx, some)
	} else {
		err = c.positionDeletes(ctx, some)
	}
	if err != nil {
		d.Abort(ctx)
		return 0, 0, err
	}
	p.Added = d.added
	p.Removed = []Removal{{
		Might: func(line *iceberg.ManifestFile) bool { return line.Deletes },
		Is: func(_ *iceberg.PartitionSpec, f *iceberg.Live) (bool, error) {
			return f.Content == iceberg.PositionDeletes && old[f.Path], nil
		},
	}}
	p.Validate = func(ctx context.Context, v *Validation) error {
		return v.NoRemovedData(ctx, r.head.ID, func(_ *iceberg.PartitionSpec, f *iceberg.DataFile) bool { return c.guarded[f.Path] != nil })
	}
	if _, err := t.Commit(ctx, p); err != nil {
		return 0, 0, err
	}
	return int64(len(old)), int64(len(p.Added)), nil
}

// positionFiles gives the paths of the live position delete files that are no
// vectors.
func (r *rewrite) positionFiles(ctx context.Context) (map[string]bool, error) {
	lines, err := r.head.LoadManifests(ctx, r.t.Loader, r.t.Paths.Map)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for i := range lines {
		if !lines[i].Deletes || !lines[i].Live() {
			continue
		}
		m, err := iceberg.LoadManifest(ctx, r.t.Loader, r.base, &lines[i], r.t.Paths.Map(lines[i].Path))
		if err != nil {
			return nil, err
		}
		err = m.Walk(&lines[i], func(f iceberg.Live) error {
			if f.Content == iceberg.PositionDeletes && !f.IsDeletionVector() {
				out[f.Path] = true
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
