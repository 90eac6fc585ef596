package ast

// ShowKind is what SHOW shows.
type ShowKind uint8

// The kinds of SHOW.
const (
	ShowTables ShowKind = iota
	ShowDatabases
	ShowDictionaries
	ShowColumns
	ShowIndexes
	ShowFunctions
	ShowCreate // Object and Table or Names
	ShowProcesslist
	ShowSettings // SHOW SETTINGS LIKE
	ShowSetting  // SHOW SETTING name
	ShowEngines
	ShowClusters
	ShowCluster // name
	ShowGrants
	ShowUsers
	ShowRoles
	ShowCurrentRoles
	ShowEnabledRoles
	ShowProfiles
	ShowPolicies
	ShowQuotas
	ShowQuota // current usage
	ShowAccess
	ShowPrivileges
	ShowMerges
	ShowFilesystemCaches
	ShowNamedCollections
	ShowRefs // SHOW BRANCHES|TAGS FROM t
	ShowMasking
)

// Show is any SHOW statement.
type Show struct {
	At
	Kind                      ShowKind
	Full, Extended, Temporary bool
	Changed                   bool // SHOW CHANGED SETTINGS
	Object                    Object
	Table                     *TableName // SHOW COLUMNS FROM, SHOW CREATE; SHOW TABLES FROM has only Database
	On                        *TableName // row policy ON table
	Names                     []string   // setting, cluster, users …
	Like                      string
	HasLike, NotLike, ILike   bool
	Where                     Expr
	Limit                     Expr
	ForAll, Implicit, Final   bool
	Output
}

// Describe is DESCRIBE [TABLE] of a table, table function or subquery.
type Describe struct {
	At
	Table    *TableExpr
	Settings []*Setting
	Output
}

// Exists is EXISTS [TEMPORARY] TABLE|VIEW|DICTIONARY|DATABASE name.
type Exists struct {
	At
	Object    Object
	Temporary bool
	Table     *TableName
	Output
}

// ExplainKind is what EXPLAIN explains.
type ExplainKind uint8

// The kinds of EXPLAIN; plain EXPLAIN is ExplainPlan.
const (
	ExplainPlan ExplainKind = iota
	ExplainAST
	ExplainSyntax
	ExplainQueryTree
	ExplainPipeline
	ExplainEstimate
	ExplainTableOverride
	ExplainTransaction
	ExplainAnalyze
)

// Explain is EXPLAIN kind [settings] statement.
type Explain struct {
	At
	Kind      ExplainKind
	Settings  []*Setting
	Statement Statement // nil for CURRENT TRANSACTION
	Function  *Function // TABLE OVERRIDE f(…)
	Override  string
	Output
}

// Check is CHECK TABLE t [PARTITION p | PART 'x'] or CHECK ALL TABLES, or
// CHECK DATABASE.
type Check struct {
	At
	Table     *TableName
	All       bool
	Partition *Partition
	Settings  []*Setting
	Output
}

func (*Show) statement()     {}
func (*Describe) statement() {}
func (*Exists) statement()   {}
func (*Explain) statement()  {}
func (*Check) statement()    {}

func (n *Show) edit(f func(Node) Node) {
	one(&n.Table, f)
	one(&n.On, f)
	one(&n.Where, f)
	one(&n.Limit, f)
	n.Output.edit(f)
}

func (n *Describe) edit(f func(Node) Node) {
	one(&n.Table, f)
	many(n.Settings, f)
	n.Output.edit(f)
}

func (n *Exists) edit(f func(Node) Node) {
	one(&n.Table, f)
	n.Output.edit(f)
}

func (n *Explain) edit(f func(Node) Node) {
	many(n.Settings, f)
	one(&n.Statement, f)
	one(&n.Function, f)
	n.Output.edit(f)
}

func (n *Check) edit(f func(Node) Node) {
	one(&n.Table, f)
	one(&n.Partition, f)
	many(n.Settings, f)
	n.Output.edit(f)
}
