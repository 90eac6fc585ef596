package read

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/metadata/paimon"
	"lakeserver/types"
)

// mergeTask is a section of a bucket: sorted runs whose key ranges overlap.
type mergeTask struct {
	runs [][]*Task
	rows int64
	// before is, of a difference between two states, the runs of the earlier one.
	before [][]*Task
	diff   bool
}

// merging is what the merges of one scan have in common.
type merging struct {
	s       *Scan // its slots, conditions and counts
	src     *Paimon
	columns []Column // that every run gives
	nested  []bool   // of those: lists, maps and rows, with NULL kept apart
	keys    []int
	seqs    []int // user-defined sequence fields
	seq     int   // _SEQUENCE_NUMBER
	kind    int   // _VALUE_KIND
	slots   []int // slot of the scan → column, -1: the row kind as text
	words   bool  // keys fit a word
	desc    bool  // the least user-defined sequence wins
	level   int   // _level, where of what lies above level 0 only the newest row counts; else -1
	engine  mergeEngine
	filter  []expr.Expr // of the query, on the key alone, over columns
	live    []KeyFilter // of the query, on the key, over columns

	tasks []*mergeTask
	next  atomic.Int64
}

// column gives the place of a column among those that runs give.
func (m *merging) column(c Column) int {
	for i := range m.columns {
		if m.columns[i].Name == c.Name && m.columns[i].Virtual == c.Virtual {
			return i
		}
	}
	m.columns = append(m.columns, c)
	m.nested = append(m.nested, c.Paimon != nil && c.Paimon.Type.Nested())
	return len(m.columns) - 1
}

// fieldColumn gives the place of a table column by name.
func (m *merging) fieldColumn(name string) (int, error) {
	f := m.src.Schema.Field(name)
	if f == nil {
		return 0, cherr.New(cherr.BadArguments, "Paimon table %s has no column `%s`, which its options name", m.src.Dir.Root, name)
	}
	t, err := paimon.ClickHouseType(f.Type, m.src.AsClickHouse)
	return m.column(Column{Name: f.Name, Type: t, Paimon: f}), err
}

func newMerging(s *Scan, src *Paimon, plan *Plan) (*merging, error) {
	m := &merging{s: s, src: src, tasks: slices.Clone(plan.merges), level: -1}
	slices.SortStableFunc(m.tasks, func(a, b *mergeTask) int { return int(b.rows - a.rows) })
	for _, f := range src.Schema.TrimmedKeys() {
		at, err := m.fieldColumn(f.Name)
		if err != nil {
			return nil, err
		}
		m.keys = append(m.keys, at)
	}
	for _, name := range paimon.SplitList(src.Schema.Options["sequence.field"]) {
		at, err := m.fieldColumn(name)
		if err != nil {
			return nil, err
		}
		m.seqs = append(m.seqs, at)
	}
	m.desc = src.option("sequence.field.sort-order") == "descending"
	m.seq = m.column(Column{Name: paimon.SequenceField, Type: types.Int64, Virtual: VirtualSequence})
	m.kind = m.column(Column{Name: paimon.ValueKindField, Type: types.Int8, Virtual: virtualKindCode})
	for _, c := range s.slots {
		switch c.Virtual {
		case VirtualKind:
			m.slots = append(m.slots, -1)
		default:
			m.slots = append(m.slots, m.column(c))
		}
	}
	if src.looksUp() {
		m.level = m.column(Column{Name: "_level", Type: types.Int32, Virtual: VirtualLevel})
	}
	var ts []*types.Type
	for _, k := range m.keys {
		ts = append(ts, m.columns[k].Type)
	}
	m.words = keyWidth(ts)
	m.beforeMerging()
	var err error
	m.engine, err = newMergeEngine(m)
	return m, err
}

// readRun opens a stream over the files of a sorted run, one after the other;
// output are the columns that it gives.
func (m *merging) readRun(tasks []*Task, output []int, blockRows int) column.Stream {
	opt := m.s.req.Options
	opt.BlockRows = blockRows
	_, streams := Start(&Request{
		Source: m.src, Columns: m.columns, Output: output, Streams: 1, Memory: m.s.req.Memory, Options: opt,
		Filter: m.filter, Prune: m.s.req.KeyPrune, Keys: m.live,
		Progress: m.s.req.Progress, KeepNulls: true, Done: m.s.Metrics.join,
	}, &Plan{Tasks: tasks})
	return streams[0]
}

// mergeStream gives the merged rows of the sections that it takes.
type mergeStream struct {
	m      *merging
	engine mergeEngine
	work   merger // the section at hand, nil: none
	shut   bool
}

// merger merges one section: next gives a run of keys, nil at the end.
type merger interface {
	next(ctx context.Context) (*chunk, error)
	close()
}

func (ms *mergeStream) Next(ctx context.Context) (*column.Block, error) {
	for !ms.shut {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if ms.m.s.enough() {
			return nil, ms.Close()
		}
		if ms.work == nil {
			i := ms.m.next.Add(1) - 1
			if i >= int64(len(ms.m.tasks)) {
				return nil, nil
			}
			ms.work = ms.m.open(ms.m.tasks[i], ms.engine)
		}
		c, err := ms.work.next(ctx)
		if err != nil {
			return nil, err
		}
		if c == nil {
			ms.work.close()
			ms.work = nil
			continue
		}
		b, err := ms.m.block(ctx, c, ms.engine)
		if err != nil {
			return nil, err
		}
		if b.Rows > 0 {
			return (&stream{s: ms.m.s}).limited(b), nil
		}
	}
	return nil, nil
}

func (ms *mergeStream) Close() error {
	if ms.shut {
		return nil
	}
	ms.shut = true
	if ms.work != nil {
		ms.work.close()
		ms.work = nil
	}
	return nil
}

// blockRowsOf keeps what all runs hold at once small.
func (m *merging) blockRowsOf(runs int) int {
	return max(512, min(8192, 131072/max(runs, 1)))
}

func (m *merging) open(t *mergeTask, e mergeEngine) merger {
	if t.diff {
		return newDifference(m, t, e)
	}
	runs, ordered := m.inOrder(t.runs)
	if !m.windows(ordered) {
		return m.openRuns(t.runs)
	}
	streams, output := m.startRuns(runs, ordered)
	return newWindowMerger(m, streams, output)
}

// openRuns merges runs in the order of their keys.
func (m *merging) openRuns(runs [][]*Task) merger {
	runs, ordered := m.inOrder(runs)
	streams, output := m.startRuns(runs, ordered)
	if m.words {
		return newRunMerger(m, streams, output, ordered, wordKeys)
	}
	return newRunMerger(m, streams, output, ordered, func(cols []column.Column, n int) []string { return textKeys(cols, n, false) })
}

// startRuns opens a stream a run; output are the columns that they give.
func (m *merging) startRuns(runs [][]*Task, ordered bool) (streams []column.Stream, output []int) {
	n := m.blockRowsOf(len(runs))
	for at := range m.columns {
		unused := at == m.seq && ordered || at == m.kind && !m.needsKinds(runs)
		if unused && !slices.Contains(m.slots, at) {
			continue
		}
		output = append(output, at)
	}
	for _, r := range runs {
		streams = append(streams, m.readRun(r, output, n))
	}
	return streams, output
}

// inOrder puts runs into the order in which they were written, if the sequence
// numbers of each lie apart from those of the others: then the numbers of the
// rows need not be read.
func (m *merging) inOrder(runs [][]*Task) (sorted [][]*Task, ok bool) {
	if len(m.seqs) > 0 {
		return runs, false
	}
	least := func(r []*Task) int64 {
		n := r[0].Paimon.Entry.File.MinSequence
		for _, t := range r {
			n = min(n, t.Paimon.Entry.File.MinSequence)
		}
		return n
	}
	sorted = slices.Clone(runs)
	slices.SortStableFunc(sorted, func(a, b []*Task) int { return cmp.Compare(least(a), least(b)) })
	last := int64(-1)
	for _, r := range sorted {
		if least(r) <= last {
			return runs, false
		}
		for _, t := range r {
			last = max(last, t.Paimon.Entry.File.MaxSequence)
		}
	}
	return sorted, true
}

// needsKinds tells whether the rows' kinds matter: where none can be of kind
// -D or -U and nobody asks for them, they are not read.
func (m *merging) needsKinds(runs [][]*Task) bool {
	if m.src.KeepDeletes || slices.Contains(m.slots, -1) {
		return true
	}
	for _, r := range runs {
		for _, t := range r {
			if mayDelete(&t.Paimon.Entry.File) {
				return true
			}
		}
	}
	return false
}

// block merges a chunk and gives the rows of it that the query wants.
func (m *merging) block(ctx context.Context, c *chunk, e mergeEngine) (*column.Block, error) {
	if c.whole != nil {
		return m.plain(ctx, c)
	}
	r := c.done
	var err error
	if r == nil {
		if r, err = e.merge(c.newest()); err != nil {
			return nil, err
		}
	}
	if !m.src.KeepDeletes {
		r.dropDeletes()
	}
	empty := &column.Block{}
	for i := range m.s.conds {
		if r.rows() == 0 {
			return empty, nil
		}
		cond := &m.s.conds[i]
		b := &column.Block{Columns: make([]column.Column, len(m.s.slots)), Rows: r.rows()}
		for _, slot := range cond.slots {
			if b.Columns[slot], err = m.slot(r, slot); err != nil {
				return nil, err
			}
		}
		rel, all, err := cond.test(ctx, b)
		if err != nil {
			return nil, err
		}
		if !all {
			r.keep(rel)
		}
	}
	out := &column.Block{Columns: make([]column.Column, len(m.s.out)), Rows: r.rows()}
	if r.rows() == 0 {
		return empty, nil
	}
	for i, slot := range m.s.out {
		if out.Columns[i], err = m.slot(r, slot); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// looksUp tells whether compactions fold what a key had above into its new row:
// then older rows above level 0 must not be folded in again (paimon.md §2.4).
func (src *Paimon) looksUp() bool {
	if e := src.MergeEngine(); e != "aggregation" && e != "partial-update" {
		return false
	}
	return src.option("changelog-producer") == "lookup" || src.isSet("force-lookup") || src.vectors()
}

// newest leaves of each key's rows above level 0 only that of the least level.
func (c *chunk) newest() *chunk {
	if c.m.level < 0 || c.keys() == len(c.src) {
		return c
	}
	levels := make([]int32, len(c.blocks))
	for i, b := range c.blocks {
		levels[i], _ = column.At(b.Columns[c.m.level], 0).(int32) // a block is of one file
	}
	out := *c
	out.src, out.row, out.starts = nil, nil, nil
	for k := range c.keys() {
		from, to := c.starts[k], c.starts[k+1]
		high := to
		for i := from; i < to; i++ {
			if l := levels[c.src[i]]; l > 0 && (high == to || l < levels[c.src[high]]) {
				high = i
			}
		}
		out.starts = append(out.starts, uint32(len(out.src)))
		for i := from; i < to; i++ {
			if levels[c.src[i]] == 0 || i == high {
				out.src, out.row = append(out.src, c.src[i]), append(out.row, c.row[i])
			}
		}
	}
	out.starts = append(out.starts, uint32(len(out.src)))
	return &out
}

// slot gives a column of the scan for the merged rows.
func (m *merging) slot(r *merged, slot int) (column.Column, error) {
	if at := m.slots[slot]; at >= 0 {
		c, err := r.column(at)
		if err == nil && m.nested[at] {
			c, _ = column.SplitNulls(c)
		}
		return c, err
	}
	return kindText(column.NewFixed(r.kinds))
}

// StartPaimon prepares streams over a plan: files that are read as they are,
// sections that are merged, and rows whose columns lie in several files.
func StartPaimon(req *Request, src *Paimon, plan *Plan) ([]column.Stream, error) {
	s, streams := Start(req, plan)
	if len(plan.merges) == 0 && len(plan.zips) == 0 {
		return streams, nil
	}
	var m *merging
	var err error
	if len(plan.merges) > 0 {
		if m, err = newMerging(s, src, plan); err != nil {
			return nil, closeAll(streams, err)
		}
	}
	z := newZipping(s, src, plan)
	for i := range streams {
		var parts []column.Stream
		if m != nil {
			parts = append(parts, &mergeStream{m: m, engine: m.engine.fork()})
		}
		if z != nil {
			parts = append(parts, &zipStream{z: z})
		}
		streams[i] = &joined{parts: append(parts, streams[i])}
	}
	return streams, nil
}

func closeAll(streams []column.Stream, err error) error {
	for _, s := range streams {
		_ = s.Close() // the error at hand counts
	}
	return err
}

// joined gives the blocks of one stream after the other.
type joined struct{ parts []column.Stream }

func (j *joined) Next(ctx context.Context) (*column.Block, error) {
	for len(j.parts) > 0 {
		b, err := j.parts[0].Next(ctx)
		if err != nil || b != nil {
			return b, err
		}
		if err := j.parts[0].Close(); err != nil {
			return nil, err
		}
		j.parts = j.parts[1:]
	}
	return nil, nil
}

func (j *joined) Close() error { return closeAll(j.parts, nil) }
