package iceberg

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/metadata/iceberg"
	write "lakeserver/write/iceberg"
)

// The procedures over branches and tags differ in two words, so they share
// this file.
var (
	createBranch  = setRef("create_branch", false, false)
	createTag     = setRef("create_tag", true, false)
	replaceBranch = setRef("replace_branch", false, true)
	replaceTag    = setRef("replace_tag", true, true)
	dropBranch    = dropRef("drop_branch", false)
	dropTag       = dropRef("drop_tag", true)
)

func setRef(name string, tag, replace bool) *procedure {
	p := &procedure{name: name, positional: 2, params: []param{
		{name: "name", kind: textParam, required: true}, {name: "snapshot_id", kind: numberParam}, {name: "max_ref_age", kind: durationParam},
	}}
	if !tag {
		p.params = append(p.params, param{name: "min_snapshots_to_keep", kind: numberParam}, param{name: "max_snapshot_age", kind: durationParam})
	}
	if !replace {
		p.params = append(p.params, param{name: "if_not_exists", kind: flagParam})
	}
	p.run = func(ctx context.Context, t *Table, a *arguments) ([]metric, error) {
		o := write.RefOptions{Name: a.text("name"), Tag: tag, Replace: replace, IfNotExists: a.flag("if_not_exists"), SnapshotID: a.number("snapshot_id")}
		var err error
		if o.MaxRefAgeMs, err = a.duration("max_ref_age"); err != nil {
			return nil, err
		}
		if o.MaxSnapshotAgeMs, err = a.duration("max_snapshot_age"); err != nil {
			return nil, err
		}
		keep, err := a.positive("min_snapshots_to_keep")
		if err != nil {
			return nil, err
		}
		if keep != nil {
			n := int(min(*keep, 1<<30))
			o.MinSnapshotsToKeep = &n
		}
		m, err := t.writer().Commit(ctx, write.SetRef(o))
		if err != nil {
			return nil, err
		}
		return []metric{{"snapshot_id", m.Refs[o.Name].SnapshotID}}, nil
	}
	return p
}

func dropRef(name string, tag bool) *procedure {
	return &procedure{
		name: name, positional: 1, params: []param{{name: "name", kind: textParam, required: true}, {name: "if_exists", kind: flagParam}},
		run: func(ctx context.Context, t *Table, a *arguments) ([]metric, error) {
			_, err := t.writer().Commit(ctx, write.DropRef(a.text("name"), tag, a.flag("if_exists")))
			return nil, err
		},
	}
}

// moved commits what moves main and says from where to where.
func (t *Table) moved(ctx context.Context, op write.Operation) ([]metric, error) {
	return t.movedRef(ctx, iceberg.MainBranch, op)
}

func (t *Table) movedRef(ctx context.Context, ref string, op write.Operation) ([]metric, error) {
	w, before := &watched{Operation: op, ref: ref}, int64(-1)
	m, err := t.writer().Commit(ctx, w)
	if err != nil {
		return nil, err
	}
	if w.there {
		before = w.before
	}
	r, ok := m.Refs[ref]
	if !ok {
		return nil, cherr.New(cherr.BadArguments, "There is no branch `%s`", ref)
	}
	return []metric{{"previous_snapshot_id", before}, {"current_snapshot_id", r.SnapshotID}}, nil
}

// watched is an operation of which is remembered where a ref was before.
type watched struct {
	write.Operation
	ref    string
	before int64
	there  bool
}

// Plan remembers and plans.
func (w *watched) Plan(ctx context.Context, base *iceberg.TableMetadata) (*write.Change, error) {
	r, ok := base.Refs[w.ref]
	w.before, w.there = r.SnapshotID, ok
	return w.Operation.Plan(ctx, base)
}

// Finish hands on how it ended.
func (w *watched) Finish(ctx context.Context, next *iceberg.TableMetadata) {
	if f, ok := w.Operation.(write.Finisher); ok {
		f.Finish(ctx, next)
	}
}
