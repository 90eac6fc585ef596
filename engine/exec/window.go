package exec

import (
	"context"

	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/memory"

	"lakeserver/engine/plan"
)

// window sorts its input by partition and order, and computes the calls one
// partition after the other.
func (b *builder) window(p *port, n *plan.Window) *port {
	return &port{header: n.Fields, ordered: true, streams: []column.Stream{
		&windowing{in: p, node: n, header: p.header, held: b.opt.Memory.Reserve()},
	}}
}

type windowing struct {
	in     *port
	node   *plan.Window
	header column.Header
	held   *memory.Reservation
	ran    bool
	out    *column.Block
	at     int
}

func (w *windowing) Next(ctx context.Context) (*column.Block, error) {
	if !w.ran {
		w.ran = true
		if err := w.run(ctx); err != nil {
			return nil, err
		}
	}
	if w.out == nil || w.at >= w.out.Rows {
		return nil, nil
	}
	to := min(w.at+column.MaxBlockRows, w.out.Rows)
	b := w.out.Slice(w.at, to)
	w.at = to
	return b, nil
}

func (w *windowing) Close() error {
	w.held.Free()
	w.ran, w.out = true, nil
	return w.in.close()
}

func (w *windowing) run(ctx context.Context) error {
	parts := make([][]*column.Block, len(w.in.streams))
	blocks, err := collect(ctx, w.in, parts, w.held)
	if err != nil || len(blocks) == 0 {
		return err
	}
	b := concatBlocks(w.header, blocks)
	keys := make([]plan.SortKey, 0, len(w.node.PartitionBy)+len(w.node.OrderBy))
	for _, c := range w.node.PartitionBy {
		keys = append(keys, plan.SortKey{Column: c})
	}
	keys = append(keys, w.node.OrderBy...)
	l := &laidOut{rows: b.Rows}
	if len(keys) > 0 {
		k := newSortKeys(w.header, keys, b)
		b = column.FullBlock(b.Gather(k.order()))
	}
	l.block = b
	l.split(w.header, w.node)
	w.out = &column.Block{Rows: b.Rows, Columns: append([]column.Column(nil), b.Columns...)}
	for i := range w.node.Calls {
		c, err := l.call(ctx, w.node, &w.node.Calls[i])
		if err != nil {
			return err
		}
		w.out.Columns = append(w.out.Columns, c)
		if err := w.held.Add(c.Size()); err != nil {
			return err
		}
	}
	return nil
}

// collect reads all of a port, in the order of its streams.
func collect(ctx context.Context, p *port, parts [][]*column.Block, held *memory.Reservation) ([]*column.Block, error) {
	sizes := make([]int64, len(p.streams))
	err := consume(ctx, p, func(ctx context.Context, i int, s column.Stream) error {
		return drain(ctx, s, func(b *column.Block) error {
			parts[i] = append(parts[i], b)
			sizes[i] += b.Size()
			return ctx.Err()
		})
	})
	if err != nil {
		return nil, err
	}
	var blocks []*column.Block
	total := int64(0)
	for i := range parts {
		blocks = append(blocks, parts[i]...)
		total += sizes[i]
	}
	return blocks, held.Add(total)
}

// laidOut is the rows in the window's order, cut into partitions and peers.
type laidOut struct {
	block              *column.Block
	rows               int
	starts             []int // of each partition, and the end
	peerStart, peerEnd []int // of each row
	frames             map[frameKey][2][]int
}

// frameKey tells frames apart.
type frameKey struct {
	mode       plan.FrameMode
	start, end plan.BoundKind
	from, to   string
}

// split finds where partitions and peers begin: there the keys' words change.
func (l *laidOut) split(h column.Header, n *plan.Window) {
	parts := make([]plan.SortKey, len(n.PartitionBy))
	for i, c := range n.PartitionBy {
		parts[i] = plan.SortKey{Column: c}
	}
	byPart, byOrder := newSortKeys(h, parts, l.block), newSortKeys(h, n.OrderBy, l.block)
	l.peerStart, l.peerEnd = make([]int, l.rows), make([]int, l.rows)
	peer := 0
	for i := range l.rows {
		newPart := i == 0 || byPart.compare(uint32(i-1), uint32(i)) != 0
		if newPart {
			l.starts = append(l.starts, i)
		}
		if newPart || byOrder.compare(uint32(i-1), uint32(i)) != 0 {
			for k := peer; k < i; k++ {
				l.peerEnd[k] = i
			}
			peer = i
		}
		l.peerStart[i] = peer
	}
	for k := peer; k < l.rows; k++ {
		l.peerEnd[k] = l.rows
	}
	l.starts = append(l.starts, l.rows)
	l.frames = map[frameKey][2][]int{}
}

// call computes one call for all rows.
func (l *laidOut) call(ctx context.Context, n *plan.Window, c *plan.WindowCall) (column.Column, error) {
	args := fullColumns(pickColumns(l.block, c.Args))
	starts, ends, err := l.frame(n, &c.Frame)
	if err != nil {
		return nil, err
	}
	if c.Agg != nil {
		return l.aggregate(ctx, c, args, starts, ends)
	}
	parts := make([]column.Column, 0, len(l.starts)-1)
	for p := range len(l.starts) - 1 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v, err := c.Fn.Eval(ctx, l.partition(p, args, starts, ends))
		if err != nil {
			return nil, err
		}
		parts = append(parts, v)
	}
	return column.Full(column.Concat(c.Fn.Result, parts)), nil
}

// partition gives one partition, positions counted from its first row.
func (l *laidOut) partition(p int, args []column.Column, starts, ends []int) *functions.Partition {
	from, to := l.starts[p], l.starts[p+1]
	out := &functions.Partition{
		Rows: to - from, PeerStart: moved(l.peerStart[from:to], from), PeerEnd: moved(l.peerEnd[from:to], from),
		FrameStart: moved(starts[from:to], from), FrameEnd: moved(ends[from:to], from),
	}
	for _, a := range args {
		out.Args = append(out.Args, a.Slice(from, to))
	}
	return out
}

func moved(v []int, by int) []int {
	if by == 0 {
		return v
	}
	out := make([]int, len(v))
	for i, x := range v {
		out[i] = x - by
	}
	return out
}
