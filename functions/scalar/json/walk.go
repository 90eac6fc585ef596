package json

import (
	"bytes"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

// path is the steps that stand as arguments: keys and indexes, by row.
type path struct {
	steps []step
	fold  bool // keys match in any case
	key   []byte
}

type step struct {
	isKey bool
	keys  kernel.Strs
	index kernel.Nums[int64]
}

func checkPath(name string, args []functions.Arg) error {
	for i, a := range args {
		if !a.Type.IsString() && !a.Type.IsInteger() {
			return kernel.WrongType(name, i+1, a.Type)
		}
	}
	return nil
}

func openPath(ts []*types.Type, args []column.Column, fold bool) *path {
	p := &path{fold: fold}
	for i, c := range args {
		if ts[i].IsString() {
			p.steps = append(p.steps, step{isKey: true, keys: kernel.Strings(c)})
		} else {
			p.steps = append(p.steps, step{index: kernel.Integers(c)})
		}
	}
	return p
}

// walk follows the path of a row from a document. key is the name of the last
// member taken, with quotes, nil for an element.
func (p *path) walk(node []byte, row int) (value, key []byte, ok bool) {
	for i := range p.steps {
		s := &p.steps[i]
		if s.isKey {
			value, key, ok = p.member(node, s.keys.At(row))
		} else {
			value, key, ok = child(node, s.index.At(row))
		}
		if !ok {
			return nil, nil, false
		}
		node = value
	}
	return node, key, true
}

func (p *path) member(node, want []byte) (value, key []byte, ok bool) {
	if node[0] != '{' {
		return nil, nil, false
	}
	each(node, func(k, v []byte) bool {
		p.key = appendString(p.key[:0], k)
		if bytes.Equal(p.key, want) || p.fold && bytes.EqualFold(p.key, want) {
			value, key, ok = v, k, true
			return false
		}
		return true
	})
	return value, key, ok
}

// child gives element n of an array or member n of an object, from 1, or from
// the end if negative.
func child(node []byte, n int64) (value, key []byte, ok bool) {
	if node[0] != '{' && node[0] != '[' {
		return nil, nil, false
	}
	if n < 0 {
		n += int64(size(node)) + 1
	}
	at := int64(0)
	each(node, func(k, v []byte) bool {
		if at++; at == n {
			value, key, ok = v, k, true
		}
		return !ok
	})
	return value, key, ok
}

func size(node []byte) int {
	n := 0
	each(node, func(_, _ []byte) bool { n++; return true })
	return n
}

// visitor takes what stands at the path of a row; found is false when the text
// is no JSON or has no such place.
type visitor func(node, key []byte, found bool)

// visit walks all rows.
func visit(ts []*types.Type, args []column.Column, rows int, fold bool, f visitor) {
	in, p := kernel.Strings(args[0]), openPath(ts[1:], args[1:], fold)
	for i := range rows {
		doc, ok := document(in.At(i))
		if !ok {
			f(nil, nil, false)
			continue
		}
		f(p.walk(doc, i))
	}
}

// addByPath registers a function of a document and a path, and its form that
// takes keys in any case when fold is asked for. open gives the visitor and
// the result.
func addByPath(name, summary string, fold bool, result *types.Type, open func(rows int) (visitor, func() column.Column)) bool {
	for _, f := range []bool{false, true}[:1+int(kernel.Bool(fold))] {
		name := name
		if f {
			name += "CaseInsensitive"
		}
		add(functions.Scalar{
			Name: name, MinArgs: 1, MaxArgs: -1,
			Doc: functions.Doc{Syntax: name + "(json[, key or index, …])", Summary: summary, Examples: []string{"SELECT " + name + `('{"a": {"b": 1}}', 'a')`}},
			Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
				if err := kernel.Check(name, "s", args[:1]); err != nil {
					return nil, err
				}
				if err := checkPath(name, args[1:]); err != nil {
					return nil, err
				}
				ts := kernel.Types(args)
				return kernel.Fn(result, func(args []column.Column, rows int) (column.Column, error) {
					v, finish := open(rows)
					visit(ts, args, rows, f, v)
					return finish(), nil
				}), nil
			},
		})
	}
	return true
}

// fixed opens a visitor that gives one number a row.
func fixed[T column.Element](f func(node, key []byte, found bool) T) func(rows int) (visitor, func() column.Column) {
	return func(rows int) (visitor, func() column.Column) {
		out := make([]T, 0, rows)
		return func(node, key []byte, found bool) { out = append(out, f(node, key, found)) },
			func() column.Column { return column.NewFixed(out) }
	}
}

// texts opens a visitor that appends one string a row.
func texts(f func(dst, node, key []byte) []byte) func(rows int) (visitor, func() column.Column) {
	return func(rows int) (visitor, func() column.Column) {
		out := kernel.NewStr(rows, rows*16)
		return func(node, key []byte, found bool) {
			from := len(out.Data)
			if found {
				out.Data = f(out.Data, node, key)
			}
			out.Seal(from)
		}, func() column.Column { return out }
	}
}

// lists opens a visitor that gives an array of strings a row.
func lists(f func(out *column.Str, node []byte)) func(rows int) (visitor, func() column.Column) {
	return func(rows int) (visitor, func() column.Column) {
		out := kernel.NewStrArray(rows)
		return func(node, _ []byte, found bool) {
			if found {
				f(&out.Elems, node)
			}
			out.End()
		}, out.Column
	}
}
