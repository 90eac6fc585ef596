package read

import (
	"context"
	"slices"
	"strconv"

	"lakeserver/cherr"
	"lakeserver/metadata/paimon"
)

// planDiff plans the rows of a state that an earlier one did not have like
// that: for append tables those of the files that it did not have, for
// primary-key tables by merging what either has alone.
func (p *paimonPlanner) planDiff(ctx context.Context, files []*PaimonFile) error {
	var before []*PaimonFile
	if s := p.src.Range.Before; s != nil {
		var err error
		if before, err = p.live(ctx, s); err != nil {
			return err
		}
		if err := p.attachVectors(ctx, s, before); err != nil {
			return err
		}
	}
	// Files that both states have say nothing new.
	files, before = without(files, before), without(before, files)
	if !p.src.Schema.HasPrimaryKey() {
		return p.groups(ctx, files)
	}
	buckets := map[string]*mergeTask{}
	var order []string
	of := func(f *PaimonFile) *mergeTask {
		key := string(f.Entry.Partition) + "\x00" + strconv.Itoa(f.Entry.Bucket)
		if buckets[key] == nil {
			buckets[key] = &mergeTask{diff: true}
			order = append(order, key)
		}
		return buckets[key]
	}
	late, earlier := map[*mergeTask][]*PaimonFile{}, map[*mergeTask][]*PaimonFile{}
	for i, list := range [][]*PaimonFile{files, before} {
		for _, f := range list {
			if f.Entry.Bucket < 0 || p.src.hidesLevel0() && f.Entry.File.Level == 0 || !p.filter.KeysMightMatch(f.Entry, f.Partition, f.Schema) {
				continue
			}
			if i == 0 {
				late[of(f)] = append(late[of(f)], f)
			} else {
				earlier[of(f)] = append(earlier[of(f)], f)
			}
		}
	}
	for _, key := range order {
		t := buckets[key]
		for _, side := range []struct {
			files []*PaimonFile
			runs  *[][]*Task
		}{{late[t], &t.runs}, {earlier[t], &t.before}} {
			runs, err := p.keyRuns(side.files)
			if err != nil {
				return err
			}
			*side.runs = runs
		}
		p.plan.merges = append(p.plan.merges, t)
	}
	return nil
}

// without gives the files that are not among others.
func without(files, others []*PaimonFile) []*PaimonFile {
	had := map[string]bool{}
	for _, f := range others {
		had[f.Entry.Identity()] = true
	}
	return slices.DeleteFunc(slices.Clone(files), func(f *PaimonFile) bool { return had[f.Entry.Identity()] })
}

// keyRuns puts all files of a bucket into sorted runs.
func (p *paimonPlanner) keyRuns(files []*PaimonFile) ([][]*Task, error) {
	if err := p.decodeKeys(files); err != nil {
		return nil, err
	}
	slices.SortStableFunc(files, func(a, b *PaimonFile) int {
		if c := paimon.CompareRows(a.keys[0], b.keys[0]); c != 0 {
			return c
		}
		return paimon.CompareRows(a.keys[1], b.keys[1])
	})
	var out [][]*Task
	for _, run := range sortedRuns(files) {
		var tasks []*Task
		for _, f := range run {
			tasks = append(tasks, p.keep(f))
		}
		out = append(out, tasks)
	}
	return out, nil
}

// decodeKeys reads the key ranges of files.
func (p *paimonPlanner) decodeKeys(files []*PaimonFile) error {
	for _, f := range files {
		ts := paimon.TypesOf(f.Schema.TrimmedKeys())
		for i, b := range [][]byte{f.Entry.File.MinKey, f.Entry.File.MaxKey} {
			key, err := paimon.DecodeRow(b, ts)
			if err != nil {
				return cherr.Wrap(err, "reading the key range of data file %s of Paimon table %s", f.Entry.File.Name, p.src.Dir.Root)
			}
			f.keys[i] = key
		}
	}
	return nil
}
