package exec

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"lakeserver/column"
	"lakeserver/memory"
	"lakeserver/types"
)

// output gives the groups as streams. Only a result of many tables is spread
// over all of them, so that a small one keeps its order.
func (a *aggregation) output() *port {
	out := &aggregated{a: a}
	n := 1
	if len(a.input.streams) > 1 && len(a.node.Keys) > 0 && !a.node.Totals {
		n = a.opt.Threads
	}
	p := &port{header: a.node.Fields, ordered: true}
	out.open = n
	for i := range n {
		p.streams = append(p.streams, &aggregatedStream{out: out, number: i})
	}
	if a.node.Totals {
		p.totals = out.totals
	}
	return p
}

// aggregated is an aggregation's result: pieces to hand out.
type aggregated struct {
	a    *aggregation
	mu   sync.Mutex // guards all below
	ran  bool
	err  error
	sets []grouped
	held []*memory.Reservation
	todo []piece
	open int // streams not closed yet
	pass map[*groupTable][]uint32
}

// piece is some groups of one table.
type piece struct {
	set      []int
	table    *groupTable
	from, to int
	first    bool       // it may go to the first stream only
	part     *partition // to be read back from its file first; nil: all is in table
}

// start runs the aggregation once; the lock is held.
func (o *aggregated) start(ctx context.Context) error {
	if o.ran {
		return o.err
	}
	o.ran = true
	o.sets, o.held, o.err = o.a.run(ctx)
	if o.err != nil {
		return o.err
	}
	if o.a.node.Totals {
		o.pass = map[*groupTable][]uint32{}
	}
	for _, g := range o.sets {
		if len(g.set) == 0 {
			o.globalSet(g)
			continue
		}
		for i, t := range g.tables {
			if o.pass != nil {
				o.pass[t] = make([]uint32, t.groups)
			}
			if i < len(g.parts) && g.parts[i].file != nil {
				o.todo = append(o.todo, piece{set: g.set, table: t, part: g.parts[i]})
				continue
			}
			for from := 0; from < t.groups; from += column.MaxBlockRows {
				o.todo = append(o.todo, piece{g.set, t, from, min(from+column.MaxBlockRows, t.groups), len(g.tables) == 1, nil})
			}
		}
	}
	if o.pass == nil {
		o.sets = nil // the pieces know the tables
	}
	return nil
}

// globalSet is the set without keys: one group, also of no rows, unless ROLLUP
// or CUBE made it or the setting says otherwise.
func (o *aggregated) globalSet(g grouped) {
	if len(g.tables) == 0 {
		g.tables = append(g.tables, o.a.newTable(nil))
	}
	t := g.tables[0]
	if t.groups == 0 && (o.a.node.Sets != nil && !o.a.node.EmptySet || o.a.rules.emptyNone) {
		return
	}
	t.grow(1)
	if o.pass != nil {
		o.pass[t] = make([]uint32, 1)
	}
	o.todo = append(o.todo, piece{g.set, t, 0, 1, true, nil})
}

// take gives the next piece for a stream.
func (o *aggregated) take(ctx context.Context, stream int) (piece, bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.start(ctx); err != nil {
		return piece{}, false, err
	}
	if len(o.todo) == 0 || o.todo[0].first && stream > 0 {
		return piece{}, false, nil
	}
	p := o.todo[0]
	o.todo[0] = piece{} // what has come out may go
	o.todo = o.todo[1:]
	return p, true, nil
}

type aggregatedStream struct {
	out    *aggregated
	number int
	closed bool
	back   *piece // a partition read back, of which at groups came out
	at     int
}

func (s *aggregatedStream) Next(ctx context.Context) (*column.Block, error) {
	for {
		if s.closed {
			return nil, nil
		}
		p, ok, err := s.next(ctx)
		if err != nil || !ok {
			return nil, err
		}
		b, err := s.out.produce(ctx, p)
		if err != nil {
			return nil, err
		}
		if b.Rows > 0 {
			return b, nil
		}
	}
}

// next takes a piece, or the next rows of a partition that was read back.
func (s *aggregatedStream) next(ctx context.Context) (piece, bool, error) {
	if s.back == nil {
		p, ok, err := s.out.take(ctx, s.number)
		if err != nil || !ok || p.part == nil {
			return p, ok, err
		}
		if err := s.out.a.restore(ctx, p.part); err != nil {
			return p, false, err
		}
		s.back, s.at = &p, 0
	}
	p := *s.back
	p.from, p.to = s.at, min(s.at+column.MaxBlockRows, p.table.groups)
	if s.at = p.to; s.at == p.table.groups {
		s.back = nil
		p.part.table = nil // the piece holds the last reference
		if err := s.out.a.hold(p.part.held, 0); err != nil {
			return p, false, err
		}
	}
	return p, true, nil
}

// produce makes the rows of a piece, without those that HAVING drops.
func (o *aggregated) produce(ctx context.Context, p piece) (*column.Block, error) {
	b, err := o.a.block(p.table, p.set, p.from, p.to)
	if err != nil {
		return nil, err
	}
	if len(o.a.having) == 0 {
		return inKeyOrder(o.a, p, b), nil
	}
	kept := column.NewFixed(sequence(p.to - p.from))
	b.Columns = append(b.Columns, kept)
	if b, err = filterBlock(ctx, b, o.a.having); err != nil {
		return nil, err
	}
	rows := b.Columns[len(b.Columns)-1].(*column.Fixed[uint32]).Values
	b.Columns = b.Columns[:len(b.Columns)-1]
	if !o.a.rules.before {
		to := o.pass[p.table][p.from:p.to]
		for i := range to {
			to[i] = 1
		}
		for _, r := range rows {
			to[r] = 0
		}
	}
	return b, nil
}

func sequence(n int) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = uint32(i)
	}
	return out
}

// inKeyOrder sorts the groups of one key of 8 or 16 bits by it, as ClickHouse
// gives them: its table for such keys is an array.
func inKeyOrder(a *aggregation, p piece, b *column.Block) *column.Block {
	if len(p.set) != 1 || p.from != 0 || p.to != p.table.groups || b.Rows < 2 {
		return b
	}
	g, ok := p.table.keys.grouper.(*packedGrouper)
	if !ok || g.layout.fields[0].bits > 16 || g.layout.fields[0].nullable {
		return b
	}
	rows := sequence(b.Rows)
	slices.SortFunc(rows, func(x, y uint32) int { return cmp.Compare(g.words[x], g.words[y]) })
	return b.Gather(rows)
}

// totals makes the row over all groups that passed HAVING.
func (o *aggregated) totals(ctx context.Context) (*column.Block, error) {
	for { // what a LIMIT above left unread
		p, ok, err := o.take(ctx, 0)
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if _, err := o.produce(ctx, p); err != nil {
			return nil, err
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	var full grouped
	for _, g := range o.sets {
		if len(g.set) >= len(full.set) {
			full = g
		}
	}
	sum := o.a.newTable(nil)
	sum.grow(2)
	for _, t := range full.tables {
		for i, acc := range sum.accs {
			if err := acc.Merge(o.pass[t], t.accs[i], nil); err != nil {
				return nil, err
			}
		}
	}
	out := &column.Block{Rows: 1}
	for i := range o.a.node.Keys {
		t := o.a.node.Fields[i].Type
		key := column.Default(t, 1)
		if !o.a.node.EmptySet { // what only group_by_use_nulls made Nullable has its own default
			key = asField(t, column.Default(o.a.keyTypes[i], 1))
		}
		out.Columns = append(out.Columns, key)
	}
	for _, acc := range sum.accs {
		c, err := acc.Result(0, 1)
		if err != nil {
			return nil, err
		}
		out.Columns = append(out.Columns, c)
	}
	if len(out.Columns) < len(o.a.node.Fields) {
		out.Columns = append(out.Columns, column.Default(types.UInt64, 1))
	}
	return out, nil
}

func (s *aggregatedStream) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	o := s.out
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open--
	if o.open > 0 {
		return nil
	}
	for _, r := range o.held {
		r.Free()
	}
	o.held, o.todo, o.sets, o.pass, o.ran = nil, nil, nil, nil, true
	err := o.a.input.close()
	for _, f := range o.a.files {
		if e := f.Close(); err == nil {
			err = e
		}
	}
	return err
}
