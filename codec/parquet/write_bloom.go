package parquet

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// mostBloom bounds a filter's bytes, as the format's reference writer does.
const mostBloom = 1 << 20

// bloomFilter gives the chunk's filter with its header.
func (c *chunk) bloomFilter(fpp float64) []byte {
	hashes := c.hashes
	if d := c.dict; d != nil {
		page, width := d.page(c.leaf.fixed), d.width
		for code := range d.n {
			if width > 0 {
				hashes = append(hashes, xxhash.Sum64(page[code*width:(code+1)*width]))
			} else {
				hashes = append(hashes, xxhash.Sum64(d.at(uint32(code))))
			}
		}
	}
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	if fpp <= 0 || fpp >= 1 {
		fpp = 0.01
	}
	bits := -8 * float64(len(hashes)) / math.Log(1-math.Pow(fpp, 1.0/8))
	size := 32
	for size < mostBloom && float64(size)*8 < bits {
		size *= 2
	}
	w := thriftWriter{}
	w.begin()
	w.i32(1, int32(size))
	for id := 2; id <= 4; id++ { // blocks, xxHash, not compressed
		w.inner(id)
		w.unit(1)
		w.end()
	}
	w.end()
	at := len(w.buf)
	out := append(w.buf, make([]byte, size)...)
	filter := out[at:]
	for _, h := range hashes {
		block := filter[(h>>32)*uint64(size/32)>>32*32:]
		for i, salt := range bloomSalt {
			word := block[4*i:]
			binary.LittleEndian.PutUint32(word, binary.LittleEndian.Uint32(word)|1<<(uint32(h)*salt>>27))
		}
	}
	return out
}
