package paimon

import (
	"context"
	"strings"
	"time"

	"lakeserver/cherr"
	"lakeserver/timetravel"
	write "lakeserver/write/paimon"
)

// maintenance are the procedures that keep a table in shape.
var maintenance = map[string]procedure{
	"compact":             {[]string{"compact_strategy", "order_strategy", "order_by", "partitions", "where"}, compactTable},
	"remove_orphan_files": {[]string{"older_than", "dry_run"}, removeOrphanFiles},
	"expire_partitions":   {[]string{"expiration_time", "timestamp_formatter", "timestamp_pattern", "expire_strategy", "max_expires"}, expirePartitions},
	"mark_partition_done": {[]string{"*partitions"}, func(ctx context.Context, _ *Table, c *write.Committer, a arguments) (int64, error) {
		specs, err := write.ParseSpecs(a.text("partitions"))
		if err != nil {
			return 0, err
		}
		n, err := c.MarkPartitionsDone(ctx, specs)
		return int64(n), err
	}},
	"analyze": {nil, func(ctx context.Context, _ *Table, c *write.Committer, _ arguments) (int64, error) {
		return 1, c.AnalyzeTable(ctx, nil, nil)
	}},
}

// compactTable: compact_strategy is full (the default) or minor; order_strategy
// is order (also sort), zorder or none; partitions are "k=v,k2=v2;k=w".
func compactTable(ctx context.Context, t *Table, c *write.Committer, a arguments) (int64, error) {
	o := write.CompactOptions{}
	switch s := strings.ToLower(a.text("compact_strategy")); s {
	case "", "full":
		o.Full = true
	case "minor":
	default:
		return 0, cherr.New(cherr.BadArguments, "compact_strategy '%s' is not known; full and minor are", s)
	}
	switch s := strings.ToLower(a.text("order_strategy")); s {
	case "", "none":
		if a.has("order_by") {
			return 0, cherr.New(cherr.BadArguments, "order_by needs an order_strategy: order or zorder")
		}
	case "order", "sort", "zorder":
		o.ZOrder = s == "zorder"
		for _, name := range strings.Split(a.text("order_by"), ",") {
			if name = strings.Trim(strings.TrimSpace(name), "`"); name != "" {
				o.SortBy = append(o.SortBy, name)
			}
		}
		if len(o.SortBy) == 0 {
			return 0, cherr.New(cherr.BadArguments, "order_strategy '%s' needs order_by", s)
		}
		if t.src.Schema.HasPrimaryKey() {
			return 0, cherr.New(cherr.BadArguments, "Paimon table %s has a primary key, by which its files are sorted", t.path)
		}
	default:
		return 0, cherr.New(cherr.BadArguments, "order_strategy '%s' is not known; order, zorder and none are", s)
	}
	text := a.text("partitions")
	if a.has("where") {
		if text != "" {
			return 0, cherr.New(cherr.BadArguments, "compact takes partitions or where, not both")
		}
		text = conjunction(a.text("where"))
	}
	if text != "" {
		specs, err := write.ParseSpecs(text)
		if err != nil {
			return 0, err
		}
		if o.Partition, err = c.Matching(specs); err != nil {
			return 0, err
		}
	}
	return c.Compact(ctx, o)
}

// conjunction reads a where of equalities of partition columns as a partition.
func conjunction(where string) string {
	fields := strings.Fields(where)
	for i, f := range fields {
		if strings.EqualFold(f, "and") {
			fields[i] = ","
		}
	}
	return strings.ReplaceAll(strings.Join(fields, ""), "`", "")
}

// orphanAge is how old a file must be that nothing refers to, where the call
// does not say: what writers have not committed yet is younger.
const orphanAge = 24 * time.Hour

func removeOrphanFiles(ctx context.Context, t *Table, c *write.Committer, a arguments) (int64, error) {
	before := time.Now().Add(-orphanAge)
	if a.has("older_than") {
		at, ok := timetravel.Milliseconds(a["older_than"].Type, a["older_than"].Value, t.zone)
		if !ok {
			return 0, cherr.New(cherr.BadArguments, "Argument older_than wants a date and time, not %s", a["older_than"].Text)
		}
		before = time.UnixMilli(at)
	}
	dry, err := a.flag("dry_run")
	if err != nil {
		return 0, err
	}
	files, err := c.RemoveOrphanFiles(ctx, before, dry)
	return int64(len(files)), err
}

func expirePartitions(ctx context.Context, t *Table, _ *write.Committer, a arguments) (int64, error) {
	options := map[string]string{}
	for param, option := range map[string]string{
		"expiration_time": "partition.expiration-time", "timestamp_formatter": "partition.timestamp-formatter",
		"timestamp_pattern": "partition.timestamp-pattern", "expire_strategy": "partition.expiration-strategy", "max_expires": "partition.expiration-max-num",
	} {
		if a.has(param) {
			options[option] = strings.Trim(a[param].Text, "'")
			if s, ok := a[param].Value.(string); ok {
				options[option] = s
			}
		}
	}
	if _, err := a.duration("expiration_time"); err != nil {
		return 0, err
	}
	c, err := t.committer(ctx, options)
	if err != nil {
		return 0, err
	}
	n, err := c.ExpirePartitions(ctx)
	return int64(n), err
}
