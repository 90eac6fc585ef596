package iceberg

import (
	"context"
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/metadata/iceberg"
	"lakeserver/table"
	write "lakeserver/write/iceberg"
)

// markKey is the summary's key for notes of refreshed views: whose, "=", what.
const markKey = "clickhouse.refresh_cursor"

// Version implements table.Historian.
func (t *Table) Version() string {
	if t.src.Snapshot == nil {
		return ""
	}
	return strconv.FormatInt(t.src.Snapshot.ID, 10)
}

// Since implements table.Historian: the rows that the snapshots after one
// added, whatever became of them later.
func (t *Table) Since(version string) (table.Table, error) {
	var from *iceberg.Snapshot
	if version != "" {
		id, err := strconv.ParseInt(version, 10, 64)
		if err == nil {
			from = t.src.Meta.Snapshot(id)
		}
		if from == nil {
			return nil, cherr.New(cherr.BadArguments, "Snapshot %s of Iceberg table %s, up to which rows were read, is not there any more", version, t.path)
		}
	}
	c, err := t.changes(from, t.src.Snapshot)
	if err != nil {
		return nil, err
	}
	c.insertsOnly = true
	return c, nil
}

// Mark implements table.Marked.
func (t *Table) Mark(key string) (string, error) {
	return markOf(t.src.Meta, t.src.Snapshot, key)
}

// markOf looks for a note among a snapshot and those before it.
func markOf(m *iceberg.TableMetadata, s *iceberg.Snapshot, key string) (string, error) {
	for s != nil {
		if note, ok := strings.CutPrefix(s.Summary[markKey], key+"="); ok {
			return note, nil
		}
		id, ok := s.Parent()
		if !ok {
			return "", nil
		}
		if s = m.Snapshot(id); s == nil {
			// It may have held the note: beginning anew would double rows.
			return "", cherr.New(cherr.BadArguments, "Snapshot %d of Iceberg table %s has expired, and with it perhaps how far %s had come", id, m.Location, key)
		}
	}
	return "", nil
}

// AppendMarked implements table.Marked.
func (t *Table) AppendMarked(_ context.Context, columns []string, m table.Mark) (table.Sink, error) {
	if err := t.gate(insertGate); err != nil {
		return nil, err
	}
	s, err := t.newSink(columns, nil)
	if err != nil {
		return nil, err
	}
	if s.p.Summary == nil {
		s.p.Summary = map[string]string{}
	}
	s.p.Summary[markKey] = m.Key + "=" + m.Now
	s.p.AllowEmpty = true
	s.p.Validate = func(_ context.Context, v *write.Validation) error {
		now, err := markOf(v.Base, v.Head, m.Key)
		if err == nil && now != m.Was {
			err = write.Conflict("%s was refreshed meanwhile", m.Key)
		}
		return err
	}
	return s, nil
}
