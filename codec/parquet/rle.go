package parquet

import (
	"encoding/binary"
	"slices"

	"lakeserver/cherr"
)

// hybrid reads the mix of runs and bit-packed groups in which the format keeps
// levels, dictionary codes and booleans.
type hybrid struct {
	data  []byte // the encoded bytes; cap reaches into the page's slack
	pos   int
	width uint

	run   int    // values left of a run
	value uint32 // the run's value
	lit   int    // values left of a bit-packed group
	bit   int    // where the next of them stands
}

func (h *hybrid) reset(data []byte, width uint) { *h = hybrid{data: data, width: width} }

var (
	errRunsEnd = cherr.New(cherr.IncorrectData, "a run-length encoded page ends before its last value")
	errRunBad  = cherr.New(cherr.IncorrectData, "a run-length encoded page is damaged")
)

// next begins the next run or group.
func (h *hybrid) next() error {
	if h.pos >= len(h.data) {
		if h.width == 0 { // nothing but zeros: some writers leave the runs out
			h.run, h.value = 1<<30, 0
			return nil
		}
		return errRunsEnd
	}
	v, n := binary.Uvarint(h.data[h.pos:])
	if n <= 0 || v>>1 > 1<<31 {
		return errRunBad
	}
	h.pos += n
	if v&1 == 0 {
		return h.nextRun(int(v >> 1))
	}
	left := len(h.data) - h.pos
	h.lit, h.bit = int(v>>1)*8, h.pos*8
	if h.width > 0 {
		// The last group may lack the bytes of the values that pad it.
		h.lit = min(h.lit, left*8/int(h.width))
	}
	h.pos += min(left, int(v>>1)*int(h.width))
	if h.lit == 0 && v>>1 != 0 {
		return errRunsEnd
	}
	return nil
}

func (h *hybrid) nextRun(n int) error {
	bytes := int(h.width+7) / 8
	if bytes > len(h.data)-h.pos {
		return errRunsEnd
	}
	h.value = 0
	for i := bytes - 1; i >= 0; i-- {
		h.value = h.value<<8 | uint32(h.data[h.pos+i])
	}
	if h.width < 32 && h.value>>h.width != 0 {
		return errRunBad
	}
	h.pos += bytes
	h.run = n
	return nil
}

// more makes sure that a run or a group is under way.
func (h *hybrid) more() error {
	for h.run == 0 && h.lit == 0 {
		if err := h.next(); err != nil {
			return err
		}
	}
	return nil
}

// codes fills dst and refuses values from limit on.
func (h *hybrid) codes(dst []uint32, limit uint32) error {
	for len(dst) > 0 {
		if err := h.more(); err != nil {
			return err
		}
		if h.run > 0 {
			n := min(h.run, len(dst))
			if h.value >= limit {
				return errCode(h.value, limit)
			}
			fill(dst[:n], h.value)
			h.run -= n
			dst = dst[n:]
			continue
		}
		n := min(h.lit, len(dst))
		h.unpack(dst[:n])
		if m := maxOf(dst[:n]); m >= limit {
			return errCode(m, limit)
		}
		dst = dst[n:]
	}
	return nil
}

func errCode(code, limit uint32) error {
	return cherr.New(cherr.IncorrectData, "a dictionary code is %d, the dictionary has %d entries", code, limit)
}

func (h *hybrid) unpack(dst []uint32) {
	// A group that was begun in the middle of a byte is brought to one first.
	if h.bit&7 != 0 {
		for n := 0; len(dst) > 0 && h.bit&7 != 0 && n < 8; n++ {
			unpack32(dst[:1], h.data, h.bit, h.width)
			h.bit += int(h.width)
			h.lit--
			dst = dst[1:]
		}
	}
	unpack32(dst, h.data[:cap(h.data)], h.bit, h.width)
	h.bit += len(dst) * int(h.width)
	h.lit -= len(dst)
}

// levels fills dst and refuses values above limit.
func (h *hybrid) levels(dst []uint8, limit uint8) error {
	for len(dst) > 0 {
		if err := h.more(); err != nil {
			return err
		}
		if h.run > 0 {
			n := min(h.run, len(dst))
			if h.value > uint32(limit) {
				return errLevel
			}
			fill(dst[:n], uint8(h.value))
			h.run -= n
			dst = dst[n:]
			continue
		}
		n := min(h.lit, len(dst))
		if off := h.bit & 7; off != 0 && h.width == 1 {
			n = min(n, 8-off) // to the next byte, for the fast way
		}
		unpack8(dst[:n], h.data[:cap(h.data)], h.bit, h.width)
		h.bit += n * int(h.width)
		h.lit -= n
		if limit&(limit+1) != 0 && slices.Max(dst[:n]) > limit {
			return errLevel
		}
		dst = dst[n:]
	}
	return nil
}

var errLevel = cherr.New(cherr.IncorrectData, "a level is higher than the schema allows")

// all tells whether the next n values are one run of v, and passes over it if so.
func (h *hybrid) all(n int, v uint32) bool {
	if err := h.more(); err != nil || h.value != v || h.run < n {
		return false
	}
	h.run -= n
	return true
}

// skip passes over n values.
func (h *hybrid) skip(n int) error {
	for n > 0 {
		if err := h.more(); err != nil {
			return err
		}
		if h.run > 0 {
			m := min(h.run, n)
			h.run -= m
			n -= m
			continue
		}
		m := min(h.lit, n)
		h.lit -= m
		h.bit += m * int(h.width)
		n -= m
	}
	return nil
}

func fill[T uint8 | uint32](dst []T, v T) {
	if v == 0 {
		clear(dst)
		return
	}
	for i := range dst {
		dst[i] = v
	}
}

func maxOf(v []uint32) uint32 {
	a, n := maxWide(v)
	v = v[n:]
	var b, c, d uint32
	for len(v) >= 4 {
		q := (*[4]uint32)(v)
		a, b, c, d = max(a, q[0]), max(b, q[1]), max(c, q[2]), max(d, q[3])
		v = v[4:]
	}
	for _, x := range v {
		a = max(a, x)
	}
	return max(a, b, c, d)
}
