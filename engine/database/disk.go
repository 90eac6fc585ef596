package database

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"lakeserver/cherr"
	"lakeserver/engine/ast"
)

// disk keeps definitions as SQL files:
//
//	metadata/<database>.sql           CREATE DATABASE …
//	metadata/<database>/<table>.sql   CREATE TABLE … or CREATE VIEW …
//	metadata/<database>/<table>.detached
//
// Names are percent-encoded. A file is written beside its place, synced and
// renamed, so that it is always whole.
type disk struct{ dir string }

func (d *disk) path(parts ...string) string {
	out := d.dir
	for _, p := range parts {
		out = filepath.Join(out, url.PathEscape(strings.ReplaceAll(p, ".", "%2E")))
	}
	return out
}

func (d *disk) saveDatabase(db *Database) error {
	if d == nil || db.Engine == "Memory" {
		return nil
	}
	text := "CREATE DATABASE " + ast.QuoteName(db.Name) + "\nENGINE = " + db.Engine
	if db.Comment != "" {
		text += "\nCOMMENT " + ast.QuoteString(db.Comment)
	}
	if db.External != nil {
		text = ast.Format(db.Create)
	}
	if err := os.MkdirAll(d.path(db.Name), 0o755); err != nil {
		return diskError(err, "creating the folder of database %s", db.Name)
	}
	return writeDurably(d.path(db.Name)+".sql", text+"\n")
}

func (d *disk) dropDatabase(name string) error {
	if d == nil {
		return nil
	}
	if err := os.Remove(d.path(name) + ".sql"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return diskError(err, "dropping database %s", name)
	}
	return diskError(os.RemoveAll(d.path(name)), "dropping database %s", name)
}

func (d *disk) renameDatabase(from, to string) error {
	if d == nil {
		return nil
	}
	if err := os.Rename(d.path(from), d.path(to)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return diskError(err, "renaming database %s", from)
	}
	text := "CREATE DATABASE " + ast.QuoteName(to) + "\nENGINE = Atomic\n"
	if err := writeDurably(d.path(to)+".sql", text); err != nil {
		return err
	}
	err := os.Remove(d.path(from) + ".sql")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return diskError(err, "renaming database %s", from)
}

func (d *disk) saveTable(e *Entry) error {
	if d == nil || e.Temporary {
		return nil
	}
	if err := os.MkdirAll(d.path(e.Database), 0o755); err != nil {
		return diskError(err, "creating the folder of database %s", e.Database)
	}
	return writeDurably(d.path(e.Database, e.Name)+".sql", ast.Format(e.Create)+"\n")
}

func (d *disk) dropTable(db, name string) error {
	if d == nil {
		return nil
	}
	err := os.Remove(d.path(db, name) + ".sql")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return diskError(err, "dropping table %s.%s", db, name)
}

func (d *disk) detachTable(e *Entry) error {
	if d == nil {
		return nil
	}
	from := d.path(e.Database, e.Name)
	return diskError(os.Rename(from+".sql", from+".detached"), "detaching table %s.%s", e.Database, e.Name)
}

// Detached gives the definition that DETACH left of a table.
func (c *Catalog) Detached(db, name string) (string, error) {
	if c.disk == nil {
		return "", unknown(db, name)
	}
	text, err := os.ReadFile(c.disk.path(db, name) + ".detached")
	if err != nil {
		return "", unknown(db, name)
	}
	return string(text), nil
}

// ForgetDetached removes that definition once the table is attached again.
func (c *Catalog) ForgetDetached(db, name string) error {
	if c.disk == nil {
		return nil
	}
	return diskError(os.Remove(c.disk.path(db, name)+".detached"), "attaching table %s.%s", db, name)
}

// Stored is a definition found on disk.
type Stored struct {
	Path string
	SQL  string
}

// OpenDisk makes the catalog durable in a folder and gives what is stored
// there: databases first, then tables and views, each in the order of names.
// The caller enters them (Restore).
func (c *Catalog) OpenDisk(dataDir string) (databases, tables []Stored, err error) {
	d := &disk{dir: filepath.Join(dataDir, "metadata")}
	if err := os.MkdirAll(d.dir, 0o755); err != nil {
		return nil, nil, diskError(err, "opening the data folder")
	}
	err = filepath.WalkDir(d.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".sql") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if filepath.Dir(path) == d.dir {
			databases = append(databases, Stored{path, string(text)})
		} else {
			tables = append(tables, Stored{path, string(text)})
		}
		return nil
	})
	if err != nil {
		return nil, nil, diskError(err, "reading definitions")
	}
	c.disk = d
	return databases, tables, nil
}

// Restore enters a database and a table that came from disk, without writing.
func (c *Catalog) Restore(db *Database, e *Entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if db != nil {
		if c.dbs[db.Name] == nil {
			db.entries = map[string]*Entry{}
			c.dbs[db.Name] = db
		}
		return
	}
	if d := c.dbs[e.Database]; d != nil {
		d.entries[e.Name] = e
	}
}

func writeDurably(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return diskError(err, "writing %s", path)
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err == nil {
		err = syncDir(filepath.Dir(path))
	}
	return diskError(err, "writing %s", path)
}

func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

func diskError(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return cherr.WithCode(cherr.CannotOpenFile, err, format, args...)
}
