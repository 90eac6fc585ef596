package paimon

import (
	"context"
	"slices"
	"sync"
	"time"

	"lakeserver/cherr"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/metadata/paimon"
	"lakeserver/pruning"
	"lakeserver/read"
	"lakeserver/settings"
	"lakeserver/table"
	"lakeserver/timetravel"
	"lakeserver/types"
)

// Table is a Paimon table pinned to one version. It is immutable and safe for
// concurrent use.
type Table struct {
	path     string
	src      *read.Paimon
	settings *settings.Settings
	zone     *time.Location
	columns  []table.Column
	virtual  []table.Column
	all      []read.Column // columns, then virtual columns
	kept     *keptHere     // by a catalog; nil: its folder is the truth
	progress *timetravel.PaimonProgress
	after    func(do func(ctx context.Context) error)
	fallback *Table // of the partitions that this one has not; nil: none

	mu    sync.Mutex
	whole *read.Plan // without a filter, once planned
}

// newTable makes the table of a version. lead and tail are columns that stand
// before and after its own.
func (o *opener) newTable(env *functions.Env, loc location, v timetravel.PaimonVersion, lead, tail []read.Column) (*Table, error) {
	t := &Table{
		path: loc.path, settings: env.Settings, zone: env.Zone, progress: v.Progress, after: env.After, kept: loc.kept,
		src: &read.Paimon{
			Loader: o.loader(loc.store, env.Settings), Shared: o.shared, Dir: v.Dir, Snapshot: v.Snapshot, Schema: v.Schema,
			AsClickHouse: env.Settings.Bool("paimon_clickhouse_types"),
			MergeLevel0:  env.Settings.Bool("paimon_deletion_vectors_merge_on_read") && v.Schema.Options["merge-engine"] != "first-row",
			Unmerged:     env.Settings.Bool("paimon_allow_unmerged_primary_key_reads"),
		},
	}
	if r := v.Range; r != nil {
		t.src.SetRange(r.Mode, r.Snapshots, r.Before)
	}
	add := func(cols []read.Column) {
		for _, c := range cols {
			t.columns = append(t.columns, table.Column{Name: c.Name, Type: c.Type})
			t.all = append(t.all, c)
		}
	}
	add(lead)
	for i := range v.Schema.Fields {
		f := &v.Schema.Fields[i]
		ct, err := paimon.ClickHouseType(f.Type, t.src.AsClickHouse)
		if err != nil {
			return nil, cherr.Wrap(err, "reading column `%s` of Paimon table %s", f.Name, loc.path)
		}
		t.columns = append(t.columns, table.Column{Name: f.Name, Type: ct, Comment: f.Description, Refuses: slices.Contains(v.Schema.PrimaryKeys, f.Name)})
		t.all = append(t.all, read.Column{Name: f.Name, Type: ct, Paimon: f})
	}
	add(tail)
	for _, c := range virtualColumns {
		if hasColumn(t.columns, c.Name) {
			continue // a stored column hides the virtual one
		}
		t.virtual = append(t.virtual, table.Column{Name: c.Name, Type: c.Type})
		t.all = append(t.all, c)
	}
	return t, o.withFallback(t, env, loc, v.Fallback, lead, tail)
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
	{Name: "_bucket", Type: types.Int32, Virtual: read.VirtualBucket},
	{Name: "_level", Type: types.Int32, Virtual: read.VirtualLevel},
	{Name: "_sequence_number", Type: types.Nullable(types.Int64), Virtual: read.VirtualSequence},
	{Name: "_row_kind", Type: lowString, Virtual: read.VirtualKind},
	{Name: "_row_id", Type: types.Nullable(types.Int64), Virtual: read.VirtualRowID},
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

// compile makes the pruning filter of a request.
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

// compileKeys makes the pruning filter of what a request asks of the primary key
// alone.
func (t *Table) compileKeys(req *table.ScanRequest) *pruning.Filter {
	keys := map[int]bool{}
	for _, f := range t.src.Schema.TrimmedKeys() {
		keys[f.ID] = true
	}
	var filter []expr.Expr
	for _, e := range req.Filter {
		if read.OnKeys(e, func(c int) bool { return t.all[c].Paimon != nil && keys[t.all[c].Paimon.ID] }) {
			filter = append(filter, e)
		}
	}
	if len(filter) == 0 {
		return nil
	}
	return pruning.New(filter, t.pruneColumn, t.zone)
}

// pruneColumn describes a column to pruning: flat ones by their field id. Under
// ClickHouse's own types bounds are of another form.
func (t *Table) pruneColumn(i int) pruning.Column {
	c := &t.all[i]
	out := pruning.Column{Field: -1, Type: c.Type}
	if c.Paimon != nil && !t.src.AsClickHouse && !c.Paimon.Type.Nested() && c.Paimon.Type.Kind != paimon.Variant {
		out.Field = c.Paimon.ID
	}
	return out
}

// planFor plans a request. ClickHouse's setting is off by default and named
// after partitions; here pruning is part of reading, and the setting can only
// be set off by hand.
func (t *Table) planFor(ctx context.Context, req *table.ScanRequest, f *pruning.Filter) (*read.Plan, error) {
	if s := t.settingsOf(req); s.Changed("use_paimon_partition_pruning") && !s.Bool("use_paimon_partition_pruning") {
		f = nil
	}
	return t.plan(ctx, f)
}

// plan lists the files for a filter; the plan without a filter is kept, since
// one query asks for it more than once.
func (t *Table) plan(ctx context.Context, f *pruning.Filter) (*read.Plan, error) {
	if f == nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.whole != nil {
			return t.whole, nil
		}
	}
	p, err := read.PlanPaimon(ctx, t.src, pruning.NewPaimon(f, t.src.Schema))
	if err == nil && f == nil {
		t.whole = p
	}
	return p, err
}
