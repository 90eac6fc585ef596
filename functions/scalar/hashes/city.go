package hashes

import (
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"

	"github.com/cespare/xxhash/v2"
	"github.com/go-faster/city"
	"github.com/zeebo/xxh3"
)

// hash128to64 is CityHash's way to join two words.
func hash128to64(lo, hi uint64) uint64 {
	const mul = 0x9DDFEA08EB382D69
	a := (lo ^ hi) * mul
	a ^= a >> 47
	b := (hi ^ a) * mul
	b ^= b >> 47
	return b * mul
}

func addFamily[T word](name, summary string, result *types.Type, f *family[T], wrap func(h []T) column.Column) bool {
	return add(functions.Scalar{
		Name: name, MaxArgs: -1,
		Doc:  functions.Doc{Syntax: name + "(x, …)", Summary: summary, Examples: []string{"SELECT hex(" + name + "('a'))"}},
		Bind: f.bind(name, result, wrap),
	})
}

var (
	_ = addFamily("cityHash64", "CityHash 1.0.2 of the arguments.", types.UInt64, &family[uint64]{city.CH64, hash128to64, true}, asNumber)
	_ = addFamily("farmHash64", "FarmHash of the arguments.", types.UInt64, &family[uint64]{farmHash, hash128to64, true}, asNumber)
	_ = addFamily("farmFingerprint64", "FarmHash's fingerprint of the arguments.", types.UInt64, &family[uint64]{farm64, farmJoin, true}, asNumber)
	_ = addFamily("metroHash64", "MetroHash of the arguments.", types.UInt64, &family[uint64]{metro64, hash128to64, true}, asNumber)
	_ = addFamily("xxHash64", "xxHash of the arguments.", types.UInt64, &family[uint64]{xxhash.Sum64, hash128to64, false}, asNumber)
	_ = addFamily("xxh3", "XXH3 of the arguments.", types.UInt64, &family[uint64]{xxh3.Hash, hash128to64, false}, asNumber)
	_ = addFamily("wyHash64", "wyHash of the arguments.", types.UInt64, &family[uint64]{wyhash, hashOfHashes(wyhash), false}, asNumber)
	_ = addFamily("xxHash32", "xxHash of the arguments in 32 bits.", types.UInt32, &family[uint32]{xx32, func(a, b uint32) uint32 { return intHash32(uint64(a)) ^ b }, false}, asNumber)
	_ = addFamily("xxh3_128", "XXH3 of the arguments in 128 bits.", types.UInt128, &family[types.U128]{xxh3Wide, hashOfHashes(xxh3Wide), false}, asNumber)
)

func xxh3Wide(b []byte) types.U128 {
	h := xxh3.Hash128(b)
	return types.U128{Lo: h.Lo, Hi: h.Hi}
}
