package main

import (
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"lakeserver/cherr"
	"lakeserver/internal/reference"
	"lakeserver/internal/sqlfuzz"
	"lakeserver/server"
)

var (
	fuzzFor  = flag.Duration("fuzz-sql", 0, "how long TestFuzzSQL compares random queries with ClickHouse")
	fuzzSeed = flag.Uint64("fuzz-seed", 0, "the seed of TestFuzzSQL's first query (default: the clock's)")
)

// TestFuzzSQL compares random queries with ClickHouse, shrinks what differs
// and prints it with the seed that made it. One kind of difference is shown once.
func TestFuzzSQL(t *testing.T) {
	if *fuzzFor == 0 {
		t.Skip("runs with -fuzz-sql alone")
	}
	ref, err := reference.Open()
	if err != nil {
		t.Skip(err)
	}
	f := &fuzzer{t: t, s: testSession(t), ref: ref, found: map[string]bool{}, verdicts: map[string]int{}}
	defer func() { f.ref.Close() }()
	seed := *fuzzSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	for end := time.Now().Add(*fuzzFor); time.Now().Before(end); seed++ {
		f.one(seed)
	}
	t.Logf("%d queries: %v; shrinking asked %d more", f.queries, f.verdicts, f.asked)
}

type fuzzer struct {
	t        *testing.T
	s        server.Session
	ref      *reference.Reference
	found    map[string]bool // kinds of differences
	queries  int
	asked    int
	verdicts map[string]int
}

// one makes and compares the query of a seed.
func (f *fuzzer) one(seed uint64) {
	q := sqlfuzz.NewGenerator(seed).Query()
	f.queries++
	v, ours, theirs := f.compare(q.SQL())
	f.verdicts[v.String()]++
	if v == sqlfuzz.Same || v == sqlfuzz.Refused {
		return
	}
	small := sqlfuzz.Shrink(q, 400, func(c *sqlfuzz.Node) bool {
		f.asked++
		w, o, t := f.compare(c.SQL())
		if w != v || o.Code != ours.Code || t.Code != theirs.Code {
			return false
		}
		ours, theirs = o, t
		return true
	})
	kind := fmt.Sprint(v, ours.Code, theirs.Code, callsOf(small.SQL()))
	if f.found[kind] {
		return
	}
	f.found[kind] = true
	f.t.Errorf("seed %d: %s\n%s\nours:\n%s\nClickHouse:\n%s", seed, v, small.SQL(), shown(ours), shown(theirs))
}

func shown(o sqlfuzz.Outcome) string {
	if o.Code != 0 {
		return fmt.Sprintf("%s: %.300s", cherr.Code(o.Code), o.Err)
	}
	return fmt.Sprintf("%.1500s", o.Text)
}

var calls = regexp.MustCompile(`[A-Za-z_0-9]+\(|[A-Z]{2,}|[-+*/%<>=]+`)

// callsOf gives what is called in a query: differences with the same calls are one kind.
func callsOf(sql string) string {
	c := calls.FindAllString(sql, -1)
	slices.Sort(c)
	return strings.Join(slices.Compact(c), " ")
}

func (f *fuzzer) compare(sql string) (v sqlfuzz.Verdict, ours, theirs sqlfuzz.Outcome) {
	const format = "TabSeparatedWithNamesAndTypes"
	a, err := f.ref.Ask(sql, format)
	if err != nil { // it died of the query: that says nothing about us
		f.t.Logf("ClickHouse ended (%v) at: %s", err, sql)
		if f.ref, err = reference.Open(); err != nil {
			f.t.Fatal(err)
		}
		return sqlfuzz.Refused, ours, theirs
	}
	theirs = sqlfuzz.Outcome{Text: a.Text, Code: a.Code, Err: a.Error}
	var out strings.Builder
	if err := runLocal(f.t.Context(), f.s, &server.Query{Text: sql}, format, &out); err != nil {
		ours = sqlfuzz.Outcome{Code: int(cherr.CodeOf(err)), Err: err.Error()}
	} else {
		ours.Text = out.String()
	}
	return sqlfuzz.Compare(sql, ours, theirs), ours, theirs
}
