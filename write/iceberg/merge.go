package iceberg

import (
	"context"

	"lakeserver/metadata/iceberg"
)

// averageEntry guesses how long an entry is in a manifest.
const averageEntry = 300

func (pt *part) length() int64 {
	if pt.entries != nil {
		return int64(len(pt.entries)) * averageEntry
	}
	return pt.line.Length
}

// merge packs small manifests of one spec and content into fewer. They are
// packed from the old end, so that old bins stay as they are; the newest bin
// waits until it holds enough manifests.
func (s *snapshotBuild) merge(ctx context.Context) error {
	target := intProperty(s.base.Properties, "commit.manifest.target-size-bytes", defaultManifestBytes)
	least := int(intProperty(s.base.Properties, "commit.manifest.min-count-to-merge", 100))
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
	s.parts = s.parts[:0]
	for _, k := range order {
		bins := packEnd(groups[k], target)
		for i, bin := range bins {
			newest := i == 0
			if len(bin) == 1 || newest && len(bin) < least {
				s.parts = append(s.parts, bin...)
				continue
			}
			one, err := s.mergeBin(ctx, bin)
			if err != nil {
				return err
			}
			s.parts = append(s.parts, one...)
		}
	}
	return nil
}

// packEnd fills bins of up to target bytes from the last part on; bins and
// parts keep their order.
func packEnd(parts []*part, target int64) [][]*part {
	var bins [][]*part
	end, size := len(parts), int64(0)
	for i := len(parts) - 1; i >= 0; i-- {
		n := parts[i].length()
		if i+1 < end && size+n > target {
			bins = append(bins, parts[i+1:end])
			end, size = i+1, 0
		}
		size += n
	}
	if end > 0 {
		bins = append(bins, parts[:end])
	}
	for i, j := 0, len(bins)-1; i < j; i, j = i+1, j-1 {
		bins[i], bins[j] = bins[j], bins[i]
	}
	return bins
}

// mergeBin makes one part of several. Deletions of older snapshots drop out;
// a table with partitions that cannot be written again stays as it is.
func (s *snapshotBuild) mergeBin(ctx context.Context, bin []*part) ([]*part, error) {
	t := s.p.Table
	out := &part{line: iceberg.ManifestFile{SpecID: bin[0].line.SpecID, Deletes: bin[0].line.Deletes, AddedSnapshotID: s.p.id}, entries: []iceberg.Entry{}}
	out.spec = s.base.Spec(out.line.SpecID)
	if out.spec == nil || !s.rewritable(out.spec) {
		return bin, nil
	}
	for _, pt := range bin {
		if pt.entries != nil {
			out.entries = append(out.entries, pt.entries...)
			continue
		}
		m, err := iceberg.LoadManifest(ctx, t.Loader, s.base, &pt.line, t.Paths.Map(pt.line.Path))
		if err != nil {
			return nil, err
		}
		err = m.Walk(&pt.line, func(l iceberg.Live) error {
			out.entries = append(out.entries, existing(&l))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return []*part{out}, nil
}

// rewritable tells whether every partition value of a spec has a known form.
func (s *snapshotBuild) rewritable(spec *iceberg.PartitionSpec) bool {
	for _, f := range spec.Fields {
		t := s.base.PartitionType(f)
		if t == nil || f.Transform.Kind == iceberg.UnknownTransform || t.Nested() {
			return false
		}
	}
	return true
}
