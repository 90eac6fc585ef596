package restcatalog

import (
	"context"

	"lakeserver/metadata/iceberg"
)

// Identifier names a table.
type Identifier struct{ Namespace, Name string }

// Warehouse is the server's own tables. It asks for no rights. Metadata that
// it gives names its whole path as File. Errors: UNKNOWN_DATABASE,
// UNKNOWN_TABLE, TABLE_ALREADY_EXISTS. It is safe for concurrent use.
type Warehouse interface {
	// Namespaces lists the databases that may hold such tables, in order.
	Namespaces() []string
	// Tables lists those of a namespace, in order.
	Tables(namespace string) []string
	// Location is the folder of a namespace.
	Location(namespace string) string
	Load(ctx context.Context, id Identifier) (*iceberg.TableMetadata, error)
	// Commit makes the updates if the requirements hold: iceberg.ErrRequirement.
	Commit(ctx context.Context, id Identifier, reqs []iceberg.Requirement, ups []iceberg.Update) (*iceberg.TableMetadata, error)
	// Place chooses the folder of a new table.
	Place(ctx context.Context, id Identifier) (location string, err error)
	// Create makes a table at the metadata's location, which must be a place
	// for tables of the namespace.
	Create(ctx context.Context, id Identifier, m *iceberg.TableMetadata) (*iceberg.TableMetadata, error)
	// Register names a table that lies in the warehouse without a name.
	Register(ctx context.Context, id Identifier, file string) (*iceberg.TableMetadata, error)
	// Forget takes a table's name away; its files stay.
	Forget(ctx context.Context, id Identifier) error
	// Unclear tells whether an error leaves open if a commit landed.
	Unclear(err error) bool
}
