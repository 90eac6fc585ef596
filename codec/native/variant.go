package native

import (
	"bufio"
	"encoding/binary"
	"sort"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// Serialisation versions of ClickHouse's composite types.
const (
	variantBasic = 0 // a byte a row, then each type's values
	jsonString   = 1 // objects as text
	dynamicV2    = 2 // names of types, then as Variant
)

// sharedVariant is the name under which a Dynamic keeps values of further
// types; here there are none, but its place among the names is fixed.
const sharedVariant = "SharedVariant"

// dynamicNames gives the types of a Dynamic as they are written: all but
// SharedVariant, and the numbers of all in the order of their names.
func dynamicNames(v *column.Variant) (names []string, order []int) {
	for i := range v.Types {
		order = append(order, i)
	}
	order = append(order, -1)
	name := func(i int) string {
		if i < 0 {
			return sharedVariant
		}
		return v.Types[i].String()
	}
	sort.Slice(order, func(a, b int) bool { return name(order[a]) < name(order[b]) })
	for _, i := range order {
		if i >= 0 {
			names = append(names, name(i))
		}
	}
	return names, order
}

func appendVariantPrefix(dst []byte, t *types.Type, c column.Column) []byte {
	v := column.Full(c).(*column.Variant)
	if t.Kind() == types.KindVariant {
		dst = binary.LittleEndian.AppendUint64(dst, variantBasic)
		for i, e := range t.Elems() {
			dst = appendPrefix(dst, e, v.Parts[i])
		}
		return dst
	}
	dst = binary.LittleEndian.AppendUint64(dst, dynamicV2)
	names, order := dynamicNames(v)
	dst = binary.AppendUvarint(dst, uint64(len(names)))
	for _, n := range names {
		dst = appendString(dst, n)
	}
	dst = binary.LittleEndian.AppendUint64(dst, variantBasic)
	for _, i := range order {
		if i >= 0 {
			dst = appendPrefix(dst, v.Types[i], v.Parts[i])
		}
	}
	return dst
}

// appendVariant writes a byte a row and then the values of each type.
func appendVariant(dst []byte, t *types.Type, c column.Column) ([]byte, error) {
	v := column.Full(c).(*column.Variant)
	order := make([]int, len(v.Types))
	for i := range order {
		order[i] = i
	}
	if t.Kind() == types.KindDynamic {
		_, order = dynamicNames(v)
	}
	var number [256]uint8
	number[column.NullVariant] = column.NullVariant
	for at, i := range order {
		if i >= 0 {
			number[i] = uint8(at)
		}
	}
	for _, k := range v.Kinds {
		dst = append(dst, number[k])
	}
	var err error
	for _, i := range order {
		if i < 0 {
			continue
		}
		if _, values := v.Of(i); values.Len() > 0 {
			if dst, err = appendData(dst, v.Types[i], values); err != nil {
				return dst, err
			}
		}
	}
	return dst, nil
}

// readVariantPrefix reads the mode and the prefixes of each type.
func readVariantPrefix(r *bufio.Reader, t *types.Type) error {
	mode, err := readUint64(r)
	if err != nil {
		return err
	}
	if mode != variantBasic {
		return cherr.New(cherr.NotImplemented, "Variant values of serialisation %d cannot be read", mode)
	}
	for _, e := range t.Elems() {
		if err := readPrefix(r, e); err != nil {
			return err
		}
	}
	return nil
}

func readVariant(r *bufio.Reader, t *types.Type, rows int) (column.Column, error) {
	kinds8, err := readFixed[uint8](r, rows)
	if err != nil {
		return nil, err
	}
	v := &column.Variant{Types: t.Elems(), Kinds: kinds8, Rows: make([]uint32, rows)}
	counts := make([]uint32, len(v.Types))
	for i, k := range kinds8 {
		if k == column.NullVariant {
			continue
		}
		if int(k) >= len(counts) {
			return nil, cherr.New(cherr.IncorrectData, "A Variant of %d types has a value of number %d", len(counts), k)
		}
		v.Rows[i] = counts[k]
		counts[k]++
	}
	for k, n := range counts {
		part := column.Default(v.Types[k], 0)
		if n > 0 {
			if part, err = readData(r, v.Types[k], kinds{}, int(n), false); err != nil {
				return nil, err
			}
		}
		v.Parts = append(v.Parts, column.Full(part))
	}
	return v, nil
}

// variantAppender writes the number of the type and the value.
func variantAppender(c *column.Variant) (func(dst []byte, i int) []byte, error) {
	parts := make([]func([]byte, int) []byte, len(c.Parts))
	for k, p := range c.Parts {
		var err error
		if parts[k], err = RowAppender(c.Types[k], p); err != nil {
			return nil, err
		}
	}
	return func(dst []byte, i int) []byte {
		k := c.Kinds[i]
		dst = append(dst, k)
		if k == column.NullVariant {
			return dst
		}
		return parts[k](dst, int(c.Rows[i]))
	}, nil
}

// variantRows reads what variantAppender writes.
type variantRows struct {
	types []*types.Type
	parts []RowReader
	count []uint32
	kinds []uint8
	rows  []uint32
}

func newVariantRows(t *types.Type) (RowReader, error) {
	v := &variantRows{types: t.Elems(), count: make([]uint32, len(t.Elems()))}
	for _, e := range t.Elems() {
		p, err := NewRowReader(e)
		if err != nil {
			return nil, err
		}
		v.parts = append(v.parts, p)
	}
	return v, nil
}

func (v *variantRows) Read(r *bufio.Reader) error {
	k, err := r.ReadByte()
	if err != nil {
		return torn(err)
	}
	if k == column.NullVariant {
		v.Default()
		return nil
	}
	if int(k) >= len(v.parts) {
		return cherr.New(cherr.IncorrectData, "A Variant of %d types has a value of number %d", len(v.parts), k)
	}
	if err := v.parts[k].Read(r); err != nil {
		return err
	}
	v.kinds, v.rows = append(v.kinds, k), append(v.rows, v.count[k])
	v.count[k]++
	return nil
}

func (v *variantRows) Default() {
	v.kinds, v.rows = append(v.kinds, column.NullVariant), append(v.rows, 0)
}

func (v *variantRows) Finish() column.Column {
	c := &column.Variant{Types: v.types, Kinds: v.kinds, Rows: v.rows}
	for i, p := range v.parts {
		c.Parts = append(c.Parts, p.Finish())
		v.count[i] = 0
	}
	v.kinds, v.rows = nil, nil
	return c
}
