package paimon

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"lakeserver/metadata/paimon"
	"lakeserver/read"
)

// TestUniversalPick compares what is picked with what Paimon's own
// UniversalCompaction and ForceUpLevel0Compaction pick of the same runs; they
// wrote testdata/universal.json.
func TestUniversalPick(t *testing.T) {
	text, err := os.ReadFile("testdata/universal.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Trigger, Amplification, Ratio, Levels int
		Force                                 bool
		Runs                                  [][2]int64 // level, size
		Pick                                  *struct{ Level, Runs int }
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		var runs []sortedRun
		for n, r := range c.Runs {
			task := &read.Task{Name: fmt.Sprint(n), Size: r[1], Paimon: &read.PaimonFile{Entry: &paimon.Entry{File: paimon.DataFile{Level: int(r[0])}}}}
			runs = append(runs, sortedRun{level: int(r[0]), tasks: []*read.Task{task}, size: r[1]})
		}
		u := universal{top: c.Levels - 1, trigger: c.Trigger, amplification: int64(c.Amplification), ratio: int64(c.Ratio), forceUp: c.Force}
		got := u.pick(runs)
		want := c.Pick
		if want != nil && want.Runs == 1 && int(c.Runs[0][0]) == want.Level {
			want = nil // one file where it lies already: nothing to be done
		}
		switch {
		case got == nil && want == nil:
		case got == nil || want == nil:
			t.Errorf("case %d: %+v where %+v is due", i, got, want)
		case got.level != want.Level || len(got.runs) != want.Runs:
			t.Errorf("case %d: %d runs to level %d, where %+v is due", i, len(got.runs), got.level, *want)
		}
	}
	if len(cases) < 100 {
		t.Errorf("%d cases only", len(cases))
	}
}
