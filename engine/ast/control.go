package ast

// Set is SET name = value, …
type Set struct {
	At
	Settings []*Setting
	// Params are SET param_x = …, with the name after param_.
	Params []*Setting
}

// SetRole is SET ROLE and SET DEFAULT ROLE.
type SetRole struct {
	At
	Default bool     // SET DEFAULT ROLE … TO Users
	Roles   RoleSet  // DEFAULT is Roles.Default
	Users   []string // of SET DEFAULT ROLE
}

// Use is USE database.
type Use struct {
	At
	Database, Param string
}

// System is SYSTEM and its words. Command is the words in upper case, as
// FLUSH LOGS or DROP MARK CACHE; what follows is in the other fields.
type System struct {
	At
	Command string
	Table   *TableName
	Cluster string
	Names   []string // logs, functions, failpoints, formats, models …
	Args    []Expr   // literals
	Output
}

// Kill is KILL QUERY|MUTATION|TRANSACTION … WHERE ….
type Kill struct {
	At
	Object  string // QUERY, MUTATION, PART_MOVE_TO_SHARD, TRANSACTION
	Cluster string
	Where   Expr
	// Mode is "ASYNC" (default), "SYNC" or "TEST".
	Mode string
	Output
}

// Transaction is BEGIN, COMMIT, ROLLBACK, and SET TRANSACTION SNAPSHOT n.
type Transaction struct {
	At
	Verb     string // BEGIN, COMMIT, ROLLBACK, SET TRANSACTION SNAPSHOT
	Snapshot Expr
}

// Backup is BACKUP and RESTORE.
type Backup struct {
	At
	Restore  bool
	Elements []*BackupElement
	Cluster  string
	Target   *Function // Disk('x', 'y')
	Settings []*Setting
	Async    bool
	Output
}

// BackupElement is one thing of a backup.
type BackupElement struct {
	At
	// Object: TABLE, DICTIONARY, VIEW, DATABASE, or any for ALL.
	Object          Object
	Temporary       bool
	Name, As        *TableName
	Partitions      []Expr
	ExceptTables    []*TableName
	ExceptDatabases []string
}

// ExecuteAs is EXECUTE AS user [statement].
type ExecuteAs struct {
	At
	User      string
	Statement Statement
}

func (*Set) statement()         {}
func (*SetRole) statement()     {}
func (*Use) statement()         {}
func (*System) statement()      {}
func (*Kill) statement()        {}
func (*Transaction) statement() {}
func (*Backup) statement()      {}
func (*ExecuteAs) statement()   {}

func (n *Set) edit(f func(Node) Node) {
	many(n.Settings, f)
	many(n.Params, f)
}
func (n *SetRole) edit(func(Node) Node) {}
func (n *Use) edit(func(Node) Node)     {}

func (n *System) edit(f func(Node) Node) {
	one(&n.Table, f)
	many(n.Args, f)
	n.Output.edit(f)
}

func (n *Kill) edit(f func(Node) Node) {
	one(&n.Where, f)
	n.Output.edit(f)
}
func (n *Transaction) edit(f func(Node) Node) { one(&n.Snapshot, f) }

func (n *Backup) edit(f func(Node) Node) {
	many(n.Elements, f)
	one(&n.Target, f)
	many(n.Settings, f)
	n.Output.edit(f)
}

func (n *BackupElement) edit(f func(Node) Node) {
	one(&n.Name, f)
	one(&n.As, f)
	many(n.Partitions, f)
	many(n.ExceptTables, f)
}
func (n *ExecuteAs) edit(f func(Node) Node) { one(&n.Statement, f) }
