package sqlfuzz

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Outcome is what an engine said: names, types and rows as
// TabSeparatedWithNamesAndTypes, or the code of an error.
type Outcome struct {
	Text string
	Code int
	Err  string
}

// Verdict of one comparison.
type Verdict int

// The verdicts.
const (
	Same    Verdict = iota
	Refused         // one of both does not offer it, or the difference is a known one
	Rows            // both answered, and not the same
	Types           // the types differ
	Ours            // only we failed
	Theirs          // only the reference failed
	Codes           // both failed, with other codes
)

func (v Verdict) String() string {
	return [...]string{"same", "refused", "rows differ", "types differ", "error where an answer is due", "answer where an error is due", "another error code"}[v]
}

// Compare tells how the outcomes of a query relate. Rows are compared in any
// order, and floating point numbers up to their last digits: the order of
// additions is open.
func Compare(sql string, ours, theirs Outcome) Verdict {
	if known(sql, ours, theirs) {
		return Refused
	}
	switch {
	case ours.Code != 0 && theirs.Code != 0:
		if ours.Code == theirs.Code {
			return Same
		}
		return Codes
	case ours.Code != 0:
		return Ours
	case theirs.Code != 0:
		return Theirs
	case ours.Text == theirs.Text:
		return Same
	}
	o, t := lines(ours.Text), lines(theirs.Text)
	if len(o) > 1 && len(t) > 1 && o[1] != t[1] {
		return Types
	}
	if len(o) != len(t) {
		return Rows
	}
	slices.Sort(o[min(2, len(o)):])
	slices.Sort(t[min(2, len(t)):])
	for i := range o {
		if !close(o[i], t[i]) {
			return Rows
		}
	}
	return Same
}

func lines(s string) []string { return strings.Split(strings.TrimSuffix(s, "\n"), "\n") }

// close compares rows whose numbers may differ in their last digits.
func close(a, b string) bool {
	if a == b {
		return true
	}
	split := func(r rune) bool { return strings.ContainsRune("\t,[](){}: '", r) }
	x, y := strings.FieldsFunc(a, split), strings.FieldsFunc(b, split)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] != y[i] && !closeNumbers(x[i], y[i]) {
			return false
		}
	}
	return true
}

func closeNumbers(a, b string) bool {
	if !strings.ContainsAny(a+b, ".e") {
		return false
	}
	f, err := strconv.ParseFloat(a, 64)
	g, err2 := strconv.ParseFloat(b, 64)
	if err != nil || err2 != nil {
		return false
	}
	return math.Abs(f-g) <= 1e-9*max(math.Abs(f), math.Abs(g))
}

func sorted(m map[string][]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
