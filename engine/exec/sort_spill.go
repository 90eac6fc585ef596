package exec

import (
	"container/heap"
	"context"

	"lakeserver/column"
)

// A sort that outgrows max_bytes_before_external_sort writes what a stream has
// brought, in order, to a file and begins anew. At the end the files and what
// is left in memory are merged a block of each at a time.

// spill writes a run in order to a file and empties it.
func (s *sorter) spill(r *sortRun) error {
	s.arrange(r)
	f, err := newSpillFile(s.tempDir, s.header)
	if err != nil {
		return err
	}
	s.addFile(f)
	for from := 0; from < len(r.order); from += spillRows {
		if err := f.write(r.block.Gather(r.order[from:min(from+spillRows, len(r.order))])); err != nil {
			return err
		}
	}
	if err := f.rewind(); err != nil {
		return err
	}
	r.blocks, r.rows, r.block, r.order, r.keys = nil, 0, nil, nil, sortKeys{}
	return r.held.Resize(0)
}

// spillRows is how many rows of a run lie in memory at once while runs are merged.
const spillRows = 8192

func (s *sorter) addFile(f *spillFile) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files = append(s.files, f)
}

// mergedRun is one run while runs are merged.
type mergedRun struct {
	next  func(ctx context.Context) (*column.Block, error)
	block *column.Block
	keys  sortKeys
	at    int
	place int // among the runs: of equal rows those of earlier runs come first
}

// runMerger merges runs; it is a heap by their next rows.
type runMerger struct {
	s    *sorter
	runs []*mergedRun
	left int64 // rows still wanted, -1 for all
}

func (m *runMerger) Len() int      { return len(m.runs) }
func (m *runMerger) Swap(i, j int) { m.runs[i], m.runs[j] = m.runs[j], m.runs[i] }
func (m *runMerger) Push(x any)    { m.runs = append(m.runs, x.(*mergedRun)) }
func (m *runMerger) Pop() any      { m.runs = m.runs[:len(m.runs)-1]; return nil }
func (m *runMerger) Less(i, j int) bool {
	a, b := m.runs[i], m.runs[j]
	if r := compareKeys(&a.keys, uint32(a.at), &b.keys, uint32(b.at)); r != 0 {
		return r < 0
	}
	return a.place < b.place
}

// newMerger merges the files and the runs that are left in memory.
func (s *sorter) newMerger(ctx context.Context, runs []*sortRun) (*runMerger, error) {
	m := &runMerger{s: s, left: -1}
	if s.node.Limit > 0 {
		m.left = s.node.Limit
	}
	add := func(next func(ctx context.Context) (*column.Block, error)) error {
		r := &mergedRun{next: next, place: len(m.runs)}
		ok, err := m.load(ctx, r)
		if ok {
			m.runs = append(m.runs, r)
		}
		return err
	}
	for _, f := range s.files {
		if err := add(f.Next); err != nil {
			return nil, err
		}
	}
	for _, r := range runs {
		at := 0
		err := add(func(context.Context) (*column.Block, error) {
			if at >= len(r.order) {
				return nil, nil
			}
			to := min(at+spillRows, len(r.order))
			b := r.block.Gather(r.order[at:to])
			at = to
			return b, nil
		})
		if err != nil {
			return nil, err
		}
	}
	heap.Init(m)
	return m, nil
}

// load takes a run's next block.
func (m *runMerger) load(ctx context.Context, r *mergedRun) (bool, error) {
	b, err := r.next(ctx)
	if err != nil || b == nil {
		return false, err
	}
	r.block, r.at, r.keys = b, 0, newSortKeys(m.s.header, m.s.node.Keys, b)
	return true, nil
}

// Next gives the next rows in order.
func (m *runMerger) Next(ctx context.Context) (*column.Block, error) {
	if len(m.runs) == 0 || m.left == 0 {
		return nil, nil
	}
	builders := make([]column.Builder, len(m.s.header))
	for i, f := range m.s.header {
		builders[i] = column.NewBuilder(f.Type, spillRows)
	}
	rows := 0
	for rows < spillRows && len(m.runs) > 0 && m.left != 0 {
		r := m.runs[0]
		from := r.at
		for { // as long as the first run stays the first
			r.at++
			rows++
			m.left--
			if r.at == r.block.Rows || rows == spillRows || m.left == 0 || !m.first() {
				break
			}
		}
		for i, b := range builders {
			b.AppendRange(r.block.Columns[i], from, r.at)
		}
		if r.at == r.block.Rows {
			ok, err := m.load(ctx, r)
			if err != nil {
				return nil, err
			}
			if !ok {
				heap.Remove(m, 0)
				continue
			}
		}
		heap.Fix(m, 0)
	}
	out := &column.Block{Rows: rows, Columns: make([]column.Column, len(builders))}
	for i, b := range builders {
		out.Columns[i] = b.Finish()
	}
	return out, nil
}

// first tells whether the run at the top of the heap still belongs there.
func (m *runMerger) first() bool {
	for _, child := range [2]int{1, 2} {
		if child < len(m.runs) && m.Less(child, 0) {
			return false
		}
	}
	return true
}
