package read

import (
	"context"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata/paimon"
	"lakeserver/pruning"
)

// bucketFiles are the files of one bucket of one partition.
type bucketFiles struct {
	bucket int
	files  []*PaimonFile
}

// groups sorts files by bucket and says how each bucket is read.
func (p *paimonPlanner) groups(ctx context.Context, files []*PaimonFile) error {
	var order []*bucketFiles
	byKey := map[string]*bucketFiles{}
	for _, f := range files {
		key := string(f.Entry.Partition) + "\x00" + strconv.Itoa(f.Entry.Bucket)
		g := byKey[key]
		if g == nil {
			g = &bucketFiles{bucket: f.Entry.Bucket}
			byKey[key] = g
			order = append(order, g)
		}
		g.files = append(g.files, f)
	}
	for _, g := range order {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		if p.src.Schema.HasPrimaryKey() {
			err = p.primaryKeys(g)
		} else {
			err = p.appended(g)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// appended plans a bucket of an append table: every file is read as it is, but
// those of one range of row ids hold the columns of the same rows.
func (p *paimonPlanner) appended(g *bucketFiles) error {
	if p.src.isSet("data-evolution.enabled") {
		return p.evolved(g)
	}
	if g.bucket >= 0 && p.src.option("bucket") != "" && p.src.option("bucket") != "-1" {
		sort.SliceStable(g.files, func(i, j int) bool { return g.files[i].Entry.File.MinSequence < g.files[j].Entry.File.MinSequence })
	}
	for _, f := range g.files {
		p.raw(f)
	}
	return nil
}

// raw reads a file as it is, unless its statistics rule it out.
func (p *paimonPlanner) raw(f *PaimonFile) {
	if !p.filter.FileMightMatch(f.Entry, f.Partition, f.Schema) {
		p.prune(f)
		return
	}
	if !p.indexMightMatch(f) {
		p.report.PrunedByIndex++
		return
	}
	p.plan.Tasks = append(p.plan.Tasks, p.keep(f))
}

// primaryKeys plans a bucket of a primary-key table.
func (p *paimonPlanner) primaryKeys(g *bucketFiles) error {
	if g.bucket < 0 {
		return nil // rows wait there for a compaction to give them a bucket
	}
	files := g.files
	if p.src.hidesLevel0() {
		files = slices.DeleteFunc(slices.Clone(files), func(f *PaimonFile) bool { return f.Entry.File.Level == 0 })
	}
	if p.src.ReadOptimized {
		top := p.topLevel()
		files = slices.DeleteFunc(slices.Clone(files), func(f *PaimonFile) bool { return f.Entry.File.Level != top })
	}
	if p.src.Unmerged || p.raws(files) {
		for _, f := range files {
			p.raw(f)
		}
		return nil
	}
	return p.sections(files)
}

// topLevel gives the number of the level to which a full compaction writes.
func (p *paimonPlanner) topLevel() int {
	number := func(name string, otherwise int) int {
		if n, err := strconv.Atoi(p.src.option(name)); err == nil {
			return n
		}
		return otherwise
	}
	return number("num-levels", number("num-sorted-run.compaction-trigger", 5)+1) - 1
}

// raws tells whether no two files of a bucket can hold one key, and none holds
// a row that is not there.
func (p *paimonPlanner) raws(files []*PaimonFile) bool {
	for _, f := range files {
		e := &f.Entry.File
		if e.Level == 0 || mayDelete(e) && !p.src.KeepDeletes || e.Level != files[0].Entry.File.Level && !p.src.vectors() && p.src.MergeEngine() != "first-row" {
			return false
		}
	}
	return true
}

// mayDelete tells whether rows of kind -D or -U may be in a file.
func mayDelete(f *paimon.DataFile) bool { return f.DeleteRows == nil || *f.DeleteRows != 0 }

// sections cuts a bucket's files where no key range reaches across. A section
// of one sorted run is read as it is; the others are merged.
func (p *paimonPlanner) sections(files []*PaimonFile) error {
	var left []*PaimonFile
	for _, f := range files {
		// Without the rows of a key that cannot match, no result changes that can.
		if !p.filter.KeysMightMatch(f.Entry, f.Partition, f.Schema) {
			p.prune(f)
			continue
		}
		left = append(left, f)
	}
	if err := p.decodeKeys(left); err != nil {
		return err
	}
	sort.SliceStable(left, func(i, j int) bool {
		if c := paimon.CompareRows(left[i].keys[0], left[j].keys[0]); c != 0 {
			return c < 0
		}
		return paimon.CompareRows(left[i].keys[1], left[j].keys[1]) < 0
	})
	for from := 0; from < len(left); {
		to := from + 1
		last := left[from].keys[1]
		for to < len(left) && paimon.CompareRows(left[to].keys[0], last) <= 0 {
			if paimon.CompareRows(left[to].keys[1], last) > 0 {
				last = left[to].keys[1]
			}
			to++
		}
		p.section(left[from:to])
		from = to
	}
	return nil
}

func (p *paimonPlanner) section(files []*PaimonFile) {
	runs := sortedRuns(files)
	if len(runs) == 1 {
		for _, f := range runs[0] {
			f.kinds = !p.src.KeepDeletes && mayDelete(&f.Entry.File)
			p.raw(f)
		}
		return
	}
	if e := p.src.MergeEngine(); e == "deduplicate" || e == "first-row" {
		// What is shown of a key is one of its rows: when no file can have a
		// row that matches, none is shown.
		if !slices.ContainsFunc(files, func(f *PaimonFile) bool { return p.filter.FileMightMatch(f.Entry, f.Partition, f.Schema) }) {
			for _, f := range files {
				p.prune(f)
			}
			return
		}
	}
	m := &mergeTask{}
	for _, run := range runs {
		var tasks []*Task
		for _, f := range run {
			t := p.keep(f)
			m.rows += t.Records
			tasks = append(tasks, t)
		}
		m.runs = append(m.runs, tasks)
	}
	p.plan.merges = append(p.plan.merges, m)
}

// sortedRuns puts files, in the order of their least keys, into as few runs as
// there need be: in a run no two files share a key.
func sortedRuns(files []*PaimonFile) [][]*PaimonFile {
	var runs [][]*PaimonFile
	var ends []column.Row
	for _, f := range files {
		best := -1
		for i, end := range ends {
			if paimon.CompareRows(end, f.keys[0]) < 0 && (best < 0 || paimon.CompareRows(end, ends[best]) > 0) {
				best = i
			}
		}
		if best < 0 {
			runs, ends = append(runs, nil), append(ends, nil)
			best = len(runs) - 1
		}
		runs[best] = append(runs[best], f)
		ends[best] = f.keys[1]
	}
	return runs
}

// planRange plans what came with each snapshot of a range: the commits are not
// merged among themselves.
func (p *paimonPlanner) planRange(ctx context.Context) error {
	for _, s := range p.src.Range.Snapshots {
		list := s.DeltaManifestList
		if p.src.Range.Changelog {
			list = s.ChangelogManifestList
		}
		if list == "" || !p.src.Range.Changelog && s.CommitKind != paimon.CommitAppend {
			continue
		}
		entries, err := p.entries(ctx, list)
		if err != nil {
			return err
		}
		files, err := p.files(ctx, entries)
		if err != nil {
			return err
		}
		if p.src.Range.Changelog {
			for _, f := range files {
				p.plan.Tasks = append(p.plan.Tasks, p.keep(f))
			}
			continue
		}
		if err := p.groups(ctx, files); err != nil {
			return err
		}
	}
	return nil
}

// evolved plans files of which several may hold columns of the same rows.
func (p *paimonPlanner) evolved(g *bucketFiles) error {
	files := slices.Clone(g.files)
	first := func(f *PaimonFile) int64 {
		if id := f.Entry.File.FirstRowID; id != nil {
			return *id
		}
		return -1
	}
	sort.SliceStable(files, func(i, j int) bool { return first(files[i]) < first(files[j]) })
	for from := 0; from < len(files); {
		if first(files[from]) < 0 {
			p.raw(files[from])
			from++
			continue
		}
		end := first(files[from]) + files[from].Entry.File.Rows
		to := from + 1
		for to < len(files) && first(files[to]) < end {
			end = max(end, first(files[to])+files[to].Entry.File.Rows)
			to++
		}
		if group := files[from:to]; len(group) == 1 {
			p.raw(group[0])
		} else if err := p.evolution(group); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// indexMightMatch asks the file index that stands in the manifest itself.
func (p *paimonPlanner) indexMightMatch(f *PaimonFile) bool {
	if p.filter == nil || len(f.Entry.File.EmbeddedIndex) == 0 || p.src.option("file-index.read.enabled") == "false" {
		return true
	}
	x, err := paimon.ParseFileIndex(f.Entry.File.EmbeddedIndex, f.Schema.Fields)
	return err != nil || p.filter.IndexMightMatch(x, f.Schema) // a damaged index says nothing
}

// evolution plans files that hold columns of the same rows.
func (p *paimonPlanner) evolution(files []*PaimonFile) error {
	if !p.rowsMightMatch(files) {
		for _, f := range files {
			p.prune(f)
		}
		return nil
	}
	z := &zipTask{}
	for _, f := range files {
		t := p.keep(f)
		if f.vector != nil { // of the rows, not of the one file alone
			all := *f
			z.vector, f.vector = &all, nil
		}
		z.files = append(z.files, t)
	}
	// Newest first: of a column, the newest file that wrote it counts.
	sort.SliceStable(z.files, func(i, j int) bool {
		a, b := &z.files[i].Paimon.Entry.File, &z.files[j].Paimon.Entry.File
		if a.MaxSequence != b.MaxSequence {
			return a.MaxSequence > b.MaxSequence
		}
		return a.Name > b.Name
	})
	return p.anchor(z)
}

// rowsMightMatch judges files that hold columns of the same rows by what the
// newest file of each column says of it.
func (p *paimonPlanner) rowsMightMatch(files []*PaimonFile) bool {
	from, to := int64(math.MaxInt64), int64(0)
	columns := make([]pruning.PaimonColumns, len(files))
	for i, f := range files {
		e := &f.Entry.File
		from, to = min(from, *e.FirstRowID), max(to, *e.FirstRowID+e.Rows)
		columns[i] = pruning.PaimonColumns{Entry: f.Entry, Schema: f.Schema, Fields: f.fields, Silent: strings.HasSuffix(e.Name, ".blob") || isVectorFile(e.Name)}
	}
	sort.SliceStable(columns, func(i, j int) bool { return columns[i].Entry.File.MaxSequence > columns[j].Entry.File.MaxSequence })
	return p.filter.RowsMightMatch(columns, to-from, files[0].Partition)
}

// anchor finds the rows: those of the oldest file that is not of a column of
// large objects alone.
func (p *paimonPlanner) anchor(z *zipTask) error {
	for _, t := range z.files {
		if t.Format != "blob" && !isVectorFile(t.Name) {
			z.first, z.rows = t.FirstRowID, t.Records
		}
	}
	if z.rows == 0 {
		return cherr.New(cherr.IncorrectData, "row ids from %d on of Paimon table %s have no data file", z.files[0].FirstRowID, p.src.Dir.Root)
	}
	p.plan.zips = append(p.plan.zips, z)
	return nil
}
