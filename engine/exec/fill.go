package exec

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"

	"lakeserver/engine/plan"
)

// fill adds the rows that ORDER BY … WITH FILL misses. Its input is sorted.
func (b *builder) fill(p *port, n *plan.Fill) (*port, error) {
	f := &filling{in: b.single(p), node: n, header: p.header}
	for _, k := range n.Keys {
		s, err := newFillStep(p.header[k.Key.Column].Type, k)
		if err != nil {
			return nil, err
		}
		f.steps = append(f.steps, s)
	}
	out := *p
	out.streams, out.ordered = []column.Stream{f}, true
	return &out, nil
}

// filling walks the rows and keeps for every filled key the next value that is
// due: where a row is behind it, rows are made.
type filling struct {
	in     column.Stream
	node   *plan.Fill
	header column.Header
	steps  []*fillStep

	due    []int64         // the next point to fill
	prev   []column.Column // the last row given out, one row a column
	prefix []column.Column // of the group at hand
	live   bool            // a group has begun
	onData bool            // due is the point behind a row of the input
	b      []column.Builder
	end    bool
}

func (f *filling) Next(ctx context.Context) (*column.Block, error) {
	for !f.end {
		in, err := f.in.Next(ctx)
		if err != nil {
			return nil, err
		}
		f.b = make([]column.Builder, len(f.header))
		for i, h := range f.header {
			f.b[i] = column.NewBuilder(h.Type, 64)
		}
		if in == nil {
			f.end = true
			if !f.live && len(f.node.Prefix) == 0 {
				f.begin(nil, 0)
			}
			if f.live {
				if err := f.tail(ctx); err != nil {
					return nil, err
				}
			}
		} else if err := f.block(ctx, in); err != nil {
			return nil, err
		}
		if out := f.finish(); out.Rows > 0 {
			return out, nil
		}
	}
	return nil, nil
}

func (f *filling) finish() *column.Block {
	out := &column.Block{}
	for _, b := range f.b {
		out.Columns = append(out.Columns, b.Finish())
	}
	if len(out.Columns) > 0 {
		out.Rows = out.Columns[0].Len()
	}
	return out
}

func (f *filling) block(ctx context.Context, in *column.Block) error {
	points := make([][]int64, len(f.steps))
	for k, s := range f.steps {
		points[k] = s.points(in.Columns[f.node.Keys[k].Key.Column])
	}
	for r := range in.Rows {
		if f.live && f.newGroup(in, r) {
			if err := f.tail(ctx); err != nil {
				return err
			}
			f.live = false
		}
		row := make([]int64, len(f.steps))
		for k := range row {
			row[k] = points[k][r]
		}
		if !f.live {
			f.begin(in, r)
			for k := range f.steps {
				if f.steps[k].from == nil {
					f.due[k] = row[k]
				}
			}
		}
		if err := f.until(ctx, row); err != nil {
			return err
		}
		f.take(in, r)
		f.advance(row)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

func (f *filling) newGroup(in *column.Block, r int) bool {
	for i, k := range f.node.Prefix {
		if column.Compare(f.prefix[i], 0, in.Columns[k.Column], r, 1) != 0 {
			return true
		}
	}
	return false
}

// begin starts a group at the bounds' beginnings.
func (f *filling) begin(in *column.Block, r int) {
	f.live = true
	f.due = make([]int64, len(f.steps))
	for k, s := range f.steps {
		if s.from != nil {
			f.due[k] = *s.from
		}
	}
	if in == nil {
		for _, s := range f.steps {
			f.live = f.live && s.from != nil && s.to != nil
		}
		return
	}
	f.prefix = f.prefix[:0]
	for _, k := range f.node.Prefix {
		f.prefix = append(f.prefix, in.Columns[k.Column].Slice(r, r+1))
	}
}

// before tells whether point a comes before b in the direction of key k.
func (f *filling) before(k int, a, b int64) bool {
	if f.node.Keys[k].Key.Desc {
		return a > b
	}
	return a < b
}

// until makes the rows due before a row of the input.
func (f *filling) until(ctx context.Context, row []int64) error {
	last := len(f.steps) - 1
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		k := 0
		for k <= last && f.due[k] == row[k] {
			k++
		}
		if k > last || !f.before(k, f.due[k], row[k]) || f.past(k) {
			return nil
		}
		if k < last && f.exhausted() {
			f.carry(k, row)
			continue
		}
		if s := f.steps[last]; s.limited && !f.before(last, f.due[last], s.until) {
			return nil
		}
		if err := f.make(ctx); err != nil {
			return err
		}
		f.onData = false
		if k == last || f.steps[last].to != nil {
			f.due[last] = f.steps[last].next(f.due[last])
		} else {
			f.carry(k, row)
		}
	}
}

// past tells whether key k has reached its upper bound.
func (f *filling) past(k int) bool {
	s := f.steps[k]
	return s.to != nil && !f.before(k, f.due[k], *s.to)
}

// exhausted tells whether the last key has nothing more to fill below the
// present value of the keys before it.
func (f *filling) exhausted() bool {
	last := len(f.steps) - 1
	if f.steps[last].to == nil {
		return f.onData
	}
	return f.past(last)
}

// carry moves key k on and the keys behind it back to their beginnings.
func (f *filling) carry(k int, row []int64) {
	f.due[k] = f.steps[k].next(f.due[k])
	f.onData = false
	for j := k + 1; j < len(f.steps); j++ {
		f.due[j] = 0
		switch {
		case f.steps[j].from != nil:
			f.due[j] = *f.steps[j].from
		case row != nil && f.due[k] == row[k]:
			f.due[j] = row[j]
		}
	}
}

// make gives out the row that is due.
func (f *filling) make(ctx context.Context) error {
	filled := make([]column.Column, len(f.header))
	for k, s := range f.steps {
		filled[f.node.Keys[k].Key.Column] = s.value(f.due[k])
	}
	for i, p := range f.node.Prefix {
		filled[p.Column] = f.prefix[i]
	}
	if err := f.interpolate(ctx, filled); err != nil {
		return err
	}
	for i, c := range filled {
		if c == nil {
			filled[i] = column.Default(f.header[i].Type, 1)
		}
		f.b[i].AppendRange(filled[i], 0, 1)
	}
	f.prev = filled
	return nil
}

// interpolate computes columns of a made row from the row before.
func (f *filling) interpolate(ctx context.Context, filled []column.Column) error {
	if len(f.node.Interpolate) == 0 {
		return nil
	}
	prev := &column.Block{Rows: 1, Columns: f.prev}
	if f.prev == nil {
		for _, h := range f.header {
			prev.Columns = append(prev.Columns, column.Default(h.Type, 1))
		}
	}
	for _, i := range f.node.Interpolate {
		c, err := i.Expr.Eval(ctx, prev)
		if err != nil {
			return err
		}
		filled[i.Column] = column.Full(c)
	}
	return nil
}

// take gives out a row of the input.
func (f *filling) take(in *column.Block, r int) {
	row := make([]column.Column, len(in.Columns))
	for i, c := range in.Columns {
		f.b[i].AppendRange(c, r, r+1)
		row[i] = column.Full(c.Slice(r, r+1))
	}
	f.prev = row
}

// advance moves the due point behind a row of the input.
func (f *filling) advance(row []int64) {
	f.onData = true
	last := len(f.steps) - 1
	for k := range f.steps {
		s := f.steps[k]
		if k < last {
			if f.before(k, f.due[k], row[k]) {
				f.due[k] = row[k]
			}
			continue
		}
		for !f.before(k, row[k], f.due[k]) {
			f.due[k] = s.next(f.due[k])
		}
		if s.stale != nil {
			s.until = row[k] + *s.stale
			s.limited = true
		}
	}
}

// tail makes the rows up to the upper bounds behind the last row of a group.
func (f *filling) tail(ctx context.Context) error {
	last := len(f.steps) - 1
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := f.steps[last]
		switch {
		case s.to != nil && !f.past(last), s.to == nil && s.limited, last > 0 && s.to == nil && !f.onData && !f.past(0):
		case last > 0 && f.steps[0].to != nil && f.before(0, f.steps[0].next(f.due[0]), *f.steps[0].to):
			f.carry(0, nil)
		default:
			return nil
		}
		if s.limited && !f.before(last, f.due[last], s.until) {
			return nil
		}
		if err := f.make(ctx); err != nil {
			return err
		}
		if s.to == nil && last > 0 {
			f.onData = true
			continue
		}
		f.due[last] = s.next(f.due[last])
	}
}

func (f *filling) Close() error { f.end = true; return f.in.Close() }

func errFillType(t *types.Type) error {
	return cherr.New(cherr.InvalidWithFillExpression, "WITH FILL is not supported for type %s", t)
}
