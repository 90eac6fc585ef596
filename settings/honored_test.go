package settings

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var reads = regexp.MustCompile(`\.(?:Bool|Uint|Get|Int|Float|Changed|setting)\("([a-z][a-z0-9_]+)"\)`)

// TestHonored: a setting that the code asks for is marked as honoured, with a
// text, and none is marked that nobody asks for.
func TestHonored(t *testing.T) {
	asked := map[string]bool{}
	quoted := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "../settings") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range reads.FindAllStringSubmatch(string(text), -1) {
			asked[m[1]] = true
		}
		for _, m := range regexp.MustCompile(`"([a-z][a-z0-9_]+)"`).FindAllStringSubmatch(string(text), -1) {
			quoted[m[1]] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range asked {
		if d, ok := Lookup(name); ok && !d.Honored {
			t.Errorf("%s is asked for, but not in honored.go", name)
		}
	}
	for name := range honored {
		if !quoted[name] {
			t.Errorf("%s is in honored.go, but nobody asks for it", name)
		}
		if _, ok := Lookup(name); !ok {
			t.Errorf("%s is in honored.go, but there is no such setting", name)
		}
	}
}
