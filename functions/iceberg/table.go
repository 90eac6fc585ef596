package iceberg

import (
	"context"
	"slices"
	"sync"
	"time"

	"lakeserver/cherr"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/metadata"
	"lakeserver/metadata/iceberg"
	"lakeserver/pruning"
	"lakeserver/read"
	"lakeserver/settings"
	"lakeserver/table"
	"lakeserver/timetravel"
	"lakeserver/types"
	write "lakeserver/write/iceberg"
)

// Table is an Iceberg table pinned to one snapshot. It is immutable and safe
// for concurrent use.
type Table struct {
	path     string
	src      *read.Source
	settings *settings.Settings
	swapper  write.Swapper
	line     *write.Line
	format   string // of new data files, "" as the table says
	open     bool   // changes need no setting
	bind     func(ctx context.Context, columns []table.Column, text string) ([]expr.Expr, error)
	zone     *time.Location
	// serverZone is in which the times of EXECUTE are meant.
	serverZone *time.Location
	hinted     bool
	columns    []table.Column
	virtual    []table.Column
	all        []read.Column // columns, then virtual columns

	mu    sync.Mutex
	whole *read.Plan // without a filter, once planned
	// wholeKnows are the columns whose statistics its files know.
	wholeKnows []int

	skip map[string]bool // data files that are not read; nil: all are
}

func newTable(path string, l *metadata.Loader, m *iceberg.TableMetadata, v timetravel.Version, env *functions.Env, hinted bool) (*Table, error) {
	t := &Table{
		path: path, settings: env.Settings, zone: env.Zone, serverZone: env.ServerZone, hinted: hinted,
		src: &read.Source{Loader: l, Meta: m, Snapshot: v.Snapshot, Schema: v.Schema, Paths: iceberg.NewPathMapper(path, m.Location)},
	}
	for i := range v.Schema.Fields {
		f := &v.Schema.Fields[i]
		ct, err := iceberg.ClickHouseType(f)
		if err != nil {
			return nil, cherr.Wrap(err, "reading column `%s` of Iceberg table %s", f.Name, path)
		}
		t.columns = append(t.columns, table.Column{Name: f.Name, Type: ct, Comment: f.Doc})
		t.all = append(t.all, read.Column{Name: f.Name, Type: ct, Field: f})
	}
	for _, c := range virtualColumns {
		if hasColumn(t.columns, c.Name) {
			continue // a stored column hides the virtual one
		}
		t.virtual = append(t.virtual, table.Column{Name: c.Name, Type: c.Type})
		t.all = append(t.all, c)
	}
	return t, nil
}

var lowString = types.LowCardinality(types.String)

var virtualColumns = []read.Column{
	{Name: "_path", Type: lowString, Virtual: read.VirtualPath},
	{Name: "_file", Type: lowString, Virtual: read.VirtualFile},
	{Name: "_size", Type: types.Nullable(types.UInt64), Virtual: read.VirtualSize},
	{Name: "_time", Type: types.Nullable(types.DateTime), Virtual: read.VirtualTime},
	{Name: "_etag", Type: lowString, Virtual: read.VirtualETag},
	{Name: "_tags", Type: types.Map(types.String, types.String), Virtual: read.VirtualTags},
	{Name: "_data_lake_snapshot_version", Type: types.Nullable(types.UInt64), Virtual: read.VirtualVersion},
	{Name: "_row_number", Type: types.Nullable(types.Int64), Virtual: read.VirtualRow},
	{Name: "_iceberg_metadata_file_path", Type: lowString, Virtual: read.VirtualMeta},
	{Name: "_row_id", Type: types.Nullable(types.Int64), Virtual: read.VirtualRowID},
	{Name: "_last_updated_sequence_number", Type: types.Nullable(types.Int64), Virtual: read.VirtualLast},
}

func hasColumn(cols []table.Column, name string) bool {
	for i := range cols {
		if cols[i].Name == name {
			return true
		}
	}
	return false
}

// Columns gives the columns of the version's schema.
func (t *Table) Columns() []table.Column { return t.columns }

// VirtualColumns gives the columns that * does not show.
func (t *Table) VirtualColumns() []table.Column { return t.virtual }

// settingsOf gives a request's settings, or those of the opening query.
func (t *Table) settingsOf(req *table.ScanRequest) *settings.Settings {
	if req != nil && req.Settings != nil {
		return req.Settings
	}
	return t.settings
}

// compile makes the pruning filter of a request; row groups are judged by it
// whatever use_iceberg_partition_pruning says of files.
func (t *Table) compile(req *table.ScanRequest) *pruning.Filter {
	if len(req.Filter) == 0 {
		return nil
	}
	var filter []expr.Expr
	for _, e := range req.Filter {
		if expr.Deterministic(e) {
			filter = append(filter, e)
		}
	}
	return pruning.New(filter, t.pruneColumn, t.zone)
}

func (t *Table) pruneColumn(i int) pruning.Column {
	if i >= len(t.columns) {
		return pruning.Column{Field: -1, Type: t.all[i].Type}
	}
	return fieldColumn(t.all[i].Field)
}

// fieldColumn describes a field to pruning: leaves by their id, structs by
// their fields; lists and maps say nothing.
func fieldColumn(f *iceberg.Field) pruning.Column {
	ct, err := iceberg.ClickHouseType(f)
	if err != nil {
		return pruning.Column{Field: -1, Type: types.String}
	}
	c := pruning.Column{Field: f.ID, Type: ct}
	switch f.Type.Kind {
	case iceberg.Struct:
		c.Field = -1
		c.Inner = func(i int) (pruning.Column, bool) {
			if i >= len(f.Type.Fields) {
				return pruning.Column{}, false
			}
			return fieldColumn(&f.Type.Fields[i]), true
		}
	case iceberg.List, iceberg.Map, iceberg.Variant, iceberg.Unknown:
		c.Field = -1
	}
	return c
}

// planFor lists the files for a request. The files know what the statistics
// say of the filter's columns, of the top-N's and of the keys' columns.
func (t *Table) planFor(ctx context.Context, req *table.ScanRequest, f *pruning.Filter) (*read.Plan, error) {
	if !t.settingsOf(req).Bool("use_iceberg_partition_pruning") {
		f = nil
	}
	var also []int
	if req.TopN != nil {
		also = t.fieldID(also, req.TopN.Column)
	}
	for _, k := range req.Keys {
		also = t.fieldID(also, k.Column)
	}
	return t.plan(ctx, f, also...)
}

// fieldID appends the id of a stored column.
func (t *Table) fieldID(ids []int, column int) []int {
	if column < len(t.columns) {
		ids = append(ids, t.all[column].Field.ID)
	}
	return ids
}

// plan lists the files for a filter; the plan without a filter is kept, since
// one query asks for it more than once. The files know the statistics of the
// filter's columns and of also.
func (t *Table) plan(ctx context.Context, f *pruning.Filter, also ...int) (*read.Plan, error) {
	if f == nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.whole != nil && !slices.ContainsFunc(also, func(id int) bool { return !slices.Contains(t.wholeKnows, id) }) {
			return t.whole, nil
		}
	}
	p, err := read.PlanIceberg(ctx, t.src, pruning.NewIceberg(f, t.src.Schema), also...)
	if err != nil {
		return nil, err
	}
	p = t.skipped(p)
	if f == nil {
		t.whole, t.wholeKnows = p, also
	}
	return p, nil
}
