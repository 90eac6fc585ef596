package json

import (
	"lakeserver/column"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var jsonType, _ = types.NewEnum(types.KindEnum8,
	[]string{"Null", "String", "Array", "Bool", "Double", "Int64", "UInt64", "Object"}, []int16{0, '"', '[', 'b', 'd', 'i', 'u', '{'})

var (
	_ = addByPath("JSONHas", "Whether there is a value at the path.", false, types.UInt8, fixed(func(_, _ []byte, found bool) uint8 { return kernel.Bool(found) }))
	_ = addByPath("JSONLength", "Number of elements or members; 0 for other values.", false, types.UInt64, fixed(func(node, _ []byte, found bool) uint64 {
		if !found {
			return 0
		}
		return uint64(size(node))
	}))
	_ = addByPath("JSONType", "The kind of the value at the path.", false, jsonType, fixed(func(node, _ []byte, found bool) int8 {
		if !found {
			return 0
		}
		return kindOf(node)
	}))
	_ = addByPath("JSONKey", "The name of the member at the path's last index.", false, types.String, texts(func(dst, _, key []byte) []byte {
		if key == nil {
			return dst
		}
		return appendString(dst, key)
	}))
	_ = addByPath("JSONExtractInt", "The value at the path as Int64; 0 when it is none.", true, types.Int64, numbers[int64](types.Int64))
	_ = addByPath("JSONExtractUInt", "The value at the path as UInt64; 0 when it is none.", true, types.UInt64, numbers[uint64](types.UInt64))
	_ = addByPath("JSONExtractFloat", "The value at the path as Float64; 0 when it is none.", true, types.Float64, numbers[float64](types.Float64))
	_ = addByPath("JSONExtractBool", "The value at the path as 0 or 1.", true, types.UInt8, fixed(func(node, _ []byte, found bool) uint8 {
		return kernel.Bool(found && (node[0] == 't' || node[0] != '0' && (node[0] == '-' || node[0] >= '0' && node[0] <= '9')))
	}))
	_ = addByPath("JSONExtractString", "The string at the path, or the text of another value.", true, types.String, texts(func(dst, node, _ []byte) []byte {
		return appendText(dst, node)
	}))
	_ = addByPath("JSONExtractRaw", "The text of the value at the path.", true, types.String, texts(func(dst, node, _ []byte) []byte {
		return compact.appendValue(dst, node, 0)
	}))
	_ = addByPath("JSONExtractArrayRaw", "The texts of the elements of an array.", true, types.Array(types.String), lists(func(out *column.Str, node []byte) {
		if node[0] != '[' {
			return
		}
		each(node, func(_, v []byte) bool {
			from := len(out.Data)
			out.Data = compact.appendValue(out.Data, v, 0)
			out.Seal(from)
			return true
		})
	}))
	_ = addByPath("JSONExtractKeys", "The names of an object's members.", true, types.Array(types.String), lists(func(out *column.Str, node []byte) {
		if node[0] != '{' {
			return
		}
		each(node, func(k, _ []byte) bool {
			from := len(out.Data)
			out.Data = appendString(out.Data, k)
			out.Seal(from)
			return true
		})
	}))
	_ = addByPath("JSONExtractKeysAndValuesRaw", "The members of an object as pairs of name and text.", true,
		types.Array(types.Tuple([]*types.Type{types.String, types.String}, nil)), pairsRaw)
)

// appendText gives the content of strings, nothing for null and the text of
// other values.
func appendText(dst, node []byte) []byte {
	switch node[0] {
	case '"':
		return appendString(dst, node)
	case 'n':
		return dst
	}
	return compact.appendValue(dst, node, 0)
}

func kindOf(node []byte) int8 {
	switch c := node[0]; c {
	case '"', '[', '{':
		return int8(c)
	case 't', 'f':
		return 'b'
	case 'n':
		return 0
	}
	switch number(node) {
	case isInt:
		return 'i'
	case isUint:
		return 'u'
	}
	return 'd'
}

func numbers[T column.Element](t *types.Type) func(rows int) (visitor, func() column.Column) {
	return func(rows int) (visitor, func() column.Column) {
		in := newNumber[T](t, rows)
		return func(node, _ []byte, found bool) {
			// true and false count as numbers only for JSONExtract with a type.
			if !found || node[0] == 't' || node[0] == 'f' || !in.insert(node) {
				in.skip()
			}
		}, in.finish
	}
}

func pairsRaw(rows int) (visitor, func() column.Column) {
	keys, values, offsets := kernel.NewStr(rows, 0), kernel.NewStr(rows, 0), make([]uint64, 1, rows+1)
	return func(node, _ []byte, found bool) {
			if found && node[0] == '{' {
				each(node, func(k, v []byte) bool {
					from := len(keys.Data)
					keys.Data = appendString(keys.Data, k)
					keys.Seal(from)
					from = len(values.Data)
					values.Data = compact.appendValue(values.Data, v, 0)
					values.Seal(from)
					return true
				})
			}
			offsets = append(offsets, uint64(keys.Len()))
		}, func() column.Column {
			return &column.Array{Offsets: offsets, Elems: column.NewTuple(keys, values)}
		}
}
