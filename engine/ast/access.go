package ast

// RoleSet is a list of roles or users: names, ALL, ALL EXCEPT names, NONE,
// DEFAULT, ANY; CURRENT_USER is a name of that spelling with Current set.
type RoleSet struct {
	Names   []string
	All     bool
	Except  []string
	None    bool
	Default bool
	Current bool
	// Any: GRANTEES ANY.
	Any bool
}

// Grant is GRANT and REVOKE of privileges or roles.
type Grant struct {
	At
	Revoke        bool
	Cluster       string
	Privileges    []*Privilege
	Roles         *RoleList
	CurrentGrants bool // GRANT CURRENT GRANTS(…)
	GrantOption   bool // WITH GRANT OPTION / GRANT OPTION FOR
	AdminOption   bool
	Replace       bool // WITH REPLACE OPTION
	To            *RoleList
}

// RoleList is a RoleSet as a node.
type RoleList struct {
	At
	RoleSet
}

// Privilege is access types on one object: SELECT(a, b), INSERT ON db.t.
type Privilege struct {
	At
	Access []*AccessType
	// Database and Table are empty with AnyDatabase or AnyTable: *.* has both.
	Database, Table       string
	AnyDatabase, AnyTable bool
	// Prefix: the name ended with * (db.my_*).
	DatabasePrefix, TablePrefix bool
	// Parameter of parametrised access: ON * or ON name where no table is meant.
	DefaultDatabase bool   // ON t: the current database
	Filter          string // ON S3('regexp')
}

// AccessType is one access type and its columns.
type AccessType struct {
	At
	Name    string // upper case words
	Columns []string
}

// CreateAccess is CREATE or ALTER of USER, ROLE, ROW POLICY, QUOTA,
// SETTINGS PROFILE.
type CreateAccess struct {
	At
	Object                         Object
	Alter                          bool
	IfExists, IfNotExists, Replace bool
	Names                          []string
	Cluster                        string
	RenameTo                       string
	Storage                        string // IN storage
	// Users.
	Identified        []*AuthMethod
	NotIdentified     bool
	AddIdentified     bool // ALTER USER ADD IDENTIFIED
	ResetAuth         bool // RESET AUTHENTICATION METHODS TO NEW
	Hosts             []*HostRule
	AddHosts          []*HostRule
	DropHosts         []*HostRule
	ValidUntil        Expr
	DefaultRole       *RoleList
	Grantees          *RoleList
	DefaultDatabase   string
	NoDefaultDatabase bool
	// Users, roles and profiles.
	Settings    []*SettingRule
	HasSettings bool
	// Policies: ON tables, FOR SELECT USING expr AS PERMISSIVE TO roles.
	Tables     []*TableName
	Using      Expr
	UsingNone  bool
	Permissive string // PERMISSIVE, RESTRICTIVE or ""
	To         *RoleList
	// Quotas.
	KeyedBy   []string
	NotKeyed  bool
	Intervals []*QuotaInterval
}

// AuthMethod is one way to identify: IDENTIFIED WITH type BY 'secret'.
type AuthMethod struct {
	At
	Type   string // lower case; empty: the default for a password
	Secret *Literal
	Salt   *Literal
	// Words holds what other types need: SERVER 'x', REALM 'x', CN 'x', KEY … TYPE ….
	Words []string
}

// HostRule is HOST ANY|LOCAL|NONE|NAME 'x'|REGEXP 'x'|IP 'x'|LIKE 'x'.
type HostRule struct {
	At
	Kind  string
	Value string
}

// SettingRule is one element of SETTINGS in access statements. Profile is a
// parent profile.
type SettingRule struct {
	At
	// Verb is "", "ADD", "MODIFY" or "DROP"; DROP ALL SETTINGS has Name "ALL SETTINGS".
	Verb     string
	Profile  string
	Name     string
	Value    Expr
	Min, Max Expr
	// Writability is "", "READONLY", "WRITABLE", "CONST" or "CHANGEABLE_IN_READONLY".
	Writability string
	Values      []Expr // ALLOWED VALUES
}

// QuotaInterval is FOR [RANDOMIZED] INTERVAL n unit MAX a = 1, … | NO LIMITS | TRACKING ONLY.
type QuotaInterval struct {
	At
	Randomized bool
	Count      Expr
	Unit       string
	Limits     []*Setting
	NoLimits   bool
	Tracking   bool
}

func (*Grant) statement()        {}
func (*CreateAccess) statement() {}

func (n *Grant) edit(f func(Node) Node) {
	many(n.Privileges, f)
	one(&n.Roles, f)
	one(&n.To, f)
}
func (*RoleList) edit(func(Node) Node)      {}
func (n *Privilege) edit(f func(Node) Node) { many(n.Access, f) }
func (*AccessType) edit(func(Node) Node)    {}
func (*HostRule) edit(func(Node) Node)      {}

func (n *AuthMethod) edit(f func(Node) Node) {
	one(&n.Secret, f)
	one(&n.Salt, f)
}

func (n *SettingRule) edit(f func(Node) Node) {
	one(&n.Value, f)
	one(&n.Min, f)
	one(&n.Max, f)
	many(n.Values, f)
}

func (n *QuotaInterval) edit(f func(Node) Node) {
	one(&n.Count, f)
	many(n.Limits, f)
}

func (n *CreateAccess) edit(f func(Node) Node) {
	many(n.Identified, f)
	many(n.Hosts, f)
	many(n.AddHosts, f)
	many(n.DropHosts, f)
	one(&n.ValidUntil, f)
	one(&n.DefaultRole, f)
	one(&n.Grantees, f)
	many(n.Settings, f)
	many(n.Tables, f)
	one(&n.Using, f)
	one(&n.To, f)
	many(n.Intervals, f)
}
