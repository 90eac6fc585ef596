package server

import (
	"context"
	"time"

	"lakeserver/column"
	"lakeserver/settings"
)

// Engine makes sessions. It may be used by any number of goroutines. The
// engine proper implements it through Over; tests have fakes.
type Engine interface {
	NewSession(user *User) Session
	// Zone is the server's time zone.
	Zone() *time.Location
	// HasTable tells whether a table is there.
	HasTable(database, table string) bool
}

// Session runs one statement at a time and keeps what SET, USE and temporary
// tables left.
type Session interface {
	// Execute parses and starts a statement. A SELECT runs while its stream is
	// read; other statements are done when Execute returns. The caller closes
	// the Result.
	Execute(ctx context.Context, q *Query) (*Result, error)
	// Use changes the current database; UNKNOWN_DATABASE.
	Use(database string) error
	// Settings are what the session's SETs and the user's profile left.
	Settings() *settings.Settings
	// Zone is the server's time zone.
	Zone() *time.Location
	Close()
}

// Query is a statement as a front end got it.
type Query struct {
	ID       string
	Text     string
	Database string            // for this query only; "" is the session's
	Settings []Setting         // for this query only
	Params   map[string]string // query parameters as escaped text
	ReadOnly bool
	// Interface, Client, Address are shown in system.processes.
	Interface, Client, Address string
	// Insert gives the rows of an INSERT. It is called once the target is known.
	Insert   func(ctx context.Context, i Insert) (column.Header, column.Stream, error)
	External []External
}

// Setting is a name and its text.
type Setting struct{ Name, Value string }

// Insert says what an INSERT wants.
type Insert struct {
	Header   column.Header // columns in the order of the statement's list
	Defaults []Default     // a column's default, by place
	Format   string        // "Values" for VALUES; "" when the statement names none
	Inline   []byte        // data that stood in the text
	Infile   string
	Settings *settings.Settings
}

// Default is a column's DEFAULT: Kind "DEFAULT" and the expression's text.
type Default struct{ Kind, Expr string }

// External is a temporary table of one query.
type External struct {
	Name   string
	Header column.Header
	Blocks []*column.Block
}

// Result is a running statement.
type Result struct {
	// HasRows is false for statements without a result.
	HasRows bool
	Header  column.Header
	Stream  column.Stream
	// Totals and Extremes give their block after the stream's end, or nil.
	Totals, Extremes func() *column.Block
	Format           string // of the FORMAT clause, "" without
	Settings         *settings.Settings
	Stats            func() Stats
	// Close ends the query; err is why it ended early, nil when it did not.
	Close func(err error)
}

// Progress counts since the query began.
type Progress struct {
	ReadRows, ReadBytes, TotalRows uint64
	WrittenRows, WrittenBytes      uint64
}

// Stats is Progress and what is known only at the end.
type Stats struct {
	Progress
	ResultRows, ResultBytes uint64
	RowsBeforeLimit         uint64
	AppliedLimit            bool
	MemoryPeak              int64
}
