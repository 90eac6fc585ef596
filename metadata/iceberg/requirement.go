package iceberg

import "lakeserver/cherr"

// ErrRequirement is in the chain of errors that say that a table is not any
// more what a commit was planned on: plan again.
var ErrRequirement = cherr.New(cherr.NotImplemented, "Metadata changed during write operation, try again.")

// Requirement is what must hold of a table for a commit to be made, as the
// REST catalog's protocol names it (iceberg.md §2.4).
type Requirement interface {
	// Type is the requirement's name in the protocol.
	Type() string
	// Check fails with ErrRequirement when it does not hold; m is nil when
	// there is no table.
	Check(m *TableMetadata) error
}

// EncodeRequirements writes requirements as a REST catalog reads them.
func EncodeRequirements(requirements []Requirement) ([]byte, error) {
	out := make([]taggedJSON, len(requirements))
	for i, r := range requirements {
		out[i] = taggedJSON{"type", r.Type(), r}
	}
	return marshal(orEmpty(out))
}

// CheckAll checks requirements in order.
func CheckAll(requirements []Requirement, m *TableMetadata) error {
	for _, r := range requirements {
		if err := r.Check(m); err != nil {
			return err
		}
	}
	return nil
}

func unmet(format string, args ...any) error {
	return cherr.Wrap(ErrRequirement, "committing to an Iceberg table: "+format, args...)
}

func checkNumber(m *TableMetadata, what string, have func() int, want int) error {
	if m == nil {
		return unmet("there is no table")
	}
	if h := have(); h != want {
		return unmet("its %s is %d, not %d", what, h, want)
	}
	return nil
}

// AssertCreate: there is no table.
type AssertCreate struct{}

// Type gives the requirement's name.
func (AssertCreate) Type() string { return "assert-create" }

// Check tells whether there is no table.
func (AssertCreate) Check(m *TableMetadata) error {
	if m != nil {
		return unmet("the table is there already")
	}
	return nil
}

// AssertUUID: the table is the same one.
type AssertUUID struct {
	UUID string `json:"uuid"`
}

// Type gives the requirement's name.
func (AssertUUID) Type() string { return "assert-table-uuid" }

// Check compares the table's UUID.
func (r AssertUUID) Check(m *TableMetadata) error {
	if m == nil {
		return unmet("there is no table")
	}
	if plainUUID(m.UUID) != plainUUID(r.UUID) {
		return unmet("its UUID is %s, not %s", m.UUID, r.UUID)
	}
	return nil
}

// AssertRefSnapshotID: a branch or tag points where it did; nil: there is none.
type AssertRefSnapshotID struct {
	Ref        string `json:"ref"`
	SnapshotID *int64 `json:"snapshot-id"`
}

// Type gives the requirement's name.
func (AssertRefSnapshotID) Type() string { return "assert-ref-snapshot-id" }

// Check compares where the ref points.
func (r AssertRefSnapshotID) Check(m *TableMetadata) error {
	if m == nil {
		return unmet("there is no table")
	}
	ref, ok := m.Refs[r.Ref]
	switch {
	case ok && r.SnapshotID == nil:
		return unmet("`%s` has been made meanwhile", r.Ref)
	case !ok && r.SnapshotID != nil:
		return unmet("`%s` is gone, it was at snapshot %d", r.Ref, *r.SnapshotID)
	case ok && ref.SnapshotID != *r.SnapshotID:
		return unmet("`%s` is at snapshot %d, not %d", r.Ref, ref.SnapshotID, *r.SnapshotID)
	}
	return nil
}

// AssertLastAssignedFieldID: no column was added.
type AssertLastAssignedFieldID struct {
	ID int `json:"last-assigned-field-id"`
}

// Type gives the requirement's name.
func (AssertLastAssignedFieldID) Type() string { return "assert-last-assigned-field-id" }

// Check compares the last field id.
func (r AssertLastAssignedFieldID) Check(m *TableMetadata) error {
	return checkNumber(m, "last column id", func() int { return m.LastColumnID }, r.ID)
}

// AssertCurrentSchemaID: the schema is the same.
type AssertCurrentSchemaID struct {
	ID int `json:"current-schema-id"`
}

// Type gives the requirement's name.
func (AssertCurrentSchemaID) Type() string { return "assert-current-schema-id" }

// Check compares the current schema's id.
func (r AssertCurrentSchemaID) Check(m *TableMetadata) error {
	return checkNumber(m, "current schema", func() int { return m.CurrentSchemaID }, r.ID)
}

// AssertLastAssignedPartitionID: no partition field was added.
type AssertLastAssignedPartitionID struct {
	ID int `json:"last-assigned-partition-id"`
}

// Type gives the requirement's name.
func (AssertLastAssignedPartitionID) Type() string { return "assert-last-assigned-partition-id" }

// Check compares the last partition field id.
func (r AssertLastAssignedPartitionID) Check(m *TableMetadata) error {
	return checkNumber(m, "last partition field id", func() int { return m.LastPartitionID }, r.ID)
}

// AssertDefaultSpecID: files are written under the same spec.
type AssertDefaultSpecID struct {
	ID int `json:"default-spec-id"`
}

// Type gives the requirement's name.
func (AssertDefaultSpecID) Type() string { return "assert-default-spec-id" }

// Check compares the default spec's id.
func (r AssertDefaultSpecID) Check(m *TableMetadata) error {
	return checkNumber(m, "default partition spec", func() int { return m.DefaultSpecID }, r.ID)
}

// AssertDefaultSortOrderID: files are written in the same order.
type AssertDefaultSortOrderID struct {
	ID int `json:"default-sort-order-id"`
}

// Type gives the requirement's name.
func (AssertDefaultSortOrderID) Type() string { return "assert-default-sort-order-id" }

// Check compares the default sort order's id.
func (r AssertDefaultSortOrderID) Check(m *TableMetadata) error {
	return checkNumber(m, "default sort order", func() int { return m.DefaultSortOrderID }, r.ID)
}
