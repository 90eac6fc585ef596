package format

import (
	"lakeserver/cherr"
	"lakeserver/types"
)

// guessKind is what values looked like.
type guessKind uint8

const (
	guessNull guessKind = iota // only NULL so far
	guessBool
	guessInt
	guessUint
	guessFloat
	guessDate
	guessDateTime
	guessDateTime64
	guessString
	guessArray
	guessTuple
	guessMap
	guessObject  // of JSON: a tuple with names, which grows
	guessDynamic // an array's elements of several kinds
)

// guess is the type of a column as far as its values tell.
type guess struct {
	kind  guessKind
	elems []*guess // array: 1, map: the value, tuple and object: all
	names []string // object
	// number: a string that holds a number, where those are looked for
	number bool
	null   bool // NULL was among the values
}

func leaf(k guessKind) *guess { return &guess{kind: k} }

func (g *guess) withNull() *guess {
	out := *g
	out.null = true
	return &out
}

func (g *guess) without() *guess {
	out := *g
	out.null = false
	return &out
}

func (g *guess) isNumber() bool { return g.kind >= guessInt && g.kind <= guessFloat }
func (g *guess) isTime() bool   { return g.kind >= guessDate && g.kind <= guessDateTime64 }

// settled tells whether no part is unknown.
func (g *guess) settled() bool {
	if g.kind == guessNull {
		return false
	}
	for _, e := range g.elems {
		if !e.settled() {
			return false
		}
	}
	return g.kind != guessArray || len(g.elems) > 0
}

// merger joins the guesses of several values.
type merger struct {
	json bool
	// withinArray: a number and a text beside each other stay unlike.
	withinArray bool
	noBools     bool // bools do not read as numbers
	ambiguous   bool // paths of several types are text
}

// merge gives the type that both fit; nil: there is none.
func (m merger) merge(a, b *guess) (*guess, error) {
	switch {
	case a.kind == guessNull:
		return b.withNull(), nil
	case b.kind == guessNull:
		return a.withNull(), nil
	case a.null != b.null:
		out, err := m.merge(a.without(), b.without())
		if out != nil {
			out = out.withNull()
		}
		return out, err
	case a.kind == b.kind:
		return m.alike(a, b)
	case a.isNumber() && b.isNumber():
		return m.numbers(a, b), nil
	case a.isTime() && b.isTime():
		return leaf(max(a.kind, b.kind)), nil
	case a.kind == guessString && b.isTime(), b.kind == guessString && a.isTime():
		return leaf(guessString), nil
	}
	if !m.json {
		return nil, nil
	}
	if a.kind > b.kind {
		a, b = b, a
	}
	switch {
	case a.kind == guessBool && b.isNumber():
		if m.noBools {
			return nil, nil
		}
		return b, nil
	case a.kind == guessBool && b.kind == guessString:
		return b, nil
	case a.isNumber() && b.kind == guessString:
		if b.number {
			return a, nil
		}
		if m.withinArray {
			return nil, nil
		}
		return b, nil
	case a.isNumber() && b.isTime() && !m.withinArray:
		return leaf(guessString), nil
	}
	return nil, nil
}

func (m merger) numbers(a, b *guess) *guess {
	if a.kind == guessFloat || b.kind == guessFloat {
		return leaf(guessFloat)
	}
	if m.withinArray {
		return nil
	}
	return leaf(guessUint)
}

func (m merger) alike(a, b *guess) (*guess, error) {
	switch a.kind {
	case guessArray, guessMap:
		return m.elements(a, b)
	case guessTuple:
		if len(a.elems) != len(b.elems) {
			return nil, nil
		}
		out := &guess{kind: guessTuple}
		for i := range a.elems {
			e, err := m.merge(a.elems[i], b.elems[i])
			if e == nil || err != nil {
				return nil, err
			}
			out.elems = append(out.elems, e)
		}
		return out, nil
	case guessObject:
		return m.objects(a, b)
	case guessString:
		return &guess{kind: guessString, number: a.number && b.number}, nil
	}
	return a, nil
}

func (m merger) elements(a, b *guess) (*guess, error) {
	if len(a.elems) == 0 {
		return b, nil
	}
	if len(b.elems) == 0 {
		return a, nil
	}
	if a.elems[0].kind == guessDynamic || b.elems[0].kind == guessDynamic {
		return &guess{kind: a.kind, elems: []*guess{leaf(guessDynamic)}}, nil
	}
	e, err := m.merge(a.elems[0], b.elems[0])
	if e == nil || err != nil {
		return nil, err
	}
	return &guess{kind: a.kind, elems: []*guess{e}}, nil
}

// objects joins the members of two objects.
func (m merger) objects(a, b *guess) (*guess, error) {
	out := &guess{kind: guessObject, names: append([]string(nil), a.names...), elems: append([]*guess(nil), a.elems...)}
	for i, name := range b.names {
		at := -1
		for k, have := range out.names {
			if have == name {
				at = k
			}
		}
		if at < 0 {
			out.names, out.elems = append(out.names, name), append(out.elems, b.elems[i])
			continue
		}
		e, err := m.merge(out.elems[at], b.elems[i])
		if err != nil {
			return nil, err
		}
		if e == nil && m.ambiguous {
			e = leaf(guessString)
		}
		if e == nil {
			return nil, cherr.New(cherr.IncorrectData, "JSON objects have ambiguous data: in some objects path '%s' has type '%s' and in some - '%s'. You can enable setting input_format_json_use_string_type_for_ambiguous_paths_in_named_tuples_inference_from_objects to use String type for path '%s'", name, out.elems[at].typ(nil), b.elems[i].typ(nil), name)
		}
		out.elems[at] = e
	}
	return out, nil
}

// typ gives the type; what was NULL only is a String. wrap, if any, is put
// around each part that may be NULL.
func (g *guess) typ(wrap func(*guess, *types.Type) *types.Type) *types.Type {
	if wrap == nil {
		wrap = func(_ *guess, t *types.Type) *types.Type { return t }
	}
	switch g.kind {
	case guessBool:
		return wrap(g, types.Bool)
	case guessInt:
		return wrap(g, types.Int64)
	case guessUint:
		return wrap(g, types.UInt64)
	case guessFloat:
		return wrap(g, types.Float64)
	case guessDate:
		return wrap(g, types.Date)
	case guessDateTime:
		return wrap(g, types.DateTime)
	case guessDateTime64:
		return wrap(g, types.DateTime64(9, "", nil))
	case guessDynamic:
		return types.Dynamic
	case guessArray:
		if len(g.elems) == 0 {
			return types.Array(wrap(g, types.String))
		}
		return types.Array(g.elems[0].typ(wrap))
	case guessMap:
		return types.Map(types.String, g.elems[0].typ(wrap))
	case guessTuple, guessObject:
		return g.tuple(wrap)
	}
	return wrap(g, types.String)
}

func (g *guess) tuple(wrap func(*guess, *types.Type) *types.Type) *types.Type {
	if len(g.elems) == 0 { // an object without members
		return wrap(g, types.String)
	}
	elems := make([]*types.Type, len(g.elems))
	for i, e := range g.elems {
		elems[i] = e.typ(wrap)
	}
	return wrap(g, types.Tuple(elems, g.names))
}
