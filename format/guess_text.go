package format

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"lakeserver/column/text"
	"lakeserver/settings"
	"lakeserver/types"
)

// guessField guesses what one value of a text format is; a text, if nothing else.
func guessField(s *settings.Settings, w string) *guess {
	if w == `\N` || strings.EqualFold(w, "null") || w == "" {
		return leaf(guessNull)
	}
	if g, n := guessLiteral(s, []byte(w)); g != nil && n == len(w) && w[0] != '\'' {
		if g.settled() {
			return g
		}
		return leaf(guessString)
	}
	if g := timeGuess(s, []byte(w)); g != nil {
		return g
	}
	return leaf(guessString)
}

// guessCSV guesses a value with its quotes.
func guessCSV(s *settings.Settings, w string) *guess {
	if len(w) > 1 && (w[0] == '"' || w[0] == '\'') && w[len(w)-1] == w[0] {
		q := w[:1]
		inner := strings.ReplaceAll(w[1:len(w)-1], q+q, q)
		if inner != "" && (inner[0] == '[' || inner[0] == '{') {
			if g, n := guessLiteral(s, []byte(inner)); g != nil && n == len(inner) && g.settled() {
				return g
			}
		}
		if g := timeGuess(s, []byte(inner)); g != nil {
			return g
		}
		if s.Bool("input_format_csv_try_infer_numbers_from_strings") {
			if g, n := guessNumber(s, []byte(inner)); g != nil && n == len(inner) {
				return g
			}
		}
		return leaf(guessString)
	}
	if w == "" || w == `\N` || strings.EqualFold(w, "null") {
		return leaf(guessNull)
	}
	switch w[0] {
	case '[', '{', '(':
		return leaf(guessString)
	}
	if g, n := guessNumber(s, []byte(w)); g != nil && n == len(w) {
		return g
	}
	if _, err := strconv.ParseFloat(w, 64); err == nil && !strings.ContainsAny(w, "eExXpP_naNA") && s.Bool("input_format_try_infer_integers") {
		return leaf(guessFloat)
	}
	return guessField(s, w)
}

// guessLiteral guesses the SQL literal at the front of src and gives the bytes
// used; nil: there is none.
func guessLiteral(s *settings.Settings, src []byte) (*guess, int) {
	skip := skipSpaces(src, 0)
	src = src[skip:]
	if len(src) == 0 {
		return nil, 0
	}
	var g *guess
	var n int
	switch src[0] {
	case '[':
		g, n = guessList(s, src, ']', guessArray)
	case '(':
		g, n = guessList(s, src, ')', guessTuple)
	case '{':
		g, n = guessEntries(s, src)
	case '\'':
		word, used, err := text.Unquote(src, nil)
		if err != nil {
			return nil, 0
		}
		if g, n = timeGuess(s, word), used; g == nil {
			g = leaf(guessString)
		}
	default:
		g, n = guessWord(s, src)
	}
	return g, skip + n
}

func guessWord(s *settings.Settings, src []byte) (*guess, int) {
	n := 0
	for n < len(src) && (src[n]|0x20 >= 'a' && src[n]|0x20 <= 'z') {
		n++
	}
	switch word := strings.ToLower(string(src[:n])); word {
	case "true", "false":
		return leaf(guessBool), n
	case "null":
		return leaf(guessNull), n
	case "nan", "inf":
		return leaf(guessFloat), n
	}
	return guessNumber(s, src)
}

// guessNumber takes a number off the front of src. What has more digits than
// 64 bits hold is no number.
func guessNumber(s *settings.Settings, src []byte) (*guess, int) {
	n, digits, dot, exp := 0, 0, false, false
	if n < len(src) && (src[n] == '-' || src[n] == '+') {
		n++
	}
	for n < len(src) {
		switch c := src[n]; {
		case c >= '0' && c <= '9':
			digits++
		case c == '.' && !dot && !exp:
			dot = true
		case (c == 'e' || c == 'E') && digits > 0 && !exp && s.Bool("input_format_try_infer_exponent_floats"):
			exp = true
			if n+1 < len(src) && (src[n+1] == '-' || src[n+1] == '+') {
				n++
			}
		default:
			return numberOf(s, src[:n], digits, dot || exp), n
		}
		n++
	}
	return numberOf(s, src[:n], digits, dot || exp), n
}

func numberOf(s *settings.Settings, word []byte, digits int, float bool) *guess {
	if digits == 0 {
		return nil
	}
	if float || !s.Bool("input_format_try_infer_integers") {
		return leaf(guessFloat)
	}
	if _, err := strconv.ParseInt(string(word), 10, 64); err == nil {
		return leaf(guessInt)
	}
	if _, err := strconv.ParseUint(string(word), 10, 64); err == nil {
		return leaf(guessUint)
	}
	return nil
}

// guessList guesses an array or a tuple.
func guessList(s *settings.Settings, src []byte, end byte, kind guessKind) (*guess, int) {
	out := &guess{kind: kind}
	for n := 1; n < len(src); {
		if n = skipSpaces(src, n); n < len(src) && src[n] == end {
			return out, n + 1
		}
		g, used := guessLiteral(s, src[min(n, len(src)):])
		if g == nil {
			return nil, 0
		}
		if kind == guessArray && len(out.elems) > 0 {
			both, err := (merger{}).merge(out.elems[0], g)
			if both == nil || err != nil {
				return nil, 0
			}
			out.elems[0] = both
		} else {
			out.elems = append(out.elems, g)
		}
		if n = skipSpaces(src, n+used); n < len(src) && src[n] == ',' {
			n++
		} else if n >= len(src) || src[n] != end {
			return nil, 0
		}
	}
	return nil, 0
}

// guessEntries guesses a map; its keys have to be texts.
func guessEntries(s *settings.Settings, src []byte) (*guess, int) {
	var value *guess
	for n := 1; n < len(src); {
		if n = skipSpaces(src, n); n < len(src) && src[n] == '}' {
			if value == nil {
				value = leaf(guessNull)
			}
			return &guess{kind: guessMap, elems: []*guess{value}}, n + 1
		}
		if n >= len(src) || src[n] != '\'' {
			return nil, 0
		}
		_, used, err := text.Unquote(src[n:], nil)
		if err != nil {
			return nil, 0
		}
		if n = skipSpaces(src, n+used); n >= len(src) || src[n] != ':' {
			return nil, 0
		}
		g, used := guessLiteral(s, src[n+1:])
		if g == nil {
			return nil, 0
		}
		if value != nil {
			if g, err = (merger{}).merge(value, g); g == nil || err != nil {
				return nil, 0
			}
		}
		value = g
		if n = skipSpaces(src, n+1+used); n < len(src) && src[n] == ',' {
			n++
		}
	}
	return nil, 0
}

// json guesses a JSON value.
func (f *inference) json(v []byte) *guess { // long: one case a kind of value
	s := f.o.Settings
	v = bytes.TrimSpace(v)
	switch {
	case len(v) == 0 || string(v) == "null":
		return leaf(guessNull)
	case string(v) == "true" || string(v) == "false":
		return leaf(guessBool)
	case v[0] == '"':
		word, _, err := text.UnquoteJSON(v, nil)
		if err != nil {
			return leaf(guessString)
		}
		if g := timeGuess(s, word); g != nil {
			return g
		}
		if s.Bool("input_format_json_try_infer_numbers_from_strings") {
			if g, n := guessNumber(s, word); g != nil && n == len(word) {
				return &guess{kind: guessString, number: true}
			}
		}
		return leaf(guessString)
	case v[0] == '[':
		return f.jsonArray(v)
	case v[0] == '{':
		return f.jsonObject(v)
	}
	if bytes.ContainsAny(v, ".eE") || !s.Bool("input_format_try_infer_integers") {
		if x, err := strconv.ParseFloat(string(v), 64); err == nil && !math.IsInf(x, 0) {
			return leaf(guessFloat)
		}
		return leaf(guessString)
	}
	if g, n := guessNumber(s, v); g != nil && n == len(v) {
		return g
	}
	return leaf(guessString)
}

func (f *inference) jsonArray(v []byte) *guess {
	out := &guess{kind: guessArray}
	m := f.merge
	m.withinArray = f.o.Settings.Bool("input_format_json_infer_array_of_dynamic_from_array_of_different_types")
	for _, e := range jsonElements(v) {
		g := f.json(e)
		if len(out.elems) > 0 {
			both, err := m.merge(out.elems[0], g)
			switch {
			case err != nil: // unlike members: the first are taken
				both = out.elems[0]
			case both == nil:
				return &guess{kind: guessArray, elems: []*guess{leaf(guessDynamic)}}
			}
			g = both
		}
		out.elems = []*guess{g}
	}
	return out
}

func (f *inference) jsonObject(v []byte) *guess {
	s := f.o.Settings
	if !s.Bool("input_format_json_try_infer_named_tuples_from_objects") {
		if s.Bool("input_format_json_read_objects_as_strings") {
			return leaf(guessString)
		}
		value := leaf(guessNull)
		err := jsonMembers(v, func(_, e []byte) error {
			if both, err := f.merge.merge(value, f.json(e)); both != nil && err == nil {
				value = both
			}
			return nil
		})
		if err != nil {
			return leaf(guessString)
		}
		return &guess{kind: guessMap, elems: []*guess{value}}
	}
	out := &guess{kind: guessObject}
	err := jsonMembers(v, func(name, e []byte) error {
		out.names, out.elems = append(out.names, string(name)), append(out.elems, f.json(e))
		return nil
	})
	if err != nil {
		return leaf(guessString)
	}
	return out
}

// inferValue finds the type of one value of a Dynamic column as it stands.
func inferValue(o *Options, src []byte, f text.Form) *types.Type {
	in := newInference(o)
	var g *guess
	switch f {
	case text.JSON:
		g = in.ofJSON().json(src)
	case text.Quoted:
		g, _ = guessLiteral(o.Settings, src)
	case text.CSV:
		g = guessCSV(o.Settings, string(src))
	default:
		g = guessField(o.Settings, string(src))
	}
	if g == nil {
		return types.String
	}
	return g.typ(nil)
}
