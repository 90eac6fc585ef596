package iceberg

// Encode writes a metadata file, with every member that other engines put
// there. The order is the reference implementation's.
func Encode(m *TableMetadata) ([]byte, error) {
	o := &object{}
	o.set("format-version", m.FormatVersion)
	if m.UUID != "" {
		o.set("table-uuid", m.UUID)
	}
	o.set("location", m.Location)
	if m.FormatVersion > 1 {
		o.set("last-sequence-number", m.LastSequenceNumber)
	}
	o.set("last-updated-ms", m.LastUpdatedMs)
	o.set("last-column-id", m.LastColumnID)
	if m.FormatVersion == 1 { // what readers of version 1 alone know
		o.set("schema", m.CurrentSchema())
	}
	o.set("current-schema-id", m.CurrentSchemaID)
	o.set("schemas", m.Schemas)
	if m.FormatVersion == 1 {
		o.set("partition-spec", orEmpty(m.DefaultSpec().Fields))
	}
	o.set("default-spec-id", m.DefaultSpecID)
	o.set("partition-specs", m.Specs)
	o.set("last-partition-id", m.LastPartitionID)
	o.set("default-sort-order-id", m.DefaultSortOrderID)
	orders := m.SortOrders
	if len(orders) == 0 {
		orders = []SortOrder{{}}
	}
	o.set("sort-orders", orders)
	o.set("properties", m.propertiesOrEmpty())
	encodeSnapshots(o, m)
	o.rest(m.unknown)
	return o.bytes()
}

func encodeSnapshots(o *object, m *TableMetadata) {
	switch {
	case m.CurrentSnapshotID >= 0:
		o.set("current-snapshot-id", m.CurrentSnapshotID)
	case m.FormatVersion > 2:
		o.set("current-snapshot-id", nil)
	default: // what old readers expect
		o.set("current-snapshot-id", -1)
	}
	if m.FormatVersion > 2 {
		o.set("next-row-id", m.NextRowID)
	}
	refs := m.Refs
	if refs == nil {
		refs = map[string]Ref{}
	}
	o.set("refs", refs)
	o.set("snapshots", orEmpty(m.Snapshots))
	o.set("statistics", orEmpty(m.Statistics))
	o.set("partition-statistics", orEmpty(m.PartitionStats))
	o.set("snapshot-log", orEmpty(m.SnapshotLog))
	o.set("metadata-log", orEmpty(m.MetadataLog))
}

func (m *TableMetadata) propertiesOrEmpty() map[string]string {
	if m.Properties == nil {
		return map[string]string{}
	}
	return m.Properties
}

// orEmpty makes [] of nil.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// MarshalJSON writes a schema as table metadata and manifests hold it.
func (s *Schema) MarshalJSON() ([]byte, error) {
	o := &object{}
	o.set("type", "struct")
	o.set("schema-id", s.ID)
	if len(s.IdentifierIDs) > 0 {
		o.set("identifier-field-ids", s.IdentifierIDs)
	}
	o.set("fields", orEmpty(s.Fields))
	o.rest(s.unknown)
	return o.bytes()
}

// MarshalJSON writes a field of a struct.
func (f Field) MarshalJSON() ([]byte, error) {
	o := &object{}
	o.set("id", f.ID)
	o.set("name", f.Name)
	o.set("required", f.Required)
	o.set("type", f.Type)
	if f.Doc != "" {
		o.set("doc", f.Doc)
	}
	if f.InitialDefault != nil {
		o.set("initial-default", f.InitialDefault)
	}
	if f.WriteDefault != nil {
		o.set("write-default", f.WriteDefault)
	}
	o.rest(f.unknown)
	return o.bytes()
}

// MarshalJSON writes a type, a primitive one as its name.
func (t *Type) MarshalJSON() ([]byte, error) {
	o := &object{}
	switch t.Kind {
	case Struct:
		o.set("type", "struct")
		o.set("fields", orEmpty(t.Fields))
	case List:
		o.set("type", "list")
		o.set("element-id", t.Elem.ID)
		o.set("element", t.Elem.Type)
		o.set("element-required", t.Elem.Required)
	case Map:
		o.set("type", "map")
		o.set("key-id", t.Key.ID)
		o.set("key", t.Key.Type)
		o.set("value-id", t.Value.ID)
		o.set("value", t.Value.Type)
		o.set("value-required", t.Value.Required)
	default:
		if len(t.unknown) == 0 {
			return marshal(t.Name)
		}
		o.set("type", t.Name)
	}
	o.rest(t.unknown)
	return o.bytes()
}
