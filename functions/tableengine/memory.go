package tableengine

import (
	"context"
	"sync"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/table"
)

// memoryEngine keeps rows until the server stops. Log, TinyLog and StripeLog
// are the same here: small tables that need not last.
func memoryEngine(name string) functions.Engine {
	return functions.Engine{
		Name: name,
		Doc:  functions.Doc{Syntax: "ENGINE = " + name, Summary: "Keeps rows in memory until the server stops."},
		Open: func(_ context.Context, _ *functions.Env, req *functions.OpenRequest) (table.Table, error) {
			if name == "Memory" && len(req.Args) > 0 {
				return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Engine Memory doesn't support any arguments (%d given)", len(req.Args))
			}
			if req.Version != nil {
				return nil, cherr.New(cherr.BadArguments, "Tables in memory have no versions")
			}
			if req.Keep.Value == nil {
				req.Keep.Value = &store{}
			}
			s, _ := req.Keep.Value.(*store)
			return s.version(req.Columns), nil
		},
	}
}

// store is the rows of one created table: blocks that are never changed.
type store struct {
	mu     sync.Mutex
	blocks []*column.Block
}

func (s *store) version(cols []table.Column) *memoryTable {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &memoryTable{store: s, columns: cols, blocks: s.blocks[:len(s.blocks):len(s.blocks)]}
}

// memoryTable is one version: the blocks that there were when it was opened.
type memoryTable struct {
	store   *store
	columns []table.Column
	blocks  []*column.Block // one column for each of columns that is stored
}

// Columns implements table.Table.
func (t *memoryTable) Columns() []table.Column { return t.columns }

// minRowsAStream: fewer rows are not worth a stream of their own, and one stream
// keeps the order of their insertion.
const minRowsAStream = 1 << 16

// Scan hands out the blocks as they came in; each stream has neighbouring ones.
func (t *memoryTable) Scan(_ context.Context, req *table.ScanRequest) ([]column.Stream, error) {
	req.Report = &table.Report{}
	streams := max(min(req.Streams, len(t.blocks), int(t.rows()/minRowsAStream)), 1)
	if req.PreserveOrder {
		streams = 1
	}
	shares := make([][]*column.Block, streams)
	for i, b := range t.blocks {
		p := &column.Block{Rows: b.Rows}
		for _, c := range req.Columns {
			p.Columns = append(p.Columns, b.Columns[c])
		}
		req.Report.RowsRead.Add(int64(b.Rows))
		req.Report.BytesRead.Add(p.Size())
		shares[i*streams/len(t.blocks)] = append(shares[i*streams/len(t.blocks)], p)
	}
	out := make([]column.Stream, streams)
	for i := range out {
		out[i] = column.Blocks(shares[i]...)
	}
	return out, nil
}

func (t *memoryTable) rows() (n int64) {
	for _, b := range t.blocks {
		n += int64(b.Rows)
	}
	return n
}

// CountRows implements table.Counter.
func (t *memoryTable) CountRows(_ context.Context, req *table.ScanRequest) (int64, bool, error) {
	return t.rows(), len(req.Filter) == 0, nil
}

// EstimateRows implements table.Estimator.
func (t *memoryTable) EstimateRows(context.Context, *table.ScanRequest) (int64, error) {
	return t.rows(), nil
}

// Append implements table.Appender.
func (t *memoryTable) Append(_ context.Context, names []string) (table.Sink, error) {
	places := make([]int, len(t.columns))
	for i, c := range t.columns {
		places[i] = -1
		for k, n := range names {
			if n == c.Name {
				places[i] = k
			}
		}
	}
	return &memorySink{table: t, places: places}, nil
}

// Truncate implements table.Truncater.
func (t *memoryTable) Truncate(context.Context) error {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	t.store.blocks = nil
	return nil
}

// Mutate implements table.Mutator: changed blocks replace those of this
// version; it fails if the table changed meanwhile.
func (t *memoryTable) Mutate(ctx context.Context, cond expr.Expr, set map[int]expr.Expr) (int64, error) {
	var out []*column.Block
	var n int64
	for _, b := range t.blocks {
		c, err := cond.Eval(ctx, b)
		if err != nil {
			return 0, err
		}
		hit := matches(c, b.Rows)
		if set == nil {
			var keep []uint32
			for i, h := range hit {
				if !h {
					keep = append(keep, uint32(i))
				}
			}
			n += int64(b.Rows - len(keep))
			if len(keep) > 0 {
				out = append(out, column.FullBlock(b.Gather(keep)))
			}
			continue
		}
		next, rows, err := t.update(ctx, b, hit, set)
		if err != nil {
			return 0, err
		}
		n += rows
		out = append(out, next)
	}
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	if len(t.store.blocks) != len(t.blocks) {
		return 0, cherr.New(cherr.InvalidState, "The table was changed by another query meanwhile")
	}
	t.store.blocks = out
	return n, nil
}

func (t *memoryTable) update(ctx context.Context, b *column.Block, hit []bool, set map[int]expr.Expr) (*column.Block, int64, error) {
	next := &column.Block{Columns: append([]column.Column(nil), b.Columns...), Rows: b.Rows}
	var n int64
	for _, h := range hit {
		if h {
			n++
		}
	}
	for i, e := range set {
		v, err := e.Eval(ctx, b)
		if err != nil {
			return nil, 0, err
		}
		build := column.NewBuilder(t.columns[i].Type, b.Rows)
		for r, h := range hit {
			if h {
				build.AppendRange(v, r, r+1)
			} else {
				build.AppendRange(b.Columns[i], r, r+1)
			}
		}
		next.Columns[i] = build.Finish()
	}
	return next, n, nil
}

// matches reads a condition: true where it is neither 0 nor NULL.
func matches(c column.Column, rows int) []bool {
	out := make([]bool, rows)
	c = column.Full(c)
	v, null := column.SplitNulls(c)
	for i := range out {
		out[i] = (null == nil || null[i] == 0) && truthy(column.At(v, i))
	}
	return out
}

func truthy(v column.Value) bool {
	switch v := v.(type) {
	case uint8:
		return v != 0
	case int8:
		return v != 0
	case uint64:
		return v != 0
	case int64:
		return v != 0
	case nil:
		return false
	}
	return true
}

// memorySink collects the blocks of one insert.
type memorySink struct {
	table  *memoryTable
	places []int
	blocks []*column.Block
}

// Write implements table.Sink.
func (s *memorySink) Write(_ context.Context, b *column.Block) error {
	out := &column.Block{Rows: b.Rows}
	for i, p := range s.places {
		c := s.table.columns[i]
		if p < 0 { // ALIAS and EPHEMERAL columns hold nothing
			out.Columns = append(out.Columns, column.NewConst(column.Default(c.Type, 1), b.Rows))
			continue
		}
		kept := column.Full(b.Columns[p])
		if str, ok := kept.(*column.Str); ok {
			kept = str.Compact()
		}
		out.Columns = append(out.Columns, kept)
	}
	s.blocks = append(s.blocks, out)
	return nil
}

// Commit implements table.Sink.
func (s *memorySink) Commit(context.Context) error {
	st := s.table.store
	st.mu.Lock()
	defer st.mu.Unlock()
	st.blocks = append(st.blocks[:len(st.blocks):len(st.blocks)], s.blocks...)
	s.blocks = nil
	return nil
}

// Abort implements table.Sink.
func (s *memorySink) Abort(context.Context) error { s.blocks = nil; return nil }
