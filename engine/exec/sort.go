package exec

import (
	"context"
	"sync"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/memory"
	"lakeserver/table"

	"lakeserver/engine/plan"
)

// sort orders rows. Each stream of the input is sorted on its own, only its
// first rows when there is a limit; then the runs are merged.
func (b *builder) sort(p *port, n *plan.Sort) *port {
	s := &sorter{
		node: n, input: p, header: p.header, memory: b.opt.Memory, topN: topNBelow(n.Input),
		tempDir: b.opt.TempDir, limit: spillLimit(b.opt, "max_bytes_before_external_sort", "max_bytes_ratio_before_external_sort"),
		maxRows: b.opt.Settings.Uint("max_rows_to_sort"), stop: b.opt.Settings.Get("sort_overflow_mode") == "break",
	}
	out := *p
	out.streams, out.ordered = []column.Stream{s}, true
	return &out
}

// topNBelow finds the scan that a rule has told of this top-N, so that the
// threshold can be published to it.
func topNBelow(n plan.Node) *table.TopN {
	for {
		switch x := n.(type) {
		case *plan.Scan:
			return x.TopN
		case *plan.Filter:
			n = x.Input
		case *plan.Project:
			n = x.Input
		default:
			return nil
		}
	}
}

type sorter struct {
	node    *plan.Sort
	input   *port
	header  column.Header
	memory  *memory.Tracker
	topN    *table.TopN
	maxRows uint64
	stop    bool

	ran   bool
	held  []*memory.Reservation
	block *column.Block // all rows kept
	order []uint32      // their order
	at    int

	tempDir string
	limit   int64      // bytes from which runs go to files, 0: never
	merged  *runMerger // when there are files

	mu        sync.Mutex // guards all below while the input is read
	files     []*spillFile
	threshold column.Column // one row: the best published so far
	rows      uint64
}

func (s *sorter) Next(ctx context.Context) (*column.Block, error) {
	if !s.ran {
		s.ran = true
		if err := s.run(ctx); err != nil {
			return nil, err
		}
	}
	if s.merged != nil {
		return s.merged.Next(ctx)
	}
	if s.block == nil || s.at >= len(s.order) {
		return nil, nil
	}
	to := min(s.at+column.MaxBlockRows, len(s.order))
	out := s.block.Gather(s.order[s.at:to])
	s.at = to
	return out, nil
}

// sortRun is the rows of one stream in order.
type sortRun struct {
	blocks []*column.Block
	rows   int
	keys   sortKeys
	block  *column.Block
	order  []uint32
	held   *memory.Reservation
	// With a limit, once that many rows were kept: the first words of the worst
	// of them. Rows behind it do not matter.
	barred bool
	bar    [2]uint64
}

func (s *sorter) run(ctx context.Context) error {
	runs := make([]*sortRun, len(s.input.streams))
	for i := range runs {
		runs[i] = &sortRun{held: s.memory.Reserve()}
		s.held = append(s.held, runs[i].held)
	}
	err := consume(ctx, s.input, func(ctx context.Context, i int, in column.Stream) error { return s.read(ctx, runs[i], in) })
	if err != nil {
		return err
	}
	if len(s.files) > 0 {
		s.merged, err = s.newMerger(ctx, runs)
		return err
	}
	return s.merge(runs)
}

func (s *sorter) read(ctx context.Context, r *sortRun, in column.Stream) error {
	limit := int(s.node.Limit)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		b, err := in.Next(ctx)
		if err != nil {
			return err
		}
		if b == nil {
			break
		}
		if r.barred {
			b = s.promising(r, b)
		}
		if b.Rows == 0 {
			continue
		}
		stop, err := s.count(b.Rows)
		if err != nil {
			return err
		}
		r.blocks = append(r.blocks, b)
		r.rows += b.Rows
		if err := r.held.Add(b.Size()); err != nil {
			return err
		}
		switch {
		case s.limit > 0 && r.held.Bytes() > s.limit/int64(3*len(s.input.streams)) && (limit == 0 || r.rows <= 2*limit):
			if err := s.spill(r); err != nil {
				return err
			}
		case limit > 0 && r.rows > 2*limit+s.slack(r):
			s.trim(r, limit)
			if err := r.held.Resize(r.block.Size()); err != nil {
				return err
			}
		}
		if stop {
			break
		}
	}
	if len(r.blocks) == 0 {
		return nil
	}
	s.arrange(r)
	if limit > 0 && len(r.order) > limit {
		r.order = r.order[:limit]
	}
	return r.held.Resize(r.block.Size() + r.keys.size() + int64(r.rows)*8)
}

// slack is how many rows a run may have beyond what is wanted before it is cut.
// The first cut tells the scan a threshold, and so comes early.
func (s *sorter) slack(r *sortRun) int {
	if s.topN != nil && !r.barred {
		return 256
	}
	return 8192
}

// count applies max_rows_to_sort.
func (s *sorter) count(rows int) (stop bool, err error) {
	if s.maxRows == 0 {
		return false, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows += uint64(rows)
	if s.rows <= s.maxRows {
		return false, nil
	}
	if s.stop {
		return true, nil
	}
	return false, cherr.New(cherr.TooManyRows, "Limit for rows to sort exceeded, max rows: %d, current rows: %d", s.maxRows, s.rows)
}

// arrange joins a run's blocks and finds their order.
func (s *sorter) arrange(r *sortRun) {
	r.block = concatBlocks(s.header, r.blocks)
	r.blocks = []*column.Block{r.block}
	r.keys = newSortKeys(s.header, s.node.Keys, r.block)
	r.order = r.keys.order()
}

// trim keeps a run's first limit rows and publishes the last of them as threshold.
func (s *sorter) trim(r *sortRun, limit int) {
	s.arrange(r)
	if len(r.order) <= limit {
		return
	}
	last := r.order[limit-1]
	s.publish(r.block.Columns[s.node.Keys[0].Column], int(last))
	r.barred = true
	for i := range min(len(r.keys.parts), 2) {
		r.bar[i] = r.keys.parts[i].words[last]
	}
	r.block = ownBlock(s.header, r.block.Gather(r.order[:limit]))
	r.blocks, r.rows = []*column.Block{r.block}, limit
}

// ownBlock copies strings out of the buffers of the blocks that they came in,
// which can then go.
func ownBlock(h column.Header, b *column.Block) *column.Block {
	out := &column.Block{Columns: make([]column.Column, len(b.Columns)), Rows: b.Rows}
	for i, c := range b.Columns {
		nb := column.NewBuilder(h[i].Type, b.Rows)
		nb.AppendRange(c, 0, b.Rows)
		out.Columns[i] = nb.Finish()
	}
	return out
}

// promising leaves out rows whose first words are behind the bar.
func (s *sorter) promising(r *sortRun, b *column.Block) *column.Block {
	k := newSortKeys(s.header, s.node.Keys[:1], b)
	keep := make([]uint32, 0, 1024)
	if len(k.parts) == 1 {
		for i, w := range k.parts[0].words {
			if w <= r.bar[0] {
				keep = append(keep, uint32(i))
			}
		}
	} else {
		for i, w := range k.parts[0].words {
			if w < r.bar[0] || w == r.bar[0] && k.parts[1].words[i] <= r.bar[1] {
				keep = append(keep, uint32(i))
			}
		}
	}
	if len(keep) == b.Rows {
		return b
	}
	return b.Gather(keep)
}

// publish tells the scan that rows behind this one do not matter.
func (s *sorter) publish(c column.Column, row int) {
	if s.topN == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.node.Keys[0]
	nulls := 1
	if k.NullsFirst != k.Desc {
		nulls = -1
	}
	if s.threshold != nil {
		r := column.Compare(c, row, s.threshold, 0, nulls)
		if k.Desc {
			r = -r
		}
		if r >= 0 {
			return
		}
	}
	s.threshold = ownRow(s.header[k.Column].Type, c, row)
	s.topN.Threshold.Store(&table.Threshold{Value: column.At(s.threshold, 0)})
}

// merge joins the runs into one block with one order.
func (s *sorter) merge(runs []*sortRun) error {
	full := runs[:0:0]
	for _, r := range runs {
		if r.block != nil && len(r.order) > 0 {
			full = append(full, r)
		}
	}
	switch len(full) {
	case 0:
		return nil
	case 1:
		s.block, s.order = full[0].block, full[0].order
		return nil
	}
	blocks := make([]*column.Block, len(full))
	total := int64(0)
	for i, r := range full {
		blocks[i] = r.block
		total += r.block.Size()
	}
	held := s.memory.Reserve()
	s.held = append(s.held, held)
	if err := held.Resize(total); err != nil {
		return err
	}
	s.block = concatBlocks(s.header, blocks)
	keys := newSortKeys(s.header, s.node.Keys, s.block)
	s.order = mergeRuns(&keys, full)
	if limit := int(s.node.Limit); limit > 0 && len(s.order) > limit {
		s.order = s.order[:limit]
	}
	return held.Resize(total + keys.size())
}

func (s *sorter) Close() error {
	for _, r := range s.held {
		r.Free()
	}
	s.held, s.block, s.order, s.merged, s.ran = nil, nil, nil, nil, true
	err := s.input.close()
	for _, f := range s.files {
		if e := f.Close(); err == nil {
			err = e
		}
	}
	s.files = nil
	return err
}
