package read

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
)

// chunk is some keys, whole, of a section: their rows in the order of the keys,
// and of one key in the order in which they were written.
type chunk struct {
	m      *merging
	blocks []*column.Block // that the rows lie in
	src    []uint16        // row → block
	row    []uint32        // row → row of its block
	starts []uint32        // key → its first row; one more at the end
	seqs   [][]int64       // block → sequence numbers
	orders [][]string      // block → user-defined sequences, encoded; nil: none
	runs   []uint16        // block → its run
	done   *merged         // the keys are merged already
	// whole is set in place of all that: a run's block, of which some rows are
	// shown (nil: all).
	whole *column.Block
	shown []uint32
}

func (c *chunk) keys() int { return len(c.starts) - 1 }

// chunkRows ends a chunk; maxBlocks bounds what it holds on to.
const (
	chunkRows = 16384
	maxBlocks = 1 << 15
)

// run is a sorted run that is being read.
type run[K uint64 | string] struct {
	stream column.Stream
	block  *column.Block
	keys   []K
	at     int
	seqs   []int64
	order  []string
	place  uint16 // of the block in the chunk
	index  uint16 // of the run
	bytes  int64  // reserved
}

// runMerger merges sorted runs by a tournament: each round finds the run with
// the least key among all and moves it on.
type runMerger[K uint64 | string] struct {
	m       *merging
	output  []int // the columns that the runs give
	ordered bool  // the runs stand in the order in which they were written
	encode  func(cols []column.Column, n int) []K
	runs    []*run[K]
	heads   []K      // key at each run's place
	over    []bool   // the run is at its end
	tree    []uint16 // losers; tree[0] is the winner
	begun   bool
	held    int64 // reserved for blocks that runs have passed and the chunk still needs
	c       *chunk
}

func newRunMerger[K uint64 | string](m *merging, streams []column.Stream, output []int, ordered bool, encode func([]column.Column, int) []K) *runMerger[K] {
	r := &runMerger[K]{m: m, output: output, ordered: ordered, encode: encode, heads: make([]K, len(streams)), over: make([]bool, len(streams))}
	for i, s := range streams {
		r.runs = append(r.runs, &run[K]{stream: s, index: uint16(i)})
	}
	return r
}

func (r *runMerger[K]) close() {
	for _, x := range r.runs {
		_ = x.stream.Close() // nothing is written
		r.m.s.req.Memory.Shrink(x.bytes)
	}
	r.m.s.req.Memory.Shrink(r.held)
	r.held = 0
}

// load moves a run to its next block.
func (r *runMerger[K]) load(ctx context.Context, i int) error {
	x := r.runs[i]
	r.held += x.bytes // the chunk may still need what it passed
	x.bytes = 0
	for {
		b, err := x.stream.Next(ctx)
		if err != nil {
			return err
		}
		if b == nil {
			x.block, x.keys, r.over[i] = nil, nil, true
			return nil
		}
		if b.Rows == 0 {
			continue
		}
		size := b.Size() + 16*int64(b.Rows)
		b = r.placed(b)
		cols := make([]column.Column, len(r.m.keys))
		for k, at := range r.m.keys {
			cols[k] = b.Columns[at]
		}
		x.block, x.at = r.m.tidy(b), 0
		x.keys = r.encode(cols, b.Rows)
		if !r.ordered {
			x.seqs = column.Values[int64](x.block.Columns[r.m.seq])
			x.order = r.m.sequences(b)
		}
		if err := r.m.s.req.Memory.Grow(size); err != nil {
			return err
		}
		x.bytes = size
		r.heads[i] = x.keys[0]
		if r.c != nil {
			r.enter(x)
		}
		return nil
	}
}

// placed puts the columns that a run gives into their places; the others are nil.
func (r *runMerger[K]) placed(b *column.Block) *column.Block {
	out := &column.Block{Columns: make([]column.Column, len(r.m.columns)), Rows: b.Rows}
	for i, at := range r.output {
		out.Columns[at] = b.Columns[i]
	}
	return out
}

// enter makes a run's block one of the chunk's.
func (r *runMerger[K]) enter(x *run[K]) {
	x.place = uint16(len(r.c.blocks))
	r.c.blocks = append(r.c.blocks, x.block)
	r.c.seqs = append(r.c.seqs, x.seqs)
	r.c.orders = append(r.c.orders, x.order)
	r.c.runs = append(r.c.runs, x.index)
}

// sequences encodes a block's user-defined sequences; nil when there are none.
func (m *merging) sequences(b *column.Block) []string {
	if len(m.seqs) == 0 {
		return nil
	}
	cols := make([]column.Column, len(m.seqs))
	for k, at := range m.seqs {
		cols[k] = column.Full(b.Columns[at])
	}
	return textKeys(cols, b.Rows, m.desc)
}

// tidy spells out what gathering does not take as it is.
func (m *merging) tidy(b *column.Block) *column.Block {
	out := &column.Block{Columns: make([]column.Column, len(b.Columns)), Rows: b.Rows}
	for i, c := range b.Columns {
		switch x := c.(type) {
		case *column.Dict:
			if !isText(x.Values) {
				c = column.Full(c)
			}
		case *column.Const:
			if isText(x.Value) {
				c = &column.Dict{Codes: make([]uint32, x.N), Values: x.Value}
			} else {
				c = column.Full(c)
			}
		}
		out.Columns[i] = c
	}
	return out
}

func isText(c column.Column) bool {
	values, _ := column.SplitNulls(c)
	_, ok := values.(*column.Str)
	return ok
}

// before tells whether run a comes before run b; runs at their end come last.
func (r *runMerger[K]) before(a, b uint16) bool {
	switch {
	case r.over[a] || r.over[b]:
		return !r.over[a] && (r.over[b] || a < b)
	case r.heads[a] != r.heads[b]:
		return r.heads[a] < r.heads[b]
	}
	return a < b
}

// build plays the whole tournament.
func (r *runMerger[K]) build() {
	n := len(r.runs)
	r.tree = make([]uint16, max(n, 1))
	winners := make([]uint16, 2*n)
	for i := range n {
		winners[n+i] = uint16(i)
	}
	for i := n - 1; i > 0; i-- {
		a, b := winners[2*i], winners[2*i+1]
		if r.before(a, b) {
			winners[i], r.tree[i] = a, b
		} else {
			winners[i], r.tree[i] = b, a
		}
	}
	if n > 0 {
		r.tree[0] = winners[min(1, 2*n-1)]
	}
}

// replay plays a run's games anew after it moved on.
func (r *runMerger[K]) replay(i uint16) {
	w := i
	for at := (len(r.runs) + int(i)) / 2; at > 0; at /= 2 {
		if r.before(r.tree[at], w) {
			r.tree[at], w = w, r.tree[at]
		}
	}
	r.tree[0] = w
}

func (r *runMerger[K]) next(ctx context.Context) (*chunk, error) {
	if len(r.runs) == 0 {
		return nil, nil
	}
	r.m.s.req.Memory.Shrink(r.held)
	r.held = 0
	if !r.begun {
		r.begun = true
		for i := range r.runs {
			if err := r.load(ctx, i); err != nil {
				return nil, err
			}
		}
		r.build()
	}
	c := &chunk{m: r.m, src: make([]uint16, 0, chunkRows+64), row: make([]uint32, 0, chunkRows+64), starts: make([]uint32, 0, chunkRows)}
	r.c = c
	for i, x := range r.runs {
		if !r.over[i] {
			r.enter(x)
		}
	}
	defer func() { r.c = nil }()
	for len(c.src) < chunkRows && len(c.blocks) < maxBlocks {
		w := r.tree[0]
		if r.over[w] {
			break
		}
		from := len(c.src)
		c.starts = append(c.starts, uint32(from))
		key := r.heads[w]
		for !r.over[w] && r.heads[w] == key {
			x := r.runs[w]
			c.src = append(c.src, x.place)
			c.row = append(c.row, uint32(x.at))
			if x.at+1 < len(x.keys) {
				x.at++
				r.heads[w] = x.keys[x.at]
			} else if err := r.advance(ctx, int(w), &key); err != nil {
				return nil, err
			}
			r.replay(w)
			w = r.tree[0]
		}
		if len(c.src)-from > 1 && !r.ordered { // else equal keys came in the order of the runs
			c.arrange(from)
		}
	}
	if len(c.src) == 0 {
		return nil, nil
	}
	c.starts = append(c.starts, uint32(len(c.src)))
	return c, nil
}

// advance loads a run's next block. Keys of text point into the block that is
// left, which the chunk holds on to.
func (r *runMerger[K]) advance(ctx context.Context, i int, last *K) error {
	if err := r.load(ctx, i); err != nil {
		return err
	}
	if !r.over[i] && r.heads[i] < *last {
		return cherr.New(cherr.IncorrectData, "the keys of a sorted run of Paimon table %s are out of order", r.m.src.Dir.Root)
	}
	return nil
}

// arrange orders the rows of one key, from a place on, as they were written:
// by user-defined sequence, then by sequence number. There are few.
func (c *chunk) arrange(from int) {
	for i := from + 1; i < len(c.src); i++ { // by insertion: they are mostly in order
		for j := i; j > from && c.earlier(j, j-1); j-- {
			c.src[j], c.src[j-1] = c.src[j-1], c.src[j]
			c.row[j], c.row[j-1] = c.row[j-1], c.row[j]
		}
	}
}

func (c *chunk) earlier(a, b int) bool {
	sa, sb := c.src[a], c.src[b]
	if oa, ob := c.orders[sa], c.orders[sb]; oa != nil {
		if x, y := oa[c.row[a]], ob[c.row[b]]; x != y {
			return x < y
		}
	}
	return c.seqs[sa][c.row[a]] < c.seqs[sb][c.row[b]]
}
