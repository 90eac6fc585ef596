package avro

import (
	"encoding/binary"
	"math"

	"lakeserver/cherr"
)

// Cursor steps through the values of one block. After the first damage every
// read gives zero and Err tells what was wrong, so callers check once a row.
type Cursor struct {
	b   []byte
	pos int
	err error
}

// NewCursor makes a cursor over a block's bytes.
func NewCursor(b []byte) *Cursor { return &Cursor{b: b} }

// Err gives the first damage met.
func (c *Cursor) Err() error { return c.err }

// Fail marks the block as damaged, unless it is already.
func (c *Cursor) Fail(format string, args ...any) {
	if c.err == nil {
		c.err = cherr.New(cherr.IncorrectData, format, args...)
	}
	c.pos = len(c.b)
}

// Left gives the bytes not yet read.
func (c *Cursor) Left() int { return len(c.b) - c.pos }

// Long reads a variable-length zigzag number.
func (c *Cursor) Long() int64 {
	if c.pos < len(c.b) { // most counts, ids and indexes fit one byte
		if x := c.b[c.pos]; x < 0x80 {
			c.pos++
			return int64(x>>1) ^ -int64(x&1)
		}
	}
	u, n := binary.Uvarint(c.b[c.pos:])
	if n <= 0 {
		c.Fail("Avro number is cut short or too long")
		return 0
	}
	c.pos += n
	return int64(u>>1) ^ -int64(u&1)
}

// Int reads a number of 32 bits.
func (c *Cursor) Int() int32 {
	v := c.Long()
	if v != int64(int32(v)) {
		c.Fail("Avro int %d is out of range", v)
		return 0
	}
	return int32(v)
}

// Bool reads a boolean.
func (c *Cursor) Bool() bool {
	b := c.take(1)
	return len(b) == 1 && b[0] != 0
}

// Float reads a float.
func (c *Cursor) Float() float32 {
	if b := c.take(4); b != nil {
		return math.Float32frombits(binary.LittleEndian.Uint32(b))
	}
	return 0
}

// Double reads a double.
func (c *Cursor) Double() float64 {
	if b := c.take(8); b != nil {
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	return 0
}

// Bytes reads bytes or a string; they point into the block.
func (c *Cursor) Bytes() []byte {
	n := c.Long()
	if n < 0 || n > int64(c.Left()) {
		c.Fail("Avro value of %d bytes where %d are left", n, c.Left())
		return nil
	}
	return c.take(int(n))
}

// take gives the next n bytes, nil when there are not that many.
func (c *Cursor) take(n int) []byte {
	if n > len(c.b)-c.pos {
		c.Fail("Avro value of %d bytes where %d are left", n, c.Left())
		return nil
	}
	b := c.b[c.pos : c.pos+n : c.pos+n]
	c.pos += n
	return b
}

// Peek gives the next n bytes, which stay the next ones; nil when there are not
// that many.
func (c *Cursor) Peek(n int) []byte {
	if n > len(c.b)-c.pos {
		return nil
	}
	return c.b[c.pos : c.pos+n : c.pos+n]
}

// Branch reads which branch of a union follows; nil after damage.
func (c *Cursor) Branch(s *Schema) *Schema {
	if s.Kind != Union {
		return s
	}
	i := c.Long()
	if i < 0 || i >= int64(len(s.Branches)) {
		c.Fail("Avro union has no branch %d", i)
		return nil
	}
	return s.Branches[i]
}

// maxEmpty bounds elements that take no bytes.
const maxEmpty = 1 << 24

// Items reads the head of an array's or map's next block: how many items
// follow, 0 at the end.
func (c *Cursor) Items() int {
	n := c.Long()
	if n < 0 {
		c.Long() // the block's size in bytes, of use for stepping over only
		n = -n
	}
	if n < 0 || n > int64(c.Left()) && n > maxEmpty {
		c.Fail("Avro array of %d items where %d bytes are left", n, c.Left())
		return 0
	}
	return int(n)
}

// Skip steps over a value.
func (c *Cursor) Skip(s *Schema) { c.skip(s, 0) }

func (c *Cursor) skip(s *Schema, depth int) {
	if depth > maxDepth {
		c.Fail("Avro value is nested too deep")
	}
	if c.err != nil {
		return
	}
	switch s.Kind {
	case Boolean:
		c.take(1)
	case Int, Long, Enum:
		c.Long()
	case Float:
		c.take(4)
	case Double:
		c.take(8)
	case Bytes, String:
		c.Bytes()
	case Fixed:
		c.take(s.Size)
	case Record:
		for i := range s.Fields {
			c.skip(s.Fields[i].Type, depth+1)
		}
	case Union:
		if b := c.Branch(s); b != nil {
			c.skip(b, depth+1)
		}
	case Array, Map:
		c.skipItems(s, depth)
	}
}

func (c *Cursor) skipItems(s *Schema, depth int) {
	for c.err == nil {
		n := c.Long()
		if n == 0 {
			return
		}
		if n < 0 { // the writer says how many bytes to jump
			size := c.Long()
			if size < 0 || size > int64(c.Left()) {
				c.Fail("Avro block of %d bytes where %d are left", size, c.Left())
				return
			}
			c.pos += int(size)
			continue
		}
		if n > int64(c.Left()) && n > maxEmpty {
			c.Fail("Avro array of %d items where %d bytes are left", n, c.Left())
			return
		}
		if s.Kind == Array && s.Elem.numbers() > 0 {
			c.skipLongs(int(n) * s.Elem.numbers())
			continue
		}
		for ; n > 0 && c.err == nil; n-- {
			if s.Kind == Map {
				c.Bytes()
			}
			c.skip(s.Elem, depth+1)
		}
	}
}

// numbers gives how many numbers of variable length a value is and nothing
// else, 0 for other values.
func (s *Schema) numbers() int {
	switch s.Kind {
	case Int, Long:
		return 1
	case Record:
		for i := range s.Fields {
			if k := s.Fields[i].Type.Kind; k != Int && k != Long {
				return 0
			}
		}
		return len(s.Fields)
	}
	return 0
}

// skipLongs steps over n numbers.
func (c *Cursor) skipLongs(n int) {
	pos := c.pos
	for ; n > 0; n-- {
		for pos < len(c.b) && c.b[pos] >= 0x80 {
			pos++
		}
		pos++
	}
	if pos > len(c.b) {
		c.Fail("Avro number is cut short or too long")
		return
	}
	c.pos = pos
}

// Raw reads bytes, a string or a fixed value; they point into the block.
func (c *Cursor) Raw(s *Schema) []byte {
	if s.Kind == Fixed {
		return c.take(s.Size)
	}
	return c.Bytes()
}
