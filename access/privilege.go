package access

import (
	_ "embed"
	"strings"
	"sync"

	"lakeserver/cherr"
)

//go:embed privileges.tsv
var privilegesTSV string

// Privilege is one of ClickHouse's access types, or a group of them.
type Privilege int

// Level is the smallest thing that a privilege can be granted on.
type Level uint8

// The levels. Named things are users, sources, collections, engines: what
// stands behind ON is their name.
const (
	LevelGlobal Level = iota
	LevelDatabase
	LevelTable
	LevelColumn
	LevelNamed
)

// Set is a set of privileges.
type Set [5]uint64

func (s Set) or(o Set) Set {
	for i := range s {
		s[i] |= o[i]
	}
	return s
}

func (s Set) minus(o Set) Set {
	for i := range s {
		s[i] &^= o[i]
	}
	return s
}

func (s Set) and(o Set) Set {
	for i := range s {
		s[i] &= o[i]
	}
	return s
}

func (s Set) empty() bool { return s == Set{} }

// privilege is a line of the table. A group has the privileges below it.
type privilege struct {
	name, parent string
	level        Level
	pure         bool // a group that is nothing itself
	all          Set  // itself and all below
}

type privilegeTable struct {
	list    []privilege
	byName  map[string]Privilege // aliases too, in upper case
	atLevel [LevelNamed + 1]Set  // what can be granted on it
}

// privileges is the table of ClickHouse's privileges, as its
// system.privileges gives them.
var privileges = sync.OnceValue(func() *privilegeTable {
	t := &privilegeTable{byName: map[string]Privilege{}}
	levels := map[string]Level{
		"DATABASE": LevelDatabase, "TABLE": LevelTable, "VIEW": LevelTable, "DICTIONARY": LevelTable, "COLUMN": LevelColumn,
		"NAMED_COLLECTION": LevelNamed, "USER_NAME": LevelNamed, "SOURCE": LevelNamed, "TABLE_ENGINE": LevelNamed, "DEFINER": LevelNamed,
	}
	for line := range strings.Lines(privilegesTSV) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		p := Privilege(len(t.list))
		t.list = append(t.list, privilege{name: f[0], parent: f[3], level: levels[f[2]], pure: f[2] == `\N`})
		t.byName[strings.ToUpper(f[0])] = p
		for _, alias := range strings.Split(strings.Trim(f[1], "[]"), ",") {
			if alias = strings.ToUpper(strings.Trim(alias, "'")); alias != "" && t.byName[alias] == 0 {
				t.byName[alias] = p
			}
		}
	}
	for i := range t.list {
		if t.list[i].pure {
			continue
		}
		for q := i; ; {
			t.list[q].all[i/64] |= 1 << (i % 64)
			up, ok := t.byName[strings.ToUpper(t.list[q].parent)]
			if !ok || t.list[q].parent == `\N` {
				break
			}
			q = int(up)
		}
		t.atLevel[t.list[i].level][i/64] |= 1 << (i % 64)
	}
	return t
})

// The privileges that the engine asks for by name.
const (
	Select          = "SELECT"
	Insert          = "INSERT"
	ShowTables      = "SHOW TABLES"
	ShowColumns     = "SHOW COLUMNS"
	ShowDatabases   = "SHOW DATABASES"
	Read            = "READ"
	Write           = "WRITE"
	CreateTemporary = "CREATE TEMPORARY TABLE"
	RoleAdmin       = "ROLE ADMIN"
	KillQuery       = "KILL QUERY"
)

// lookup finds a privilege by name or alias. Error: UNKNOWN_ACCESS_TYPE, as
// ClickHouse answers.
func lookup(name string) (Privilege, error) {
	p, ok := privileges().byName[strings.ToUpper(name)]
	if !ok {
		return 0, cherr.New(cherr.UnknownAccessType, "Unknown access type: %s", name)
	}
	return p, nil
}

// Known tells whether there is such a privilege.
func Known(name string) bool {
	_, err := lookup(name)
	return err == nil
}

// names gives a set in words: groups where all of them are in it.
func (s Set) names() []string {
	t := privileges()
	var out []string
	var done Set
	for i := len(t.list) - 1; i >= 0; i-- { // groups stand behind what is in them
		all := t.list[i].all
		if all.empty() || !all.minus(s).empty() || all.minus(done).empty() {
			continue
		}
		done = done.or(all)
		out = append(out, t.list[i].name)
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// grantable gives what of a set can be granted on a path of so many parts.
func grantable(s Set, parts int, named bool) Set {
	t := privileges()
	if parts == 0 {
		return s
	}
	if named {
		return s.and(t.atLevel[LevelNamed])
	}
	var ok Set
	for l := Level(parts); l <= LevelColumn; l++ {
		ok = ok.or(t.atLevel[l])
	}
	return s.and(ok)
}

// SourceName gives the source that a privilege of the older form is for: S3,
// URL, FILE; "" for others.
func SourceName(name string) string {
	p, err := lookup(name)
	if err != nil {
		return ""
	}
	x := privileges().list[p]
	for _, s := range []string{
		"FILE", "URL", "REMOTE", "MONGO", "REDIS", "MYSQL", "POSTGRES", "SQLITE", "ODBC", "JDBC", "HDFS", "S3", "HIVE", "AZURE", "KAFKA", "NATS", "RABBITMQ",
	} {
		if x.name == s {
			return s
		}
	}
	return ""
}

// IsNamed tells whether a privilege is granted on names of users, sources or
// collections.
func IsNamed(name string) bool {
	p, err := lookup(name)
	return err == nil && privileges().list[p].level == LevelNamed
}

// Described is a privilege as system.privileges shows it.
type Described struct {
	Name, Level, Parent string
	Aliases             []string
}

// Privileges gives all of them.
func Privileges() []Described {
	var out []Described
	for line := range strings.Lines(privilegesTSV) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		d := Described{Name: f[0]}
		if f[2] != `\N` {
			d.Level = f[2]
		}
		if f[3] != `\N` {
			d.Parent = f[3]
		}
		if list := strings.Trim(f[1], "[]"); list != "" {
			d.Aliases = strings.Split(strings.ReplaceAll(list, "'", ""), ",")
		}
		out = append(out, d)
	}
	return out
}
