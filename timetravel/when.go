package timetravel

import (
	"lakeserver/cherr"
	"lakeserver/settings"
)

// When is a wish about time; the zero When is the latest version.
type When struct {
	SnapshotID  *int64
	TimestampMs *int64 // since 1970, milliseconds
	Ref         string // branch or tag
}

// FromSettings reads the settings iceberg_snapshot_id, iceberg_timestamp_ms
// and iceberg_ref; 0 and "" mean unset. path names the table in errors.
func FromSettings(s *settings.Settings, path string) (When, error) {
	var w When
	if id := s.Int("iceberg_snapshot_id"); id != 0 {
		w.SnapshotID = &id
	}
	if ms := s.Int("iceberg_timestamp_ms"); ms != 0 {
		w.TimestampMs = &ms
	}
	w.Ref = s.Get("iceberg_ref")
	return w, w.check(path)
}

// And joins the wish of a clause with that of the settings; two wishes at once
// are an error.
func (w When) And(clause When, path string) (When, error) {
	if clause.SnapshotID != nil || clause.TimestampMs != nil || clause.Ref != "" {
		if w.SnapshotID != nil || w.TimestampMs != nil || w.Ref != "" {
			return w, cherr.New(cherr.BadArguments, "Time travel by settings and by FOR ... AS OF for iceberg table by path %s cannot be used simultaneously", path)
		}
		w = clause
	}
	return w, w.check(path)
}

func (w When) check(path string) error {
	switch {
	case w.SnapshotID != nil && w.TimestampMs != nil:
		return cherr.New(cherr.BadArguments, "Time travel with timestamp and snapshot id for iceberg table by path %s cannot be changed simultaneously", path)
	case w.Ref != "" && (w.SnapshotID != nil || w.TimestampMs != nil):
		return cherr.New(cherr.BadArguments, "Time travel with iceberg_ref and snapshot id or timestamp for iceberg table by path %s cannot be used simultaneously", path)
	}
	return nil
}
