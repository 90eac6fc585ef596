package iceberg

import (
	"context"
	"sync"
	"sync/atomic"

	"lakeserver/cherr"
	"lakeserver/metadata"
	"lakeserver/metadata/iceberg"
)

// FileKind tells files of a table apart.
type FileKind uint8

// The kinds of files.
const (
	DataFiles FileKind = iota
	PositionDeleteFiles
	EqualityDeleteFiles
	ManifestFiles
	ManifestListFiles
	MetadataFiles
	StatisticsFiles
	fileKinds
)

// FileCounts counts files by kind.
type FileCounts [fileKinds]int64

// deadSet is files that nothing needs any more, by their paths in the store:
// writers spell the same file in more than one way.
type deadSet struct {
	paths map[string]FileKind
}

func (d *deadSet) counts() (n FileCounts) {
	for _, kind := range d.paths {
		n[kind]++
	}
	return n
}

// readers is how many metadata files are read at once.
const readers = 8

// deadFiles finds what only the expired snapshots reach. A file that any kept
// snapshot reaches is never among them: if one of its manifests cannot be
// read, that is an error and nothing is dead.
func (t *Table) deadFiles(ctx context.Context, base, next *iceberg.TableMetadata, expired []int64) (*deadSet, error) {
	f := &deadFinder{
		t: t, m: base, loader: &metadata.Loader{Store: t.Store()},
		dead: map[string]FileKind{}, manifests: map[string]iceberg.ManifestFile{}, kept: map[string]iceberg.ManifestFile{},
	}
	gone := make(map[int64]bool, len(expired))
	for _, id := range expired {
		gone[id] = true
	}
	var went, stay []*iceberg.Snapshot
	for _, s := range base.Snapshots {
		if gone[s.ID] {
			went = append(went, s)
		}
	}
	stay = next.Snapshots
	for _, list := range [][]iceberg.StatisticsFile{base.Statistics, base.PartitionStats} {
		for _, s := range list {
			if gone[s.SnapshotID] {
				f.dead[t.Paths.Map(s.Path)] = StatisticsFiles
			}
		}
	}
	if err := f.lists(ctx, went, false); err != nil {
		return nil, err
	}
	if err := f.lists(ctx, stay, true); err != nil {
		return nil, err
	}
	for path := range f.kept {
		delete(f.manifests, path)
		delete(f.dead, path)
	}
	if err := f.files(ctx); err != nil {
		return nil, err
	}
	for _, s := range next.Snapshots {
		delete(f.dead, t.Paths.Map(s.ManifestList))
	}
	for _, list := range [][]iceberg.StatisticsFile{next.Statistics, next.PartitionStats} {
		for _, s := range list {
			delete(f.dead, t.Paths.Map(s.Path))
		}
	}
	return &deadSet{f.dead}, nil
}

type deadFinder struct {
	t      *Table
	m      *iceberg.TableMetadata
	loader *metadata.Loader // without the cache: these are read once

	mu        sync.Mutex
	dead      map[string]FileKind
	manifests map[string]iceberg.ManifestFile // of expired snapshots
	kept      map[string]iceberg.ManifestFile // of the others
}

// lists notes the manifests of snapshots. A list of an expired snapshot that
// is not there any more holds nothing back.
func (f *deadFinder) lists(ctx context.Context, snapshots []*iceberg.Snapshot, keep bool) error {
	g, ctx := cherr.NewGroup(ctx)
	g.SetLimit(readers)
	for _, s := range snapshots {
		g.Go(func() error {
			lines, err := s.LoadManifests(ctx, f.loader, f.t.Paths.Map)
			if err != nil && !keep && cherr.Is(err, cherr.FileDoesntExist) {
				return nil
			}
			if err != nil {
				return err
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			into := f.manifests
			if keep {
				into = f.kept
			} else if s.ManifestList != "" {
				f.dead[f.t.Paths.Map(s.ManifestList)] = ManifestListFiles
			}
			for i := range lines {
				path := f.t.Paths.Map(lines[i].Path)
				if _, there := into[path]; !there {
					line := lines[i]
					line.Partitions = nil // what a summary says is not needed
					into[path] = line
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// files notes the files of manifests that only expired snapshots have, and
// takes back those that a kept manifest has alive.
func (f *deadFinder) files(ctx context.Context) error {
	candidates := map[string]FileKind{}
	err := f.walk(ctx, f.manifests, false, func(e *iceberg.Live) {
		candidates[f.t.Paths.Map(e.Path)] = contentKind(e.Content)
	})
	if err != nil {
		return err
	}
	for path := range f.manifests {
		f.dead[path] = ManifestFiles
	}
	if len(candidates) == 0 {
		return nil
	}
	if err := f.walk(ctx, f.kept, true, func(e *iceberg.Live) { delete(candidates, f.t.Paths.Map(e.Path)) }); err != nil {
		return err
	}
	for path, kind := range candidates {
		f.dead[path] = kind
	}
	return nil
}

func contentKind(content int8) FileKind {
	switch content {
	case iceberg.PositionDeletes:
		return PositionDeleteFiles
	case iceberg.EqualityDeletes:
		return EqualityDeleteFiles
	}
	return DataFiles
}

// walk calls each for every live entry of manifests, one at a time.
func (f *deadFinder) walk(ctx context.Context, manifests map[string]iceberg.ManifestFile, strict bool, each func(e *iceberg.Live)) error {
	g, ctx := cherr.NewGroup(ctx)
	g.SetLimit(readers)
	for path, line := range manifests {
		if !line.Live() {
			continue
		}
		g.Go(func() error {
			m, err := iceberg.LoadManifest(ctx, f.loader, f.m, &line, path)
			if err != nil && !strict && cherr.Is(err, cherr.FileDoesntExist) {
				return nil
			}
			if err != nil {
				return err
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			return m.Walk(&line, func(e iceberg.Live) error {
				each(&e)
				return nil
			})
		})
	}
	return g.Wait()
}

// deleters is how many files are deleted at once.
const deleters = 16

// deleteDead deletes files and gives how many went, by kind, and how many did
// not. Data goes before what names it, so that what is left can still be found.
func (t *Table) deleteDead(ctx context.Context, d *deadSet) (done FileCounts, failed int64) {
	var n [fileKinds]atomic.Int64
	var bad atomic.Int64
	for _, kinds := range [][]FileKind{{DataFiles, PositionDeleteFiles, EqualityDeleteFiles, StatisticsFiles}, {ManifestFiles}, {ManifestListFiles, MetadataFiles}} {
		g, ctx := cherr.NewGroup(ctx)
		g.SetLimit(deleters)
		for path, kind := range d.paths {
			if !containsKind(kinds, kind) {
				continue
			}
			g.Go(func() error {
				switch err := t.Store().Delete(ctx, path); {
				case err == nil:
					n[kind].Add(1)
				case !cherr.Is(err, cherr.FileDoesntExist):
					bad.Add(1)
				}
				return ctx.Err()
			})
		}
		if g.Wait() != nil {
			break
		}
	}
	for i := range n {
		done[i] = n[i].Load()
	}
	return done, bad.Load()
}

func containsKind(kinds []FileKind, k FileKind) bool {
	for _, x := range kinds {
		if x == k {
			return true
		}
	}
	return false
}
