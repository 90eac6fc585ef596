package paimon

import (
	"context"
	"maps"
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/functions"
	"lakeserver/functions/storage"
	"lakeserver/metadata"
	"lakeserver/metadata/paimon"
	"lakeserver/objstore"
	"lakeserver/read"
	"lakeserver/settings"
	"lakeserver/table"
	"lakeserver/timetravel"
)

// opener opens tables by one form of arguments.
type opener struct {
	sources *storage.Sources
	form    *storage.Form
	cache   *metadata.Cache
	shared  *read.Shared
}

// engineSettings are those that a table may be given, by CREATE TABLE or inside
// of a function's parentheses, besides Paimon's own options.
var engineSettings = map[string]bool{
	"paimon_incremental_read": true, "paimon_metadata_refresh_interval_sec": true, "paimon_keeper_path": true,
	"paimon_replica_name": true, "disk": true, "allow_dynamic_metadata_for_data_lakes": true,
}

// splitOptions tells Paimon's options, which have names of their own form, from
// the settings of engines; others are unknown.
func splitOptions(given map[string]string) (options map[string]string, err error) {
	options = map[string]string{}
	for name, v := range given {
		switch _, known := settings.Lookup(name); {
		case engineSettings[name], known:
		case strings.ContainsAny(name, ".-") || name == "bucket" || name == "branch" || name == "type":
			options[name] = v
		default:
			return nil, cherr.New(cherr.UnknownSetting, "Unknown setting '%s'", name)
		}
	}
	if v := given["paimon_incremental_read"]; v == "1" || strings.EqualFold(v, "true") {
		return nil, cherr.New(cherr.NotImplemented, "paimon_incremental_read needs ClickHouse Keeper, which is not supported; paimon_incremental_between and paimon_consumer_id read what is new")
	}
	return options, nil
}

// dynamic gives the options that stand over those of the table's schema. What a
// CREATE TABLE with columns says went into the schema, which may have changed
// since; how to read stays with the definition.
func dynamic(req *functions.OpenRequest, options map[string]string) map[string]string {
	if req.Keep == nil || req.Columns == nil {
		return options
	}
	out := map[string]string{}
	for name, v := range options {
		if strings.HasPrefix(name, "scan.") || strings.HasPrefix(name, "incremental-") || name == "consumer-id" || name == "branch" {
			out[name] = v
		}
	}
	return out
}

// location is where a table lies, and which of its system tables is meant.
type location struct {
	store  objstore.Store
	path   string // ends with /
	branch string
	system string    // "" for the table itself
	kept   *keptHere // nil: its folder is the truth
}

func (l *location) dir() paimon.Dir {
	d := paimon.Dir{Store: l.store, Root: l.path}
	if l.kept != nil {
		d.Branch, d.Head = l.branch, l.kept.head
	}
	return d
}

// locate opens the store of the arguments and gives the table's folder there.
func (o *opener) locate(ctx context.Context, env *functions.Env, req *functions.OpenRequest) (location, error) {
	if disk := req.Options["disk"]; disk != "" {
		return location{}, cherr.New(cherr.UnknownDisk, "Unknown disk %s", disk)
	}
	src, err := o.sources.Open(ctx, env, o.form, req)
	if err != nil {
		return location{}, err
	}
	path := strings.TrimRight(src.Path, "/")
	if path == "" {
		return location{}, cherr.New(cherr.BadArguments, "The path of %s is empty", req.Name)
	}
	folder, name := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		folder, name = path[:i+1], path[i+1:]
	}
	l, err := locationOf(folder, name)
	l.store = o.sources.Elsewhere(src)
	return l, err
}

// locationOf reads the name of a table's folder. It may end in $branch_<name>,
// in the name of a system table behind another $, or in both.
func locationOf(folder, name string) (location, error) {
	var l location
	parts := strings.Split(name, "$")
	for i := len(parts) - 1; i > 0; i-- {
		b, isBranch := strings.CutPrefix(parts[i], "branch_")
		known := strings.ToLower(parts[i])
		switch {
		case isBranch && l.branch == "" && b != "":
			l.branch = b
		case isSystemTable(known) && l.system == "" && l.branch == "":
			l.system = known
		default:
			return l, cherr.New(cherr.BadArguments, "'%s' is not the name of a system table of Paimon table %s; there are %s", parts[i], folder+parts[0], strings.Join(systemTableNames(), ", "))
		}
		parts = parts[:i]
	}
	l.path = folder + strings.Join(parts, "$") + "/"
	return l, nil
}

// loader gives what reads the query's metadata files.
func (o *opener) loader(store objstore.Store, s *settings.Settings) *metadata.Loader {
	l := &metadata.Loader{Store: store}
	if s.Bool("use_paimon_metadata_files_cache") || !s.Changed("use_paimon_metadata_files_cache") {
		l.Cache = o.cache
	}
	return l
}

// open gives the table, or one of its system tables, pinned to one version.
func (o *opener) open(ctx context.Context, env *functions.Env, req *functions.OpenRequest) (table.Table, error) {
	loc, err := o.locate(ctx, env, req)
	if err != nil {
		return nil, err
	}
	options, err := splitOptions(req.Options)
	if err != nil {
		return nil, err
	}
	return o.openAt(ctx, env, loc, req, dynamic(req, options))
}

// openAt opens what a place names.
func (o *opener) openAt(ctx context.Context, env *functions.Env, loc location, req *functions.OpenRequest, options map[string]string) (table.Table, error) {
	if loc.system != "" {
		return o.openSystem(ctx, env, loc, req, options)
	}
	return o.openTable(ctx, env, loc, req, options)
}

func (o *opener) openTable(ctx context.Context, env *functions.Env, loc location, req *functions.OpenRequest, options map[string]string) (*Table, error) {
	d := loc.dir()
	v, err := o.pin(ctx, env, d, loc, req, options)
	if err != nil {
		return nil, err
	}
	return o.newTable(env, loc, v, nil, nil)
}

// pin picks the version of the table that the query is about.
func (o *opener) pin(ctx context.Context, env *functions.Env, d paimon.Dir, loc location, req *functions.OpenRequest, options map[string]string) (timetravel.PaimonVersion, error) {
	none := timetravel.PaimonVersion{}
	when := timetravel.PaimonFromSettings(env.Settings)
	if loc.branch != "" {
		when.Branch = loc.branch
	}
	clause, err := asOf(req.Version, env)
	if err != nil {
		return none, err
	}
	if when, err = when.And(clause, loc.path); err != nil {
		return none, err
	}
	if when, err = when.Or(options, loc.path); err != nil {
		return none, err
	}
	v, err := timetravel.Paimon(ctx, d, when, loc.path)
	if err != nil {
		return none, err
	}
	dynamic := readingOptions(options)
	if len(dynamic) > 0 {
		s := *v.Schema
		s.Options = maps.Clone(s.Options)
		maps.Copy(s.Options, dynamic)
		v.Schema = &s
	}
	return v, nil
}

// readingOptions gives the options that say how to read. The others are those
// that the table was created with: its schema has them, as they are today.
func readingOptions(options map[string]string) map[string]string {
	out := map[string]string{}
	for name, v := range options {
		for _, prefix := range []string{"scan.", "read.", "source.", "incremental-", "table-read.", "consumer", "file-index.read.", "deletion-vectors.merge-on-read", "postpone.merge-on-read"} {
			if strings.HasPrefix(name, prefix) {
				out[name] = v
			}
		}
	}
	return out
}

// asOf reads FOR VERSION AS OF (a snapshot id, the name of a tag, or
// watermark-<n>) and FOR TIMESTAMP AS OF.
func asOf(v *functions.TimeTravel, env *functions.Env) (timetravel.PaimonWhen, error) {
	var w timetravel.PaimonWhen
	if v == nil {
		return w, nil
	}
	if v.Timestamp {
		ms, ok := timetravel.Milliseconds(v.Type, v.Value, env.Zone)
		if !ok {
			return w, cherr.New(cherr.BadArguments, "FOR TIMESTAMP AS OF wants a date or time, not %v of type %s", v.Value, v.Type)
		}
		w.TimestampMs = &ms
		return w, nil
	}
	if s, ok := v.Value.(string); ok {
		w.Version = s
		return w, nil
	}
	id, ok := timetravel.Integer(v.Value)
	if !ok {
		return w, cherr.New(cherr.BadArguments, "FOR VERSION AS OF wants a snapshot id or the name of a tag, not %s", v.Type)
	}
	w.Version = strconv.FormatInt(id, 10)
	return w, nil
}
