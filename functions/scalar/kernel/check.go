package kernel

import (
	"lakeserver/cherr"
	"lakeserver/functions"
	"lakeserver/types"
)

// Check compares argument types with a pattern, one letter an argument; the
// last letter also stands for further arguments. ILLEGAL_TYPE_OF_ARGUMENT.
//
//	s String or FixedString   S String   i integer up to 64 bits, Bool   n integer or float   N any number
//	a Array   m Map   t Tuple   x anything
func Check(name, pattern string, args []functions.Arg) error {
	for i, a := range args {
		p := pattern[min(i, len(pattern)-1)]
		if !fits(p, a.Type) {
			return WrongType(name, i, a.Type)
		}
	}
	return nil
}

func fits(p byte, t *types.Type) bool {
	t = types.Unwrap(t)
	switch p {
	case 's':
		return t.IsString()
	case 'S':
		return t.Kind() == types.KindString
	case 'i':
		return t.IsInteger() && t.Bytes() <= 8 || t.Kind() == types.KindBool
	case 'n':
		return t.IsNativeNumber()
	case 'N':
		return t.IsNumber()
	case 'a':
		return t.Kind() == types.KindArray
	case 'm':
		return t.Kind() == types.KindMap
	case 't':
		return t.Kind() == types.KindTuple
	}
	return true
}

// WrongType is the error of an argument (counted from 0) of a type that the
// function does not take.
func WrongType(name string, i int, t *types.Type) error {
	return cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of argument %d of function %s", t, i+1, name)
}

// NotConst is the error of an argument that must be constant.
func NotConst(name string, i int) error {
	return cherr.New(cherr.IllegalColumn, "Argument %d of function %s must be constant", i+1, name)
}
