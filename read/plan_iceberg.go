package read

import (
	"context"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"

	"lakeserver/cherr"
	"lakeserver/metadata"
	"lakeserver/metadata/iceberg"
	"lakeserver/pruning"
)

// Source is a pinned Iceberg table.
type Source struct {
	Loader   *metadata.Loader
	Meta     *iceberg.TableMetadata
	Snapshot *iceberg.Snapshot // nil: no rows
	Paths    *iceberg.PathMapper
	Schema   *iceberg.Schema
	Shared   *Shared // nil: nothing is kept
}

// Plan is the tasks of a scan, in the table's order, and what was left out.
type Plan struct {
	Tasks  []*Task
	Report *pruning.Report

	merges []*mergeTask // of a Paimon table: what must be merged
	zips   []*zipTask   // of a Paimon table: rows whose columns lie in several files
}

// liveEntry is an entry with the manifest that it came from.
type liveEntry struct {
	iceberg.Live
	spec *iceberg.PartitionSpec
}

// PlanIceberg lists the files of the snapshot that may hold rows for which the
// filter is true; nil keeps all. The tasks' files know the statistics of the
// filter's columns and of those with the ids in also.
func PlanIceberg(ctx context.Context, src *Source, filter *pruning.Iceberg, also ...int) (*Plan, error) {
	if src.Snapshot == nil {
		return &Plan{Report: &pruning.Report{}}, nil
	}
	manifests, err := src.Snapshot.LoadManifests(ctx, src.Loader, src.Paths.Map)
	if err != nil {
		return nil, err
	}
	return planManifests(ctx, src, manifests, filter, also)
}

// planManifests lists the files of some of the snapshot's manifests.
func planManifests(ctx context.Context, src *Source, manifests []iceberg.ManifestFile, filter *pruning.Iceberg, also []int) (*Plan, error) {
	p := &Plan{Report: &pruning.Report{}}
	data, deletes, err := loadEntries(ctx, src, manifests, filter, also, p.Report)
	if err != nil {
		return nil, err
	}
	index, err := newDeleteIndex(src, deletes)
	if err != nil {
		return nil, err
	}
	p.Tasks = make([]*Task, 0, len(data))
	for i := range data {
		e := &data[i]
		if e.Encrypted {
			return nil, cherr.New(cherr.NotImplemented, "Data file %s is encrypted, which is not supported", e.Path)
		}
		t := &Task{
			Path: src.Paths.Map(e.Path), Name: e.Path, Format: strings.ToLower(e.Format), Records: e.Records, Size: e.Size, File: e.DataFile,
			SequenceNumber: e.SequenceNumber, FirstRowID: e.FirstRowID, Spec: e.spec,
		}
		if err := index.assign(t); err != nil {
			return nil, err
		}
		p.Tasks = append(p.Tasks, t)
		p.Report.Files++
		p.Report.FileBytes += e.Size
		p.Report.FileRows += e.Records
	}
	return p, nil
}

// loadEntries reads the manifests in parallel, prunes, and keeps their order.
func loadEntries(ctx context.Context, src *Source, manifests []iceberg.ManifestFile, filter *pruning.Iceberg, also []int, report *pruning.Report) (data, deletes []liveEntry, err error) {
	parts := make([][]liveEntry, len(manifests))
	var mu sync.Mutex
	g, gctx := cherr.NewGroup(ctx)
	g.SetLimit(max(2, runtime.GOMAXPROCS(0)) * 2)
	for i := range manifests {
		line := &manifests[i]
		report.Manifests++
		if !line.Live() {
			report.ManifestsEmpty++
			continue
		}
		if !filter.ManifestMightMatch(src.Meta, line) {
			report.ManifestsPruned++
			continue
		}
		g.Go(func() error { // ends with the manifest or the group's context
			entries, local, err := manifestEntries(gctx, src, line, filter, also)
			parts[i] = entries
			mu.Lock()
			report.Add(local)
			mu.Unlock()
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, nil, err
	}
	for i := range manifests {
		if len(parts[i]) > 0 && parts[i][0].Content != iceberg.DataContent {
			deletes = append(deletes, parts[i]...)
		} else {
			data = append(data, parts[i]...)
		}
	}
	return data, deletes, nil
}

func manifestEntries(ctx context.Context, src *Source, line *iceberg.ManifestFile, filter *pruning.Iceberg, also []int) ([]liveEntry, *pruning.Report, error) {
	local := &pruning.Report{}
	if err := ctx.Err(); err != nil {
		return nil, local, err
	}
	var out []liveEntry
	path := src.Paths.Map(line.Path)
	if line.Deletes {
		m, err := iceberg.LoadManifest(ctx, src.Loader, src.Meta, line, path)
		if err != nil {
			return nil, local, err
		}
		check := filter.ForSpec(src.Meta, m.Spec)
		err = m.Walk(line, func(e iceberg.Live) error {
			if keep, why := check.FileMightMatch(e.DataFile); !keep {
				local.Prune(e.DataFile, why)
				return nil
			}
			out = append(out, liveEntry{e, m.Spec})
			return nil
		})
		return out, local, err
	}
	x, err := iceberg.LoadManifestIndex(ctx, src.Loader, src.Meta, line, path, columnsOf(filter, also))
	if err != nil {
		return nil, local, err
	}
	pick := filter.ForSpec(src.Meta, x.Header.Spec).Picker(x, local)
	err = x.Walk(line, pick, func(e iceberg.Live) error {
		out = append(out, liveEntry{e, x.Header.Spec})
		return nil
	})
	return out, local, err
}

// columnsOf gives the ids of all columns whose statistics a plan wants.
func columnsOf(filter *pruning.Iceberg, also []int) []int {
	ids := slices.Concat(filter.Columns(), also)
	slices.Sort(ids)
	return slices.Compact(ids)
}

// SortBySize puts the biggest files first, so that a scan's last file is a
// small one; files of one size stay in order.
func SortBySize(tasks []*Task) {
	sort.SliceStable(tasks, func(i, j int) bool { return tasks[i].Size > tasks[j].Size })
}
