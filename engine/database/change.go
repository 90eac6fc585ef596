package database

import (
	"lakeserver/cherr"
	"lakeserver/engine/ast"
)

// Create enters a table. With replace an entry of that name gives way and is
// returned; without, TABLE_ALREADY_EXISTS.
func (c *Catalog) Create(e *Entry, replace bool) (old *Entry, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	db, err := c.writable(e.Database)
	if err != nil {
		return nil, err
	}
	if db.External != nil {
		return nil, nil // the catalog has it
	}
	old = db.entries[e.Name]
	if old != nil && !replace {
		return nil, cherr.New(cherr.TableAlreadyExists, "Table %s.%s already exists", e.Database, e.Name)
	}
	if err := c.disk.saveTable(e); err != nil {
		return nil, err
	}
	db.entries[e.Name] = e
	return old, nil
}

// Alter puts an altered table's entry in the place of the one it was made of;
// UNKNOWN_TABLE when that is gone.
func (c *Catalog) Alter(old, next *Entry) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	db, err := c.writable(old.Database)
	if err != nil {
		return err
	}
	if db.External != nil {
		return nil // the catalog has it
	}
	if at := db.entries[old.Name]; at == nil || at.UUID != old.UUID {
		return unknown(old.Database, old.Name)
	}
	if err := c.disk.saveTable(next); err != nil {
		return err
	}
	db.entries[old.Name] = next
	return nil
}

func (c *Catalog) writable(name string) (*Database, error) {
	db, err := c.database(name)
	if err != nil {
		return nil, err
	}
	if db.System {
		return nil, cherr.New(cherr.AccessDenied, "Tables of database %s cannot be changed", name)
	}
	return db, nil
}

// Drop takes a table out and gives it. A detached table's definition stays on
// disk, and Attach brings it back.
func (c *Catalog) Drop(db, name string, detach bool) (*Entry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d, err := c.writable(db)
	if err != nil {
		return nil, err
	}
	if d.External != nil {
		if detach {
			return nil, cherr.New(cherr.NotImplemented, "Tables of database %s cannot be detached: a catalog keeps them", db)
		}
		return d.externalEntry(name), nil
	}
	e, ok := d.entries[name]
	if !ok {
		return nil, unknown(db, name)
	}
	if detach {
		err = c.disk.detachTable(e)
	} else {
		err = c.disk.dropTable(db, name)
	}
	if err != nil {
		return nil, err
	}
	delete(d.entries, name)
	return e, nil
}

// Rename moves a table to another name or database.
func (c *Catalog) Rename(fromDB, from, toDB, to string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	src, err := c.writable(fromDB)
	if err != nil {
		return err
	}
	dst, err := c.writable(toDB)
	if err != nil {
		return err
	}
	e, ok := src.entries[from]
	if !ok {
		return unknown(fromDB, from)
	}
	if _, ok := dst.entries[to]; ok {
		return cherr.New(cherr.TableAlreadyExists, "Table %s.%s already exists", toDB, to)
	}
	moved := e.renamed(toDB, to)
	// The new definition is written before the old one goes: a crash between
	// leaves both names rather than none.
	if err := c.disk.saveTable(moved); err != nil {
		return err
	}
	if err := c.disk.dropTable(fromDB, from); err != nil {
		return err
	}
	delete(src.entries, from)
	dst.entries[to] = moved
	return nil
}

// Exchange swaps two tables.
func (c *Catalog) Exchange(aDB, a, bDB, b string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	da, err := c.writable(aDB)
	if err != nil {
		return err
	}
	db, err := c.writable(bDB)
	if err != nil {
		return err
	}
	ea, ok := da.entries[a]
	if !ok {
		return unknown(aDB, a)
	}
	eb, ok := db.entries[b]
	if !ok {
		return unknown(bDB, b)
	}
	na, nb := ea.renamed(bDB, b), eb.renamed(aDB, a)
	if err := c.disk.saveTable(na); err != nil {
		return err
	}
	if err := c.disk.saveTable(nb); err != nil {
		return err
	}
	da.entries[a], db.entries[b] = nb, na
	return nil
}

// renamed gives the entry under another name, its statement too.
func (e *Entry) renamed(db, name string) *Entry {
	out := *e
	out.Database, out.Name = db, name
	target := &ast.TableName{Database: db, Table: name}
	switch s := ast.Clone(e.Create).(type) {
	case *ast.CreateTable:
		s.Name, out.Create = target, s
	case *ast.CreateView:
		s.Name, out.Create = target, s
	}
	return &out
}
