package strings

import (
	"bytes"
	"regexp/syntax"
	"unicode/utf8"
)

// anchored runs a regular expression that begins with ^ and goes on in a line:
// texts, sets of characters once or repeated, optional texts, groups around
// such, and $. It backtracks over bytes and finds what regexp would, without
// its bookkeeping for alternatives that are not there:
//
//	^https?://(?:www\.)?([^/]+)/.*$
type anchored struct {
	steps []step
	slots int // two for the match and each group
}

type stepKind uint8

const (
	stepText     stepKind = iota // text
	stepOptional                 // text or nothing
	stepSet                      // least to most characters of a set
	stepSlot                     // notes the place
	stepEnd                      // the end of the text
)

// step is one part of the expression.
type step struct {
	kind  stepKind
	lazy  bool
	once  bool // a set's character comes at most once
	least int  // 0 or 1
	text  []byte
	set   *[256]bool // of bytes; all bytes of other characters than ASCII alike
	but   int        // the one byte that set lacks, -1 when there are others
	slot  int
	ahead int // the byte that must follow the step, -1 if unknown
}

// newAnchored gives nil for expressions of another form.
func newAnchored(tree *syntax.Regexp) *anchored {
	if tree.Op != syntax.OpConcat || len(tree.Sub) == 0 || tree.Sub[0].Op != syntax.OpBeginText {
		return nil
	}
	a := &anchored{slots: 2}
	for _, sub := range tree.Sub[1:] {
		if !a.add(sub) {
			return nil
		}
	}
	ahead := -1
	for i := len(a.steps) - 1; i >= 0; i-- {
		s := &a.steps[i]
		s.ahead = ahead
		switch {
		case s.kind == stepText:
			ahead = int(s.text[0])
		case s.kind != stepSlot:
			ahead = -1
		}
	}
	return a
}

func (a *anchored) add(t *syntax.Regexp) bool {
	lazy := t.Flags&syntax.NonGreedy != 0
	switch t.Op {
	case syntax.OpEmptyMatch:
		return true
	case syntax.OpLiteral:
		if t.Flags&syntax.FoldCase != 0 {
			return false
		}
		a.steps = append(a.steps, step{kind: stepText, text: []byte(string(t.Rune))})
		return true
	case syntax.OpEndText:
		a.steps = append(a.steps, step{kind: stepEnd})
		return true
	case syntax.OpConcat:
		for _, sub := range t.Sub {
			if !a.add(sub) {
				return false
			}
		}
		return true
	case syntax.OpCapture:
		a.slots = max(a.slots, 2*t.Cap+2)
		a.steps = append(a.steps, step{kind: stepSlot, slot: 2 * t.Cap})
		if !a.add(t.Sub[0]) {
			return false
		}
		a.steps = append(a.steps, step{kind: stepSlot, slot: 2*t.Cap + 1})
		return true
	case syntax.OpQuest:
		if l := t.Sub[0]; l.Op == syntax.OpLiteral && l.Flags&syntax.FoldCase == 0 && len(l.Rune) > 0 {
			a.steps = append(a.steps, step{kind: stepOptional, lazy: lazy, text: []byte(string(l.Rune))})
			return true
		}
		return a.addSet(t.Sub[0], step{lazy: lazy, once: true})
	case syntax.OpStar:
		return a.addSet(t.Sub[0], step{lazy: lazy})
	case syntax.OpPlus:
		return a.addSet(t.Sub[0], step{lazy: lazy, least: 1})
	}
	return a.addSet(t, step{once: true, least: 1})
}

// addSet adds a repeated set of characters: any others than ASCII must be in
// it all or not at all.
func (a *anchored) addSet(t *syntax.Regexp, s step) bool {
	s.kind, s.set, s.but = stepSet, new([256]bool), -1
	var ranges []rune
	switch t.Op {
	case syntax.OpLiteral:
		if len(t.Rune) != 1 || t.Rune[0] >= utf8.RuneSelf || t.Flags&syntax.FoldCase != 0 {
			return false
		}
		ranges = []rune{t.Rune[0], t.Rune[0]}
	case syntax.OpAnyChar:
		ranges = []rune{0, utf8.MaxRune}
	case syntax.OpAnyCharNotNL:
		ranges = []rune{0, '\n' - 1, '\n' + 1, utf8.MaxRune}
	case syntax.OpCharClass:
		ranges = t.Rune
	default:
		return false
	}
	for i := 0; i < len(ranges); i += 2 {
		lo, hi := ranges[i], ranges[i+1]
		if hi >= utf8.RuneSelf {
			if lo > utf8.RuneSelf || hi != utf8.MaxRune {
				return false
			}
			hi = 255
		}
		for c := lo; c <= hi; c++ {
			s.set[c] = true
		}
	}
	missing := 0
	for c, in := range s.set {
		if !in {
			missing++
			s.but = c
		}
	}
	if missing != 1 {
		s.but = -1
	}
	a.steps = append(a.steps, s)
	return true
}

// anchoredRun is one search. Its budget keeps repeated sets that vie for the
// same bytes from taking more than linear time: regexp then does it.
type anchoredRun struct {
	steps  []step
	s      []byte
	at     []int
	budget int
}

// find gives the places of match and groups in at, which it may reuse; done is
// false when it gives up.
func (a *anchored) find(s []byte, at []int) (found []int, matched, done bool) {
	if !utf8.Valid(s) {
		return at, false, false
	}
	at = at[:0]
	for range a.slots {
		at = append(at, -1)
	}
	r := anchoredRun{steps: a.steps, s: s, at: at, budget: 16*len(s) + 256}
	end, ok := r.run(0, 0)
	at[0], at[1] = 0, end
	return at, ok, r.budget > 0
}

// run matches the steps from one on at a place and gives where the match ends.
func (r *anchoredRun) run(i, pos int) (end int, ok bool) { // long: one case a step
	for ; i < len(r.steps); i++ {
		if r.budget--; r.budget <= 0 {
			return 0, false
		}
		st := &r.steps[i]
		switch st.kind {
		case stepText:
			if !bytes.HasPrefix(r.s[pos:], st.text) {
				return 0, false
			}
			pos += len(st.text)
		case stepEnd:
			if pos != len(r.s) {
				return 0, false
			}
		case stepSlot:
			before := r.at[st.slot]
			r.at[st.slot] = pos
			if end, ok = r.run(i+1, pos); !ok {
				r.at[st.slot] = before
			}
			return end, ok
		case stepOptional:
			if !bytes.HasPrefix(r.s[pos:], st.text) {
				continue
			}
			first, second := pos+len(st.text), pos
			if st.lazy {
				first, second = second, first
			}
			if end, ok = r.run(i+1, first); ok {
				return end, true
			}
			pos = second
		case stepSet:
			return r.repeat(st, i, pos)
		}
	}
	return pos, true
}

// repeat matches a repeated set and what follows.
func (r *anchoredRun) repeat(st *step, i, pos int) (end int, ok bool) {
	least, most := pos, r.reach(st, pos)
	if st.least == 1 {
		if most == pos {
			return 0, false
		}
		_, n := utf8.DecodeRune(r.s[pos:])
		least = pos + n
	}
	try := func(e int) bool {
		if st.ahead >= 0 && (e >= len(r.s) || int(r.s[e]) != st.ahead) {
			r.budget--
			return false
		}
		end, ok = r.run(i+1, e)
		return ok
	}
	if st.lazy {
		for e := least; e <= most; e++ {
			if (e == len(r.s) || utf8.RuneStart(r.s[e])) && try(e) {
				return end, true
			}
		}
		return 0, false
	}
	for e := most; e >= least; e-- {
		if (e == len(r.s) || utf8.RuneStart(r.s[e])) && try(e) {
			return end, true
		}
	}
	return 0, false
}

// reach gives how far a set can go from a place.
func (r *anchoredRun) reach(st *step, pos int) int {
	if st.once {
		if pos == len(r.s) || !st.set[r.s[pos]] {
			return pos
		}
		_, n := utf8.DecodeRune(r.s[pos:])
		return pos + n
	}
	if st.but >= 0 {
		if n := bytes.IndexByte(r.s[pos:], byte(st.but)); n >= 0 {
			return pos + n
		}
		return len(r.s)
	}
	for pos < len(r.s) && st.set[r.s[pos]] {
		pos++
	}
	return pos
}
