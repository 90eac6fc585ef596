package iceberg

import (
	"context"
	"sort"

	"lakeserver/metadata/iceberg"
)

// RewriteManifests is an operation that packs the manifests of a branch anew,
// each of one spec and content, its files in the order of their partitions. No
// file comes or goes.
type RewriteManifests struct {
	Producer
	// Least is how many manifests make it worth while.
	Least int
	// Rewritten and Added count, once Plan has been called.
	Rewritten, Added int
}

// Plan implements Operation.
func (r *RewriteManifests) Plan(ctx context.Context, base *iceberg.TableMetadata) (*Change, error) {
	p := &r.Producer
	p.begin()
	p.attempt++
	p.Operation = "replace"
	parent, err := p.parent(base)
	if err != nil || parent == nil {
		return nil, err
	}
	s := &snapshotBuild{p: p, base: base, parent: parent, seq: base.LastSequenceNumber + 1, deferred: p.deferred(base)}
	if base.FormatVersion == 1 {
		s.seq = 0
	}
	s.sum.init(base)
	if err := s.keep(ctx); err != nil {
		return nil, err
	}
	if len(s.parts) < max(1, r.Least) {
		return nil, nil
	}
	if err := r.pack(ctx, s); err != nil {
		return nil, err
	}
	return s.finish(ctx, base)
}

// pack makes one part of each kind of manifest.
func (r *RewriteManifests) pack(ctx context.Context, s *snapshotBuild) error {
	type kind struct {
		spec    int
		deletes bool
	}
	groups, order := map[kind][]*part{}, []kind(nil)
	for _, pt := range s.parts {
		k := kind{pt.line.SpecID, pt.line.Deletes}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], pt)
	}
	r.Rewritten, r.Added = 0, 0
	s.parts = nil
	for _, k := range order {
		one, err := s.mergeBin(ctx, groups[k])
		if err != nil {
			return err
		}
		if len(one) == 1 && one[0].entries != nil {
			sortEntries(one[0].entries)
			r.Rewritten += len(groups[k])
			r.Added++
		}
		s.parts = append(s.parts, one...)
	}
	return nil
}

// sortEntries orders files by partition, nulls first, so that each manifest
// holds few of them.
func sortEntries(entries []iceberg.Entry) {
	sort.SliceStable(entries, func(i, j int) bool {
		a, b := entries[i].File.Partition, entries[j].File.Partition
		for k := range min(len(a), len(b)) {
			switch {
			case a[k] == nil && b[k] == nil:
				continue
			case a[k] == nil || b[k] == nil:
				return a[k] == nil
			}
			if c := iceberg.CompareValues(a[k], b[k]); c != 0 {
				return c < 0
			}
		}
		return false
	})
}
