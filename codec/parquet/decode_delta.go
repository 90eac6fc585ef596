package parquet

import (
	"encoding/binary"
	"math/bits"

	"lakeserver/cherr"
)

// deltaReader reads DELTA_BINARY_PACKED: blocks of differences, each block's
// least one taken off, bit-packed in miniblocks with a width of their own.
type deltaReader struct {
	data []byte
	pos  int

	left      int // values not yet given, the first included
	first     bool
	last      uint64
	block     int // values in a block
	mini      int // values in a miniblock
	miniCount int

	widths  []byte // of the miniblocks that are left in the block
	least   uint64
	width   uint
	inMini  int // values left in the miniblock
	bit     int // where they begin
	scratch [32]uint64
	narrow  [32]uint32
}

var errDelta = cherr.New(cherr.IncorrectData, "a delta-encoded page is damaged")

// reset reads the header; limit bounds the values that it may claim.
func (d *deltaReader) reset(data []byte, limit int) error {
	*d = deltaReader{data: data}
	block, a := d.uvarint()
	minis, b := d.uvarint()
	total, c := d.uvarint()
	first, e := d.uvarint()
	if !a || !b || !c || !e {
		return errDelta
	}
	if block == 0 || block > 1<<20 || minis == 0 || minis > block || block%minis != 0 || total > uint64(limit) {
		return errDelta
	}
	d.block, d.miniCount, d.mini = int(block), int(minis), int(block/minis)
	if d.mini%8 != 0 {
		return errDelta
	}
	d.left, d.first, d.last = int(total), true, unzigzag(first)
	return nil
}

func unzigzag(u uint64) uint64 { return u>>1 ^ -(u & 1) }

func (d *deltaReader) uvarint() (uint64, bool) {
	v, n := binary.Uvarint(d.data[d.pos:])
	if n <= 0 {
		return 0, false
	}
	d.pos += n
	return v, true
}

// nextMini begins the next miniblock, and a block before it if needed.
func (d *deltaReader) nextMini() error {
	if len(d.widths) == 0 {
		least, ok := d.uvarint()
		if !ok || d.miniCount > len(d.data)-d.pos {
			return errDelta
		}
		d.least = unzigzag(least)
		d.widths = d.data[d.pos : d.pos+d.miniCount]
		d.pos += d.miniCount
	}
	d.width, d.widths = uint(d.widths[0]), d.widths[1:]
	if d.width > 64 {
		return errDelta
	}
	d.inMini, d.bit = d.mini, d.pos*8
	size := d.mini * int(d.width) / 8
	if size > len(d.data)-d.pos {
		// The last miniblock may lack the bytes of the values that pad it.
		need := (min(d.left, d.mini)*int(d.width) + 7) / 8
		if need > len(d.data)-d.pos {
			return errDelta
		}
		size = len(d.data) - d.pos
	}
	d.pos += size
	return nil
}

// next gives up to 32 values; they are valid until the next call.
func (d *deltaReader) next(n int) ([]uint64, error) {
	if n > d.left {
		return nil, errPageShort
	}
	if d.first {
		d.first = false
		d.left--
		d.scratch[0] = d.last
		return d.scratch[:1], nil
	}
	if d.inMini == 0 {
		if err := d.nextMini(); err != nil {
			return nil, err
		}
	}
	n = min(n, d.inMini, len(d.scratch))
	out := d.scratch[:n]
	last, least := d.last, d.least
	if d.width <= 32 {
		unpack32(d.narrow[:n], d.data[:cap(d.data)], d.bit, d.width)
		for i, v := range d.narrow[:n] {
			last += uint64(v) + least
			out[i] = last
		}
	} else {
		unpack64(out, d.data[:cap(d.data)], d.bit, d.width)
		for i, v := range out {
			last += v + least
			out[i] = last
		}
	}
	d.last = last
	d.bit += n * int(d.width)
	d.inMini -= n
	d.left -= n
	return out, nil
}

// rest gives the bytes behind the last value. Miniblocks beyond it take none.
func (d *deltaReader) rest() []byte { return d.data[d.pos:] }

// deltaInts is DELTA_BINARY_PACKED for INT32 and INT64.
type deltaInts struct {
	deltaReader
	width int
}

func (d *deltaInts) read(v *vec, n int) (bool, error) {
	dst := v.extend(n)
	if d.width == 4 {
		out := view[uint32](dst)
		for len(out) > 0 {
			got, err := d.next(len(out))
			if err != nil {
				return false, err
			}
			for i, x := range got {
				out[i] = uint32(x)
			}
			out = out[len(got):]
		}
		return false, nil
	}
	out := view[uint64](dst)
	for len(out) > 0 {
		got, err := d.next(len(out))
		if err != nil {
			return false, err
		}
		copy(out, got)
		out = out[len(got):]
	}
	return false, nil
}

func (d *deltaInts) skip(n int) error {
	for n > 0 {
		got, err := d.next(n)
		if err != nil {
			return err
		}
		n -= len(got)
	}
	return nil
}

// lengths reads a whole delta-encoded list of lengths and gives the bytes behind it.
func (d *deltaReader) lengths(buf []uint32, data []byte, limit int) (out []uint32, rest []byte, err error) {
	if err := d.reset(data, limit); err != nil {
		return nil, nil, err
	}
	out = grow(buf, d.left)
	for at := 0; d.left > 0; {
		got, err := d.next(d.left)
		if err != nil {
			return nil, nil, err
		}
		for i, x := range got {
			if bits.Len64(x) > 31 {
				return nil, nil, errDelta
			}
			out[at+i] = uint32(x)
		}
		at += len(got)
	}
	return out, d.rest(), nil
}
