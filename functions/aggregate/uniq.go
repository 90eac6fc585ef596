package aggregate

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"

	"github.com/go-faster/city"

	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Aggregate{
	Name: "uniq", NullIsDefault: true,
	Doc: functions.Doc{
		Syntax: "uniq(x, …)", Summary: "About the number of different values, by a sample of their hashes.",
		Examples: []string{"SELECT uniq(number % 3) FROM numbers(10)"},
	},
	Bind: func(_ *functions.Env, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
		if err := noParams("uniq", params); err != nil {
			return nil, err
		}
		if len(args) == 0 {
			return nil, wrongCount("uniq")
		}
		return bound(types.UInt64, uniqOps().new), nil
	},
})

// hashSample is a set of 32-bit hashes. When it grows over its bound, only
// hashes with one more trailing zero bit are kept, so that it stays an even
// sample of all.
type hashSample struct {
	skip uint8 // trailing zero bits that a hash must have
	set  map[uint32]struct{}
}

// sampleMost is how many hashes are kept.
const sampleMost = 1 << 16

func (s *hashSample) insert(h uint32) {
	if s.set == nil {
		s.set = map[uint32]struct{}{}
	}
	if h&(1<<s.skip-1) != 0 {
		return
	}
	s.set[h] = struct{}{}
	for len(s.set) > sampleMost {
		s.skip++
		for x := range s.set {
			if x&(1<<s.skip-1) != 0 {
				delete(s.set, x)
			}
		}
	}
}

// count estimates from the sample, with the correction for hashes that fell together.
func (s *hashSample) count() uint64 {
	n := uint64(len(s.set))
	if s.skip == 0 {
		return n
	}
	res := n << s.skip
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], n)
	res += uint64(^crc32.Update(0, crc32.MakeTable(crc32.Castagnoli), word[:])) & (1<<s.skip - 1)
	const all = 1 << 32
	return uint64(math.Round(all * (math.Log(all) - math.Log(all-float64(res)))))
}

func uniqOps() *ops[hashSample] {
	return &ops[hashSample]{
		add: func(a *states[hashSample], groups []uint32, args []column.Column) error {
			h := uniqHashes(args, len(groups))
			for i, g := range groups {
				s := &a.s[g]
				before := len(s.set)
				s.insert(mix32(h[i]))
				a.extra += int64(len(s.set)-before) * 8
			}
			return nil
		},
		merge: func(_ *states[hashSample], to, from *hashSample) error {
			if from.skip > to.skip {
				to.skip = from.skip
				for x := range to.set {
					if x&(1<<to.skip-1) != 0 {
						delete(to.set, x)
					}
				}
			}
			for x := range from.set {
				to.insert(x)
			}
			return nil
		},
		result: func(s []hashSample) (column.Column, error) {
			out := make([]uint64, len(s))
			for i := range s {
				out[i] = s[i].count()
			}
			return column.NewFixed(out), nil
		},
		encode: func(s *hashSample, dst []byte) []byte {
			all := make([]uint32, 0, len(s.set))
			for x := range s.set {
				all = append(all, x)
			}
			slices.Sort(all)
			dst = putUvarint(append(dst, s.skip), uint64(len(all)))
			for _, x := range all {
				dst = putUint32(dst, x)
			}
			return dst
		},
		decode: func(s *hashSample, r *reader) {
			s.skip = min(r.byte(), 32)
			for range r.count(4) {
				s.insert(r.uint32())
			}
		},
	}
}

// mix32 is ClickHouse's hash of 64 bits, cut to 32.
func mix32(k uint64) uint32 {
	k ^= k >> 33
	k *= 0xff51afd7ed558ccd
	k ^= k >> 33
	k *= 0xc4ceb9fe1a85ec53
	return uint32(k ^ k>>33)
}

// uniqHashes gives 64 bits a row: the value itself for numbers, CityHash64 of
// strings, a hash of anything else.
func uniqHashes(args []column.Column, rows int) []uint64 {
	if len(args) == 1 {
		switch c := args[0].(type) {
		case *column.Const:
			return slices.Repeat(uniqHashes([]column.Column{c.Value}, 1), rows)
		case *column.Dict:
			entries := uniqHashes([]column.Column{c.Values}, c.Values.Len())
			out := make([]uint64, rows)
			for i, code := range c.Codes {
				out[i] = entries[code]
			}
			return out
		case *column.Str:
			out := make([]uint64, rows)
			for i := range out {
				out[i] = city.CH64(c.At(i))
			}
			return out
		case *column.Fixed[float32]:
			out := make([]uint64, rows)
			for i, v := range c.Values {
				out[i] = uint64(math.Float32bits(v))
			}
			return out
		}
	}
	keys := make([]types.U128, rows)
	if len(args) == 1 && fixedKeys(args[0], keys) {
		out := make([]uint64, rows)
		for i, k := range keys {
			out[i] = k.Lo
			if k.Hi != 0 {
				out[i] = column.Mix(k.Lo, k.Hi)
			}
		}
		signExtend(args[0], out)
		return out
	}
	h := make([]uint64, rows)
	for _, c := range args {
		column.HashInto(c, h)
	}
	return h
}

// signExtend widens narrow signed values as ClickHouse does before it hashes them.
func signExtend(c column.Column, out []uint64) {
	switch c := c.(type) {
	case *column.Fixed[int8]:
		copy(out, convert[uint64](c.Values))
	case *column.Fixed[int16]:
		copy(out, convert[uint64](c.Values))
	case *column.Fixed[int32]:
		copy(out, convert[uint64](c.Values))
	}
}

// addCounted describes functions that ClickHouse answers by sketches of
// another kind; they are exact here.
func addCounted(name string, maxParams int) bool {
	return add(functions.Aggregate{
		Name: name, NullIsDefault: true,
		Doc: functions.Doc{Syntax: name + "(x, …)", Summary: "The number of different values; ClickHouse estimates it.", Examples: []string{"SELECT " + name + "(number % 3) FROM numbers(10)"}},
		Bind: func(_ *functions.Env, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
			if len(params) > maxParams {
				return nil, noParams(name, params)
			}
			if len(args) == 0 {
				return nil, wrongCount(name)
			}
			return bound(types.UInt64, func() functions.Accumulator { return &uniqExact{width: 16} }), nil
		},
	})
}

var (
	_ = addCounted("uniqCombined", 1)
	_ = addCounted("uniqCombined64", 1)
	_ = addCounted("uniqHLL12", 0)
	_ = addCounted("uniqTheta", 0)
)

var _ = add(functions.Aggregate{
	Name: "uniqUpTo", NullIsDefault: true,
	Doc: functions.Doc{
		Syntax: "uniqUpTo(n)(x, …)", Summary: "The number of different values up to n; n + 1 when there are more.",
		Examples: []string{"SELECT uniqUpTo(3)(number) FROM numbers(10)"},
	},
	Bind: func(_ *functions.Env, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
		most := 10
		if len(params) == 1 {
			var err error
			if most, err = positiveParam("uniqUpTo", params[0]); err != nil {
				return nil, err
			}
		}
		if len(args) == 0 {
			return nil, wrongCount("uniqUpTo")
		}
		return bound(types.UInt64, func() functions.Accumulator { return &uniqUpTo{newDistinctRows(args, most+1)} }), nil
	},
})

type uniqUpTo struct{ distinctRows }

func (a *uniqUpTo) Merge(groups []uint32, from functions.Accumulator, some []uint32) error {
	return a.merge(groups, &from.(*uniqUpTo).distinctRows, some)
}

func (a *uniqUpTo) Result(from, to int) (column.Column, error) {
	return column.NewFixed(append([]uint64(nil), a.seen.n[from:to]...)), nil
}
