package iceberg

import (
	"context"
	"strings"
	"time"

	"lakeserver/cherr"
	write "lakeserver/write/iceberg"
)

var removeOrphanFiles = &procedure{
	name: "remove_orphan_files", positional: 1,
	gate:     "allow_iceberg_remove_orphan_files",
	gateText: "Iceberg remove_orphan_files is experimental. To allow its usage, enable setting allow_iceberg_remove_orphan_files",
	params:   []param{{name: "older_than", kind: textParam}, {name: "location", kind: textParam}, {name: "dry_run", kind: flagParam}},
	run:      runRemoveOrphanFiles,
}

// safeAge is how old a file must be at least: a commit on its way has files
// that nothing names yet.
const safeAge = 24 * time.Hour

func runRemoveOrphanFiles(ctx context.Context, t *Table, a *arguments) ([]metric, error) {
	now := time.Now()
	o := write.OrphanOptions{
		OlderThan: now.Add(-time.Duration(min(t.settings.Uint("iceberg_orphan_files_older_than_seconds"), 1<<33)) * time.Second),
		DryRun:    a.flag("dry_run"),
	}
	if a.has("older_than") {
		ms, err := t.serverTime(a.text("older_than"))
		if err != nil {
			return nil, err
		}
		o.OlderThan = time.UnixMilli(ms)
	}
	switch {
	case o.OlderThan.After(now):
		return nil, cherr.New(cherr.BadArguments, "older_than must not be in the future; a future value would bypass the in-progress-write safety window.")
	case o.OlderThan.After(now.Add(-safeAge)) && !t.settings.Bool("iceberg_orphan_files_allow_recent"):
		return nil, cherr.New(cherr.BadArguments, "older_than lies within the last day: files of commits on their way could be deleted. To allow it, enable setting iceberg_orphan_files_allow_recent")
	}
	if loc := a.text("location"); loc != "" {
		if strings.HasPrefix(loc, "/") || strings.Contains(loc, "://") || contains(strings.Split(loc, "/"), "..") {
			return nil, cherr.New(cherr.BadArguments, "location must be a relative path under the table root, got '%s'", loc)
		}
		o.Location = strings.TrimSuffix(loc, "/") + "/"
	}
	w, err := t.maintained(ctx, "remove_orphan_files requires Iceberg format version >= 2, but this table uses format version 1.")
	if err != nil {
		return nil, err
	}
	x, err := w.RemoveOrphans(ctx, t.path, o)
	if err != nil {
		return nil, err
	}
	out := fileMetrics(x.Files, write.DataFiles, write.PositionDeleteFiles, write.EqualityDeleteFiles, write.ManifestFiles, write.ManifestListFiles, write.MetadataFiles, write.StatisticsFiles)
	// What is named and missing is an error here: nothing is deleted then.
	return append(out, metric{"skipped_missing_metadata_count", 0}, metric{"failed_deletions_count", x.Failed}), nil
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
