package cast

import (
	"bytes"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/types"
)

// toString prints. A FixedString loses its zeros at the end.
func (b *binder) toString(from *types.Type) (kernel, error) {
	switch from.Kind() {
	case types.KindAggregateFunction:
		return identity, nil
	case types.KindFixedString:
		return func(c column.Column, _ *failures) (column.Column, error) {
			s := c.(*column.Str)
			out := &column.Str{Data: s.Data, Start: s.Start, Lns: make([]uint32, len(s.Start))}
			for i := range out.Lns {
				out.Lns[i] = uint32(len(bytes.TrimRight(s.At(i), "\x00")))
			}
			return out, nil
		}, nil
	}
	return func(c column.Column, _ *failures) (column.Column, error) {
		n := c.Len()
		out := &column.Str{Data: make([]byte, 0, n*8), Start: make([]uint32, 0, n), Lns: make([]uint32, 0, n)}
		cell := text.Print(from, text.Plain, &b.o2, c)
		for i := range n {
			at := len(out.Data)
			out.Data = cell(out.Data, i)
			out.Seal(at)
		}
		return out, nil
	}, nil
}

// toFixedString pads strings with zeros; longer ones are an error.
func (b *binder) toFixedString(from, to *types.Type) (kernel, error) {
	if !from.IsString() {
		return nil, cherr.New(cherr.NotImplemented, "CAST AS FixedString is only implemented for types String and FixedString")
	}
	n := to.Length()
	return func(c column.Column, bad *failures) (column.Column, error) {
		s := c.(*column.Str)
		out := column.NewFixedStr(s.Len(), n)
		for i := range s.Start {
			v := s.At(i)
			if len(v) > n {
				if err := bad.fail(i, cherr.New(cherr.TooLargeStringSize, "String too long for type %s", to)); err != nil {
					return nil, err
				}
				v = nil
			}
			copy(out.Data[i*n:], v)
		}
		return out, nil
	}, nil
}

// parse reads text. A FixedString is read without its zeros at the end.
func (b *binder) parse(from, to *types.Type) (kernel, error) {
	switch to.Kind() {
	case types.KindMap, types.KindAggregateFunction:
		if to.Kind() != types.KindMap {
			return nil, cherr.New(cherr.CannotConvertType, "Conversion from %s to %s is not supported", from, to)
		}
		return nil, cherr.New(cherr.TypeMismatch, "Unsupported types to CAST AS Map. Left type: %s, right type: %s", from, to)
	}
	if to.Kind() == types.KindInterval {
		to = types.Int64
	}
	trim := from.Kind() == types.KindFixedString
	return func(c column.Column, bad *failures) (column.Column, error) {
		s := c.(*column.Str)
		r := text.NewReader(to, text.Plain, &b.o2)
		for i := range s.Start {
			v := s.At(i)
			if trim {
				v = bytes.TrimRight(v, "\x00")
			}
			if _, err := r.Read(v); err != nil {
				if err := bad.fail(i, err); err != nil {
					return nil, err
				}
				r.AppendDefault()
			}
		}
		return r.Finish(), nil
	}, nil
}
