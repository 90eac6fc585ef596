package functions

import (
	"context"
	"time"

	"lakeserver/expr"
	"lakeserver/settings"
	"lakeserver/table"
)

// Env is what a function may know of the query that binds it. It is immutable.
type Env struct {
	Settings *settings.Settings
	Zone     *time.Location // the session's time zone, never nil
	// ServerZone is the server's own; nil is UTC.
	ServerZone *time.Location
	Now        time.Time     // the start of the query: now() is one value a query
	Random     func() uint64 // safe for concurrent use

	User, Database, QueryID, Host string
	// The roles of the session: those that are set, these with all that they
	// have, those that a login sets.
	CurrentRoles, EnabledRoles, DefaultRoles []string
	Version                                  string // ClickHouse's, as version() gives it
	Uptime                                   time.Duration
	Registry                                 *Registry // for functions that bind others (arrayReduce, finalizeAggregation)

	// Condition binds the text of a condition over columns and gives its
	// conjuncts; nil where there is no SQL to read.
	Condition func(ctx context.Context, columns []table.Column, text string) ([]expr.Expr, error)
	// After registers what is done once the query has given its last row; what
	// it fails with is the query's failure. nil where no query runs. It is safe
	// for concurrent use.
	After func(do func(ctx context.Context) error)
}

// Doc is a function's documentation in our own words; examples are run by a test.
type Doc struct {
	Syntax   string
	Summary  string
	Examples []string // queries
	Since    string   // version of ClickHouse that has it, if known
}
