package column

import "unsafe"

// LargestRow estimates the bytes of new memory that the largest row costs when
// it is gathered. Who repeats rows asks it before.
func LargestRow(c Column) int64 {
	switch c := c.(type) {
	case *Dict:
		return 4
	case *Str:
		return 8
	case *Nullable:
		return 1 + LargestRow(c.Values)
	case *Array:
		return 8 + largestRange(c.Offsets, c.Elems)
	case *Map:
		return 8 + largestRange(c.Offsets, c.Keys) + largestRange(c.Offsets, c.Values)
	case *Tuple:
		var n int64
		for _, e := range c.Elems {
			n += LargestRow(e)
		}
		return n
	case interface{ width() int64 }:
		return c.width()
	}
	return 0
}

// largestRange takes the elements of a row to be of average size.
func largestRange(offsets []uint64, elems Column) int64 {
	most := uint64(0)
	for i, o := range offsets[1:] {
		most = max(most, o-offsets[i])
	}
	from, to := offsets[0], offsets[len(offsets)-1]
	switch e := elems.(type) {
	case *Array, *Map, *Tuple:
		if to == from {
			return 0
		}
		return int64(float64(e.Slice(int(from), int(to)).Size()) * float64(most) / float64(to-from))
	}
	return int64(most) * LargestRow(elems)
}

func (c *Fixed[T]) width() int64 {
	var z T
	return int64(unsafe.Sizeof(z))
}
