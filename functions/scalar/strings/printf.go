package strings

import (
	"context"
	"fmt"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var _ = add(functions.Scalar{
	Name: "printf", MinArgs: 1, MaxArgs: -1,
	Doc:  functions.Doc{Syntax: "printf(format, a, b, …)", Summary: "Text with the arguments in the places that % marks, as C has it.", Examples: []string{"SELECT printf('%s: %d', 'a', 5)"}},
	Bind: bindPrintf,
})

// directive is text and then an argument in a form; verb 0 is the end.
type directive struct {
	text string
	form string // flags, width and precision with the % before them
	verb byte
}

func parsePrintf(s string) ([]directive, error) {
	var out []directive
	var text strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			text.WriteByte(s[i])
			continue
		}
		from := i
		for i++; i < len(s) && strings.IndexByte("-+ #0123456789.", s[i]) >= 0; i++ {
		}
		if i == len(s) {
			return nil, cherr.New(cherr.BadArguments, "Format of function printf ends in the middle of a directive")
		}
		if s[i] == '%' {
			text.WriteByte('%')
			continue
		}
		if strings.IndexByte("sdiuoxXeEfFgGaA", s[i]) < 0 {
			return nil, cherr.New(cherr.BadArguments, "Format of function printf has an unknown directive %%%c", s[i])
		}
		out = append(out, directive{text.String(), s[from:i], s[i]})
		text.Reset()
	}
	return append(out, directive{text: text.String()}), nil
}

// printed gives a row's argument in the form of a directive.
type printed func(dst []byte, i int) []byte

func bindPrintf(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	text, ok := args[0].ConstString()
	if !ok {
		return nil, kernel.NotConst("printf", 0)
	}
	list, err := parsePrintf(text)
	if err != nil {
		return nil, err
	}
	if len(list) != len(args) {
		return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Function printf has %d directives and %d arguments", len(list)-1, len(args)-1)
	}
	ts := kernel.Types(args)
	for k, d := range list[:len(list)-1] {
		if t := ts[k+1]; !fitsVerb(d.verb, t) {
			return nil, cherr.New(cherr.BadArguments, "The argument type %s of function printf does not fit %%%c", t, d.verb)
		}
	}
	return &expr.Function{Result: types.String, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		cells := make([]printed, len(list)-1)
		for k := range cells {
			cells[k] = list[k].print(ts[k+1], args[k+1])
		}
		return kernel.EachStr(rows, func(dst []byte, i int) []byte {
			for k, d := range list {
				dst = append(dst, d.text...)
				if d.verb != 0 {
					dst = cells[k](dst, i)
				}
			}
			return dst
		}), nil
	}}, nil
}

func fitsVerb(verb byte, t *types.Type) bool {
	switch {
	case verb == 's':
		return t.IsString()
	case strings.IndexByte("diuoxX", verb) >= 0:
		return t.IsInteger() && t.Bytes() <= 8
	}
	return t.IsFloat()
}

func (d *directive) print(t *types.Type, c column.Column) printed {
	switch {
	case d.verb == 's':
		in := kernel.Strings(c)
		return func(dst []byte, i int) []byte { return fmt.Appendf(dst, d.form+"s", in.At(i)) }
	case t.IsFloat():
		in, verb := kernel.Floats(c, t), string(d.verb)
		if verb == "a" || verb == "A" {
			verb = map[string]string{"a": "x", "A": "X"}[verb]
		}
		form := d.form + verb
		if strings.IndexByte("gG", d.verb) >= 0 && !strings.Contains(d.form, ".") {
			form = d.form + ".6" + verb
		}
		return func(dst []byte, i int) []byte { return fmt.Appendf(dst, form, in.At(i)) }
	}
	in, verb := kernel.Integers(c), d.verb
	if verb == 'i' || verb == 'u' {
		verb = 'd'
	}
	form := d.form + string(verb)
	if t.IsUnsigned() || verb != 'd' {
		mask := ^uint64(0) >> (64 - 8*max(t.Bytes(), 4))
		return func(dst []byte, i int) []byte { return fmt.Appendf(dst, form, uint64(in.At(i))&mask) }
	}
	return func(dst []byte, i int) []byte { return fmt.Appendf(dst, form, in.At(i)) }
}
