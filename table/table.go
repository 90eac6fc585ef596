package table

import (
	"context"

	"lakeserver/column"
	"lakeserver/types"
)

// Column describes one column of a table.
type Column struct {
	Name    string
	Type    *types.Type
	Comment string
	// DefaultKind is "", DEFAULT, MATERIALIZED, ALIAS or EPHEMERAL.
	DefaultKind string
	DefaultExpr string // SQL text
	// Refuses: NULL is refused by an INSERT … SELECT, and no default takes its
	// place.
	Refuses bool
}

// Table is one version of a table: it never changes under a query. It may be
// scanned by several goroutines at once.
type Table interface {
	// Columns gives what * stands for, in order; not to be written to.
	Columns() []Column
	// Scan opens streams over the table; each is read by one goroutine. The
	// caller closes all of them. Columns of the blocks are req.Columns.
	Scan(ctx context.Context, req *ScanRequest) ([]column.Stream, error)
}

// Virtual is a table with columns that * does not show (_path, _file). In a
// ScanRequest their indexes follow those of Columns.
type Virtual interface {
	VirtualColumns() []Column
}

// Closer is a table that holds something until the query ends.
type Closer interface {
	Close() error
}

// Counter answers from metadata how many rows a scan with the filter would
// give; ok is false when it cannot say exactly.
type Counter interface {
	CountRows(ctx context.Context, req *ScanRequest) (rows int64, ok bool, err error)
}

// Bounded answers from metadata the least and greatest value of a column over
// all rows that match req.Filter, NULL when there is no such row; ok is false
// when it cannot say exactly.
type Bounded interface {
	ColumnBounds(ctx context.Context, req *ScanRequest, col int) (min, max column.Value, ok bool, err error)
}

// Estimator gives a guess of the rows of a scan, for the order of joins.
type Estimator interface {
	EstimateRows(ctx context.Context, req *ScanRequest) (int64, error)
}

// Explainer describes a planned scan without reading data: lines for
// EXPLAIN indexes = 1, and the figures of EXPLAIN ESTIMATE.
type Explainer interface {
	ExplainScan(ctx context.Context, req *ScanRequest) (*Report, error)
}

// Remote is a table that lives on a ClickHouse cluster.
type Remote interface {
	Remote() (cluster, source string)
}

// Appender takes rows.
type Appender interface {
	// Append starts an insert of the named columns, in that order.
	Append(ctx context.Context, columns []string) (Sink, error)
}

// PartitionedAppender is an Appender that can put rows into several places.
type PartitionedAppender interface {
	Appender
	// AppendPartitioned is Append of blocks with one column of strings more
	// behind the named ones: where each row belongs.
	AppendPartitioned(ctx context.Context, columns []string) (Sink, error)
}

// Sink takes the blocks of one insert. Nothing is visible before Commit. After
// Commit or Abort it is done; Abort after Commit does nothing.
type Sink interface {
	Write(ctx context.Context, b *column.Block) error
	Commit(ctx context.Context) error
	Abort(ctx context.Context) error
}

// Merging is a table whose rows merge by key.
type Merging interface {
	// Final gives the version with rows of equal keys merged: FROM t FINAL.
	Final(ctx context.Context) (Table, error)
}

// Truncater drops all rows.
type Truncater interface {
	Truncate(ctx context.Context) error
}
