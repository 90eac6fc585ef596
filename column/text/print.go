package text

import (
	"strconv"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
	"lakeserver/types/civil"
)

// Cell writes one row of a column.
type Cell func(dst []byte, row int) []byte

// Print binds a column of type t, in any form, to its text. It is called once
// a block and column; the Cell is used by one goroutine at a time. o may be nil.
func Print(t *types.Type, f Form, o *Options, c column.Column) Cell {
	if o == nil {
		o = defaults
	}
	return bindPrint(t, f, o, c)
}

func bindPrint(t *types.Type, f Form, o *Options, c column.Column) Cell { // long: one case a kind
	switch x := c.(type) {
	case *column.Const:
		one := bindPrint(t, f, o, x.Value)
		return func(dst []byte, _ int) []byte { return one(dst, 0) }
	case *column.Dict:
		entry := bindPrint(t, f, o, x.Values)
		return func(dst []byte, row int) []byte { return entry(dst, int(x.Codes[row])) }
	}
	switch t.Kind() {
	case types.KindLowCardinality, types.KindSimpleAggregateFunction:
		return bindPrint(t.Elem(), f, o, c)
	case types.KindNullable:
		return printNullable(t, f, o, c)
	case types.KindNothing:
		word := o.null(f)
		return func(dst []byte, _ int) []byte { return append(dst, word...) }
	case types.KindString, types.KindFixedString, types.KindAggregateFunction:
		return printString(f, o, c.(*column.Str))
	case types.KindJSON:
		if f == JSON {
			return printString(Plain, o, shownObjects(c.(*column.Str)))
		}
		return printString(f, o, shownObjects(c.(*column.Str)))
	case types.KindVariant, types.KindDynamic:
		return printVariant(f, o, c.(*column.Variant))
	case types.KindBool:
		v := column.Values[uint8](c)
		plain := *o
		if f == Quoted || f == JSON {
			plain.True, plain.False = "", ""
		}
		return func(dst []byte, row int) []byte { return append(dst, plain.bool(v[row] != 0)...) }
	case types.KindArray:
		return printArray(t, f, o, c.(*column.Array))
	case types.KindTuple:
		return printTuple(t, f, o, c.(*column.Tuple))
	case types.KindMap:
		return printMap(t, f, o, c.(*column.Map))
	}
	if t.IsInteger() || t.Kind() == types.KindInterval {
		wide := t.Bytes() >= 8
		return quoteIf(printInteger(c), f == JSON && o.QuoteInt64 && wide)
	}
	if t.IsFloat() {
		return printFloat(t, f, o, c)
	}
	if t.IsDecimal() {
		return quoteIf(printDecimal(t, o, c), f == JSON && o.QuoteDecimals)
	}
	return printWord(t, f, o, c)
}

func quoteIf(cell Cell, quote bool) Cell {
	if !quote {
		return cell
	}
	return func(dst []byte, row int) []byte { return append(cell(append(dst, '"'), row), '"') }
}

func printNullable(t *types.Type, f Form, o *Options, c column.Column) Cell {
	word := o.null(f)
	n, ok := c.(*column.Nullable)
	if !ok {
		if _, nothing := c.(*column.Nothing); nothing {
			return func(dst []byte, _ int) []byte { return append(dst, word...) }
		}
		return bindPrint(t.Elem(), f, o, c)
	}
	value := bindPrint(t.Elem(), f, o, n.Values)
	if n.Null == nil {
		return value
	}
	return func(dst []byte, row int) []byte {
		if n.Null[row] != 0 {
			return append(dst, word...)
		}
		return value(dst, row)
	}
}

func printString(f Form, o *Options, c *column.Str) Cell {
	switch f {
	case Escaped:
		return func(dst []byte, row int) []byte { return AppendEscaped(dst, c.At(row)) }
	case Quoted:
		return func(dst []byte, row int) []byte { return AppendQuoted(dst, c.At(row)) }
	case CSV:
		return func(dst []byte, row int) []byte { return AppendCSV(dst, c.At(row)) }
	case JSON:
		slashes := !o.PlainSlashes
		return func(dst []byte, row int) []byte { return AppendJSON(dst, c.At(row), slashes) }
	}
	return func(dst []byte, row int) []byte { return append(dst, c.At(row)...) }
}

func printInteger(c column.Column) Cell {
	switch c := c.(type) {
	case *column.Fixed[uint8]:
		return printUnsigned(c.Values)
	case *column.Fixed[uint16]:
		return printUnsigned(c.Values)
	case *column.Fixed[uint32]:
		return printUnsigned(c.Values)
	case *column.Fixed[uint64]:
		return printUnsigned(c.Values)
	case *column.Fixed[int8]:
		return printSigned(c.Values)
	case *column.Fixed[int16]:
		return printSigned(c.Values)
	case *column.Fixed[int32]:
		return printSigned(c.Values)
	case *column.Fixed[int64]:
		return printSigned(c.Values)
	case *column.Fixed[types.I128]:
		return func(dst []byte, row int) []byte { return AppendDecimal128(dst, c.Values[row], 0, false) }
	case *column.Fixed[types.U128]:
		return func(dst []byte, row int) []byte { return c.Values[row].Big().Append(dst, 10) }
	case *column.Fixed[types.I256]:
		return func(dst []byte, row int) []byte { return c.Values[row].Big().Append(dst, 10) }
	case *column.Fixed[types.U256]:
		return func(dst []byte, row int) []byte { return c.Values[row].Big().Append(dst, 10) }
	}
	cherr.Bug("no integers in a %T", c)
	return nil
}

func printUnsigned[T uint8 | uint16 | uint32 | uint64](v []T) Cell {
	return func(dst []byte, row int) []byte { return strconv.AppendUint(dst, uint64(v[row]), 10) }
}

func printSigned[T int8 | int16 | int32 | int64](v []T) Cell {
	return func(dst []byte, row int) []byte { return strconv.AppendInt(dst, int64(v[row]), 10) }
}

func printFloat(t *types.Type, f Form, o *Options, c column.Column) Cell {
	var at func(row int) (float64, int)
	switch c := c.(type) {
	case *column.Fixed[float64]:
		if f != JSON {
			return func(dst []byte, row int) []byte { return AppendFloat64(dst, c.Values[row]) }
		}
		at = func(row int) (float64, int) { return c.Values[row], 64 }
	case *column.Fixed[float32]:
		at = func(row int) (float64, int) { return float64(c.Values[row]), 32 }
	case *column.Fixed[uint16]:
		at = func(row int) (float64, int) { return float64(Float32OfBFloat16(c.Values[row])), 32 }
	default:
		cherr.Bug("no floats of type %s in a %T", t, c)
	}
	if f != JSON {
		return func(dst []byte, row int) []byte {
			v, bits := at(row)
			return appendFloat(dst, v, bits)
		}
	}
	return func(dst []byte, row int) []byte {
		v, bits := at(row)
		denormal := v-v != 0 // NaN and the infinities
		switch {
		case denormal && !o.QuoteDenormals:
			return append(dst, "null"...)
		case denormal || o.QuoteFloat64 && bits == 64:
			return append(appendFloat(append(dst, '"'), v, bits), '"')
		}
		return appendFloat(dst, v, bits)
	}
}

func printDecimal(t *types.Type, o *Options, c column.Column) Cell {
	scale, zeros := t.Scale(), o.TrailingZeros
	switch c := c.(type) {
	case *column.Fixed[int32]:
		return func(dst []byte, row int) []byte { return AppendDecimal(dst, int64(c.Values[row]), scale, zeros) }
	case *column.Fixed[int64]:
		return func(dst []byte, row int) []byte { return AppendDecimal(dst, c.Values[row], scale, zeros) }
	case *column.Fixed[types.I128]:
		return func(dst []byte, row int) []byte { return AppendDecimal128(dst, c.Values[row], scale, zeros) }
	case *column.Fixed[types.I256]:
		return func(dst []byte, row int) []byte { return AppendDecimal256(dst, c.Values[row], scale, zeros) }
	}
	cherr.Bug("no decimals in a %T", c)
	return nil
}

// printWord writes the types that stand in quotes wherever strings do.
func printWord(t *types.Type, f Form, o *Options, c column.Column) Cell {
	word := bindWord(t, o, c)
	switch f {
	case Quoted:
		if t.IsEnum() {
			return func(dst []byte, row int) []byte { return AppendQuoted(dst, word(nil, row)) }
		}
		return func(dst []byte, row int) []byte { return append(word(append(dst, '\''), row), '\'') }
	case CSV:
		if t.IsEnum() {
			return func(dst []byte, row int) []byte { return AppendCSV(dst, word(nil, row)) }
		}
		fallthrough
	case JSON:
		if t.IsEnum() {
			return func(dst []byte, row int) []byte { return AppendJSON(dst, word(nil, row), !o.PlainSlashes) }
		}
		return func(dst []byte, row int) []byte { return append(word(append(dst, '"'), row), '"') }
	case Escaped:
		if t.IsEnum() {
			return func(dst []byte, row int) []byte { return AppendEscaped(dst, word(nil, row)) }
		}
	}
	return word
}

func bindWord(t *types.Type, o *Options, c column.Column) Cell { // long: one case a kind
	switch t.Kind() {
	case types.KindDate:
		v := column.Values[uint16](c)
		return func(dst []byte, row int) []byte { return AppendDate(dst, int(v[row])) }
	case types.KindDate32:
		v := column.Values[int32](c)
		return func(dst []byte, row int) []byte { return AppendDate(dst, int(v[row])) }
	case types.KindDateTime:
		v, z := column.Values[uint32](c), civil.NewZone(o.zone(t.Location()))
		if o.Times != Simple {
			return func(dst []byte, row int) []byte { return appendTimes(dst, int64(v[row]), 0, z, o.Times) }
		}
		return func(dst []byte, row int) []byte { return AppendDateTime(dst, int64(v[row]), z) }
	case types.KindDateTime64:
		v, z, scale := column.Values[int64](c), civil.NewZone(o.zone(t.Location())), t.Scale()
		return func(dst []byte, row int) []byte { return appendTimes(dst, v[row], scale, z, o.Times) }
	case types.KindTime:
		v := column.Values[int32](c)
		return func(dst []byte, row int) []byte { return AppendTime(dst, int64(v[row])) }
	case types.KindTime64:
		v, scale := column.Values[int64](c), t.Scale()
		return func(dst []byte, row int) []byte { return AppendTime64(dst, v[row], scale) }
	case types.KindEnum8:
		v, e := column.Values[int8](c), t.Enum()
		return func(dst []byte, row int) []byte { return appendEnum(dst, e, int16(v[row])) }
	case types.KindEnum16:
		v, e := column.Values[int16](c), t.Enum()
		return func(dst []byte, row int) []byte { return appendEnum(dst, e, v[row]) }
	case types.KindUUID:
		v := column.Values[types.U128](c)
		return func(dst []byte, row int) []byte { return AppendUUID(dst, v[row]) }
	case types.KindIPv4:
		v := column.Values[uint32](c)
		return func(dst []byte, row int) []byte { return AppendIPv4(dst, v[row]) }
	case types.KindIPv6:
		v := column.Values[types.Addr6](c)
		return func(dst []byte, row int) []byte { return AppendIPv6(dst, v[row]) }
	}
	cherr.Bug("no text for type %s", t)
	return nil
}

// appendEnum writes the name, or the number when a file held one that the
// type does not name.
func appendEnum(dst []byte, e *types.Enum, v int16) []byte {
	if name, ok := e.Name(v); ok {
		return append(dst, name...)
	}
	return strconv.AppendInt(dst, int64(v), 10)
}
