package analyze

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/engine/ast"
	"lakeserver/expr"
	"lakeserver/types"
)

// constant makes a literal that prints unlike any other.
func constant(t *types.Type, v column.Column) *expr.Literal {
	v = column.Full(v)
	if n := v.Size(); n > printedBytes && hashable(t) {
		return &expr.Literal{Value: v, T: t, Text: digest(v, n) + "::" + t.String()}
	}
	return &expr.Literal{Value: v, T: t, Text: printed(column.At(v, 0)) + "::" + t.String()}
}

// printedBytes is how large a constant may be that is told apart by its text;
// larger ones are by a hash of 128 bits.
const printedBytes = 64 << 10

// hashable tells whether equal hashes mean equal values: floats of other bits
// (0 and -0) hash alike.
func hashable(t *types.Type) bool {
	switch t.Kind() {
	case types.KindArray, types.KindNullable, types.KindLowCardinality:
		return hashable(t.Elem())
	}
	return t.IsInteger() || t.IsString()
}

func digest(v column.Column, bytes int64) string {
	a, b := []uint64{1}, []uint64{2}
	column.HashInto(v, a)
	column.HashInto(v, b)
	return fmt.Sprintf("constant of %d bytes %016x%016x", bytes, a[0], b[0])
}

func valueOf(t *types.Type, v column.Value) *expr.Literal {
	return constant(t, column.FromValue(t, v, 1).Value)
}

func (sc *scope) text(s string) *expr.Literal { return valueOf(types.String, s) }

// printed is a text that tells values apart.
func printed(v column.Value) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		return strconv.Quote(v)
	case column.Row:
		s := make([]string, len(v))
		for i := range v {
			s[i] = printed(v[i])
		}
		return "[" + strings.Join(s, ", ") + "]"
	case column.Entries:
		s := make([]string, len(v))
		for i := range v {
			s[i] = printed(v[i].Key) + ": " + printed(v[i].Value)
		}
		return "{" + strings.Join(s, ", ") + "}"
	case float64:
		if v == 0 && math.Signbit(v) {
			return "-0"
		}
	}
	return fmt.Sprint(v)
}

// literal gives a constant its type as ClickHouse does: the narrowest integer,
// Float64, String, Bool, Nullable(Nothing).
func (sc *scope) literal(x *ast.Literal) (expr.Expr, error) {
	switch x.Kind {
	case ast.Null:
		return valueOf(types.NullableNothing, nil), nil
	case ast.Bool:
		return valueOf(types.Bool, uint8(x.Uint)), nil
	case ast.Uint:
		return unsigned(x.Uint), nil
	case ast.Int:
		return signed(x.Int), nil
	case ast.Float:
		return valueOf(types.Float64, x.Float), nil
	case ast.String:
		return valueOf(types.String, x.Text), nil
	}
	return nil, at(x, cherr.UnknownElementInAST, "Unknown kind of literal")
}

func unsigned(v uint64) *expr.Literal {
	switch {
	case v <= math.MaxUint8:
		return valueOf(types.UInt8, uint8(v))
	case v <= math.MaxUint16:
		return valueOf(types.UInt16, uint16(v))
	case v <= math.MaxUint32:
		return valueOf(types.UInt32, uint32(v))
	}
	return valueOf(types.UInt64, v)
}

func signed(v int64) *expr.Literal {
	switch {
	case v >= math.MinInt8 && v <= math.MaxInt8:
		return valueOf(types.Int8, int8(v))
	case v >= math.MinInt16 && v <= math.MaxInt16:
		return valueOf(types.Int16, int16(v))
	case v >= math.MinInt32 && v <= math.MaxInt32:
		return valueOf(types.Int32, int32(v))
	}
	return valueOf(types.Int64, v)
}

// queryParam gives {name:Type}: the parameter's text cast to the type.
func (sc *scope) queryParam(ctx context.Context, x *ast.QueryParam) (expr.Expr, error) {
	v, ok := sc.a.env.Params[x.Name]
	if !ok {
		return nil, at(x, cherr.UnknownQueryParameter, "Substitution `%s` is not set", x.Name)
	}
	if x.Type == "Identifier" {
		return sc.identifier(ctx, &ast.Identifier{At: x.At, Parts: strings.Split(v, ".")})
	}
	t, err := types.Parse(x.Type)
	if err != nil {
		return nil, err
	}
	r := text.NewReader(t, text.Escaped, &text.Options{Zone: sc.a.env.Functions.Zone})
	n, err := r.Read([]byte(v))
	if err == nil && n < len(v) {
		err = cherr.New(cherr.BadQueryParameter, "it isn't parsed completely: only %d of %d bytes", n, len(v))
	}
	if err != nil {
		return nil, at(x, cherr.BadQueryParameter, "Value %s cannot be parsed as %s for query parameter '%s': %s", v, t, x.Name, err)
	}
	return constant(t, r.Finish()), nil
}
