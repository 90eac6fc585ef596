package access

import (
	"regexp"
	"sort"
	"strings"

	"lakeserver/cherr"
)

// Grant is privileges on one thing, as GRANT names them. Path is empty for
// *.*, else database, table; or the one name of a user, a source ….
type Grant struct {
	Access  []string   `json:"access"`            // names
	Path    []PathPart `json:"path,omitempty"`    // at most two
	Columns []string   `json:"columns,omitempty"` // none: the whole
	Option  bool       `json:"option,omitempty"`  // WITH GRANT OPTION
	Revoke  bool       `json:"revoke,omitempty"`  // takes away
}

// PathPart is a name, or with Prefix all names that begin so.
type PathPart struct {
	Name   string `json:"name"`
	Prefix bool   `json:"prefix,omitempty"`
}

// Path makes a path of plain names.
func Path(names ...string) []PathPart {
	out := make([]PathPart, len(names))
	for i, n := range names {
		out[i].Name = n
	}
	return out
}

// Rights is what somebody may do: a tree over databases, tables and columns,
// each node with all that holds there. What a name has no node for is as at
// its parent.
type Rights struct{ root node }

type node struct {
	has, option Set
	children    map[PathPart]*node
}

// All are the rights of one who may do everything and grant it.
func All() *Rights {
	r := &Rights{}
	_ = r.Apply(Grant{Access: []string{"ALL"}, Option: true}) // ALL is in the table
	return r
}

// IsAll tells whether everything is allowed.
func (r *Rights) IsAll() bool {
	p, err := lookup("ALL")
	return err == nil && privileges().list[p].all.minus(r.root.has).empty() && len(r.root.children) == 0
}

// Apply grants or revokes. Errors: UNKNOWN_ACCESS_TYPE, INVALID_GRANT.
func (r *Rights) Apply(g Grant) error {
	set, err := g.set()
	if err != nil {
		return err
	}
	change := func(n *node) {
		switch {
		case g.Revoke && g.Option:
			n.option = n.option.minus(set)
		case g.Revoke:
			n.has, n.option = n.has.minus(set), n.option.minus(set)
		case g.Option:
			n.has, n.option = n.has.or(set), n.option.or(set)
		default:
			n.has = n.has.or(set)
		}
	}
	if len(g.Columns) == 0 {
		r.root.at(g.Path, change)
		return nil
	}
	for _, c := range g.Columns {
		r.root.at(append(append([]PathPart(nil), g.Path...), PathPart{Name: c}), change)
	}
	return nil
}

// set gives the privileges that a grant's words mean on its path.
func (g Grant) set() (Set, error) {
	var out Set
	for _, name := range g.Access {
		p, err := lookup(name)
		if err != nil {
			return out, err
		}
		all := privileges().list[p].all
		parts := len(g.Path)
		if len(g.Columns) > 0 {
			parts = 3
		}
		named := parts > 0 && !all.and(privileges().atLevel[LevelNamed]).empty() && all.minus(privileges().atLevel[LevelNamed]).empty()
		ok := grantable(all, parts, named)
		if ok.empty() && !all.empty() {
			return out, cherr.New(cherr.InvalidGrant, "%s cannot be granted on the %s level", strings.ToUpper(name),
				[...]string{"global", "database", "table", "column"}[parts])
		}
		out = out.or(ok)
	}
	return out, nil
}

// at changes the node of a path and all below it.
func (n *node) at(path []PathPart, change func(*node)) {
	if len(path) == 0 {
		change(n)
		for _, c := range n.children {
			c.at(nil, change)
		}
		n.prune()
		return
	}
	c := n.children[path[0]]
	if c == nil {
		c = n.prefix(path[0].Name).clone()
		if n.children == nil {
			n.children = map[PathPart]*node{}
		}
		n.children[path[0]] = c
	}
	c.at(path[1:], change)
	if path[0].Prefix {
		for k, other := range n.children {
			if other != c && strings.HasPrefix(k.Name, path[0].Name) {
				other.at(path[1:], change)
			}
		}
	}
	n.prune()
}

// prune drops children that say what holds without them.
func (n *node) prune() {
	for k, c := range n.children {
		delete(n.children, k)
		if !c.same(n.prefix(k.Name)) {
			n.children[k] = c
		}
	}
}

// find gives the node that holds for a name: its own, the one of its longest
// prefix, or n itself, without n's other children.
func (n *node) find(name string) *node {
	if c := n.children[PathPart{Name: name}]; c != nil {
		return c
	}
	return n.prefix(name)
}

// prefix is find without the name's own node.
func (n *node) prefix(name string) *node {
	var best *node
	length := -1
	for k, c := range n.children {
		if k.Prefix && strings.HasPrefix(name, k.Name) && len(k.Name) > length {
			best, length = c, len(k.Name)
		}
	}
	if best != nil {
		return best
	}
	return &node{has: n.has, option: n.option}
}

// Need is what something asks for. With Columns each of them must be allowed,
// with Any one of the table's columns is enough. Source is the address that
// is read or written, where a source's grants may have a pattern.
type Need struct {
	Access  string
	Path    []string
	Columns []string
	Any     bool
	Option  bool // the right to grant it is asked for
	Source  string
}

// Allows tells whether a need is met.
func (r *Rights) Allows(n Need) bool {
	p, err := lookup(n.Access)
	if err != nil {
		return false
	}
	want := privileges().list[p].all
	at := &r.root
	for _, name := range n.Path {
		at = at.find(name)
	}
	missing := func(x *node) bool {
		if n.Option {
			return !want.minus(x.option).empty()
		}
		return !want.minus(x.has).empty()
	}
	for _, c := range n.Columns {
		if missing(at.find(c)) {
			return false
		}
	}
	switch {
	case len(n.Columns) > 0:
		return true
	case !missing(at):
		return n.Any || at.whole(missing)
	case n.Source != "":
		return at.matches(n.Source, missing)
	}
	return n.Any && at.some(missing)
}

// whole tells whether nothing below takes away.
func (n *node) whole(missing func(*node) bool) bool {
	for _, c := range n.children {
		if missing(c) || !c.whole(missing) {
			return false
		}
	}
	return true
}

// some tells whether something below gives.
func (n *node) some(missing func(*node) bool) bool {
	for _, c := range n.children {
		if !missing(c) || c.some(missing) {
			return true
		}
	}
	return false
}

// matches tells whether a pattern of a source's grants covers an address.
func (n *node) matches(address string, missing func(*node) bool) bool {
	for k, c := range n.children {
		if missing(c) {
			continue
		}
		if re, err := regexp.Compile("^(?:" + k.Name + ")$"); err == nil && re.MatchString(address) {
			return true
		}
	}
	return false
}

// Visible tells whether anything at all is allowed on a table or in a
// database: what is shown of it.
func (r *Rights) Visible(path ...string) bool {
	at := &r.root
	for _, name := range path {
		at = at.find(name)
	}
	something := privileges().atLevel[LevelDatabase].or(privileges().atLevel[LevelTable]).or(privileges().atLevel[LevelColumn])
	none := func(n *node) bool { return n.has.and(something).empty() }
	return !none(at) || at.some(none)
}

// Add joins other rights in: what either allows is allowed.
func (r *Rights) Add(o *Rights) { r.root = *union(&r.root, &o.root) }

// union joins two trees. What one takes away from a part the other may give.
func union(a, b *node) *node {
	out := &node{has: a.has.or(b.has), option: a.option.or(b.option)}
	for _, n := range []*node{a, b} {
		for k := range n.children {
			if out.children[k] != nil {
				continue
			}
			if out.children == nil {
				out.children = map[PathPart]*node{}
			}
			out.children[k] = union(a.exactly(k), b.exactly(k))
		}
	}
	out.prune()
	return out
}

// exactly gives the node of a part, or what holds for it without one.
func (n *node) exactly(k PathPart) *node {
	if c := n.children[k]; c != nil {
		return c
	}
	return n.prefix(k.Name)
}

// clone copies a node with all below it: what a name begins with when its own
// node is made.
func (n *node) clone() *node {
	out := &node{has: n.has, option: n.option}
	for k, c := range n.children {
		if out.children == nil {
			out.children = map[PathPart]*node{}
		}
		out.children[k] = c.clone()
	}
	return out
}

// same tells whether two trees say the same.
func (n *node) same(o *node) bool {
	if n.has != o.has || n.option != o.option || len(n.children) != len(o.children) {
		return false
	}
	for k, c := range n.children {
		if d := o.children[k]; d == nil || !c.same(d) {
			return false
		}
	}
	return true
}

// Grants gives grants that make these rights when they are applied in their
// order: what holds at large before what is other in parts of it.
func (r *Rights) Grants() []Grant {
	l := &listing{}
	l.node(nil, &r.root)
	return l.out
}

// listing makes rights anew and notes how.
type listing struct {
	made Rights
	out  []Grant
}

// now gives the node of a path as it has been made so far.
func (l *listing) now(path []PathPart) *node {
	n := &l.made.root
	for _, p := range path {
		n = n.exactly(p)
	}
	return n
}

func (l *listing) add(path []PathPart, s Set, option, revoke bool) {
	if s.empty() {
		return
	}
	g := Grant{Access: s.names(), Path: path, Option: option, Revoke: revoke}
	if len(path) == 3 {
		g.Path, g.Columns = path[:2], []string{path[2].Name}
	}
	l.out = append(l.out, g)
	_ = l.made.Apply(g) // its words are from the table
}

func (l *listing) node(path []PathPart, want *node) {
	l.add(path, l.now(path).has.minus(want.has), false, true)
	l.add(path, want.option.minus(l.now(path).option), true, false)
	l.add(path, want.has.minus(l.now(path).has), false, false)
	l.add(path, l.now(path).option.minus(want.option), true, true)
	seen := map[PathPart]bool{}
	for _, n := range []*node{want, l.now(path)} {
		for k := range n.children {
			seen[k] = true
		}
	}
	keys := make([]PathPart, 0, len(seen))
	for k := range seen {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		if keys[i].Name != keys[j].Name {
			return keys[i].Name < keys[j].Name
		}
		return keys[i].Prefix && !keys[j].Prefix
	})
	for _, k := range keys {
		l.node(append(append([]PathPart(nil), path...), k), want.exactly(k))
	}
}

// Target gives what stands behind ON.
func (g Grant) Target() string {
	named := len(g.Access) > 0
	for _, a := range g.Access {
		p, err := lookup(a)
		named = named && err == nil && privileges().list[p].level == LevelNamed
	}
	part := func(p PathPart) string {
		s := quote(p.Name)
		if p.Prefix {
			s += "*"
		}
		return s
	}
	switch {
	case named && len(g.Path) == 0:
		return "*"
	case named && len(g.Path) == 2:
		return part(g.Path[0]) + "(" + text(g.Path[1].Name) + ")"
	case named:
		return part(g.Path[0])
	case len(g.Path) == 0:
		return "*.*"
	case len(g.Path) == 1:
		return part(g.Path[0]) + ".*"
	}
	return part(g.Path[0]) + "." + part(g.Path[1])
}

// Words gives the privileges with their columns: SELECT(a, b), INSERT.
func (g Grant) Words() string {
	words := append([]string(nil), g.Access...)
	if len(g.Columns) > 0 {
		names := make([]string, len(g.Columns))
		for i, c := range g.Columns {
			names[i] = quote(c)
		}
		for i := range words {
			words[i] += "(" + strings.Join(names, ", ") + ")"
		}
	}
	return strings.Join(words, ", ")
}

// Statements gives GRANT and REVOKE statements that make rights. Columns and
// privileges of one thing share a statement.
func Statements(r *Rights, to string) []string {
	var out []string
	list := merged(r.Grants())
	for i := 0; i < len(list); {
		g := list[i]
		words := g.Words()
		for i++; i < len(list) && sameTarget(list[i], g); i++ {
			words += ", " + list[i].Words()
		}
		switch {
		case g.Revoke && g.Option:
			out = append(out, "REVOKE GRANT OPTION FOR "+words+" ON "+g.Target()+" FROM "+quote(to))
		case g.Revoke:
			out = append(out, "REVOKE "+words+" ON "+g.Target()+" FROM "+quote(to))
		case g.Option:
			out = append(out, "GRANT "+words+" ON "+g.Target()+" TO "+quote(to)+" WITH GRANT OPTION")
		default:
			out = append(out, "GRANT "+words+" ON "+g.Target()+" TO "+quote(to))
		}
	}
	return out
}

func sameTarget(a, b Grant) bool {
	return a.Target() == b.Target() && a.Option == b.Option && a.Revoke == b.Revoke
}

// merged joins grants of the same privileges on several columns, and parts
// what is named from what is not, as they cannot share an ON.
func merged(list []Grant) []Grant {
	var out []Grant
	for _, g := range list {
		for _, part := range g.parts() {
			if n := len(out) - 1; n >= 0 && len(part.Columns) > 0 && len(out[n].Columns) > 0 && sameTarget(out[n], part) &&
				strings.Join(out[n].Access, ",") == strings.Join(part.Access, ",") {
				out[n].Columns = append(append([]string(nil), out[n].Columns...), part.Columns...)
				continue
			}
			out = append(out, part)
		}
	}
	return out
}

// parts splits a grant of everything at large only where it is not ALL.
func (g Grant) parts() []Grant {
	if len(g.Access) < 2 || len(g.Path) > 0 {
		return []Grant{g}
	}
	plain, named := g, g
	plain.Access, named.Access = nil, nil
	for _, a := range g.Access {
		if p, err := lookup(a); err == nil && privileges().list[p].level == LevelNamed {
			named.Access = append(named.Access, a)
		} else {
			plain.Access = append(plain.Access, a)
		}
	}
	var out []Grant
	for _, x := range []Grant{plain, named} {
		if len(x.Access) > 0 {
			out = append(out, x)
		}
	}
	return out
}

var bare = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// quote gives a name, in backquotes where it needs them.
func quote(s string) string {
	if bare.MatchString(s) {
		return s
	}
	return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(s) + "`"
}

// text gives a string literal.
func text(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}
