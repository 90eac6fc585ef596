package iceberg

import (
	"context"
	"slices"

	"lakeserver/cherr"
	"lakeserver/metadata/iceberg"
)

// Plan is an operation made of a function.
type Plan func(ctx context.Context, base *iceberg.TableMetadata) (*Change, error)

// Plan calls the function.
func (p Plan) Plan(ctx context.Context, base *iceberg.TableMetadata) (*Change, error) {
	return p(ctx, base)
}

// RefOptions say what a branch or tag is to be.
type RefOptions struct {
	Name string
	Tag  bool
	// SnapshotID is where it points; nil: to the head of main.
	SnapshotID *int64
	// Retention; nil: the table's.
	MinSnapshotsToKeep            *int
	MaxSnapshotAgeMs, MaxRefAgeMs *int64
	// IfNotExists leaves one alone that is there; Replace moves it.
	IfNotExists, Replace bool
}

func kindOf(tag bool) string {
	if tag {
		return iceberg.TagRef
	}
	return iceberg.BranchRef
}

// SetRef makes a branch or tag, or moves one that is there.
func SetRef(o RefOptions) Operation {
	return Plan(func(_ context.Context, base *iceberg.TableMetadata) (*Change, error) {
		old, there := base.Refs[o.Name]
		switch {
		case there && o.IfNotExists:
			return nil, nil
		case there && !o.Replace:
			return nil, cherr.New(cherr.BadArguments, "There is a %s `%s` already", refKind(old), o.Name)
		case there && refKind(old) != kindOf(o.Tag):
			return nil, cherr.New(cherr.BadArguments, "`%s` is a %s, not a %s", o.Name, refKind(old), kindOf(o.Tag))
		case !there && o.Replace:
			return nil, cherr.New(cherr.BadArguments, "There is no %s `%s`", kindOf(o.Tag), o.Name)
		}
		r := old // what is not said stays
		r.Type = kindOf(o.Tag)
		if o.MinSnapshotsToKeep != nil {
			r.MinSnapshotsToKeep = o.MinSnapshotsToKeep
		}
		if o.MaxSnapshotAgeMs != nil {
			r.MaxSnapshotAgeMs = o.MaxSnapshotAgeMs
		}
		if o.MaxRefAgeMs != nil {
			r.MaxRefAgeMs = o.MaxRefAgeMs
		}
		switch {
		case o.SnapshotID != nil:
			r.SnapshotID = *o.SnapshotID
		case base.CurrentSnapshotID < 0:
			return nil, cherr.New(cherr.BadArguments, "Iceberg table %s has no snapshot to which `%s` could point", base.Location, o.Name)
		default:
			r.SnapshotID = base.CurrentSnapshotID
		}
		if base.Snapshot(r.SnapshotID) == nil {
			return nil, noSnapshot(base, r.SnapshotID)
		}
		return refChange(base, o.Name, iceberg.SetSnapshotRef{Name: o.Name, Ref: r}), nil
	})
}

func refKind(r iceberg.Ref) string {
	if r.Type == "" {
		return iceberg.BranchRef
	}
	return r.Type
}

func noSnapshot(base *iceberg.TableMetadata, id int64) error {
	return cherr.New(cherr.BadArguments, "Iceberg table %s has no snapshot %d", base.Location, id)
}

// refChange is updates that hold only while a ref is where it is.
func refChange(base *iceberg.TableMetadata, name string, ups ...iceberg.Update) *Change {
	return &Change{Requirements: []iceberg.Requirement{iceberg.AssertUUID{UUID: base.UUID}, refStays(base, name)}, Updates: ups}
}

func refStays(base *iceberg.TableMetadata, name string) iceberg.Requirement {
	out := iceberg.AssertRefSnapshotID{Ref: name}
	if r, ok := base.Refs[name]; ok {
		out.SnapshotID = &r.SnapshotID
	}
	return out
}

// DropRef drops a branch or tag; its snapshots stay until they expire.
func DropRef(name string, tag, ifExists bool) Operation {
	return Plan(func(_ context.Context, base *iceberg.TableMetadata) (*Change, error) {
		old, there := base.Refs[name]
		switch {
		case !there && ifExists:
			return nil, nil
		case !there:
			return nil, cherr.New(cherr.BadArguments, "There is no %s `%s`", kindOf(tag), name)
		case refKind(old) != kindOf(tag):
			return nil, cherr.New(cherr.BadArguments, "`%s` is a %s, not a %s", name, refKind(old), kindOf(tag))
		case name == iceberg.MainBranch:
			return nil, cherr.New(cherr.BadArguments, "The branch `main` cannot be dropped")
		}
		return refChange(base, name, iceberg.RemoveSnapshotRef{Name: name}), nil
	})
}

// moveMain makes a snapshot the table's current one.
func moveMain(base *iceberg.TableMetadata, id int64) *Change {
	r, ok := base.Refs[iceberg.MainBranch]
	if !ok {
		r = iceberg.Ref{Type: iceberg.BranchRef}
	}
	r.SnapshotID = id
	return refChange(base, iceberg.MainBranch, iceberg.SetSnapshotRef{Name: iceberg.MainBranch, Ref: r})
}

// ancestors walks from a snapshot to its first ancestor that is still there.
func ancestors(m *iceberg.TableMetadata, id int64, f func(s *iceberg.Snapshot) bool) {
	byID := make(map[int64]*iceberg.Snapshot, len(m.Snapshots))
	for _, s := range m.Snapshots {
		byID[s.ID] = s
	}
	walkAncestors(byID, id, f)
}

func walkAncestors(byID map[int64]*iceberg.Snapshot, id int64, f func(s *iceberg.Snapshot) bool) {
	for n := 0; n <= len(byID); n++ { // a chain that bites its tail ends, too
		s := byID[id]
		if s == nil || !f(s) {
			return
		}
		parent, ok := s.Parent()
		if !ok {
			return
		}
		id = parent
	}
}

// isAncestor tells whether a snapshot is another or among its ancestors.
func isAncestor(m *iceberg.TableMetadata, id, of int64) bool {
	found := false
	ancestors(m, of, func(s *iceberg.Snapshot) bool {
		found = s.ID == id
		return !found
	})
	return found
}

// SetCurrentSnapshot makes any snapshot, or where a ref points, main's head.
func SetCurrentSnapshot(id int64, ref string) Operation {
	return Plan(func(_ context.Context, base *iceberg.TableMetadata) (*Change, error) {
		to := id
		if ref != "" {
			r, ok := base.Refs[ref]
			if !ok {
				return nil, cherr.New(cherr.BadArguments, "There is no branch or tag `%s`", ref)
			}
			to = r.SnapshotID
		}
		if base.Snapshot(to) == nil {
			return nil, noSnapshot(base, to)
		}
		return moveMain(base, to), nil
	})
}

// RollbackToSnapshot moves main back to one of its ancestors.
func RollbackToSnapshot(id int64) Operation {
	return Plan(func(_ context.Context, base *iceberg.TableMetadata) (*Change, error) {
		switch {
		case base.Snapshot(id) == nil:
			return nil, noSnapshot(base, id)
		case !isAncestor(base, id, base.CurrentSnapshotID):
			return nil, cherr.New(cherr.BadArguments, "Cannot roll back to snapshot %d: it is not an ancestor of the current one, %d", id, base.CurrentSnapshotID)
		}
		return moveMain(base, id), nil
	})
}

// RollbackToTimestamp moves main back to the newest of its ancestors that is
// not younger than the time.
func RollbackToTimestamp(ms int64) Operation {
	return Plan(func(_ context.Context, base *iceberg.TableMetadata) (*Change, error) {
		var found *iceberg.Snapshot
		ancestors(base, base.CurrentSnapshotID, func(s *iceberg.Snapshot) bool {
			if s.TimestampMs <= ms {
				found = s
			}
			return found == nil
		})
		if found == nil {
			return nil, cherr.New(cherr.BadArguments, "Cannot roll back: no ancestor of the current snapshot is as old as %d ms", ms)
		}
		return moveMain(base, found.ID), nil
	})
}

// FastForward moves a branch to where another ref points, of which its own
// head must be an ancestor.
func FastForward(branch, to string) Operation {
	return Plan(func(_ context.Context, base *iceberg.TableMetadata) (*Change, error) {
		target, ok := base.Refs[to]
		if !ok {
			return nil, cherr.New(cherr.BadArguments, "There is no branch or tag `%s`", to)
		}
		r, there := base.Refs[branch]
		switch {
		case !there:
			r = iceberg.Ref{Type: iceberg.BranchRef}
		case refKind(r) == iceberg.TagRef:
			return nil, cherr.New(cherr.BadArguments, "`%s` is a tag, not a branch", branch)
		case !isAncestor(base, r.SnapshotID, target.SnapshotID):
			return nil, cherr.New(cherr.BadArguments, "Cannot fast-forward: `%s` is not an ancestor of `%s`", branch, to)
		}
		r.SnapshotID = target.SnapshotID
		return refChange(base, branch, iceberg.SetSnapshotRef{Name: branch, Ref: r}), nil
	})
}

// sortedRefs gives the names of a table's refs in order.
func sortedRefs(m *iceberg.TableMetadata) []string {
	names := make([]string, 0, len(m.Refs))
	for name := range m.Refs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
