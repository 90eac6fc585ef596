package system

import (
	"context"
	_ "embed"
	"strings"
	"time"

	"lakeserver/access"
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/database"
	"lakeserver/functions"
	"lakeserver/table"
	"lakeserver/types"
)

// Source is what the tables tell of. Functions are called for each scan and
// must be safe for concurrent use; nil ones give no rows.
type Source struct {
	Catalog  *database.Catalog
	Registry *functions.Registry

	Formats   func() []Format
	Processes func() []Query
	QueryLog  func() []Query
	Events    func() map[string]int64
	Metrics   func() map[string]int64
	// Access is the store of users and rights; nil: there is none.
	Access   *access.Store
	Clusters func() []Node
	Keywords func() []string
	// Collections are the named collections with what may be shown of them.
	Collections func(env *functions.Env) []Collection
	// Cached are the ranges that caches on disk hold.
	Cached     func() []CacheSegment
	CreateText func(e *database.Entry) string // for create_table_query
	// Present gives an entry as its table is now; nil: as it was created.
	Present func(ctx context.Context, env *functions.Env, e *database.Entry) *database.Entry
	Started time.Time
	DataDir string
	// Extra are further tables of the database system: those of lake formats.
	Extra []*database.Entry
}

// Format describes one format for system.formats.
type Format struct {
	Name          string
	Input, Output bool
	ContentType   string
}

// CacheSegment is a range of a file that a cache on disk holds.
type CacheSegment struct {
	Cache, Folder, Path, Content string
	Offset, Length, Hits         int64
	Since                        time.Time
}

// Collection describes a named collection.
type Collection struct {
	Name, Source, CreateText string
	Values                   map[string]string
}

// Query is a running or finished query.
type Query struct {
	ID, User, Database, Text, Kind string
	Interface, Client, Address     string
	Started                        time.Time
	Elapsed                        time.Duration
	ReadRows, ReadBytes, TotalRows int64
	WrittenRows, WrittenBytes      int64
	ResultRows, ResultBytes        int64
	Memory, PeakMemory             int64
	Cancelled                      bool
	Code                           cherr.Code
	Message                        string
	Settings                       map[string]string
	Events                         map[string]int64
}

// Node is a replica of a configured cluster.
type Node struct {
	Cluster, Host string
	Shard         uint32
	Replica       uint32
	Port          uint16
	User          string
	Local         bool
}

//go:embed schema.tsv
var schemaTSV string

//go:embed information_schema.tsv
var informationTSV string

// fill gives a table's rows; env is the asking query's.
type fill func(src *Source, env *functions.Env, r *rows) error

// systemTables are the tables that have rows.
var systemTables = map[string]fill{
	"one":       func(_ *Source, _ *functions.Env, r *rows) error { r.next(); return nil },
	"databases": fillDatabases, "tables": fillTables, "columns": fillColumns,
	"functions": fillFunctions, "table_functions": fillTableFunctions, "table_engines": fillTableEngines,
	"database_engines": fillDatabaseEngines, "aggregate_function_combinators": fillCombinators,
	"settings": fillSettings, "settings_changes": nil, "errors": fillErrors, "formats": fillFormats,
	"data_type_families": fillTypes, "time_zones": fillTimeZones, "processes": fillProcesses, "query_log": fillQueryLog,
	"events": fillEvents, "metrics": fillMetrics, "asynchronous_metrics": fillAsynchronousMetrics,
	"named_collections": fillNamedCollections, "filesystem_cache": fillFilesystemCache,
	"clusters": fillClusters, "build_options": fillBuildOptions, "contributors": fillContributors, "keywords": fillKeywords,
	"completions": fillCompletions, "disks": fillDisks, "server_settings": fillServerSettings,
	"collations": fillCollations, "user_processes": fillUserProcesses, "macros": nil,
}

// Tables gives the entries of the databases system, information_schema and
// INFORMATION_SCHEMA.
func Tables(src *Source) map[string][]*database.Entry {
	out := map[string][]*database.Entry{"system": src.Extra}
	given := map[string]bool{}
	for _, e := range src.Extra {
		given[e.Name] = true
	}
	for name, cols := range parseSchema(schemaTSV) {
		if given[name] {
			continue
		}
		f := systemTables[name]
		if f == nil {
			f = accessFill(name)
		}
		out["system"] = append(out["system"], entry(src, name, cols, f))
	}
	for _, name := range []string{"numbers", "numbers_mt", "zeros", "zeros_mt"} {
		if f, ok := src.Registry.Table(name); ok {
			out["system"] = append(out["system"], generated(name, f))
		}
	}
	for name, cols := range parseSchema(informationTSV) {
		for _, db := range []string{"information_schema", "INFORMATION_SCHEMA"} {
			for _, n := range []string{name, strings.ToUpper(name)} {
				out[db] = append(out[db], entry(src, n, cols, informationTables[name]))
			}
		}
	}
	return out
}

// generated is a table that a table function without arguments gives.
func generated(name string, f *functions.TableFunction) *database.Entry {
	col := table.Column{Name: "number", Type: types.UInt64}
	if strings.HasPrefix(name, "zeros") {
		col = table.Column{Name: "zero", Type: types.UInt8}
	}
	return &database.Entry{
		Name: name, Columns: []table.Column{col},
		Builtin: func(ctx context.Context, env *functions.Env) (table.Table, error) {
			return f.Open(ctx, env, &functions.OpenRequest{Name: name})
		},
	}
}

func entry(src *Source, name string, cols []table.Column, f fill) *database.Entry {
	return &database.Entry{
		Name: name, Columns: cols,
		Builtin: func(_ context.Context, env *functions.Env) (table.Table, error) {
			return &systemTable{src: src, env: env, columns: cols, fill: f}, nil
		},
	}
}

// parseSchema reads lines of table, column, type, default kind, expression.
func parseSchema(tsv string) map[string][]table.Column {
	out := map[string][]table.Column{}
	for line := range strings.Lines(tsv) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		t, err := types.Parse(f[2])
		if err != nil {
			continue // a type that the server does not have yet: the column is left out
		}
		c := table.Column{Name: f[1], Type: t}
		if len(f) > 4 {
			c.DefaultKind, c.DefaultExpr = f[3], f[4]
		}
		out[f[0]] = append(out[f[0]], c)
	}
	return out
}

// systemTable makes its rows when it is scanned.
type systemTable struct {
	src     *Source
	env     *functions.Env
	columns []table.Column
	fill    fill
}

// Columns implements table.Table.
func (t *systemTable) Columns() []table.Column { return t.columns }

// Scan implements table.Table.
func (t *systemTable) Scan(_ context.Context, req *table.ScanRequest) ([]column.Stream, error) {
	req.Report = &table.Report{}
	r := newRows(t.columns, req.Columns)
	if t.fill != nil {
		if err := t.fill(t.src, t.env, r); err != nil {
			return nil, err
		}
	}
	b := r.block()
	req.Report.RowsRead.Add(int64(b.Rows))
	req.Report.BytesRead.Add(b.Size())
	return []column.Stream{column.Blocks(b)}, nil
}
