package restcatalog

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/metadata/iceberg"
)

// creation is the request for a new table.
type creation struct {
	Name       string                 `json:"name"`
	Location   string                 `json:"location"`
	Schema     *iceberg.Schema        `json:"schema"`
	Spec       *iceberg.PartitionSpec `json:"partition-spec"`
	Order      *iceberg.SortOrder     `json:"write-order"`
	Stage      bool                   `json:"stage-create"`
	Properties map[string]string      `json:"properties"`
}

// createTable is POST tables; a staged table is described and not made: the
// commit that follows makes it.
func (c *call) createTable() error {
	ns, err := c.namespace()
	if err != nil {
		return err
	}
	var body creation
	if err := c.body(&body); err != nil {
		return err
	}
	if body.Name == "" || body.Schema == nil {
		return fail(http.StatusBadRequest, "BadRequestException", "A table has a name and a schema")
	}
	id := Identifier{ns, body.Name}
	if err := c.mayCreate(id); err != nil {
		return err
	}
	if body.Location == "" {
		if body.Location, err = c.h.cfg.Warehouse.Place(c.r.Context(), id); err != nil {
			return err
		}
	}
	m, err := body.metadata()
	if err != nil {
		return err
	}
	if !body.Stage {
		if m, err = c.h.cfg.Warehouse.Create(c.r.Context(), id, m); err != nil {
			return err
		}
	}
	return c.answerTable(m)
}

// mayCreate refuses a name that is taken, and who may not make tables.
func (c *call) mayCreate(id Identifier) error {
	if err := c.mayWrite(); err != nil {
		return err
	}
	if err := c.may(id, "CREATE TABLE"); err != nil {
		return err
	}
	if slices.Contains(c.h.cfg.Warehouse.Tables(id.Namespace), id.Name) {
		return cherr.New(cherr.TableAlreadyExists, "Table already exists: %s.%s", id.Namespace, id.Name)
	}
	return nil
}

// metadata makes the first version. The ids of fields are given anew, as the
// reference implementation's catalogs do.
func (b *creation) metadata() (*iceberg.TableMetadata, error) {
	t := iceberg.NewTable{FormatVersion: 2, Location: b.Location, Fields: b.Schema.Fields, Properties: map[string]string{}}
	for k, v := range b.Properties {
		if k != "format-version" {
			t.Properties[k] = v
			continue
		}
		n, err := strconv.Atoi(v)
		if err != nil {
			return nil, cherr.New(cherr.BadArguments, "format-version is a number, not %s", v)
		}
		t.FormatVersion = n
	}
	for _, n := range b.Schema.IdentifierIDs {
		name, err := b.path(n)
		if err != nil {
			return nil, err
		}
		t.Identifiers = append(t.Identifiers, name)
	}
	if b.Spec != nil {
		for i := range b.Spec.Fields {
			f := &b.Spec.Fields[i]
			name, err := b.path(f.SourceID)
			if err != nil {
				return nil, err
			}
			t.Partition = append(t.Partition, iceberg.NewPartitionField{Source: name, Name: f.Name, Transform: f.Transform})
		}
	}
	if b.Order != nil {
		for i := range b.Order.Fields {
			f := &b.Order.Fields[i]
			name, err := b.path(f.SourceID)
			if err != nil {
				return nil, err
			}
			t.Sort = append(t.Sort, iceberg.NewSortField{Source: name, Transform: f.Transform, Direction: f.Direction, NullOrder: f.NullOrder})
		}
	}
	return iceberg.NewTableMetadata(t)
}

// path names a field by its id.
func (b *creation) path(id int) (string, error) {
	fields := b.Schema.Path(id)
	if len(fields) == 0 {
		return "", cherr.New(cherr.BadArguments, "There is no field with the id %d in the schema", id)
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return strings.Join(names, "."), nil
}

// registerTable is POST register: a table that lies in the warehouse gets a
// name again.
func (c *call) registerTable() error {
	ns, err := c.namespace()
	if err != nil {
		return err
	}
	var body struct {
		Name      string `json:"name"`
		File      string `json:"metadata-location"`
		Overwrite bool   `json:"overwrite"`
	}
	if err := c.body(&body); err != nil {
		return err
	}
	if body.Name == "" || body.File == "" || body.Overwrite {
		return fail(http.StatusBadRequest, "BadRequestException", "A table is registered by name and metadata-location, and never over another")
	}
	id := Identifier{ns, body.Name}
	if err := c.mayCreate(id); err != nil {
		return err
	}
	if err := c.everything(); err != nil {
		return err
	}
	m, err := c.h.cfg.Warehouse.Register(c.r.Context(), id, body.File)
	if err != nil {
		return err
	}
	return c.answerTable(m)
}

// everything refuses whoever does not have all rights: whose a table without
// a name was, nobody can tell any more.
func (c *call) everything() error {
	if c.user.Access == nil || c.user.Access.Effective().Everything() {
		return nil
	}
	return noRight("%s: Only who has all rights may register tables", c.user.Name)
}
