package cast

import (
	"bytes"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/types"
)

// toVariant wraps a value of one of the Variant's types. Text is read as the
// first type that takes it, unless String is one of them.
func (b *binder) toVariant(from, to *types.Type) (kernel, error) {
	switch from.Kind() {
	case types.KindNothing:
		return nullVariants(to), nil
	case types.KindVariant:
		return b.widenVariant(from, to)
	case types.KindDynamic:
		return b.dynamicToVariant(to), nil
	case types.KindNullable:
		if from.Elem().Kind() == types.KindNothing {
			return nullVariants(to), nil
		}
		k, err := b.toVariant(from.Elem(), to)
		if err != nil {
			return nil, err
		}
		return func(c column.Column, bad *failures) (column.Column, error) {
			values, null := column.SplitNulls(c)
			out, err := k(values, bad)
			if err != nil || null == nil {
				return out, err
			}
			return out.(*column.Variant).WithNulls(null), nil
		}, nil
	}
	if from.IsString() && !(b.o.KeepText && holdsKind(to, from.Kind())) {
		return b.parseVariant(to), nil
	}
	for _, t := range to.Elems() {
		if t.Equal(from) || types.WithoutLowCardinality(t).Equal(from) {
			ts := to.Elems()
			return func(c column.Column, _ *failures) (column.Column, error) {
				return column.NewVariant(t, c, nil).WithTypes(ts), nil
			}, nil
		}
	}
	if from.IsString() {
		return b.parseVariant(to), nil
	}
	return nil, cherr.New(cherr.CannotConvertType, "Cannot convert type %s to %s. Conversion to Variant allowed only for types from this Variant", from, to)
}

func holdsKind(t *types.Type, k types.Kind) bool {
	for _, e := range t.Elems() {
		if e.Kind() == k {
			return true
		}
	}
	return false
}

// parseVariant reads text as the first type that takes it.
func (b *binder) parseVariant(to *types.Type) kernel {
	return func(c column.Column, bad *failures) (column.Column, error) {
		s := c.(*column.Str)
		r := text.NewReader(to, text.Escaped, &b.o2)
		for i := range s.Start {
			if bytes.EqualFold(s.At(i), []byte("NULL")) {
				r.AppendDefault()
				continue
			}
			if _, err := r.Read(text.AppendEscaped(nil, s.At(i))); err != nil {
				if err := bad.fail(i, err); err != nil {
					return nil, err
				}
				r.AppendDefault()
			}
		}
		return r.Finish(), nil
	}
}

func nullVariants(to *types.Type) kernel {
	return func(c column.Column, _ *failures) (column.Column, error) {
		return column.NullVariants(to.Elems(), c.Len()), nil
	}
}

// widenVariant brings a Variant to one that has all its types.
func (b *binder) widenVariant(from, to *types.Type) (kernel, error) {
	for _, t := range from.Elems() {
		found := false
		for _, o := range to.Elems() {
			found = found || o.Equal(t)
		}
		if !found {
			return nil, cherr.New(cherr.CannotConvertType, "Cannot convert type %s to %s. Conversion between different Variant types is allowed only when new Variant type is an extension of an initial one", from, to)
		}
	}
	return func(c column.Column, _ *failures) (column.Column, error) {
		return c.(*column.Variant).WithTypes(to.Elems()), nil
	}, nil
}

func (b *binder) dynamicToVariant(to *types.Type) kernel {
	return func(c column.Column, bad *failures) (column.Column, error) {
		v := c.(*column.Variant)
		out := column.NewBuilder(to, v.Len())
		for i := range v.Kinds {
			if v.IsNull(i) {
				out.AppendDefault()
				continue
			}
			t := v.Types[v.Kinds[i]]
			k, err := b.toVariant(t, to)
			var one column.Column
			if err == nil {
				one, err = k(v.Parts[v.Kinds[i]].Slice(int(v.Rows[i]), int(v.Rows[i])+1), nil)
			}
			if err != nil {
				if err := bad.fail(i, err); err != nil {
					return nil, err
				}
				out.AppendDefault()
				continue
			}
			out.AppendRange(one, 0, 1)
		}
		return out.Finish(), nil
	}
}

// toDynamic puts the type beside each value. Text stays text.
func (b *binder) toDynamic(from *types.Type) (kernel, error) {
	switch from.Kind() {
	case types.KindVariant, types.KindDynamic:
		return identity, nil
	case types.KindNothing:
		return func(c column.Column, _ *failures) (column.Column, error) {
			return column.NullVariants(nil, c.Len()), nil
		}, nil
	case types.KindNullable:
		if from.Elem().Kind() == types.KindNothing {
			return func(c column.Column, _ *failures) (column.Column, error) {
				return column.NullVariants(nil, c.Len()), nil
			}, nil
		}
		return func(c column.Column, _ *failures) (column.Column, error) {
			values, null := column.SplitNulls(c)
			return column.NewVariant(from.Elem(), values, null), nil
		}, nil
	}
	return func(c column.Column, _ *failures) (column.Column, error) { return column.NewVariant(from, c, nil), nil }, nil
}

// fromVariant converts each value from its own type. NULL becomes NULL, or the
// default of a type without it.
func (b *binder) fromVariant(from, to *types.Type) (kernel, error) {
	fixed := map[string]kernel{}
	if from.Kind() == types.KindVariant {
		for _, t := range from.Elems() {
			k, err := b.bind(t, to)
			if err != nil && !b.try {
				return nil, err
			}
			fixed[t.String()] = k
		}
	}
	return func(c column.Column, bad *failures) (column.Column, error) {
		v := c.(*column.Variant)
		values := column.Default(to, 1)
		parts := []column.Column{values}
		source := make([]uint32, v.Len()) // of each row, in the parts joined; 0: the default
		at := uint32(1)
		for kind, t := range v.Types {
			positions, values := v.Of(kind)
			if len(positions) == 0 {
				continue
			}
			k, err := b.kernelOf(fixed, t, to)
			if err == nil {
				own := &failures{rows: values.Len()}
				if bad == nil {
					own = nil
				}
				if values, err = k(column.Full(values), own); err == nil && own != nil && own.mask != nil {
					for i, f := range own.mask {
						if f != 0 {
							bad.mark(int(positions[i]))
						}
					}
				}
			}
			if err != nil {
				if bad == nil {
					return nil, err
				}
				for _, p := range positions {
					bad.mark(int(p))
				}
				continue
			}
			for i, p := range positions {
				source[p] = at + uint32(i)
			}
			at += uint32(len(positions))
			parts = append(parts, values)
		}
		return column.Full(column.Concat(to, parts).Gather(source)), nil
	}, nil
}

func (b *binder) kernelOf(fixed map[string]kernel, t, to *types.Type) (kernel, error) {
	if k := fixed[t.String()]; k != nil {
		return k, nil
	}
	return b.bind(t, to)
}

// toJSON prints a map or tuple as an object and reads that.
func (b *binder) toJSON(from, to *types.Type) (kernel, error) {
	switch from.Kind() {
	case types.KindMap, types.KindTuple, types.KindJSON:
	default:
		return nil, cherr.New(cherr.TypeMismatch, "Cannot cast %s to JSON: only String, Map, Tuple and JSON can be cast", from)
	}
	if from.Kind() == types.KindTuple && from.Names() == nil {
		return nil, cherr.New(cherr.CannotConvertType, "Cannot cast %s to JSON: its elements have no names", from)
	}
	return func(c column.Column, bad *failures) (column.Column, error) {
		print := text.Print(from, text.JSON, &b.o2, c)
		r := text.NewReader(to, text.JSON, &b.o2)
		for i := range c.Len() {
			if _, err := r.Read(print(nil, i)); err != nil {
				if err := bad.fail(i, err); err != nil {
					return nil, err
				}
				r.AppendDefault()
			}
		}
		return r.Finish(), nil
	}, nil
}
