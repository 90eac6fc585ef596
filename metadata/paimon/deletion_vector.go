package paimon

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/RoaringBitmap/roaring/v2/roaring64"

	"lakeserver/cherr"
)

// Positions is a set of row positions of one data file. It is read-only once
// handed out, and then safe for concurrent use.
type Positions struct{ set *roaring64.Bitmap }

// NewPositions makes an empty set.
func NewPositions() *Positions { return &Positions{roaring64.New()} }

// Add adds a position; only for the set's maker.
func (p *Positions) Add(pos int64) { p.set.Add(uint64(pos)) }

// Union adds another set's positions; only for the set's maker.
func (p *Positions) Union(o *Positions) { p.set.Or(o.set) }

// Len gives the number of positions.
func (p *Positions) Len() int64 { return int64(p.set.GetCardinality()) }

// Contains tells whether a position is in the set.
func (p *Positions) Contains(pos int64) bool { return p.set.Contains(uint64(pos)) }

// Within gives the positions in [from, to), ascending and relative to from.
func (p *Positions) Within(from, to int64, dst []uint32) []uint32 {
	it := p.set.Iterator()
	it.AdvanceIfNeeded(uint64(from))
	for it.HasNext() {
		x := it.Next()
		if x >= uint64(to) {
			break
		}
		dst = append(dst, uint32(x-uint64(from)))
	}
	return dst
}

// CountWithin gives how many positions lie in [from, to).
func (p *Positions) CountWithin(from, to int64) int64 {
	if to <= from {
		return 0
	}
	n := p.set.Rank(uint64(to - 1))
	if from > 0 {
		n -= p.set.Rank(uint64(from - 1))
	}
	return int64(n)
}

// Size estimates the bytes held.
func (p *Positions) Size() int64 { return int64(p.set.GetSizeInBytes()) + 64 }

const (
	vectorFileVersion = 1
	magic32           = 1581511376 // big-endian
	magic64           = 1681511377 // little-endian
)

// ReadVector reads the deletion vector of a range in an index file.
func ReadVector(file []byte, r VectorRange) (*Positions, error) {
	bad := func(format string, args ...any) (*Positions, error) {
		return nil, cherr.Wrap(cherr.New(cherr.IncorrectData, format, args...), "reading the deletion vector of %s", r.DataFile)
	}
	if len(file) == 0 || file[0] != vectorFileVersion {
		return bad("the file is not of version %d", vectorFileVersion)
	}
	at := int64(r.Offset)
	if at < 1 || at+8 > int64(len(file)) {
		return bad("offset %d does not lie in the %d bytes of the file", at, len(file))
	}
	size := int64(binary.BigEndian.Uint32(file[at:]))
	if size < 4 || at+4+size+4 > int64(len(file)) || size != int64(r.Length) && size+8 != int64(r.Length) {
		return bad("%d bytes at %d, the index manifest says %d", size, at, r.Length)
	}
	body := file[at+4 : at+4+size]
	if crc32.ChecksumIEEE(body) != binary.BigEndian.Uint32(file[at+4+size:]) {
		return nil, cherr.New(cherr.ChecksumDoesntMatch, "checksum of the deletion vector of %s does not match", r.DataFile)
	}
	p, err := parseVector(body)
	if err == nil && r.Cardinality != nil && p.Len() != *r.Cardinality {
		err = cherr.New(cherr.IncorrectData, "it has %d positions, the index manifest says %d", p.Len(), *r.Cardinality)
	}
	return p, cherr.Wrap(err, "reading the deletion vector of %s", r.DataFile)
}

func parseVector(body []byte) (*Positions, error) {
	p := NewPositions()
	switch {
	case binary.BigEndian.Uint32(body) == magic32:
		// As the only group of a 64-bit set: one, and its high half zero.
		group := append([]byte{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, body[4:]...)
		if err := p.parse(group); err != nil {
			return nil, err
		}
	case binary.LittleEndian.Uint32(body) == magic64:
		if err := p.parse(body[4:]); err != nil {
			return nil, err
		}
	default:
		return nil, cherr.New(cherr.IncorrectData, "its magic number %x is not known", body[:4])
	}
	return p, nil
}

// parse reads a 64-bit set in the portable form.
func (p *Positions) parse(b []byte) error {
	n, err := p.set.ReadFrom(bytes.NewReader(b))
	switch {
	case err != nil:
		return cherr.New(cherr.IncorrectData, "its bitmap is damaged: %s", err)
	case n != int64(len(b)):
		return cherr.New(cherr.IncorrectData, "%d bytes follow its bitmap", int64(len(b))-n)
	}
	if err := p.set.Validate(); err != nil && !p.set.IsEmpty() {
		return cherr.New(cherr.IncorrectData, "its bitmap is damaged: %s", err)
	}
	return nil
}

// VectorFile collects deletion vectors into an index file.
type VectorFile struct {
	Bytes  []byte
	Ranges []VectorRange
	Wide   bool // 64-bit vectors (deletion-vectors.bitmap64)
}

// NewVectorFile begins an index file.
func NewVectorFile(wide bool) *VectorFile {
	return &VectorFile{Bytes: []byte{vectorFileVersion}, Wide: wide}
}

// Add writes the vector of a data file.
func (f *VectorFile) Add(dataFile string, p *Positions) error {
	body, err := p.encode(f.Wide)
	if err != nil {
		return cherr.Wrap(err, "writing the deletion vector of %s", dataFile)
	}
	n := p.Len()
	r := VectorRange{DataFile: dataFile, Offset: int32(len(f.Bytes)), Length: int32(len(body)), Cardinality: &n}
	if f.Wide {
		r.Length += 8 // the framing counts
	}
	f.Bytes = binary.BigEndian.AppendUint32(f.Bytes, uint32(len(body)))
	f.Bytes = append(f.Bytes, body...)
	f.Bytes = binary.BigEndian.AppendUint32(f.Bytes, crc32.ChecksumIEEE(body))
	f.Ranges = append(f.Ranges, r)
	return nil
}

func (p *Positions) encode(wide bool) ([]byte, error) {
	var b bytes.Buffer
	if wide {
		b.Write(binary.LittleEndian.AppendUint32(nil, magic64))
		_, err := p.set.WriteTo(&b)
		return b.Bytes(), err
	}
	small := roaring.New()
	for it := p.set.Iterator(); it.HasNext(); {
		x := it.Next()
		if x > 1<<31-1 {
			return nil, cherr.New(cherr.BadArguments, "position %d does not fit a 32-bit deletion vector", x)
		}
		small.Add(uint32(x))
	}
	b.Write(binary.BigEndian.AppendUint32(nil, magic32))
	_, err := small.WriteTo(&b)
	return b.Bytes(), err
}

// ReadHashIndex gives the hashes of the keys that live in a dynamic bucket.
func ReadHashIndex(data []byte) ([]int32, error) {
	if len(data)%4 != 0 {
		return nil, cherr.New(cherr.IncorrectData, "a hash index has %d bytes", len(data))
	}
	out := make([]int32, len(data)/4)
	for i := range out {
		out[i] = int32(binary.BigEndian.Uint32(data[4*i:]))
	}
	return out, nil
}

// EncodeHashIndex writes a hash index.
func EncodeHashIndex(hashes []int32) []byte {
	out := make([]byte, 0, 4*len(hashes))
	for _, h := range hashes {
		out = binary.BigEndian.AppendUint32(out, uint32(h))
	}
	return out
}
