package restcatalog

import (
	"net/http"
	"slices"

	"lakeserver/cherr"
)

// dropTable is DELETE of a table: DROP TABLE where its files are to go, too.
func (c *call) dropTable() error {
	id, err := c.table()
	if err != nil {
		return err
	}
	if !c.visible(id.Namespace, id.Name) || !slices.Contains(c.h.cfg.Warehouse.Tables(id.Namespace), id.Name) {
		return noTable(id)
	}
	if c.r.URL.Query().Get("purgeRequested") == "true" {
		err = c.run(c.r.Context(), "DROP TABLE "+id.quoted())
	} else {
		err = c.forget(id)
	}
	if err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

// forget takes the name away and leaves the files: they may be registered
// again.
func (c *call) forget(id Identifier) error {
	if err := c.mayWrite(); err != nil {
		return err
	}
	if err := c.may(id, "DROP TABLE"); err != nil {
		return err
	}
	return c.h.cfg.Warehouse.Forget(c.r.Context(), id)
}

// renameTable is POST tables/rename: RENAME TABLE.
func (c *call) renameTable() error {
	type name struct {
		Namespace []string `json:"namespace"`
		Name      string   `json:"name"`
	}
	var body struct {
		Source      name `json:"source"`
		Destination name `json:"destination"`
	}
	if err := c.body(&body); err != nil {
		return err
	}
	var ids [2]Identifier
	for i, n := range []name{body.Source, body.Destination} {
		ns, err := one(n.Namespace)
		if err != nil {
			return err
		}
		if !c.hasNamespace(ns) {
			return noNamespace(ns)
		}
		if ids[i] = (Identifier{ns, n.Name}); n.Name == "" {
			return cherr.New(cherr.BadArguments, "A table has a name")
		}
	}
	if !slices.Contains(c.h.cfg.Warehouse.Tables(ids[0].Namespace), ids[0].Name) {
		return noTable(ids[0])
	}
	if err := c.run(c.r.Context(), "RENAME TABLE "+ids[0].quoted()+" TO "+ids[1].quoted()); err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}
