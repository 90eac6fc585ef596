package access

import (
	"net/netip"
	"time"
)

// The storages, by ClickHouse's names: what the configuration file says, which
// SQL cannot change, and what SQL made.
const (
	StorageConfig = "users_xml"
	StorageDisk   = "local_directory"
)

// Names is a set of users or roles: the names, or all but the excepted.
type Names struct {
	All    bool     `json:"all,omitempty"`
	Names  []string `json:"names,omitempty"`
	Except []string `json:"except,omitempty"`
}

// Has tells whether a name, or one of the roles it has, is in the set.
func (n Names) Has(names ...string) bool {
	in := n.All
	for _, x := range names {
		for _, y := range n.Except {
			if x == y {
				return false
			}
		}
		for _, y := range n.Names {
			in = in || x == y
		}
	}
	return in
}

// renamed gives the set after a user or role has a new name; "" takes it out.
func (n Names) renamed(from, to string) Names {
	change := func(list []string) []string {
		var out []string
		for _, x := range list {
			switch {
			case x != from:
				out = append(out, x)
			case to != "":
				out = append(out, to)
			}
		}
		return out
	}
	n.Names, n.Except = change(n.Names), change(n.Except)
	return n
}

// Hosts says where a user may come from. Any: from everywhere.
type Hosts struct {
	Any     bool           `json:"any,omitempty"`
	Local   bool           `json:"local,omitempty"`
	IPs     []netip.Prefix `json:"ips,omitempty"`
	Names   []string       `json:"names,omitempty"`
	Regexps []string       `json:"regexps,omitempty"`
	Likes   []string       `json:"likes,omitempty"`
}

// RoleGrant is a role that somebody has.
type RoleGrant struct {
	Role  string `json:"role"`
	Admin bool   `json:"admin,omitempty"` // WITH ADMIN OPTION
}

// Rule is one element of SETTINGS: a value, bounds, whether it may be changed;
// or a profile to inherit from.
type Rule struct {
	Profile string   `json:"profile,omitempty"`
	Name    string   `json:"name,omitempty"`
	Value   *string  `json:"value,omitempty"`
	Min     *string  `json:"min,omitempty"`
	Max     *string  `json:"max,omitempty"`
	Allowed []string `json:"allowed,omitempty"`
	// Writable is "", "WRITABLE", "CONST" or "CHANGEABLE_IN_READONLY".
	Writable string `json:"writable,omitempty"`
}

// Entity is what all kinds have.
type Entity struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Storage is where it is kept; not written down.
	Storage string `json:"-"`
}

// Holder is who has rights: a user or a role.
type Holder struct {
	Entity
	Grants   []Grant     `json:"grants,omitempty"`
	Roles    []RoleGrant `json:"roles,omitempty"`
	Settings []Rule      `json:"settings,omitempty"`
}

// User is one who may log in.
type User struct {
	Holder
	Auth         []Auth `json:"auth,omitempty"`
	Hosts        Hosts  `json:"hosts"`
	DefaultRoles Names  `json:"default_roles"`
	Grantees     Names  `json:"grantees"`
	Database     string `json:"database,omitempty"`
}

// Role is rights under a name.
type Role struct{ Holder }

// Profile is settings under a name.
type Profile struct {
	Entity
	Settings []Rule `json:"settings,omitempty"`
	To       Names  `json:"to"`
}

// Policy is a condition on the rows of a table, or with Table "*" of all
// tables of a database.
type Policy struct {
	Entity          // Name is "name ON database.table"
	Short    string `json:"short"`
	Database string `json:"database"`
	Table    string `json:"table"`
	// Filter is the condition's text; "" hides nothing.
	Filter      string `json:"filter,omitempty"`
	Restrictive bool   `json:"restrictive,omitempty"`
	To          Names  `json:"to"`
}

// Quota bounds what is done in intervals of time.
type Quota struct {
	Entity
	Keys      []string   `json:"keys,omitempty"` // user_name, ip_address, client_key …
	Intervals []Interval `json:"intervals,omitempty"`
	To        Names      `json:"to"`
}

// Interval is one interval of a quota with its bounds, by their names:
// queries, query_selects, result_rows ….
type Interval struct {
	Length     time.Duration      `json:"length"`
	Randomized bool               `json:"randomized,omitempty"`
	Max        map[string]float64 `json:"max,omitempty"`
}
