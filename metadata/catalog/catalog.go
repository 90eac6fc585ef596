package catalog

import (
	"context"
	"errors"
	"strings"

	"lakeserver/cherr"
	"lakeserver/metadata/iceberg"
	"lakeserver/objstore"
)

// ErrConflict says that a commit came too late: the table is not what the
// change was made for.
var ErrConflict = errors.New("the catalog has another version of the table")

// ErrUnknown says that nobody can tell whether a commit landed.
var ErrUnknown = errors.New("the catalog did not say whether the commit landed")

// Identifier names a table.
type Identifier struct {
	Namespace []string
	Name      string
}

// ParseIdentifier reads a.b.t: what stands behind the last dot is the name.
func ParseIdentifier(s string) (Identifier, error) {
	parts := strings.Split(s, ".")
	for _, p := range parts {
		if p == "" {
			return Identifier{}, cherr.New(cherr.UnknownTable, "`%s` is no name of a table in a catalog: it is namespace.table", s)
		}
	}
	if len(parts) < 2 {
		return Identifier{}, cherr.New(cherr.UnknownTable, "`%s` is no name of a table in a catalog: it is namespace.table", s)
	}
	return Identifier{parts[:len(parts)-1], parts[len(parts)-1]}, nil
}

func (id Identifier) String() string {
	return strings.Join(append(append([]string(nil), id.Namespace...), id.Name), ".")
}

// Table is a table as a catalog has it. It is immutable.
type Table struct {
	Meta *iceberg.TableMetadata // its File is the metadata's location
	// Access reaches the table's files; nil: what the catalog was opened with.
	Access *objstore.Access
	// token is what Commit compares by, where that is not the metadata.
	token string
}

// Catalog is one catalog service, and one warehouse of it. Errors carry codes:
// UNKNOWN_TABLE, TABLE_ALREADY_EXISTS, NETWORK_ERROR, DATALAKE_DATABASE_ERROR;
// none names a secret. It is safe for concurrent use.
type Catalog interface {
	// Namespaces gives all of them, nested ones too.
	Namespaces(ctx context.Context) ([][]string, error)
	// Tables gives the tables of a namespace, not of those in it.
	Tables(ctx context.Context, namespace []string) ([]Identifier, error)
	Load(ctx context.Context, id Identifier) (*Table, error)
	// Create makes a table of its first metadata; without a location the
	// catalog chooses one. The namespace is made when it is missing.
	Create(ctx context.Context, id Identifier, def *iceberg.TableMetadata) (*Table, error)
	Drop(ctx context.Context, id Identifier, purge bool) error
	Rename(ctx context.Context, from, to Identifier) error
	// Commit replaces base by what the updates make of it; ErrConflict and
	// ErrUnknown as they say, any other error means that nothing has changed.
	Commit(ctx context.Context, id Identifier, base *Table, reqs []iceberg.Requirement, ups []iceberg.Update) (*Table, error)
	// DefaultLocation gives where a new table's files should be, "" when the
	// catalog decides.
	DefaultLocation(ctx context.Context, id Identifier) (string, error)
}

// Options say which catalog is meant and how it is reached.
type Options struct {
	Type      string // rest, glue, unity, hive
	URL       string
	Warehouse string

	Credential  string // client:secret, or a token
	Scope       string
	TokenURL    string
	TokenInBody bool
	AuthHeader  string // "Name: value"
	Vended      bool   // ask for credentials to tables' files

	// Storage reaches tables' files where the catalog vends nothing; its keys
	// sign requests to Glue, too.
	Storage objstore.Access
	Stores  *objstore.Registry
	Region  string
}

// Open makes the client of a catalog; nothing is sent yet.
func Open(o Options) (Catalog, error) {
	switch o.Type {
	case "rest":
		return newREST(o)
	case "glue":
		return newGlue(o)
	case "unity":
		return newUnity(o)
	case "hive":
		return newHive(o)
	case "":
		return nil, cherr.New(cherr.BadArguments, "Unspecified catalog type.")
	case "onelake", "biglake", "delta_sharing", "paimon_rest":
		return nil, cherr.New(cherr.NotImplemented, "Catalogs of the type '%s' are not supported", o.Type)
	}
	return nil, cherr.New(cherr.BadArguments, "Unexpected value of DatabaseDataLakeCatalogType: '%s'. Must be one of ['rest', 'glue', 'unity', 'hive']", o.Type)
}

// listAtOnce bounds the requests of one listing, as ClickHouse's threads do.
const listAtOnce = 50

// List gives the tables of all namespaces. Names that a namespace cannot list
// are left out while others can be: err is given only when nothing was.
func List(ctx context.Context, c Catalog) ([]Identifier, error) {
	spaces, err := c.Namespaces(ctx)
	if err != nil {
		return nil, err
	}
	found := make([][]Identifier, len(spaces))
	errs := make([]error, len(spaces))
	g, gctx := cherr.NewGroup(ctx)
	g.SetLimit(listAtOnce)
	for i, ns := range spaces {
		g.Go(func() error { // one listing each
			found[i], errs[i] = c.Tables(gctx, ns)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var out []Identifier
	failed := 0
	for i := range found {
		if errs[i] != nil {
			failed++
		}
		out = append(out, found[i]...)
	}
	if failed > 0 && failed == len(spaces) {
		return nil, errors.Join(errs...)
	}
	return out, ctx.Err()
}

func unknownTable(id Identifier) error {
	return cherr.New(cherr.UnknownTable, "There is no table `%s` in the catalog", id)
}

func exists(id Identifier) error {
	return cherr.New(cherr.TableAlreadyExists, "Table `%s` is in the catalog already", id)
}
