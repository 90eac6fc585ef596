package text

import (
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// wholeReader reads a nested value that is the whole of a Plain text or a CSV
// string: its own reader works inside.
type wholeReader struct {
	Reader
	form    Form
	o       *Options
	name    string
	scratch []byte
}

func nested(r Reader, f Form, o *Options, name string) Reader {
	if f == Plain || f == CSV {
		return &wholeReader{Reader: r, form: f, o: o, name: name}
	}
	return r
}

// Read reads the inside and sees that nothing follows.
func (r *wholeReader) Read(src []byte) (int, error) {
	s, n, quoted, err := token(src, r.form, r.o, r.scratch[:0])
	if err != nil {
		return 0, err
	}
	if quoted {
		r.scratch = s[:0]
	}
	rows := r.Len()
	used, err := r.Reader.Read(s)
	if err == nil && used+spaces(s[used:]) != len(s) {
		r.Truncate(rows)
		err = cherr.New(cherr.UnexpectedDataAfterParsedValue, "Unexpected data '%s' after parsed %s value '%s'", s[used:], r.name, s[:used])
	}
	return n, err
}

// expect takes one mark off the front, spaces before it skipped.
func expect(src []byte, n int, mark byte) (int, error) {
	n += spaces(src[n:])
	if n >= len(src) {
		return 0, cherr.New(cherr.CannotParseInputAssertionFailed, "Cannot parse input: expected '%c' at end of stream", mark)
	}
	if src[n] != mark {
		return 0, cherr.New(cherr.CannotParseInputAssertionFailed, "Cannot parse input: expected '%c' before: '%s'", mark, src[n:min(len(src), n+40)])
	}
	return n + 1, nil
}

// at tells whether a mark stands next, spaces before it skipped.
func at(src []byte, n int, mark byte) (int, bool) {
	n += spaces(src[n:])
	return n + 1, n < len(src) && src[n] == mark
}

type arrayReader struct {
	elems   Reader
	offsets []uint64
	form    Form
}

func (r *arrayReader) Read(src []byte) (int, error) {
	n, ok := at(src, 0, '[')
	if !ok {
		return 0, cherr.New(cherr.CannotReadArrayFromText, "Array does not start with '[' character")
	}
	n, err := r.elements(src, n)
	if err != nil {
		r.elems.Truncate(int(r.offsets[len(r.offsets)-1]))
		return 0, err
	}
	r.AppendDefault()
	return n, nil
}

func (r *arrayReader) elements(src []byte, n int) (int, error) {
	if next, ok := at(src, n, ']'); ok {
		return next, nil
	}
	for {
		used, err := r.elems.Read(src[n:])
		if err != nil {
			return 0, err
		}
		n += used
		if next, ok := at(src, n, ']'); ok {
			return next, nil
		}
		next, ok := at(src, n, ',')
		if !ok {
			_, err := expect(src, n, ']')
			return 0, err
		}
		n = next
	}
}

func (r *arrayReader) AppendDefault() { r.offsets = append(r.offsets, uint64(r.elems.Len())) }
func (r *arrayReader) Len() int       { return len(r.offsets) - 1 }
func (r *arrayReader) Truncate(n int) {
	r.offsets = r.offsets[:n+1]
	r.elems.Truncate(int(r.offsets[n]))
}

func (r *arrayReader) Finish() column.Column {
	c := &column.Array{Offsets: r.offsets, Elems: r.elems.Finish()}
	r.offsets = []uint64{0}
	return c
}

type mapReader struct {
	keys, values Reader
	offsets      []uint64
	form         Form
}

func newMapReader(t *types.Type, f Form, o *Options) *mapReader {
	return &mapReader{newReader(t.Elems()[0], f, o), newReader(t.Elems()[1], f, o), []uint64{0}, f}
}

func (r *mapReader) Read(src []byte) (int, error) {
	n, err := r.entries(src)
	if err != nil {
		last := int(r.offsets[len(r.offsets)-1])
		r.keys.Truncate(last)
		r.values.Truncate(last)
		return 0, err
	}
	r.AppendDefault()
	return n, nil
}

func (r *mapReader) entries(src []byte) (int, error) {
	n, err := expect(src, 0, '{')
	if err != nil {
		return 0, err
	}
	if next, ok := at(src, n, '}'); ok {
		return next, nil
	}
	for {
		used, err := r.keys.Read(src[n:])
		if err != nil {
			return 0, err
		}
		if n, err = expect(src, n+used, ':'); err != nil {
			return 0, err
		}
		if used, err = r.values.Read(src[n:]); err != nil {
			return 0, err
		}
		n += used
		if next, ok := at(src, n, '}'); ok {
			return next, nil
		}
		if n, err = expect(src, n, ','); err != nil {
			return 0, err
		}
	}
}

func (r *mapReader) AppendDefault() { r.offsets = append(r.offsets, uint64(r.keys.Len())) }
func (r *mapReader) Len() int       { return len(r.offsets) - 1 }
func (r *mapReader) Truncate(n int) {
	r.offsets = r.offsets[:n+1]
	r.keys.Truncate(int(r.offsets[n]))
	r.values.Truncate(int(r.offsets[n]))
}

func (r *mapReader) Finish() column.Column {
	c := &column.Map{Offsets: r.offsets, Keys: r.keys.Finish(), Values: r.values.Finish()}
	r.offsets = []uint64{0}
	return c
}

type tupleReader struct {
	elems []Reader
	names []string
	n     int
	form  Form
	o     *Options
}

func newTupleReader(t *types.Type, f Form, o *Options) *tupleReader {
	r := &tupleReader{names: t.Names(), form: f, o: o}
	for _, e := range t.Elems() {
		r.elems = append(r.elems, newReader(e, f, o))
	}
	return r
}

func (r *tupleReader) Read(src []byte) (int, error) {
	n, err := r.tuple(src)
	if err != nil {
		r.Truncate(r.n)
		return 0, err
	}
	r.n++
	return n, nil
}

func (r *tupleReader) tuple(src []byte) (int, error) {
	open, end, comma := byte('('), byte(')'), byte(',')
	n := 0
	switch {
	case r.form == CSV:
		return r.list(src, 0, r.o.delimiter())
	case r.form == JSON:
		if next, ok := at(src, 0, '{'); ok {
			return r.object(src, next)
		}
		open, end = '[', ']'
	}
	n, err := expect(src, n, open)
	if err != nil {
		return 0, err
	}
	if n, err = r.list(src, n, comma); err != nil {
		return 0, err
	}
	if next, ok := at(src, n, comma); ok && len(r.elems) == 1 { // (1,) is a tuple too
		n = next
	}
	return expect(src, n, end)
}

func (r *tupleReader) list(src []byte, n int, comma byte) (int, error) {
	for i, e := range r.elems {
		if i > 0 {
			var err error
			if n, err = expect(src, n, comma); err != nil {
				return 0, err
			}
		}
		used, err := e.Read(src[n:])
		if err != nil {
			return 0, err
		}
		n += used
	}
	return n, nil
}

// object reads elements by name; missing ones are defaults, unknown ones are
// skipped.
func (r *tupleReader) object(src []byte, n int) (int, error) {
	for {
		if next, ok := at(src, n, '}'); ok {
			r.fill()
			return next, nil
		}
		n += spaces(src[n:])
		key, used, err := UnquoteJSON(src[n:], nil)
		if err != nil {
			return 0, err
		}
		if n, err = expect(src, n+used, ':'); err != nil {
			return 0, err
		}
		if used, err = r.member(string(key), src[n:]); err != nil {
			return 0, err
		}
		n += used
		if next, ok := at(src, n, ','); ok {
			n = next
		} else if _, ok := at(src, n, '}'); !ok {
			_, err := expect(src, n, '}')
			return 0, err
		}
	}
}

func (r *tupleReader) member(name string, src []byte) (int, error) {
	for i, want := range r.names {
		if want == name && r.elems[i].Len() == r.n {
			return r.elems[i].Read(src)
		}
	}
	return SkipJSON(src)
}

func (r *tupleReader) fill() {
	for _, e := range r.elems {
		if e.Len() == r.n {
			e.AppendDefault()
		}
	}
}

func (r *tupleReader) AppendDefault() {
	r.fill()
	r.n++
}
func (r *tupleReader) Len() int { return r.n }
func (r *tupleReader) Truncate(n int) {
	r.n = n
	for _, e := range r.elems {
		if e.Len() > n {
			e.Truncate(n)
		}
	}
}

func (r *tupleReader) Finish() column.Column {
	c := &column.Tuple{N: r.n}
	for _, e := range r.elems {
		c.Elems = append(c.Elems, e.Finish())
	}
	r.n = 0
	return c
}
