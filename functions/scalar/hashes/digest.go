package hashes

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"hash"
	"hash/crc32"
	"hash/crc64"

	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"

	//lint:ignore SA1019 SQL has functions of these names
	"golang.org/x/crypto/md4"
	//lint:ignore SA1019 SQL has functions of these names
	"golang.org/x/crypto/ripemd160"
	"golang.org/x/crypto/sha3"
)

var _ = addDigests()

func addDigests() bool {
	for _, d := range []struct {
		name string
		new  func() hash.Hash
	}{
		{"MD4", md4.New},
		{"MD5", md5.New},
		{"SHA1", sha1.New},
		{"SHA224", sha256.New224},
		{"SHA256", sha256.New},
		{"SHA384", sha512.New384},
		{"SHA512", sha512.New},
		{"SHA512_256", sha512.New512_256},
		{"RIPEMD160", ripemd160.New},
		{"keccak256", sha3.NewLegacyKeccak256},
	} {
		add(functions.Scalar{
			Name: d.name, MinArgs: 1, MaxArgs: 1,
			Doc: functions.Doc{Syntax: d.name + "(s)", Summary: "The digest " + d.name + " of a string, as bytes.", Examples: []string{"SELECT hex(" + d.name + "('a'))"}},
			Bind: kernel.Typed(d.name, "s", types.FixedString(d.new().Size()), func(args []column.Column, rows int) (column.Column, error) {
				h := d.new()
				return kernel.MapStr(kernel.Strings(args[0]), rows, func(dst, s []byte) []byte {
					h.Reset()
					h.Write(s)
					return h.Sum(dst)
				}), nil
			}),
		})
	}
	return true
}

func halfMD5(b []byte) uint64 {
	h := md5.Sum(b)
	return binary.BigEndian.Uint64(h[:8])
}

var (
	_ = addFamily("halfMD5", "The first eight bytes of MD5, as a big-endian number.", types.UInt64, &family[uint64]{halfMD5, hashOfHashes(halfMD5), false}, asNumber)

	_ = add(functions.Scalar{
		Name: "CRC32", CaseInsensitive: true, MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "CRC32(s)", Summary: "CRC-32 as zlib has it.", Examples: []string{"SELECT CRC32('a')"}},
		Bind: kernel.StrToFixed("CRC32", types.UInt32, crc32.ChecksumIEEE),
	})
	_ = add(functions.Scalar{
		Name: "CRC32IEEE", CaseInsensitive: true, MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "CRC32IEEE(s)", Summary: "CRC-32 from zero and without the last inversion.", Examples: []string{"SELECT CRC32IEEE('a')"}},
		Bind: kernel.StrToFixed("CRC32IEEE", types.UInt32, func(s []byte) uint32 { return ^crc32.Update(^uint32(0), crc32.IEEETable, s) }),
	})
	_ = add(functions.Scalar{
		Name: "CRC64", CaseInsensitive: true, MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "CRC64(s)", Summary: "CRC-64 with the polynomial of ECMA.", Examples: []string{"SELECT CRC64('a')"}},
		Bind: kernel.StrToFixed("CRC64", types.UInt64, func(s []byte) uint64 { return ^crc64.Update(^uint64(0), ecma, s) }),
	})
	ecma = crc64.MakeTable(crc64.ECMA)
)
