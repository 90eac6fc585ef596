package read

import (
	"encoding/base64"
	"math/big"
	"sort"
	"strconv"
	"time"

	"lakeserver/cherr"
	"lakeserver/codec/parquet"
	"lakeserver/column"
	"lakeserver/types"
)

// shred is one group of a shredded variant: a value in the variant's own form,
// a value in a column of its own type, or both for an object's two halves.
type shred struct {
	hasValue bool
	leaf     *parquet.SchemaNode // typed value without parts
	elem     *shred              // typed value is a list
	fields   []shredField        // typed value is an object
	object   bool
}

type shredField struct {
	name string
	*shred
}

// shreddedWant reads all columns of a shredded variant.
func shreddedWant(w parquet.Want, meta *parquet.SchemaNode, t *types.Type) (parquet.Want, finish, error) {
	s, group, err := newShred(w.Node, 0)
	if err != nil {
		return w, nil, err
	}
	text := types.Nullable(types.String)
	elems := append([]*types.Type{text}, group.Type.Elems()...)
	w.Type = types.Tuple(elems, nil)
	w.Children = append([]parquet.Want{{Node: meta, Type: text}}, group.Children...)
	nullable := t.IsNullable()
	return w, full(func(c column.Column) (column.Column, error) {
		b := column.NewBuilder(t, c.Len())
		for i := range c.Len() {
			row := column.At(c, i).(column.Row)
			meta, ok := row[0].(string)
			if !ok && nullable {
				b.AppendValue(nil)
				continue
			}
			v := variant{meta: []byte(meta)}
			out, _, err := s.append(nil, v, row[1:], true)
			if err != nil {
				return nil, cherr.Wrap(err, "reading a variant")
			}
			b.AppendValue(string(out))
		}
		return b.Finish(), nil
	}), nil
}

// newShred plans a group; the want's type is a tuple of what is there of value
// and typed value.
func newShred(n *parquet.SchemaNode, depth int) (*shred, parquet.Want, error) {
	w := parquet.Want{Node: n}
	if depth > maxNesting || n.IsLeaf() {
		return nil, w, cherr.New(cherr.IncorrectData, "variant column `%s` is shredded in a way that is not known", n.Name)
	}
	s := &shred{}
	var elems []*types.Type
	add := func(c parquet.Want) {
		w.Children, elems = append(w.Children, c), append(elems, c.Type)
	}
	if value := n.Child("value"); value != nil {
		s.hasValue = true
		add(parquet.Want{Node: value, Type: types.Nullable(types.String)})
	}
	if typed := n.Child("typed_value"); typed != nil {
		c, err := s.planTyped(typed, depth)
		if err != nil {
			return nil, w, err
		}
		add(c)
	}
	w.Type = types.Tuple(elems, nil)
	return s, w, nil
}

func (s *shred) planTyped(n *parquet.SchemaNode, depth int) (parquet.Want, error) {
	w := parquet.Want{Node: n}
	if n.IsLeaf() {
		s.leaf = n
		w.Type = types.Nullable(types.WithoutNullable(parquet.TypeOf(n)))
		return w, nil
	}
	if elem, ok := n.ListElement(); ok {
		e, c, err := newShred(elem, depth+1)
		s.elem = e
		w.Children, w.Type = []parquet.Want{c}, types.Array(c.Type)
		return w, err
	}
	s.object = true
	var elems []*types.Type
	for _, f := range n.Children {
		e, c, err := newShred(f, depth+1)
		if err != nil {
			return w, err
		}
		s.fields = append(s.fields, shredField{f.Name, e})
		w.Children, elems = append(w.Children, c), append(elems, c.Type)
	}
	w.Type = types.Tuple(elems, nil)
	return w, nil
}

// append writes a group's JSON text; there is false for a field that the
// object does not have (must: an element, which is always there).
func (s *shred) append(dst []byte, v variant, row column.Row, must bool) (out []byte, there bool, err error) {
	var value, typed column.Value
	if s.hasValue {
		value, row = row[0], row[1:]
	}
	if len(row) > 0 {
		typed = row[0]
	}
	raw, hasRaw := value.(string)
	switch {
	case s.object:
		return s.appendObject(dst, v, typed.(column.Row), raw, hasRaw, must)
	case hasRaw:
		dst, err = v.append(dst, []byte(raw), 0)
		return dst, true, err
	case s.leaf != nil && typed != nil:
		dst, err = appendTyped(dst, s.leaf, typed)
		return dst, true, err
	case s.elem != nil:
		list := typed.(column.Row)
		if len(list) == 0 && !must {
			return dst, false, nil
		}
		dst = append(dst, '[')
		for i, e := range list {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, _, err = s.elem.append(dst, v, e.(column.Row), true); err != nil {
				return nil, false, err
			}
		}
		return append(dst, ']'), true, nil
	case must:
		return append(dst, "null"...), true, nil
	}
	return dst, false, nil
}

// appendObject joins the typed fields with those left in the value.
func (s *shred) appendObject(dst []byte, v variant, fields column.Row, raw string, hasRaw, must bool) ([]byte, bool, error) {
	parts := map[string][]byte{}
	for i, f := range s.fields {
		text, there, err := f.append(nil, v, fields[i].(column.Row), false)
		if err != nil {
			return nil, false, err
		}
		if there {
			parts[f.name] = text
		}
	}
	if hasRaw {
		if len(raw) > 0 && raw[0]&3 != 2 || len(parts) == 0 { // no object: the value is all
			dst, err := v.append(dst, []byte(raw), 0)
			return dst, true, err
		}
		if err := v.objectFields([]byte(raw), parts); err != nil {
			return nil, false, err
		}
	}
	if len(parts) == 0 && !must {
		return dst, false, nil
	}
	names := make([]string, 0, len(parts))
	for n := range parts {
		names = append(names, n)
	}
	sort.Strings(names)
	dst = append(dst, '{')
	for i, n := range names {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(appendJSON(dst, n), ':'), parts[n]...)
	}
	return append(dst, '}'), true, nil
}

// objectFields writes each field of an object on its own.
func (v variant) objectFields(b []byte, into map[string][]byte) error {
	o, err := parseObject(b)
	if err != nil {
		return err
	}
	for i := range o.n {
		name, value, err := v.field(o, i)
		if err != nil {
			return err
		}
		if into[name], err = v.append(nil, value, 1); err != nil {
			return err
		}
	}
	return nil
}

// appendTyped writes a shredded value as the variant's own form would read.
func appendTyped(dst []byte, n *parquet.SchemaNode, v column.Value) ([]byte, error) { // long: one case a form
	l := n.Logical
	switch l.Kind {
	case parquet.LogicalDate:
		if d, ok := v.(int32); ok {
			return appendTime(dst, time.Unix(int64(d)*86400, 0), "2006-01-02"), nil
		}
	case parquet.LogicalTimestamp:
		if x, ok := v.(int64); ok {
			return appendTimestamp(dst, x, l), nil
		}
	case parquet.LogicalDecimal:
		if n, ok := unscaled(v); ok {
			return appendScaled(dst, n, l.Scale), nil
		}
	}
	switch x := v.(type) {
	case uint8:
		if n.Physical == parquet.PhysicalBoolean {
			return strconv.AppendBool(dst, x != 0), nil
		}
		return strconv.AppendUint(dst, uint64(x), 10), nil
	case int8:
		return strconv.AppendInt(dst, int64(x), 10), nil
	case int16:
		return strconv.AppendInt(dst, int64(x), 10), nil
	case int32:
		return strconv.AppendInt(dst, int64(x), 10), nil
	case int64:
		if l.Kind == parquet.LogicalTime {
			return appendTime(dst, time.UnixMicro(x), "15:04:05.999999"), nil
		}
		return strconv.AppendInt(dst, x, 10), nil
	case float32:
		return appendFloat(dst, float64(x), 32), nil
	case float64:
		return appendFloat(dst, x, 64), nil
	case types.U128:
		return appendJSON(dst, uuidText(x)), nil
	case string:
		if l.Kind == parquet.LogicalString {
			return appendJSON(dst, x), nil
		}
		return appendJSON(dst, base64.StdEncoding.EncodeToString([]byte(x))), nil
	}
	return nil, cherr.New(cherr.NotImplemented, "a variant shredded as column `%s` cannot be read", n.Name)
}

func appendTimestamp(dst []byte, x int64, l parquet.LogicalType) []byte {
	layout, at := "2006-01-02 15:04:05.999999", time.UnixMicro(x)
	switch l.Unit {
	case 9:
		layout, at = "2006-01-02 15:04:05.999999999", time.Unix(0, x)
	case 3:
		at = time.UnixMilli(x)
	}
	if l.UTC {
		layout += "-07:00"
	}
	return appendTime(dst, at, layout)
}

func unscaled(v column.Value) (*big.Int, bool) {
	switch x := v.(type) {
	case int32:
		return big.NewInt(int64(x)), true
	case int64:
		return big.NewInt(x), true
	case types.I128:
		return x.Big(), true
	case types.I256:
		return x.Big(), true
	}
	return nil, false
}
