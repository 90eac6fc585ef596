package ast

import "reflect"

// Clone copies a whole tree; the copy shares nothing that can change.
func Clone[T Node](n T) T {
	if isNil(n) {
		return n
	}
	c, _ := deepCopy(reflect.ValueOf(n)).Interface().(T)
	return c
}

var (
	atType   = reflect.TypeFor[At]()
	spanType = reflect.TypeFor[Span]()
)

func isNil(n Node) bool {
	if n == nil {
		return true
	}
	v := reflect.ValueOf(n)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

func deepCopy(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		c := reflect.New(v.Type().Elem())
		c.Elem().Set(deepCopy(v.Elem()))
		return c
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		return deepCopy(v.Elem())
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			c.Index(i).Set(deepCopy(v.Index(i)))
		}
		return c
	case reflect.Struct:
		c := reflect.New(v.Type()).Elem()
		c.Set(v)
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				c.Field(i).Set(deepCopy(v.Field(i)))
			}
		}
		return c
	default:
		return v
	}
}

// Equal tells whether two trees are the same but for places in the text. A nil
// and an empty list are the same.
func Equal(a, b Node) bool {
	if isNil(a) || isNil(b) {
		return isNil(a) == isNil(b)
	}
	return equal(reflect.ValueOf(a), reflect.ValueOf(b))
}

func equal(a, b reflect.Value) bool {
	if a.Type() != b.Type() {
		return false
	}
	switch a.Kind() {
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return equal(a.Elem(), b.Elem())
	case reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return equal(a.Elem(), b.Elem())
	case reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !equal(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		if a.Type() == atType || a.Type() == spanType {
			return true
		}
		for i := range a.NumField() {
			if a.Type().Field(i).IsExported() && !equal(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Float64: // NaN equals itself here: the text was the same
		return a.Float() == b.Float() || a.Float() != a.Float() && b.Float() != b.Float()
	default:
		return a.Equal(b)
	}
}

// nodeName gives a node's Go type, for what is shown to developers.
func nodeName(n Node) string { return reflect.TypeOf(n).String() }
