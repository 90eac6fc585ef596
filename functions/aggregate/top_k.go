package aggregate

import (
	"hash/crc32"
	"math/bits"
	"slices"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

// topKKind is one of the functions for the most frequent values.
type topKKind struct {
	name     string
	aliases  []string
	weighted bool
	counts   bool // the result has counts without being asked for them
}

var _ = addTopKs()

func addTopKs() bool {
	for _, k := range []topKKind{
		{"topK", nil, false, false},
		{"topKWeighted", nil, true, false},
		{"approx_top_k", []string{"approx_top_count"}, false, true},
		{"approx_top_sum", nil, true, true},
	} {
		example := "SELECT " + k.name + "(1)(number % 2) FROM numbers(3)"
		if k.weighted {
			example = "SELECT " + k.name + "(1)(number % 2, number) FROM numbers(3)"
		}
		add(functions.Aggregate{
			Name: k.name, Aliases: k.aliases, CaseInsensitive: k.counts, OrderDependent: true,
			Doc:  functions.Doc{Syntax: k.name + "[(n[, factor or reserved[, 'counts']])](x)", Summary: "The n most frequent values, the most frequent first, by the algorithm Space-Saving: exact while no more different values come than it keeps.", Examples: []string{example}},
			Bind: k.bind,
		})
	}
	return true
}

// maxTopK bounds both parameters.
const maxTopK = 65536

func (k topKKind) bind(_ *functions.Env, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
	t := &topK{kind: k, most: 10}
	factor, counts := 3, k.counts
	given := 0
	for i, to := range []*int{&t.most, &factor} {
		if len(params) <= i {
			break
		}
		n, err := positiveParam(k.name, params[i])
		if err != nil {
			return nil, err
		}
		*to, given = n, i+1
	}
	if len(params) > 2 {
		if mode, _ := params[2].Value.(string); mode != "counts" || k.counts || len(params) > 3 {
			return nil, cherr.New(cherr.BadArguments, "Aggregate function %s takes at most a number, a load factor and 'counts'", k.name)
		}
		counts = true
	}
	t.capacity = t.most * factor
	if k.counts && given == 2 {
		t.capacity = factor // the number of values to keep itself
	}
	if t.most > maxTopK || t.capacity > maxTopK*16 || t.capacity < t.most {
		return nil, cherr.New(cherr.ArgumentOutOfBound, "Too large parameter(s) for aggregate function '%s' (it is %d, but the maximum is %d)", k.name, max(t.most, t.capacity), maxTopK)
	}
	if k.weighted && len(args) != 2 || !k.weighted && len(args) != 1 {
		return nil, wrongCount(k.name)
	}
	if k.weighted && !args[1].IsInteger() {
		return nil, illegal(k.name, args[1])
	}
	t.elem, t.item = args[0], types.WithoutLowCardinality(args[0])
	if counts {
		t.item = types.Tuple([]*types.Type{t.item, types.UInt64, types.UInt64}, []string{"item", "count", "error"})
	}
	t.counts = counts
	return bound(types.Array(t.item), t.ops().new), nil
}

// topK says how states are made and read.
type topK struct {
	kind           topKKind
	most, capacity int
	counts         bool
	elem, item     *types.Type
}

// spaceSaving keeps a bounded number of counters, the greatest first. What
// does not fit counts for the hash of the value until it outgrows the least.
type spaceSaving struct {
	list   []*tally
	byKey  map[string]*tally
	spares []uint64 // by low bits of the hash; a power of two of them
}

type tally struct {
	key          string // as in the serialised state
	count, error uint64
	hash         uint64
	at           int
}

func (t *topK) open(s *spaceSaving) {
	if s.byKey == nil {
		s.byKey = map[string]*tally{}
		s.spares = make([]uint64, 1<<bits.Len64(uint64(t.capacity)*6))
	}
}

func (s *spaceSaving) spare(hash uint64) *uint64 { return &s.spares[hash&uint64(len(s.spares)-1)] }

func (c *tally) before(o *tally) bool {
	return c.count > o.count || c.count == o.count && c.error < o.error
}

// rise moves a tally to its place.
func (s *spaceSaving) rise(c *tally) {
	for c.at > 0 && c.before(s.list[c.at-1]) {
		o := s.list[c.at-1]
		s.list[c.at-1], s.list[c.at] = c, o
		c.at, o.at = c.at-1, c.at
	}
}

func (s *spaceSaving) push(c *tally) {
	c.at = len(s.list)
	s.list = append(s.list, c)
	s.byKey[c.key] = c
	s.rise(c)
}

func (s *spaceSaving) dropLast() {
	last := s.list[len(s.list)-1]
	delete(s.byKey, last.key)
	s.list = s.list[:len(s.list)-1]
}

func (t *topK) insert(s *spaceSaving, key []byte, hash, by uint64) {
	if c, ok := s.byKey[string(key)]; ok {
		c.count += by
		s.rise(c)
		return
	}
	if len(s.list) < t.capacity {
		s.push(&tally{key: string(key), count: by, hash: hash})
		return
	}
	least := s.list[len(s.list)-1]
	if by > least.count {
		s.dropLast()
		s.push(&tally{key: string(key), count: by, hash: hash})
		return
	}
	spare := s.spare(hash)
	if *spare+by < least.count {
		*spare += by
		return
	}
	next := &tally{key: string(key), count: *spare + by, hash: hash}
	*s.spare(least.hash) = least.count
	s.dropLast()
	s.push(next)
}

func (t *topK) merge(to, from *spaceSaving) {
	if len(from.list) == 0 {
		return
	}
	t.open(to)
	var mine, theirs uint64 // what a value that a full list lacks may have had
	if len(to.list) == t.capacity {
		mine = to.list[len(to.list)-1].count
	}
	if len(from.list) == t.capacity {
		theirs = from.list[len(from.list)-1].count
	}
	for _, c := range to.list {
		c.count += theirs
		c.error += theirs
	}
	for _, c := range slices.Backward(from.list) {
		if m, ok := to.byKey[c.key]; ok {
			m.count += c.count - theirs
			m.error += c.error - theirs
			continue
		}
		to.push(&tally{key: c.key, count: c.count + mine, error: c.error + mine, hash: c.hash})
	}
	slices.SortStableFunc(to.list, func(a, b *tally) int {
		switch {
		case a.before(b):
			return -1
		case b.before(a):
			return 1
		}
		return 0
	})
	for len(to.list) > t.capacity {
		to.dropLast()
	}
	for i, c := range to.list {
		c.at = i
	}
}

func (t *topK) ops() *ops[spaceSaving] {
	return &ops[spaceSaving]{
		add: func(a *states[spaceSaving], groups []uint32, args []column.Column) error {
			var weights []uint64
			if t.kind.weighted {
				weights = numbersOf[uint64](args[1])
			}
			values := column.Full(args[0])
			var key []byte
			for i, g := range groups {
				s := &a.s[g]
				t.open(s)
				key = putKey(key[:0], t.elem, column.At(values, i))
				by := uint64(1)
				if weights != nil {
					by = weights[i]
				}
				before := len(s.list)
				t.insert(s, key, keyHash(t.elem, key), by)
				a.extra += int64(len(s.list)-before) * int64(len(key)+96)
			}
			return nil
		},
		merge:  func(_ *states[spaceSaving], to, from *spaceSaving) error { t.merge(to, from); return nil },
		result: t.result,
		encode: func(s *spaceSaving, dst []byte) []byte {
			t.open(s)
			dst = putUvarint(dst, uint64(len(s.list)))
			for _, c := range s.list {
				dst = append(dst, c.key...)
				dst = putUvarint(putUvarint(dst, c.count), c.error)
			}
			dst = putUvarint(dst, uint64(len(s.spares)))
			for _, v := range s.spares {
				dst = putUvarint(dst, v)
			}
			return dst
		},
		decode: t.decode,
	}
}

func (t *topK) decode(s *spaceSaving, r *reader) {
	t.open(s)
	for range r.count(1) {
		from := r.at
		readKey(r, t.elem)
		key := strings.Clone(string(r.src[from:r.at]))
		c := &tally{key: key, count: r.uvarint(), error: r.uvarint(), hash: keyHash(t.elem, []byte(key))}
		if r.err != nil {
			return
		}
		if len(s.list) < t.capacity {
			s.push(c)
		}
	}
	n := r.count(1)
	if r.err == nil && n != len(s.spares) {
		r.fail()
		return
	}
	for i := range n {
		s.spares[i] = r.uvarint()
	}
}

func (t *topK) result(list []spaceSaving) (column.Column, error) {
	b := column.NewBuilder(types.Array(t.item), len(list))
	for _, s := range list {
		row := column.Row{}
		for _, c := range s.list[:min(len(s.list), t.most)] {
			v := readKey(&reader{src: []byte(c.key)}, t.elem)
			if t.counts {
				v = column.Row{v, c.count, c.error}
			}
			row = append(row, v)
		}
		b.AppendValue(row)
	}
	return b.Finish(), nil
}

// keyHash is ClickHouse's hash of such a key: the processor's CRC-32C of eight
// bytes a step. It decides which values share a spare count.
func keyHash(t *types.Type, key []byte) uint64 {
	table := crc32.MakeTable(crc32.Castagnoli)
	step := func(crc uint32, b []byte) uint32 { return ^crc32.Update(^crc, table, b) }
	var word [8]byte
	if numberForm(types.WithoutLowCardinality(t)) {
		copy(word[:], key)
		return uint64(step(0xFFFFFFFF, word[:]))
	}
	r := &reader{src: key}
	s := r.bytes(int(r.uvarint()))
	if len(s) < 8 {
		var sum uint64
		for i, c := range s {
			sum |= uint64(c) << (8 * i)
		}
		return sum * 0x9E3779B97F4A7C15 >> 32
	}
	crc := uint32(0xFFFFFFFF)
	for at := 0; ; at += 8 {
		crc = step(crc, s[at:at+8])
		if at+16 >= len(s) {
			break
		}
	}
	return uint64(step(crc, s[len(s)-8:]))
}
