package format

import (
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/types"
)

// fitter brings blocks of a document that names and types its own columns to
// the header that the reader was asked for.
type fitter struct {
	h       column.Header
	o       *Options
	missing [][]uint8
}

func newFitter(h column.Header, o *Options) *fitter { return &fitter{h: h, o: o} }

// block picks columns by name and casts where types differ. Columns that the
// document lacks get default values and are marked missing.
func (f *fitter) block(h column.Header, b *column.Block) (*column.Block, error) {
	out := &column.Block{Columns: make([]column.Column, len(f.h)), Rows: b.Rows}
	f.missing = nil
	used := 0
	for i, want := range f.h {
		at := h.Index(want.Name)
		if at < 0 {
			out.Columns[i] = column.Default(want.Type, b.Rows)
			f.miss(i, b.Rows)
			continue
		}
		used++
		c, err := f.cast(h[at].Type, want, b.Columns[at])
		if err != nil {
			return nil, err
		}
		out.Columns[i] = c
	}
	if used < len(h) && !f.o.SkipUnknownFields {
		for _, have := range h {
			if f.h.Index(have.Name) < 0 {
				return nil, cherr.New(cherr.IncorrectData, "Unknown column with name %s found while reading data", have.Name)
			}
		}
	}
	return out, nil
}

func (f *fitter) miss(i, rows int) {
	if f.missing == nil {
		f.missing = make([][]uint8, len(f.h))
	}
	ones := make([]uint8, rows)
	for r := range ones {
		ones[r] = 1
	}
	f.missing[i] = ones
}

func (f *fitter) cast(from *types.Type, want column.Field, c column.Column) (column.Column, error) {
	out, err := Convert(c, from, want.Type, &f.o.Text)
	return out, cherr.Wrap(err, "converting column `%s` from type %s to type %s", want.Name, from, want.Type)
}

// Convert brings values of one type to another: nested ones element by
// element, those of equal bytes as they are, all others by way of their text,
// which every type has. NULL becomes the default where the target has no NULL.
func Convert(c column.Column, from, to *types.Type, o *text.Options) (column.Column, error) {
	from, to = bare(from), bare(to)
	if from.Equal(to) {
		return c, nil
	}
	if out := reinterpret(from, to, c); out != nil {
		return out, nil
	}
	switch c := column.Full(c).(type) {
	case *column.Nullable:
		if !to.IsNullable() {
			return Convert(c.Values, types.WithoutNullable(from), to, o)
		}
	case *column.Array:
		if to.Kind() == types.KindArray {
			e, err := Convert(c.Elems, from.Elem(), to.Elem(), o)
			return &column.Array{Offsets: c.Offsets, Elems: e}, err
		}
	case *column.Map:
		if to.Kind() == types.KindMap {
			kv, err := convertAll([]column.Column{c.Keys, c.Values}, from.Elems(), to.Elems(), o)
			if err != nil {
				return nil, err
			}
			return &column.Map{Offsets: c.Offsets, Keys: kv[0], Values: kv[1]}, nil
		}
	case *column.Tuple:
		if to.Kind() == types.KindTuple && len(from.Elems()) == len(to.Elems()) {
			elems, err := convertAll(c.Elems, from.Elems(), to.Elems(), o)
			return &column.Tuple{Elems: elems, N: c.N}, err
		}
	}
	return convertText(c, from, to, o)
}

// bare leaves out what says nothing of the values.
func bare(t *types.Type) *types.Type {
	for t.Kind() == types.KindLowCardinality || t.Kind() == types.KindSimpleAggregateFunction {
		t = t.Elem()
	}
	return t
}

func convertAll(cols []column.Column, from, to []*types.Type, o *text.Options) ([]column.Column, error) {
	out := make([]column.Column, len(cols))
	for i, c := range cols {
		var err error
		if out[i], err = Convert(c, from[i], to[i], o); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func convertText(c column.Column, from, to *types.Type, o *text.Options) (column.Column, error) {
	print := text.Print(from, text.Plain, o, c)
	r := text.NewReader(to, text.Plain, o)
	var buf []byte
	for row := range c.Len() {
		if column.IsNullAt(c, row) {
			r.AppendDefault()
			continue
		}
		buf = print(buf[:0], row)
		if _, err := r.Read(buf); err != nil {
			return nil, err
		}
	}
	return r.Finish(), nil
}

// Fit brings a block to another header of the same columns: by name, casting
// where types differ.
func Fit(h column.Header, b *column.Block, to column.Header, o *Options) (*column.Block, error) {
	same := len(h) == len(to)
	for i := 0; same && i < len(h); i++ {
		same = h[i].Name == to[i].Name && h[i].Type.Equal(to[i].Type)
	}
	if same {
		return b, nil
	}
	return newFitter(to, o).block(h, b)
}

// reinterpret takes values whose bytes are the target's already: integers that
// stand for dates, addresses and enums, bytes that stand for wide numbers. nil:
// they are not.
func reinterpret(from, to *types.Type, c column.Column) column.Column {
	f, t := types.Unwrap(from), types.Unwrap(to)
	if n, ok := column.Full(c).(*column.Nullable); ok {
		values := reinterpret(f, t, n.Values)
		if values == nil || !to.IsNullable() {
			return nil
		}
		return &column.Nullable{Values: values, Null: n.Null}
	}
	if to.IsNullable() {
		if values := reinterpret(f, t, c); values != nil {
			return &column.Nullable{Values: values}
		}
		return nil
	}
	if f.Kind() == t.Kind() && f.Scale() == t.Scale() && !nested(f) && !f.IsEnum() && f.Kind() != types.KindFixedString {
		return c // another time zone or precision
	}
	if f.Physical() == t.Physical() && f.IsInteger() && !t.IsDecimal() && !t.IsEnum() && t.Physical() != types.PhysString {
		return c
	}
	if s, ok := column.Full(c).(*column.Str); ok && f.Kind() == types.KindFixedString && f.Length() == t.Bytes() {
		switch t.Kind() {
		case types.KindUUID:
			return uuids(s)
		case types.KindIPv6:
			return fromBytes[types.Addr6](s)
		case types.KindInt128:
			return fromBytes[types.I128](s)
		case types.KindUInt128:
			return fromBytes[types.U128](s)
		case types.KindInt256:
			return fromBytes[types.I256](s)
		case types.KindUInt256:
			return fromBytes[types.U256](s)
		}
	}
	return nil
}

func fromBytes[T column.Element](s *column.Str) column.Column {
	out := make([]T, s.Len())
	raw := rawBytes(out)
	for i := range out {
		copy(raw[i*len(raw)/len(out):], s.At(i))
	}
	return column.NewFixed(out)
}
