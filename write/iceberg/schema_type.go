package iceberg

import (
	"slices"
	"strings"

	"lakeserver/metadata/iceberg"
)

// SetType changes a column's type where the spec knows how to read what was
// written before (iceberg.md §1.11). Structs take their fields one by one, by
// name; a field that is new is added. Required is let go when required is
// false, and never taken on.
func (e *Evolution) SetType(path []string, to *iceberg.Type, required bool) error {
	s, err := e.find(path)
	if err != nil {
		return err
	}
	if s.inKey() {
		return e.refuse("Column `%s` cannot change: it is the key of a map", strings.Join(path, "."))
	}
	return e.setType(s.field, strings.Join(path, "."), to, required)
}

func (e *Evolution) setType(f *iceberg.Field, name string, to *iceberg.Type, required bool) error {
	if required && !f.Required && !to.Nested() {
		return e.refuse("Iceberg spec doesn't allow to change type from nullable to non-nullable: column `%s`", name)
	}
	t, err := e.promoted(f, name, to)
	if err != nil {
		return err
	}
	if err := e.checkPromotion(f, name, t); err != nil {
		return err
	}
	if !required && f.Required {
		if slices.Contains(e.identifiers, f.ID) {
			return e.refuse("Column `%s` cannot become optional: it is an identifier field of the table", name)
		}
		f.Required = false
	}
	e.fewRead = e.fewRead || f.Type.Kind == iceberg.Date && t.Kind != iceberg.Date
	f.Type = t
	return nil
}

// FewRead tells that the format lets files stay as they are which hardly any
// engine reads as the new type: dates that became timestamps.
func (e *Evolution) FewRead() bool { return e.fewRead }

// promoted gives what a type becomes when it is asked to be another.
func (e *Evolution) promoted(f *iceberg.Field, name string, to *iceberg.Type) (*iceberg.Type, error) {
	from := f.Type
	illegal := func() (*iceberg.Type, error) {
		return nil, e.refuse("Iceberg spec doesn't allow schema evolution to type %s: column `%s` has type %s", to, name, from)
	}
	switch {
	case from.Kind == iceberg.Unknown && !to.Nested() && e.version >= 3:
		return to, nil
	case from.Kind == iceberg.Int && to.Kind == iceberg.Long, from.Kind == iceberg.Float && to.Kind == iceberg.Double:
		return to, nil
	case from.Kind == iceberg.Date && e.version >= 3 && (to.Kind == iceberg.Timestamp || to.Kind == iceberg.TimestampNS):
		return to, nil
	case from.Kind == iceberg.Binary && to.Kind == iceberg.String: // both are ClickHouse's String
		return from, nil
	case from.Kind != to.Kind:
		return illegal()
	case from.Kind == iceberg.Decimal:
		if to.Scale != from.Scale || to.Precision < from.Precision {
			return illegal()
		}
		if to.Precision == from.Precision {
			return from, nil
		}
		return to, nil
	case from.Kind == iceberg.Fixed && from.Length != to.Length:
		return illegal()
	case from.Kind == iceberg.List:
		return from, e.setType(from.Elem, name+".element", to.Elem.Type, to.Elem.Required)
	case from.Kind == iceberg.Map:
		if plainName(from.Key.Type) != plainName(to.Key.Type) {
			return nil, e.refuse("The key of map `%s` cannot change from %s to %s", name, from.Key.Type, to.Key.Type)
		}
		return from, e.setType(from.Value, name+".value", to.Value.Type, to.Value.Required)
	case from.Kind == iceberg.Struct:
		return from, e.setFields(from, name, to)
	}
	return from, nil
}

// setFields changes a struct's fields to those of another, found by name.
func (e *Evolution) setFields(from *iceberg.Type, name string, to *iceberg.Type) error {
	var out []iceberg.Field
	used := 0
	for i := range to.Fields {
		want := &to.Fields[i]
		at := slices.IndexFunc(from.Fields, func(f iceberg.Field) bool { return f.Name == want.Name })
		if at < 0 {
			if want.Required && !want.Type.Nested() {
				return e.refuse("Iceberg spec doesn't allow to add non-nullable columns: field `%s.%s` has no default", name, want.Name)
			}
			added := []iceberg.Field{*want}
			added[0].Required = false
			iceberg.AssignIDs(added, func() int { e.lastID++; return e.lastID })
			out = append(out, added[0])
			continue
		}
		f := from.Fields[at]
		if err := e.setType(&f, name+"."+f.Name, want.Type, want.Required || f.Required && want.Type.Nested()); err != nil {
			return err
		}
		out, used = append(out, f), used+1
	}
	if used < len(from.Fields) {
		return e.refuse("The new type of column `%s` lacks fields that it has: drop them with DROP COLUMN", name)
	}
	from.Fields = out
	return nil
}

// plainName spells a type without ids.
func plainName(t *iceberg.Type) string { return strings.ReplaceAll(t.String(), " ", "") }

// checkPromotion refuses what would change the values of a partition field
// over the column: files that are there have the old ones.
func (e *Evolution) checkPromotion(f *iceberg.Field, name string, to *iceberg.Type) error {
	if f.Type.Kind == to.Kind {
		return nil
	}
	for i := range e.spec {
		p := &e.spec[i]
		if p.SourceID != f.ID || p.Transform.Kind == iceberg.Void {
			continue
		}
		// A day is hashed as days, a timestamp as microseconds; an identity's
		// value is a date, and stays one in files that are there.
		if f.Type.Kind == iceberg.Date && (p.Transform.Kind == iceberg.Bucket || p.Transform.Kind == iceberg.Identity) || !p.Transform.Fits(to) {
			return e.refuse("Column `%s` cannot become %s: that would change the values of partition field `%s` (%s)", name, to, p.Name, p.Transform)
		}
	}
	return nil
}
