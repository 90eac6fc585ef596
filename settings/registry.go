package settings

import (
	_ "embed"
	"sort"
	"strings"
)

// clickhouseTSV is every setting of ClickHouse 26.9: name, type, default,
// the name it is an alias of.
//
//go:embed clickhouse.tsv
var clickhouseTSV string

// own are the settings that ClickHouse does not have.
var own = []Definition{
	{Name: "mergetree_ignore_unsupported", Kind: Bool, Type: "Bool", Default: "0", Honored: true, Doc: "Under mergetree_as: iceberg, leave out of a CREATE TABLE what an Iceberg table cannot hold."},
	{Name: "iceberg_ref", Kind: String, Type: "String", Honored: true, Doc: "Branch or tag of an Iceberg table to read."},
	{Name: "iceberg_overwrite_mode", Kind: Enum, Type: "String", Default: "static", Honored: true, Doc: "What INSERT OVERWRITE replaces in an Iceberg table: static, everything; dynamic, the partitions that get rows."},
	{Name: "iceberg_wap_id", Kind: String, Type: "String", Honored: true, Doc: "Stage what is written to an Iceberg table under this id; publish_changes makes it visible."},
	{Name: "allow_insert_into_paimon", Kind: Bool, Type: "Bool", Default: "0", Honored: true, Doc: "Gate of everything that changes Paimon tables."},
	{Name: "paimon_snapshot_id", Kind: Int64, Type: "Int64", Default: "0", Honored: true, Doc: "Read the Paimon table at this snapshot."},
	{Name: "paimon_timestamp_ms", Kind: Int64, Type: "Int64", Default: "0", Honored: true, Doc: "Read the Paimon table as of this time (milliseconds)."},
	{Name: "paimon_watermark", Kind: Int64, Type: "Int64", Default: "0", Honored: true, Doc: "Read the Paimon table at the first snapshot with at least this watermark."},
	{Name: "paimon_tag", Kind: String, Type: "String", Honored: true, Doc: "Read the Paimon table at this tag."},
	{Name: "paimon_branch", Kind: String, Type: "String", Honored: true, Doc: "Branch of a Paimon table to read."},
	{Name: "paimon_consumer_id", Kind: String, Type: "String", Honored: true, Doc: "Read what came to a Paimon table since the snapshot that this consumer comes to next."},
	{Name: "paimon_options", Kind: String, Type: "String", Honored: true, Doc: "Options of Paimon tables for one statement that writes, over those of the table: `name=value,name=value`."},
	{Name: "paimon_incremental_between", Kind: String, Type: "String", Honored: true, Doc: "Read what came to a Paimon table after one snapshot up to another: `a,b`, ids or tags."},
	{Name: "paimon_incremental_between_timestamp", Kind: String, Type: "String", Honored: true, Doc: "The same between two times (milliseconds)."},
	{Name: "paimon_incremental_between_scan_mode", Kind: String, Type: "String", Default: "auto", Honored: true, Doc: "What such a read gives: delta (files added), changelog (files of the changelog), diff (rows that differ) or auto."},
	{Name: "paimon_clickhouse_types", Kind: Bool, Type: "Bool", Default: "0", Honored: true, Doc: "Show Paimon's BOOLEAN, DATE, TIME and CHAR as ClickHouse does: Int8, Date, Int64 of milliseconds, FixedString."},
	{Name: "paimon_deletion_vectors_merge_on_read", Kind: Bool, Type: "Bool", Default: "0", Honored: true, Doc: "Of Paimon tables with deletion vectors, also show what is not compacted yet."},
	{Name: "paimon_allow_unmerged_primary_key_reads", Kind: Bool, Type: "Bool", Default: "0", Honored: true, Doc: "Give every stored row of a Paimon table with a primary key, replaced and deleted ones as well."},
	{Name: "iceberg_orphan_files_allow_recent", Kind: Bool, Type: "Bool", Default: "0", Honored: true, Doc: "Let remove_orphan_files of an Iceberg table take files of the last day."},
	{Name: "lake_forward_cluster", Kind: String, Type: "String", Doc: "Cluster to which queries over lake tables may be forwarded."},
	{Name: "lake_forward_mode", Kind: Enum, Type: "String", Default: "explicit", Doc: "When queries are forwarded: explicit, auto or never."},
	{Name: "lake_forward_min_bytes", Kind: UInt64, Type: "UInt64", Default: "1073741824", Doc: "In auto mode, the bytes after pruning from which a query is forwarded."},
	{Name: "use_decompressed_page_cache", Kind: Bool, Type: "Bool", Default: "1", Honored: true, Doc: "Keep decompressed Parquet pages in memory, bounded."},
}

// kinds maps ClickHouse's type names; names not here are Enum.
var kinds = map[string]Kind{
	"Bool": Bool, "BoolAuto": String, "UInt64": UInt64, "NonZeroUInt64": UInt64, "MaxThreads": UInt64, "UInt64Auto": String,
	"UInt32": UInt64, "Int64": Int64, "Int32": Int64, "Float": Float, "Double": Float, "FloatAuto": String, "Seconds": Seconds,
	"Milliseconds": Milliseconds, "String": String, "Char": String, "Map": Map, "Timezone": String, "URI": String,
}

// registry is built once from the tables above and never written to afterwards.
var registry = build()

// unescape reads what the table writes for bytes that would break its lines.
var unescape = strings.NewReplacer(`\t`, "\t", `\n`, "\n", `\\`, `\`, `\'`, "'")

func build() map[string]*Definition {
	m := make(map[string]*Definition, 2048)
	type alias struct{ name, of string }
	var aliases []alias
	for line := range strings.Lines(clickhouseTSV) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if f[3] != "" {
			aliases = append(aliases, alias{f[0], f[3]})
			continue
		}
		kind, ok := kinds[f[1]]
		if !ok {
			kind = Enum
		}
		d := &Definition{Name: f[0], Kind: kind, Type: f[1], Default: unescape.Replace(strings.TrimPrefix(f[2], "auto"))}
		if f[1] == "MaxThreads" {
			d.Default = strings.Trim(d.Default, "()'")
		}
		if doc, ok := honored[f[0]]; ok {
			d.Honored, d.Doc = true, doc
		}
		m[d.Name] = d
	}
	for i := range own {
		m[own[i].Name] = &own[i]
	}
	for _, a := range aliases {
		if d := m[a.of]; d != nil {
			m[a.name] = d
		}
	}
	return m
}

// Lookup finds a setting by name or alias.
func Lookup(name string) (*Definition, bool) {
	d, ok := registry[name]
	return d, ok
}

// All gives every setting by name, aliases left out; not to be written to.
func All() []*Definition {
	out := make([]*Definition, 0, len(registry))
	for name, d := range registry {
		if name == d.Name {
			out = append(out, d)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}
