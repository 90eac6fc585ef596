package strings

import (
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"slices"
	"testing"
)

// The anchored form finds what regexp finds, or says that it gave up.
func TestAnchored(t *testing.T) {
	patterns := []string{
		`^https?://(?:www\.)?([^/]+)/.*$`, `^a*b?c`, `^(a*)(a*)(b|c)`, `^(a+?)(a*)b?$`, `^.*?/(x?)`, `^([^a]*)a([^b]+)b`, `^é?(.)(.*)é$`,
		`^(?:ab)??(a?)b*$`, `^[a-c]+([b-d]*)d$`, `^`, `^$`, `^(.*)(.*)(.*)(.*)x`, `^[^a-c]*(a)`, `^a(b(c?)d?)`, `^(?-s:.*)b`,
	}
	taken := 0
	r := rand.New(rand.NewPCG(1, 2))
	letters := []string{"a", "a", "b", "c", "d", "/", "é", "w", "\n", "x", "http://", "www.", "\xff"}
	for _, p := range patterns {
		re := regexp.MustCompile("(?s)" + p)
		tree, err := syntax.Parse("(?s)"+p, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		a := newAnchored(tree.Simplify())
		if a == nil {
			continue
		}
		taken++
		var at []int
		for range 20_000 {
			s := ""
			for range r.IntN(9) {
				s += letters[r.IntN(len(letters))]
			}
			want := re.FindSubmatchIndex([]byte(s))
			got, ok, done := a.find([]byte(s), at)
			at = got
			if !done {
				continue
			}
			if ok != (want != nil) || ok && !slices.Equal(got, want) {
				t.Fatalf("%s in %q: %v, %v, want %v", p, s, got, ok, want)
			}
		}
	}
	if taken < 10 {
		t.Errorf("only %d of %d patterns have the form", taken, len(patterns))
	}
}

// Sets that vie for the same bytes do not take for ever.
func TestAnchoredGivesUp(t *testing.T) {
	tree, err := syntax.Parse(`(?s)^(.*)(.*)(.*)(.*)(.*)x$`, syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	s := make([]byte, 10_000)
	for i := range s {
		s[i] = 'a'
	}
	if _, _, done := newAnchored(tree.Simplify()).find(s, nil); done {
		t.Error("it did not give up")
	}
}
