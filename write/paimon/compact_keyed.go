package paimon

import (
	"context"
	"maps"

	"lakeserver/column"
	"lakeserver/memory"
	"lakeserver/metadata/paimon"
	"lakeserver/read"
)

// keyedCompaction merges picked runs of one bucket of a primary-key table.
type keyedCompaction struct {
	c       *Committer
	out     *output
	src     *read.Paimon
	memory  *memory.Tracker
	full    bool
	folder  string
	message *Message
	vectors *Vectors
	level   int
	deletes bool // rows of kind -D stay
	all     []*read.Task
	chosen  map[*read.Task]bool

	data, changes *keyedFiles
	gone          map[string]*paimon.Positions // of files aside
	before        map[string]bool
}

// run rewrites the picked runs. Sections that are large and overlap nothing
// only change their level (paimon.md §3.13).
func (k *keyedCompaction) run(ctx context.Context, p *picked, all []*read.Task) error {
	k.level, k.all, k.chosen, k.gone, k.before = p.level, all, map[*read.Task]bool{}, map[string]*paimon.Positions{}, map[string]bool{}
	highest := 0
	for _, t := range all {
		highest = max(highest, t.Level())
	}
	k.deletes = p.level < highest && !k.c.options.flag("deletion-vectors.enabled", false)
	var tasks []*read.Task
	for _, r := range p.runs {
		tasks = append(tasks, r.tasks...)
	}
	for _, t := range tasks {
		k.chosen[t] = true
	}
	source := int32(paimon.SourceCompact)
	k.data = k.out.newKeyed(k.folder, fileKind{level: k.level, source: source})
	k.changes = k.out.newKeyed(k.folder, fileKind{level: k.level, source: source, changelog: true})
	err := k.rewrite(ctx, sections(tasks))
	for _, f := range []*keyedFiles{k.data, k.changes} {
		if err == nil {
			err = f.end(ctx)
		} else {
			f.abort()
		}
	}
	if err != nil {
		return err
	}
	m := &k.message.Compact
	m.After, m.ChangelogFiles = append(m.After, k.data.done...), append(m.ChangelogFiles, k.changes.done...)
	return k.changeVectors(ctx)
}

func (k *keyedCompaction) rewrite(ctx context.Context, parts [][]*read.Task) error {
	small := k.c.TargetFileSize() * 7 / 10
	var pending [][]*read.Task
	flush := func() error {
		todo := pending
		pending = nil
		if len(todo) == 1 && len(todo[0]) == 1 && k.raise(todo[0][0]) {
			return nil
		}
		for _, section := range todo {
			if err := k.merge(ctx, section); err != nil {
				return err
			}
		}
		return nil
	}
	for _, section := range parts {
		if len(section) > 1 || section[0].Size < small {
			pending = append(pending, section)
			continue
		}
		if err := flush(); err != nil {
			return err
		}
		// What is written so far stands before this file's keys.
		if err := k.data.end(ctx); err != nil {
			return err
		}
		if !k.raise(section[0]) {
			if err := k.merge(ctx, section); err != nil {
				return err
			}
		}
	}
	return flush()
}

// raise lists a file anew at the level, without reading it; false where its rows
// must be looked at.
func (k *keyedCompaction) raise(t *read.Task) bool {
	f := t.Paimon.Entry.File
	plain := f.DeleteRows != nil && *f.DeleteRows == 0
	form := k.out.layout.formOf(fileKind{level: k.level})
	fresh := f.Level == 0 && (k.c.looksUp() || k.c.producesAtTop())
	if fresh || t.HasVector() || !k.deletes && !plain || form != k.out.layout.formOf(fileKind{level: f.Level}) {
		return false
	}
	if f.Level == k.level {
		return true
	}
	k.message.Compact.Before = append(k.message.Compact.Before, f)
	f.Level = k.level
	k.message.Compact.After = append(k.message.Compact.After, f)
	return true
}

// producesAtTop: full compactions tell what they changed.
func (c *Committer) producesAtTop() bool {
	return c.options.text("changelog-producer", "none") == "full-compaction"
}

func (k *keyedCompaction) merge(ctx context.Context, section []*read.Task) error {
	o := k.c.options
	opt := read.CompactionOptions{Memory: k.memory, KeepDeletes: k.deletes, Lookup: k.c.looksUp(), Top: k.c.TopLevel(), OnlyChanged: o.flag("changelog-producer.row-deduplicate", false)}
	opt.Changelog = o.text("changelog-producer", "none") == "lookup" || k.c.producesAtTop() && k.level == opt.Top
	var aside []*read.Task
	if opt.Lookup {
		aside = k.aside(section)
	}
	x, err := read.NewCompaction(k.src, opt, section, aside)
	if err != nil {
		return err
	}
	defer x.Close()
	for _, t := range section {
		k.message.Compact.Before = append(k.message.Compact.Before, t.Paimon.Entry.File)
		k.before[t.Name] = true
	}
	for {
		r, err := x.Next(ctx)
		if err != nil || r == nil {
			return err
		}
		if r.Rows.Block.Rows > 0 {
			if err := k.data.write(ctx, r.Rows); err != nil {
				return err
			}
		}
		if r.Changelog != nil {
			if err := k.changes.write(ctx, r.Changelog); err != nil {
				return err
			}
		}
		for _, g := range r.Gone {
			if k.gone[g.File] == nil {
				k.gone[g.File] = paimon.NewPositions()
			}
			k.gone[g.File].Add(g.Row)
		}
	}
}

// aside gives the files above level 0 that are not compacted and may hold keys
// of the section's new rows.
func (k *keyedCompaction) aside(section []*read.Task) []*read.Task {
	var low, high column.Row
	for _, t := range section {
		if t.Level() != 0 {
			continue
		}
		l, h := t.KeyRange()
		if low == nil || paimon.CompareRows(l, low) < 0 {
			low = l
		}
		if high == nil || paimon.CompareRows(h, high) > 0 {
			high = h
		}
	}
	var out []*read.Task
	for _, t := range k.all {
		l, h := t.KeyRange()
		if low != nil && !k.chosen[t] && t.Level() > 0 && paimon.CompareRows(l, high) <= 0 && paimon.CompareRows(low, h) <= 0 {
			out = append(out, t)
		}
	}
	return out
}

// changeVectors writes the bucket's deletion vectors: without those of files
// that are no more, with the rows that were replaced.
func (k *keyedCompaction) changeVectors(ctx context.Context) error {
	old := k.vectors.OfBucket(k.message.Bucket)
	sets, changed := map[string]*paimon.Positions{}, len(k.gone) > 0
	for _, x := range old {
		for file, p := range k.vectors.sets[x.Name] {
			if k.before[file] {
				changed = true
				continue
			}
			sets[file] = p
		}
	}
	if !changed {
		return nil
	}
	for file, p := range k.gone {
		if sets[file] != nil {
			p.Union(sets[file])
		}
	}
	maps.Copy(sets, k.gone)
	m := &k.message.Compact
	m.DeletedIndexFiles = old
	if len(sets) == 0 {
		return nil
	}
	x, err := k.c.writeVectors(ctx, k.out, sets)
	m.NewIndexFiles = []paimon.IndexEntry{x}
	return err
}
