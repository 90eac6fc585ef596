package functions

import "context"

// DatabaseEngine describes databases whose tables a catalog elsewhere keeps.
type DatabaseEngine struct {
	Name string
	Doc  Doc
	// Serves tells which databases are this engine's where several families have
	// one of the name; nil: all others.
	Serves func(req *OpenRequest) bool
	// Open reads the arguments and settings; the catalog is not asked yet, so
	// that a server starts without it.
	Open func(ctx context.Context, env *Env, req *OpenRequest) (External, error)
}

// External is one such database. It is safe for concurrent use.
type External interface {
	// Check fails when a query may not make such a database, or when its
	// catalog does not answer.
	Check(ctx context.Context, env *Env) error
	// Names lists the tables, in order.
	Names(ctx context.Context) ([]string, error)
	Has(ctx context.Context, name string) (bool, error)
	Rename(ctx context.Context, env *Env, from, to string) error
	// Table gives what opens, makes and drops the table of a name, whether
	// there is one or not.
	Table(name string) *Engine
}

// Viewer is an External that has views besides tables.
type Viewer interface {
	// View gives a view's query and the prefix of table names in it;
	// UNKNOWN_TABLE when there is no such view.
	View(ctx context.Context, name string) (sql, prefix string, err error)
}
