package iceberg

import (
	"slices"

	"lakeserver/metadata/iceberg"
)

// SortTerm is one key of a sort order.
type SortTerm struct {
	Path             []string
	Transform        iceberg.Transform
	Desc, NullsFirst bool
}

// SetSortOrder says in which order rows are written from now on; files that
// are there keep the order they claim. No terms: in none.
func (e *Evolution) SetSortOrder(terms []SortTerm) error {
	o := &iceberg.SortOrder{}
	for _, t := range terms {
		s, err := e.find(t.Path)
		if err != nil {
			return err
		}
		if err := e.checkTerm(s, t.Transform); err != nil {
			return err
		}
		f := iceberg.SortField{SourceID: s.field.ID, Transform: t.Transform.String(), Direction: iceberg.Ascending, NullOrder: iceberg.NullsLast}
		if t.Desc {
			f.Direction = iceberg.Descending
		}
		if t.NullsFirst {
			f.NullOrder = iceberg.NullsFirst
		}
		same := func(g iceberg.SortField) bool { return g.SourceID == f.SourceID && g.Transform == f.Transform }
		if slices.ContainsFunc(o.Fields, same) {
			return e.refuse("Column `%s` stands twice in the sort order", e.pathOf(s))
		}
		o.Fields = append(o.Fields, f)
	}
	e.order = o
	return nil
}

// changeOrder adds what makes the order the table's.
func (e *Evolution) changeOrder(c *Change, _ *iceberg.Schema) error {
	if e.order == nil {
		return nil
	}
	c.Requirements = append(c.Requirements, iceberg.AssertDefaultSortOrderID{ID: e.base.DefaultSortOrderID})
	c.Updates = append(c.Updates, iceberg.AddSortOrder{SortOrder: *e.order}, iceberg.SetDefaultSortOrder{SortOrderID: iceberg.LastAdded})
	return nil
}
