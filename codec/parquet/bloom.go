package parquet

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/cespare/xxhash/v2"

	"lakeserver/column"
	"lakeserver/types"
)

// Bloom is a chunk's bloom filter. It is immutable.
type Bloom struct {
	leaf *SchemaNode
	bits []byte // blocks of 32 bytes
}

// HasBloom tells whether the chunk has a bloom filter.
func (c Chunk) HasBloom() bool { return c.meta.bloomOffset > 0 && !c.meta.encrypted }

// maxBloom bounds the bytes of a bloom filter; the format's writers stop at 128 MiB.
const maxBloom = 128 << 20

// Bloom reads the chunk's bloom filter, nil when there is none or its kind is
// not known.
func (c Chunk) Bloom(ctx context.Context) (*Bloom, error) {
	if !c.HasBloom() {
		return nil, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	off := c.meta.bloomOffset
	if off >= c.r.size {
		return nil, c.r.bad(off, "a bloom filter lies outside of the file")
	}
	head, err := c.section(off, min(256, c.r.size-off))
	if err != nil {
		return nil, err
	}
	size, n, known, state := parseBloomHeader(head)
	switch {
	case state != thriftOK || size < 0 || size%32 != 0 || size > maxBloom:
		return nil, c.r.bad(off, "the bloom filter of column `%s` is damaged", c.leaf.Name)
	case !known || size == 0:
		return nil, nil
	}
	bits, err := c.section(off+int64(n), int64(size))
	if err != nil {
		return nil, err
	}
	return &Bloom{leaf: c.leaf, bits: bits}, nil
}

func parseBloomHeader(raw []byte) (size int32, n int, known bool, state thriftState) {
	r := &thriftReader{buf: raw}
	known = true
	for id, t, ok := r.field(0); ok; id, t, ok = r.field(id) {
		switch {
		case id == 1 && t == thriftI32:
			size = r.i32()
		case id >= 2 && id <= 4 && t == thriftStruct:
			known = parseUnit(r) == 1 && known // each union knows one member
		default:
			r.skip(t)
		}
	}
	return size, r.pos, known, r.state
}

// bloomSalt spreads a hash over the words of a block; the format fixes it.
var bloomSalt = [8]uint32{
	0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31,
}

// MightContain tells whether the chunk can hold v, a value of type t other
// than NULL. It is true also where the filter cannot say.
func (b *Bloom) MightContain(t *types.Type, v column.Value) bool {
	raw, ok := plainValue(b.leaf, t, v)
	return !ok || b.contains(xxhash.Sum64(raw))
}

func (b *Bloom) contains(h uint64) bool {
	blocks := uint64(len(b.bits) / 32)
	block := b.bits[(h>>32)*blocks>>32*32:]
	for i, salt := range bloomSalt {
		if binary.LittleEndian.Uint32(block[4*i:])>>(uint32(h)*salt>>27)&1 == 0 {
			return false
		}
	}
	return true
}

// plainValue gives a value as the file holds it, PLAIN and without a length.
// ok is false where the types' values do not stand for each other one to one.
func plainValue(n *SchemaNode, t *types.Type, v column.Value) (raw []byte, ok bool) {
	t = types.Unwrap(t)
	natural := leafType(n)
	switch x := v.(type) {
	case string:
		fits := n.Physical == PhysicalByteArray && t.Kind() == types.KindString && n.Logical.Kind != LogicalDecimal ||
			n.Physical == PhysicalFixed && t.Kind() == types.KindFixedString && len(x) == n.Length
		return []byte(x), fits
	case float32:
		return binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)), n.Physical == PhysicalFloat && x != 0 && x == x
	case float64:
		return binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)), n.Physical == PhysicalDouble && x != 0 && x == x
	case types.U128:
		raw = binary.BigEndian.AppendUint64(nil, x.Hi)
		return binary.BigEndian.AppendUint64(raw, x.Lo), n.Logical.Kind == LogicalUUID && t.Kind() == types.KindUUID
	}
	w, whole := wholeNumber(v)
	if !whole || !w.FitsInt64() && n.Physical != PhysicalInt64 {
		return nil, false
	}
	alike := natural.IsInteger() && t.IsInteger() ||
		natural.Kind() == types.KindDate32 && (t.Kind() == types.KindDate32 || t.Kind() == types.KindDate) ||
		natural.Kind() == types.KindDateTime64 && t.Kind() == types.KindDateTime64 && natural.Scale() == t.Scale() ||
		natural.IsDecimal() && t.IsDecimal() && natural.Scale() == t.Scale()
	switch n.Physical {
	case PhysicalInt32:
		// What a 32-bit column cannot hold is not in it, but leave that to the bounds.
		fits := int64(int32(w.Lo)) == int64(w.Lo) || int64(uint32(w.Lo)) == int64(w.Lo)
		return binary.LittleEndian.AppendUint32(nil, uint32(w.Lo)), alike && fits
	case PhysicalInt64:
		return binary.LittleEndian.AppendUint64(nil, w.Lo), alike
	}
	return nil, false
}
