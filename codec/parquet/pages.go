package parquet

import (
	"encoding/binary"
	"hash/crc32"

	"lakeserver/cherr"
)

// readAhead is how much of a chunk is read at once beyond what is needed.
const readAhead = 512 << 10

// chunkReader walks the pages of one column chunk.
type chunkReader struct {
	r     *Reader
	w     *workspace
	leaf  *SchemaNode
	meta  *chunkMeta
	group int

	pos, end int64  // the next page header; the chunk's end
	buf      []byte // bytes of the chunk from bufOff on
	bufOff   int64

	seen    int64 // values of the data pages so far, the current one included
	hdr     pageHeader
	bodyOff int64

	dictHdr pageHeader
	dictOff int64 // the dictionary page's body; 0: none was met

	at       int64     // the current page's header
	kept     *keptPage // the current page, where the cache has it
	dictAt   int64     // the dictionary page's header
	dictKept *keptPage
}

// page is one data page, decompressed.
type page struct {
	buf      []byte // all of it; it belongs to the workspace unless a column took it
	n        int
	encoding int32
	rep, def levelReader
	values   []byte // cap reaches into the slack
	nulls    int    // -1: unknown
	shared   bool   // buf is the cache's
}

func (c *chunkReader) open(r *Reader, w *workspace, group int, leaf *SchemaNode) error {
	m := &r.meta.groups[group].chunks[leaf.Leaf]
	switch {
	case m.encrypted || !m.present:
		return cherr.New(cherr.NotImplemented, "column `%s` of Parquet file %s is encrypted", leaf.Name, r.path)
	case m.external:
		return cherr.New(cherr.NotImplemented, "column `%s` of Parquet file %s lies in another file", leaf.Name, r.path)
	case m.codec < 0 || m.codec > CodecLZ4Raw || m.codec == CodecLZO:
		return cherr.New(cherr.NotImplemented, "Parquet codec %s of column `%s` in file %s is not supported", m.codec, leaf.Name, r.path)
	}
	start := m.start()
	*c = chunkReader{r: r, w: w, leaf: leaf, meta: m, group: group, pos: start, end: start + m.compressed}
	return nil
}

func (c *chunkReader) close() {
	c.w.recycle(c.buf)
	c.buf = nil
}

// bad makes the error of a damaged place in the chunk.
func (c *chunkReader) bad(off int64, err error) error {
	return cherr.Wrap(err, "reading column `%s` of row group %d in Parquet file %s at offset %d", c.leaf.Name, c.group, c.r.path, off)
}

// fetch gives n bytes at off; they are valid until the next call.
func (c *chunkReader) fetch(off int64, n int) ([]byte, error) {
	have := int64(0)
	if off >= c.bufOff && off <= c.bufOff+int64(len(c.buf)) {
		have = c.bufOff + int64(len(c.buf)) - off
	}
	if have >= int64(n) {
		at := off - c.bufOff
		return c.buf[at : at+int64(n) : at+int64(n)], nil
	}
	if int64(n) > c.end-off {
		return nil, c.bad(off, cherr.New(cherr.IncorrectData, "a page of %d bytes reaches beyond the column's end", n))
	}
	want := int(min(max(int64(n), readAhead), c.end-off))
	kept := c.buf[int64(len(c.buf))-have:]
	if cap(c.buf) < want {
		fresh := c.w.page(want)
		copy(fresh, kept)
		c.w.recycle(c.buf)
		c.buf = fresh
	} else {
		c.buf = c.buf[:cap(c.buf)]
		copy(c.buf, kept)
		c.buf = c.buf[:want]
	}
	c.bufOff = off
	if err := c.r.readAt(c.buf[have:], off+have); err != nil {
		c.buf = c.buf[:0]
		return nil, err
	}
	return c.buf[:n:n], nil
}

// next moves to the next data page and reads its header only. ok is false
// when the chunk has no more values.
func (c *chunkReader) next() (ok bool, err error) {
	for c.seen < c.meta.values {
		n, err := c.header()
		if err != nil {
			return false, err
		}
		at := c.pos
		c.at = at
		c.bodyOff = at + int64(n)
		if int64(c.hdr.compressed) > c.end-c.bodyOff {
			return false, c.bad(at, cherr.New(cherr.IncorrectData, "a page of %d bytes reaches beyond the column's end", c.hdr.compressed))
		}
		c.pos = c.bodyOff + int64(c.hdr.compressed)
		switch c.hdr.kind {
		case pageDictionary:
			if c.dictOff != 0 || c.seen != 0 {
				return false, c.bad(at, cherr.New(cherr.IncorrectData, "a dictionary page stands at the wrong place"))
			}
			c.dictHdr, c.dictOff, c.dictAt, c.dictKept = c.hdr, c.bodyOff, at, c.kept
		case pageData, pageDataV2:
			if int64(c.hdr.values) > c.meta.values-c.seen {
				return false, c.bad(at, cherr.New(cherr.IncorrectData, "the pages hold more than the column's %d values", c.meta.values))
			}
			c.seen += int64(c.hdr.values)
			if c.hdr.values > 0 {
				return true, nil
			}
		}
	}
	return false, nil
}

// header parses the page header at pos and gives its length.
func (c *chunkReader) header() (int, error) {
	if c.kept = c.cached(c.pos); c.kept != nil {
		c.hdr = c.kept.hdr
		return c.kept.n, nil
	}
	left := c.end - c.pos
	if left <= 0 {
		return 0, c.bad(c.pos, cherr.New(cherr.IncorrectData, "the pages hold %d of the column's %d values", c.seen, c.meta.values))
	}
	for size := int64(256); ; size *= 8 {
		size = min(size, left)
		buf, err := c.fetch(c.pos, int(size))
		if err != nil {
			return 0, err
		}
		h, n, state := parsePageHeader(buf)
		switch {
		case state == thriftOK:
			c.hdr = h
			return n, nil
		case state == thriftBad || size == left || size > 64<<20:
			return 0, c.bad(c.pos, cherr.New(cherr.IncorrectData, "a page header is damaged"))
		}
	}
}

// body gives a page's compressed bytes, checked against their checksum.
func (c *chunkReader) body(h *pageHeader, off int64) ([]byte, error) {
	src, err := c.fetch(off, int(h.compressed))
	if err != nil {
		return nil, err
	}
	if h.hasCRC && c.r.opt.VerifyChecksums {
		if sum := crc32.ChecksumIEEE(src); sum != h.crc {
			return nil, c.bad(off, cherr.New(cherr.ChecksumDoesntMatch, "a page's checksum is %08x, its header says %08x", sum, h.crc))
		}
	}
	return src, nil
}

// unpack decompresses src into a buffer of size bytes behind head bytes that
// are copied as they are.
func (c *chunkReader) unpack(codec Codec, src []byte, head, size int, off int64) ([]byte, error) {
	if !plausible(codec, len(src)-head, size-head) {
		return nil, c.bad(off, cherr.New(cherr.IncorrectData, "a page of %d bytes cannot become %d", len(src), size))
	}
	buf := c.w.page(size)
	copy(buf, src[:head])
	if err := c.w.decompress(codec, buf[head:], src[head:]); err != nil {
		c.w.recycle(buf)
		return nil, c.bad(off, err)
	}
	return buf, nil
}

func (c *chunkReader) cached(at int64) *keptPage {
	if o := &c.r.opt; o.Pages != nil {
		return o.Pages.get(pageKey{o.File, at})
	}
	return nil
}

// share gives the cache a page whose header is at a place.
func (c *chunkReader) share(h *pageHeader, at, bodyOff int64, buf []byte) bool {
	o := &c.r.opt
	return o.Pages != nil && o.Pages.keep(&keptPage{key: pageKey{o.File, at}, hdr: *h, n: int(bodyOff - at), buf: buf})
}

// plain gives the current data page decompressed; head is how long the levels
// in front of a v2 page are. shared says that the bytes are the cache's.
func (c *chunkReader) plain() (buf []byte, head int, shared bool, err error) {
	h := &c.hdr
	codec := c.meta.codec
	if h.kind == pageDataV2 {
		head = int(h.defBytes) + int(h.repBytes)
		if h.plainBody {
			codec = CodecNone
		}
	}
	if c.kept != nil {
		return c.kept.buf, head, true, nil
	}
	src, err := c.body(h, c.bodyOff)
	if err == nil {
		buf, err = c.unpack(codec, src, head, int(h.uncompressed), c.bodyOff)
	}
	if err != nil {
		return nil, 0, false, err
	}
	return buf, head, c.share(h, c.at, c.bodyOff, buf), nil
}

// load decompresses the current data page and finds its parts.
func (c *chunkReader) load(p *page) error {
	h := &c.hdr
	buf, head, shared, err := c.plain()
	if err != nil {
		return err
	}
	*p = page{buf: buf, n: int(h.values), encoding: h.encoding, nulls: -1, shared: shared}
	if h.kind == pageDataV2 {
		p.nulls = int(h.nulls)
		rep, def := buf[:h.repBytes], buf[h.repBytes:head]
		p.rep.reset(rep[:len(rep):cap(buf)], encRLE, c.leaf.MaxRep)
		p.def.reset(def[:len(def):cap(def)], encRLE, c.leaf.MaxDef)
		p.values = buf[head:]
		return nil
	}
	rest, err := p.rep.cut(buf, h.repEnc, c.leaf.MaxRep, p.n)
	if err == nil {
		rest, err = p.def.cut(rest, h.defEnc, c.leaf.MaxDef, p.n)
	}
	if err != nil {
		if !shared {
			c.w.recycle(buf)
		}
		return c.bad(c.bodyOff, err)
	}
	p.values = rest
	return nil
}

// dictionary decodes the chunk's dictionary page.
func (c *chunkReader) dictionary(v *vec) error {
	h := &c.dictHdr
	if c.dictOff == 0 {
		return c.bad(c.bodyOff, cherr.New(cherr.IncorrectData, "a page uses a dictionary that is not there"))
	}
	if h.encoding != encPlain && h.encoding != encPlainDictionary {
		return c.bad(c.dictOff, cherr.New(cherr.IncorrectData, "a dictionary page has encoding %d", h.encoding))
	}
	buf, err := c.dictionaryPage(h)
	if err != nil {
		return err
	}
	d := newPlain(c.leaf)
	d.reset(buf, int(h.values))
	if _, err := d.read(v, int(h.values)); err != nil {
		return c.bad(c.dictOff, err)
	}
	return nil
}

func (c *chunkReader) dictionaryPage(h *pageHeader) ([]byte, error) {
	if c.dictKept != nil {
		return c.dictKept.buf, nil
	}
	src, err := c.body(h, c.dictOff)
	if err != nil {
		return nil, err
	}
	buf, err := c.unpack(c.meta.codec, src, 0, int(h.uncompressed), c.dictOff)
	if err == nil {
		c.share(h, c.dictAt, c.dictOff, buf)
	}
	return buf, err
}

// levelReader reads the definition or repetition levels of one page.
type levelReader struct {
	h      hybrid
	max    uint8
	packed []byte // the deprecated BIT_PACKED encoding, highest bits first
	at     int
}

func (l *levelReader) reset(data []byte, encoding int32, limit int) {
	l.max, l.at, l.packed = uint8(limit), 0, nil
	if encoding == encBitPacked {
		l.packed = data
		return
	}
	l.h.reset(data, levelWidth(limit))
}

func levelWidth(limit int) uint {
	w := uint(0)
	for ; limit > 0; limit >>= 1 {
		w++
	}
	return w
}

// cut takes the levels of a v1 page off its front.
func (l *levelReader) cut(buf []byte, encoding int32, limit, n int) (rest []byte, err error) {
	if limit == 0 {
		l.reset(nil, encRLE, 0)
		return buf, nil
	}
	size, skip := 0, 0
	switch encoding {
	case encRLE:
		if len(buf) < 4 {
			return nil, errLevelsShort
		}
		v := binary.LittleEndian.Uint32(buf)
		if uint64(v) > uint64(len(buf)-4) {
			return nil, errLevelsShort
		}
		size, skip = int(v), 4
	case encBitPacked:
		size = (n*int(levelWidth(limit)) + 7) / 8
		if size > len(buf) {
			return nil, errLevelsShort
		}
	default:
		return nil, cherr.New(cherr.IncorrectData, "levels have the encoding %d", encoding)
	}
	l.reset(buf[skip:skip+size:cap(buf)], encoding, limit)
	return buf[skip+size:], nil
}

var errLevelsShort = cherr.New(cherr.IncorrectData, "the levels of a page are longer than the page")

// read fills dst with the next levels.
func (l *levelReader) read(dst []uint8) error {
	switch {
	case l.max == 0:
		clear(dst)
		return nil
	case l.packed == nil:
		return l.h.levels(dst, l.max)
	}
	w := int(levelWidth(int(l.max)))
	if (l.at+len(dst))*w > len(l.packed)*8 {
		return errRunsEnd
	}
	for i := range dst {
		v := uint8(0)
		for b := (l.at + i) * w; b < (l.at+i+1)*w; b++ {
			v = v<<1 | l.packed[b>>3]>>(7-b&7)&1
		}
		if v > l.max {
			return errLevel
		}
		dst[i] = v
	}
	l.at += len(dst)
	return nil
}

// allMax tells whether the next n levels are one run of the highest, and
// passes over it if so.
func (l *levelReader) allMax(n int) bool {
	return l.max == 0 || l.packed == nil && l.h.all(n, uint32(l.max))
}
