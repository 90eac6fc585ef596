package json

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var _ = add(functions.Scalar{
	Name: "JSONMergePatch", Aliases: []string{"jsonMergePatch"}, MinArgs: 1, MaxArgs: -1,
	Doc:  functions.Doc{Syntax: "JSONMergePatch(json, …)", Summary: "Objects merged member by member; later values win.", Examples: []string{`SELECT JSONMergePatch('{"a": 1}', '{"b": 2}')`}},
	Bind: bindMerge,
})

func bindMerge(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("JSONMergePatch", "s", args); err != nil {
		return nil, err
	}
	return &expr.Function{Result: types.String, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		in := make([]kernel.Strs, len(args))
		for k, a := range args {
			in[k] = kernel.Strings(a)
		}
		out := kernel.NewStr(rows, rows*16)
		for i := range rows {
			var merged []byte
			for k := range in {
				doc, ok := document(in[k].At(i))
				if !ok || doc[0] != '{' {
					return nil, cherr.New(cherr.BadArguments, "Wrong JSON string to merge. Expected JSON object")
				}
				if k == 0 {
					merged = compact.appendValue(nil, doc, 0)
				} else {
					merged = merge(merged, doc)
				}
			}
			out.Append(merged)
		}
		return out, nil
	}}, nil
}

// merge applies a patch to a value; both are valid JSON.
func merge(target, patch []byte) []byte {
	if patch[0] != '{' {
		return compact.appendValue(nil, patch, 0)
	}
	if len(target) == 0 || target[0] != '{' {
		target = []byte("{}")
	}
	var keys []string
	values := map[string][]byte{}
	each(target, func(k, v []byte) bool {
		name := string(appendString(nil, k))
		if _, ok := values[name]; !ok {
			keys = append(keys, name)
		}
		values[name] = v
		return true
	})
	each(patch, func(k, v []byte) bool {
		name := string(appendString(nil, k))
		old, ok := values[name]
		if !ok {
			keys = append(keys, name)
		}
		values[name] = merge(old, v)
		return true
	})
	out := []byte{'{'}
	for _, name := range keys {
		v, ok := values[name]
		if !ok {
			continue
		}
		delete(values, name) // a name that came back stands twice in keys
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(appendQuoted(out, []byte(name)), ':')
		out = compact.appendValue(out, v, 0)
	}
	return append(out, '}')
}
