package main

import (
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"lakeserver/functions"
	"lakeserver/internal/reference"
	"lakeserver/internal/sqltest"
)

const examplesFile = "testdata/examples.test"

// TestExamples runs the examples of the functions' documentation. The answers
// are ClickHouse's; what changes from run to run only has to run.
func TestExamples(t *testing.T) {
	reg, err := registry(defaultConfig(), newCaches(defaultConfig()), nil)
	if err != nil {
		t.Fatal(err)
	}
	examples := examplesOf(reg)
	if *rewrite {
		rewriteExamples(t, examples)
		return
	}
	cases, err := sqltest.Read(examplesFile)
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	s := testSession(t)
	for _, c := range cases {
		have = append(have, c.SQL)
		got, err := answer(t.Context(), s, c)
		if err != nil || c.Kind == "query" && !slices.EqualFunc(got, c.Answer, alike) {
			t.Errorf("%s:%d: %s\ngave %q (%v), want %q", examplesFile, c.Line, c.SQL, got, err, c.Answer)
		}
	}
	for _, e := range examples {
		if !slices.Contains(have, e) {
			t.Errorf("%s has no answer for the example %s: go test ./cmd/lakeserver -run TestExamples -rewrite", examplesFile, e)
		}
	}
}

// alike: the last digit of a transcendental function is the library's own, and
// the name of the server's zone is the machine's.
func alike(got, want string) bool {
	if strings.ReplaceAll(got, "Etc/UTC", "UTC") == strings.ReplaceAll(want, "Etc/UTC", "UTC") {
		return true
	}
	g, err := strconv.ParseFloat(got, 64)
	w, err2 := strconv.ParseFloat(want, 64)
	return err == nil && err2 == nil && math.Abs(g-w) <= 1e-14*math.Abs(w)
}

func examplesOf(reg *functions.Registry) []string {
	var out []string
	for _, s := range reg.Sets() {
		for _, f := range s.Scalars {
			out = append(out, f.Doc.Examples...)
		}
		for _, f := range s.Aggregates {
			out = append(out, f.Doc.Examples...)
		}
		for _, f := range s.Windows {
			out = append(out, f.Doc.Examples...)
		}
		for _, f := range s.Tables {
			out = append(out, f.Doc.Examples...)
		}
	}
	sort.Strings(out)
	return slices.Compact(out)
}

// rewriteExamples asks ClickHouse twice, to see what is stable. Where it
// refuses an example, the answer is ours (functions beyond ClickHouse's).
func rewriteExamples(t *testing.T, examples []string) {
	t.Helper()
	ref, err := reference.Open()
	if err != nil {
		t.Skip(err)
	}
	defer ref.Close()
	s := testSession(t)
	var cases []sqltest.Case
	for _, e := range examples {
		if strings.Contains(e, "FORMAT Null") { // what it says is of this server alone
			cases = append(cases, sqltest.Case{Kind: "statement", SQL: e})
			continue
		}
		first, second := sqltest.Case{Kind: "query", Types: true, SQL: e}, sqltest.Case{Kind: "query", Types: true, SQL: e}
		if err := askReference(ref, &first); err != nil {
			t.Fatalf("%s: %v", e, err)
		}
		if err := askReference(ref, &second); err != nil {
			t.Fatalf("%s: %v", e, err)
		}
		switch {
		case first.Kind == "error":
			t.Logf("ClickHouse refuses %s: %s", e, first.Code)
			first = sqltest.Case{Kind: "query", Types: true, Own: true, SQL: e}
			if first.Answer, err = answer(t.Context(), s, first); err != nil {
				t.Errorf("%s: %v", e, err)
			}
		case !slices.Equal(first.Answer, second.Answer) || strings.Contains(e, "blockNumber"):
			first = sqltest.Case{Kind: "statement", SQL: e}
		}
		cases = append(cases, first)
	}
	if err := sqltest.Write(examplesFile, cases); err != nil {
		t.Fatal(err)
	}
}
