package system

import (
	"maps"
	"slices"
	"time"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/table"
	"lakeserver/types"
)

// rows collects the rows of a system table; only the wanted columns are kept.
// A row starts with next; columns that are not set get their type's default.
type rows struct {
	names    map[string]int
	types    []*types.Type
	builders []column.Builder
	n        int
}

func newRows(all []table.Column, want []int) *rows {
	r := &rows{names: map[string]int{}}
	for i, c := range want {
		r.names[all[c].Name] = i
		r.types = append(r.types, all[c].Type)
		r.builders = append(r.builders, column.NewBuilder(all[c].Type, 64))
	}
	return r
}

// next ends the row before and starts one.
func (r *rows) next() {
	r.fillUp()
	r.n++
}

func (r *rows) fillUp() {
	for i, b := range r.builders {
		for b.Len() < r.n {
			if r.types[i].Kind() == types.KindNullable {
				b.AppendValue(nil)
			} else {
				b.AppendDefault()
			}
		}
	}
}

// wants tells whether a column is asked for, so that dear values can be saved.
func (r *rows) wants(name string) bool {
	_, ok := r.names[name]
	return ok
}

// set gives a column of the present row its value: string, bool, int, int64,
// uint64, time.Time, []string or map[string]string; the column's type decides
// how it is kept.
func (r *rows) set(name string, v any) {
	i, ok := r.names[name]
	if !ok {
		return
	}
	b := r.builders[i]
	if b.Len() >= r.n {
		cherr.Bug("system column %s is set twice", name)
	}
	b.AppendValue(valueOf(types.Unwrap(r.types[i]), v))
}

// valueOf turns a Go value into the physical form of a type.
func valueOf(t *types.Type, v any) column.Value { // long: one case a form
	switch x := v.(type) {
	case nil:
		return nil
	case []string:
		out := make(column.Row, len(x))
		for i, s := range x {
			out[i] = valueOf(types.Unwrap(t.Elem()), s)
		}
		return out
	case map[string]string:
		var out column.Entries
		for _, k := range slices.Sorted(maps.Keys(x)) {
			out = append(out, column.Entry{Key: k, Value: x[k]})
		}
		return out
	case map[string]int64:
		var out column.Entries
		for _, k := range slices.Sorted(maps.Keys(x)) {
			out = append(out, column.Entry{Key: k, Value: uint64(x[k])})
		}
		return out
	case time.Time:
		return timeValue(t, x)
	case bool:
		if x {
			return number(t, 1)
		}
		return number(t, 0)
	case int:
		return number(t, int64(x))
	case int64:
		return number(t, x)
	case uint64:
		return number(t, int64(x))
	case float64:
		return x
	case string:
		if e := t.Enum(); e != nil {
			n, _ := e.Value(x)
			return number(t, int64(n))
		}
		if t.Kind() == types.KindUUID {
			return parseUUID(x)
		}
		return x
	}
	return v
}

func timeValue(t *types.Type, x time.Time) column.Value {
	switch t.Kind() {
	case types.KindDate:
		return uint16(x.Unix() / 86400)
	case types.KindDateTime:
		return uint32(x.Unix())
	}
	n := x.UnixMicro()
	for s := t.Scale(); s < 6; s++ {
		n /= 10
	}
	return n
}

func number(t *types.Type, n int64) column.Value {
	switch t.Physical() {
	case types.PhysUInt8:
		return uint8(n)
	case types.PhysUInt16:
		return uint16(n)
	case types.PhysUInt32:
		return uint32(n)
	case types.PhysUInt64:
		return uint64(n)
	case types.PhysInt8:
		return int8(n)
	case types.PhysInt16:
		return int16(n)
	case types.PhysInt32:
		return int32(n)
	case types.PhysFloat64:
		return float64(n)
	}
	return n
}

// parseUUID reads the text form; anything else is the zero UUID.
func parseUUID(s string) types.U128 {
	var words [2]uint64
	digits := 0
	for i := range len(s) {
		c := s[i]
		var d uint64
		switch {
		case c >= '0' && c <= '9':
			d = uint64(c - '0')
		case c >= 'a' && c <= 'f':
			d = uint64(c-'a') + 10
		case c == '-':
			continue
		default:
			return types.U128{}
		}
		if digits < 32 {
			words[digits/16] = words[digits/16]<<4 | d
		}
		digits++
	}
	return types.U128{Hi: words[0], Lo: words[1]}
}

// block ends the last row and gives all.
func (r *rows) block() *column.Block {
	r.fillUp()
	b := &column.Block{Rows: r.n}
	for _, x := range r.builders {
		b.Columns = append(b.Columns, x.Finish())
	}
	return b
}
