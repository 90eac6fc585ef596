//go:build goexperiment.simd && amd64

package parquet

import "simd/archsimd"

// maxWideBits is the widest value that a lane of four bytes holds at any of
// the eight bits at which it can begin.
const maxWideBits = 25

// lanes says for a width which four bytes each of 16 values lies in, and how
// far it is to be shifted there.
type lanes struct {
	bytes [64]uint8
	shift [16]uint32
}

var lanesByWidth = makeLanes()

func makeLanes() (t [maxWideBits + 1]lanes) {
	for w := range t {
		for v := range 16 {
			bit := v * w
			for k := range 4 {
				t[w].bytes[4*v+k] = uint8(bit>>3 + k)
			}
			t[w].shift[v] = uint32(bit & 7)
		}
	}
	return t
}

// unpackWide unpacks values 16 at a time, as far as whole words of src go, and
// gives how many it did: a multiple of 16.
func unpackWide(dst []uint32, src []byte, width uint) int {
	if width == 0 || width > maxWideBits || len(dst) < 16 || len(src) < 64 || !archsimd.X86.AVX512VBMI() {
		return 0
	}
	t := &lanesByWidth[width]
	where := archsimd.LoadUint8x64(&t.bytes)
	shift := archsimd.LoadUint32x16(&t.shift)
	mask := archsimd.BroadcastUint32x16(1<<width - 1)
	n, step := 0, int(2*width)
	for len(dst)-n >= 16 && len(src) >= 64 {
		v := archsimd.LoadUint8x64((*[64]uint8)(src)).Permute(where).AsUint32x16()
		v.ShiftRight(shift).And(mask).Store((*[16]uint32)(dst[n:]))
		src = src[step:]
		n += 16
	}
	archsimd.ClearAVXUpperBits()
	return n
}

// maxWide gives the greatest of the leading values, 16 at a time, and how many
// it looked at.
func maxWide(v []uint32) (m uint32, n int) {
	if len(v) < 64 || !archsimd.X86.AVX512() {
		return 0, 0
	}
	a := archsimd.LoadUint32x16((*[16]uint32)(v))
	b := archsimd.LoadUint32x16((*[16]uint32)(v[16:]))
	for n = 32; len(v)-n >= 32; n += 32 {
		a = a.Max(archsimd.LoadUint32x16((*[16]uint32)(v[n:])))
		b = b.Max(archsimd.LoadUint32x16((*[16]uint32)(v[n+16:])))
	}
	var out [16]uint32
	a.Max(b).Store(&out)
	archsimd.ClearAVXUpperBits()
	for _, x := range out {
		m = max(m, x)
	}
	return m, n
}
