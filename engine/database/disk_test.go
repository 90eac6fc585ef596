package database

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lakeserver/cherr"
	"lakeserver/engine/ast"
)

func tableEntry(db, name string) *Entry {
	create := &ast.CreateTable{Name: &ast.TableName{Database: db, Table: name}, Columns: []*ast.ColumnDecl{{Name: "a", Type: "UInt8"}}}
	return &Entry{Database: db, Name: name, Create: create}
}

func open(t *testing.T, dir string) (*Catalog, []Stored, []Stored) {
	t.Helper()
	c := New()
	dbs, tables, err := c.OpenDisk(dir)
	if err != nil {
		t.Fatal(err)
	}
	return c, dbs, tables
}

// Definitions are on disk before they are seen, under names that may hold
// anything, and gone when they are dropped.
func TestDefinitionsOnDisk(t *testing.T) {
	dir := t.TempDir()
	c, _, _ := open(t, dir)
	if err := c.CreateDatabase(&Database{Name: "d", Engine: "Atomic"}, false); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"plain", "with/slash", "..", "über"} {
		if _, err := c.Create(tableEntry("d", name), false); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Create(tableEntry("d", "plain"), false); !cherr.Is(err, cherr.TableAlreadyExists) {
		t.Errorf("a second table of one name: %v", err)
	}
	if err := c.Rename("d", "plain", "d", "renamed"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Drop("d", "..", false); err != nil {
		t.Fatal(err)
	}
	_, dbs, tables := open(t, dir)
	if len(dbs) != 1 || len(tables) != 3 {
		t.Fatalf("%d databases and %d tables are stored, want 1 and 3", len(dbs), len(tables))
	}
	text := ""
	for _, s := range tables {
		text += s.SQL
	}
	if !strings.Contains(text, "renamed") || strings.Contains(text, "plain") {
		t.Errorf("stored:\n%s", text)
	}
	outside, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(outside) != 1 {
		t.Errorf("files outside metadata/: %v %v", outside, err)
	}
}

// When the disk refuses, the catalog stays as it was.
func TestDiskRefuses(t *testing.T) {
	dir := t.TempDir()
	c, _, _ := open(t, dir)
	if err := c.CreateDatabase(&Database{Name: "d", Engine: "Atomic"}, false); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "metadata", "d")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "metadata", "d"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Create(tableEntry("d", "t"), false); err == nil {
		t.Fatal("the table was made although nothing could be written")
	}
	if _, err := c.Lookup("d", "t"); !cherr.Is(err, cherr.UnknownTable) {
		t.Errorf("the table is seen although it is not stored: %v", err)
	}
}
