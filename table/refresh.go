package table

import "context"

// Historian is a table that knows what came since an earlier version of it.
type Historian interface {
	// Version names this version; "" before the first row.
	Version() string
	// Since gives the rows that were added after a version, "" for all of them;
	// a version that is not known any more is an error.
	Since(version string) (Table, error)
}

// Mark is a note that an insert leaves in the table, in the same commit.
type Mark struct {
	Key string // whose note it is
	Was string // the note there was: another one in its place makes the commit stale
	Now string
}

// Marked is a table that keeps notes.
type Marked interface {
	// Mark gives the last note of a key, "" when there was none.
	Mark(key string) (string, error)
	// AppendMarked is Appender.Append that leaves a note, also without rows.
	AppendMarked(ctx context.Context, columns []string, m Mark) (Sink, error)
}
