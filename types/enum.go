package types

import (
	"sort"
	"strconv"
	"strings"

	"lakeserver/cherr"
)

// Enum is the set of names of an Enum8 or Enum16. It is immutable.
type Enum struct {
	names  []string // by value, ascending
	values []int16
	byName map[string]int16
	byVal  map[int16]string
}

// Name gives the name of a value.
func (e *Enum) Name(v int16) (string, bool) { s, ok := e.byVal[v]; return s, ok }

// Value gives the value of a name.
func (e *Enum) Value(name string) (int16, bool) { v, ok := e.byName[name]; return v, ok }

// Names gives the names in the order of their values; not to be written to.
func (e *Enum) Names() []string { return e.names }

// Values gives the values, ascending; not to be written to.
func (e *Enum) Values() []int16 { return e.values }

// NewEnum makes Enum8 or Enum16 of pairs of name and value, in any order.
func NewEnum(kind Kind, names []string, values []int16) (*Type, error) {
	if len(names) == 0 {
		return nil, cherr.New(cherr.BadArguments, "Enum data type must have at least one element")
	}
	e := &Enum{byName: map[string]int16{}, byVal: map[int16]string{}}
	order := make([]int, len(names))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return values[order[a]] < values[order[b]] })
	var b strings.Builder
	head := "Enum8("
	if kind == KindEnum16 {
		head = "Enum16("
	}
	b.WriteString(head)
	for n, i := range order {
		if _, dup := e.byName[names[i]]; dup {
			return nil, cherr.New(cherr.SyntaxError, "Duplicate names in enum: '%s' = %d", names[i], values[i])
		}
		if _, dup := e.byVal[values[i]]; dup {
			return nil, cherr.New(cherr.SyntaxError, "Duplicate values in enum: '%s' = %d", names[i], values[i])
		}
		if kind == KindEnum8 && (values[i] < -128 || values[i] > 127) {
			return nil, cherr.New(cherr.ArgumentOutOfBound, "Value %d for element '%s' exceeds range of Enum8", values[i], names[i])
		}
		e.byName[names[i]], e.byVal[values[i]] = values[i], names[i]
		e.names, e.values = append(e.names, names[i]), append(e.values, values[i])
		if n > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quote(names[i]) + " = " + strconv.Itoa(int(values[i])))
	}
	b.WriteByte(')')
	return &Type{kind: kind, name: b.String(), enum: e}, nil
}
