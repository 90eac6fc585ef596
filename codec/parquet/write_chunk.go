package parquet

import (
	"encoding/binary"
	"hash/maphash"

	"github.com/cespare/xxhash/v2"

	"lakeserver/column"
)

// chunk is a leaf's part of the row group that is being written. Pages are
// compressed as they fill up and kept until the group ends: the dictionary,
// which stands before them, grows until then.
type chunk struct {
	leaf *writeLeaf
	out  *packers
	most int // bytes of a page before compression

	dict   *dictionary // nil: there never was one
	coding bool        // values still become codes

	// The page at hand.
	def, rep []int16
	codes    []uint32
	plain    []byte
	bools    []uint8
	entries  int
	rows     int
	bounds   bounds  // of values that are not codes
	mark     []int32 // by code: the page that has it
	used     []uint32

	pages      []writtenPage
	data       []byte // finished pages, headers and all
	all        bounds
	entriesAll int64
	rowsAll    int64
	raw        int64 // bytes before compression
	plainPages int
	noIndex    bool // there is a page whose bounds cannot be told

	hashes []uint64      // of values that are not codes, for a bloom filter
	remap  []uint32      // from the codes of a column to ours, + 1
	mapped column.Column // the dictionary that remap is for
}

type writtenPage struct {
	at, size int // in data
	first    int64
	nulls    int64
	lo, hi   []byte // nil: there is no value
}

// pageRows bounds the rows of a page of codes, which take few bytes.
const pageRows = 1 << 16

func newChunk(l *writeLeaf, out *packers, most int, seed maphash.Seed) *chunk {
	c := &chunk{leaf: l, out: out, most: most}
	if l.physical != PhysicalBoolean {
		c.dict, c.coding = newDictionary(l.width(), seed), true
	}
	return c
}

// add takes the leaf's part of a block.
func (c *chunk) add() error {
	l := c.leaf
	def, rep := l.def, l.rep
	if l.maxDef == 0 {
		def = nil
	}
	if l.maxRep == 0 {
		rep = nil
	}
	from := c.values()
	n := from.len
	if def != nil {
		n = len(def)
	}
	step, value := c.step(&from), 0
	for at := 0; at < n; {
		to := min(n, at+step)
		for rep != nil && to < n && rep[to] != 0 { // a page begins with a row
			to++
		}
		values, rows := to-at, to-at
		if def != nil {
			c.def = append(c.def, def[at:to]...)
			values = count(def[at:to], l.maxDef)
		}
		if rep != nil {
			c.rep = append(c.rep, rep[at:to]...)
			rows = count(rep[at:to], 0)
		}
		from.add(c, value, value+values)
		c.entries, c.rows = c.entries+to-at, c.rows+rows
		at, value = to, value+values
		if err := c.check(); err != nil {
			return err
		}
	}
	l.def, l.rep, l.values = nil, nil, nil
	return nil
}

func count(levels []int16, level int16) (n int) {
	for _, x := range levels {
		if x == level {
			n++
		}
	}
	return n
}

// check ends the page when it is full, and the dictionary when it serves no
// more.
func (c *chunk) check() error {
	if c.coding && len(c.pages) == 0 && len(c.codes) >= dictionarySample/2 && !c.dict.worthwhile(len(c.codes)) {
		c.spell()
	}
	if c.coding && c.dict.size(c.leaf.fixed) > dictionaryBytes {
		err := c.flush()
		c.coding = false
		return err
	}
	size := len(c.plain) + len(c.bools)/8
	if c.coding {
		size = len(c.codes) * c.dict.codeBits() / 8
	}
	if size >= c.most || c.rows >= pageRows && c.coding {
		return c.flush()
	}
	return nil
}

// spell gives up a dictionary that no page has needed yet.
func (c *chunk) spell() {
	d := c.dict
	c.dict, c.coding = nil, false
	for _, code := range c.codes {
		if d.width > 0 {
			c.number(d.numbers[code])
		} else {
			c.bytes(d.at(code))
		}
	}
	c.codes, c.mark, c.used, c.remap, c.mapped = nil, nil, nil, nil, nil
}

// number adds a number as it is.
func (c *chunk) number(v uint64) {
	if c.leaf.width() == 4 {
		c.plain = binary.LittleEndian.AppendUint32(c.plain, uint32(v))
	} else {
		c.plain = binary.LittleEndian.AppendUint64(c.plain, v)
	}
	c.bounds.number(c.leaf.order, v)
	if c.leaf.bloom {
		c.hashes = append(c.hashes, xxhash.Sum64(c.plain[len(c.plain)-c.leaf.width():]))
	}
}

func (c *chunk) bytes(v []byte) {
	if c.leaf.fixed == 0 {
		c.plain = binary.LittleEndian.AppendUint32(c.plain, uint32(len(v)))
	}
	c.plain = append(c.plain, v...)
	c.bounds.bytes(c.leaf.order, v)
	if c.leaf.bloom {
		c.hashes = append(c.hashes, xxhash.Sum64(v))
	}
}

// code adds a code.
func (c *chunk) code(code uint32) {
	c.codes = append(c.codes, code)
	c.see(code)
}

// see notes that the page has a code.
func (c *chunk) see(code uint32) {
	for int(code) >= len(c.mark) {
		c.mark = append(c.mark, 0)
	}
	if now := int32(len(c.pages) + 1); c.mark[code] != now {
		c.mark[code] = now
		c.used = append(c.used, code)
	}
}

// flush ends the page at hand.
func (c *chunk) flush() error {
	if c.entries == 0 {
		return nil
	}
	x := c.out.take()
	defer c.out.give(x)
	body, encoding := x.body[:0], int32(encPlain)
	if c.leaf.maxRep > 0 {
		body = appendLevels(body, c.rep, c.leaf.maxRep)
	}
	if c.leaf.maxDef > 0 {
		body = appendLevels(body, c.def, c.leaf.maxDef)
	}
	values := c.entries
	if c.leaf.maxDef > 0 {
		values = count(c.def, c.leaf.maxDef)
	}
	switch {
	case c.leaf.physical == PhysicalBoolean:
		body = appendBits(body, c.bools)
		c.plainPages++
	case len(c.codes) > 0: // a page of NULLs alone needs no dictionary
		width := c.dict.codeBits()
		encoding, body = encRLEDictionary, appendHybrid(append(body, byte(width)), c.codes, width)
	default:
		body = append(body, c.plain...)
		c.plainPages++
	}
	var err error
	if x.packed, err = c.out.pack(x, x.packed[:0], body); err != nil {
		return err
	}
	x.body = body
	p := writtenPage{at: len(c.data), first: c.rowsAll}
	c.data = appendPageHeader(c.data, len(body), len(x.packed), c.entries, encoding)
	c.raw += int64(len(c.data) - p.at + len(body))
	c.data = append(c.data, x.packed...)
	p.size = len(c.data) - p.at
	for _, code := range c.used {
		if c.dict.width > 0 {
			c.bounds.number(c.leaf.order, c.dict.numbers[code])
		} else {
			c.bounds.bytes(c.leaf.order, c.dict.at(code))
		}
	}
	p.nulls = int64(c.entries - values)
	if c.bounds.any {
		p.lo, p.hi = c.bounds.plain(c.leaf.order)
		p.lo, p.hi = shortened(c.leaf.order, p.lo, p.hi, c.leaf.text)
	} else if values > 0 { // NaN alone: an index cannot say that
		c.noIndex = true
	}
	c.all.join(c.leaf.order, &c.bounds)
	c.pages = append(c.pages, p)
	c.entriesAll, c.rowsAll = c.entriesAll+int64(c.entries), c.rowsAll+int64(c.rows)
	c.def, c.rep, c.codes, c.plain, c.bools, c.used = c.def[:0], c.rep[:0], c.codes[:0], c.plain[:0], c.bools[:0], c.used[:0]
	c.entries, c.rows, c.bounds = 0, 0, bounds{}
	return nil
}

func appendBits(dst []byte, v []uint8) []byte {
	for i := 0; i < len(v); i += 8 {
		b := byte(0)
		for k, x := range v[i:min(len(v), i+8)] {
			if x != 0 {
				b |= 1 << k
			}
		}
		dst = append(dst, b)
	}
	return dst
}

func appendPageHeader(dst []byte, raw, packed, entries int, encoding int32) []byte {
	w := thriftWriter{buf: dst}
	w.begin()
	w.i32(1, pageData)
	w.i32(2, int32(raw))
	w.i32(3, int32(packed))
	w.inner(5)
	w.i32(1, int32(entries))
	w.i32(2, encoding)
	w.i32(3, encRLE)
	w.i32(4, encRLE)
	w.end()
	w.end()
	return w.buf
}

// dictionaryPage gives the page that stands before the others, nil if none.
func (c *chunk) dictionaryPage() ([]byte, error) {
	if c.dict == nil || c.dict.n == 0 {
		return nil, nil
	}
	x := c.out.take()
	defer c.out.give(x)
	body := c.dict.page(c.leaf.fixed)
	var err error
	if x.packed, err = c.out.pack(x, x.packed[:0], body); err != nil {
		return nil, err
	}
	w := thriftWriter{}
	w.begin()
	w.i32(1, pageDictionary)
	w.i32(2, int32(len(body)))
	w.i32(3, int32(len(x.packed)))
	w.inner(7)
	w.i32(1, int32(c.dict.n))
	w.i32(2, encPlain)
	w.end()
	w.end()
	c.raw += int64(len(w.buf) + len(body))
	return append(w.buf, x.packed...), nil
}
