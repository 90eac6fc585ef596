package table

import (
	"sync/atomic"

	"lakeserver/expr"
	"lakeserver/memory"
	"lakeserver/settings"
)

// ScanRequest says what a query wants of a table. A table may ignore all but
// Columns; it must never give fewer rows than match.
type ScanRequest struct {
	// Columns are the indexes wanted, in the order of the streams' blocks. It
	// may be empty: then only row counts matter.
	Columns []int
	// Filter is conjuncts over the table's columns (expr.Column.Index is the
	// index in Columns(), virtual columns behind).
	Filter []expr.Expr
	// Limit is how many rows are enough, 0 for all. It counts rows that pass Filter.
	Limit int64
	// TopN, if set, says that only the first rows by one column matter.
	TopN *TopN
	// Keys are what joins above the scan will tell about its columns.
	Keys []*KeyFilter
	// Streams is the wanted number of streams, at least 1.
	Streams int
	// PreserveOrder wants the rows of one stream in the table's own order.
	PreserveOrder bool
	Memory        *memory.Tracker
	Settings      *settings.Settings

	// Applied is set by Scan: Applied[i] says that conjunct i was applied
	// exactly, so that the plan need not. nil: none was.
	Applied []bool
	// Report is filled while the scan runs; never nil once Scan was called.
	Report *Report
}

// TopN tells a scan that the query keeps only Limit rows ordered by Column.
type TopN struct {
	Column     int // index in the table's columns
	Desc       bool
	NullsFirst bool
	Limit      int64
	// Threshold holds the sort value of the worst row kept so far (a boxed
	// column.Value), nil until Limit rows are kept. Rows that sort strictly
	// behind it may be left out.
	Threshold atomic.Pointer[Threshold]
}

// Threshold is a boxed value; immutable.
type Threshold struct{ Value any }

// Report counts what a scan read and what it could skip. Counters are updated
// while the scan runs and may be read at any time.
type Report struct {
	RowsRead, BytesRead                atomic.Int64 // decoded rows, bytes of the files
	Lines                              []string     // for EXPLAIN indexes = 1: indented by two spaces a level
	Parts, TotalRows, Marks, TotalSize int64        // for EXPLAIN ESTIMATE
	Counters                           []Counter64  // profile events, e.g. IcebergPartitionPrunedFiles
}

// Counter64 is one profile event with ClickHouse's name.
type Counter64 struct {
	Name  string
	Value int64
}
