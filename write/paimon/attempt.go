package paimon

import (
	"context"
	"maps"
	"math"
	"strconv"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata/paimon"
)

// sequenceProperty is the snapshot property of the greatest sequence number.
const sequenceProperty = "sequence.generation.max-sequence-number"

// attempt is one try for the next snapshot.
type attempt struct {
	c        *Committer
	plan     *plan
	latest   *paimon.Snapshot // nil: the table is empty
	schema   *paimon.Schema
	changes  changes
	lists    *lists
	nextRow  int64
	snapshot *paimon.Snapshot
	written  []string // files of this attempt alone
}

// prepare does all but the publishing.
func (a *attempt) prepare(ctx context.Context) (err error) {
	id := int64(1)
	if a.latest != nil {
		id = a.latest.ID + 1
	}
	a.snapshot = paimon.NewSnapshot(id)
	if a.schema, err = a.c.dir.LatestSchema(ctx); err != nil {
		return err
	}
	if a.changes, err = a.plan.changes(ctx, a.latest); err != nil {
		return err
	}
	if a.lists, err = a.c.readLists(ctx, a.latest); err != nil {
		return err
	}
	if err := a.conflicts(ctx); err != nil {
		return err
	}
	if err := a.assignRowIDs(); err != nil {
		return err
	}
	if err := a.describe(ctx); err != nil {
		return err
	}
	return a.write(ctx)
}

// clean removes what the attempt wrote, as far as that goes.
func (a *attempt) clean(ctx context.Context) {
	a.c.remove(context.WithoutCancel(ctx), a.written...)
	a.written = nil
}

func (c *Committer) remove(ctx context.Context, paths ...string) {
	for _, p := range paths {
		_ = c.dir.Store.Delete(ctx, p)
	}
}

// describe fills the snapshot's fields that no file decides.
func (a *attempt) describe(ctx context.Context) error {
	s, p := a.snapshot, a.plan
	s.UUID = newUUID()
	s.SchemaID = a.schema.ID
	if k, ok := a.c.publish.(*catalogPublisher); ok && a.c.ctx.Branch == "" {
		s.SchemaID = max(s.SchemaID, k.table.SchemaID)
	}
	s.CommitUser, s.CommitIdentifier, s.CommitKind, s.Operation = a.c.ctx.User, p.identifier, p.kind, p.operation
	s.TimeMillis = a.c.now().UnixMilli()
	s.Watermark = p.watermark
	delta, total := recordsIn(a.changes.table), int64(0)
	s.DeltaRecordCount = &delta
	s.NextRowID = &a.nextRow
	if l := a.latest; l != nil {
		if l.TotalRecordCount != nil {
			total = *l.TotalRecordCount
		}
		if l.Watermark != nil && (s.Watermark == nil || *l.Watermark > *s.Watermark) {
			s.Watermark = l.Watermark
		}
		if l.SchemaID == s.SchemaID {
			s.Statistics = l.Statistics
		}
	}
	if p.statistics != "" {
		s.Statistics = p.statistics
	}
	total += delta
	s.TotalRecordCount = &total
	if len(a.changes.changelog) > 0 {
		n := recordsIn(a.changes.changelog)
		s.ChangelogRecordCount = &n
	}
	return a.describeProperties(ctx)
}

func (a *attempt) describeProperties(ctx context.Context) error {
	props := maps.Clone(a.plan.properties)
	if props == nil {
		props = map[string]string{}
	}
	if a.c.options.text("write.sequence-number-init-mode", "") == "snapshot" {
		n, err := a.maxSequence(ctx)
		if err != nil {
			return err
		}
		if n >= 0 {
			props[sequenceProperty] = strconv.FormatInt(n, 10)
		}
	}
	if err := a.carryOffsets(ctx, props); err != nil {
		return err
	}
	if len(props) > 0 {
		a.snapshot.Properties = props
	}
	return nil
}

// maxSequence is the greatest sequence number of the table, -1 for none: what
// the latest snapshot says, else what a scan of its manifests finds.
func (a *attempt) maxSequence(ctx context.Context) (int64, error) {
	most := int64(-1)
	if a.latest != nil {
		if n, err := strconv.ParseInt(a.latest.Properties[sequenceProperty], 10, 64); err == nil {
			most = n
		} else {
			live, err := a.c.live(ctx, a.lists, nil)
			if err != nil {
				return 0, err
			}
			for i := range live {
				most = max(most, live[i].File.MaxSequence)
			}
		}
	}
	for i := range a.changes.table {
		if a.changes.table[i].Kind == paimon.Add {
			most = max(most, a.changes.table[i].File.MaxSequence)
		}
	}
	return most, nil
}

// write makes the manifests and lists that the snapshot names.
func (a *attempt) write(ctx context.Context) error {
	s, prefix := a.snapshot, newUUID()
	base, err := a.mergeManifests(ctx)
	if err != nil {
		return err
	}
	if s.BaseManifestList, s.BaseManifestListSize, err = a.writeList(ctx, prefix, 0, base); err != nil {
		return err
	}
	delta, err := a.writeManifests(ctx, a.changes.table)
	if err != nil {
		return err
	}
	if s.DeltaManifestList, s.DeltaManifestListSize, err = a.writeList(ctx, prefix, 1, delta); err != nil {
		return err
	}
	if len(a.changes.changelog) > 0 {
		changelog, err := a.writeManifests(ctx, a.changes.changelog)
		if err != nil {
			return err
		}
		if s.ChangelogManifestList, s.ChangelogListSize, err = a.writeList(ctx, prefix, 2, changelog); err != nil {
			return err
		}
	}
	s.IndexManifest, err = a.writeIndexManifest(ctx)
	return err
}

func (a *attempt) writeList(ctx context.Context, prefix string, n int, files []paimon.ManifestFile) (string, *int64, error) {
	data, err := paimon.EncodeManifestList(files, a.c.compression())
	if err != nil {
		return "", nil, err
	}
	name := "manifest-list-" + prefix + "-" + strconv.Itoa(n)
	size := int64(len(data))
	return name, &size, a.put(ctx, a.c.dir.ManifestPath(name), data)
}

// put notes a file before it is written: a write that failed may have left one.
func (a *attempt) put(ctx context.Context, path string, data []byte) error {
	a.written = append(a.written, path)
	return a.c.put(ctx, path, data)
}

func (c *Committer) compression() string { return c.options.text("manifest.compression", "zstd") }

// entriesInManifest is how many entries a manifest of the target size may have
// before its exact size is looked at.
const entriesInManifest = 10_000

// writeManifests writes entries, a manifest for each share of about the target
// size.
func (a *attempt) writeManifests(ctx context.Context, entries []paimon.Entry) ([]paimon.ManifestFile, error) {
	target := a.c.options.size("manifest.target-file-size", 8<<20)
	var out []paimon.ManifestFile
	for share := entriesInManifest; len(entries) > 0; {
		n := min(share, len(entries))
		data, err := paimon.EncodeManifest(entries[:n], a.c.compression())
		if err != nil {
			return nil, err
		}
		if size := int64(len(data)); size > target && n > 1 {
			share = max(1, int(math.Floor(float64(n)*float64(target)/float64(size)*0.9)))
			continue
		}
		m, err := a.describeManifest(entries[:n], int64(len(data)))
		if err != nil {
			return nil, err
		}
		if err := a.put(ctx, a.c.dir.ManifestPath(m.Name), data); err != nil {
			return nil, err
		}
		out, entries = append(out, m), entries[n:]
	}
	return out, nil
}

func (a *attempt) describeManifest(entries []paimon.Entry, size int64) (paimon.ManifestFile, error) {
	m := paimon.ManifestFile{Name: "manifest-" + newUUID() + "-0", Size: size}
	low, high := [2]int32{math.MaxInt32, math.MaxInt32}, [2]int32{math.MinInt32, math.MinInt32}
	rows, known := [2]int64{math.MaxInt64, math.MinInt64}, true
	ts := paimon.TypesOf(a.schema.PartitionFields())
	bounds := newBounds(ts)
	for i := range entries {
		e := &entries[i]
		if e.Kind == paimon.Add {
			m.AddedFiles++
		} else {
			m.DeletedFiles++
		}
		m.SchemaID = max(m.SchemaID, e.File.SchemaID)
		low[0], high[0] = min(low[0], int32(e.Bucket)), max(high[0], int32(e.Bucket))
		low[1], high[1] = min(low[1], int32(e.File.Level)), max(high[1], int32(e.File.Level))
		if first := e.File.FirstRowID; first == nil {
			known = false
		} else {
			rows[0], rows[1] = min(rows[0], *first), max(rows[1], *first+e.File.Rows-1)
		}
		if err := bounds.add(e.Partition); err != nil {
			return m, err
		}
	}
	m.MinBucket, m.MaxBucket, m.MinLevel, m.MaxLevel = &low[0], &high[0], &low[1], &high[1]
	if known {
		m.MinRowID, m.MaxRowID = &rows[0], &rows[1]
	}
	m.Partitions = bounds.stats()
	return m, nil
}

// bounds are those of binary rows, column by column.
type bounds struct {
	ts       []*paimon.Type
	min, max column.Row
	nulls    []int64
	rows     int64
}

func newBounds(ts []*paimon.Type) *bounds {
	return &bounds{ts: ts, min: make(column.Row, len(ts)), max: make(column.Row, len(ts)), nulls: make([]int64, len(ts))}
}

func (b *bounds) add(raw []byte) error {
	row, err := paimon.DecodeRow(raw, b.ts)
	if err != nil {
		return cherr.Wrap(err, "reading the partition of a file to commit")
	}
	b.rows++
	for i, v := range row {
		if v == nil {
			b.nulls[i]++
			continue
		}
		if b.min[i] == nil || paimon.CompareValues(v, b.min[i]) < 0 {
			b.min[i] = v
		}
		if b.max[i] == nil || paimon.CompareValues(v, b.max[i]) > 0 {
			b.max[i] = v
		}
	}
	return nil
}

func (b *bounds) stats() paimon.Stats {
	return paimon.Stats{Min: paimon.EncodeRow(b.min, b.ts), Max: paimon.EncodeRow(b.max, b.ts), Nulls: b.nulls}
}
