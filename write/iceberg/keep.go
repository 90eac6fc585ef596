package iceberg

import (
	"context"
	"strconv"

	"lakeserver/cherr"
	"lakeserver/metadata/iceberg"
)

// keep takes over the parent's manifests, those anew that hold files which go.
func (s *snapshotBuild) keep(ctx context.Context) error {
	if s.parent == nil {
		return s.allFound(nil)
	}
	t := s.p.Table
	lines, err := s.parent.LoadManifests(ctx, t.Loader, t.Paths.Map)
	if err != nil {
		return err
	}
	gone := map[string]bool{} // data files taken out, for the deletes that are theirs
	found := map[string]bool{}
	// Data first: which deletes go depends on it.
	parts := make([]*part, len(lines))
	for _, deletes := range []bool{false, true} {
		for i := range lines {
			if lines[i].Deletes != deletes {
				continue
			}
			if parts[i], err = s.keepLine(ctx, lines[i], gone, found); err != nil {
				return err
			}
		}
	}
	for _, pt := range parts {
		if pt != nil {
			s.parts = append(s.parts, pt)
		}
	}
	return s.allFound(found)
}

// allFound tells of files that the operation read and that someone else has
// taken out meanwhile.
func (s *snapshotBuild) allFound(found map[string]bool) error {
	for i := range s.p.Removed {
		for path := range s.p.Removed[i].Paths {
			if !found[path] {
				return Conflict("data file %s, which this statement replaces, is not in the table any more", path)
			}
		}
	}
	return nil
}

// Conflict makes an error that no new attempt over the same reading heals; a
// statement that reads again may succeed.
func Conflict(format string, args ...any) error {
	return cherr.Wrap(errStale, format, args...)
}

// keepLine gives the part of one manifest, nil when nothing of it stays.
func (s *snapshotBuild) keepLine(ctx context.Context, line iceberg.ManifestFile, gone, found map[string]bool) (*part, error) {
	if !line.Live() {
		return nil, nil // deletions of an older snapshot
	}
	known := line.AddedFiles >= 0 && line.ExistingFiles >= 0 && line.DeletedFiles >= 0 && line.AddedRows >= 0 && line.ExistingRows >= 0 && line.DeletedRows >= 0
	if !s.mightRemove(&line, gone) && (known || s.base.FormatVersion == 1 && line.Length > 0) {
		return &part{line: line}, nil
	}
	t := s.p.Table
	m, err := iceberg.LoadManifest(ctx, t.Loader, s.base, &line, t.Paths.Map(line.Path))
	if err != nil {
		return nil, err
	}
	entries, removed, err := s.split(m, &line, gone, found)
	switch {
	case err != nil:
		return nil, err
	case removed == 0:
		return s.counted(ctx, line, m)
	}
	pt := &part{line: line, entries: entries, spec: m.Spec, key: "of " + strconv.Itoa(s.base.FormatVersion) + line.Path}
	pt.line.AddedSnapshotID = s.p.id
	return pt, nil
}

// counted fills in what an old writer left out of a line.
func (s *snapshotBuild) counted(ctx context.Context, line iceberg.ManifestFile, m *iceberg.Manifest) (*part, error) {
	line.AddedFiles, line.ExistingFiles, line.DeletedFiles = 0, 0, 0
	line.AddedRows, line.ExistingRows, line.DeletedRows = 0, 0, 0
	for i := range m.Entries {
		n := m.Entries[i].File.Records
		switch m.Entries[i].Status {
		case iceberg.Added:
			line.AddedFiles++
			line.AddedRows += n
		case iceberg.Existing:
			line.ExistingFiles++
			line.ExistingRows += n
		default:
			line.DeletedFiles++
			line.DeletedRows += n
		}
	}
	if line.Length <= 0 { // of a snapshot without a list
		obj, err := s.p.Table.Store().Stat(ctx, s.p.Table.Paths.Map(line.Path))
		if err != nil {
			return nil, err
		}
		line.Length, line.SpecID = obj.Size, max(m.SpecID, 0)
	}
	return &part{line: line}, nil
}

func (s *snapshotBuild) mightRemove(line *iceberg.ManifestFile, gone map[string]bool) bool {
	if line.Deletes && len(gone) > 0 {
		return true // vectors of files that go
	}
	for i := range s.p.Removed {
		if r := &s.p.Removed[i]; r.Might == nil || r.Might(line) {
			return true
		}
	}
	return false
}

// split gives the entries of a manifest written anew: those that stay as
// EXISTING, those that go as DELETED, all with their numbers made explicit.
func (s *snapshotBuild) split(m *iceberg.Manifest, line *iceberg.ManifestFile, gone, found map[string]bool) (entries []iceberg.Entry, removed int, err error) {
	err = m.Walk(line, func(l iceberg.Live) error {
		e := existing(&l)
		goes, err := s.goes(m.Spec, &l, gone, found)
		if err != nil {
			return err
		}
		if goes {
			removed++
			e.Status, e.SnapshotID = iceberg.Deleted, s.p.id
			if l.Content == iceberg.DataContent {
				gone[l.Path] = true
			}
			s.sum.removed(m.SpecID, l.DataFile)
		}
		entries = append(entries, e)
		return nil
	})
	return entries, removed, err
}

// existing makes an entry that stands on its own of a live one.
func existing(l *iceberg.Live) iceberg.Entry {
	e := iceberg.Entry{Status: iceberg.Existing, SnapshotID: l.SnapshotID, SequenceNumber: l.SequenceNumber, FileSequence: l.FileSequence, File: *l.DataFile}
	if e.FileSequence < 0 { // left out by writers before it was required
		e.FileSequence = e.SequenceNumber
	}
	e.File.FirstRowID = l.FirstRowID
	return e
}

func (s *snapshotBuild) goes(spec *iceberg.PartitionSpec, l *iceberg.Live, gone, found map[string]bool) (bool, error) {
	if l.Content == iceberg.PositionDeletes && l.Referenced != "" && gone[l.Referenced] {
		return true, nil
	}
	goes := false
	for i := range s.p.Removed {
		r := &s.p.Removed[i]
		if l.Content == iceberg.DataContent && r.Paths[l.Path] {
			found[l.Path] = true
			goes = true
		}
		if r.Is == nil || goes {
			continue
		}
		is, err := r.Is(spec, l)
		if err != nil {
			return false, err
		}
		goes = goes || is
	}
	return goes, nil
}
