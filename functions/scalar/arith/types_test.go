package arith

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"lakeserver/cherr"
	"lakeserver/functions"
	"lakeserver/settings"
	"lakeserver/types"
)

// TestResultTypes compares the types of results with ClickHouse's, for every
// pair of numeric types; E43 and its like are error codes.
func TestResultTypes(t *testing.T) {
	text, err := os.ReadFile("testdata/types.txt")
	if err != nil {
		t.Fatal(err)
	}
	reg, err := functions.NewRegistry(Set())
	if err != nil {
		t.Fatal(err)
	}
	env := &functions.Env{Settings: settings.Default(), Zone: time.UTC, Registry: reg}
	wrong := 0
	for line := range strings.Lines(string(text)) {
		head, cells, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for _, cell := range strings.Fields(cells) {
			last, want, _ := strings.Cut(cell, "=")
			if got := resultType(t, env, append(strings.Fields(head), last)); got != want {
				if wrong++; wrong < 40 {
					t.Errorf("%s %s gives %s, want %s", head, last, got, want)
				}
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d wrong", wrong)
	}
}

// resultType binds the function words[0] to the types behind it.
func resultType(t *testing.T, env *functions.Env, words []string) string {
	var args []functions.Arg
	for _, w := range words[1:] {
		typ, err := types.Parse(w)
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, functions.Arg{Type: typ})
	}
	f, err := env.Registry.BindScalar(env, words[0], args)
	if err != nil {
		return "E" + strconv.Itoa(int(cherr.CodeOf(err)))
	}
	return strings.ReplaceAll(f.Result.String(), ", ", ",")
}
