package paimon

import (
	"github.com/RoaringBitmap/roaring/v2"

	"lakeserver/column"
)

// bitmapIndex has a bitmap a value; version 2 finds values by blocks.
type bitmapIndex struct {
	t       *Type
	count   int // rows
	places  []bitmapPlace
	null    bitmapPlace
	hasNull bool
	body    []byte
}

// bitmapPlace says where a value's bitmap stands; a negative offset is the one
// row that has the value.
type bitmapPlace struct {
	value  column.Value
	offset int
}

func openBitmapIndex(b []byte, t *Type) sliceIndex {
	r := &reader{b: b}
	version := r.byte()
	x := &bitmapIndex{t: t, count: r.int()}
	n := r.int()
	if x.hasNull = r.byte() != 0; x.hasNull {
		x.null.offset = r.int()
		if version == 2 {
			r.int() // the length, which the bitmap tells itself
		}
	}
	ok := version == 1 || version == 2
	if version == 2 {
		ok = x.readBlocks(r)
	} else {
		for i := 0; i < n && ok && !r.bad; i++ {
			ok = x.readPlace(r)
		}
		x.body = r.b
	}
	if !ok || r.bad || n < 0 || x.count < 0 {
		return nil
	}
	return x
}

func (x *bitmapIndex) readPlace(r *reader) bool {
	v, ok := readKey(r, x.t)
	x.places = append(x.places, bitmapPlace{v, r.int()})
	return ok
}

// readBlocks reads the blocks of version 2, all of them.
func (x *bitmapIndex) readBlocks(r *reader) bool {
	blocks := r.int()
	for i := 0; i < blocks && !r.bad; i++ {
		if _, ok := readKey(r, x.t); !ok {
			return false
		}
		r.int()
	}
	size := r.int()
	in := &reader{b: r.take(size)}
	x.body = r.b
	for i := 0; i < blocks && !in.bad; i++ {
		entries := in.int()
		for j := 0; j < entries && !in.bad; j++ {
			if !x.readPlace(in) {
				return false
			}
			in.int()
		}
	}
	return !in.bad
}

func (x *bitmapIndex) at(p bitmapPlace) *roaring.Bitmap {
	if p.offset < 0 {
		return roaring.BitmapOf(uint32(-1 - p.offset))
	}
	if p.offset > len(x.body) {
		return nil
	}
	return readBitmap(x.body[p.offset:])
}

func (x *bitmapIndex) nulls(want bool) *roaring.Bitmap {
	set := roaring.New()
	if x.hasNull {
		if set = x.at(x.null); set == nil {
			return nil
		}
	}
	if want {
		return set
	}
	return without(set, x.count)
}

func (x *bitmapIndex) rows(op Op, v column.Value) *roaring.Bitmap {
	if op > NotEqual {
		return nil
	}
	set := roaring.New()
	for _, p := range x.places {
		if CompareValues(p.value, v) == 0 {
			if set = x.at(p); set == nil {
				return nil
			}
		}
	}
	if op == Equal {
		return set
	}
	null := x.nulls(true)
	if null == nil {
		return nil
	}
	return without(roaring.Or(set, null), x.count)
}

// rangeBitmap is a sorted dictionary, and the codes of the rows bit by bit.
type rangeBitmap struct {
	t      *Type
	count  int
	keys   []column.Value
	exists *roaring.Bitmap
	slices []*roaring.Bitmap
}

func openRangeBitmap(b []byte, t *Type) sliceIndex {
	r := &reader{b: b}
	head := &reader{b: r.take(r.int())}
	version := head.byte()
	x := &rangeBitmap{t: t, count: head.int()}
	cardinality := head.int()
	ok := version == 1 && cardinality >= 0 && x.count >= 0
	for i := 0; i < 2 && cardinality > 0 && ok; i++ {
		_, ok = readKey(head, t)
	}
	if !ok || head.bad {
		return nil
	}
	dictionary := r.take(head.int())
	if cardinality == 0 {
		x.exists = roaring.New()
		return x
	}
	if !x.readKeys(dictionary) || !x.readSlices(r.b) || len(x.keys) != cardinality {
		return nil
	}
	return x
}

func (x *rangeBitmap) readKeys(b []byte) bool {
	r := &reader{b: b}
	head := &reader{b: r.take(r.int())}
	version, chunks, offsets, size := head.byte(), head.int(), head.int(), head.int()
	if version != 1 || head.bad {
		return false
	}
	r.take(offsets)
	heads := &reader{b: r.take(size)}
	fixed := x.t.Kind != Char && x.t.Kind != VarChar
	for i := 0; i < chunks && !heads.bad; i++ {
		if heads.byte() != 1 {
			return false
		}
		first, ok := readKey(heads, x.t)
		if !ok {
			return false
		}
		x.keys = append(x.keys, first)
		heads.int() // code
		at, n := heads.int(), heads.int()
		a, b := heads.int(), heads.int()
		length, skip := a, 0 // of the keys, behind offsets where they vary
		if !fixed {
			length, skip = a+b, a
		}
		if at < 0 || at > len(r.b) || skip < 0 || length < skip {
			return false
		}
		keys := &reader{b: (&reader{b: r.b[at:]}).take(length)}
		keys.take(skip)
		for j := 0; j < n && !keys.bad; j++ {
			k, _ := readKey(keys, x.t)
			x.keys = append(x.keys, k)
		}
		if keys.bad {
			return false
		}
	}
	return !heads.bad && !r.bad
}

func (x *rangeBitmap) readSlices(b []byte) bool {
	r := &reader{b: b}
	head := &reader{b: r.take(r.int())}
	version, n, exists := head.byte(), int(head.byte()), head.int()
	head.int() // length of the places
	if version != 1 || head.bad {
		return false
	}
	if x.exists = readBitmap(r.take(exists)); x.exists == nil {
		return false
	}
	for range n {
		at, length := head.int(), head.int()
		if at < 0 || length < 0 || at+length > len(r.b) {
			return false
		}
		s := readBitmap(r.b[at : at+length])
		if s == nil {
			return false
		}
		x.slices = append(x.slices, s)
	}
	return !r.bad && !head.bad
}

func (x *rangeBitmap) nulls(want bool) *roaring.Bitmap {
	if want {
		return without(x.exists, x.count)
	}
	return x.exists
}

// find gives the first code whose key is not less than v, and whether it is v.
func (x *rangeBitmap) find(v column.Value) (code int, same bool) {
	lo, hi := 0, len(x.keys)
	for lo < hi {
		mid := (lo + hi) / 2
		if CompareValues(x.keys[mid], v) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < len(x.keys) && CompareValues(x.keys[lo], v) == 0
}

func (x *rangeBitmap) rows(op Op, v column.Value) *roaring.Bitmap {
	code, same := x.find(v)
	switch op {
	case Equal, NotEqual:
		set := roaring.New()
		if same {
			set = sliceEqual(x.exists, x.slices, uint64(code))
		}
		if op == Equal {
			return set
		}
		return roaring.AndNot(x.exists, set)
	case Less:
		return roaring.AndNot(x.exists, sliceAtLeast(x.exists, x.slices, uint64(code)))
	case GreaterOrEqual:
		return sliceAtLeast(x.exists, x.slices, uint64(code))
	}
	if same {
		code++
	}
	more := sliceAtLeast(x.exists, x.slices, uint64(code))
	if op == Greater {
		return more
	}
	return roaring.AndNot(x.exists, more)
}

// sliceEqual gives the rows with a code.
func sliceEqual(exists *roaring.Bitmap, slices []*roaring.Bitmap, code uint64) *roaring.Bitmap {
	out := exists.Clone()
	if code>>uint(len(slices)) != 0 {
		return roaring.New()
	}
	for i, s := range slices {
		if code>>uint(i)&1 != 0 {
			out.And(s)
		} else {
			out.AndNot(s)
		}
	}
	return out
}

// sliceAtLeast gives the rows with a code or a greater one.
func sliceAtLeast(exists *roaring.Bitmap, slices []*roaring.Bitmap, code uint64) *roaring.Bitmap {
	if code>>uint(len(slices)) != 0 {
		return roaring.New()
	}
	equal, more := exists.Clone(), roaring.New()
	for i := len(slices) - 1; i >= 0; i-- {
		if code>>uint(i)&1 != 0 {
			equal.And(slices[i])
		} else {
			more.Or(roaring.And(equal, slices[i]))
			equal.AndNot(slices[i])
		}
	}
	more.Or(equal)
	return more
}

// bsiIndex is the older bit slices: of the values themselves, negative ones
// apart, by their magnitude.
type bsiIndex struct {
	t                  *Type
	count              int
	positive, negative *bsiSlices
}

type bsiSlices struct {
	min    uint64
	exists *roaring.Bitmap
	slices []*roaring.Bitmap
}

func openBSI(b []byte, t *Type) sliceIndex {
	r := &reader{b: b}
	if r.byte() != 1 {
		return nil
	}
	x := &bsiIndex{t: t, count: r.int()}
	for _, part := range []**bsiSlices{&x.positive, &x.negative} {
		*part = &bsiSlices{exists: roaring.New()}
		if r.byte() != 0 && !(*part).read(r) {
			return nil
		}
	}
	if r.bad || x.count < 0 {
		return nil
	}
	return x
}

func (s *bsiSlices) read(r *reader) bool {
	if r.byte() != 1 {
		return false
	}
	s.min = uint64(r.long())
	r.long() // the greatest
	var ok bool
	if s.exists, ok = nextBitmap(r); !ok {
		return false
	}
	n := r.int()
	for i := 0; i < n && !r.bad; i++ {
		b, ok := nextBitmap(r)
		if !ok {
			return false
		}
		s.slices = append(s.slices, b)
	}
	return !r.bad && n >= 0 && n <= 64
}

// nextBitmap reads a bitmap that tells its own length.
func nextBitmap(r *reader) (*roaring.Bitmap, bool) {
	out := roaring.New()
	n, err := out.FromUnsafeBytes(append([]byte(nil), r.b...))
	if err != nil {
		return nil, false
	}
	if err := out.Validate(); err != nil && !out.IsEmpty() {
		return nil, false
	}
	r.take(int(n))
	return out, true
}

func (x *bsiIndex) nulls(want bool) *roaring.Bitmap {
	exists := roaring.Or(x.positive.exists, x.negative.exists)
	if want {
		return without(exists, x.count)
	}
	return exists
}

// number gives the integer under which a value is indexed.
func (x *bsiIndex) number(v column.Value) (int64, bool) {
	switch n := v.(type) {
	case int8:
		return int64(n), true
	case int16:
		return int64(n), true
	case int32:
		return int64(n), true
	case int64:
		switch x.t.Kind {
		case Time:
			return n / 1000, true
		case Timestamp, TimestampLTZ:
			if x.t.Precision > 6 {
				return 0, false
			}
			return timeKey(n, x.t), true
		}
		return n, true
	}
	return 0, false
}

func (x *bsiIndex) rows(op Op, v column.Value) *roaring.Bitmap {
	n, ok := x.number(v)
	if !ok || n == -1<<63 {
		return nil
	}
	exists := x.nulls(false)
	var equal, more *roaring.Bitmap
	if n >= 0 {
		equal = x.positive.equal(uint64(n))
		more = x.positive.atLeast(uint64(n) + 1)
	} else {
		equal = x.negative.equal(uint64(-n))
		more = roaring.Or(x.positive.exists, roaring.AndNot(x.negative.exists, x.negative.atLeast(uint64(-n))))
	}
	switch op {
	case Equal:
		return equal
	case NotEqual:
		return roaring.AndNot(exists, equal)
	case Greater:
		return more
	case GreaterOrEqual:
		return roaring.Or(more, equal)
	case Less:
		return roaring.AndNot(exists, roaring.Or(more, equal))
	}
	return roaring.AndNot(exists, more)
}

func (s *bsiSlices) equal(n uint64) *roaring.Bitmap {
	if n < s.min {
		return roaring.New()
	}
	return sliceEqual(s.exists, s.slices, n-s.min)
}

func (s *bsiSlices) atLeast(n uint64) *roaring.Bitmap {
	if n <= s.min {
		return s.exists.Clone()
	}
	return sliceAtLeast(s.exists, s.slices, n-s.min)
}
