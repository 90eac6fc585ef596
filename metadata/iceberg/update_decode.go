package iceberg

import (
	"encoding/json"

	"lakeserver/cherr"
)

// DecodeUpdates reads updates as clients of a REST catalog send them. An
// action that is not known is BAD_ARGUMENTS: to leave it out would commit
// something else than was asked for.
func DecodeUpdates(data []byte) ([]Update, error) {
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, cherr.New(cherr.BadArguments, "The updates are no list: %s", err)
	}
	out := make([]Update, 0, len(raw))
	for _, r := range raw {
		var tag struct {
			Action string `json:"action"`
		}
		if err := json.Unmarshal(r, &tag); err != nil {
			return nil, cherr.New(cherr.BadArguments, "An update is no object: %s", err)
		}
		u, err := decodeUpdate(tag.Action, r)
		if err != nil {
			return nil, cherr.Wrap(err, "reading the update %s", tag.Action)
		}
		out = append(out, u)
	}
	return out, nil
}

func decodeUpdate(action string, data []byte) (Update, error) { // long: one case an action
	switch action {
	case "assign-uuid":
		return decodeAs[AssignUUID](data)
	case "upgrade-format-version":
		return decodeAs[UpgradeFormatVersion](data)
	case "set-location":
		return decodeAs[SetLocation](data)
	case "set-properties":
		return decodeAs[SetProperties](data)
	case "remove-properties":
		return decodeAs[RemoveProperties](data)
	case "add-schema":
		u, err := decodeAs[AddSchema](data)
		return u, missing(err, u.Schema == nil, "schema")
	case "set-current-schema":
		return decodeAs[SetCurrentSchema](data)
	case "remove-schemas":
		return decodeAs[RemoveSchemas](data)
	case "add-spec":
		u, err := decodeAs[AddSpec](data)
		return u, missing(err, u.Spec == nil, "spec")
	case "set-default-spec":
		return decodeAs[SetDefaultSpec](data)
	case "remove-partition-specs":
		return decodeAs[RemovePartitionSpecs](data)
	case "add-sort-order":
		return decodeAs[AddSortOrder](data)
	case "set-default-sort-order":
		return decodeAs[SetDefaultSortOrder](data)
	case "add-snapshot":
		u, err := decodeAs[AddSnapshot](data)
		return u, missing(err, u.Snapshot == nil, "snapshot")
	case "remove-snapshots":
		return decodeAs[RemoveSnapshots](data)
	case "set-snapshot-ref":
		name, err := decodeAs[struct {
			Name string `json:"ref-name"`
		}](data)
		if err != nil {
			return nil, err
		}
		ref, err := decodeAs[Ref](data)
		// The tag and the name stand beside the ref's own members.
		ref.unknown = nil
		return SetSnapshotRef{name.Name, ref}, err
	case "remove-snapshot-ref":
		return decodeAs[RemoveSnapshotRef](data)
	case "set-statistics":
		return decodeAs[SetStatistics](data)
	case "remove-statistics":
		return decodeAs[RemoveStatistics](data)
	case "set-partition-statistics":
		return decodeAs[SetPartitionStatistics](data)
	case "remove-partition-statistics":
		return decodeAs[RemovePartitionStatistics](data)
	}
	return nil, cherr.New(cherr.BadArguments, "Unknown update '%s'", action)
}

func decodeAs[T any](data []byte) (T, error) {
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		return v, cherr.WithCode(cherr.BadArguments, err, "it cannot be read")
	}
	return v, nil
}

func missing(err error, absent bool, member string) error {
	if err == nil && absent {
		return cherr.New(cherr.BadArguments, "`%s` is missing", member)
	}
	return err
}

// DecodeRequirements reads requirements as clients of a REST catalog send
// them; one that is not known is BAD_ARGUMENTS.
func DecodeRequirements(data []byte) ([]Requirement, error) {
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, cherr.New(cherr.BadArguments, "The requirements are no list: %s", err)
	}
	out := make([]Requirement, 0, len(raw))
	for _, r := range raw {
		var tag struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal(r, &tag); err != nil {
			return nil, cherr.New(cherr.BadArguments, "A requirement is no object: %s", err)
		}
		req, err := decodeRequirement(tag.Type, r)
		if err != nil {
			return nil, cherr.Wrap(err, "reading the requirement %s", tag.Type)
		}
		out = append(out, req)
	}
	return out, nil
}

func decodeRequirement(kind string, data []byte) (Requirement, error) {
	switch kind {
	case "assert-create":
		return AssertCreate{}, nil
	case "assert-table-uuid":
		return decodeAs[AssertUUID](data)
	case "assert-ref-snapshot-id":
		return decodeAs[AssertRefSnapshotID](data)
	case "assert-last-assigned-field-id":
		return decodeAs[AssertLastAssignedFieldID](data)
	case "assert-current-schema-id":
		return decodeAs[AssertCurrentSchemaID](data)
	case "assert-last-assigned-partition-id":
		return decodeAs[AssertLastAssignedPartitionID](data)
	case "assert-default-spec-id":
		return decodeAs[AssertDefaultSpecID](data)
	case "assert-default-sort-order-id":
		return decodeAs[AssertDefaultSortOrderID](data)
	}
	return nil, cherr.New(cherr.BadArguments, "Unknown requirement '%s'", kind)
}

// FromUpdates makes the metadata of a table that is not there yet of the
// updates that describe it: how a staged creation ends. Without a version
// among them the table is of version 2.
func FromUpdates(updates []Update) (*TableMetadata, error) {
	m := &TableMetadata{FormatVersion: 2, LastPartitionID: noPartitionID, CurrentSnapshotID: -1}
	for _, u := range updates {
		if _, ok := u.(UpgradeFormatVersion); ok {
			m.FormatVersion = 1
		}
	}
	b := NewBuilder(m)
	b.fresh = true
	if err := b.Apply(updates...); err != nil {
		return nil, err
	}
	if b.m.Location == "" {
		return nil, cherr.New(cherr.BadArguments, "The new table has no location")
	}
	return b.Build()
}
