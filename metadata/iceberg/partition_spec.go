package iceberg

// PartitionField is one field of a partition spec.
type PartitionField struct {
	SourceID  int // -1 when there are several
	FieldID   int
	Name      string
	Transform Transform
	SourceIDs []int // version 3: of a transform of several columns

	unknown []member
}

type partitionFieldJSON struct {
	SourceID  *int   `json:"source-id,omitempty"`
	SourceIDs []int  `json:"source-ids,omitempty"`
	FieldID   *int   `json:"field-id,omitempty"`
	Name      string `json:"name"`
	Transform string `json:"transform"`
}

// UnmarshalJSON reads a field; several sources make an unknown transform.
func (f *PartitionField) UnmarshalJSON(b []byte) error {
	var j partitionFieldJSON
	rest, err := decode(b, &j, "source-id", "source-ids", "field-id", "name", "transform")
	if err != nil {
		return err
	}
	*f = PartitionField{SourceID: -1, FieldID: -1, Name: j.Name, Transform: ParseTransform(j.Transform), unknown: rest}
	if j.FieldID != nil {
		f.FieldID = *j.FieldID
	}
	switch {
	case j.SourceID != nil:
		f.SourceID = *j.SourceID
	case len(j.SourceIDs) == 1:
		f.SourceID = j.SourceIDs[0]
	}
	if len(j.SourceIDs) > 1 {
		f.Transform.Kind, f.SourceIDs = UnknownTransform, j.SourceIDs
	}
	return nil
}

// MarshalJSON writes a field, one source as version 1 spells it.
func (f PartitionField) MarshalJSON() ([]byte, error) {
	j := partitionFieldJSON{Name: f.Name, Transform: f.Transform.String(), SourceIDs: f.SourceIDs}
	if len(f.SourceIDs) == 0 {
		j.SourceID = &f.SourceID
	}
	if f.FieldID >= 0 {
		j.FieldID = &f.FieldID
	}
	return encode(j, f.unknown)
}

// SameAs tells whether two fields hold the same values: then one takes the
// other's id (iceberg.md §1.7).
func (f *PartitionField) SameAs(g *PartitionField) bool {
	if f.SourceID != g.SourceID || len(f.SourceIDs) != len(g.SourceIDs) {
		return false
	}
	for i := range f.SourceIDs {
		if f.SourceIDs[i] != g.SourceIDs[i] {
			return false
		}
	}
	return f.Transform.same(g.Transform)
}

// PartitionSpec says how the files written under it are partitioned.
type PartitionSpec struct {
	ID     int              `json:"spec-id"`
	Fields []PartitionField `json:"fields"`

	unknown []member
}

// UnmarshalJSON reads a spec.
func (s *PartitionSpec) UnmarshalJSON(b []byte) (err error) {
	type plain PartitionSpec
	s.unknown, err = decode(b, (*plain)(s), "spec-id", "fields")
	return err
}

// MarshalJSON writes a spec.
func (s PartitionSpec) MarshalJSON() ([]byte, error) {
	type plain PartitionSpec
	if s.Fields == nil {
		s.Fields = []PartitionField{}
	}
	return encode(plain(s), s.unknown)
}

// Unpartitioned tells whether all files are of one partition: there is no
// field, or none that has a value.
func (s *PartitionSpec) Unpartitioned() bool {
	for i := range s.Fields {
		if s.Fields[i].Transform.Kind != Void {
			return false
		}
	}
	return true
}

// sameAs tells whether two specs have the same fields in the same order.
func (s *PartitionSpec) sameAs(o *PartitionSpec) bool {
	if len(s.Fields) != len(o.Fields) {
		return false
	}
	for i := range s.Fields {
		if s.Fields[i].Name != o.Fields[i].Name || !s.Fields[i].SameAs(&o.Fields[i]) {
			return false
		}
	}
	return true
}

// noPartitionID is the greatest field id where there is no field.
const noPartitionID = 999

// lastFieldID gives the greatest field id.
func (s *PartitionSpec) lastFieldID() int {
	last := noPartitionID
	for i := range s.Fields {
		last = max(last, s.Fields[i].FieldID)
	}
	return last
}

// complete gives ids to the fields of version 1 files that have none.
func (s *PartitionSpec) complete() {
	for i := range s.Fields {
		if s.Fields[i].FieldID < 0 {
			s.Fields[i].FieldID = noPartitionID + 1 + i
		}
	}
}
