package ast

// Insert is INSERT INTO. Rows come from exactly one of: Query, Infile, or data
// that follows the statement (inline, or later over the wire).
type Insert struct {
	At
	Table    *TableName
	Function *Function // INSERT INTO FUNCTION f(…)
	// Overwrite: INSERT OVERWRITE and INSERT INTO … REPLACE WHERE. The rows of
	// Partition or those of ReplaceWhere give way; without either, what the
	// table's mode says.
	Overwrite    bool
	Partition    *Partition // PARTITION (g = 2)
	ReplaceWhere Expr
	// PartitionBy of INSERT INTO FUNCTION … PARTITION BY.
	PartitionBy       Expr
	Columns           []Expr // identifiers, or * and COLUMNS with EXCEPT; nil: all
	Settings          []*Setting
	Query             Query // INSERT … SELECT; inner FORMAT and SETTINGS are in Output
	Watch             *TableName
	Infile            string // FROM INFILE
	InfileCompression string
	// DataFormat is the word after FORMAT, or "Values" for VALUES, or "" where
	// the rows come from Query.
	DataFormat string
	// Data says where the inline data stands in the text that was parsed, nil
	// where the statement cannot carry any (Query, Infile). It is empty when the
	// rows come later over the wire.
	Data *Span
	Output
}

// Span is a part of the parsed text in bytes: text[Start:End]. Equal ignores it.
type Span struct{ Start, End int }

// Delete is DELETE FROM table [ON CLUSTER c] [IN PARTITION p] WHERE ….
type Delete struct {
	At
	Table     *TableName
	Cluster   string
	Partition *Partition
	Where     Expr
	Settings  []*Setting
}

// Update is UPDATE table SET … WHERE ….
type Update struct {
	At
	Table     *TableName
	Cluster   string
	Set       []*Assignment
	Partition *Partition
	Where     Expr
	Settings  []*Setting
}

// Merge is MERGE INTO target USING source ON … WHEN ….
type Merge struct {
	At
	Target   *TableExpr
	Source   *TableExpr
	On       Expr
	Clauses  []*MergeClause
	Settings []*Setting
}

// MergeClause is WHEN [NOT] MATCHED [BY SOURCE] [AND cond] THEN action.
type MergeClause struct {
	At
	Matched  bool
	BySource bool // NOT MATCHED BY SOURCE
	And      Expr
	// Action is "UPDATE", "DELETE", "INSERT" or "DO NOTHING". UPDATE with no
	// Set is UPDATE SET *; INSERT with no Values is INSERT *.
	Action  string
	Set     []*Assignment
	Columns []*Identifier
	Values  []Expr
}

// Partition names a partition: a value, ID 'x', or ALL.
type Partition struct {
	At
	Value Expr
	ID    Expr // PARTITION ID 'x'
	All   bool
	// Part: the words were PART 'name'; Value is the name.
	Part bool
}

// Optimize is OPTIMIZE TABLE; Manifest is OPTIMIZE TABLE t MANIFEST.
type Optimize struct {
	At
	Table             *TableName
	Cluster           string
	Partition         *Partition
	Where             Expr
	Final, DryRun     bool
	Parts             []Expr // DRY RUN PARTS …
	Cleanup, Manifest bool
	Deduplicate       bool
	DeduplicateBy     []Expr
	Force             bool
	Settings          []*Setting
	Output
}

// Alter is ALTER TABLE and ALTER DATABASE.
type Alter struct {
	At
	Object    Object // TABLE or DATABASE
	Temporary bool
	Table     *TableName
	Cluster   string
	Commands  []*AlterCommand
	Output
}

// AlterKind is what an AlterCommand does.
type AlterKind uint8

// The commands of ALTER TABLE.
const (
	AddColumn AlterKind = iota
	DropColumn
	ModifyColumn // MODIFY COLUMN and ALTER COLUMN, perhaps with Remove or Settings
	RenameColumn
	CommentColumn
	ClearColumn
	MaterializeColumn
	AddIndex
	DropIndex
	ClearIndex
	MaterializeIndex
	AddConstraint
	DropConstraint
	AddProjection
	DropProjection
	ClearProjection
	MaterializeProjection
	AddStatistics
	ModifyStatistics
	DropStatistics
	ClearStatistics
	MaterializeStatistics
	ModifyOrderBy
	ModifySampleBy
	RemoveSampleBy
	ModifyTTL
	RemoveTTL
	MaterializeTTL
	ModifySetting
	ResetSetting
	ModifyQuery
	ModifyRefresh
	ModifyComment
	ModifyDefiner
	ModifyDatabaseSetting
	ModifyDatabaseComment
	DropPartition
	DetachPartition
	DropDetachedPartition
	ForgetPartition
	AttachPartition
	AttachPartitionFrom
	ReplacePartition
	MovePartition
	FetchPartition
	FreezePartition
	UnfreezePartition
	FreezeAll
	UnfreezeAll
	UpdateWhere
	DeleteWhere
	ApplyDeletedMask
	ApplyPatches
	RewriteParts
	Execute
	// Iceberg partition evolution: ADD|DROP|REPLACE PARTITION FIELD, and the
	// table's write order.
	AddPartitionField
	DropPartitionField
	ReplacePartitionField
	ModifyPartitionBy
	CreateRef
	DropRef
	ReplaceRef
	// SET and DROP IDENTIFIER FIELDS: the columns that name a row.
	SetIdentifierFields
	DropIdentifierFields
)

// AlterCommand is one command; which fields mean something follows from Kind.
type AlterCommand struct {
	At
	Kind                  AlterKind
	IfExists, IfNotExists bool
	Column                *ColumnDecl // ADD, MODIFY
	Name                  *Identifier // column, index, constraint, projection
	To                    *Identifier // RENAME COLUMN x TO y
	First                 bool
	After                 *Identifier
	Remove                string // MODIFY COLUMN x REMOVE COMMENT|DEFAULT|…
	Comment               *Literal
	Index                 *IndexDecl
	Constraint            *ConstraintDecl
	Projection            *ProjectionDecl
	Columns               []*Identifier // statistics, identifier fields
	Types                 []*Function   // statistics
	Partition             *Partition
	Expr                  Expr // ORDER BY, SAMPLE BY, WHERE; partition field's transform
	NewExpr               Expr // REPLACE PARTITION FIELD a WITH b
	As                    string
	TTL                   []*TTL
	Settings              []*Setting
	Names                 []string // RESET SETTING
	Set                   []*Assignment
	Query                 Query
	Refresh               *Refresh
	Table                 *TableName // FROM or TO table
	Target                string     // disk, volume, or path
	TargetKind            string     // "DISK", "VOLUME", "TABLE", "SHARD", "PATH", "NAME"
	Call                  *Function  // EXECUTE name(args)
	Definer, SQLSecurity  string
	All                   bool
}

func (*Insert) statement()   {}
func (*Delete) statement()   {}
func (*Update) statement()   {}
func (*Merge) statement()    {}
func (*Optimize) statement() {}
func (*Alter) statement()    {}

func (n *Insert) edit(f func(Node) Node) {
	one(&n.Table, f)
	one(&n.Function, f)
	one(&n.Partition, f)
	one(&n.ReplaceWhere, f)
	one(&n.PartitionBy, f)
	many(n.Columns, f)
	many(n.Settings, f)
	one(&n.Query, f)
	one(&n.Watch, f)
	n.Output.edit(f)
}

func (n *Delete) edit(f func(Node) Node) {
	one(&n.Table, f)
	one(&n.Partition, f)
	one(&n.Where, f)
	many(n.Settings, f)
}

func (n *Update) edit(f func(Node) Node) {
	one(&n.Table, f)
	many(n.Set, f)
	one(&n.Partition, f)
	one(&n.Where, f)
	many(n.Settings, f)
}

func (n *Merge) edit(f func(Node) Node) {
	one(&n.Target, f)
	one(&n.Source, f)
	one(&n.On, f)
	many(n.Clauses, f)
	many(n.Settings, f)
}

func (n *MergeClause) edit(f func(Node) Node) {
	one(&n.And, f)
	many(n.Set, f)
	many(n.Columns, f)
	many(n.Values, f)
}

func (n *Partition) edit(f func(Node) Node) {
	one(&n.Value, f)
	one(&n.ID, f)
}

func (n *Optimize) edit(f func(Node) Node) {
	one(&n.Table, f)
	one(&n.Partition, f)
	one(&n.Where, f)
	many(n.Parts, f)
	many(n.DeduplicateBy, f)
	many(n.Settings, f)
	n.Output.edit(f)
}

func (n *Alter) edit(f func(Node) Node) {
	one(&n.Table, f)
	many(n.Commands, f)
	n.Output.edit(f)
}

func (n *AlterCommand) edit(f func(Node) Node) {
	one(&n.Column, f)
	one(&n.Name, f)
	one(&n.To, f)
	one(&n.After, f)
	one(&n.Comment, f)
	one(&n.Index, f)
	one(&n.Constraint, f)
	one(&n.Projection, f)
	many(n.Columns, f)
	many(n.Types, f)
	one(&n.Partition, f)
	one(&n.Expr, f)
	one(&n.NewExpr, f)
	many(n.TTL, f)
	many(n.Settings, f)
	many(n.Set, f)
	one(&n.Query, f)
	one(&n.Refresh, f)
	one(&n.Table, f)
	one(&n.Call, f)
}
