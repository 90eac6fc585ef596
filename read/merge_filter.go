package read

import "lakeserver/expr"

// beforeMerging finds what of the query's conditions can be asked of single
// records: those on the primary key alone, for all records of a key go or stay
// together (paimon.md §2.3). Nothing is asked that could fail for a record which
// is not shown in the end.
func (m *merging) beforeMerging() {
	isKey := func(c int) bool {
		f := m.s.req.Columns[c].Paimon
		if f == nil {
			return false
		}
		for _, k := range m.keys {
			if m.columns[k].Paimon != nil && m.columns[k].Paimon.ID == f.ID {
				return true
			}
		}
		return false
	}
	place := func(c int) int { return m.column(m.s.req.Columns[c]) }
	for _, e := range m.s.req.Filter {
		if OnKeys(e, isKey) {
			m.filter = append(m.filter, expr.Remap(e, place))
		}
	}
	for _, k := range m.s.req.Keys {
		if isKey(k.Column) {
			m.live = append(m.live, KeyFilter{Column: place(k.Column), Keep: k.Keep})
		}
	}
}

// OnKeys tells whether an expression compares keys with constants, and does
// nothing else.
func OnKeys(e expr.Expr, isKey func(c int) bool) bool {
	any, only := false, true
	expr.Walk(e, func(x expr.Expr) {
		switch x := x.(type) {
		case *expr.Column:
			any = true
			only = only && isKey(x.Index)
		case *expr.Literal:
		case *expr.Call:
			switch x.Fn.Name {
			case "equals", "notEquals", "less", "lessOrEquals", "greater", "greaterOrEquals", "and", "or", "not", "in", "notIn", "isNull", "isNotNull":
			default:
				only = false
			}
		default:
			only = false
		}
	})
	return any && only
}
