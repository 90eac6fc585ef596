package native

import (
	"bufio"
	"encoding/binary"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// The parts of a LowCardinality body's first number.
const (
	lcIndexMask  = 0xff
	lcSharedDict = 0x100
	lcMeta       = 0x600 // own keys, dictionary complete in this block
)

// appendLowCardinality writes keys and indices. Key 0 is the default value;
// under Nullable key 0 stands for NULL and key 1 is the default.
func appendLowCardinality(dst []byte, t *types.Type, c column.Column) ([]byte, error) {
	if c.Len() == 0 {
		return dst, nil // inside an Array without elements the body is absent
	}
	keys, index := dictionary(t, c)
	width := indexWidth(keys.Len())
	dst = binary.LittleEndian.AppendUint64(dst, lcMeta|uint64(width))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(keys.Len()))
	dst, err := appendData(dst, types.WithoutNullable(t), keys)
	if err != nil {
		return dst, err
	}
	dst = binary.LittleEndian.AppendUint64(dst, uint64(len(index)))
	switch width {
	case 0:
		for _, i := range index {
			dst = append(dst, byte(i))
		}
	case 1:
		for _, i := range index {
			dst = binary.LittleEndian.AppendUint16(dst, uint16(i))
		}
	default:
		dst = append(dst, bytesOf(index)...)
	}
	return dst, nil
}

func indexWidth(keys int) int {
	switch {
	case keys <= 1<<8:
		return 0
	case keys <= 1<<16:
		return 1
	}
	return 2
}

// dictionary gives the distinct values of c behind the fixed first keys, and
// for each row its key.
func dictionary(t *types.Type, c column.Column) (column.Column, []uint32) {
	first := uint32(1)
	if t.Kind() == types.KindNullable {
		first = 2
	}
	var codes []uint32
	switch d := c.(type) {
	case *column.Dict:
		c, codes = usedEntries(d)
	case *column.Const:
		c, codes = d.Value, make([]uint32, d.N)
	}
	values, null := column.SplitNulls(column.Full(c))
	plain := types.WithoutNullable(t)
	rows, index := distinct(plain, values, null, first)
	b := column.NewBuilder(plain, len(rows)+int(first))
	for range first {
		b.AppendDefault()
	}
	b.AppendRows(values, rows)
	if codes != nil {
		out := make([]uint32, len(codes))
		for i, code := range codes {
			out[i] = index[code]
		}
		index = out
	}
	return b.Finish(), index
}

// usedEntries leaves out the entries of a dictionary that no row names, when
// the dictionary is larger than the rows: it may come from a whole file.
func usedEntries(d *column.Dict) (column.Column, []uint32) {
	if d.Values.Len() <= len(d.Codes) {
		return d.Values, d.Codes
	}
	place := make(map[uint32]uint32, len(d.Codes))
	codes := make([]uint32, len(d.Codes))
	var entries []uint32
	for i, code := range d.Codes {
		p, ok := place[code]
		if !ok {
			p = uint32(len(entries))
			place[code] = p
			entries = append(entries, code)
		}
		codes[i] = p
	}
	return d.Values.Gather(entries), codes
}

// distinct gives the first row of every distinct value and every row's key;
// keys are counted from first, the default value has first-1, NULL has 0.
func distinct(t *types.Type, values column.Column, null []uint8, first uint32) ([]uint32, []uint32) { // long: one case a form
	switch v := values.(type) {
	case *column.Str:
		def := ""
		if t.Kind() == types.KindFixedString {
			def = string(make([]byte, t.Length()))
		}
		return distinctOf(v.Len(), v.StringAt, def, null, first)
	case *column.Fixed[uint8]:
		return distinctFixed(v.Values, null, first)
	case *column.Fixed[uint16]:
		return distinctFixed(v.Values, null, first)
	case *column.Fixed[uint32]:
		return distinctFixed(v.Values, null, first)
	case *column.Fixed[uint64]:
		return distinctFixed(v.Values, null, first)
	case *column.Fixed[int8]:
		return distinctFixed(v.Values, null, first)
	case *column.Fixed[int16]:
		return distinctFixed(v.Values, null, first)
	case *column.Fixed[int32]:
		return distinctFixed(v.Values, null, first)
	case *column.Fixed[int64]:
		return distinctFixed(v.Values, null, first)
	case *column.Fixed[float32]:
		return distinctFixed(v.Values, null, first)
	case *column.Fixed[float64]:
		return distinctFixed(v.Values, null, first)
	case *column.Fixed[types.I128]:
		return distinctFixed(v.Values, null, first)
	case *column.Fixed[types.U128]:
		return distinctFixed(v.Values, null, first)
	case *column.Fixed[types.I256]:
		return distinctFixed(v.Values, null, first)
	case *column.Fixed[types.U256]:
		return distinctFixed(v.Values, null, first)
	case *column.Fixed[types.Addr6]:
		return distinctFixed(v.Values, null, first)
	case *column.Nothing:
		return nil, make([]uint32, v.N)
	}
	cherr.Bug("no dictionary of %T", values)
	return nil, nil
}

func distinctFixed[T column.Element](v []T, null []uint8, first uint32) ([]uint32, []uint32) {
	var def T
	return distinctOf(len(v), func(i int) T { return v[i] }, def, null, first)
}

func distinctOf[T comparable](n int, at func(int) T, def T, null []uint8, first uint32) ([]uint32, []uint32) {
	index := make([]uint32, n)
	seen := make(map[T]uint32, min(n, 1024))
	seen[def] = first - 1
	var rows []uint32
	for i := range n {
		if null != nil && null[i] != 0 {
			continue // key 0
		}
		v := at(i)
		key, ok := seen[v]
		if !ok {
			key = first + uint32(len(rows))
			seen[v] = key
			rows = append(rows, uint32(i))
		}
		index[i] = key
	}
	return rows, index
}

// readLowCardinality gives a Dict at the top of a column, plain values inside
// other types.
func readLowCardinality(r *bufio.Reader, t *types.Type, rows int, top bool) (column.Column, error) {
	if rows == 0 {
		return column.Default(t, 0), nil
	}
	meta, err := readUint64(r)
	if err != nil {
		return nil, err
	}
	if meta&lcSharedDict != 0 {
		return nil, cherr.New(cherr.NotImplemented, "LowCardinality with a global dictionary cannot be read")
	}
	n, err := readUint64(r)
	if err != nil {
		return nil, err
	}
	if n > maxRows {
		return nil, cherr.New(cherr.IncorrectData, "Suspicious size of a LowCardinality dictionary: %d", n)
	}
	values, err := readData(r, types.WithoutNullable(t), kinds{}, int(n), false)
	if err != nil {
		return nil, err
	}
	count, err := readUint64(r)
	if err != nil {
		return nil, err
	}
	if count != uint64(rows) {
		return nil, cherr.New(cherr.IncorrectData, "LowCardinality has %d indices for %d rows", count, rows)
	}
	codes, err := readIndices(r, int(meta&lcIndexMask), rows, values.Len())
	if err != nil {
		return nil, err
	}
	if t.Kind() == types.KindNullable {
		null := make([]uint8, values.Len())
		null[0] = 1
		values = &column.Nullable{Values: values, Null: null}
	}
	d := &column.Dict{Codes: codes, Values: values}
	if top {
		return d, nil
	}
	return column.Full(d), nil
}

func readIndices(r *bufio.Reader, width, rows, keys int) ([]uint32, error) {
	var out []uint32
	var err error
	switch width {
	case 0:
		out, err = widen[uint8](r, rows)
	case 1:
		out, err = widen[uint16](r, rows)
	case 2:
		out, err = readFixed[uint32](r, rows)
	case 3:
		out, err = widen[uint64](r, rows)
	default:
		err = cherr.New(cherr.IncorrectData, "Unknown index type %d of LowCardinality", width)
	}
	if err != nil {
		return nil, err
	}
	for _, code := range out {
		if int64(code) >= int64(keys) {
			return nil, cherr.New(cherr.IncorrectData, "LowCardinality index %d is outside the dictionary of %d keys", code, keys)
		}
	}
	return out, nil
}

func widen[T uint8 | uint16 | uint64](r *bufio.Reader, rows int) ([]uint32, error) {
	v, err := readFixed[T](r, rows)
	if err != nil {
		return nil, err
	}
	out := make([]uint32, len(v))
	for i, x := range v {
		out[i] = uint32(min(uint64(x), 1<<32-1))
	}
	return out, nil
}
