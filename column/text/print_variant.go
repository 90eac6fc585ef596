package text

import (
	"lakeserver/column"
	"lakeserver/types"
)

// printVariant prints each value as its own type.
func printVariant(f Form, o *Options, c *column.Variant) Cell {
	word := o.null(f)
	parts := make([]Cell, len(c.Parts))
	for i, p := range c.Parts {
		parts[i] = bindPrint(c.Types[i], f, o, p)
	}
	return func(dst []byte, row int) []byte {
		k := c.Kinds[row]
		if k == column.NullVariant {
			return append(dst, word...)
		}
		return parts[k](dst, int(c.Rows[row]))
	}
}

// variantReader reads a value as the first of its types that takes all of it.
type variantReader struct {
	types   []*types.Type
	order   []int // of trying
	readers []Reader
	form    Form
	o       *Options
	kinds   []uint8
	rows    []uint32
	name    string
}

func newVariantReader(t *types.Type, f Form, o *Options) *variantReader {
	r := &variantReader{types: t.Elems(), form: f, o: o, name: t.String()}
	checked := *o
	checked.Checked, checked.BasicTimes = true, true
	for _, e := range r.types {
		r.readers = append(r.readers, newReader(e, f, &checked))
	}
	r.order = tryOrder(r.types)
	return r
}

// tryOrder puts narrow types before those that read the same text: ClickHouse's
// order of deserialisation.
func tryOrder(ts []*types.Type) []int {
	order := make([]int, len(ts))
	for i := range order {
		order[i] = i
	}
	for i := 1; i < len(order); i++ {
		for j := i; j > 0 && tryRank(ts[order[j]]) > tryRank(ts[order[j-1]]); j-- {
			order[j], order[j-1] = order[j-1], order[j]
		}
	}
	return order
}

// tryRank is higher for types that are tried earlier.
func tryRank(t *types.Type) int { // long: one case a kind
	switch t.Kind() {
	case types.KindArray, types.KindMap, types.KindTuple, types.KindJSON:
		depth := 0
		for _, e := range t.Elems() {
			depth = max(depth, tryRank(e))
		}
		return 1000 + min(depth, 900)
	case types.KindEnum8, types.KindEnum16:
		return 500
	case types.KindBool:
		return 450
	case types.KindInt8:
		return 400
	case types.KindUInt8:
		return 399
	case types.KindInt16:
		return 398
	case types.KindUInt16:
		return 397
	case types.KindInt32:
		return 396
	case types.KindUInt32:
		return 395
	case types.KindInt64:
		return 394
	case types.KindUInt64:
		return 393
	case types.KindInt128:
		return 392
	case types.KindUInt128:
		return 391
	case types.KindInt256:
		return 390
	case types.KindUInt256:
		return 389
	case types.KindIPv4:
		return 380
	case types.KindIPv6:
		return 379
	case types.KindUUID:
		return 370
	case types.KindDate:
		return 360
	case types.KindDate32:
		return 359
	case types.KindDateTime:
		return 358
	case types.KindDateTime64:
		return 357
	case types.KindDecimal32:
		return 350
	case types.KindDecimal64:
		return 349
	case types.KindDecimal128:
		return 348
	case types.KindDecimal256:
		return 347
	case types.KindFloat32, types.KindBFloat16:
		return 341
	case types.KindFloat64:
		return 340
	case types.KindFixedString:
		return 100
	case types.KindString:
		return 10
	case types.KindLowCardinality:
		return tryRank(t.Elem())
	}
	return 200
}

// field gives the length of the value at the front of src as it stands.
func field(src []byte, f Form, o *Options) (int, error) {
	switch f {
	case JSON:
		return SkipJSON(src)
	case Quoted:
		return quotedEnd(src)
	}
	_, n, _, err := token(src, f, o, nil)
	return n, err
}

// quotedEnd goes over an SQL literal, nested ones whole.
func quotedEnd(src []byte) (int, error) {
	depth := 0
	n := spaces(src)
	for n < len(src) {
		switch c := src[n]; {
		case c == '\'':
			_, used, err := Unquote(src[n:], nil)
			if err != nil {
				return 0, err
			}
			n += used - 1
		case c == '[' || c == '(' || c == '{':
			depth++
		case c == ']' || c == ')' || c == '}':
			if depth == 0 {
				return n, nil
			}
			depth--
		case depth == 0 && ends[c]:
			return n, nil
		}
		n++
	}
	return n, nil
}

func (r *variantReader) Read(src []byte) (int, error) {
	if n, ok := nullToken(src, r.form, r.o); ok {
		r.AppendDefault()
		return n, nil
	}
	n, err := field(src, r.form, r.o)
	if err != nil {
		return 0, err
	}
	for _, k := range r.order {
		before := r.readers[k].Len()
		used, err := r.readers[k].Read(src[:n])
		if err == nil && (used == n || spaces(src[used:n]) == n-used) && r.takes(k, src[:n]) {
			r.kinds, r.rows = append(r.kinds, uint8(k)), append(r.rows, uint32(before))
			return n, nil
		}
		r.readers[k].Truncate(before)
	}
	return 0, errVariant(r.name, src[:n])
}

// takes refuses what a reader is lenient about: a text in quotes is no number,
// and what stands bare is no text, where the form tells them apart.
func (r *variantReader) takes(k int, src []byte) bool {
	t := types.WithoutLowCardinality(r.types[k])
	src = src[spaces(src):]
	if len(src) == 0 {
		return t.Kind() == types.KindString || r.form == JSON || r.form == Quoted
	}
	switch r.form {
	case JSON:
		quoted := src[0] == '"'
		if quoted && (t.IsNumber() && !t.IsDecimal()) {
			return false
		}
		return t.Kind() != types.KindFixedString || quoted && len(src)-2 == t.Length()
	case Quoted:
		quoted := src[0] == '\''
		return !quoted || !t.IsNumber()
	}
	if t.Kind() == types.KindFixedString {
		return len(src) == t.Length() || r.form == CSV && src[0] == '"' && len(src)-2 == t.Length()
	}
	return true
}

func (r *variantReader) AppendDefault() {
	r.kinds, r.rows = append(r.kinds, column.NullVariant), append(r.rows, 0)
}

func (r *variantReader) Len() int { return len(r.kinds) }

func (r *variantReader) Truncate(n int) {
	for _, k := range r.kinds[n:] {
		if k != column.NullVariant {
			r.readers[k].Truncate(r.readers[k].Len() - 1)
		}
	}
	r.kinds, r.rows = r.kinds[:n], r.rows[:n]
}

func (r *variantReader) Finish() column.Column {
	c := &column.Variant{Types: r.types, Kinds: r.kinds, Rows: r.rows}
	for _, p := range r.readers {
		c.Parts = append(c.Parts, p.Finish())
	}
	r.kinds, r.rows = nil, nil
	return c
}

// dynamicReader finds each value's type by itself.
type dynamicReader struct {
	form    Form
	o       *Options
	types   []*types.Type
	readers []Reader
	kinds   []uint8
	rows    []uint32
}

func (r *dynamicReader) Read(src []byte) (int, error) {
	if n, ok := nullToken(src, r.form, r.o); ok {
		r.AppendDefault()
		return n, nil
	}
	n, err := field(src, r.form, r.o)
	if err != nil {
		return 0, err
	}
	t := types.String
	switch {
	case r.form == JSON && r.o.Infer == nil:
		t = JSONType(src[:n])
	case r.o.Infer != nil && r.form != Plain:
		t = r.o.Infer(src[:n], r.form)
	}
	for _, t := range []*types.Type{t, types.String} {
		k, err := r.number(t)
		if err != nil {
			return 0, err
		}
		before := r.readers[k].Len()
		if _, err = r.readers[k].Read(src[:n]); err == nil {
			r.kinds, r.rows = append(r.kinds, uint8(k)), append(r.rows, uint32(before))
			return n, nil
		}
		r.readers[k].Truncate(before)
		if t.Kind() == types.KindString {
			return 0, err
		}
	}
	return n, nil
}

func (r *dynamicReader) number(t *types.Type) (int, error) {
	for k, have := range r.types {
		if have.Equal(t) {
			return k, nil
		}
	}
	if len(r.types) == column.NullVariant {
		return 0, errManyTypes
	}
	r.types, r.readers = append(r.types, t), append(r.readers, newReader(t, r.form, r.o))
	return len(r.types) - 1, nil
}

func (r *dynamicReader) AppendDefault() {
	r.kinds, r.rows = append(r.kinds, column.NullVariant), append(r.rows, 0)
}

func (r *dynamicReader) Len() int { return len(r.kinds) }

func (r *dynamicReader) Truncate(n int) {
	for _, k := range r.kinds[n:] {
		if k != column.NullVariant {
			r.readers[k].Truncate(r.readers[k].Len() - 1)
		}
	}
	r.kinds, r.rows = r.kinds[:n], r.rows[:n]
}

func (r *dynamicReader) Finish() column.Column {
	c := &column.Variant{Types: r.types, Kinds: r.kinds, Rows: r.rows}
	for _, p := range r.readers {
		c.Parts = append(c.Parts, p.Finish())
	}
	r.types, r.readers, r.kinds, r.rows = nil, nil, nil, nil
	return c
}
