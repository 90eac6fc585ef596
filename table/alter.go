package table

import (
	"context"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/types"
)

// Alterer changes what a table is: its columns, its partitioning, its order,
// its settings.
type Alterer interface {
	// Alter applies the commands of one ALTER in their order, all or none.
	Alter(ctx context.Context, commands []AlterCommand) error
}

// Rebuilder is a table whose description the catalog keeps: it is altered by
// giving it all its rows anew.
type Rebuilder interface {
	// Rebuild starts like Appender.Append over other columns; with Commit they
	// and the new rows take the place of all that was.
	Rebuild(ctx context.Context, columns []Column, names []string) (Sink, error)
}

// AlterKind is what one command of ALTER does.
type AlterKind uint8

// The commands, with the fields of AlterCommand that they use.
const (
	AddColumn             AlterKind = iota // Path, Type, Default, Comment, First, After, IfNotExists
	DropColumn                             // Path, IfExists
	RenameColumn                           // Path, To, IfExists
	ModifyColumn                           // Path and what changes: Type, Default, Comment, First, After, Remove; IfExists
	CommentColumn                          // Path, Comment, IfExists
	ClearColumn                            // Path, Partition, IfExists
	ModifyComment                          // Comment: the table's
	AddPartitionField                      // Term, Name ("" for the format's own)
	DropPartitionField                     // Term, or Term.Path alone naming the field
	ReplacePartitionField                  // Term, NewTerm, Name
	ModifyPartitionBy                      // Terms; none: not partitioned
	ModifyOrderBy                          // Order; none: not sorted
	ModifySetting                          // Settings
	ResetSetting                           // Names
	SetIdentifierFields                    // Paths
	DropIdentifierFields                   // Paths
)

var alterWords = [...]string{
	AddColumn: "ADD_COLUMN", DropColumn: "DROP_COLUMN", RenameColumn: "RENAME_COLUMN", ModifyColumn: "MODIFY_COLUMN",
	CommentColumn: "COMMENT_COLUMN", ClearColumn: "CLEAR_COLUMN", ModifyComment: "COMMENT_TABLE",
	AddPartitionField: "ADD_PARTITION_FIELD", DropPartitionField: "DROP_PARTITION_FIELD",
	ReplacePartitionField: "REPLACE_PARTITION_FIELD", ModifyPartitionBy: "MODIFY_PARTITION_BY", ModifyOrderBy: "MODIFY_ORDER_BY",
	ModifySetting: "MODIFY_SETTING", ResetSetting: "RESET_SETTING",
	SetIdentifierFields: "SET_IDENTIFIER_FIELDS", DropIdentifierFields: "DROP_IDENTIFIER_FIELDS",
}

// String names the command as ClickHouse's errors do.
func (k AlterKind) String() string { return alterWords[k] }

// AlterCommand is one command; which fields mean something follows from Kind.
type AlterCommand struct {
	Kind                  AlterKind
	IfExists, IfNotExists bool
	// Path names a column, or what is inside of one: {"st", "x"},
	// {"arr", "element", "x"}, {"m", "value"}. Its first name is a column of
	// the table where there is one of that name, dots and all.
	Path    []string
	To      []string // the new path of RenameColumn
	Type    *types.Type
	Default *ColumnDefault
	Comment *string
	First   bool
	After   []string
	Remove  string // "DEFAULT", "COMMENT", … of MODIFY COLUMN c REMOVE
	// Partition limits ClearColumn; nil: the whole table.
	Partition *Partition

	Term, NewTerm *Term
	Terms         []Term
	Order         []OrderTerm
	Name          string
	Settings      []Argument // names and constant values
	Names         []string
	Paths         [][]string
}

// ColumnDefault is a column's default.
type ColumnDefault struct {
	Kind string // DEFAULT, MATERIALIZED, ALIAS or EPHEMERAL
	Expr string // SQL text
	// Constant tells that Value, of the column's type, is all there is to it.
	Constant bool
	Value    column.Value
}

// Term is a column or a function of one, as in PARTITION BY and ORDER BY.
type Term struct {
	Text     string   // SQL text
	Function string   // "" for the column itself
	Path     []string // the column
	// Args are the constant arguments, in order, without the column:
	// 16 of icebergBucket(16, c).
	Args []column.Value
}

// OrderTerm is one term of an order.
type OrderTerm struct {
	Term
	Desc bool
	// NullsFirst is where NULL stands; NullsSaid that the statement says so.
	NullsFirst, NullsSaid bool
}

// Argument is a constant with a name, "" where it stands by position.
type Argument struct {
	Name  string
	Type  *types.Type
	Value column.Value
	// Text is the SQL text of the value.
	Text string
}

// Executor runs the procedures of ALTER TABLE … EXECUTE.
type Executor interface {
	// Execute runs one; what it answers goes to the client. The arguments are
	// checked, and all is done, before it returns.
	Execute(ctx context.Context, name string, args []Argument) (column.Header, column.Stream, error)
}

// Optimizer merges what many small changes left.
type Optimizer interface {
	Optimize(ctx context.Context, req *OptimizeRequest) error
}

// OptimizeRequest is what OPTIMIZE TABLE says.
type OptimizeRequest struct {
	Partition                                  *Partition  // nil: all
	Where                                      []expr.Expr // conjuncts over the table's columns
	Manifest                                   bool        // metadata only
	Final, Force, Deduplicate, Cleanup, DryRun bool
}

// Partition names a partition by its values.
type Partition struct {
	Values []Argument // by position, or by name in INSERT OVERWRITE … PARTITION (g = 2)
	ID     string     // PARTITION ID 'x'
	All    bool
}

// PartitionDropper drops all rows of partitions.
type PartitionDropper interface {
	DropPartitions(ctx context.Context, partitions []Partition) error
}

// Overwriter takes rows in place of rows that are there.
type Overwriter interface {
	// Overwrite starts like Appender.Append; what is replaced goes with Commit.
	Overwrite(ctx context.Context, req *OverwriteRequest) (Sink, error)
}

// OverwriteRequest says which rows give way. Without Partition and Where the
// table's own mode decides: all rows, or the partitions that get new ones.
type OverwriteRequest struct {
	Columns   []string
	Partition *Partition
	// Where is conjuncts over the table's columns; new rows that do not match
	// are refused.
	Where []expr.Expr
}
