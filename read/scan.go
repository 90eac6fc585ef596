package read

import (
	"context"
	"sync"
	"sync/atomic"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/memory"
	"lakeserver/objstore"
	"lakeserver/pruning"
)

// Request says what a scan gives.
type Request struct {
	Source  Lake
	Columns []Column    // all that the table can give
	Output  []int       // of those, in the blocks' order
	Filter  []expr.Expr // over Columns; all of it is applied exactly
	Prune   *pruning.Filter
	// KeyPrune is Prune of what speaks of a primary key alone: it holds before
	// rows are merged, too.
	KeyPrune *pruning.Filter
	Limit    int64 // rows that are enough, 0: all
	TopN     *TopN
	Keys     []KeyFilter
	Streams  int
	Memory   *memory.Tracker
	Options  Options
	// Progress is called with what a step has read; nil: nobody asks. It is
	// called by many goroutines at once.
	Progress func(rows, bytes int64)
	// Done is called once, when the last stream is closed; nil: nobody asks.
	Done func(*Metrics)

	Ordered   bool // merged rows come in the order of their keys
	KeepNulls bool // NULL is told apart from empty in lists, maps and structs
}

// Options are settings of the scan.
type Options struct {
	VerifyChecksums  bool
	NoRowGroups      bool // row groups are not pruned
	NoBloom, NoPages bool // nor by bloom filters, nor by the page index
	PageCache        bool // decompressed pages are kept, and looked for
	BlockRows        int  // most rows of a block, 0: the default
}

// KeyFilter is a live test of a column's values: rows that it does not keep need
// not be given.
type KeyFilter struct {
	Column int // of Columns
	// Keep gives the rows to keep, all for every row; ok is false while nothing
	// is known.
	Keep func(c column.Column) (rows []uint32, all, ok bool)
}

// TopN is a live bound: rows behind Threshold need not be given.
type TopN struct {
	Column     int // of Columns
	Desc       bool
	NullsFirst bool
	Threshold  func() (v column.Value, ok bool)
}

// Scan is a running scan; its streams share it.
type Scan struct {
	req   *Request
	slots []Column // the columns that are read: output and filter
	index map[int]int
	out   []int // output column → slot
	conds []condition
	paths pathConditions
	keys  []keyFilter

	topSlot int // of the column that TopN orders by

	mu      sync.Mutex
	tasks   []*Task
	next    int
	open    []*fileUnits // files with row groups left
	opening int
	wake    chan struct{}
	done    bool
	err     error               // of opening a file
	streams int                 // not yet closed
	held    map[*keyTable]int64 // bytes reserved of the query's memory

	begin       sync.Once
	looking     int    // files that are opened ahead; 0: none
	stopLooking func() // nil: nobody looks ahead

	left    atomic.Int64 // rows still wanted, when limited
	Metrics Metrics
}

// Metrics count what the scan did so far; they may be read at any time.
type Metrics struct {
	Files, FilesPruned, RowGroups, RowGroupsPruned, DeleteFiles, Rows, Bytes atomic.Int64
}

// join adds the counts of a scan within the scan.
func (m *Metrics) join(o *Metrics) {
	for _, c := range [][2]*atomic.Int64{
		{&m.Files, &o.Files},
		{&m.FilesPruned, &o.FilesPruned},
		{&m.RowGroups, &o.RowGroups},
		{&m.RowGroupsPruned, &o.RowGroupsPruned},
		{&m.DeleteFiles, &o.DeleteFiles},
		{&m.Rows, &o.Rows},
		{&m.Bytes, &o.Bytes},
	} {
		c[0].Add(c[1].Load())
	}
}

const defaultBlockRows = 16384

// Start prepares streams over the plan's tasks; nothing is read before the
// first Next. Every stream must be closed.
func Start(req *Request, plan *Plan) (*Scan, []column.Stream) {
	s := &Scan{req: req, index: map[int]int{}, tasks: plan.Tasks, wake: make(chan struct{})}
	if s.req.Options.BlockRows <= 0 {
		s.req.Options.BlockRows = defaultBlockRows
	}
	for _, c := range req.Output {
		s.out = append(s.out, s.slot(c))
	}
	var filter []expr.Expr
	for _, e := range req.Filter {
		filter = append(filter, expr.Remap(e, s.slot))
	}
	s.conds = newConditions(filter, func(slot int) int {
		if s.slots[slot].Virtual != NotVirtual {
			return 0
		}
		return typeCost(s.slots[slot].Type)
	})
	s.paths = s.splitPathConditions()
	for _, k := range req.Keys {
		s.keys = append(s.keys, keyFilter{s.slot(k.Column), k.Keep, new(atomic.Int64), new(atomic.Int64)})
	}
	if req.TopN != nil {
		s.topSlot = s.slot(req.TopN.Column)
	}
	s.orderForTopN()
	s.left.Store(req.Limit)
	n := max(1, req.Streams)
	s.streams = n
	streams := make([]column.Stream, n)
	for i := range streams {
		streams[i] = &stream{s: s}
	}
	return s, streams
}

// slot gives the place of a column among those that are read.
func (s *Scan) slot(c int) int {
	if i, ok := s.index[c]; ok {
		return i
	}
	s.index[c] = len(s.slots)
	s.slots = append(s.slots, s.req.Columns[c])
	return len(s.slots) - 1
}

func (s *Scan) store() objstore.Store { return s.req.Source.loader().Store }

// enough tells whether a limited scan has given its rows.
func (s *Scan) enough() bool { return s.req.Limit > 0 && s.left.Load() <= 0 }

// stream gives the blocks of the units that it takes from the queue.
type stream struct {
	s    *Scan
	unit *unit
	shut bool
}

// Next reads until there is a block with rows.
func (st *stream) Next(ctx context.Context) (*column.Block, error) {
	for !st.shut {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if st.s.enough() {
			return nil, st.Close()
		}
		if st.unit == nil {
			u, err := st.s.take(ctx)
			if err != nil || u == nil {
				return nil, err
			}
			st.unit = u
		}
		b, err := st.unit.next(ctx)
		if err != nil {
			return nil, err
		}
		if b == nil {
			st.unit.close()
			st.unit = nil
			continue
		}
		if b.Rows > 0 {
			return st.limited(b), nil
		}
	}
	return nil, nil
}

func (st *stream) limited(b *column.Block) *column.Block {
	if st.s.req.Limit > 0 {
		if left := st.s.left.Add(-int64(b.Rows)) + int64(b.Rows); left < int64(b.Rows) {
			return b.Slice(0, int(max(left, 0)))
		}
	}
	return b
}

// Close gives up the unit at hand.
func (st *stream) Close() error {
	if st.shut {
		return nil
	}
	st.shut = true
	if st.unit != nil {
		st.unit.close()
		st.unit = nil
	}
	st.s.leave()
	return nil
}

// reserve counts a table of deleted keys against the query's memory, once.
func (s *Scan) reserve(t *keyTable) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.held[t]; ok || s.streams == 0 {
		return nil
	}
	n := t.size()
	if err := s.req.Memory.Grow(n); err != nil {
		return err
	}
	if s.held == nil {
		s.held = map[*keyTable]int64{}
	}
	s.held[t] = n
	return nil
}

// leave closes what is open when the last stream goes.
func (s *Scan) leave() {
	s.mu.Lock()
	s.streams--
	var idle []*fileUnits
	if s.streams == 0 {
		s.done = true
		for _, f := range s.open {
			f.groups = nil
			if f.users == 0 {
				idle = append(idle, f)
			}
		}
		s.open = nil
	}
	last := s.streams == 0
	stop := s.stopLooking
	if last {
		s.broadcast()
		for _, n := range s.held {
			s.req.Memory.Shrink(n)
		}
		s.held = nil
	}
	s.mu.Unlock()
	if last && stop != nil {
		stop()
	}
	for _, f := range idle {
		f.close()
	}
	if last && s.req.Done != nil {
		s.req.Done(&s.Metrics)
	}
}

// take gives the next unit, nil when there is none: a row group of an open
// file before a new file. Who finds neither while another stream is opening a
// file waits for what that brings.
func (s *Scan) take(ctx context.Context) (*unit, error) {
	s.begin.Do(func() { s.lookAhead(ctx) })
	for {
		s.mu.Lock()
		if s.done {
			err := s.err
			s.mu.Unlock()
			return nil, err
		}
		if len(s.open) > 0 {
			f := s.open[0]
			g := f.groups[0]
			f.groups = f.groups[1:]
			f.users++
			if len(f.groups) == 0 {
				s.open = s.open[1:]
				s.broadcast()
			}
			s.mu.Unlock()
			u, err := f.start(ctx, g)
			if err != nil || u == nil {
				s.release(f)
			}
			if err != nil || u != nil {
				return u, err
			}
			continue
		}
		if s.next < len(s.tasks) && s.looking == 0 {
			t := s.tasks[s.next]
			s.next++
			s.opening++
			s.mu.Unlock()
			if err := s.openTask(ctx, t); err != nil {
				return nil, err
			}
			continue
		}
		if s.opening == 0 && s.next >= len(s.tasks) {
			s.mu.Unlock()
			return nil, nil
		}
		wake := s.wake
		s.mu.Unlock()
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-wake:
		}
	}
}

// openTask opens a file and puts its row groups into the queue.
func (s *Scan) openTask(ctx context.Context, t *Task) (err error) {
	var f *fileUnits
	defer func() {
		s.mu.Lock()
		if f != nil && len(f.groups) > 0 {
			if s.streams > 0 {
				s.open = append(s.open, f)
			} else {
				f.close()
			}
		}
		s.opening--
		if err != nil {
			s.done = true
			if s.err == nil {
				s.err = err
			}
		}
		s.broadcast()
		s.mu.Unlock()
	}()
	if s.enough() {
		return nil
	}
	f, err = s.openFile(ctx, t)
	if f != nil && len(f.groups) == 0 {
		f.close()
	}
	return err
}

// release closes a file when its last unit is done.
func (s *Scan) release(f *fileUnits) {
	s.mu.Lock()
	f.users--
	last := f.users == 0 && len(f.groups) == 0
	s.mu.Unlock()
	if last {
		f.close()
	}
}
