package encrypt

import (
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

// action is mode.encrypt or mode.decrypt.
type action = func(m mode, dst, text, key, iv, aad []byte) ([]byte, error)

var (
	_ = addCipher("encrypt", "A string encrypted with AES.", mode.encrypt, false, false)
	_ = addCipher("decrypt", "A string decrypted with AES.", mode.decrypt, false, false)
	_ = addCipher("tryDecrypt", "decrypt with NULL for what cannot be decrypted.", mode.decrypt, false, true)
	_ = addCipher("aes_encrypt_mysql", "A string encrypted as MySQL does.", mode.encrypt, true, false)
	_ = addCipher("aes_decrypt_mysql", "A string decrypted as MySQL does.", mode.decrypt, true, false)
)

func addCipher(name, summary string, do action, mysql, try bool) bool {
	maxArgs := 5
	if mysql {
		maxArgs = 4
	}
	return add(functions.Scalar{
		Name: name, MinArgs: 3, MaxArgs: maxArgs,
		Doc:  functions.Doc{Syntax: name + "('mode', text, key[, iv[, aad]])", Summary: summary, Examples: []string{"SELECT hex(" + name + "('aes-128-ecb', '', '0123456789abcdef'))"}},
		Bind: bindCipher(name, do, mysql, try),
	})
}

func bindCipher(name string, do action, mysql, try bool) kernel.Bind {
	return func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if err := kernel.Check(name, "s", args); err != nil {
			return nil, err
		}
		text, ok := args[0].ConstString()
		if !ok {
			return nil, kernel.NotConst(name, 0)
		}
		m, err := parseMode(text, mysql)
		if err != nil {
			return nil, err
		}
		if len(args) == 5 && m.kind != "gcm" {
			return nil, cherr.New(cherr.BadArguments, "AAD can be only set for GCM-mode")
		}
		result := types.String
		if try {
			result = types.Nullable(types.String)
		}
		return kernel.Fn(result, func(args []column.Column, rows int) (column.Column, error) {
			none := kernel.Strings(column.NewConst(column.NewStr(""), rows))
			in := [4]kernel.Strs{none, none, none, none} // text, key, iv, aad
			for k, c := range args[1:] {
				in[k] = kernel.Strings(c)
			}
			out, null := kernel.NewStr(rows, rows*32), make([]uint8, rows)
			for i := range rows {
				from := len(out.Data)
				dst, err := do(m, out.Data, in[0].At(i), in[1].At(i), in[2].At(i), in[3].At(i))
				switch {
				case err == nil:
					out.Data = dst
				case try && cherr.Is(err, cherr.OpensslError):
					null[i] = 1
				default:
					return nil, err
				}
				out.Seal(from)
			}
			if try {
				return column.NewNullable(out, null), nil
			}
			return out, nil
		}), nil
	}
}
