package parquet

import (
	"math/rand"
	"slices"
	"testing"
)

// slowBits reads one value bit by bit.
func slowBits(src []byte, bit int, width uint) (v uint64) {
	for i := range int(width) {
		at := bit + i
		v |= uint64(src[at>>3]>>(at&7)&1) << i
	}
	return v
}

// TestUnpack holds every width, from aligned and unaligned places, against the
// slow way, with and without slack behind the last value.
func TestUnpack(t *testing.T) {
	rnd := rand.New(rand.NewSource(9))
	for width := uint(0); width <= 64; width++ {
		for _, n := range []int{1, 7, 8, 15, 16, 33, 100, 500} {
			for _, bit := range []int{0, 8, 3, 13} {
				size := (bit + n*int(width) + 7) / 8
				buf := make([]byte, size+rnd.Intn(2)*slack)
				rnd.Read(buf)
				src := buf[:size:len(buf)]
				want := make([]uint64, n)
				for i := range want {
					want[i] = slowBits(src, bit+i*int(width), width)
				}
				checkUnpack(t, src[:cap(src)], bit, width, want)
			}
		}
	}
}

func checkUnpack(t *testing.T, src []byte, bit int, width uint, want []uint64) {
	t.Helper()
	got := make([]uint64, len(want))
	unpack64(got, src, bit, width)
	if !slices.Equal(got, want) {
		t.Fatalf("unpack64: width %d, bit %d: %v, not %v", width, bit, got, want)
	}
	if width <= 32 {
		narrow := make([]uint32, len(want))
		unpack32(narrow, src, bit, width)
		for i, v := range narrow {
			if uint64(v) != want[i] {
				t.Fatalf("unpack32: width %d, bit %d, value %d: %d, not %d", width, bit, i, v, want[i])
			}
		}
	}
	if width <= 8 {
		levels := make([]uint8, len(want))
		unpack8(levels, src, bit, width)
		for i, v := range levels {
			if uint64(v) != want[i] {
				t.Fatalf("unpack8: width %d, bit %d, value %d: %d, not %d", width, bit, i, v, want[i])
			}
		}
	}
}

func TestMaxOf(t *testing.T) {
	rnd := rand.New(rand.NewSource(10))
	for n := range 200 {
		v := make([]uint32, n)
		want := uint32(0)
		for i := range v {
			v[i] = rnd.Uint32()
			want = max(want, v[i])
		}
		if got := maxOf(v); got != want {
			t.Fatalf("%d values: %d, not %d", n, got, want)
		}
	}
}

func BenchmarkUnpack(b *testing.B) {
	src := make([]byte, 1<<15)
	rand.New(rand.NewSource(11)).Read(src)
	dst := make([]uint32, 8192)
	for _, width := range []uint{1, 5, 8, 13, 17, 30} {
		b.Run(string(rune('0'+width/10))+string(rune('0'+width%10)), func(b *testing.B) {
			b.SetBytes(4 * int64(len(dst)))
			for range b.N {
				unpack32(dst, src, 0, width)
			}
		})
	}
}
