package iceberg

import (
	"bytes"
	"context"
	"strconv"

	"github.com/google/uuid"

	"lakeserver/cherr"
	"lakeserver/metadata/iceberg"
	"lakeserver/objstore"
)

// ColumnSketch is the distinct values of one column.
type ColumnSketch struct {
	FieldID int
	Sketch  *iceberg.ThetaSketch
}

// CommitTableStats writes sketches of a snapshot's columns into a Puffin file
// and makes it the snapshot's statistics.
func (t *Table) CommitTableStats(ctx context.Context, s *iceberg.Snapshot, sketches []ColumnSketch, createdBy string) (*iceberg.TableMetadata, error) {
	w := iceberg.NewPuffinWriter()
	stats := iceberg.StatisticsFile{SnapshotID: s.ID}
	for _, c := range sketches {
		ndv := map[string]string{"ndv": strconv.FormatInt(int64(c.Sketch.Estimate()+0.5), 10)}
		blob := iceberg.PuffinBlob{Type: iceberg.ThetaBlob, Fields: []int{c.FieldID}, SnapshotID: s.ID, SequenceNumber: s.SequenceNumber, Properties: ndv}
		w.Add(blob, c.Sketch.Bytes())
		stats.Blobs = append(stats.Blobs, iceberg.BlobMetadata{Type: blob.Type, SnapshotID: s.ID, SequenceNumber: s.SequenceNumber, Fields: blob.Fields, Properties: ndv})
	}
	data, footer, err := w.Finish(createdBy)
	if err != nil {
		return nil, err
	}
	stats.Path = MetadataFolder(t.Meta) + strconv.FormatInt(s.ID, 10) + "-" + uuid.NewString() + ".stats"
	stats.Size, stats.FooterSize = int64(len(data)), int64(footer)
	if _, err := t.Store().Put(ctx, t.Paths.Map(stats.Path), bytes.NewReader(data), objstore.PutOptions{}); err != nil {
		return nil, cherr.Wrap(err, "writing %s", stats.Path)
	}
	return t.Commit(ctx, &setStats{t: t, stats: stats})
}

// setStats is the operation that enters a statistics file.
type setStats struct {
	t     *Table
	stats iceberg.StatisticsFile
}

// Plan enters the file; one that it replaces goes.
func (o *setStats) Plan(_ context.Context, base *iceberg.TableMetadata) (*Change, error) {
	if base.Snapshot(o.stats.SnapshotID) == nil {
		return nil, cherr.New(cherr.BadArguments, "Snapshot %d of Iceberg table %s has expired meanwhile", o.stats.SnapshotID, base.Location)
	}
	c := &Change{
		Requirements: []iceberg.Requirement{iceberg.AssertUUID{UUID: base.UUID}},
		Updates:      []iceberg.Update{iceberg.SetStatistics{Statistics: o.stats}},
	}
	for _, s := range base.Statistics {
		if s.SnapshotID == o.stats.SnapshotID {
			c.Obsolete = append(c.Obsolete, s.Path)
		}
	}
	return c, nil
}

// Finish deletes the file when it did not become the table's.
func (o *setStats) Finish(ctx context.Context, next *iceberg.TableMetadata) {
	if next == nil {
		o.t.Delete(ctx, o.stats.Path)
	}
}
