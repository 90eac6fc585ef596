package pruning

import (
	"context"
	"sort"
	"strings"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/types"
)

// Filter is a compiled filter. It is immutable and safe for concurrent use.
// The nil Filter keeps everything.
type Filter struct {
	conjuncts []node
}

// MightMatch is false only when no row of the container can make the filter true.
func (f *Filter) MightMatch(s Stats) bool {
	if f == nil {
		return true
	}
	for _, n := range f.conjuncts {
		if !n.might(s) {
			return false
		}
	}
	return true
}

// Fields gives the ids of the columns that the filter can judge, ascending.
func (f *Filter) Fields() []int {
	if f == nil {
		return nil
	}
	seen := map[int]bool{}
	for _, n := range f.conjuncts {
		n.fields(seen)
	}
	out := make([]int, 0, len(seen))
	for id := range seen {
		out = append(out, id)
	}
	sort.Ints(out)
	return out
}

// Part is a conjunct over one column.
type Part struct {
	Field  int
	Filter *Filter
}

// Single gives the conjuncts that judge one column each: the page index, whose
// pages of different columns do not begin with one row, is asked by them.
func (f *Filter) Single() []Part {
	if f == nil {
		return nil
	}
	var out []Part
	for _, n := range f.conjuncts {
		seen := map[int]bool{}
		n.fields(seen)
		if len(seen) != 1 {
			continue
		}
		for id := range seen {
			out = append(out, Part{id, &Filter{conjuncts: []node{n}}})
		}
	}
	return out
}

// Less tells whether a sorts before b, values of one form; false when either
// is not known (nil).
func Less(a, b Value) bool {
	if a == nil || b == nil {
		return false
	}
	c, ok := compare(a, b)
	return ok && c < 0
}

// node is one condition; conditions of which nothing is known are left out of
// an AND and make an OR unknown.
type node interface {
	might(s Stats) bool
	fields(seen map[int]bool)
}

type andNode []node

func (n andNode) might(s Stats) bool {
	for _, c := range n {
		if !c.might(s) {
			return false
		}
	}
	return true
}

func (n andNode) fields(seen map[int]bool) {
	for _, c := range n {
		c.fields(seen)
	}
}

type orNode []node

func (n orNode) might(s Stats) bool {
	for _, c := range n {
		if c.might(s) {
			return true
		}
	}
	return false
}

func (n orNode) fields(seen map[int]bool) {
	for _, c := range n {
		c.fields(seen)
	}
}

// never is a condition that no row makes true: a constant false or NULL.
type never struct{}

func (never) might(Stats) bool    { return false }
func (never) fields(map[int]bool) {}

// op is a comparison.
type op uint8

const (
	opEq op = iota
	opNe
	opLt
	opLe
	opGt
	opGe
)

// operand is a column, or functions that keep or reverse order around it.
type operand struct {
	field   int
	t       *types.Type // of the column
	e       expr.Expr   // over a block of the column alone; nil: the column itself
	result  *types.Type // of e
	reverse bool
}

func (o *operand) fields(seen map[int]bool) { seen[o.field] = true }

// of gives the range of the operand's values.
func (o *operand) of(s Stats) Range {
	r := s.Range(o.field).checked()
	if o.e == nil || r.Lo == nil && r.Hi == nil {
		return r
	}
	lo, hi := o.apply(r.Lo), o.apply(r.Hi)
	if o.reverse {
		lo, hi = hi, lo
	}
	out := Range{Lo: lo, Hi: hi, Nulls: r.Nulls, NaNs: r.NaNs}
	if r.Nulls != All { // a function may make NULL of values (accurateCastOrNull)
		out.Nulls = Maybe
	}
	return out.checked()
}

func (o *operand) apply(v Value) Value {
	if v == nil {
		return nil
	}
	b := column.NewBlock(column.FromValue(types.WithoutNullable(o.t), v, 1).Value)
	if o.t.IsNullable() {
		b.Columns[0] = &column.Nullable{Values: b.Columns[0]}
	}
	c, err := o.e.Eval(context.Background(), b)
	if err != nil || c.Len() != 1 {
		return nil
	}
	return column.At(c, 0)
}

// comparison is operand op constant.
type comparison struct {
	operand
	op  op
	lit literal
}

func (c *comparison) might(s Stats) bool {
	r := c.of(s)
	if r.Nulls == All || r.NaNs == All && c.op != opNe {
		return false
	}
	switch c.op {
	case opEq:
		return c.overlaps(r) && c.mightHave(s)
	case opNe:
		// Sound only where the one value is known to be all there is beside NULL,
		// of which the comparison is NULL and not true.
		return !(r.Exact && r.NaNs == None && c.lit.exact && equal(r.Lo, c.lit.lo) && equal(r.Hi, c.lit.lo))
	case opLt:
		return c.below(r.Lo, false)
	case opLe:
		return c.below(r.Lo, true)
	case opGt:
		return c.above(r.Hi, false)
	}
	return c.above(r.Hi, true)
}

// mightHave asks containers that know single values.
func (c *comparison) mightHave(s Stats) bool {
	h, ok := s.(hasher)
	return !ok || c.e != nil || !c.lit.exact || h.MightHave(c.field, c.lit.lo)
}

func equal(a, b Value) bool {
	if a == nil || b == nil {
		return false
	}
	c, ok := compare(a, b)
	return ok && c == 0
}

func (c *comparison) overlaps(r Range) bool {
	return c.below(r.Lo, true) && c.above(r.Hi, true)
}

// below tells whether lo can be less than the constant (or equal to it).
func (c *comparison) below(lo Value, orEqual bool) bool {
	if lo == nil || c.lit.hi == nil {
		return true
	}
	d, ok := compare(lo, c.lit.hi)
	return !ok || d < 0 || d == 0 && (orEqual || !c.lit.exact)
}

func (c *comparison) above(hi Value, orEqual bool) bool {
	if hi == nil || c.lit.lo == nil {
		return true
	}
	d, ok := compare(hi, c.lit.lo)
	return !ok || d > 0 || d == 0 && (orEqual || !c.lit.exact)
}

// membership is operand IN constants.
type membership struct {
	operand
	lits   []literal // of exact ones ascending, when sorted
	sorted bool
	orNull bool // a NULL is among the constants: some settings let it match
}

func newMembership(o operand, lits []literal, orNull bool) *membership {
	m := &membership{operand: o, lits: lits, orNull: orNull, sorted: true}
	for _, l := range lits {
		m.sorted = m.sorted && l.exact
	}
	if m.sorted {
		sort.Slice(lits, func(i, j int) bool {
			c, ok := compare(lits[i].lo, lits[j].lo)
			m.sorted = m.sorted && ok
			return c < 0
		})
	}
	return m
}

// maxAsked bounds how many constants are asked of bloom filters and buckets.
const maxAsked = 200

func (m *membership) might(s Stats) bool {
	r := m.of(s)
	if m.orNull && r.Nulls != None {
		return true
	}
	if r.Nulls == All || r.NaNs == All {
		return false
	}
	within := m.lits
	if m.sorted && r.Lo != nil {
		from := sort.Search(len(within), func(i int) bool { c, ok := compare(within[i].lo, r.Lo); return !ok || c >= 0 })
		within = within[from:]
	}
	h, asks := s.(hasher)
	asks = asks && m.e == nil
	for i := range within {
		c := comparison{lit: within[i]}
		if !c.overlaps(r) {
			if m.sorted { // ascending: all further ones are above the range
				return false
			}
			continue
		}
		if !asks || i >= maxAsked || !within[i].exact || h.MightHave(m.field, within[i].lo) {
			return true
		}
	}
	return false
}

// nullTest is isNull and isNotNull.
type nullTest struct {
	operand
	wantNull bool
}

func (n *nullTest) might(s Stats) bool {
	r := n.of(s)
	if n.wantNull {
		return r.Nulls != None
	}
	return r.Nulls != All
}

// nanTest is isNaN of a plain column.
type nanTest struct{ operand }

func (n *nanTest) might(s Stats) bool {
	r := n.of(s)
	return r.NaNs != None && r.Nulls != All
}

// notNaN guards a negated comparison of floats: NaN makes it true.
type notNaN struct {
	operand
	inner node
}

func (n *notNaN) might(s Stats) bool {
	r := n.of(s)
	return r.Nulls != All && r.NaNs != None || n.inner.might(s)
}

// prefix is startsWith, or its negation.
type prefix struct {
	operand
	text string
	not  bool
}

func (p *prefix) might(s Stats) bool {
	r := p.of(s)
	if r.Nulls == All {
		return false
	}
	lo, hasLo := r.Lo.(string)
	hi, hasHi := r.Hi.(string)
	if p.not {
		// All strings between two with one prefix have it.
		return !(hasLo && hasHi && strings.HasPrefix(lo, p.text) && strings.HasPrefix(hi, p.text))
	}
	if hasHi && hi < p.text && !strings.HasPrefix(p.text, hi) {
		return false
	}
	// An upper bound that the prefix continues may have been cut short.
	if hasHi && hi < p.text && r.Exact {
		return false
	}
	return !(hasLo && lo > p.text && !strings.HasPrefix(lo, p.text))
}

// Over gives the conjuncts that judge no columns but these, nil for none.
func (f *Filter) Over(fields []int) *Filter {
	out := &Filter{}
	for _, n := range f.conjuncts {
		seen := map[int]bool{}
		n.fields(seen)
		for _, id := range fields {
			delete(seen, id)
		}
		if len(seen) == 0 {
			out.conjuncts = append(out.conjuncts, n)
		}
	}
	if len(out.conjuncts) == 0 {
		return nil
	}
	return out
}

// Values gives the only values that a column can have where the filter is true;
// ok is false when the filter does not say. Floats are never told: two values
// of different bits are equal among them.
func (f *Filter) Values(field int) (values []Value, ok bool) {
	if f == nil {
		return nil, false
	}
	for _, n := range f.conjuncts {
		var lits []literal
		switch x := n.(type) {
		case *comparison:
			if x.field != field || x.e != nil || x.op != opEq {
				continue
			}
			lits = []literal{x.lit}
		case *membership:
			if x.field != field || x.e != nil || x.orNull {
				continue
			}
			lits = x.lits
		default:
			continue
		}
		values, ok = nil, true
		for _, l := range lits {
			_, is32 := l.lo.(float32)
			_, is64 := l.lo.(float64)
			ok = ok && l.exact && l.lo != nil && !is32 && !is64
			values = append(values, l.lo)
		}
		if ok {
			return values, true
		}
	}
	return nil, false
}
