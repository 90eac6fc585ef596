package exectest

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/exec"
	"lakeserver/engine/plan"
	"lakeserver/memory"
	"lakeserver/settings"
)

// Case is one plan over tables and what it must give.
type Case struct {
	Inputs  []*Table
	Build   func(inputs []plan.Node) plan.Node
	Want    []string // rows, values divided by a space
	Ordered bool     // the order of the rows is part of the answer
	// OneStream is for answers that depend on the order of the input's rows.
	OneStream bool
	Settings  *settings.Settings
}

// Run runs a case under all conditions.
func Run(t *testing.T, c Case) {
	t.Helper()
	before := runtime.NumGoroutine()
	forms := map[string]func(column.Header, []*column.Block) []*column.Block{
		"whole":  func(_ column.Header, b []*column.Block) []*column.Block { return b },
		"cut 1":  func(_ column.Header, b []*column.Block) []*column.Block { return Cut(b, 1) },
		"cut 3":  func(_ column.Header, b []*column.Block) []*column.Block { return Cut(b, 3) },
		"dict":   Dicts,
		"dict 2": func(h column.Header, b []*column.Block) []*column.Block { return Cut(Dicts(h, b), 2) },
		"const":  func(_ column.Header, b []*column.Block) []*column.Block { return Consts(b) },
	}
	for name, form := range forms {
		for _, threads := range []int{1, 3} {
			if c.OneStream && threads > 1 {
				continue
			}
			what := fmt.Sprintf("%s, %d threads", name, threads)
			peak := c.once(t, what, form, threads)
			c.ended(t, what, form, threads, peak)
		}
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}

type shape = func(column.Header, []*column.Block) []*column.Block

// plan makes the plan over the inputs in a form.
func (c *Case) plan(form shape) plan.Node {
	nodes := make([]plan.Node, len(c.Inputs))
	for i, in := range c.Inputs {
		t := *in
		t.Blocks = form(in.Fields, in.Blocks)
		if c.OneStream {
			t.Streams = 1
		}
		nodes[i] = Scan(&t)
	}
	return c.Build(nodes)
}

// once runs to the end and compares; it gives the most memory reserved.
func (c *Case) once(t *testing.T, what string, form shape, threads int) int64 {
	t.Helper()
	m := memory.New(nil, "test", 0)
	r, err := exec.Build(context.Background(), c.plan(form), exec.Options{Threads: threads, Memory: m, Settings: c.Settings})
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	blocks, err := column.ReadAll(context.Background(), r)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	c.equal(t, what, blocks)
	if m.Used() != 0 {
		t.Errorf("%s: %d bytes reserved after Close", what, m.Used())
	}
	return m.Peak()
}

// equal compares what a run gave with what is wanted.
func (c *Case) equal(t *testing.T, what string, blocks []*column.Block) {
	t.Helper()
	got, want := Rows(blocks), c.Want
	if !c.Ordered {
		want = slices.Clone(want)
		slices.Sort(want)
		slices.Sort(got)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %s\nwant %s", what, strings.Join(got, " | "), strings.Join(want, " | "))
	}
}

// ended closes early, cancels at each of the first Nexts, and refuses memory.
func (c *Case) ended(t *testing.T, what string, form shape, threads int, peak int64) {
	t.Helper()
	for k := range 3 {
		m := memory.New(nil, "test", 0)
		ctx, cancel := context.WithCancel(context.Background())
		r, err := exec.Build(ctx, c.plan(form), exec.Options{Threads: threads, Memory: m, Settings: c.Settings})
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for range k {
			if _, err := r.Next(ctx); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
		}
		cancel()
		if k > 0 { // a cancelled stream may still end well, but not hang or leak
			_, _ = r.Next(ctx)
		}
		if err := r.Close(); err != nil {
			t.Errorf("%s: close: %v", what, err)
		}
		if m.Used() != 0 {
			t.Errorf("%s: %d bytes reserved after an early Close", what, m.Used())
		}
	}
	for _, limit := range []int64{1, peak / 4, peak / 2, peak - 1} {
		if limit > 0 {
			c.refused(t, fmt.Sprintf("%s: with %d bytes", what, limit), form, threads, memory.New(nil, "test", limit))
		}
	}
	// Every growth of a small run is refused in its turn, those of a long one in
	// ever wider steps: the run ends when none was left to refuse.
	for k := int64(1); ; k += 1 + k/8 {
		m := memory.Refusing("test", k)
		c.refused(t, fmt.Sprintf("%s: growth %d refused", what, k), form, threads, m)
		if !m.Refused() {
			break
		}
	}
}

// refused runs under a tracker that denies memory somewhere: the run ends well
// (it spilled, or was not denied) or with MEMORY_LIMIT_EXCEEDED, and keeps nothing.
func (c *Case) refused(t *testing.T, what string, form shape, threads int, m *memory.Tracker) {
	t.Helper()
	r, err := exec.Build(context.Background(), c.plan(form), exec.Options{Threads: threads, Memory: m, Settings: c.Settings})
	var blocks []*column.Block
	if err == nil {
		blocks, err = column.ReadAll(context.Background(), r)
	}
	switch {
	case err != nil && !cherr.Is(err, cherr.MemoryLimitExceeded):
		t.Errorf("%s: %v", what, err)
	case err == nil:
		c.equal(t, what, blocks)
	}
	if m.Used() != 0 {
		t.Errorf("%s: %d bytes reserved at the end", what, m.Used())
	}
}

// Rows prints blocks, a line a row, values divided by a space, NULL as \N.
func Rows(blocks []*column.Block) []string {
	out := []string{}
	for _, b := range blocks {
		for r := range b.Rows {
			var line []string
			for _, c := range b.Columns {
				v := column.At(c, r)
				if v == nil {
					v = `\N`
				}
				line = append(line, fmt.Sprint(v))
			}
			out = append(out, strings.Join(line, " "))
		}
	}
	return out
}
