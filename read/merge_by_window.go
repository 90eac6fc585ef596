package read

import (
	"context"
	"slices"
	"sort"

	"lakeserver/cherr"
	"lakeserver/column"
)

// windowMerger merges sorted runs of which the newest record of a key is shown
// and nobody wants the keys in order. It takes a window of keys at a time, for
// which every run has its records at hand, and goes through it from the newest
// run to the oldest: a record is shown when its key was not met before. What is
// shown of a block stays a block, so that nothing is copied row by row.
type windowMerger struct {
	m      *merging
	output []int
	runs   []*windowRun // from the oldest to the newest
	kinds  bool         // records of kind -D and -U may be among them
	begun  bool
	ready  []*chunk
	dense  []uint64 // bits of the window's keys
	sparse keySet   // the same, where keys lie far apart
	held   int64
}

// windowRun is a run that is being read.
type windowRun struct {
	stream column.Stream
	block  *column.Block
	keys   []uint64
	kinds  []int8 // nil: all of kind +I or +U
	at     int
	shown  []uint32 // rows of the block so far
	won    bool     // the last row that was passed is the newest of its key
	bytes  int64
	over   bool
}

// windows tells whether a section may be merged so.
func (m *merging) windows(ordered bool) bool {
	return m.words && ordered && !m.s.req.Ordered && !m.src.KeepDeletes && m.src.MergeEngine() == "deduplicate" &&
		!m.src.isSet("ignore-delete") && !m.src.isSet("deduplicate.ignore-delete") && !slices.Contains(m.slots, -1)
}

func newWindowMerger(m *merging, streams []column.Stream, output []int) *windowMerger {
	w := &windowMerger{m: m, output: output, kinds: slices.Contains(output, m.kind)}
	for _, s := range streams {
		w.runs = append(w.runs, &windowRun{stream: s})
	}
	return w
}

func (w *windowMerger) close() {
	for _, r := range w.runs {
		_ = r.stream.Close() // nothing is written
		w.m.s.req.Memory.Shrink(r.bytes)
	}
	w.m.s.req.Memory.Shrink(w.held)
	w.held = 0
}

// next gives a block of rows that are shown.
func (w *windowMerger) next(ctx context.Context) (*chunk, error) {
	if len(w.ready) == 0 {
		w.m.s.req.Memory.Shrink(w.held) // the blocks given before
		w.held = 0
	}
	if !w.begun {
		w.begun = true
		for _, r := range w.runs {
			if err := w.load(ctx, r); err != nil {
				return nil, err
			}
		}
	}
	for len(w.ready) == 0 {
		more, err := w.window(ctx)
		if err != nil || !more {
			return nil, err
		}
	}
	c := w.ready[0]
	w.ready = w.ready[1:]
	return c, nil
}

// load gives out what is shown of a run's block and moves it to the next one.
func (w *windowMerger) load(ctx context.Context, r *windowRun) error {
	last, had := uint64(0), len(r.keys) > 0
	if had {
		last = r.keys[len(r.keys)-1]
	}
	old, shown, bytes := r.block, r.shown, r.bytes
	r.block, r.keys, r.kinds, r.shown, r.at, r.bytes = nil, nil, nil, nil, 0, 0
	w.held += bytes
	for {
		b, err := r.stream.Next(ctx)
		if err != nil {
			return err
		}
		if b == nil {
			r.over = true
			break
		}
		if b.Rows > 0 {
			if err := w.take(r, b); err != nil {
				return err
			}
			break
		}
	}
	if had && !r.over {
		if r.keys[0] < last {
			return cherr.New(cherr.IncorrectData, "the keys of a sorted run of Paimon table %s are out of order", w.m.src.Dir.Root)
		}
		shown = r.again(last, shown, old.Rows)
	}
	if len(shown) > 0 {
		c := &chunk{m: w.m, whole: old, shown: shown}
		if len(shown) == old.Rows {
			c.shown = nil
		}
		w.ready = append(w.ready, c)
	}
	return nil
}

// again handles a key that a run has at the end of one block and at the
// beginning of the next: the later record counts, unless a newer run has it.
func (r *windowRun) again(last uint64, shown []uint32, rows int) []uint32 {
	if r.keys[0] != last {
		return shown
	}
	if !r.won {
		for r.at < len(r.keys) && r.keys[r.at] == last {
			r.at++
		}
		return shown
	}
	if n := len(shown); n > 0 && int(shown[n-1]) == rows-1 {
		return shown[:n-1]
	}
	return shown
}

func (w *windowMerger) take(r *windowRun, b *column.Block) error {
	placed := &column.Block{Columns: make([]column.Column, len(w.m.columns)), Rows: b.Rows}
	for i, at := range w.output {
		placed.Columns[at] = b.Columns[i]
	}
	cols := make([]column.Column, len(w.m.keys))
	for k, at := range w.m.keys {
		cols[k] = placed.Columns[at]
	}
	size := b.Size() + 12*int64(b.Rows)
	if err := w.m.s.req.Memory.Grow(size); err != nil {
		return err
	}
	r.block, r.keys, r.bytes = placed, wordKeys(cols, b.Rows), size
	if w.kinds {
		r.kinds = column.Values[int8](column.Full(placed.Columns[w.m.kind]))
	}
	return nil
}

// window goes through the keys up to the least last key of all blocks; false at
// the end.
func (w *windowMerger) window(ctx context.Context) (bool, error) {
	var lo, hi uint64
	some := false
	for _, r := range w.runs {
		for !r.over && r.at >= len(r.keys) {
			if err := w.load(ctx, r); err != nil {
				return false, err
			}
		}
		if r.over {
			continue
		}
		first, last := r.keys[r.at], r.keys[len(r.keys)-1]
		if !some {
			lo, hi, some = first, last, true
			continue
		}
		lo, hi = min(lo, first), min(hi, last)
	}
	if !some {
		return len(w.ready) > 0, nil
	}
	rows := 0
	ends := make([]int, len(w.runs))
	for i, r := range w.runs {
		if !r.over {
			ends[i] = r.at + sort.Search(len(r.keys)-r.at, func(j int) bool { return r.keys[r.at+j] > hi })
			rows += ends[i] - r.at
		}
	}
	dense := hi-lo < uint64(64*rows)
	if dense {
		w.clear(hi - lo)
	} else {
		w.sparse.clear(rows)
	}
	for i := len(w.runs) - 1; i >= 0; i-- {
		r := w.runs[i]
		switch {
		case r.over || ends[i] == r.at:
		case dense:
			w.passDense(r, ends[i], lo)
		default:
			w.passSparse(r, ends[i])
		}
	}
	for _, r := range w.runs {
		if !r.over && r.at >= len(r.keys) {
			if err := w.load(ctx, r); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

func (w *windowMerger) clear(span uint64) {
	n := int(span/64) + 1
	if cap(w.dense) < n {
		w.dense = make([]uint64, n)
	}
	w.dense = w.dense[:n]
	clear(w.dense)
}

// keySet is a set of words that is emptied at once.
type keySet struct {
	keys  []uint64
	round []uint32 // of the place's key
	now   uint32
	shift uint
}

// clear makes room for so many keys.
func (s *keySet) clear(n int) {
	bits := uint(4)
	for 1<<bits < 2*n {
		bits++
	}
	if s.now++; 1<<bits > len(s.keys) || s.now == 0 {
		s.keys, s.round, s.now = make([]uint64, 1<<bits), make([]uint32, 1<<bits), 1
	}
	s.shift = 64 - bits
}

// add tells whether a key is new.
func (s *keySet) add(k uint64) bool {
	mask := uint64(1)<<(64-s.shift) - 1
	for at := k * 0x9E3779B97F4A7C15 >> s.shift; ; at = (at + 1) & mask {
		if s.round[at] != s.now {
			s.round[at], s.keys[at] = s.now, k
			return true
		}
		if s.keys[at] == k {
			return false
		}
	}
}

// passDense goes through a run's records up to an end.
func (w *windowMerger) passDense(r *windowRun, end int, lo uint64) {
	keys, bits := r.keys, w.dense
	for i := r.at; i < end; i++ {
		r.won = false
		if i+1 < end && keys[i+1] == keys[i] {
			continue // a later record of the same key follows
		}
		at := keys[i] - lo
		if bits[at>>6]>>(at&63)&1 != 0 {
			continue
		}
		bits[at>>6] |= 1 << (at & 63)
		r.won = true
		if r.kinds == nil || r.kinds[i]&1 == 0 {
			r.shown = append(r.shown, uint32(i))
		}
	}
	r.at = end
}

func (w *windowMerger) passSparse(r *windowRun, end int) {
	for i := r.at; i < end; i++ {
		r.won = false
		if i+1 < end && r.keys[i+1] == r.keys[i] {
			continue
		}
		if !w.sparse.add(r.keys[i]) {
			continue
		}
		r.won = true
		if r.kinds == nil || r.kinds[i]&1 == 0 {
			r.shown = append(r.shown, uint32(i))
		}
	}
	r.at = end
}

// plain gives those rows of a chunk's block that the query wants.
func (m *merging) plain(ctx context.Context, c *chunk) (*column.Block, error) {
	rows, n := c.shown, c.whole.Rows
	if rows != nil {
		n = len(rows)
	}
	get := func(slot int) column.Column {
		at := m.slots[slot]
		col := c.whole.Columns[at]
		if m.nested[at] {
			col, _ = column.SplitNulls(col)
		}
		if rows != nil {
			col = col.Gather(rows)
		}
		return col
	}
	for i := range m.s.conds {
		cond := &m.s.conds[i]
		b := &column.Block{Columns: make([]column.Column, len(m.s.slots)), Rows: n}
		for _, slot := range cond.slots {
			b.Columns[slot] = get(slot)
		}
		rel, all, err := cond.test(ctx, b)
		if err != nil {
			return nil, err
		}
		if all {
			continue
		}
		if rows != nil {
			for j, x := range rel {
				rel[j] = rows[x]
			}
		}
		if rows, n = rel, len(rel); n == 0 {
			return &column.Block{}, nil
		}
	}
	out := &column.Block{Columns: make([]column.Column, len(m.s.out)), Rows: n}
	for i, slot := range m.s.out {
		out.Columns[i] = get(slot)
	}
	return out, nil
}
