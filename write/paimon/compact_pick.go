package paimon

import (
	"cmp"
	"slices"

	"lakeserver/metadata/paimon"
	"lakeserver/read"
)

// sortedRun is the files of one level above level 0, or one file of level 0.
type sortedRun struct {
	level int
	tasks []*read.Task
	size  int64
}

// runsOf gives the sorted runs of a bucket, the newest first: files of level 0
// by their sequence numbers, then level by level (paimon.md §3.13).
func runsOf(tasks []*read.Task) []sortedRun {
	var out []sortedRun
	levels := map[int]*sortedRun{}
	for _, t := range tasks {
		if t.Level() == 0 {
			out = append(out, sortedRun{tasks: []*read.Task{t}, size: t.Size})
			continue
		}
		r := levels[t.Level()]
		if r == nil {
			r = &sortedRun{level: t.Level()}
			levels[t.Level()] = r
		}
		r.tasks, r.size = append(r.tasks, t), r.size+t.Size
	}
	slices.SortStableFunc(out, func(a, b sortedRun) int {
		x, y := &a.tasks[0].Paimon.Entry.File, &b.tasks[0].Paimon.Entry.File
		return cmp.Or(cmp.Compare(y.MaxSequence, x.MaxSequence), cmp.Compare(y.MinSequence, x.MinSequence), cmp.Compare(x.Name, y.Name))
	})
	above := make([]sortedRun, 0, len(levels))
	for _, r := range levels {
		above = append(above, *r)
	}
	slices.SortFunc(above, func(a, b sortedRun) int { return cmp.Compare(a.level, b.level) })
	return append(out, above...)
}

// picked is the runs to compact, which are the newest ones, and the level that
// their rows go to.
type picked struct {
	runs  []sortedRun
	level int
}

// universal picks runs of a bucket to compact so that neither their number nor
// what they hold besides the oldest gets out of hand.
type universal struct {
	top              int
	trigger          int
	amplification    int64 // percent
	ratio            int64 // percent
	totalSize        int64 // buckets smaller than that are compacted whole; 0: none
	incrementalSize  int64 // and those whose newer runs are larger than that
	forceUp, forceIt bool
}

func (c *Committer) universal() universal {
	o := c.options
	return universal{
		top: c.TopLevel(), trigger: int(o.number("num-sorted-run.compaction-trigger", 5)),
		amplification: o.number("compaction.max-size-amplification-percent", 200), ratio: o.number("compaction.size-ratio", 1),
		totalSize: o.size("compaction.total-size-threshold", 0), incrementalSize: o.size("compaction.incremental-size-threshold", 0),
		forceUp: c.looksUp() || o.flag("compaction.force-up-level-0", false),
	}
}

// pick gives what to compact; nil: nothing.
func (u universal) pick(runs []sortedRun) *picked {
	p := u.pickRuns(runs)
	if p == nil && u.forceUp {
		n := 0
		for n < len(runs) && runs[n].level == 0 {
			n++
		}
		if n > 0 {
			p = u.byRatio(runs, n, true)
		}
	}
	if p == nil || len(p.runs) == 1 && len(p.runs[0].tasks) == 1 && p.runs[0].level == p.level {
		return nil
	}
	return p
}

func (u universal) pickRuns(runs []sortedRun) *picked {
	if len(runs) == 0 {
		return nil
	}
	newer := int64(0)
	for _, r := range runs[:len(runs)-1] {
		newer += r.size
	}
	oldest := runs[len(runs)-1].size
	early := len(runs) > 1 && (u.totalSize > 0 && newer+oldest < u.totalSize || u.incrementalSize > 0 && newer > u.incrementalSize)
	switch {
	case early, len(runs) >= u.trigger && newer*100 > u.amplification*oldest:
		return &picked{runs, u.top}
	case len(runs) < u.trigger:
		return nil
	}
	if p := u.byRatio(runs, 1, false); p != nil {
		return p
	}
	if len(runs) > u.trigger {
		return u.byRatio(runs, len(runs)-u.trigger+1, false)
	}
	return nil
}

// byRatio takes n runs, and further ones as long as they are not much larger
// than what is taken already.
func (u universal) byRatio(runs []sortedRun, n int, always bool) *picked {
	size := int64(0)
	for _, r := range runs[:n] {
		size += r.size
	}
	for n < len(runs) && float64(size)*float64(100+u.ratio)/100 >= float64(runs[n].size) {
		size += runs[n].size
		n++
	}
	if n < 2 && !always {
		return nil
	}
	return u.upTo(runs, n)
}

// upTo gives the first n runs their level: the one below the next run's, or the
// top. Nothing is written to level 0: then further runs are taken.
func (u universal) upTo(runs []sortedRun, n int) *picked {
	level := u.top
	if n < len(runs) {
		level = max(0, runs[n].level-1)
	}
	for level == 0 && n < len(runs) {
		level = runs[n].level
		n++
	}
	if n == len(runs) {
		level = u.top
	}
	return &picked{runs[:n], level}
}

// whole gives all runs, unless they lie at the top already and hold nothing
// that is deleted.
func (u universal) whole(runs []sortedRun) *picked {
	if len(runs) == 0 {
		return nil
	}
	if len(runs) == 1 && runs[0].level == u.top && !u.forceIt {
		clean := true
		for _, t := range runs[0].tasks {
			n := t.Paimon.Entry.File.DeleteRows
			clean = clean && n != nil && *n == 0 && !t.HasVector()
		}
		if clean {
			return nil
		}
	}
	return &picked{runs, u.top}
}

// looksUp tells whether rows of level 0 are looked for above before they are
// compacted, so that they are to be compacted at once (paimon.md §2.4–2.6).
func (c *Committer) looksUp() bool {
	o := c.options
	return o.text("changelog-producer", "none") == "lookup" || o.text("merge-engine", "deduplicate") == "first-row" ||
		o.flag("deletion-vectors.enabled", false) || o.flag("force-lookup", false)
}

// sections cuts tasks where no key range reaches across.
func sections(tasks []*read.Task) [][]*read.Task {
	list := slices.Clone(tasks)
	slices.SortStableFunc(list, func(a, b *read.Task) int {
		al, _ := a.KeyRange()
		bl, _ := b.KeyRange()
		return paimon.CompareRows(al, bl)
	})
	var out [][]*read.Task
	for from := 0; from < len(list); {
		_, last := list[from].KeyRange()
		to := from + 1
		for to < len(list) {
			low, high := list[to].KeyRange()
			if paimon.CompareRows(low, last) > 0 {
				break
			}
			if paimon.CompareRows(high, last) > 0 {
				last = high
			}
			to++
		}
		out = append(out, list[from:to])
		from = to
	}
	return out
}
