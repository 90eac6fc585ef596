package hashes

import (
	"encoding/binary"
	"math/bits"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

// sip is SipHash-2-4 after all input, before it is folded to a result.
func sip(k0, k1 uint64, b []byte, wide bool) (v0, v1, v2, v3 uint64) {
	v0, v1, v2, v3 = 0x736F6D6570736575^k0, 0x646F72616E646F6D^k1, 0x6C7967656E657261^k0, 0x7465646279746573^k1
	if wide {
		v1 ^= 0xEE
	}
	end := uint64(len(b)) << 56
	for ; len(b) >= 8; b = b[8:] {
		m := binary.LittleEndian.Uint64(b)
		v3 ^= m
		v0, v1, v2, v3 = sipRound(sipRound(v0, v1, v2, v3))
		v0 ^= m
	}
	for i, c := range b {
		end |= uint64(c) << (8 * i)
	}
	v3 ^= end
	v0, v1, v2, v3 = sipRound(sipRound(v0, v1, v2, v3))
	v0 ^= end
	return v0, v1, v2, v3
}

func sipRound(v0, v1, v2, v3 uint64) (uint64, uint64, uint64, uint64) {
	v0 += v1
	v1 = bits.RotateLeft64(v1, 13) ^ v0
	v0 = bits.RotateLeft64(v0, 32)
	v2 += v3
	v3 = bits.RotateLeft64(v3, 16) ^ v2
	v0 += v3
	v3 = bits.RotateLeft64(v3, 21) ^ v0
	v2 += v1
	v1 = bits.RotateLeft64(v1, 17) ^ v2
	v2 = bits.RotateLeft64(v2, 32)
	return v0, v1, v2, v3
}

func sipEnd(v0, v1, v2, v3, mark uint64) (uint64, uint64, uint64, uint64) {
	v0, v1, v2, v3 = sipRound(v0, v1, v2^mark, v3)
	for range 3 {
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	}
	return v0, v1, v2, v3
}

func sip64(k0, k1 uint64, b []byte) uint64 {
	v0, v1, v2, v3 := sip(k0, k1, b, false)
	v0, v1, v2, v3 = sipEnd(v0, v1, v2, v3, 0xFF)
	return v0 ^ v1 ^ v2 ^ v3
}

// sip128 is ClickHouse's own way to 128 bits, not the reference's.
func sip128(k0, k1 uint64, b []byte) types.U128 {
	v0, v1, v2, v3 := sip(k0, k1, b, false)
	v0, v1, v2, v3 = sipEnd(v0, v1, v2, v3, 0xFF)
	return types.U128{Lo: v0 ^ v1, Hi: v2 ^ v3}
}

func sip128Reference(k0, k1 uint64, b []byte) types.U128 {
	v0, v1, v2, v3 := sip(k0, k1, b, true)
	v0, v1, v2, v3 = sipEnd(v0, v1, v2, v3, 0xEE)
	lo := v0 ^ v1 ^ v2 ^ v3
	v1 ^= 0xDD
	for range 4 {
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	}
	return types.U128{Lo: lo, Hi: v0 ^ v1 ^ v2 ^ v3}
}

var _ = addSip()

func addSip() bool {
	addSipWidth("sipHash64", types.UInt64, sip64, asNumber[uint64])
	addSipWidth("sipHash128", types.FixedString(16), sip128, asFixedString)
	return addSipWidth("sipHash128Reference", types.FixedString(16), sip128Reference, asFixedString)
}

func addSipWidth[T word](name string, result *types.Type, f func(k0, k1 uint64, b []byte) T, wrap func(h []T) column.Column) bool {
	keyed := func(k0, k1 uint64) *family[T] {
		bytes := func(b []byte) T { return f(k0, k1, b) }
		return &family[T]{bytes: bytes, combine: hashOfHashes(bytes)}
	}
	add(functions.Scalar{
		Name: name, MaxArgs: -1,
		Doc:  functions.Doc{Syntax: name + "(x, …)", Summary: "SipHash of the arguments.", Examples: []string{"SELECT hex(" + name + "('a'))"}},
		Bind: keyed(0, 0).bind(name, result, wrap),
	})
	return add(functions.Scalar{
		Name: name + "Keyed", MinArgs: 1, MaxArgs: -1,
		Doc:  functions.Doc{Syntax: name + "Keyed((k0, k1), x, …)", Summary: "SipHash of the arguments with a key of two UInt64.", Examples: []string{"SELECT hex(" + name + "Keyed((1::UInt64, 2::UInt64), 'a'))"}},
		Bind: bindKeyed(name+"Keyed", result, keyed, wrap),
	})
}

func bindKeyed[T word](name string, result *types.Type, keyed func(k0, k1 uint64) *family[T], wrap func(h []T) column.Column) kernel.Bind {
	return func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		key := args[0].Type
		if key.Kind() != types.KindTuple || len(key.Elems()) != 2 || key.Elems()[0].Kind() != types.KindUInt64 || key.Elems()[1].Kind() != types.KindUInt64 {
			return nil, cherr.New(cherr.NotImplemented, "wrong tuple, expected 2 UInt64 elements in the key of function %s", name)
		}
		ts := kernel.Types(args)
		return kernel.Fn(result, func(args []column.Column, rows int) (column.Column, error) {
			key := kernel.FullTuple(args[0])
			k0, k1 := column.Values[uint64](key.Elems[0]), column.Values[uint64](key.Elems[1])
			h := make([]T, rows)
			for from := 0; from < rows; {
				to := from + 1
				for to < rows && k0[to] == k0[from] && k1[to] == k1[from] {
					to++
				}
				f, first := keyed(k0[from], k1[from]), true
				for i := range h[from:to] {
					h[from+i] = fromUint[T](nothing)
				}
				for i, c := range args[1:] {
					f.add(ts[i+1], column.Full(c.Slice(from, to)), h[from:to], &first)
				}
				from = to
			}
			return wrap(h), nil
		}), nil
	}
}
