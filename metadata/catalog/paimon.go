package catalog

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/metadata/paimon"
	"lakeserver/objstore"
)

// PaimonTable is a Paimon table as a catalog has it. It is immutable.
type PaimonTable struct {
	ID       string
	Path     string // address of its folder
	SchemaID int64
	// Access reaches the table's files; nil: what the catalog was opened with.
	Access *objstore.Access
}

// Paimon is a catalog of Paimon tables. Errors carry codes: UNKNOWN_TABLE,
// TABLE_ALREADY_EXISTS, NETWORK_ERROR, DATALAKE_DATABASE_ERROR; none names a
// secret. It is safe for concurrent use. A name may end in $branch_<name>.
type Paimon interface {
	Databases(ctx context.Context) ([]string, error)
	Tables(ctx context.Context, database string) ([]string, error)
	Load(ctx context.Context, id Identifier) (*PaimonTable, error)
	// Create makes a table, and its database when it is missing.
	Create(ctx context.Context, id Identifier, def *paimon.Schema) error
	Drop(ctx context.Context, id Identifier) error
	Rename(ctx context.Context, from, to Identifier) error
}

// PaimonVersions is a Paimon catalog that keeps the tables' versions itself:
// schemas and snapshots change through it alone (paimon.md §3.12, §5.2).
type PaimonVersions interface {
	// Latest gives the newest snapshot, nil for none.
	Latest(ctx context.Context, id Identifier) (*paimon.Snapshot, error)
	// CommitSnapshot sends a prepared request, once. false: another snapshot took
	// the place; after an error nobody knows.
	CommitSnapshot(ctx context.Context, id Identifier, request []byte) (bool, error)
	// Alter makes of one schema the next.
	Alter(ctx context.Context, id Identifier, from, to *paimon.Schema) error
}

// PaimonOptions say which catalog is meant and how it is reached.
type PaimonOptions struct {
	Type      string // paimon_rest, paimon_filesystem
	URL       string
	Warehouse string

	Token                         string // bearer
	DLFKeyID, DLFSecret, DLFToken string
	Region                        string
	DLFAlgorithm                  string // default, openapi; "" by the host
	Storage                       objstore.Access
	Stores                        *objstore.Registry
}

// OpenPaimon makes the client of a catalog; nothing is sent yet.
func OpenPaimon(o PaimonOptions) (Paimon, error) {
	switch o.Type {
	case "paimon_rest":
		return newPaimonREST(o)
	case "paimon_filesystem":
		return newPaimonFiles(o)
	}
	return nil, cherr.New(cherr.BadArguments, "Unexpected value of DatabaseDataLakeCatalogType: '%s'", o.Type)
}

// database gives the database of a table's name, which has one level.
func database(id Identifier) (string, error) {
	if len(id.Namespace) != 1 {
		return "", cherr.New(cherr.UnknownTable, "`%s` is no name of a table in a Paimon catalog: it is database.table", id)
	}
	return id.Namespace[0], nil
}
