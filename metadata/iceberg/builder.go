package iceberg

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"lakeserver/cherr"
)

// Builder makes changed table metadata of a base, which it never touches. It
// is for one goroutine.
type Builder struct {
	base *TableMetadata // nil: a new table
	m    TableMetadata
	err  error
	now  int64

	changed, removed, fresh         bool
	added                           map[int64]bool // snapshots of this build
	heads                           []int64        // those that were main's meanwhile
	lastSchema, lastSpec, lastOrder int
	previous                        string
}

// NewBuilder starts from base.
func NewBuilder(base *TableMetadata) *Builder {
	b := &Builder{base: base, m: *base, lastSchema: LastAdded, lastSpec: LastAdded, lastOrder: LastAdded, added: map[int64]bool{}}
	b.At(time.Now())
	m := &b.m
	m.Schemas, m.Specs, m.SortOrders = slices.Clone(m.Schemas), slices.Clone(m.Specs), slices.Clone(m.SortOrders)
	m.Snapshots, m.SnapshotLog, m.MetadataLog = slices.Clone(m.Snapshots), slices.Clone(m.SnapshotLog), slices.Clone(m.MetadataLog)
	m.Statistics, m.PartitionStats = slices.Clone(m.Statistics), slices.Clone(m.PartitionStats)
	m.Properties, m.Refs = maps.Clone(m.Properties), maps.Clone(m.Refs)
	if m.Properties == nil {
		m.Properties = map[string]string{}
	}
	if m.Refs == nil {
		m.Refs = map[string]Ref{}
	}
	return b
}

// At says what time it is for the build, in place of the clock.
func (b *Builder) At(now time.Time) *Builder {
	b.now = now.UnixMilli()
	return b
}

// Previous says where base's metadata file is, for the metadata log; else it
// is taken to lie in the table's metadata folder.
func (b *Builder) Previous(file string) *Builder {
	b.previous = file
	return b
}

// Apply makes changes in order. After an error nothing more is done and Build
// gives the error, too.
func (b *Builder) Apply(updates ...Update) error {
	for _, u := range updates {
		if b.err == nil {
			b.err = cherr.Wrap(u.apply(b), "changing the metadata of Iceberg table %s (%s)", b.m.Location, u.Action())
		}
	}
	return b.err
}

// Changed tells whether anything differs from the base.
func (b *Builder) Changed() bool { return b.changed }

// lastOr resolves LastAdded.
func (b *Builder) lastOr(id, last int, what string) (int, error) {
	if id != LastAdded {
		return id, nil
	}
	if last == LastAdded {
		return 0, cherr.New(cherr.BadArguments, "No %s was added in this commit", what)
	}
	return last, nil
}

func (b *Builder) touch(atMs int64) {
	b.m.LastUpdatedMs = max(b.m.LastUpdatedMs, atMs)
	b.changed = true
}

// logSnapshot notes that main moved. Times never run backwards in the log.
func (b *Builder) logSnapshot(at int64) {
	if n := len(b.m.SnapshotLog); n > 0 {
		at = max(at, b.m.SnapshotLog[n-1].TimestampMs)
	}
	b.m.SnapshotLog = append(b.m.SnapshotLog, SnapshotLogEntry{TimestampMs: at, SnapshotID: b.m.CurrentSnapshotID})
	b.touch(at)
}

// Build gives the changed metadata; the base itself when nothing changed.
func (b *Builder) Build() (*TableMetadata, error) {
	if b.err != nil {
		return nil, b.err
	}
	if !b.changed {
		return b.base, nil
	}
	m := b.m
	m.File = ""
	if m.UUID == "" { // version 1 may lack it
		m.UUID = uuid.NewString()
	}
	if err := b.check(&m); err != nil {
		return nil, cherr.Wrap(err, "changing the metadata of Iceberg table %s", m.Location)
	}
	m.LastUpdatedMs = max(m.LastUpdatedMs, b.now)
	b.trimSnapshotLog(&m)
	b.logMetadata(&m)
	return &m, nil
}

// check holds what must be so of the whole.
func (b *Builder) check(m *TableMetadata) error {
	schema := m.CurrentSchema()
	if schema == nil {
		return cherr.New(cherr.BadArguments, "the current schema %d is not there", m.CurrentSchemaID)
	}
	if m.FormatVersion != b.base.FormatVersion || m.CurrentSchemaID != b.base.CurrentSchemaID || m.DefaultSpecID != b.base.DefaultSpecID || b.fresh {
		for _, f := range m.DefaultSpec().Fields {
			if f.Transform.Kind == Void || f.Transform.Kind == UnknownTransform {
				continue
			}
			if err := checkSource(f.SourceID, f.Transform, schema, "partition"); err != nil {
				return err
			}
		}
		for _, f := range m.SortOrder(m.DefaultSortOrderID).Fields {
			if schema.Field(f.SourceID) == nil {
				return cherr.New(cherr.BadArguments, "The source column %d of a sort field is not in the schema", f.SourceID)
			}
		}
	}
	if main, ok := m.Refs[MainBranch]; ok != (m.CurrentSnapshotID >= 0) || ok && main.SnapshotID != m.CurrentSnapshotID {
		return cherr.New(cherr.BadArguments, "`main` is not the current snapshot %d", m.CurrentSnapshotID)
	}
	return nil
}

// trimSnapshotLog takes out what main was only within this commit, and, after
// snapshots went, everything before the last gap: else time travel would give
// a snapshot that was not current then (iceberg.md §1.2).
func (b *Builder) trimSnapshotLog(m *TableMetadata) {
	between := map[int64]bool{}
	for _, id := range b.heads {
		if id != m.CurrentSnapshotID {
			between[id] = true
		}
	}
	if len(between) == 0 && !b.removed {
		return
	}
	there := make(map[int64]bool, len(m.Snapshots))
	for _, s := range m.Snapshots {
		there[s.ID] = true
	}
	var log []SnapshotLogEntry
	for _, e := range m.SnapshotLog {
		switch {
		case there[e.SnapshotID] && !between[e.SnapshotID]:
			log = append(log, e)
		case !there[e.SnapshotID] && b.removed:
			log = nil
		}
	}
	if s := m.CurrentSnapshot(); s != nil && (len(log) == 0 || log[len(log)-1].SnapshotID != s.ID) {
		log = append(log, SnapshotLogEntry{TimestampMs: s.TimestampMs, SnapshotID: s.ID})
	}
	m.SnapshotLog = log
}

// logMetadata adds the base's file to the metadata log and keeps as many as
// the table's property says.
func (b *Builder) logMetadata(m *TableMetadata) {
	file := b.previous
	if file == "" && b.base.File != "" {
		file = trimSlash(b.base.Location) + "/metadata/" + base(b.base.File)
	}
	if n := len(m.MetadataLog); file != "" && (n == 0 || m.MetadataLog[n-1].File != file) {
		m.MetadataLog = append(m.MetadataLog, MetadataLogEntry{TimestampMs: b.base.LastUpdatedMs, File: file})
	}
	keep := 100
	if n, err := strconv.Atoi(m.Properties["write.metadata.previous-versions-max"]); err == nil {
		keep = max(n, 1)
	}
	if n := len(m.MetadataLog); n > keep {
		m.MetadataLog = m.MetadataLog[n-keep:]
	}
}

func trimSlash(s string) string {
	for len(s) > 1 && s[len(s)-1] == '/' {
		s = s[:len(s)-1]
	}
	return s
}
