package functions

import (
	"context"
	"slices"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/table"
	"lakeserver/types"
)

// TableFunction describes a function that stands in FROM, or a table engine:
// two names for one Open.
type TableFunction struct {
	Name            string
	Aliases         []string
	CaseInsensitive bool
	Doc             Doc
	// OwnSettings: SETTINGS inside of its parentheses are the table's own and
	// come in OpenRequest.Options; else they are settings of the query.
	OwnSettings bool
	// TakesTable: the first argument names a table, or is a table function; it
	// comes opened in TableArg.Table.
	TakesTable bool
	// Open gives the table, pinned to one version. Wrong arguments:
	// BAD_ARGUMENTS or NUMBER_OF_ARGUMENTS_DOESNT_MATCH, as ClickHouse says.
	Open func(ctx context.Context, env *Env, req *OpenRequest) (table.Table, error)
}

// Engine describes a table engine.
type Engine struct {
	Name string
	Doc  Doc
	// Durable engines keep their rows outside the server; a definition alone
	// brings them back after a restart. The others (Memory) start empty.
	Durable bool
	// Layout says that PARTITION BY, ORDER BY and PRIMARY KEY mean something to
	// it; the others take any.
	Layout bool
	// Merging engines merge rows by OpenRequest.SortingKey; they stand for
	// MergeTree's kinds where those are kept in memory.
	Merging bool
	// Place gives the arguments of a table that CREATE TABLE names without any:
	// where the server itself keeps it (nil: the engine has no such place).
	Place func(ctx context.Context, database, name string) ([]TableArg, error)
	// Create makes what a table needs before it is first opened (nil: nothing);
	// it is not called again for a definition loaded at start.
	Create func(ctx context.Context, env *Env, req *OpenRequest) error
	// Drop forgets a table that was dropped (nil: nothing to do); whether its
	// data goes too is the engine's matter.
	Drop func(ctx context.Context, env *Env, req *OpenRequest) error
	// Open gives the table's present version. State is what Create or an
	// earlier Open kept in req.State.
	Open func(ctx context.Context, env *Env, req *OpenRequest) (table.Table, error)
}

// OpenRequest is the arguments of a table function or engine.
type OpenRequest struct {
	Name    string // as written
	Args    []TableArg
	Columns []table.Column    // declared columns of an engine; nil: infer
	Options map[string]string // SETTINGS of a CREATE TABLE, or of a function with OwnSettings
	Version *TimeTravel       // FOR VERSION | TIMESTAMP AS OF
	// Incoming are the columns of the rows that the table is opened for; where
	// the arguments give no structure, it is theirs. nil: it is opened to be
	// read, or nobody knows yet.
	Incoming column.Header
	// Definition is what CREATE TABLE says besides; nil for a table that is there.
	Definition *Definition
	// SortingKey is ORDER BY, for engines that merge by it.
	SortingKey []SortingTerm
	// Discard tells Engine.Drop that the data goes in any case.
	Discard bool
	// Keep holds what the engine keeps between Opens of one created table (a
	// Memory table's rows); nil for table functions.
	Keep *Keep
}

// Definition is what CREATE TABLE says of a table that an engine is to make.
type Definition struct {
	PartitionBy []table.Term
	OrderBy     []table.OrderTerm
	PrimaryKey  []table.Term
	Comment     string
	Replace     bool // a table that is there gives way
	IfNotExists bool // one that is there will do
	RowsFollow  bool // CREATE … AS SELECT: nothing is made where they are refused
}

// SortingTerm is one expression of a sorting key, over the declared columns.
type SortingTerm struct {
	Expr  expr.Expr
	Names []string // the columns that it reads
	Desc  bool
}

// Reads tells whether a column is in the term.
func (t SortingTerm) Reads(name string) bool { return slices.Contains(t.Names, name) }

// Keep is a place for one value that lives as long as a created table.
type Keep struct{ Value any }

// TableArg is one argument: exactly one of the forms.
type TableArg struct {
	Key   string // of key = value, with the value in the other fields
	Type  *types.Type
	Value column.Value // constant expression, evaluated
	Ident string       // bare identifier (a named collection, a format)
	Call  *TableCall   // nested function: headers(...), extra_credentials(...)
	Query any          // *ast.Select of view(SELECT …), for the analyser alone
	Table table.Table  // of the first argument of a function that TakesTable
	Const bool         // Value is set (it may be nil: NULL)
}

// TableCall is a nested function among the arguments.
type TableCall struct {
	Name string
	Args []TableArg
}

// TimeTravel is a version asked for in SQL.
type TimeTravel struct {
	Timestamp bool         // AS OF a time, else a snapshot id or ref name
	Type      *types.Type  // of Value
	Value     column.Value // integer, string, date or time
}
