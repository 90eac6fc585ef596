package exec

import (
	"context"
	"sync"

	"lakeserver/column"
	"lakeserver/memory"
)

const (
	// localGroups is how many groups a worker's own table may have before rows
	// are partitioned: beyond it the table and its states leave the L2 cache.
	localGroups = 1 << 15
	// partitions is how many shared tables there are then.
	partitions = 128
	// scatterRows is how many rows are scattered at least, so that a partition
	// gets a few hundred each time.
	scatterRows = 1 << 15
)

// partition is one shared table; whoever adds to it holds the lock.
type partition struct {
	mu    sync.Mutex
	table *groupTable
	held  *memory.Reservation
	file  *spillFile // groups that went to disk; nil: none did
}

// grouped is an aggregation's outcome for one grouping set.
type grouped struct {
	set    []int
	tables []*groupTable
	parts  []*partition // of the tables, when they are partitions
}

// run reads the input to its end and gives the tables of every grouping set.
// held are the reservations to free when the tables are no longer needed.
func (a *aggregation) run(ctx context.Context) (out []grouped, held []*memory.Reservation, err error) {
	sets := a.sets()
	workers := make([]*groupWorker, len(a.input.streams))
	shared := make([][]*partition, len(sets))
	if len(a.input.streams) > 0 && a.rules.max == 0 {
		for i, set := range sets {
			if len(set) > 0 {
				shared[i] = a.newPartitions(set)
			}
		}
	}
	for i := range workers {
		workers[i] = a.newWorker(sets, shared, i)
		held = append(held, workers[i].held)
	}
	for _, ps := range shared {
		for _, p := range ps {
			held = append(held, p.held)
		}
	}
	err = consume(ctx, a.input, func(ctx context.Context, i int, s column.Stream) error { return workers[i].read(ctx, s) })
	if err != nil {
		return nil, held, err
	}
	for i, set := range sets {
		g, err := a.join(workers, i, set, shared[i])
		if err != nil {
			return nil, held, err
		}
		out = append(out, g)
	}
	return out, held, nil
}

func (a *aggregation) newPartitions(set []int) []*partition {
	out := make([]*partition, partitions)
	for i := range out {
		out[i] = &partition{table: a.newTable(set), held: a.opt.Memory.Reserve()}
	}
	return out
}

// join puts the workers' tables of one set together.
func (a *aggregation) join(workers []*groupWorker, i int, set []int, shared []*partition) (grouped, error) {
	g := grouped{set: set}
	spread := false
	for _, w := range workers {
		spread = spread || w.spread[i]
	}
	if spread {
		for _, w := range workers {
			if err := w.flush(i); err != nil {
				return g, err
			}
		}
		for _, p := range shared {
			if p.table.groups > 0 || p.file != nil {
				g.tables, g.parts = append(g.tables, p.table), append(g.parts, p)
			}
		}
		return g, nil
	}
	for _, w := range workers {
		if len(g.tables) == 0 {
			g.tables = append(g.tables, w.tables[i])
			continue
		}
		if err := g.tables[0].merge(w.tables[i]); err != nil {
			return g, err
		}
	}
	return g, nil
}

// groupWorker groups the rows of one stream.
type groupWorker struct {
	a       *aggregation
	number  int
	sets    [][]int
	tables  []*groupTable
	shared  [][]*partition
	spread  []bool    // the set's rows go to shared
	hashers []grouper // of the set's keys, for choosing partitions
	wait    [][]*column.Block
	rows    []int // in wait
	held    *memory.Reservation
}

func (a *aggregation) newWorker(sets [][]int, shared [][]*partition, number int) *groupWorker {
	w := &groupWorker{
		a: a, number: number, sets: sets, shared: shared, held: a.opt.Memory.Reserve(),
		spread: make([]bool, len(sets)), wait: make([][]*column.Block, len(sets)), rows: make([]int, len(sets)),
	}
	for _, set := range sets {
		w.tables = append(w.tables, a.newTable(set))
		w.hashers = append(w.hashers, newGrouper(a.setTypes(set), false))
	}
	return w
}

// read groups a stream to its end.
func (w *groupWorker) read(ctx context.Context, s column.Stream) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		b, err := s.Next(ctx)
		if err != nil {
			return err
		}
		if b == nil {
			break
		}
		if b.Rows == 0 {
			continue
		}
		stop, err := w.add(b)
		if err != nil {
			return err
		}
		if err := w.reserve(); err != nil {
			return err
		}
		if err := w.relieve(); err != nil {
			return err
		}
		if stop {
			break
		}
	}
	for i := range w.sets {
		if w.spread[i] {
			if err := w.scatter(i); err != nil {
				return err
			}
		}
	}
	return w.reserve()
}

func (w *groupWorker) reserve() error {
	n := int64(0)
	for i, t := range w.tables {
		if t != nil {
			n += t.size()
		}
		for _, b := range w.wait[i] {
			n += b.Size()
		}
	}
	return w.a.hold(w.held, n)
}

func (w *groupWorker) add(b *column.Block) (stop bool, err error) {
	a := w.a
	if a.any != nil {
		if b = w.wanted(b); b == nil {
			return false, nil
		}
	}
	args := make([][]column.Column, len(a.node.Calls))
	for i, c := range a.node.Calls {
		args[i] = pickColumns(b, c.Args)
	}
	for i, set := range w.sets {
		keys := make([]column.Column, len(set))
		for k, pos := range set {
			keys[k] = b.Columns[a.node.Keys[pos]]
		}
		if w.spread[i] {
			if err := w.later(i, keys, args, b.Rows); err != nil {
				return false, err
			}
			continue
		}
		t := w.tables[i]
		if a.rules.mode == "any" && a.rules.max > 0 && uint64(t.groups) > a.rules.max {
			if err := t.addKnown(keys, args, b.Rows); err != nil {
				return false, err
			}
			continue
		}
		if err := t.add(keys, args, b.Rows); err != nil {
			return false, err
		}
		s, err := a.checkGroups(t)
		if err != nil {
			return false, err
		}
		stop = stop || s
		if t.groups > localGroups && w.shared[i] != nil {
			if err := w.flush(i); err != nil {
				return false, err
			}
		}
	}
	return stop, nil
}

// wanted leaves out the rows of groups that are not wanted; nil when none is left.
func (w *groupWorker) wanted(b *column.Block) *column.Block {
	rows, all := w.a.any.keep(pickColumns(b, w.a.node.Keys), b.Rows)
	switch {
	case all:
		return b
	case len(rows) == 0:
		return nil
	}
	return b.Gather(rows)
}

// flush moves the worker's own table into the shared partitions; rows that
// come later go there at once.
func (w *groupWorker) flush(i int) error {
	w.spread[i] = true
	t := w.tables[i]
	w.tables[i] = nil
	if t == nil || t.groups == 0 {
		return nil
	}
	keys := t.keys.keys(0, t.groups)
	rows, ends := scatterOrder(t.keys.grouper, keys, t.groups)
	for _, at := range w.tour() {
		from, end := bounds(ends, at)
		if from == end {
			continue
		}
		if err := w.move(w.shared[i][at], t, keys, rows[from:end]); err != nil {
			return err
		}
	}
	return nil
}

// move merges some groups of a table into a partition.
func (w *groupWorker) move(p *partition, t *groupTable, keys []column.Column, groups []uint32) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	to := make([]uint32, len(groups))
	p.table.keys.assign(gatherColumns(keys, groups), len(groups), to)
	p.table.grow(p.table.keys.count())
	for i, acc := range p.table.accs {
		if err := acc.Merge(to, t.accs[i], groups); err != nil {
			return err
		}
	}
	return w.a.hold(p.held, p.table.size())
}

// tour visits the partitions beginning at a place of the worker's own, so that
// workers seldom wait for each other.
func (w *groupWorker) tour() []int {
	out := make([]int, partitions)
	for i := range out {
		out[i] = (i + w.number*37) % partitions
	}
	return out
}

// later keeps rows until there are enough to scatter.
func (w *groupWorker) later(i int, keys []column.Column, args [][]column.Column, rows int) error {
	b := &column.Block{Rows: rows, Columns: append([]column.Column(nil), keys...)}
	for _, a := range args {
		b.Columns = append(b.Columns, a...)
	}
	w.wait[i] = append(w.wait[i], b)
	if w.rows[i] += rows; w.rows[i] < scatterRows {
		return nil
	}
	return w.scatter(i)
}

// scatter adds the rows kept to their partitions.
func (w *groupWorker) scatter(i int) error {
	if w.rows[i] == 0 {
		return nil
	}
	b := w.joined(i)
	w.wait[i], w.rows[i] = nil, 0
	set := w.sets[i]
	order, ends := scatterOrder(w.hashers[i], b.Columns[:len(set)], b.Rows)
	cols := gatherColumns(b.Columns, order) // a partition's rows now lie side by side
	for _, at := range w.tour() {
		from, end := bounds(ends, at)
		if from == end {
			continue
		}
		if err := w.give(w.shared[i][at], sliceColumns(cols, from, end), len(set), end-from); err != nil {
			return err
		}
	}
	return nil
}

func bounds(ends []int, i int) (from, to int) {
	if i > 0 {
		from = ends[i-1]
	}
	return from, ends[i]
}

// joined makes one block of the rows kept; columns are full.
func (w *groupWorker) joined(i int) *column.Block {
	ts := make([]fieldType, 0, len(w.wait[i][0].Columns))
	for _, pos := range w.sets[i] {
		ts = append(ts, w.a.keyTypes[pos])
	}
	for _, c := range w.a.node.Calls {
		ts = append(ts, c.Fn.Args...)
	}
	out := &column.Block{Rows: w.rows[i], Columns: make([]column.Column, len(ts))}
	for c, t := range ts {
		parts := make([]column.Column, len(w.wait[i]))
		for k, b := range w.wait[i] {
			parts[k] = b.Columns[c]
		}
		out.Columns[c] = column.Full(column.Concat(t, parts))
	}
	return out
}

// give adds rows to a partition.
func (w *groupWorker) give(p *partition, cols []column.Column, keys, rows int) error {
	args := make([][]column.Column, len(w.a.node.Calls))
	at := keys
	for i, c := range w.a.node.Calls {
		args[i] = cols[at : at+len(c.Args)]
		at += len(c.Args)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.table.add(cols[:keys], args, rows); err != nil {
		return err
	}
	return w.a.hold(p.held, p.table.size())
}

// scatterOrder puts rows in the order of their partitions; ends[p] is behind
// the rows of partition p.
func scatterOrder(g grouper, keys []column.Column, rows int) (order []uint32, ends []int) {
	h := make([]uint64, rows)
	g.hash(keys, rows, h)
	ends = make([]int, partitions)
	for _, x := range h {
		ends[x>>57]++
	}
	at := 0
	for p, n := range ends {
		ends[p] = at
		at += n
	}
	order = make([]uint32, rows)
	for i, x := range h {
		p := x >> 57
		order[ends[p]] = uint32(i)
		ends[p]++
	}
	return order, ends
}
