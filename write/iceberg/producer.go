package iceberg

import (
	"context"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"

	"lakeserver/cherr"
	"lakeserver/metadata/iceberg"
)

// NewFile is a data or delete file that a snapshot adds. Its Partition is the
// tuple of its spec.
type NewFile struct {
	iceberg.DataFile
	SpecID int
	// Sequence is the data sequence number, the age of the rows; -1 for the
	// commit's own.
	Sequence int64
}

// Removal says which live files a snapshot takes out. It is asked again in
// each attempt and must answer alike.
type Removal struct {
	// Might tells whether a manifest can hold such a file; nil: any can.
	Might func(line *iceberg.ManifestFile) bool
	// Is tells whether a live file of a spec is taken out. Deletion vectors and
	// position deletes for a file that goes need not be named.
	Is func(spec *iceberg.PartitionSpec, f *iceberg.Live) (bool, error)
	// Paths are data files that must still be there: one that is missing is a
	// conflict that no retry heals.
	Paths map[string]bool
}

// Producer makes one snapshot of files added and taken out. It is an
// Operation; it is used for one commit.
type Producer struct {
	Table *Table
	// Operation is the snapshot's kind; "" takes it from what changes.
	Operation string
	Branch    string            // "": main
	Summary   map[string]string // further keys of the summary
	// Stage adds the snapshot without moving a branch (write-audit-publish).
	Stage bool
	// Before are updates that come first in the same commit (a new schema);
	// the snapshot is made over what they make of the table. Fresh says that
	// the snapshot has no parent then.
	Before []iceberg.Update
	Fresh  bool

	Added   []NewFile
	Removed []Removal
	// Validate is asked in each attempt, before manifests are made, whether
	// the snapshots since the operation read the table forbid it.
	Validate func(ctx context.Context, v *Validation) error
	// Keep says that the added files are not ours to delete when the commit
	// does not land.
	Keep bool
	// AllowEmpty makes a snapshot even when nothing changes.
	AllowEmpty bool

	once    sync.Once
	id      int64
	unique  string
	attempt int
	made    map[string]iceberg.ManifestFile // manifests written so far, by what they are made of
	written map[string]bool                 // their paths
	used    map[string]bool                 // paths in the last attempt's list
}

// SnapshotID gives the id of the snapshot to be; it is the same in all
// attempts, so that an attempt that landed can be told.
func (p *Producer) SnapshotID() int64 {
	p.begin()
	return p.id
}

func (p *Producer) begin() {
	p.once.Do(func() {
		p.id = rand.Int64N(1<<63-1) + 1
		p.unique = uuid.NewString()
		p.made, p.written = map[string]iceberg.ManifestFile{}, map[string]bool{}
		if p.Branch == "" {
			p.Branch = "main"
		}
	})
}

// Prepare writes the manifests of the added files: they are the same whatever
// the snapshot comes to stand upon, as long as their spec is known.
func (p *Producer) Prepare(ctx context.Context, seen *iceberg.TableMetadata) error {
	p.begin()
	if seen == nil || len(p.Added) == 0 || len(p.Before) > 0 {
		return nil
	}
	s := &snapshotBuild{p: p, base: seen, deferred: p.deferred(seen)}
	s.sum.init(seen)
	if err := s.add(); err != nil {
		return err
	}
	for _, pt := range s.parts {
		if _, err := s.lines(ctx, pt); err != nil {
			return err
		}
	}
	return nil
}

// Plan makes the snapshot over base.
func (p *Producer) Plan(ctx context.Context, base *iceberg.TableMetadata) (*Change, error) {
	p.begin()
	p.attempt++
	over, err := p.prepared(base)
	if err != nil {
		return nil, err
	}
	parent, err := p.parent(over)
	if err != nil {
		return nil, err
	}
	if p.Validate != nil {
		if err := p.Validate(ctx, &Validation{Table: p.Table, Base: base, Head: parent}); err != nil {
			return nil, err
		}
	}
	s := &snapshotBuild{p: p, base: over, parent: parent, seq: over.LastSequenceNumber + 1, deferred: p.deferred(over)}
	if over.FormatVersion == 1 {
		s.seq = 0
	}
	return s.run(ctx, base)
}

// deferred tells whether the commit creates a file in the folder of manifests.
func (p *Producer) deferred(m *iceberg.TableMetadata) bool {
	_, ok := p.Table.Swapper.(*Folder)
	return ok && m.Properties["write.metadata.path"] == ""
}

// prepared gives the table as the updates that come first make it.
func (p *Producer) prepared(base *iceberg.TableMetadata) (*iceberg.TableMetadata, error) {
	if len(p.Before) == 0 {
		return base, nil
	}
	b := iceberg.NewBuilder(base)
	for _, u := range p.Before {
		if err := b.Apply(u); err != nil {
			return nil, err
		}
	}
	return b.Build()
}

// parent gives the head of the branch; nil when it has no snapshot yet.
func (p *Producer) parent(base *iceberg.TableMetadata) (*iceberg.Snapshot, error) {
	if p.Fresh {
		return nil, nil
	}
	ref, ok := base.Refs[p.Branch]
	switch {
	case !ok && p.Branch == "main":
		return nil, nil
	case !ok:
		return nil, cherr.New(cherr.BadArguments, "Iceberg table %s has no branch `%s`", base.Location, p.Branch)
	case ref.Type != "branch" && ref.Type != "":
		return nil, cherr.New(cherr.BadArguments, "`%s` of Iceberg table %s is a tag: it cannot be written to", p.Branch, base.Location)
	}
	s := base.Snapshot(ref.SnapshotID)
	if s == nil {
		return nil, cherr.New(cherr.IcebergSpecificationViolation, "branch `%s` of Iceberg table %s names snapshot %d, which is not there", p.Branch, base.Location, ref.SnapshotID)
	}
	return s, nil
}

// requirements are what must still hold when the change lands.
func (p *Producer) requirements(base *iceberg.TableMetadata) []iceberg.Requirement {
	out := []iceberg.Requirement{iceberg.AssertUUID{UUID: base.UUID}}
	if p.Stage {
		return out
	}
	req := iceberg.AssertRefSnapshotID{Ref: p.Branch}
	if ref, ok := base.Refs[p.Branch]; ok {
		id := ref.SnapshotID
		req.SnapshotID = &id
	}
	return append(out, req)
}

// Finish deletes what did not become part of the table.
func (p *Producer) Finish(ctx context.Context, next *iceberg.TableMetadata) {
	p.begin()
	landed := next != nil && next.Snapshot(p.id) != nil
	for path := range p.written {
		if !landed || !p.used[path] {
			p.Table.Delete(ctx, path)
		}
	}
	if landed || p.Keep {
		return
	}
	seen := map[string]bool{}
	for i := range p.Added { // vectors share files
		if path := p.Added[i].Path; !seen[path] {
			seen[path] = true
			p.Table.Delete(ctx, path)
		}
	}
}

func (p *Producer) metadataPath(base *iceberg.TableMetadata, name string) string {
	return MetadataFolder(base) + name
}

// MetadataFolder gives where a table's manifests are written.
func MetadataFolder(m *iceberg.TableMetadata) string {
	if dir := m.Properties["write.metadata.path"]; dir != "" {
		return withSlash(dir)
	}
	return withSlash(m.Location) + "metadata/"
}

// DataFolder gives where a table's data files are written.
func DataFolder(m *iceberg.TableMetadata) string {
	if dir := m.Properties["write.data.path"]; dir != "" {
		return withSlash(dir)
	}
	return withSlash(m.Location) + "data/"
}

func withSlash(p string) string {
	if p == "" || p[len(p)-1] == '/' {
		return p
	}
	return p + "/"
}

// manifestCodec gives the Avro codec of manifests and lists.
func manifestCodec(m *iceberg.TableMetadata) string {
	switch m.Properties["write.manifest.compression-codec"] {
	case "none", "uncompressed":
		return "null"
	case "snappy":
		return "snappy"
	case "zstd":
		return "zstandard"
	}
	return "deflate" // what every reader of manifests knows
}

// now gives a snapshot's time: never before the table's last change, so that
// the logs stay in order when a clock goes back.
func (p *Producer) now(base *iceberg.TableMetadata, parent *iceberg.Snapshot) int64 {
	clock := p.Table.Now
	if clock == nil {
		clock = time.Now
	}
	ms := max(clock().UnixMilli(), base.LastUpdatedMs)
	if parent != nil {
		ms = max(ms, parent.TimestampMs)
	}
	return ms
}

func (p *Producer) listName() string {
	return "snap-" + strconv.FormatInt(p.id, 10) + "-" + strconv.Itoa(p.attempt) + "-" + p.unique + ".avro"
}
