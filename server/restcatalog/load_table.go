package restcatalog

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"

	"lakeserver/cherr"
	"lakeserver/metadata/iceberg"
)

// listTables is GET tables.
func (c *call) listTables() error {
	ns, err := c.namespace()
	if err != nil {
		return err
	}
	names := slices.DeleteFunc(c.h.cfg.Warehouse.Tables(ns), func(n string) bool { return !c.visible(ns, n) })
	part, next, err := c.page(names)
	if err != nil {
		return err
	}
	out := make([]map[string]any, len(part))
	for i, n := range part {
		out[i] = map[string]any{"namespace": []string{ns}, "name": n}
	}
	answer(c.w, http.StatusOK, map[string]any{"identifiers": out, "next-page-token": next})
	return nil
}

// loadTable is GET of a table.
func (c *call) loadTable() error {
	id, err := c.table()
	if err != nil {
		return err
	}
	m, err := c.load(id)
	if err != nil {
		return err
	}
	switch s := c.r.URL.Query().Get("snapshots"); s {
	case "", "all":
	case "refs":
		m = onlyRefs(m)
	default:
		return fail(http.StatusBadRequest, "BadRequestException", "snapshots is all or refs")
	}
	return c.answerTable(m)
}

// load gives a table that the user may read; of one that he may not see he
// hears that it is not there.
func (c *call) load(id Identifier) (*iceberg.TableMetadata, error) {
	if !c.visible(id.Namespace, id.Name) {
		return nil, noTable(id)
	}
	m, err := c.h.cfg.Warehouse.Load(c.r.Context(), id)
	if err != nil {
		return nil, err
	}
	return m, c.mayRead(id)
}

func noTable(id Identifier) error {
	return cherr.New(cherr.UnknownTable, "Table does not exist: %s.%s", id.Namespace, id.Name)
}

// onlyRefs leaves out the snapshots that no branch or tag is at.
func onlyRefs(m *iceberg.TableMetadata) *iceberg.TableMetadata {
	at := map[int64]bool{}
	for _, r := range m.Refs {
		at[r.SnapshotID] = true
	}
	out := *m
	out.Snapshots = slices.DeleteFunc(slices.Clone(m.Snapshots), func(s *iceberg.Snapshot) bool { return !at[s.ID] })
	return &out
}

// answerTable writes a table's version; who has it already is told so.
func (c *call) answerTable(m *iceberg.TableMetadata) error {
	sum := sha256.Sum256([]byte(m.UUID + "|" + m.File + "|" + c.r.URL.Query().Get("snapshots")))
	tag := `"` + hex.EncodeToString(sum[:16]) + `"`
	c.w.Header().Set("ETag", tag)
	if c.r.Method == http.MethodGet && c.r.Header.Get("If-None-Match") == tag {
		c.w.WriteHeader(http.StatusNotModified)
		return nil
	}
	body, err := result(m)
	if err != nil {
		return err
	}
	answer(c.w, http.StatusOK, body)
	return nil
}

// result is a table as the protocol gives it.
func result(m *iceberg.TableMetadata) (map[string]any, error) {
	data, err := iceberg.Encode(m)
	if err != nil {
		return nil, err
	}
	out := map[string]any{"metadata": json.RawMessage(data), "config": map[string]string{}}
	if m.File != "" {
		out["metadata-location"] = m.File
	}
	return out, nil
}

// tableExists is HEAD of a table.
func (c *call) tableExists() error {
	id, err := c.table()
	if err != nil {
		return err
	}
	if !c.visible(id.Namespace, id.Name) || !slices.Contains(c.h.cfg.Warehouse.Tables(id.Namespace), id.Name) {
		return noTable(id)
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

// reportMetrics is POST of what a client measured; it is taken and left.
func (c *call) reportMetrics() error {
	if _, err := c.table(); err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}
