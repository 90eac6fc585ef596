package engine

import (
	"context"
	"sync"
	"sync/atomic"

	"lakeserver/column"
	"lakeserver/memory"
	"lakeserver/settings"
	"lakeserver/table"
)

// Query is one statement with all that came with it.
type Query struct {
	Text string
	// Body is data that came beside the text (an HTTP body): the rows of an
	// INSERT, behind those in the text.
	ID       string
	Database string            // for this query only; "" is the session's
	Settings []Setting         // for this query only, in order
	Params   map[string]string // values of {name:Type}
	External []External        // temporary tables of this query

	// Input gives the rows of an INSERT that are not in a SELECT. The header
	// of the stream may differ from what is asked: it is cast by position when
	// all names are new, else by name.
	Input func(ctx context.Context, req InputRequest) (column.Header, column.Stream, error)

	// What system.processes and query_log show.
	Interface, Client, Address string
	ReadOnly                   bool // HTTP GET
}

// Setting is a name and its text.
type Setting struct{ Name, Value string }

// External is a table whose rows came with the query.
type External struct {
	Name   string
	Header column.Header
	Blocks []*column.Block
}

// InputRequest says which rows an INSERT wants.
type InputRequest struct {
	Header   column.Header // the target's columns
	Table    []table.Column
	Format   string // FORMAT of the statement, "" if it has none
	Inline   []byte // data in the statement's text
	Infile   string // FROM INFILE 'path'
	Settings *settings.Settings
}

// Kind is what a statement is, as query_log names it.
type Kind string

// The kinds.
const (
	KindSelect Kind = "Select"
	KindInsert Kind = "Insert"
	KindOther  Kind = ""
)

// Result is a running query. The stream is read to its end or closed; Close
// ends the query and must be called.
type Result struct {
	Kind     Kind
	Header   column.Header
	Stream   column.Stream
	Format   string // FORMAT of the statement, "" if it has none
	Outfile  string // INTO OUTFILE
	Settings *settings.Settings
	// HasRows is false for statements without a result (CREATE, SET, INSERT).
	HasRows bool

	totals, extremes func() *column.Block
	progress         *Progress
	memory           *memory.Tracker
	finish           func(err error)
	limits           *limitCount
}

// Totals gives the row of WITH TOTALS, nil if there is none; after the end of
// the stream.
func (r *Result) Totals() *column.Block {
	if r.totals == nil {
		return nil
	}
	return r.totals()
}

// Extremes gives two rows, least and greatest, when the setting extremes is
// on; after the end of the stream.
func (r *Result) Extremes() *column.Block {
	if r.extremes == nil {
		return nil
	}
	return r.extremes()
}

// Progress gives the query's counters, which go on while it runs.
func (r *Result) Progress() *Progress { return r.progress }

// PeakMemory gives the most bytes that the query kept.
func (r *Result) PeakMemory() int64 { return r.memory.Peak() }

// RowsBeforeLimit gives how many rows there were before LIMIT, and whether
// there was one.
func (r *Result) RowsBeforeLimit() (int64, bool) {
	if r.limits == nil {
		return 0, false
	}
	return r.limits.rows.Load(), r.limits.applied
}

type limitCount struct {
	rows    atomic.Int64
	applied bool
}

// Next gives the next block of the result.
func (r *Result) Next(ctx context.Context) (*column.Block, error) { return r.Stream.Next(ctx) }

// Close ends the query; err is why it ended early, nil when it did not.
func (r *Result) Close(err error) error {
	cerr := r.Stream.Close()
	if err == nil {
		err = cerr
	}
	if r.finish != nil {
		r.finish(err)
		r.finish = nil
	}
	return cerr
}

// Progress counts what a query did so far; safe for concurrent use.
type Progress struct {
	ReadRows, ReadBytes       atomic.Int64
	TotalRows                 atomic.Int64 // expected, 0 if unknown
	WrittenRows, WrittenBytes atomic.Int64
	ResultRows, ResultBytes   atomic.Int64

	mu      sync.Mutex
	reports []*table.Report
}

func (p *Progress) addReport(r *table.Report) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reports = append(p.reports, r)
}

// Events sums what the query's scans counted, by ClickHouse's names.
func (p *Progress) Events() map[string]int64 {
	out := map[string]int64{}
	for _, r := range p.Reports() {
		for _, c := range r.Counters {
			out[c.Name] += c.Value
		}
	}
	return out
}

// Reports gives what the query's scans counted.
func (p *Progress) Reports() []*table.Report {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]*table.Report(nil), p.reports...)
}
