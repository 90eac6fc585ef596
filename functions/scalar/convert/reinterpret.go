package convert

import (
	"bytes"
	"context"
	"unsafe"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = addReinterpret()

func addReinterpret() struct{} {
	add(functions.Scalar{
		Name: "reinterpret", MinArgs: 2, MaxArgs: 2,
		Doc: functions.Doc{Syntax: "reinterpret(x, 'type')", Summary: "The bytes of x read as a value of another type.", Examples: []string{"SELECT reinterpret(toInt8(-1), 'UInt8')"}},
		Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
			to, err := typeArgument(env, "reinterpret", args[1])
			if err != nil {
				return nil, err
			}
			return bindReinterpret(args[0].Type, to)
		},
	})
	for _, t := range targets {
		if t.scale || t.bare || t.suffix == "Date32" || t.suffix == "DateTime32" || t.suffix == "Time" || t.suffix == "IPv4" || t.suffix == "IPv6" || t.suffix == "BFloat16" {
			continue
		}
		name := "reinterpretAs" + t.suffix
		add(functions.Scalar{
			Name: name, MinArgs: 1, MaxArgs: 1,
			Doc: functions.Doc{Syntax: name + "(x)", Summary: "The bytes of x read as " + t.t.String() + ".", Examples: []string{"SELECT " + name + "('abcd')"}},
			Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
				return bindReinterpret(args[0].Type, t.t)
			},
		})
	}
	add(functions.Scalar{
		Name: "reinterpretAsString", MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: "reinterpretAsString(x)", Summary: "The bytes of x, without zeros at the end.", Examples: []string{"SELECT reinterpretAsString(1633837924)"}},
		Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
			return bindReinterpret(args[0].Type, types.String)
		},
	})
	add(functions.Scalar{
		Name: "reinterpretAsFixedString", MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: "reinterpretAsFixedString(x)", Summary: "The bytes of x.", Examples: []string{"SELECT reinterpretAsFixedString(toUInt16(25185))"}},
		Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
			n := widthOf(args[0].Type)
			if n == 0 {
				return nil, cherr.New(cherr.IllegalTypeOfArgument, "Cannot reinterpret %s as FixedString because it is not fixed size and contiguous in memory", args[0].Type)
			}
			return bindReinterpret(args[0].Type, types.FixedString(n))
		},
	})
	return struct{}{}
}

// widthOf gives the bytes of a value, 0 when they differ or are not in one piece.
func widthOf(t *types.Type) int {
	if t.Kind() == types.KindFixedString {
		return t.Length()
	}
	return t.Bytes()
}

func bindReinterpret(from, to *types.Type) (*expr.Function, error) {
	n := widthOf(to)
	if !from.IsString() && widthOf(from) == 0 || to.Kind() != types.KindString && n == 0 || types.Unwrap(to) != to ||
		from.Kind() == types.KindString && to.Kind() == types.KindFixedString {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Cannot reinterpret %s as %s because only String or FixedString can be reinterpreted or the types are not of fixed size", from, to)
	}
	return &expr.Function{Result: to, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		c := column.Full(args[0])
		if from.Kind() == types.KindUUID {
			c = halves(c)
		}
		raw := bytesOf(c)
		if to.IsString() {
			out := &column.Str{}
			for i := range rows {
				v := raw(i)
				if to.Kind() == types.KindString {
					if !from.IsString() {
						v = bytes.TrimRight(v, "\x00")
					}
					out.Append(v)
					continue
				}
				at := len(out.Data)
				out.Data = append(out.Data, v[:min(len(v), n)]...)
				for len(out.Data)-at < n {
					out.Data = append(out.Data, 0)
				}
				out.Seal(at)
			}
			return out, nil
		}
		out := column.Default(to, rows)
		fill(out, raw)
		if to.Kind() == types.KindUUID {
			out = halves(out)
		}
		return out, nil
	}}, nil
}

// bytesOf gives the bytes of a row as they stand in memory.
func bytesOf(c column.Column) func(row int) []byte {
	switch c := c.(type) {
	case *column.Str:
		return c.At
	case *column.Fixed[uint8]:
		return memory(c.Values)
	case *column.Fixed[uint16]:
		return memory(c.Values)
	case *column.Fixed[uint32]:
		return memory(c.Values)
	case *column.Fixed[uint64]:
		return memory(c.Values)
	case *column.Fixed[int8]:
		return memory(c.Values)
	case *column.Fixed[int16]:
		return memory(c.Values)
	case *column.Fixed[int32]:
		return memory(c.Values)
	case *column.Fixed[int64]:
		return memory(c.Values)
	case *column.Fixed[float32]:
		return memory(c.Values)
	case *column.Fixed[float64]:
		return memory(c.Values)
	case *column.Fixed[types.I128]:
		return memory(c.Values)
	case *column.Fixed[types.U128]:
		return memory(c.Values)
	case *column.Fixed[types.I256]:
		return memory(c.Values)
	case *column.Fixed[types.U256]:
		return memory(c.Values)
	case *column.Fixed[types.Addr6]:
		return memory(c.Values)
	}
	cherr.Bug("no bytes of a %T", c)
	return nil
}

// halves exchanges the halves of UUIDs: ClickHouse keeps the first eight bytes
// first.
func halves(c column.Column) column.Column {
	v := column.Values[types.U128](c)
	out := make([]types.U128, len(v))
	for i, x := range v {
		out[i] = types.U128{Lo: x.Hi, Hi: x.Lo}
	}
	return column.NewFixed(out)
}

func memory[T column.Element](v []T) func(row int) []byte {
	return func(row int) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(&v[row])), unsafe.Sizeof(v[row])) }
}

// fill writes bytes over the values of a fresh column; missing ones stay 0.
func fill(c column.Column, raw func(row int) []byte) {
	to := bytesOf(c)
	for i := range c.Len() {
		dst := to(i)
		clear(dst[copy(dst, raw(i)):])
	}
}
