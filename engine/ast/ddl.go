package ast

// Object is the kind of thing that CREATE, DROP, SHOW CREATE, RENAME and
// others name.
type Object uint8

// The kinds of objects. ObjectAny is the unnamed kind of RENAME, EXISTS and
// SHOW CREATE x.
const (
	ObjectAny Object = iota
	ObjectTable
	ObjectView
	ObjectMaterializedView
	ObjectDictionary
	ObjectDatabase
	ObjectFunction
	ObjectNamedCollection
	ObjectIndex
	ObjectUser
	ObjectRole
	ObjectQuota
	ObjectRowPolicy
	ObjectMaskingPolicy
	ObjectSettingsProfile
	ObjectWorkload
	ObjectResource
	ObjectTables // TRUNCATE ALL TABLES FROM db, TRUNCATE TABLES FROM db
)

var objectWords = [...]string{
	ObjectAny: "", ObjectTable: "TABLE", ObjectView: "VIEW", ObjectMaterializedView: "MATERIALIZED VIEW",
	ObjectDictionary: "DICTIONARY", ObjectDatabase: "DATABASE", ObjectFunction: "FUNCTION",
	ObjectNamedCollection: "NAMED COLLECTION", ObjectIndex: "INDEX", ObjectUser: "USER", ObjectRole: "ROLE",
	ObjectQuota: "QUOTA", ObjectRowPolicy: "ROW POLICY", ObjectMaskingPolicy: "MASKING POLICY",
	ObjectSettingsProfile: "SETTINGS PROFILE", ObjectWorkload: "WORKLOAD", ObjectResource: "RESOURCE",
	ObjectTables: "ALL TABLES",
}

// String gives the SQL words.
func (o Object) String() string { return objectWords[o] }

// Storage is ENGINE and its clauses.
type Storage struct {
	At
	Engine      *Function // nil: the default engine
	PartitionBy Expr
	PrimaryKey  Expr
	OrderBy     Expr
	SampleBy    Expr
	UniqueKey   Expr
	TTL         []*TTL
	Settings    []*Setting
}

// TTL is one element of a TTL clause. Action is "", "DELETE", "TO DISK",
// "TO VOLUME", "RECOMPRESS" or "GROUP BY".
type TTL struct {
	At
	Expr     Expr
	Action   string
	IfExists bool
	Where    Expr
	Target   string    // disk or volume
	Codec    *Function // RECOMPRESS CODEC(…)
	GroupBy  []Expr
	Set      []*Assignment
}

// Assignment is column = expr.
type Assignment struct {
	At
	Column *Identifier
	Expr   Expr
}

// ColumnDecl declares a column of a table.
type ColumnDecl struct {
	At
	Name string
	Type string // normalised text; empty where a default gives the type
	// Null is "", "NULL" or "NOT NULL" after the type.
	Null string
	// DefaultKind is "", "DEFAULT", "MATERIALIZED", "EPHEMERAL" or "ALIAS";
	// Default may be nil for EPHEMERAL.
	DefaultKind string
	Default     Expr
	Comment     *Literal
	Codec       *Function // CODEC(…)
	Statistics  *Function // STATISTICS(…)
	TTL         Expr
	Collate     string
	PrimaryKey  bool
	// AutoIncrement is accepted only with
	// compatibility_ignore_auto_increment_in_create_table; otherwise SYNTAX_ERROR.
	AutoIncrement bool
	Settings      []*Setting
}

// IndexDecl declares a data skipping index.
type IndexDecl struct {
	At
	Name        string
	Expr        Expr
	Type        *Function
	Granularity Expr
}

// ConstraintDecl is CONSTRAINT name CHECK|ASSUME expr.
type ConstraintDecl struct {
	At
	Name   string
	Assume bool
	Expr   Expr
}

// ProjectionDecl is PROJECTION name (SELECT …), or PROJECTION name INDEX expr
// TYPE t.
type ProjectionDecl struct {
	At
	Name     string
	Query    *Select
	Index    Expr
	Type     *Function
	Settings []*Setting
}

// CreateTable is CREATE|ATTACH|REPLACE [TEMPORARY] TABLE, also CREATE OR REPLACE.
type CreateTable struct {
	At
	Attach, Replace, Temporary, IfNotExists bool
	// ReplaceOnly is REPLACE TABLE without CREATE OR; Replace is set as well.
	ReplaceOnly bool
	Name        *TableName
	UUID        string
	Cluster     string
	From        string // ATTACH … FROM 'path'
	Columns     []*ColumnDecl
	Indexes     []*IndexDecl
	Constraints []*ConstraintDecl
	Projections []*ProjectionDecl
	PrimaryKey  Expr // PRIMARY KEY inside the list
	Storage     *Storage
	AsTable     *TableName // AS other
	AsFunction  *Function  // AS numbers(10)
	AsQuery     Query      // AS SELECT …
	Empty       bool       // EMPTY AS SELECT
	Clone       bool       // CLONE AS other
	Comment     *Literal
}

// CreateView is CREATE|ATTACH [MATERIALIZED] VIEW in all its forms.
type CreateView struct {
	At
	Attach, Replace, Temporary, IfNotExists bool
	Materialized, Live, Window              bool
	Name                                    *TableName
	UUID                                    string
	Cluster                                 string
	Definer                                 string // DEFINER = user; "CURRENT_USER" is that
	SQLSecurity                             string // DEFINER, INVOKER, NONE
	To                                      *TableName
	ToInnerUUID                             string
	Aliases                                 []string // view(a, b)
	Columns                                 []*ColumnDecl
	Indexes                                 []*IndexDecl
	Storage                                 *Storage
	Populate, Empty                         bool
	Refresh                                 *Refresh
	Query                                   Query
	Comment                                 *Literal
}

// Refresh is the schedule of a refreshable materialized view, kept as words.
type Refresh struct {
	At
	Schedule  string // "EVERY 1 DAY", "AFTER 1 HOUR OFFSET …"
	DependsOn []*TableName
	Settings  []*Setting
	Append    bool
}

// CreateDatabase is CREATE|ATTACH DATABASE.
type CreateDatabase struct {
	At
	Attach, IfNotExists bool
	Name, NameParam     string
	UUID, Cluster       string
	Storage             *Storage
	Comment             *Literal
}

// CreateFunction is CREATE FUNCTION name AS lambda.
type CreateFunction struct {
	At
	Replace, IfNotExists bool
	Name, Cluster        string
	Body                 Expr
}

// CreateNamedCollection is CREATE NAMED COLLECTION; Overridable is parallel to
// Settings: "", "OVERRIDABLE" or "NOT OVERRIDABLE".
type CreateNamedCollection struct {
	At
	IfNotExists   bool
	Name, Cluster string
	Settings      []*Setting
	Overridable   []string
}

// CreateIndex is CREATE INDEX name ON table (expr) TYPE t.
type CreateIndex struct {
	At
	Unique, IfNotExists bool
	Index               *IndexDecl
	Table               *TableName
	Cluster             string
}

// CreateDictionary is CREATE|ATTACH DICTIONARY.
type CreateDictionary struct {
	At
	Attach, Replace, IfNotExists bool
	Name                         *TableName
	UUID, Cluster                string
	Attributes                   []*DictionaryAttribute
	PrimaryKey                   []Expr
	Source, Layout               *Function // arguments are KeyValue
	LifetimeMin, LifetimeMax     Expr
	RangeMin, RangeMax           string
	Settings                     []*Setting
	Comment                      *Literal
}

// DictionaryAttribute is one attribute of a dictionary.
type DictionaryAttribute struct {
	At
	Name, Type                             string
	Default, Expression                    Expr
	Hierarchical, Bidirectional, Injective bool
	IsObjectID                             bool
}

// KeyValue is a pair of a dictionary's SOURCE(F(host 'x' port 1)); it stands
// only in arguments of such functions.
type KeyValue struct {
	At
	Key   string
	Value Expr // literal, Function, or identifier
}

// Drop is DROP, DETACH, TRUNCATE and UNDROP of anything.
type Drop struct {
	At
	Verb      DropVerb
	Object    Object
	Temporary bool
	IfExists  bool
	IfEmpty   bool
	// Tables are what is dropped: tables, views, dictionaries. For databases
	// Database is set in the only element.
	Tables []*TableName
	// Names are the other objects: users, functions, collections …; row
	// policies have On.
	Names       []string
	On          *TableName
	UUID        string
	Cluster     string
	From        string // storage of access entities
	Like        string // TRUNCATE ALL TABLES FROM db LIKE
	NotLike     bool
	ILike       bool
	Permanently bool
	NoDelay     bool // SYNC
	Output
}

// DropVerb is what a Drop does.
type DropVerb uint8

// The verbs.
const (
	VerbDrop DropVerb = iota
	VerbDetach
	VerbTruncate
	VerbUndrop
)

// Rename is RENAME and EXCHANGE.
type Rename struct {
	At
	Object   Object // TABLE, DICTIONARY, DATABASE, or any
	Exchange bool
	IfExists bool
	Pairs    []*RenamePair
	Cluster  string
}

// RenamePair is from TO to; for databases only Database is set.
type RenamePair struct {
	At
	From, To *TableName
}

func (*CreateTable) statement()           {}
func (*CreateView) statement()            {}
func (*CreateDatabase) statement()        {}
func (*CreateFunction) statement()        {}
func (*CreateNamedCollection) statement() {}
func (*CreateIndex) statement()           {}
func (*CreateDictionary) statement()      {}
func (*Drop) statement()                  {}
func (*Rename) statement()                {}
func (*KeyValue) expr()                   {}

func (n *Storage) edit(f func(Node) Node) {
	one(&n.Engine, f)
	one(&n.PartitionBy, f)
	one(&n.PrimaryKey, f)
	one(&n.OrderBy, f)
	one(&n.SampleBy, f)
	one(&n.UniqueKey, f)
	many(n.TTL, f)
	many(n.Settings, f)
}

func (n *TTL) edit(f func(Node) Node) {
	one(&n.Expr, f)
	one(&n.Where, f)
	one(&n.Codec, f)
	many(n.GroupBy, f)
	many(n.Set, f)
}

func (n *Assignment) edit(f func(Node) Node) {
	one(&n.Column, f)
	one(&n.Expr, f)
}

func (n *ColumnDecl) edit(f func(Node) Node) {
	one(&n.Default, f)
	one(&n.Comment, f)
	one(&n.Codec, f)
	one(&n.Statistics, f)
	one(&n.TTL, f)
	many(n.Settings, f)
}

func (n *IndexDecl) edit(f func(Node) Node) {
	one(&n.Expr, f)
	one(&n.Type, f)
	one(&n.Granularity, f)
}
func (n *ConstraintDecl) edit(f func(Node) Node) { one(&n.Expr, f) }

func (n *ProjectionDecl) edit(f func(Node) Node) {
	one(&n.Query, f)
	one(&n.Index, f)
	one(&n.Type, f)
	many(n.Settings, f)
}

func (n *CreateTable) edit(f func(Node) Node) {
	one(&n.Name, f)
	many(n.Columns, f)
	many(n.Indexes, f)
	many(n.Constraints, f)
	many(n.Projections, f)
	one(&n.PrimaryKey, f)
	one(&n.Storage, f)
	one(&n.AsTable, f)
	one(&n.AsFunction, f)
	one(&n.AsQuery, f)
	one(&n.Comment, f)
}

func (n *CreateView) edit(f func(Node) Node) {
	one(&n.Name, f)
	one(&n.To, f)
	many(n.Columns, f)
	many(n.Indexes, f)
	one(&n.Storage, f)
	one(&n.Refresh, f)
	one(&n.Query, f)
	one(&n.Comment, f)
}

func (n *Refresh) edit(f func(Node) Node) {
	many(n.DependsOn, f)
	many(n.Settings, f)
}

func (n *CreateDatabase) edit(f func(Node) Node) {
	one(&n.Storage, f)
	one(&n.Comment, f)
}
func (n *CreateFunction) edit(f func(Node) Node)        { one(&n.Body, f) }
func (n *CreateNamedCollection) edit(f func(Node) Node) { many(n.Settings, f) }

func (n *CreateIndex) edit(f func(Node) Node) {
	one(&n.Index, f)
	one(&n.Table, f)
}

func (n *CreateDictionary) edit(f func(Node) Node) {
	one(&n.Name, f)
	many(n.Attributes, f)
	many(n.PrimaryKey, f)
	one(&n.Source, f)
	one(&n.Layout, f)
	one(&n.LifetimeMin, f)
	one(&n.LifetimeMax, f)
	many(n.Settings, f)
	one(&n.Comment, f)
}

func (n *DictionaryAttribute) edit(f func(Node) Node) {
	one(&n.Default, f)
	one(&n.Expression, f)
}
func (n *KeyValue) edit(f func(Node) Node) { one(&n.Value, f) }

func (n *Drop) edit(f func(Node) Node) {
	many(n.Tables, f)
	one(&n.On, f)
	n.Output.edit(f)
}
func (n *Rename) edit(f func(Node) Node) { many(n.Pairs, f) }

func (n *RenamePair) edit(f func(Node) Node) {
	one(&n.From, f)
	one(&n.To, f)
}

// AlterCollection is ALTER NAMED COLLECTION name SET … DELETE ….
type AlterCollection struct {
	At
	IfExists      bool
	Name, Cluster string
	Set           []*Setting
	Overridable   []string // as in CreateNamedCollection
	Delete        []string
}

func (*AlterCollection) statement() {}

func (n *AlterCollection) edit(f func(Node) Node) { many(n.Set, f) }
