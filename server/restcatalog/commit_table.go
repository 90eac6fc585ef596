package restcatalog

import (
	"encoding/json"
	"net/http"
	"slices"

	"lakeserver/cherr"
	"lakeserver/metadata/iceberg"
)

// tableChange is what is to be committed to one table.
type tableChange struct {
	Requirements json.RawMessage `json:"requirements"`
	Updates      json.RawMessage `json:"updates"`
}

func (t *tableChange) decode() (reqs []iceberg.Requirement, ups []iceberg.Update, err error) {
	if reqs, err = iceberg.DecodeRequirements(orList(t.Requirements)); err != nil {
		return nil, nil, err
	}
	ups, err = iceberg.DecodeUpdates(orList(t.Updates))
	return reqs, ups, err
}

func orList(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("[]")
	}
	return raw
}

// commitTable is POST of a table: a new version of it, or the first one of a
// table that was staged.
func (c *call) commitTable() error {
	id, err := c.table()
	if err != nil {
		return err
	}
	var body tableChange
	if err := c.body(&body); err != nil {
		return err
	}
	reqs, ups, err := body.decode()
	if err != nil {
		return err
	}
	var m *iceberg.TableMetadata
	if slices.Contains(reqs, iceberg.Requirement(iceberg.AssertCreate{})) {
		m, err = c.commitCreation(id, reqs, ups)
	} else {
		m, err = c.commit(id, reqs, ups)
	}
	if err != nil {
		return err
	}
	out, err := result(m)
	if err != nil {
		return err
	}
	delete(out, "config")
	answer(c.w, http.StatusOK, out)
	return nil
}

// commitCreation makes a table that was staged.
func (c *call) commitCreation(id Identifier, reqs []iceberg.Requirement, ups []iceberg.Update) (*iceberg.TableMetadata, error) {
	if len(reqs) > 1 {
		return nil, fail(http.StatusBadRequest, "BadRequestException", "A table that is not there meets no other requirement")
	}
	if err := c.mayCreate(id); err != nil {
		if cherr.Is(err, cherr.TableAlreadyExists) {
			err = cherr.Wrap(iceberg.ErrRequirement, "%s", err)
		}
		return nil, err
	}
	m, err := iceberg.FromUpdates(ups)
	if err != nil {
		return nil, err
	}
	m, err = c.h.cfg.Warehouse.Create(c.r.Context(), id, m)
	if cherr.Is(err, cherr.TableAlreadyExists) {
		err = cherr.Wrap(iceberg.ErrRequirement, "%s", err)
	}
	return m, err
}

func (c *call) commit(id Identifier, reqs []iceberg.Requirement, ups []iceberg.Update) (*iceberg.TableMetadata, error) {
	now, err := c.load(id)
	if err != nil {
		return nil, err
	}
	for _, u := range ups {
		if l, ok := u.(iceberg.SetLocation); ok && l.Location != now.Location {
			return nil, cherr.New(cherr.BadArguments, "The location of a table in this catalog stays: %s", now.Location)
		}
	}
	if err := c.mayCommit(id, ups); err != nil {
		return nil, err
	}
	return c.h.cfg.Warehouse.Commit(c.r.Context(), id, reqs, ups)
}
