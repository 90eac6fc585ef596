package read

import (
	"context"
	"slices"
	"sort"

	"lakeserver/column"
	"lakeserver/memory"
	"lakeserver/metadata/paimon"
	"lakeserver/pruning"
	"lakeserver/types"
)

// CompactionOptions say how the runs of a section become one.
type CompactionOptions struct {
	Memory *memory.Tracker
	// KeepDeletes: rows of kind -D stay, for there are older runs below.
	KeepDeletes bool
	// Lookup: of what lies above level 0 only the newest row of a key counts,
	// which is whole; a key of level 0 is looked for in the files aside too.
	Lookup bool
	// Changelog asks for the changes besides: since the newest row above level
	// 0 (Lookup), else since the row of the level Top.
	Changelog bool
	Top       int
	// OnlyChanged leaves out changes that change nothing.
	OnlyChanged bool
}

// Compaction merges the sorted runs of a section of a bucket into the rows that
// take their place. It is used by one goroutine.
type Compaction struct {
	m       *merging
	opt     CompactionOptions
	runs    []compactedRun
	work    merger
	fields  int // columns of the schema; then number, kind, file and place
	first   bool
	vectors bool
	earlier []*gatherer // of what keys had before
}

// compactedRun is a run of files of one level.
type compactedRun struct {
	tasks []*Task
	level int
	aside bool
}

// Compacted is the next rows, in the order of their keys.
type Compacted struct {
	Rows *Kinded // may have none
	// Changelog is the changes that the rows made; nil: none.
	Changelog *Kinded
	// Gone are rows of files aside that the rows take the place of.
	Gone []GoneRow
}

// GoneRow is a row by its file and its place there.
type GoneRow struct {
	File string
	Row  int64
}

// Kinded is rows of the schema's columns, with their sequence numbers and kinds.
type Kinded struct {
	Block    *column.Block
	Sequence []int64
	Kinds    []int8
}

// PaimonTasks makes tasks of a snapshot's entries, with the deletion vectors
// that the snapshot has.
func PaimonTasks(ctx context.Context, src *Paimon, entries []paimon.Entry) ([]*Task, error) {
	p := &paimonPlanner{src: src, filter: pruning.NewPaimon(nil, src.Schema), report: &pruning.Report{}, partitions: map[string]*partitionInfo{}}
	files, err := p.files(ctx, entries)
	if err != nil {
		return nil, err
	}
	if src.Snapshot != nil {
		if err := p.attachVectors(ctx, src.Snapshot, files); err != nil {
			return nil, err
		}
	}
	if src.Schema.HasPrimaryKey() {
		if err := p.decodeKeys(files); err != nil {
			return nil, err
		}
	}
	var out []*Task
	for _, f := range files {
		out = append(out, p.task(f))
	}
	return out, nil
}

// Level gives the level of a task's file.
func (t *Task) Level() int { return t.Paimon.Entry.File.Level }

// KeyRange gives the least and the greatest key of a task's file.
func (t *Task) KeyRange() (low, high column.Row) { return t.Paimon.keys[0], t.Paimon.keys[1] }

// HasVector tells whether a deletion vector takes rows of the file away.
func (t *Task) HasVector() bool { return t.Paimon.vector != nil }

// LostShare gives the share of the file's rows that the vector takes away; where
// the index does not say how many, all of them.
func (t *Task) LostShare() float64 {
	v := t.Paimon.vector
	switch {
	case v == nil || t.Records == 0:
		return 0
	case v.Cardinality == nil:
		return 1
	}
	return float64(*v.Cardinality) / float64(t.Records)
}

// PaimonColumns gives the columns of the table as they are stored.
func PaimonColumns(s *paimon.Schema) ([]Column, error) {
	var out []Column
	for i := range s.Fields {
		f := &s.Fields[i]
		t, err := paimon.ClickHouseType(f.Type, false)
		if err != nil {
			return nil, err
		}
		out = append(out, Column{Name: f.Name, Type: t, Paimon: f})
	}
	return out, nil
}

// NewCompaction begins with the files of a section; those aside are of higher
// levels, stay as they are, and are only looked at.
func NewCompaction(src *Paimon, opt CompactionOptions, files, aside []*Task) (*Compaction, error) {
	req := &Request{Source: src, Streams: 1, Memory: opt.Memory, KeepNulls: true}
	var err error
	if req.Columns, err = PaimonColumns(src.Schema); err != nil {
		return nil, err
	}
	c := &Compaction{opt: opt, fields: len(req.Columns), first: src.MergeEngine() == "first-row", vectors: src.vectors()}
	req.Columns = append(req.Columns,
		Column{Name: paimon.SequenceField, Type: types.Int64, Virtual: VirtualSequence},
		Column{Name: paimon.ValueKindField, Type: types.Int8, Virtual: virtualKindCode})
	if len(aside) > 0 && c.vectors {
		req.Columns = append(req.Columns,
			Column{Name: "_file", Type: types.LowCardinality(types.String), Virtual: VirtualFile},
			Column{Name: "_row_number", Type: types.Nullable(types.Int64), Virtual: VirtualRow})
	}
	for i := range req.Columns {
		req.Output = append(req.Output, i)
	}
	s, streams := Start(req, &Plan{})
	if err := closeAll(streams, nil); err != nil {
		return nil, err
	}
	if c.m, err = newMerging(s, src, &Plan{}); err != nil {
		return nil, err
	}
	c.runs = append(levelRuns(files, false), levelRuns(aside, true)...)
	return c, nil
}

// levelRuns puts files of each level into runs: of level 0 as few as there
// need be, else one a level.
func levelRuns(tasks []*Task, aside bool) []compactedRun {
	byLevel := map[int][]*Task{}
	for _, t := range tasks {
		byLevel[t.Level()] = append(byLevel[t.Level()], t)
	}
	var out []compactedRun
	for level, list := range byLevel {
		files, of := make([]*PaimonFile, len(list)), map[*PaimonFile]*Task{}
		for i, t := range list {
			files[i], of[t.Paimon] = t.Paimon, t
		}
		slices.SortStableFunc(files, func(a, b *PaimonFile) int {
			if c := paimon.CompareRows(a.keys[0], b.keys[0]); c != 0 {
				return c
			}
			return paimon.CompareRows(a.keys[1], b.keys[1])
		})
		for _, r := range sortedRuns(files) {
			run := compactedRun{level: level, aside: aside}
			for _, f := range r {
				run.tasks = append(run.tasks, of[f])
			}
			out = append(out, run)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].level < out[j].level })
	return out
}

func (c *Compaction) open() {
	n := c.m.blockRowsOf(len(c.runs))
	var output []int
	for at := range c.m.columns {
		output = append(output, at)
	}
	var streams []column.Stream
	for _, r := range c.runs {
		streams = append(streams, c.m.readRun(r.tasks, output, n))
	}
	if c.m.words {
		c.work = newRunMerger(c.m, streams, output, false, wordKeys)
	} else {
		c.work = newRunMerger(c.m, streams, output, false, func(cols []column.Column, n int) []string { return textKeys(cols, n, false) })
	}
}

// Close ends the reading.
func (c *Compaction) Close() {
	if c.work != nil {
		c.work.close()
		c.work = nil
	}
}

// Next gives the next rows, nil at the end.
func (c *Compaction) Next(ctx context.Context) (*Compacted, error) {
	if c.work == nil {
		c.open()
	}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ch, err := c.work.next(ctx)
		if err != nil || ch == nil {
			return nil, err
		}
		out, err := c.merge(ch)
		if err != nil || out != nil {
			return out, err
		}
	}
}

// none is the place of a row that is not there.
const none = ^uint32(0)

// picked is the rows of a chunk that count for each key, and what the key had.
type pickedKeys struct {
	chunk  *chunk
	before []uint32 // key → its row before, in the chunk; none: there was none
	fresh  []bool   // key → rows of it came since
	gone   []GoneRow
}

// pick leaves of each key the rows that count.
func (c *Compaction) pick(ch *chunk) (*pickedKeys, error) {
	p := &pickedKeys{}
	out := *ch
	out.src, out.row, out.starts = nil, nil, nil
	for k := range ch.keys() {
		from, to := int(ch.starts[k]), int(ch.starts[k+1])
		high, fresh, ours := none, false, false
		for i := from; i < to; i++ {
			r := &c.runs[ch.runs[ch.src[i]]]
			ours = ours || !r.aside
			fresh = fresh || r.level == 0
			if !c.opt.Lookup && r.level != c.opt.Top || r.level == 0 {
				continue
			}
			if high == none || r.level < c.runs[ch.runs[ch.src[high]]].level {
				high = uint32(i)
			}
		}
		if !ours {
			continue // nothing of the key is rewritten
		}
		if c.opt.Lookup && high != none && c.runs[ch.runs[ch.src[high]]].aside {
			if c.first {
				continue // it has its first row
			}
			if c.vectors {
				file, _ := column.At(ch.blocks[ch.src[high]].Columns[c.m.slots[c.fields+2]], int(ch.row[high])).(string)
				at, _ := column.At(ch.blocks[ch.src[high]].Columns[c.m.slots[c.fields+3]], int(ch.row[high])).(int64)
				p.gone = append(p.gone, GoneRow{file, at})
			}
		}
		out.starts = append(out.starts, uint32(len(out.src)))
		before := none
		for i := from; i < to; i++ {
			if c.opt.Lookup && uint32(i) != high && c.runs[ch.runs[ch.src[i]]].level > 0 {
				continue
			}
			if uint32(i) == high {
				before = uint32(len(out.src))
			}
			out.src, out.row = append(out.src, ch.src[i]), append(out.row, ch.row[i])
		}
		p.before, p.fresh = append(p.before, before), append(p.fresh, fresh)
	}
	out.starts = append(out.starts, uint32(len(out.src)))
	p.chunk = &out
	return p, nil
}

func (c *Compaction) merge(ch *chunk) (*Compacted, error) {
	p := &pickedKeys{chunk: ch}
	if c.opt.Lookup || c.opt.Changelog {
		var err error
		if p, err = c.pick(ch); err != nil {
			return nil, err
		}
		if p.chunk.keys() == 0 {
			return nil, nil
		}
	}
	r, err := c.m.engine.merge(p.chunk)
	if err != nil {
		return nil, err
	}
	out := &Compacted{Gone: p.gone}
	if c.opt.Changelog {
		if out.Changelog, err = c.changes(p, r); err != nil {
			return nil, err
		}
	}
	if !c.opt.KeepDeletes {
		r.dropDeletes()
	}
	out.Rows, err = c.kinded(r)
	return out, err
}

// MergeRows merges rows that are sorted by key, and of one key in the order in
// which they count; starts are the first row of each key, and their number.
func (c *Compaction) MergeRows(k *Kinded, starts []uint32) (*Kinded, error) {
	b := &column.Block{Rows: k.Block.Rows, Columns: make([]column.Column, len(c.m.columns))}
	for slot := range c.fields {
		b.Columns[c.m.slots[slot]] = k.Block.Columns[slot]
	}
	b.Columns[c.m.seq], b.Columns[c.m.kind] = column.NewFixed(k.Sequence), column.NewFixed(k.Kinds)
	ch := &chunk{m: c.m, blocks: []*column.Block{c.m.tidy(b)}, src: make([]uint16, b.Rows), row: make([]uint32, b.Rows), starts: starts}
	for i := range ch.row {
		ch.row[i] = uint32(i)
	}
	r, err := c.m.engine.merge(ch)
	if err != nil {
		return nil, err
	}
	return c.kinded(r)
}

// kinded makes the columns of merged rows.
func (c *Compaction) kinded(r *merged) (*Kinded, error) {
	out := &Kinded{Block: &column.Block{Rows: r.rows()}, Kinds: r.kinds}
	if r.rows() == 0 {
		return out, nil
	}
	for slot := range c.fields + 1 {
		x, err := r.column(c.m.slots[slot])
		if err != nil {
			return nil, err
		}
		if slot == c.fields {
			out.Sequence = column.Values[int64](column.Full(x))
			break
		}
		out.Block.Columns = append(out.Block.Columns, column.Full(x))
	}
	return out, nil
}

// changes says what became of each key: +I where there was nothing, -D where
// nothing is left, -U and +U else (paimon.md §2.6).
func (c *Compaction) changes(p *pickedKeys, after *merged) (*Kinded, error) {
	var old []uint32 // rows of the chunk
	oldAt := make([]int, len(p.before))
	for k, b := range p.before {
		oldAt[k] = -1
		if b != none {
			oldAt[k] = len(old)
			old = append(old, b)
		}
	}
	src, row := make([]uint16, len(old)), make([]uint32, len(old))
	for i, at := range old {
		src[i], row[i] = p.chunk.src[at], p.chunk.row[at]
	}
	if c.earlier == nil {
		c.earlier = newGatherers(c.m)
	}
	before := picked(p.chunk, c.earlier, src, row)
	a, err := c.kinded(before)
	if err != nil {
		return nil, err
	}
	b, err := c.kinded(after)
	if err != nil {
		return nil, err
	}
	var order []uint32
	var kinds []int8
	add := func(at int, kind int8) {
		order, kinds = append(order, uint32(at)), append(kinds, kind)
	}
	n := a.Block.Rows
	for k := range p.before {
		had := oldAt[k] >= 0 && a.Kinds[oldAt[k]]&1 == 0
		has := b.Kinds[k]&1 == 0
		switch {
		case c.opt.Lookup && !p.fresh[k]:
		case !had && has:
			add(n+k, kindInsert)
		case had && !has:
			add(oldAt[k], kindDelete)
		case !had && !has:
		case c.first, !c.opt.Lookup && p.chunk.starts[k+1]-p.chunk.starts[k] == 1: // it is the row that was
		case c.opt.OnlyChanged && equalRows(a.Block, oldAt[k], b.Block, k):
		default:
			add(oldAt[k], kindUpdateBefore)
			add(n+k, kindUpdateAfter)
		}
	}
	if len(order) == 0 {
		return nil, nil
	}
	return joinKinded(c.m, a, b, order, kinds), nil
}

func equalRows(a *column.Block, i int, b *column.Block, j int) bool {
	for at := range a.Columns {
		if !equalValues(column.At(a.Columns[at], i), column.At(b.Columns[at], j)) {
			return false
		}
	}
	return true
}

func joinKinded(m *merging, a, b *Kinded, order []uint32, kinds []int8) *Kinded {
	out := &Kinded{Block: &column.Block{Rows: len(order)}, Kinds: kinds, Sequence: make([]int64, len(order))}
	numbers := append(slices.Clone(a.Sequence), b.Sequence...)
	for i, at := range order {
		out.Sequence[i] = numbers[at]
	}
	src, row := make([]uint16, len(order)), make([]uint32, len(order))
	for i, at := range order {
		if row[i] = at; int(at) >= a.Block.Rows {
			src[i], row[i] = 1, at-uint32(a.Block.Rows)
		}
	}
	for at, slot := range m.slots[:max(len(a.Block.Columns), len(b.Block.Columns))] {
		g := gatherer{t: m.columns[slot].Type}
		switch {
		case a.Block.Rows == 0:
			out.Block.Columns = append(out.Block.Columns, b.Block.Columns[at].Gather(row))
		case b.Block.Rows == 0:
			out.Block.Columns = append(out.Block.Columns, a.Block.Columns[at].Gather(row))
		default:
			out.Block.Columns = append(out.Block.Columns, column.Full(g.gather([]column.Column{a.Block.Columns[at], b.Block.Columns[at]}, src, row)))
		}
	}
	return out
}
