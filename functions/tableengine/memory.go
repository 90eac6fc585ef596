package tableengine

import (
	"context"
	"slices"
	"sync"

	"lakeserver/cherr"
	"lakeserver/column"
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
	mu      sync.Mutex
	columns []table.Column // nil until ALTER: those of the definition
	blocks  []*column.Block
	// altered counts the changes that did more than append blocks.
	altered int
}

func (s *store) version(cols []table.Column) *memoryTable {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.columns != nil {
		cols = s.columns
	}
	return &memoryTable{store: s, columns: cols, blocks: s.blocks[:len(s.blocks):len(s.blocks)], altered: s.altered}
}

// replace puts blocks in the place of those of a version. Blocks that were
// appended since stay, unless columns are given: then all is replaced, and they
// too. Anything else that happened since makes it fail.
func (s *store) replace(was *memoryTable, blocks []*column.Block, columns []table.Column) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.altered != was.altered {
		return table.Stale(cherr.New(cherr.InvalidState, "The table was changed by another query meanwhile"))
	}
	if columns == nil {
		blocks = append(blocks, s.blocks[len(was.blocks):]...)
	} else {
		s.columns = columns
	}
	s.blocks = blocks
	s.altered++
	return nil
}

// memoryTable is one version: the blocks that there were when it was opened.
type memoryTable struct {
	store   *store
	columns []table.Column
	blocks  []*column.Block // one column for each of columns
	altered int             // of the store, when it was opened
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
	return &memorySink{table: t, columns: t.columns, places: placesOf(t.columns, names)}, nil
}

// Overwrite implements table.Overwriter.
func (t *memoryTable) Overwrite(_ context.Context, req *table.OverwriteRequest) (table.Sink, error) {
	if req.Partition != nil || req.Where != nil {
		return nil, cherr.New(cherr.NotImplemented, "Tables in memory are overwritten as a whole")
	}
	return &memorySink{table: t, columns: t.columns, places: placesOf(t.columns, req.Columns), replace: true}, nil
}

// Rebuild implements table.Rebuilder.
func (t *memoryTable) Rebuild(_ context.Context, columns []table.Column, names []string) (table.Sink, error) {
	return &memorySink{table: t, columns: columns, places: placesOf(columns, names), replace: true}, nil
}

// placesOf tells where the values of each column stand, -1 where they do not.
func placesOf(columns []table.Column, names []string) []int {
	places := make([]int, len(columns))
	for i, c := range columns {
		places[i] = slices.Index(names, c.Name)
	}
	return places
}

// Truncate implements table.Truncater.
func (t *memoryTable) Truncate(context.Context) error {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	t.store.blocks = nil
	t.store.altered++
	return nil
}

// memorySink collects the blocks of one insert.
type memorySink struct {
	table   *memoryTable
	columns []table.Column
	places  []int
	blocks  []*column.Block
	replace bool // what was there goes
}

// Write implements table.Sink.
func (s *memorySink) Write(_ context.Context, b *column.Block) error {
	s.blocks = append(s.blocks, kept(s.columns, s.places, b))
	return nil
}

// kept is a block in a form that may stay.
func kept(columns []table.Column, places []int, b *column.Block) *column.Block {
	out := &column.Block{Rows: b.Rows}
	for i, p := range places {
		if p < 0 { // ALIAS and EPHEMERAL columns hold nothing
			out.Columns = append(out.Columns, column.NewConst(column.Default(columns[i].Type, 1), b.Rows))
			continue
		}
		c := column.Full(b.Columns[p])
		if str, ok := c.(*column.Str); ok {
			c = str.Compact()
		}
		out.Columns = append(out.Columns, c)
	}
	return out
}

// Commit implements table.Sink.
func (s *memorySink) Commit(context.Context) error {
	st := s.table.store
	if s.replace {
		return st.replace(s.table, s.blocks, s.columns)
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.columns != nil && !sameColumns(st.columns, s.columns) {
		return cherr.New(cherr.InvalidState, "The table's columns were altered by another query meanwhile")
	}
	st.blocks = append(st.blocks[:len(st.blocks):len(st.blocks)], s.blocks...)
	s.blocks = nil
	return nil
}

// Abort implements table.Sink.
func (s *memorySink) Abort(context.Context) error { s.blocks = nil; return nil }
