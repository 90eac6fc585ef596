package table

import (
	"context"

	"lakeserver/column"
	"lakeserver/expr"
)

// ChangeKind is the statement that changes rows.
type ChangeKind uint8

// The kinds of changes.
const (
	ChangeDelete ChangeKind = iota
	ChangeUpdate            // also several mutations in one ALTER
	ChangeMerge
)

// String gives the word of the kind, as properties of lake tables spell it.
func (k ChangeKind) String() string { return [...]string{"delete", "update", "merge"}[k] }

// Changer takes row changes that a query found: the engine runs an ordinary
// query over Change.Rows, so that conditions with subqueries and joins need
// nothing of the table, and writes what it found to Change.Sink.
type Changer interface {
	// Change begins one atomic change of this version of the table.
	Change(ctx context.Context, req *ChangeRequest) (*Change, error)
}

// ChangeRequest says what is about to change.
type ChangeRequest struct {
	Kind ChangeKind
	// Where is conjuncts over the table's columns (numbered as in ScanRequest)
	// that hold for every row that is deleted or updated, as far as they are
	// known before the query runs: what to look at for conflicts with other
	// writers. None: any row may change.
	Where []expr.Expr
	// Exact tells that just the rows of Where are deleted: a table may then
	// take away whole containers that hold no other row, without their rows
	// being read. Change.Rows has them no longer.
	Exact bool
}

// Change is one change of rows on its way.
type Change struct {
	// Rows is what the query reads: the table's columns in their order.
	Rows Table
	// RowID is the columns of Rows that name a row, numbered as in ScanRequest.
	// Each is named unlike any other column of Rows.
	RowID []int
	// Sink takes the changes. It must be committed or aborted.
	Sink ChangeSink
}

// RowChange is what happens to the rows of one block.
type RowChange uint8

// The changes. Blocks of DeleteRows hold the columns of RowID; those of
// UpdateRows RowID and then all columns that are stored, with their new values;
// those of InsertRows the columns that are stored.
const (
	DeleteRows RowChange = iota
	UpdateRows
	InsertRows
)

// ChangeSink takes the changes of one statement, from one goroutine. No row is
// named twice. Nothing is visible before Commit; without any row Commit changes
// nothing, unless whole containers went. After Commit or Abort it is done;
// Abort after Commit does nothing.
type ChangeSink interface {
	Write(ctx context.Context, c RowChange, b *column.Block) error
	Commit(ctx context.Context) error
	Abort(ctx context.Context) error
}

// Stored tells whether a column's values are kept, not computed when read.
func (c Column) Stored() bool { return c.DefaultKind != "ALIAS" && c.DefaultKind != "EPHEMERAL" }
