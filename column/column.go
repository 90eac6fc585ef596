package column

import (
	"context"

	"lakeserver/types"
)

// Column is a run of values of one physical form. It is immutable once handed
// out and may be read by any number of goroutines.
type Column interface {
	// Len gives the number of rows.
	Len() int
	// Slice gives rows [from, to) and shares memory.
	Slice(from, to int) Column
	// Gather gives the rows at the positions, in their order, in new memory
	// (Const and Dict keep their form).
	Gather(rows []uint32) Column
	// Size estimates the bytes that the rows hold.
	Size() int64
}

// Field names a column of a header.
type Field struct {
	Name string
	Type *types.Type
}

// Header names the columns of every block of a stream.
type Header []Field

// Index gives the position of a name, -1 when there is none.
func (h Header) Index(name string) int {
	for i := range h {
		if h[i].Name == name {
			return i
		}
	}
	return -1
}

// Block is some rows of a stream: one column for each field of the header, all
// of Rows length. A block without columns still has rows (SELECT count()).
type Block struct {
	Columns []Column
	Rows    int
}

// NewBlock makes a block of columns of one length.
func NewBlock(columns ...Column) *Block {
	b := &Block{Columns: columns}
	if len(columns) > 0 {
		b.Rows = columns[0].Len()
	}
	return b
}

// Slice gives rows [from, to) and shares memory.
func (b *Block) Slice(from, to int) *Block {
	if from == 0 && to == b.Rows {
		return b
	}
	out := &Block{Columns: make([]Column, len(b.Columns)), Rows: to - from}
	for i, c := range b.Columns {
		out.Columns[i] = c.Slice(from, to)
	}
	return out
}

// Gather gives the rows at the positions.
func (b *Block) Gather(rows []uint32) *Block {
	out := &Block{Columns: make([]Column, len(b.Columns)), Rows: len(rows)}
	for i, c := range b.Columns {
		out.Columns[i] = c.Gather(rows)
	}
	return out
}

// Size estimates the bytes of the block.
func (b *Block) Size() int64 {
	var n int64
	for _, c := range b.Columns {
		n += c.Size()
	}
	return n
}

// Stream hands out blocks. It is used by one goroutine at a time. The end is
// nil, nil and not io.EOF: a truncated file yields io.EOF too, and a stream
// that took it for the end would lose rows in silence. Next after the end
// gives the end again. Close may be called at any time, once, and frees what
// the stream holds; blocks handed out stay valid.
type Stream interface {
	Next(ctx context.Context) (*Block, error)
	Close() error
}

// MaxBlockRows is the most rows a block has on its way to a client.
const MaxBlockRows = 65409

// Blocks is a stream of blocks at hand.
func Blocks(blocks ...*Block) Stream { return &sliceStream{blocks} }

type sliceStream struct{ blocks []*Block }

func (s *sliceStream) Next(ctx context.Context) (*Block, error) {
	if len(s.blocks) == 0 {
		return nil, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b := s.blocks[0]
	s.blocks = s.blocks[1:]
	return b, nil
}

func (s *sliceStream) Close() error { s.blocks = nil; return nil }

// ReadAll drains a stream and closes it; for tests and small results.
func ReadAll(ctx context.Context, s Stream) ([]*Block, error) {
	defer s.Close()
	var out []*Block
	for {
		b, err := s.Next(ctx)
		if err != nil || b == nil {
			return out, err
		}
		out = append(out, b)
	}
}
