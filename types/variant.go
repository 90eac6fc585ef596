package types

import (
	"sort"
	"strconv"
	"strings"

	"lakeserver/cherr"
)

// maxVariants bounds the types of a Variant: a byte numbers them, and one of
// its values stands for NULL.
const maxVariants = 255

// Variant makes the type of values of one of several types. The types stand in
// the order of their names, each once; Nullable is taken off, since NULL is a
// value of every Variant, and a Variant among them gives its own types.
func Variant(ts ...*Type) *Type {
	byName := map[string]*Type{}
	var enter func(t *Type)
	enter = func(t *Type) {
		switch t.kind {
		case KindVariant:
			for _, e := range t.elems {
				enter(e)
			}
		case KindNullable:
			enter(t.elems[0])
		case KindLowCardinality:
			if t.elems[0].kind == KindNullable {
				t = LowCardinality(t.elems[0].elems[0])
			}
			byName[t.name] = t
		case KindNothing:
		default:
			byName[t.name] = t
		}
	}
	for _, t := range ts {
		enter(t)
	}
	names := make([]string, 0, len(byName))
	for n := range byName {
		names = append(names, n)
	}
	sort.Strings(names)
	out := &Type{kind: KindVariant, name: "Variant(" + strings.Join(names, ", ") + ")"}
	for _, n := range names {
		out.elems = append(out.elems, byName[n])
	}
	return out
}

// defaultDynamicTypes is how many types a Dynamic holds apart by default.
const defaultDynamicTypes = 32

// Dynamic is a value of any type, whose type stands beside it.
var Dynamic = &Type{kind: KindDynamic, name: "Dynamic", precision: defaultDynamicTypes}

// MaxTypes gives how many types a Dynamic holds apart.
func (t *Type) MaxTypes() int { return t.precision }

func makeVariant(p *typeParser, depth int, open bool, _ string) (*Type, error) {
	if !open {
		return nil, cherr.New(cherr.BadArguments, "Variant cannot be empty")
	}
	var ts []*Type
	if p.peek() != ')' {
		var err error
		if ts, err = p.list(depth); err != nil {
			return nil, err
		}
	}
	for _, t := range ts {
		switch {
		case t.kind == KindNullable || t.kind == KindLowCardinality && t.elems[0].kind == KindNullable:
			return nil, cherr.New(cherr.BadArguments, "Nested type %s cannot be inside Variant type", t)
		case t.kind == KindVariant || t.kind == KindDynamic:
			return nil, cherr.New(cherr.BadArguments, "Nested type %s cannot be inside Variant type", t)
		}
	}
	if len(ts) > maxVariants {
		return nil, cherr.New(cherr.BadArguments, "Variant type with more than %d nested types is not allowed", maxVariants)
	}
	return Variant(ts...), nil
}

func makeDynamic(p *typeParser, _ int, open bool, _ string) (*Type, error) {
	if !open {
		return Dynamic, nil
	}
	if p.word() != "max_types" || !p.eat('=') {
		return nil, cherr.New(cherr.UnexpectedAstStructure, "Dynamic data type argument should be in a form 'max_types=N'")
	}
	n, err := p.integer()
	if err != nil {
		return nil, err
	}
	if n < 0 || n > maxVariants-1 {
		return nil, cherr.New(cherr.UnexpectedAstStructure, "'max_types' argument for Dynamic type should be a positive integer between 0 and %d", maxVariants-1)
	}
	return DynamicOf(n), nil
}

// DynamicOf makes a Dynamic that holds n types apart.
func DynamicOf(n int) *Type {
	if n == defaultDynamicTypes {
		return Dynamic
	}
	return &Type{kind: KindDynamic, name: "Dynamic(max_types=" + strconv.Itoa(n) + ")", precision: n}
}
