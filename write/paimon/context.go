package paimon

import (
	"context"
	"maps"
	"strings"

	"lakeserver/cherr"
	"lakeserver/memory"
	"lakeserver/metadata/paimon"
	"lakeserver/objstore"
)

// Identifier names a table in a catalog. Table may end with $branch_name.
type Identifier struct{ Database, Table string }

// split gives the table's own name and the branch, "" for main.
func (id Identifier) split() (table, branch string) {
	table, branch, _ = strings.Cut(id.Table, "$branch_")
	return table, branch
}

// String gives database.table.
func (id Identifier) String() string { return id.Database + "." + id.Table }

// CatalogTable is what a catalog knows of a table.
type CatalogTable struct {
	// ManagesVersions: snapshots are published by the catalog, not by files.
	ManagesVersions bool
	Store           objstore.Store // nil: the context's
	UUID            string
	SchemaID        int64
}

// Catalog is what commits ask of a catalog.
type Catalog interface {
	LoadTable(ctx context.Context, id Identifier) (*CatalogTable, error)
	// LatestSnapshot gives the newest snapshot that the catalog knows, nil for none.
	LatestSnapshot(ctx context.Context, id Identifier) (*paimon.Snapshot, error)
	// CommitSnapshot gives false when another snapshot took the place. After an
	// error nobody knows.
	CommitSnapshot(ctx context.Context, id Identifier, request []byte) (bool, error)
}

// Executor runs n pieces of work, some at once, and gives the first error. The
// commit's own is two at a time.
type Executor func(ctx context.Context, n int, work func(i int) error) error

// Context says where and how commits are made. It is made by a ContextBuilder
// and immutable.
type Context struct {
	Root, User, Branch  string
	Options             map[string]string // over those of the table's schema
	IgnoreEmptyCommit   bool
	UseRESTCommit       bool
	AppendCheckConflict bool
	FormatTable         bool
	TableID             *string
	Catalog             Catalog
	Identifier          *Identifier
	Store               objstore.Store
	Memory              *memory.Tracker
	Executor            Executor
	storeGiven          bool
}

// ContextBuilder collects the parts of a Context. It is for one goroutine.
type ContextBuilder struct {
	c       Context
	catalog bool
}

// NewContextBuilder starts with a table's folder and the name under which
// commits are made.
func NewContextBuilder(root, user string) *ContextBuilder {
	b := &ContextBuilder{}
	b.reset(root, user)
	return b
}

func (b *ContextBuilder) reset(root, user string) {
	*b = ContextBuilder{c: Context{Root: root, User: user, IgnoreEmptyCommit: true, Options: map[string]string{}}}
}

// AddOption sets one option over the table's own.
func (b *ContextBuilder) AddOption(name, value string) *ContextBuilder {
	b.c.Options[name] = value
	return b
}

// SetOptions replaces all options that were added before.
func (b *ContextBuilder) SetOptions(options map[string]string) *ContextBuilder {
	b.c.Options = maps.Clone(options)
	if b.c.Options == nil {
		b.c.Options = map[string]string{}
	}
	return b
}

// IgnoreEmptyCommit says whether a commit without changes makes no snapshot,
// which is the default.
func (b *ContextBuilder) IgnoreEmptyCommit(ignore bool) *ContextBuilder {
	b.c.IgnoreEmptyCommit = ignore
	return b
}

// UseRESTCatalogCommit prepares requests for a REST catalog instead of
// publishing; LastCommitTableRequest gives them.
func (b *ContextBuilder) UseRESTCatalogCommit(use bool) *ContextBuilder {
	b.c.UseRESTCommit = use
	return b
}

// WithCatalog publishes through a catalog.
func (b *ContextBuilder) WithCatalog(c Catalog, id *Identifier) *ContextBuilder {
	b.c.Catalog, b.c.Identifier, b.catalog = c, id, true
	return b
}

// WithIdentifier names the table, with its branch, without a catalog.
func (b *ContextBuilder) WithIdentifier(id *Identifier) *ContextBuilder {
	b.c.Identifier = id
	return b
}

// WithTableID gives the id that a catalog knows the table by.
func (b *ContextBuilder) WithTableID(id string) *ContextBuilder {
	b.c.TableID = &id
	return b
}

// AppendCommitCheckConflict checks also plain appends against the live files.
func (b *ContextBuilder) AppendCommitCheckConflict(check bool) *ContextBuilder {
	b.c.AppendCheckConflict = check
	return b
}

// WithFileSystem says where the table's files are.
func (b *ContextBuilder) WithFileSystem(s objstore.Store) *ContextBuilder {
	b.c.Store, b.c.storeGiven = s, true
	return b
}

// WithMemoryPool counts what commits hold.
func (b *ContextBuilder) WithMemoryPool(m *memory.Tracker) *ContextBuilder {
	b.c.Memory = m
	return b
}

// WithExecutor runs the reading of manifests and the checks of files.
func (b *ContextBuilder) WithExecutor(e Executor) *ContextBuilder {
	b.c.Executor = e
	return b
}

// FormatTable says that the folder is a table without snapshots, whose files
// alone are published. It needs no commit user.
func (b *ContextBuilder) FormatTable() *ContextBuilder {
	b.c.FormatTable = true
	return b
}

// Finish gives the context and resets the builder; after an error the builder
// stays as it is, to be corrected.
func (b *ContextBuilder) Finish() (*Context, error) {
	c := b.c
	if err := b.check(&c); err != nil {
		return nil, err
	}
	if c.Store == nil {
		c.Store = objstore.NewUnrestricted("/")
	}
	c.Root = strings.TrimRight(c.Root, "/") + "/"
	b.reset("", "")
	return &c, nil
}

func (b *ContextBuilder) check(c *Context) error {
	switch {
	case strings.Trim(c.Root, "/ ") == "":
		return invalid("the root path of a commit is empty")
	case c.FormatTable:
		return b.checkFormatTable(c)
	case c.User == "":
		return invalid("the commit user is empty")
	case b.catalog && c.UseRESTCommit:
		return invalid("a commit either goes to the catalog or is prepared as a request for it, not both")
	case b.catalog && c.Catalog == nil:
		return invalid("cannot commit through a null catalog")
	case b.catalog && c.Identifier == nil:
		return invalid("a catalog commit requires a table identifier")
	case c.TableID != nil && !b.catalog && !c.UseRESTCommit:
		return invalid("a table id needs a commit to a catalog, or one prepared as a request for it")
	}
	return b.branch(c)
}

// branch finds the one branch that the identifier and the option name.
func (b *ContextBuilder) branch(c *Context) error {
	option, named := c.Options["branch"]
	if c.Identifier != nil {
		_, c.Branch = c.Identifier.split()
	}
	switch {
	case !named:
	case c.Identifier != nil && c.Branch == "" && option != paimon.MainBranch:
		return invalid("branch `%s` is named by an option only: name the table %s$branch_%s", option, c.Identifier, option)
	case c.Branch != "" && option != c.Branch:
		return invalid("the table's name says branch `%s`, the option says `%s`", c.Branch, option)
	default:
		c.Branch = option
	}
	if strings.ContainsAny(c.Branch, `$/\`) || c.Branch != paimon.MainBranch && strings.EqualFold(c.Branch, paimon.MainBranch) || named && c.Branch == "" {
		return invalid("`%s` is not a branch", c.Branch)
	}
	if c.Branch == paimon.MainBranch {
		c.Branch = ""
	}
	return nil
}

func (b *ContextBuilder) checkFormatTable(c *Context) error {
	_, option := c.Options["branch"]
	refused := func(what string) error { return invalid("a format table has no %s", what) }
	if c.Identifier != nil {
		if _, branch := c.Identifier.split(); branch != "" {
			return refused("branch")
		}
	}
	switch {
	case option:
		return refused("branch")
	case !c.IgnoreEmptyCommit:
		return refused("snapshots: IgnoreEmptyCommit(false) cannot be asked")
	case c.UseRESTCommit:
		return refused("snapshots: UseRESTCatalogCommit cannot be asked")
	case c.AppendCheckConflict:
		return refused("snapshots: AppendCommitCheckConflict cannot be asked")
	case c.storeGiven:
		return refused("file system but the catalog's")
	}
	return nil
}

func invalid(format string, args ...any) error {
	return cherr.New(cherr.BadArguments, format, args...)
}
