package strings

import (
	"bytes"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "like", MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "like(s, pattern)", Summary: "Whether a string fits a pattern in which % stands for any text and _ for one character.", Examples: []string{"SELECT like('abc', 'a%')"}},
		Bind: bindLike("like", nil, false),
	})
	_ = add(functions.Scalar{
		Name: "notLike", MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "notLike(s, pattern)", Summary: "The opposite of like.", Examples: []string{"SELECT notLike('abc', 'a%')"}},
		Bind: bindLike("notLike", nil, true),
	})
	_ = add(functions.Scalar{
		Name: "ilike", MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "ilike(s, pattern)", Summary: "like without regard to case.", Examples: []string{"SELECT ilike('ABC', 'a%')"}},
		Bind: bindLike("ilike", appendSimpleLower, false),
	})
	_ = add(functions.Scalar{
		Name: "notILike", MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "notILike(s, pattern)", Summary: "The opposite of ilike.", Examples: []string{"SELECT notILike('ABC', 'a%')"}},
		Bind: bindLike("notILike", appendSimpleLower, true),
	})
)

func bindLike(name string, fold func(dst, s []byte) []byte, negate bool) kernel.Bind {
	return func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if args[0].Type.IsEnum() {
			return kernel.OverText(env, name, args)
		}
		if err := kernel.Check(name, "ss", args); err != nil {
			return nil, err
		}
		return kernel.Fn(types.UInt8, func(args []column.Column, rows int) (column.Column, error) {
			hay, patterns := kernel.Strings(args[0]), kernel.Strings(args[1])
			out := make([]uint8, rows)
			var err error
			if patterns.Const() && rows > 0 {
				err = likeConst(hay, patterns.At(0), fold, out)
			} else {
				err = likeRows(hay, patterns, fold, out)
			}
			for i := range out {
				if negate {
					out[i] ^= 1
				}
			}
			return column.NewFixed(out), err
		}), nil
	}
}

func likeConst(hay kernel.Strs, pattern []byte, fold func(dst, s []byte) []byte, out []uint8) error {
	if fold != nil {
		pattern = fold(nil, pattern)
	}
	p, err := parseLike(pattern)
	if err != nil {
		return err
	}
	if text, ok := p.contains(); ok && fold == nil {
		containsText(hay, text, out)
		return nil
	}
	var scratch []byte
	for i := range out {
		s := hay.At(i)
		if fold != nil {
			scratch = fold(scratch[:0], s)
			s = scratch
		}
		out[i] = kernel.Bool(p.match(s))
	}
	return nil
}

func likeRows(hay, patterns kernel.Strs, fold func(dst, s []byte) []byte, out []uint8) error {
	var p *likePattern
	var last, scratch []byte
	for i := range out {
		text, s := patterns.At(i), hay.At(i)
		if fold != nil {
			text, scratch = fold(nil, text), fold(scratch[:0], s)
			s = scratch
		}
		if p == nil || !bytes.Equal(text, last) {
			var err error
			if p, err = parseLike(text); err != nil {
				return err
			}
			last = text
		}
		out[i] = kernel.Bool(p.match(s))
	}
	return nil
}

// containsText looks for one text in all rows. Where the rows lie in order in
// the buffer it searches the buffer as one, which is much faster than row by
// row when the text is rare.
func containsText(hay kernel.Strs, text []byte, out []uint8) {
	s := hay.Col
	if len(text) == 0 || hay.Const() || !ordered(s) || !covers(s) {
		for i := range out {
			out[i] = kernel.Bool(bytes.Contains(hay.At(i), text))
		}
		return
	}
	pos, row := 0, 0
	for row < len(out) {
		pos = max(pos, int(s.Start[row]))
		at := bytes.Index(s.Data[pos:], text)
		if at < 0 {
			return
		}
		at += pos
		for row < len(out) && int(s.Start[row]+s.Lns[row]) < at+len(text) {
			row++
		}
		if row < len(out) && int(s.Start[row]) <= at {
			out[row] = 1
			pos = int(s.Start[row] + s.Lns[row])
			row++
			continue
		}
		pos = at + 1
	}
}

// ordered tells whether each row's bytes lie after those of the row before.
func ordered(s *column.Str) bool {
	end := uint32(0)
	for i, from := range s.Start {
		if from < end {
			return false
		}
		end = from + s.Lns[i]
	}
	return true
}
