package iceberg

import (
	"bytes"
	"context"
	"strconv"

	"lakeserver/cherr"
	"lakeserver/metadata/iceberg"
	"lakeserver/objstore"
)

// snapshotBuild is one attempt of a Producer.
type snapshotBuild struct {
	p       *Producer
	base    *iceberg.TableMetadata
	parent  *iceberg.Snapshot
	seq     int64
	parts   []*part // the manifests of the snapshot to be, the newest first
	sum     summary
	written []string // for this attempt alone
	// deferred: the commit's own file comes into the folder last and makes all
	// names in it last.
	deferred bool
}

// part is one manifest of the snapshot to be: kept as it is, or to be written.
type part struct {
	line    iceberg.ManifestFile
	entries []iceberg.Entry // of one to be written; nil: kept
	spec    *iceberg.PartitionSpec
	key     string // of one that serves all attempts, "" for this one alone
}

func (s *snapshotBuild) run(ctx context.Context, base *iceberg.TableMetadata) (*Change, error) {
	s.sum.init(s.base)
	if err := s.keep(ctx); err != nil {
		return nil, err
	}
	if err := s.add(); err != nil {
		return nil, err
	}
	if !s.sum.changed && !s.p.AllowEmpty {
		return nil, nil
	}
	if boolProperty(s.base.Properties, "commit.manifest-merge.enabled", true) {
		if err := s.merge(ctx); err != nil {
			return nil, err
		}
	}
	return s.finish(ctx, base)
}

// finish writes what is to be written and gives the change.
func (s *snapshotBuild) finish(ctx context.Context, base *iceberg.TableMetadata) (*Change, error) {
	snap, err := s.write(ctx)
	if err != nil {
		s.p.Table.Delete(context.WithoutCancel(ctx), s.written...)
		return nil, err
	}
	ups := append([]iceberg.Update{}, s.p.Before...)
	ups = append(ups, iceberg.AddSnapshot{Snapshot: snap})
	if !s.p.Stage {
		ref := iceberg.Ref{Type: "branch"}
		if old, ok := s.base.Refs[s.p.Branch]; ok {
			ref = old
		}
		ref.SnapshotID = snap.ID
		ups = append(ups, iceberg.SetSnapshotRef{Name: s.p.Branch, Ref: ref})
	}
	return &Change{Requirements: s.p.requirements(base), Updates: ups, Written: s.written}, nil
}

// add makes manifests of the added files, one a spec and content.
func (s *snapshotBuild) add() error {
	type kind struct {
		spec    int
		deletes bool
	}
	parts, order := map[kind]*part{}, []kind(nil)
	for i := range s.p.Added {
		f := &s.p.Added[i]
		k := kind{f.SpecID, f.Content != iceberg.DataContent}
		pt := parts[k]
		if pt == nil {
			spec := s.base.Spec(f.SpecID)
			if spec == nil {
				return cherr.New(cherr.IcebergSpecificationViolation, "partition spec %d is not in the metadata of Iceberg table %s any more", f.SpecID, s.base.Location)
			}
			pt = &part{spec: spec, key: "added " + strconv.Itoa(k.spec) + strconv.FormatBool(k.deletes) + strconv.Itoa(s.base.FormatVersion)}
			pt.line = iceberg.ManifestFile{SpecID: spec.ID, Deletes: k.deletes, AddedSnapshotID: s.p.id}
			parts[k] = pt
			order = append(order, k)
		}
		e := iceberg.Entry{Status: iceberg.Added, SnapshotID: s.p.id, SequenceNumber: f.Sequence, FileSequence: -1, File: f.DataFile}
		if s.base.FormatVersion == 1 {
			e.SequenceNumber = -1
		}
		e.File.FirstRowID = -1
		pt.entries = append(pt.entries, e)
		s.sum.added(f.SpecID, &f.DataFile)
	}
	fresh := make([]*part, 0, len(order)+len(s.parts))
	for _, k := range order {
		fresh = append(fresh, parts[k])
	}
	s.parts = append(fresh, s.parts...)
	return nil
}

// write writes the manifests that are not there yet and the list.
func (s *snapshotBuild) write(ctx context.Context) (*iceberg.Snapshot, error) {
	lines := make([]iceberg.ManifestFile, 0, len(s.parts))
	for _, pt := range s.parts {
		ls, err := s.lines(ctx, pt)
		if err != nil {
			return nil, err
		}
		lines = append(lines, ls...)
	}
	s.p.used = make(map[string]bool, len(lines))
	for i := range lines {
		s.p.used[lines[i].Path] = true
	}
	schema := s.base.CurrentSchemaID
	snap := &iceberg.Snapshot{
		ID: s.p.id, SequenceNumber: s.seq, TimestampMs: s.p.now(s.base, s.parent), SchemaID: &schema,
		Summary: s.sum.text(s.p.operation(&s.sum), s.parent, s.p.Summary),
	}
	if s.parent != nil {
		id := s.parent.ID
		snap.ParentID = &id
	}
	if s.base.FormatVersion > 2 {
		first := s.base.NextRowID
		used := iceberg.AssignRowIDs(lines, first) - first
		snap.FirstRowID, snap.AddedRows = &first, &used
	}
	data, err := iceberg.EncodeManifestList(s.base, snap, lines, manifestCodec(s.base))
	if err != nil {
		return nil, err
	}
	snap.ManifestList = s.p.metadataPath(s.base, s.p.listName())
	s.written = append(s.written, snap.ManifestList)
	return snap, s.put(ctx, snap.ManifestList, data)
}

func (s *snapshotBuild) put(ctx context.Context, path string, data []byte) error {
	_, err := s.p.Table.Store().Put(ctx, s.p.Table.Paths.Map(path), bytes.NewReader(data), objstore.PutOptions{Deferred: s.deferred})
	return cherr.Wrap(err, "writing %s", path)
}

// lines gives the list's lines of a part, which is written first if it must
// be: as several manifests when it is longer than one should be.
func (s *snapshotBuild) lines(ctx context.Context, pt *part) ([]iceberg.ManifestFile, error) {
	if pt.entries == nil {
		return []iceberg.ManifestFile{pt.line}, nil
	}
	target := intProperty(s.base.Properties, "commit.manifest.target-size-bytes", defaultManifestBytes)
	var out []iceberg.ManifestFile
	rest := pt.entries
	for n := 0; len(rest) > 0; n++ {
		key := ""
		if pt.key != "" {
			key = pt.key + " " + strconv.Itoa(n)
		}
		line, used, err := s.manifest(ctx, pt, rest, key, target)
		if err != nil {
			return nil, err
		}
		out, rest = append(out, line), rest[used:]
	}
	return out, nil
}

const defaultManifestBytes = 8 << 20

// manifest writes one manifest of the first of the entries, or finds the one
// that an earlier attempt wrote; used is how many it holds.
func (s *snapshotBuild) manifest(ctx context.Context, pt *part, entries []iceberg.Entry, key string, target int64) (line iceberg.ManifestFile, used int, err error) {
	if line, ok := s.p.made[key]; ok && key != "" {
		return line, int(line.AddedFiles + line.ExistingFiles + line.DeletedFiles), nil
	}
	w, err := iceberg.NewManifestWriter(s.base, pt.spec, pt.line.Deletes, s.p.id, manifestCodec(s.base))
	if err != nil {
		return line, 0, err
	}
	for used < len(entries) && (used == 0 || w.Len() < target) {
		if err := w.Add(&entries[used]); err != nil {
			return line, 0, err
		}
		used++
	}
	data, line, err := w.Finish()
	if err != nil {
		return line, 0, err
	}
	line.Path = s.p.metadataPath(s.base, s.p.unique+"-m"+strconv.Itoa(len(s.p.written)+len(s.written))+".avro")
	if key == "" {
		s.written = append(s.written, line.Path)
	} else {
		s.p.made[key], s.p.written[line.Path] = line, true
	}
	return line, used, s.put(ctx, line.Path, data)
}

// operation gives the kind of the snapshot.
func (p *Producer) operation(s *summary) string {
	switch {
	case p.Operation != "":
		return p.Operation
	case s.removedFiles() == 0 && s.addedDeletes() == 0:
		return "append"
	case s.n.addedData == 0:
		return "delete"
	}
	return "overwrite"
}
