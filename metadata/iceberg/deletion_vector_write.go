package iceberg

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strconv"

	"lakeserver/cherr"
)

// rowPositionField is the reserved id of a row's position in its file.
const rowPositionField = 2147483645

// keys gives the upper halves of the positions, ascending.
func (p *Positions) keys() []uint32 {
	out := make([]uint32, 0, len(p.high))
	for key, b := range p.high {
		if !b.IsEmpty() {
			out = append(out, key)
		}
	}
	slices.Sort(out)
	return out
}

// Each calls f with runs of positions, ascending.
func (p *Positions) Each(f func(pos []int64) error) error {
	buf := make([]int64, 0, 4096)
	for _, key := range p.keys() {
		for it := p.high[key].Iterator(); it.HasNext(); {
			buf = append(buf, int64(key)<<32|int64(it.Next()))
			if len(buf) == cap(buf) {
				if err := f(buf); err != nil {
					return err
				}
				buf = buf[:0]
			}
		}
	}
	if len(buf) == 0 {
		return nil
	}
	return f(buf)
}

// EncodeDeletionVector makes the deletion-vector-v1 blob of a sealed set.
func EncodeDeletionVector(p *Positions) ([]byte, error) {
	keys := p.keys()
	out := make([]byte, 4, 64) // the length comes last
	out = binary.LittleEndian.AppendUint32(out, dvMagic)
	out = binary.LittleEndian.AppendUint64(out, uint64(len(keys)))
	for _, key := range keys {
		b, err := p.high[key].ToBytes()
		if err != nil {
			return nil, cherr.Wrap(err, "encoding a deletion vector")
		}
		out = binary.LittleEndian.AppendUint32(out, key)
		out = append(out, b...)
	}
	if int64(len(out)) > 1<<31 {
		return nil, cherr.New(cherr.NotImplemented, "a deletion vector of %d positions is too long", p.Len())
	}
	binary.BigEndian.PutUint32(out, uint32(len(out)-4))
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:])), nil
}

// DeletionVectorBlob describes the vector of a data file in a Puffin footer.
// Which snapshot it belongs to is known only when it has landed, so it says
// none.
func DeletionVectorBlob(dataFile string, cardinality int64) PuffinBlob {
	return PuffinBlob{
		Type: "deletion-vector-v1", Fields: []int{rowPositionField}, SnapshotID: -1, SequenceNumber: -1,
		Properties: map[string]string{"referenced-data-file": dataFile, "cardinality": strconv.FormatInt(cardinality, 10)},
	}
}
