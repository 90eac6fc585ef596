package iceberg

import "lakeserver/cherr"

// Update is one change of a table's metadata, as the REST catalog's protocol
// names it (iceberg.md §2.4).
type Update interface {
	// Action is the update's name in the protocol.
	Action() string
	apply(b *Builder) error
}

// LastAdded stands for the id of what was added before it in the same commit.
const LastAdded = -1

// EncodeUpdates writes updates as a REST catalog reads them.
func EncodeUpdates(updates []Update) ([]byte, error) {
	out := make([]taggedJSON, len(updates))
	for i, u := range updates {
		out[i] = taggedJSON{"action", u.Action(), u}
	}
	return marshal(orEmpty(out))
}

// taggedJSON is an object whose first member says what it is.
type taggedJSON struct {
	key, tag string
	body     any
}

// MarshalJSON writes the tag and then the body's members.
func (t taggedJSON) MarshalJSON() ([]byte, error) {
	body, err := marshal(t.body)
	if err != nil {
		return nil, err
	}
	o := &object{}
	o.set(t.key, t.tag)
	o.rest(unknownMembers(body, nil))
	return o.bytes()
}

// AssignUUID gives a table its identity, which never changes after.
type AssignUUID struct {
	UUID string `json:"uuid"`
}

// Action gives the update's name.
func (AssignUUID) Action() string { return "assign-uuid" }

func (u AssignUUID) apply(b *Builder) error {
	switch {
	case u.UUID == "":
		return cherr.New(cherr.BadArguments, "An Iceberg table's UUID is empty")
	case plainUUID(b.m.UUID) == plainUUID(u.UUID):
		return nil
	case b.m.UUID != "":
		return cherr.New(cherr.BadArguments, "The UUID of an Iceberg table cannot change from %s to %s", b.m.UUID, u.UUID)
	}
	b.m.UUID = u.UUID
	b.changed = true
	return nil
}

// UpgradeFormatVersion makes the table one of a newer format version.
type UpgradeFormatVersion struct {
	Version int `json:"format-version"`
}

// Action gives the update's name.
func (UpgradeFormatVersion) Action() string { return "upgrade-format-version" }

func (u UpgradeFormatVersion) apply(b *Builder) error {
	switch {
	case u.Version > MaxFormatVersion || u.Version < 1:
		return cherr.New(cherr.BadArguments, "Iceberg format version %d is not supported, versions 1 to %d are", u.Version, MaxFormatVersion)
	case u.Version < b.m.FormatVersion:
		return cherr.New(cherr.BadArguments, "An Iceberg table of format version %d cannot become one of version %d", b.m.FormatVersion, u.Version)
	}
	b.changed = b.changed || u.Version != b.m.FormatVersion
	b.m.FormatVersion = u.Version
	return nil
}

// SetLocation moves the table's base path; files that are there keep their names.
type SetLocation struct {
	Location string `json:"location"`
}

// Action gives the update's name.
func (SetLocation) Action() string { return "set-location" }

func (u SetLocation) apply(b *Builder) error {
	b.changed = b.changed || u.Location != b.m.Location
	b.m.Location = u.Location
	return nil
}

// SetProperties sets some of the table's properties.
type SetProperties struct {
	Updates map[string]string `json:"updates"`
}

// Action gives the update's name.
func (SetProperties) Action() string { return "set-properties" }

// reservedProperties are never stored: they are fields of their own.
var reservedProperties = map[string]bool{
	"format-version": true, "uuid": true, "snapshot-count": true, "current-snapshot-id": true, "current-snapshot-summary": true,
	"current-snapshot-timestamp-ms": true, "current-schema": true, "default-partition-spec": true, "default-sort-order": true,
}

func checkProperty(name string) error {
	if reservedProperties[name] {
		return cherr.New(cherr.BadArguments, "Property `%s` of an Iceberg table is reserved", name)
	}
	return nil
}

func (u SetProperties) apply(b *Builder) error {
	for name, value := range u.Updates {
		if err := checkProperty(name); err != nil {
			return err
		}
		if old, ok := b.m.Properties[name]; !ok || old != value {
			b.m.Properties[name] = value
			b.changed = true
		}
	}
	return nil
}

// RemoveProperties takes some of the table's properties away.
type RemoveProperties struct {
	Removals []string `json:"removals"`
}

// Action gives the update's name.
func (RemoveProperties) Action() string { return "remove-properties" }

func (u RemoveProperties) apply(b *Builder) error {
	for _, name := range u.Removals {
		if _, ok := b.m.Properties[name]; ok {
			delete(b.m.Properties, name)
			b.changed = true
		}
	}
	return nil
}
