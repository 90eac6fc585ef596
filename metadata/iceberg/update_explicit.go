package iceberg

// Explicit gives updates in which what the table has already is not added once
// more, and "the last added" is then named by its id: other catalogs than ours
// do not count a thing as added that is there.
func Explicit(base *TableMetadata, updates []Update) []Update {
	schema, spec, order := LastAdded, LastAdded, LastAdded
	out := make([]Update, 0, len(updates))
	for _, u := range updates {
		switch x := u.(type) {
		case AddSchema:
			schema = LastAdded
			if x.LastColumnID <= base.LastColumnID {
				for _, s := range base.Schemas {
					if s.Same(x.Schema) {
						schema = s.ID
					}
				}
			}
			if schema != LastAdded {
				continue
			}
		case SetCurrentSchema:
			if x.SchemaID == LastAdded {
				u = SetCurrentSchema{schema}
			}
		case AddSpec:
			spec = LastAdded
			for _, s := range base.Specs {
				if s.sameAs(x.Spec) {
					spec = s.ID
				}
			}
			if spec != LastAdded {
				continue
			}
		case SetDefaultSpec:
			if x.SpecID == LastAdded {
				u = SetDefaultSpec{spec}
			}
		case AddSortOrder:
			order = LastAdded
			for i := range base.SortOrders {
				if o := &base.SortOrders[i]; o.sameAs(&x.SortOrder) && (o.ID == 0) == (len(o.Fields) == 0) {
					order = o.ID
				}
			}
			if order != LastAdded {
				continue
			}
		case SetDefaultSortOrder:
			if x.SortOrderID == LastAdded {
				u = SetDefaultSortOrder{order}
			}
		}
		out = append(out, u)
	}
	return out
}
