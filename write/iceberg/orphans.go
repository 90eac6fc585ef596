package iceberg

import (
	"context"
	"path"
	"strings"
	"time"

	"lakeserver/cherr"
	"lakeserver/metadata"
	"lakeserver/metadata/iceberg"
	"lakeserver/objstore"
)

// OrphanOptions say which files nobody refers to go.
type OrphanOptions struct {
	OlderThan time.Time
	Location  string // below the table's folder; "": all of it
	DryRun    bool
}

// Orphans is what was found, or deleted.
type Orphans struct {
	Files  FileCounts
	Failed int64
}

// RemoveOrphans deletes the files under the table's folder that no snapshot,
// ref, log or statistics of the table names and that are old enough not to
// belong to a commit on its way (iceberg.md §3.2). Anything of the metadata
// that cannot be read is an error, and then nothing is deleted.
func (t *Table) RemoveOrphans(ctx context.Context, root string, o OrphanOptions) (*Orphans, error) {
	m, err := t.Swapper.Load(ctx)
	if err != nil {
		return nil, err
	}
	if !boolProperty(m.Properties, "gc.enabled", true) {
		return nil, cherr.New(cherr.BadArguments, "Cannot remove orphan files of Iceberg table %s: gc.enabled is false", m.Location)
	}
	found, err := t.Store().List(ctx, root+o.Location, true)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 && o.Location != "" {
		return nil, cherr.New(cherr.BadArguments, "Scan path '%s' does not exist.", root+o.Location)
	}
	if err := noTableWithin(found, root); err != nil {
		return nil, err
	}
	old := map[string]FileKind{}
	for _, obj := range found {
		if obj.Modified.Before(o.OlderThan) && !hidden(strings.TrimPrefix(obj.Path, root)) {
			old[path.Clean(obj.Path)] = kindByName(strings.TrimPrefix(obj.Path, root))
		}
	}
	if err := t.withoutReferred(ctx, m, root, old); err != nil {
		return nil, err
	}
	// Whoever committed meanwhile may have named what was an orphan before.
	again, err := t.Swapper.Load(ctx)
	if err != nil {
		return nil, err
	}
	if again.File != m.File || again.LastUpdatedMs != m.LastUpdatedMs {
		if err := t.withoutReferred(ctx, again, root, old); err != nil {
			return nil, err
		}
	}
	dead := &deadSet{old}
	if o.DryRun {
		return &Orphans{Files: dead.counts()}, nil
	}
	out := &Orphans{}
	out.Files, out.Failed = t.deleteDead(ctx, dead)
	return out, nil
}

// noTableWithin refuses a folder in which another table lies: its files would
// all be orphans of this one.
func noTableWithin(found []objstore.Object, root string) error {
	for _, obj := range found {
		rel := strings.TrimPrefix(strings.TrimPrefix(obj.Path, root), "/")
		if dir := path.Dir(rel); strings.Contains(path.Base(rel), ".metadata.json") && dir != "metadata" && path.Base(dir) == "metadata" {
			return cherr.New(cherr.BadArguments, "Cannot remove orphan files: another table lies in %s", root+path.Dir(dir))
		}
	}
	return nil
}

// hidden tells whether a file or one of its folders is of those that writers
// hide; the folder of a partition is none.
func hidden(rel string) bool {
	for _, part := range strings.Split(strings.Trim(rel, "/"), "/") {
		if part != "" && (part[0] == '_' || part[0] == '.') && !strings.Contains(part, "=") {
			return true
		}
	}
	return false
}

// kindByName tells what a file nobody refers to was, as ClickHouse counts it.
func kindByName(rel string) FileKind {
	name := path.Base(rel)
	within := strings.HasPrefix(strings.TrimPrefix(rel, "/"), "metadata/")
	switch {
	case strings.Contains(name, ".metadata.json"):
		return MetadataFiles
	case strings.HasPrefix(name, "snap-") && strings.HasSuffix(name, ".avro"):
		return ManifestListFiles
	case within && strings.HasSuffix(name, ".avro"):
		return ManifestFiles
	case strings.HasSuffix(name, ".stats"), within && strings.HasSuffix(name, ".puffin"):
		return StatisticsFiles
	case strings.Contains(name, "eq-del"):
		return EqualityDeleteFiles
	case strings.Contains(name, "delete"), strings.HasSuffix(name, ".puffin"):
		return PositionDeleteFiles
	}
	return DataFiles
}

// withoutReferred takes out of old what the table names.
func (t *Table) withoutReferred(ctx context.Context, m *iceberg.TableMetadata, root string, old map[string]FileKind) error {
	inside := path.Clean(root) + "/"
	outside := map[string]bool{} // names of files that may lie here under another spelling of the folder
	stored := func(p string) {
		p = path.Clean(p)
		delete(old, p)
		if !strings.HasPrefix(p, inside) {
			outside[path.Base(p)] = true
		}
	}
	drop := func(p string) { stored(t.Paths.Map(p)) }
	stored(m.File)
	stored(root + "metadata/version-hint.text")
	for _, e := range m.MetadataLog {
		drop(e.File)
	}
	for _, list := range [][]iceberg.StatisticsFile{m.Statistics, m.PartitionStats} {
		for _, s := range list {
			drop(s.Path)
		}
	}
	f := &deadFinder{t: t, m: m, loader: &metadata.Loader{Store: t.Store()}, kept: map[string]iceberg.ManifestFile{}}
	if err := f.lists(ctx, m.Snapshots, true); err != nil {
		return err
	}
	for _, s := range m.Snapshots {
		if s.ManifestList != "" {
			drop(s.ManifestList)
		}
	}
	for p := range f.kept {
		stored(p)
	}
	if err := f.walk(ctx, f.kept, true, func(e *iceberg.Live) { drop(e.Path) }); err != nil {
		return err
	}
	if len(outside) > 0 {
		for p := range old {
			if outside[path.Base(p)] {
				delete(old, p)
			}
		}
	}
	return nil
}
