package types

import (
	"strings"

	"lakeserver/cherr"
)

// Super gives the least type that holds the values of all ts: what if, array,
// UNION and coalesce make of their operands. NO_COMMON_TYPE (386) if there is
// none. No types give Nothing.
func Super(ts ...*Type) (*Type, error) {
	if len(ts) == 0 {
		return Nothing, nil
	}
	if t := superWithFloats(ts); t != nil {
		return t, nil
	}
	if t, ok := superOfNested(ts); ok {
		if t == nil {
			return nil, noCommon(ts)
		}
		return t, nil
	}
	out := ts[0]
	for _, t := range ts[1:] {
		next := super2(out, t)
		if next == nil && out.IsInteger() && t.IsInteger() {
			// Integers do not associate: UInt64 and Int8 have none, with Int128 they have.
			next = superOfIntegers(ts)
			if next != nil {
				return next, nil
			}
		}
		if next == nil {
			return nil, noCommon(ts)
		}
		out = next
	}
	return out, nil
}

func noCommon(ts []*Type) error {
	names := make([]string, len(ts))
	for i, t := range ts {
		names[i] = t.name
	}
	return cherr.New(cherr.NoCommonType, "There is no supertype for types %s", strings.Join(names, ", "))
}

// superWithFloats gives the float that holds all of several numbers, nil where
// the pairwise rules decide: integers of 1 and 2 bytes fit Float32, of 4 Float64.
// By pairs Int8, UInt32 and Float64 would have none, through Int64.
func superWithFloats(ts []*Type) *Type {
	if len(ts) < 3 {
		return nil
	}
	widest, floats := 0, false
	for _, t := range ts {
		switch {
		case t.kind == KindFloat64:
			widest, floats = max(widest, 4), true
		case t.kind == KindFloat32:
			floats = true
		case t.IsInteger() && t.kind != KindBool && t.Bytes() <= 4:
			widest = max(widest, t.Bytes())
		default:
			return nil
		}
	}
	switch {
	case !floats:
		return nil
	case widest == 4:
		return Float64
	}
	return Float32
}

func superOfIntegers(ts []*Type) *Type {
	var unsigned, signed int
	for _, t := range ts {
		switch {
		case t.IsUnsigned():
			unsigned = max(unsigned, t.Bytes())
		case t.IsSigned():
			signed = max(signed, t.Bytes())
		default:
			return nil
		}
	}
	if signed > unsigned {
		return intOf(signed, true)
	}
	return nil
}

func super2(a, b *Type) *Type { // long: the rules in their order
	if a.Equal(b) {
		return a
	}
	switch {
	case a.kind == KindDynamic:
		return a
	case b.kind == KindDynamic:
		return b
	case a.kind == KindVariant || b.kind == KindVariant:
		return Variant(a, b)
	}
	if a.kind == KindSimpleAggregateFunction {
		return super2(a.elems[0], b)
	}
	if b.kind == KindSimpleAggregateFunction {
		return super2(a, b.elems[0])
	}
	if a.kind == KindLowCardinality || b.kind == KindLowCardinality {
		// LowCardinality stays only among its like.
		in := super2(WithoutLowCardinality(a), WithoutLowCardinality(b))
		if in != nil && a.kind == b.kind {
			return LowCardinality(in)
		}
		return in
	}
	if a.kind == KindNothing {
		return b
	}
	if b.kind == KindNothing {
		return a
	}
	if a.kind == KindNullable || b.kind == KindNullable {
		in := super2(WithoutNullable(a), WithoutNullable(b))
		if in == nil || !in.CanBeNullable() {
			return nil
		}
		return Nullable(in)
	}
	switch {
	case a.IsNumber() && b.IsNumber():
		return superNumber(a, b)
	case a.IsString() && b.IsString(), a.IsEnum() && b.IsString(), a.IsString() && b.IsEnum():
		return String
	case a.IsEnum() && b.IsEnum():
		return superEnum(a, b)
	case a.IsEnum() && b.IsNativeNumber():
		return superNumber(enumInt(a), b)
	case b.IsEnum() && a.IsNativeNumber():
		return superNumber(a, enumInt(b))
	case a.IsDateOrTime() && b.IsDateOrTime():
		return superTime(a, b)
	case a.kind == KindInterval && b.IsInteger():
		return a
	case b.kind == KindInterval && a.IsInteger():
		return b
	case a.kind == KindIPv4 && b.IsUnsigned():
		return superNumber(UInt32, b)
	case b.kind == KindIPv4 && a.IsUnsigned():
		return superNumber(a, UInt32)
	}
	if a.kind == b.kind {
		return superNested(a, b)
	}
	return nil
}

// superOfNested gives the type of several arrays, maps or tuples: numbers within
// do not go pair by pair either. Without ok the types are not all of one such
// kind; nil: they have none.
func superOfNested(ts []*Type) (t *Type, ok bool) {
	first := ts[0]
	if len(ts) < 3 || first.kind != KindArray && first.kind != KindTuple && first.kind != KindMap {
		return nil, false
	}
	for _, t := range ts[1:] {
		if t.kind != first.kind || len(t.elems) != len(first.elems) {
			return nil, false
		}
	}
	elems, names := make([]*Type, len(first.elems)), first.names
	for i := range elems {
		each := make([]*Type, len(ts))
		for k, t := range ts {
			each[k] = t.elems[i]
		}
		e, err := Super(each...)
		if err != nil {
			return nil, true
		}
		elems[i] = e
	}
	for _, t := range ts[1:] {
		names = commonNames(names, t.names)
	}
	switch first.kind {
	case KindArray:
		return Array(elems[0]), true
	case KindMap:
		return Map(elems[0], elems[1]), true
	}
	return Tuple(elems, names), true
}

func superNested(a, b *Type) *Type {
	switch a.kind {
	case KindArray:
		if e := super2(a.elems[0], b.elems[0]); e != nil {
			return Array(e)
		}
	case KindMap:
		k, v := super2(a.elems[0], b.elems[0]), super2(a.elems[1], b.elems[1])
		if k != nil && v != nil {
			return Map(k, v)
		}
	case KindTuple:
		if len(a.elems) != len(b.elems) {
			return nil
		}
		elems := make([]*Type, len(a.elems))
		for i := range elems {
			if elems[i] = super2(a.elems[i], b.elems[i]); elems[i] == nil {
				return nil
			}
		}
		return Tuple(elems, commonNames(a.names, b.names))
	}
	return nil
}

func commonNames(a, b []string) []string {
	if len(a) != len(b) {
		return nil
	}
	for i := range a {
		if a[i] != b[i] {
			return nil
		}
	}
	return a
}

func enumInt(t *Type) *Type {
	if t.kind == KindEnum8 {
		return Int8
	}
	return Int16
}

// superEnum: the values of both as integers, unless one enum holds the other.
func superEnum(a, b *Type) *Type {
	if enumHolds(a, b) {
		return a
	}
	if enumHolds(b, a) {
		return b
	}
	return superNumber(enumInt(a), enumInt(b))
}

func enumHolds(a, b *Type) bool {
	for _, name := range b.enum.names {
		v, ok := a.enum.byName[name]
		if !ok || v != b.enum.byName[name] {
			return false
		}
	}
	return a.kind == b.kind
}

func superNumber(a, b *Type) *Type {
	if a.kind == KindBool {
		a = UInt8
	}
	if b.kind == KindBool {
		b = UInt8
	}
	switch {
	case a.IsDecimal() || b.IsDecimal():
		return superDecimal(a, b)
	case a.IsFloat() || b.IsFloat():
		return superFloat(a, b)
	}
	size := max(a.Bytes(), b.Bytes())
	switch {
	case a.IsUnsigned() == b.IsUnsigned():
		return intOf(size, a.IsSigned())
	case a.IsUnsigned() && a.Bytes() >= b.Bytes(), b.IsUnsigned() && b.Bytes() >= a.Bytes():
		// A signed type of twice the width holds both; 64 bits stop here, since
		// ClickHouse does not go to 128 bits by itself.
		if size == 8 || size == 32 {
			return nil
		}
		return intOf(size*2, true)
	}
	return intOf(size, true)
}

func intOf(size int, signed bool) *Type {
	name := map[int]string{1: "Int8", 2: "Int16", 4: "Int32", 8: "Int64", 16: "Int128", 32: "Int256"}[size]
	if !signed {
		name = "U" + name
	}
	return byName[name]
}

// superFloat: a float holds integers as wide as its mantissa; wider ones need
// the next float, and 64-bit integers have none.
func superFloat(a, b *Type) *Type {
	bits := 0
	for _, t := range []*Type{a, b} {
		need := 0
		switch {
		case t.kind == KindBFloat16:
			need = 16
		case t.kind == KindFloat32:
			need = 32
		case t.kind == KindFloat64:
			need = 64
		case t.Bytes() == 1:
			need = 16
		case t.Bytes() == 2:
			need = 32
		case t.Bytes() == 4:
			need = 64
		default:
			return nil
		}
		bits = max(bits, need)
	}
	return map[int]*Type{16: BFloat16, 32: Float32, 64: Float64}[bits]
}

// superDecimal keeps all fraction digits and the integer digits of both.
func superDecimal(a, b *Type) *Type {
	if a.IsFloat() || b.IsFloat() {
		return nil
	}
	scale := max(a.scale, b.scale)
	whole := max(wholeDigits(a), wholeDigits(b))
	if whole == 0 {
		return nil
	}
	p := whole + scale
	if scale == 0 { // ClickHouse takes Int32 and Int64 for decimals of their own width here
		if a.IsSigned() || b.IsSigned() {
			p = max(signedDigits(a), signedDigits(b))
		}
	}
	if a.IsDecimal() && b.IsDecimal() {
		p = max(widthDigits(a), widthDigits(b))
	}
	switch {
	case p <= 9:
		p = 9
	case p <= 18:
		p = 18
	case p <= 38:
		p = 38
	case p <= 76:
		p = 76
	default:
		return nil
	}
	return Decimal(p, scale)
}

func signedDigits(t *Type) int {
	if t.IsSigned() {
		return map[int]int{1: 3, 2: 5, 4: 9, 8: 18}[t.Bytes()]
	}
	return wholeDigits(t)
}

// widthDigits is the most digits of a decimal's form.
func widthDigits(t *Type) int {
	return map[Kind]int{KindDecimal32: 9, KindDecimal64: 18, KindDecimal128: 38, KindDecimal256: 76}[t.kind]
}

// wholeDigits is the digits before the point; 0 for integers that ClickHouse
// does not join with decimals.
func wholeDigits(t *Type) int {
	if t.IsDecimal() {
		return t.precision - t.scale
	}
	return map[int]int{1: 3, 2: 5, 4: 10, 8: 20}[t.Bytes()]
}

func superTime(a, b *Type) *Type {
	if a.kind > b.kind {
		a, b = b, a
	}
	switch b.kind {
	case KindDate32:
		return Date32
	case KindDateTime:
		if a.kind == KindDate32 {
			return DateTime64(0, "", nil)
		}
		return b
	case KindDateTime64:
		if a.kind == KindDateTime64 && a.scale > b.scale {
			return a
		}
		return b
	}
	return b
}
