package analyze

import (
	"fmt"
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/ast"
	"lakeserver/expr"
	"lakeserver/types"
)

func boxed(l *expr.Literal) column.Value { return column.At(l.Value, 0) }

// truthOf tells what a constant condition says; known is false for what is no
// condition.
func truthOf(l *expr.Literal) (truth, known bool) {
	switch v := boxed(l).(type) {
	case nil:
		return false, true
	case uint8:
		return v != 0, true
	}
	if n, ok := integer(boxed(l)); ok {
		return n != 0, true
	}
	return false, false
}

// integer gives a boxed integer up to 64 bits.
func integer(v column.Value) (int64, bool) {
	switch v := v.(type) {
	case uint8:
		return int64(v), true
	case uint16:
		return int64(v), true
	case uint32:
		return int64(v), true
	case uint64:
		return int64(v), v < 1<<63
	case int8:
		return int64(v), true
	case int16:
		return int64(v), true
	case int32:
		return int64(v), true
	case int64:
		return v, true
	}
	return 0, false
}

// fieldName prints a constant as it stands in the names of columns and types.
func fieldName(t *types.Type, v column.Value) string {
	t = types.Unwrap(t)
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		return quoted(v)
	case float64:
		return floatName(v)
	case float32:
		return floatName(float64(v))
	case column.Row:
		s := make([]string, len(v))
		for i := range v {
			et := t
			if t.Kind() == types.KindArray {
				et = t.Elem()
			} else {
				et = t.Elems()[i]
			}
			s[i] = fieldName(et, v[i])
		}
		if t.Kind() == types.KindTuple {
			return "(" + strings.Join(s, ", ") + ")"
		}
		return "[" + strings.Join(s, ", ") + "]"
	case uint8:
		if t.Kind() == types.KindBool {
			return strconv.FormatBool(v != 0)
		}
	}
	return fmt.Sprint(v)
}

// constantOf resolves an expression that must be constant.
func (sc *scope) constantOf(e ast.Expr, b expr.Expr) (*expr.Literal, error) {
	l, ok := b.(*expr.Literal)
	if !ok {
		return nil, at(e, cherr.BadArguments, "Expression %s must be constant", sc.nameOf(e))
	}
	return l, nil
}

func unsigned64(v uint64) *expr.Literal { return valueOf(types.UInt64, v) }
