package pruning

import (
	"lakeserver/metadata/paimon"
)

// IndexMightMatch judges a file by the indexes of its columns: false only when
// no row of the file can make the filter true.
func (p *Paimon) IndexMightMatch(x *paimon.FileIndex, file *paimon.Schema) bool {
	if p == nil {
		return true
	}
	return p.filter.MightMatchIndex(x, file, p.schema)
}

// MightMatchIndex is the same for a filter over a table's columns.
func (f *Filter) MightMatchIndex(x *paimon.FileIndex, file, table *paimon.Schema) bool {
	if f == nil {
		return true
	}
	i := &indexed{x: x, file: file, table: table}
	var left *paimon.RowSet
	for _, n := range f.conjuncts {
		if !n.might(i) {
			return false
		}
		if rows := i.rows(n); rows != nil {
			if left != nil {
				rows = left.And(rows)
			}
			left = rows
		}
	}
	return left == nil || !left.IsEmpty()
}

// indexed is a file with indexes as a container: it knows no ranges, but may
// know that a value is not there.
type indexed struct {
	x           *paimon.FileIndex
	file, table *paimon.Schema
}

func (*indexed) Range(int) Range { return Range{} }

// name gives a column's name in the file, where it is of the same type.
func (i *indexed) name(field int) string {
	a, b := i.file.FieldByID(field), i.table.FieldByID(field)
	if a == nil || b == nil || !a.Type.Equal(b.Type) || !i.x.Has(a.Name) {
		return ""
	}
	return a.Name
}

func (i *indexed) MightHave(field int, v Value) bool {
	name := i.name(field)
	return name == "" || i.x.MightHave(name, v)
}

var indexOps = [...]paimon.Op{
	opEq: paimon.Equal, opNe: paimon.NotEqual, opLt: paimon.Less, opLe: paimon.LessOrEqual, opGt: paimon.Greater, opGe: paimon.GreaterOrEqual,
}

// rows gives the rows that can make a condition true, nil when it is not known.
func (i *indexed) rows(n node) *paimon.RowSet { // long: one case a condition
	switch x := n.(type) {
	case andNode:
		var out *paimon.RowSet
		for _, c := range x {
			if r := i.rows(c); r != nil {
				if out != nil {
					r = out.And(r)
				}
				out = r
			}
		}
		return out
	case orNode:
		var out *paimon.RowSet
		for _, c := range x {
			r := i.rows(c)
			if r == nil {
				return nil
			}
			if out != nil {
				r = out.Or(r)
			}
			out = r
		}
		return out
	case *comparison:
		if name := i.name(x.field); name != "" && x.e == nil && x.lit.exact {
			return known(i.x.Rows(name, indexOps[x.op], x.lit.lo))
		}
	case *membership:
		name := i.name(x.field)
		if name == "" || x.e != nil || x.orNull || len(x.lits) > maxAsked {
			return nil
		}
		var out *paimon.RowSet
		for _, l := range x.lits {
			r := (*paimon.RowSet)(nil)
			if l.exact {
				r = known(i.x.Rows(name, paimon.Equal, l.lo))
			}
			if r == nil {
				return nil
			}
			if out != nil {
				r = out.Or(r)
			}
			out = r
		}
		return out
	case *nullTest:
		if name := i.name(x.field); name != "" && x.e == nil {
			return known(i.x.Nulls(name, x.wantNull))
		}
	}
	return nil
}

func known(r *paimon.RowSet, ok bool) *paimon.RowSet {
	if !ok {
		return nil
	}
	return r
}
