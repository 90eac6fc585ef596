package iceberg

import (
	"context"
	"time"

	"lakeserver/cherr"
	write "lakeserver/write/iceberg"
)

var expireSnapshots = &procedure{
	name: "expire_snapshots", positional: 1,
	gate:     "allow_experimental_expire_snapshots",
	gateText: "Iceberg expire_snapshots is experimental. To allow its usage, enable setting allow_experimental_expire_snapshots",
	params: []param{
		{name: "expire_before", kind: textParam},
		{name: "retention_period", kind: durationParam},
		{name: "retain_last", kind: numberParam},
		{name: "snapshot_ids", kind: numbersParam},
		{name: "dry_run", kind: flagParam},
	},
	run: runExpireSnapshots,
}

func runExpireSnapshots(ctx context.Context, t *Table, a *arguments) ([]metric, error) {
	o := write.ExpireOptions{
		NowMs: time.Now().UnixMilli(), IDs: a.numbers("snapshot_ids"),
		DefaultMaxAgeMs:    t.settings.Int("iceberg_expire_default_max_snapshot_age_ms"),
		DefaultMaxRefAgeMs: t.settings.Int("iceberg_expire_default_max_ref_age_ms"),
		DefaultRetainLast:  int(min(t.settings.Int("iceberg_expire_default_min_snapshots_to_keep"), 1<<30)),
	}
	if a.has("snapshot_ids") && (a.has("retention_period") || a.has("retain_last")) {
		return nil, cherr.New(cherr.BadArguments, "expire_snapshots argument 'snapshot_ids' cannot be combined with 'retention_period' or 'retain_last'.")
	}
	last, err := a.positive("retain_last")
	if err != nil {
		return nil, err
	}
	if last != nil {
		n := int(min(*last, 1<<30))
		o.RetainLast = &n
	}
	if o.MaxAgeMs, err = a.duration("retention_period"); err != nil {
		return nil, err
	}
	if a.has("expire_before") {
		ms, err := t.serverTime(a.text("expire_before"))
		if err != nil {
			return nil, err
		}
		o.FuseMs = &ms
	}
	w, err := t.maintained(ctx, "expire_snapshots is supported only for the second version of iceberg format.")
	if err != nil {
		return nil, err
	}
	x, err := w.ExpireSnapshots(ctx, o, a.flag("dry_run"))
	if err != nil {
		return nil, err
	}
	dry := int64(0)
	if a.flag("dry_run") {
		dry = 1
	}
	return append(fileMetrics(x.Files, write.DataFiles, write.PositionDeleteFiles, write.EqualityDeleteFiles, write.ManifestFiles, write.ManifestListFiles, write.StatisticsFiles), metric{"dry_run", dry}), nil
}

var fileMetricNames = map[write.FileKind]string{
	write.DataFiles: "deleted_data_files_count", write.PositionDeleteFiles: "deleted_position_delete_files_count",
	write.EqualityDeleteFiles: "deleted_equality_delete_files_count", write.ManifestFiles: "deleted_manifest_files_count",
	write.ManifestListFiles: "deleted_manifest_lists_count", write.MetadataFiles: "deleted_metadata_files_count",
	write.StatisticsFiles: "deleted_statistics_files_count",
}

func fileMetrics(n write.FileCounts, kinds ...write.FileKind) []metric {
	var out []metric
	for _, k := range kinds {
		out = append(out, metric{fileMetricNames[k], n[k]})
	}
	return out
}

// serverTime reads a time in the server's zone, as milliseconds.
func (t *Table) serverTime(text string) (int64, error) {
	zone := t.serverZone
	if zone == nil {
		zone = time.UTC
	}
	for _, layout := range []string{"2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999", "2006-01-02"} {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			return at.UnixMilli(), nil
		}
	}
	return 0, cherr.New(cherr.CannotParseDatetime, "Cannot parse datetime '%s'", text)
}

// maintained gives the table to be committed to, unless its newest version is
// of format 1, whose manifests do not tell what maintenance must know.
func (t *Table) maintained(ctx context.Context, refusal string) (*write.Table, error) {
	w := t.writer()
	m, err := w.Swapper.Load(ctx)
	if err != nil {
		return nil, err
	}
	if m.FormatVersion < 2 {
		return nil, cherr.New(cherr.BadArguments, "%s", refusal)
	}
	return w, nil
}
