// Package lakeserver_test holds the laws of the house that a compiler cannot:
// who may import whom, how large things may get, what every package must say.
package lakeserver_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"
)

// Budgets. They may only be raised by a decision page.
const (
	maxFileLines     = 800
	maxFunctionLines = 70
)

// ground may be imported by everyone above it.
var ground = []string{"cherr", "types", "column"}

// imports says which packages of the house a package may import, besides the
// ground where it is listed with "B". A trailing /* stands for all below.
var imports = map[string]string{
	"column/cast":             "B types/civil column/text",
	"cherr":                   "",
	"engine/ast":              "",
	"settings":                "cherr",
	"memory":                  "cherr",
	"objstore":                "cherr",
	"types":                   "cherr",
	"types/civil":             "",
	"engine/parse":            "cherr engine/ast",
	"column":                  "cherr types",
	"column/text":             "B types/civil",
	"metadata":                "cherr objstore memory",
	"server/native/wire":      "cherr settings",
	"expr":                    "B memory",
	"codec/parquet":           "B objstore memory",
	"codec/orc":               "B objstore memory",
	"codec/avro":              "B objstore memory",
	"codec/native":            "B",
	"metadata/iceberg":        "B objstore metadata codec/avro memory",
	"metadata/paimon":         "B objstore metadata codec/avro codec/orc codec/parquet memory",
	"metadata/catalog":        "cherr objstore metadata metadata/*",
	"timetravel":              "cherr settings metadata metadata/* types column",
	"pruning":                 "B expr metadata metadata/* types/civil",
	"table":                   "B expr settings memory",
	"format":                  "B settings codec/* codec/native column/text types/civil objstore memory",
	"write/paimon":            "B memory objstore write read pruning codec/* metadata metadata/catalog metadata/paimon types/civil",
	"write/iceberg":           "B expr memory objstore write read pruning codec/* metadata metadata/catalog metadata/iceberg types/civil",
	"write":                   "B memory objstore codec/*",
	"cluster":                 "B settings memory expr table codec/native",
	"functions":               "B expr table settings column/cast",
	"read":                    "B expr memory objstore pruning codec/* metadata metadata/* types/civil",
	"functions/scalar/kernel": "B functions expr types/civil column/cast",
	"functions/scalar/*":      "B functions expr settings column/text column/cast types/civil functions/scalar/kernel",
	"functions/aggregate":     "B functions expr settings memory types/civil column/text column/cast",
	"functions/window":        "B functions expr settings column/cast",
	"functions/storage":       "B functions table expr settings objstore format collections",
	"functions/tablefunc":     "B functions functions/storage table expr format objstore settings cluster memory column/text types/civil codec/parquet",
	"functions/tableengine":   "B functions table expr settings memory",
	"functions/iceberg":       "B functions functions/storage table expr settings memory objstore timetravel pruning read write cluster metadata metadata/catalog metadata/iceberg write/iceberg codec/* types/civil column/text column/cast",
	"functions/paimon":        "B functions functions/storage table expr settings memory objstore timetravel pruning read write cluster metadata metadata/catalog metadata/paimon write/paimon codec/* types/civil column/text column/cast",
	"engine/plan":             "B expr table functions settings memory types/civil",
	"engine/database":         "cherr types table functions engine/ast",
	"engine/change":           "B table engine/ast",
	"engine/system":           "B access collections table functions settings engine/database",
	"engine/analyze":          "B expr table functions settings engine/ast engine/plan engine/database functions/scalar/compare column/text types/civil",
	"engine/exec":             "B expr table functions memory settings engine/plan types/civil codec/native",
	"engine":                  "B access settings memory expr table functions cluster collections engine/*",
	"access":                  "cherr settings",
	"collections":             "cherr",
	"server":                  "B settings access engine format",
	"server/mysql":            "B settings access engine engine/ast engine/parse server column/text",
	"server/httpapi":          "B settings access engine format codec/native server table column/text",
	"server/restcatalog":      "cherr access server metadata metadata/iceberg metadata/catalog",
	"server/native":           "B settings access engine format codec/native server server/native/wire table column/text",
	"cmd/lakeserver":          "*",
	"internal/*":              "*",
	"tests/bench":             "*",
	"tests/integration":       "*",
}

// modules says which packages may import which third-party modules.
var modules = map[string]string{
	"github.com/ClickHouse/ch-go":         "codec/native server/native server/native/wire server/httpapi cluster format functions/scalar/hashes",
	"github.com/apache/arrow-go/v18":      "codec/parquet format",
	"github.com/hamba/avro/v2":            "codec/avro",
	"github.com/klauspost/compress":       "codec/* metadata metadata/* format server/httpapi functions/tablefunc",
	"github.com/RoaringBitmap/roaring":    "metadata/* read write/* functions/aggregate",
	"github.com/alecthomas/kong":          "cmd/lakeserver",
	"github.com/goccy/go-yaml":            "cmd/lakeserver",
	"github.com/prometheus/client_golang": "server server/httpapi cmd/lakeserver",
	"github.com/minio/minio-go/v7":        "objstore",
	"github.com/Azure/azure-sdk-for-go":   "objstore",
	"github.com/colinmarc/hdfs/v2":        "objstore",
	"golang.org/x/sync":                   "cherr",
	"golang.org/x/sys":                    "*",
	"golang.org/x/text":                   "functions/scalar/strings engine/exec",
	"github.com/andybalholm/brotli":       "codec/parquet server/httpapi format functions/tablefunc",
	"github.com/pierrec/lz4/v4":           "codec/* server/httpapi format functions/tablefunc",
	"github.com/cespare/xxhash/v2":        "codec/parquet functions/scalar/hashes metadata/paimon",
	"github.com/go-faster/city":           "codec/native functions/scalar/hashes server/native server/native/wire functions/aggregate",
	"github.com/zeebo/xxh3":               "functions/scalar/hashes",
	"golang.org/x/crypto":                 "functions/scalar/hashes access",
	"github.com/xwb1989/sqlparser":        "server/mysql",
	"github.com/google/uuid":              "*",
	"github.com/dsnet/compress":           "codec/avro",
}

// skipped folders are not the house's own code.
var skipped = regexp.MustCompile(`(^|/)(testdata|shared|node_modules|bin|data)(/|$)|(^|/)\.[a-z]`)

type source struct {
	path, pkg string // pkg is the folder relative to the root
	file      *ast.File
	fset      *token.FileSet
	lines     []string
}

func sources(t *testing.T) []source {
	t.Helper()
	var out []source
	fset := token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path != "." && d.IsDir() {
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil || skipped.MatchString(path) {
				return filepath.SkipDir
			}
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(fset, path, text, parser.ParseComments)
		if err != nil {
			return err
		}
		out = append(out, source{path, filepath.ToSlash(filepath.Dir(path)), f, fset, strings.Split(string(text), "\n")})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func isTest(path string) bool { return strings.HasSuffix(path, "_test.go") }

// matches tells whether a package is one of a list, "x/*" standing for all
// below x.
func matches(pkg, list string) bool {
	for _, w := range strings.Fields(list) {
		if w == "*" || w == pkg || strings.HasSuffix(w, "/*") && strings.HasPrefix(pkg, strings.TrimSuffix(w, "*")) {
			return true
		}
		if w == "B" && matches(pkg, strings.Join(ground, " ")) {
			return true
		}
	}
	return false
}

func allowed(pkg string) (string, bool) {
	if l, ok := imports[pkg]; ok {
		return l, true
	}
	for p, l := range imports {
		if strings.HasSuffix(p, "/*") && strings.HasPrefix(pkg, strings.TrimSuffix(p, "*")) {
			return l, true
		}
	}
	return "", false
}

func TestImports(t *testing.T) {
	for _, s := range sources(t) {
		if s.pkg == "." || isTest(s.path) {
			continue
		}
		list, known := allowed(s.pkg)
		if !known {
			t.Errorf("%s: package %s is not on the map; add it by a decision page", s.path, s.pkg)
			continue
		}
		for _, im := range s.file.Imports {
			path := strings.Trim(im.Path.Value, `"`)
			if to, ok := strings.CutPrefix(path, "lakeserver/"); ok {
				if !matches(to, list) {
					t.Errorf("%s: %s may not import %s", s.path, s.pkg, to)
				}
				continue
			}
			if strings.Contains(strings.Split(path, "/")[0], ".") && !moduleAllowed(path, s.pkg) {
				t.Errorf("%s: %s may not import %s", s.path, s.pkg, path)
			}
		}
	}
}

func moduleAllowed(path, pkg string) bool {
	for m, list := range modules {
		if (path == m || strings.HasPrefix(path, m+"/")) && matches(pkg, list) {
			return true
		}
	}
	return strings.HasPrefix(pkg, "internal/") || strings.HasPrefix(pkg, "tests/")
}

func TestSizes(t *testing.T) {
	for _, s := range sources(t) {
		if len(s.lines) > maxFileLines {
			t.Errorf("%s has %d lines; the budget is %d", s.path, len(s.lines), maxFileLines)
		}
		if isTest(s.path) {
			continue
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			from, to := s.fset.Position(f.Pos()).Line, s.fset.Position(f.End()).Line
			if to-from+1 > maxFunctionLines && !markedLong(s, f, from) {
				t.Errorf("%s:%d: %s has %d lines; the budget is %d (or a mark // long: reason)", s.path, from, f.Name.Name, to-from+1, maxFunctionLines)
			}
		}
	}
}

// markedLong looks for "// long: reason" on the function's first line or in
// its comment.
func markedLong(s source, f *ast.FuncDecl, line int) bool {
	for l := line - 1; l < line+6 && l < len(s.lines); l++ {
		if strings.Contains(s.lines[l], "// long: ") {
			return true
		}
	}
	return f.Doc != nil && strings.Contains(f.Doc.Text(), "long: ")
}

func TestPackageComments(t *testing.T) {
	seen, documented := map[string]bool{}, map[string]bool{}
	for _, s := range sources(t) {
		if isTest(s.path) || s.pkg == "." {
			continue
		}
		seen[s.pkg] = true
		if s.file.Doc != nil && filepath.Base(s.path) == "doc.go" {
			documented[s.pkg] = true
		}
	}
	for _, p := range sortedKeys(seen) {
		if !documented[p] {
			t.Errorf("package %s has no doc.go with a package comment", p)
		}
	}
}

var bannedNames = regexp.MustCompile(`(^|/)(util|utils|common|helper|helpers|misc|base|shared|lib)$`)

func TestNames(t *testing.T) {
	for _, s := range sources(t) {
		if bannedNames.MatchString(s.pkg) {
			t.Errorf("package %s has a name that says nothing", s.pkg)
		}
	}
}

// TestHabits: no init(), no bare go statement, no panic outside cherr.
func TestHabits(t *testing.T) {
	for _, s := range sources(t) {
		if isTest(s.path) || s.pkg == "cherr" || strings.HasPrefix(s.pkg, "internal/") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			at := func() string { return fmt.Sprintf("%s:%d", s.path, s.fset.Position(n.Pos()).Line) }
			switch x := n.(type) {
			case *ast.FuncDecl:
				if x.Name.Name == "init" && x.Recv == nil {
					t.Errorf("%s: no init()", at())
				}
			case *ast.GoStmt:
				t.Errorf("%s: goroutines are started by cherr.Group alone", at())
			case *ast.CallExpr:
				// http.ErrAbortHandler is net/http's way of breaking an answer off.
				if id, ok := x.Fun.(*ast.Ident); ok && id.Name == "panic" && !strings.Contains(s.lines[s.fset.Position(n.Pos()).Line-1], "http.ErrAbortHandler") {
					t.Errorf("%s: panic only through cherr.Bug", at())
				}
			}
			return true
		})
	}
}

var rootEntries = map[string]bool{
	"README.md": true, "LICENSE": true, "Makefile": true, "go.mod": true, "go.sum": true, "arch_test.go": true,
	"docker-compose.yml": true, "bin": true, "data": true, "docs": true, "tests": true,
	"access": true, "cherr": true, "cluster": true, "cmd": true, "codec": true, "collections": true, "column": true,
	"engine": true, "expr": true, "format": true, "functions": true, "internal": true, "memory": true, "metadata": true,
	"objstore": true, "pruning": true, "read": true, "server": true, "settings": true, "table": true, "timetravel": true,
	"types": true, "write": true,
}

func TestRoot(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !rootEntries[e.Name()] {
			t.Errorf("%s does not belong in the root", e.Name())
		}
	}
}

var tourPath = regexp.MustCompile("`([a-z][a-zA-Z0-9_./]*/[a-zA-Z0-9_./*]*|[a-z_]+\\.(?:go|md|yml))`")

// TestTour: every path that the README names is there, and every package is
// in one of its rooms.
func TestTour(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range tourPath.FindAllStringSubmatch(string(text), -1) {
		p := strings.TrimSuffix(m[1], "/")
		if strings.ContainsAny(p, "*") || strings.HasPrefix(p, "bin/") {
			continue
		}
		if _, err := os.Stat(p); err != nil {
			t.Errorf("README names %s, which is not there", m[1])
		}
	}
	for _, s := range sources(t) {
		room := strings.Split(s.pkg, "/")[0]
		if s.pkg != "." && !strings.Contains(string(text), "`"+room+"/") {
			t.Errorf("README's rooms lack %s", room)
		}
	}
}

func sortedKeys(m map[string]bool) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
