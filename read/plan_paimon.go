package read

import (
	"context"
	"runtime"
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata/paimon"
	"lakeserver/pruning"
)

// PaimonEntries lists what is live in the snapshot, with the report of what
// was left out by partition and bucket.
func PaimonEntries(ctx context.Context, src *Paimon, filter *pruning.Paimon) ([]*PaimonFile, *pruning.Report, error) {
	p := &paimonPlanner{src: src, filter: filter, report: &pruning.Report{}, partitions: map[string]*partitionInfo{}}
	if err := p.hidePartitions(ctx); err != nil {
		return nil, nil, err
	}
	files, err := p.live(ctx, src.Snapshot)
	return files, p.report, err
}

// PlanPaimon lists the files of the snapshot, or of the range, that may hold
// rows for which the filter is true, and says which must be merged.
func PlanPaimon(ctx context.Context, src *Paimon, filter *pruning.Paimon) (*Plan, error) {
	p := &paimonPlanner{src: src, filter: filter, report: &pruning.Report{}, partitions: map[string]*partitionInfo{}}
	p.plan = &Plan{Report: p.report}
	if src.Range != nil && !src.Range.Diff {
		return p.plan, p.planRange(ctx)
	}
	if src.Snapshot == nil {
		return p.plan, nil
	}
	if err := p.hidePartitions(ctx); err != nil {
		return nil, err
	}
	files, err := p.live(ctx, src.Snapshot)
	if err != nil {
		return nil, err
	}
	if err := p.attachVectors(ctx, src.Snapshot, files); err != nil {
		return nil, err
	}
	if src.Range != nil {
		return p.plan, p.planDiff(ctx, files)
	}
	return p.plan, p.groups(ctx, files)
}

// hidePartitions leaves out what another table has.
func (p *paimonPlanner) hidePartitions(ctx context.Context) error {
	if p.src.Instead == nil || p.src.Instead.Snapshot == nil {
		return nil
	}
	files, _, err := PaimonEntries(ctx, p.src.Instead, nil)
	if err != nil {
		return err
	}
	for _, f := range files {
		info, err := p.partition(f.Entry.Partition)
		if err != nil {
			return err
		}
		info.keep = false
	}
	return nil
}

type paimonPlanner struct {
	src        *Paimon
	filter     *pruning.Paimon
	report     *pruning.Report
	plan       *Plan
	partitions map[string]*partitionInfo
}

// partitionInfo is a partition's values, and whether the filter leaves it.
type partitionInfo struct {
	values column.Row
	folder string // below the table, ends with /
	keep   bool
}

func (p *paimonPlanner) partition(b []byte) (*partitionInfo, error) {
	if i := p.partitions[string(b)]; i != nil {
		return i, nil
	}
	names := p.src.Schema.PartitionNames()
	values, err := paimon.DecodeRow(b, paimon.TypesOf(names.Fields))
	if err != nil {
		return nil, cherr.Wrap(err, "reading a partition of Paimon table %s", p.src.Dir.Root)
	}
	i := &partitionInfo{values: values, folder: names.Path(values), keep: p.filter.PartitionMightMatch(values)}
	p.partitions[string(b)] = i
	return i, nil
}

// lists reads the manifests of manifest lists in parallel and gives their
// entries in order. all reads manifests that the filter would leave out.
func (p *paimonPlanner) entries(ctx context.Context, lists ...string) ([]paimon.Entry, error) {
	var lines []paimon.ManifestFile
	for _, name := range lists {
		list, err := paimon.LoadManifestList(ctx, p.src.Loader, p.src.Dir.ManifestPath(name))
		if err != nil {
			return nil, err
		}
		lines = append(lines, list...)
	}
	parts := make([][]paimon.Entry, len(lines))
	g, gctx := cherr.NewGroup(ctx)
	g.SetLimit(max(2, runtime.GOMAXPROCS(0)) * 2)
	for i := range lines {
		p.report.Manifests++
		if lines[i].AddedFiles+lines[i].DeletedFiles == 0 {
			p.report.ManifestsEmpty++
			continue
		}
		if !p.filter.ManifestMightMatch(&lines[i]) {
			p.report.ManifestsPruned++
			continue
		}
		g.Go(func() (err error) { // ends with the manifest or the group's context
			parts[i], err = paimon.LoadManifest(gctx, p.src.Loader, p.src.Dir.ManifestPath(lines[i].Name))
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var out []paimon.Entry
	for _, part := range parts {
		out = append(out, part...)
	}
	return out, nil
}

// live gives the files of a snapshot whose partition and bucket the filter
// leaves.
func (p *paimonPlanner) live(ctx context.Context, s *paimon.Snapshot) ([]*PaimonFile, error) {
	entries, err := p.entries(ctx, s.BaseManifestList, s.DeltaManifestList)
	if err != nil {
		return nil, err
	}
	m := paimon.NewMerger(len(entries))
	for i := range entries {
		if err := m.Add(&entries[i]); err != nil {
			return nil, cherr.Wrap(err, "reading snapshot %d of Paimon table %s", s.ID, p.src.Dir.Root)
		}
	}
	return p.files(ctx, m.Entries())
}

// files makes files of the entries that add some, those ruled out left out.
func (p *paimonPlanner) files(ctx context.Context, entries []paimon.Entry) ([]*PaimonFile, error) {
	var out []*PaimonFile
	for i := range entries {
		e := &entries[i]
		if e.Kind != paimon.Add {
			continue
		}
		info, err := p.partition(e.Partition)
		if err != nil {
			return nil, err
		}
		if !info.keep {
			p.report.PrunedByPartition++
			p.report.PrunedByPartitionBytes += e.File.Size
			continue
		}
		if !p.filter.BucketMightMatch(e.Bucket, e.TotalBuckets) {
			p.report.PrunedByBucket++
			continue
		}
		schema, err := p.src.schema(ctx, e.File.SchemaID)
		if err != nil {
			return nil, err
		}
		f := &PaimonFile{Entry: e, Partition: info.values, Schema: schema}
		if f.fields, err = schema.FileFields(&e.File); err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// attachVectors gives files their deletion vectors.
func (p *paimonPlanner) attachVectors(ctx context.Context, s *paimon.Snapshot, files []*PaimonFile) error {
	if s.IndexManifest == "" || len(files) == 0 {
		return nil
	}
	index, err := paimon.LoadIndexManifest(ctx, p.src.Loader, p.src.Dir.ManifestPath(s.IndexManifest))
	if err != nil {
		return err
	}
	byFile := map[string]*PaimonFile{}
	for _, f := range files {
		byFile[vectorKey(f.Entry.Partition, f.Entry.Bucket, f.Entry.File.Name)] = f
	}
	for i := range index {
		e := &index[i]
		if e.Type != paimon.IndexDeletionVectors || e.Kind != paimon.Add {
			continue
		}
		path := ""
		for j := range e.Vectors {
			f := byFile[vectorKey(e.Partition, e.Bucket, e.Vectors[j].DataFile)]
			if f == nil {
				continue
			}
			if path == "" {
				if path, err = p.indexPath(e); err != nil {
					return err
				}
			}
			f.vector, f.vectorPath = &e.Vectors[j], path
			p.report.DeleteFiles++
		}
	}
	return nil
}

func vectorKey(partition []byte, bucket int, name string) string {
	return string(partition) + "\x00" + strconv.Itoa(bucket) + "\x00" + name
}

func (p *paimonPlanner) indexPath(e *paimon.IndexEntry) (string, error) {
	if e.ExternalPath != "" {
		return plainPath(e.ExternalPath), nil
	}
	if !p.src.isSet("index-file-in-data-file-dir") {
		return p.src.Dir.IndexPath(e.Name), nil
	}
	info, err := p.partition(e.Partition)
	if err != nil {
		return "", err
	}
	return p.bucketFolder(info, e.Bucket) + e.Name, nil
}

func (p *paimonPlanner) bucketFolder(info *partitionInfo, bucket int) string {
	root := p.src.Dir.Root
	if sub := p.src.Schema.Options["data-file.path-directory"]; sub != "" {
		root += sub + "/"
	}
	return root + info.folder + paimon.BucketFolder(bucket) + "/"
}

// plainPath takes off the mark of the local file system.
func plainPath(path string) string {
	if rest, ok := cutScheme(path, "file:"); ok {
		return "/" + strings.TrimLeft(rest, "/")
	}
	return path
}

func cutScheme(path, scheme string) (string, bool) {
	if len(path) < len(scheme) || !strings.EqualFold(path[:len(scheme)], scheme) {
		return path, false
	}
	return path[len(scheme):], true
}

// task makes a task of a file.
func (p *paimonPlanner) task(f *PaimonFile) *Task {
	e := f.Entry
	t := &Task{
		Name: e.File.Name, Records: e.File.Rows, Size: e.File.Size, SequenceNumber: e.File.MaxSequence, FirstRowID: -1, Paimon: f,
		Format: strings.ToLower(e.File.Name[strings.LastIndexByte(e.File.Name, '.')+1:]),
	}
	if e.File.FirstRowID != nil {
		t.FirstRowID = *e.File.FirstRowID
	}
	if e.File.ExternalPath != "" {
		t.Path = plainPath(e.File.ExternalPath)
	} else {
		t.Path = p.bucketFolder(p.partitions[string(e.Partition)], e.Bucket) + e.File.Name
	}
	return t
}

// keep counts a file that will be read.
func (p *paimonPlanner) keep(f *PaimonFile) *Task {
	p.report.Files++
	p.report.FileBytes += f.Entry.File.Size
	p.report.FileRows += f.Entry.File.Rows
	return p.task(f)
}

func (p *paimonPlanner) prune(f *PaimonFile) {
	p.report.PrunedByBounds++
	p.report.PrunedByBoundsBytes += f.Entry.File.Size
}

// Merges counts the sections that must be merged, and the files in them.
func (p *Plan) Merges() (files, sections int) {
	for _, m := range p.merges {
		for _, r := range m.runs {
			files += len(r)
		}
	}
	return files, len(p.merges)
}
