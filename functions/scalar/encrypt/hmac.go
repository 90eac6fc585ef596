package encrypt

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"hash"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var _ = add(functions.Scalar{
	Name: "HMAC", CaseInsensitive: true, MinArgs: 3, MaxArgs: 3,
	Doc:  functions.Doc{Syntax: "HMAC('digest', text, key)", Summary: "The keyed digest of a string, as bytes.", Examples: []string{"SELECT hex(HMAC('sha256', 'text', 'key'))"}},
	Bind: bindHMAC,
})

func digestOf(name string) func() hash.Hash {
	switch strings.ToLower(name) {
	case "md5":
		return md5.New
	case "sha1":
		return sha1.New
	case "sha224":
		return sha256.New224
	case "sha256":
		return sha256.New
	case "sha384":
		return sha512.New384
	case "sha512":
		return sha512.New
	}
	return nil
}

func bindHMAC(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("HMAC", "s", args); err != nil {
		return nil, err
	}
	name, ok := args[0].ConstString()
	if !ok {
		return nil, kernel.NotConst("HMAC", 0)
	}
	digest := digestOf(name)
	if digest == nil {
		return nil, cherr.New(cherr.BadArguments, "Unknown digest '%s' of function HMAC", name)
	}
	return kernel.Fn(types.String, func(args []column.Column, rows int) (column.Column, error) {
		in, keys := kernel.Strings(args[1]), kernel.Strings(args[2])
		var mac hash.Hash
		return kernel.EachStr(rows, func(dst []byte, i int) []byte {
			if mac == nil || !keys.Const() {
				mac = hmac.New(digest, keys.At(i))
			}
			mac.Reset()
			mac.Write(in.At(i))
			return mac.Sum(dst)
		}), nil
	}), nil
}
