package parquet

import (
	"bytes"
	"encoding/binary"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// leafReader reads one leaf of one row group in ascending order: a window of
// rows (flat leaves) or of level entries (nested ones) at a time.
type leafReader struct {
	c       chunkReader
	typ     *types.Type
	convert convertFunc
	maxDef  uint8

	page    page
	loaded  bool
	escaped bool    // a column refers to the page's buffer
	left    int     // values of the page not yet read, NULLs included
	owed    int     // values of the page to pass over once it is loaded
	full    bool    // the page has no NULL
	levels  *levels // nested leaves only

	dec    decoder // of the current page; nil: dictionary codes
	codes  hybrid
	decs   [2]decoderSlot
	tmp    vec // values of a window part before they are gathered
	dict   *column.Dict
	words  vec    // the dictionary's values in the file's form; nested leaves only
	dictN  uint32 // entries of the dictionary page, NULL's not counted
	dictEx bool   // the dictionary has an entry for NULL, the last
}

// decoderSlot keeps a decoder for the next page of its encoding.
type decoderSlot struct {
	encoding int32
	dec      decoder
}

func newLeafReader(r *Reader, w *workspace, group int, leaf *SchemaNode, t *types.Type) (*leafReader, error) {
	l := &leafReader{typ: t, maxDef: uint8(leaf.MaxDef), convert: converter(leaf, t)}
	if l.convert == nil {
		return nil, cherr.New(cherr.NotImplemented, "Parquet column `%s` (%s) of file %s cannot be read as %s", leaf.Name, leaf.Physical, r.path, t)
	}
	l.tmp.width = widthOf(leaf)
	if leaf.Physical == PhysicalFixed && leaf.Length == 0 {
		return nil, cherr.New(cherr.NotImplemented, "Parquet column `%s` of file %s has values of no length", leaf.Name, r.path)
	}
	return l, l.c.open(r, w, group, leaf)
}

func (l *leafReader) close() {
	l.drop()
	l.c.close()
}

// drop ends the current page.
func (l *leafReader) drop() {
	if l.loaded && !l.escaped && !l.page.shared {
		l.c.w.recycle(l.page.buf)
	}
	l.page, l.loaded, l.escaped = page{}, false, false
}

// advance makes sure that a page with values left is current.
func (l *leafReader) advance() error {
	for l.left == 0 {
		l.drop()
		ok, err := l.c.next()
		if err != nil {
			return err
		}
		if !ok {
			return l.c.bad(l.c.pos, cherr.New(cherr.IncorrectData, "the column ends after %d values", l.c.seen))
		}
		l.left, l.owed = int(l.c.hdr.values), 0
	}
	return nil
}

// load decompresses the current page, unless that has been done, and passes
// over the values that are owed.
func (l *leafReader) load() error {
	if l.loaded {
		return l.payOff()
	}
	if err := l.c.load(&l.page); err != nil {
		return err
	}
	l.loaded, l.escaped = true, false
	if err := l.begin(); err != nil {
		return l.c.bad(l.c.bodyOff, err)
	}
	return l.payOff()
}

func (l *leafReader) begin() error {
	p := &l.page
	if l.c.leaf.MaxRep > 0 || l.levels != nil {
		if err := l.levels.load(p); err != nil {
			return err
		}
	} else {
		l.full = p.def.allMax(p.n)
	}
	if l.full && p.nulls > 0 {
		return cherr.New(cherr.IncorrectData, "a page header counts NULLs where there are none")
	}
	switch p.encoding {
	case encPlainDictionary, encRLEDictionary:
		l.dec = nil
		if err := l.openDict(); err != nil {
			return err
		}
		width, data := uint(0), p.values
		if len(data) > 0 {
			width, data = uint(data[0]), data[1:]
		}
		if width > 32 {
			return errRunBad
		}
		l.codes.reset(data, width)
		return nil
	}
	dec, err := l.decoderFor(p.encoding)
	if err != nil {
		return err
	}
	l.dec = dec
	return dec.reset(p.values, p.n)
}

func (l *leafReader) decoderFor(encoding int32) (decoder, error) {
	for _, s := range l.decs {
		if s.dec != nil && s.encoding == encoding {
			return s.dec, nil
		}
	}
	dec := newDecoder(l.c.leaf, encoding)
	if dec == nil {
		return nil, cherr.New(cherr.NotImplemented, "encoding %d of %s values is not supported", encoding, l.c.leaf.Physical)
	}
	l.decs[0], l.decs[1] = decoderSlot{encoding, dec}, l.decs[0]
	return dec, nil
}

func newDecoder(n *SchemaNode, encoding int32) decoder {
	integers := n.Physical == PhysicalInt32 || n.Physical == PhysicalInt64
	switch {
	case encoding == encPlain:
		return newPlain(n)
	case encoding == encRLE && n.Physical == PhysicalBoolean:
		return &rleBool{}
	case encoding == encDeltaBinary && integers:
		return &deltaInts{width: widthOf(n)}
	case encoding == encDeltaLength && n.Physical == PhysicalByteArray:
		return &deltaLength{}
	case encoding == encDeltaByteArray && n.Physical == PhysicalByteArray:
		return &deltaBytes{}
	case encoding == encDeltaByteArray && n.Physical == PhysicalFixed:
		return &deltaBytes{fixed: n.Length}
	case encoding == encByteStreamSplit && n.Physical != PhysicalByteArray && n.Physical != PhysicalBoolean:
		return &byteSplit{width: widthOf(n)}
	}
	return nil
}

// openDict decodes the dictionary once; its column is shared by all blocks.
func (l *leafReader) openDict() error {
	if l.dict != nil {
		return nil
	}
	v := vec{width: l.tmp.width}
	if err := l.c.dictionary(&v); err != nil {
		return err
	}
	l.dictN = uint32(v.len())
	if l.levels != nil {
		l.words, l.dict = v, &column.Dict{}
		return nil
	}
	values, err := l.convert(&v)
	if err != nil {
		return err
	}
	stats := &l.c.meta.stats
	l.dictEx = l.maxDef > 0 && !(stats.hasNulls && stats.nulls == 0)
	l.dict = &column.Dict{Values: l.dictValues(values)}
	return nil
}

// dictValues adds the entry for NULL behind the others, where NULLs may be.
func (l *leafReader) dictValues(values column.Column) column.Column {
	var null []uint8
	if l.dictEx {
		null = make([]uint8, l.dictN+1)
		null[l.dictN] = 1
		values = spread(values, null, l.typ)
	}
	if l.typ.IsNullable() {
		return column.NewNullable(values, null)
	}
	return values
}

// expectNulls gives the dictionary its entry for NULL when the statistics had
// promised that there are none.
func (l *leafReader) expectNulls() {
	if l.dictEx {
		return
	}
	values, _ := column.SplitNulls(l.dict.Values)
	l.dictEx = true
	l.dict = &column.Dict{Values: l.dictValues(values)}
}

// payOff passes over the values that are owed.
func (l *leafReader) payOff() error {
	n := l.owed
	if n == 0 {
		return nil
	}
	l.owed = 0
	dense := n
	if !l.full {
		null, err := l.nulls(n)
		if err != nil {
			return l.c.bad(l.c.bodyOff, err)
		}
		dense = n - countSet(null)
	}
	if err := l.skipDense(dense); err != nil {
		return l.c.bad(l.c.bodyOff, err)
	}
	return nil
}

func (l *leafReader) skipDense(n int) error {
	if l.dec == nil {
		return l.codes.skip(n)
	}
	return l.dec.skip(n)
}

// nulls gives the null map of the next n values; valid until the next call.
func (l *leafReader) nulls(n int) ([]uint8, error) {
	w := l.c.w
	w.def = grow(w.def, n)
	if err := l.page.def.read(w.def); err != nil {
		return nil, err
	}
	null := w.def
	if l.maxDef == 1 {
		flip(null)
		return null, nil
	}
	for i, d := range null {
		null[i] = b2u(d != l.maxDef)
	}
	return null, nil
}

// flip turns ones into zeros and back.
func flip(v []uint8) {
	for len(v) >= 8 {
		binary.NativeEndian.PutUint64(v, binary.NativeEndian.Uint64(v)^0x0101010101010101)
		v = v[8:]
	}
	for i := range v {
		v[i] ^= 1
	}
}

func b2u(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// countSet counts the ones of a null map.
func countSet(null []uint8) int { return bytes.Count(null, []byte{1}) }
