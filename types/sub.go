package types

import (
	"strings"

	"lakeserver/cherr"
)

// Sub gives the greatest type whose values all of ts hold: that of what
// several arrays have in common. NO_COMMON_TYPE (386) if there is none.
func Sub(ts ...*Type) (*Type, error) {
	out := ts[0]
	for _, t := range ts[1:] {
		if out = sub2(out, t); out == nil {
			names := make([]string, len(ts))
			for i, t := range ts {
				names[i] = t.name
			}
			return nil, cherr.New(cherr.NoCommonType, "There is no subtype for types %s", strings.Join(names, ", "))
		}
	}
	return out, nil
}

func sub2(a, b *Type) *Type { // long: the rules in their order
	a, b = WithoutLowCardinality(a), WithoutLowCardinality(b)
	if a.Equal(b) {
		return a
	}
	if a.kind == KindNullable && b.kind == KindNullable {
		if in := sub2(a.elems[0], b.elems[0]); in != nil {
			return Nullable(in)
		}
		return nil
	}
	a, b = WithoutNullable(a), WithoutNullable(b)
	switch {
	case a.Equal(b):
		return a
	case a.IsNativeNumber() && b.IsNativeNumber():
		return subNumber(a, b)
	case a.IsString() && b.IsString():
		if a.kind == KindString {
			return b
		}
		if b.kind == KindString {
			return a
		}
	case a.IsDateOrTime() && b.IsDateOrTime():
		for _, k := range []Kind{KindDate, KindDate32, KindDateTime} {
			if a.kind == k {
				return a
			}
			if b.kind == k {
				return b
			}
		}
		if a.Scale() < b.Scale() {
			return a
		}
		return b
	}
	if a.kind != b.kind || len(a.elems) != len(b.elems) {
		return nil
	}
	elems := make([]*Type, len(a.elems))
	for i := range elems {
		x, y := a.elems[i], b.elems[i]
		if a.kind == KindArray && (x.kind == KindNothing || y.kind == KindNothing) {
			elems[i] = Nothing // of empty arrays
		} else if elems[i] = sub2(x, y); elems[i] == nil {
			return nil
		}
	}
	switch a.kind {
	case KindArray:
		return Array(elems[0])
	case KindMap:
		return Map(elems[0], elems[1])
	case KindTuple:
		return Tuple(elems, commonNames(a.names, b.names))
	}
	return nil
}

// subNumber: an integer where either is one, the narrower; unsigned where that
// is no wider than the signed one.
func subNumber(a, b *Type) *Type {
	switch {
	case a.IsFloat() && b.IsFloat():
		if a.Bytes() < b.Bytes() {
			return a
		}
		return b
	case a.IsFloat():
		return b
	case b.IsFloat():
		return a
	case a.Bytes() < b.Bytes():
		return a
	case a.Bytes() == b.Bytes() && a.IsUnsigned():
		return a
	}
	return b
}
