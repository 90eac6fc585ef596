package exec

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/memory"
	"lakeserver/settings"
	"lakeserver/table"

	"lakeserver/engine/plan"
)

// Options say how a plan is run.
type Options struct {
	// Threads is the most goroutines that work at once; at least 1.
	Threads int
	// Memory is the query's tracker; nil counts nothing.
	Memory *memory.Tracker
	// Settings are the query's; nil means the defaults.
	Settings *settings.Settings
	// Progress, if set, is told of rows and bytes read, as they are; it is
	// called by several goroutines.
	Progress func(rows, bytes int64)
	// OnScan, if set, is given the report of each scan once it is planned.
	OnScan func(*table.Report)
	// TempDir is where operators put what they cannot hold in memory; "" never.
	TempDir string
	// NoResultLimits passes over max_result_rows and max_result_bytes: the rows
	// go into a table.
	NoResultLimits bool
}

// Build starts a plan: it opens its tables, fills the sets of IN, and makes
// operators. Rows are computed as the result is read. The caller closes it.
func Build(ctx context.Context, node plan.Node, opt Options) (*Result, error) {
	b := newBuilder(opt)
	p, err := b.build(ctx, node)
	if err != nil {
		return nil, err
	}
	return newResult(p, b), nil
}

func newBuilder(opt Options) *builder {
	opt.Threads = max(opt.Threads, 1)
	if opt.Settings == nil {
		opt.Settings = settings.Default()
	}
	b := &builder{opt: opt, working: map[*plan.WorkingTable]*workingRows{}}
	b.limits = newReadLimits(opt)
	return b
}

// builder makes operators of nodes.
type builder struct {
	opt     Options
	limits  *readLimits
	working map[*plan.WorkingTable]*workingRows
	wishes  []keyWish // for the node that is built next
}

// port is what an operator offers: streams of one header that may be read at
// once, and the totals row of WITH TOTALS.
type port struct {
	header  column.Header
	streams []column.Stream
	// totals gives the totals block, to be asked after the streams have ended;
	// nil when there is none.
	totals func(ctx context.Context) (*column.Block, error)
	// ordered: the rows of the one stream are in an order that matters.
	ordered bool
}

func (p *port) close() error {
	var first error
	for _, s := range p.streams {
		if err := s.Close(); first == nil {
			first = err
		}
	}
	return first
}

// build makes the operators of a node; its inputs are built below it.
func (b *builder) build(ctx context.Context, node plan.Node) (*port, error) { // long: one case a node
	wishes := b.takeWishes()
	b.wishBelow(node, wishes)
	switch n := node.(type) {
	case *plan.Scan:
		return b.scan(ctx, n, wishes)
	case *plan.Values:
		return &port{header: n.Fields, streams: []column.Stream{column.Blocks(n.Blocks...)}, ordered: true}, nil
	case *plan.Filter:
		if a, ok := n.Input.(*plan.Aggregate); ok && a.Totals && n.Having {
			b.wishes = nil
			return b.aggregate(ctx, a, n.Conditions)
		}
		return b.over(ctx, n.Input, func(p *port) (*port, error) { return filterPort(p, n.Conditions), nil })
	case *plan.Project:
		return b.over(ctx, n.Input, func(p *port) (*port, error) { return projectPort(p, n), nil })
	case *plan.Limit:
		return b.over(ctx, n.Input, func(p *port) (*port, error) { return b.limit(p, n), nil })
	case *plan.LimitBy:
		return b.over(ctx, n.Input, func(p *port) (*port, error) { return b.limitBy(p, n), nil })
	case *plan.Distinct:
		return b.over(ctx, n.Input, func(p *port) (*port, error) { return b.distinct(p, n), nil })
	case *plan.Sort:
		return b.over(ctx, n.Input, func(p *port) (*port, error) { return b.sort(p, n), checkCollations(p.header, n.Keys) })
	case *plan.Aggregate:
		return b.aggregate(ctx, n, nil)
	case *plan.Window:
		return b.over(ctx, n.Input, func(p *port) (*port, error) { return b.window(p, n), checkCollations(p.header, n.OrderBy) })
	case *plan.ArrayJoin:
		return b.over(ctx, n.Input, func(p *port) (*port, error) { return arrayJoinPort(p, n), nil })
	case *plan.Join:
		return b.join(ctx, n, wishes)
	case *plan.SetOp:
		return b.setOp(ctx, n)
	case *plan.BuildSets:
		return b.buildSets(ctx, n)
	case *plan.Recursive:
		return b.recursive(n)
	case *plan.WorkingTable:
		return b.workingTable(n)
	case *plan.Fill:
		return b.over(ctx, n.Input, func(p *port) (*port, error) { return b.fill(p, n) })
	}
	return nil, cherr.New(cherr.NotImplemented, "No operator for a plan node of type %T", node)
}

// over builds an input and puts an operator on it; on an error the input is closed.
func (b *builder) over(ctx context.Context, input plan.Node, on func(*port) (*port, error)) (*port, error) {
	p, err := b.build(ctx, input)
	if err != nil {
		return nil, err
	}
	out, err := on(p)
	if err != nil {
		_ = p.close() // the first error is the one to tell
		return nil, err
	}
	return out, nil
}

// each puts an operator on every stream of a port.
func (p *port) each(on func(column.Stream) column.Stream) *port {
	out := *p
	out.streams = make([]column.Stream, len(p.streams))
	for i, s := range p.streams {
		out.streams[i] = on(s)
	}
	return &out
}

func typesOf(h column.Header, cols []int) []fieldType {
	out := make([]fieldType, len(cols))
	for i, c := range cols {
		out[i] = h[c].Type
	}
	return out
}

func pickColumns(b *column.Block, cols []int) []column.Column {
	out := make([]column.Column, len(cols))
	for i, c := range cols {
		out[i] = b.Columns[c]
	}
	return out
}
