package native

import (
	"bufio"
	"encoding/binary"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// readPrefix reads the state prefixes of a type, depth first.
func readPrefix(r *bufio.Reader, t *types.Type) error {
	switch t.Kind() {
	case types.KindLowCardinality:
		v, err := readUint64(r)
		if err == nil && v != 1 {
			err = cherr.New(cherr.IncorrectData, "Invalid version %d of LowCardinality keys", v)
		}
		return err
	case types.KindJSON:
		v, err := readUint64(r)
		if err == nil && v != jsonString {
			err = cherr.New(cherr.NotImplemented, "JSON of serialisation %d cannot be read; write it as text (output_format_native_write_json_as_string)", v)
		}
		return err
	case types.KindVariant:
		return readVariantPrefix(r, t)
	case types.KindNullable, types.KindArray, types.KindSimpleAggregateFunction, types.KindTuple, types.KindMap:
		for _, e := range t.Elems() {
			if err := readPrefix(r, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// readData reads the data streams of rows values; top tells that the column
// stands in a block and not inside another one.
func readData(r *bufio.Reader, t *types.Type, k kinds, rows int, top bool) (column.Column, error) { // long: one case a form
	if k.kind == kindSparse {
		return readSparse(r, t, rows)
	}
	switch t.Kind() {
	case types.KindLowCardinality:
		return readLowCardinality(r, t.Elem(), rows, top)
	case types.KindSimpleAggregateFunction:
		return readData(r, t.Elem(), k, rows, top)
	case types.KindNullable:
		return readNullable(r, t, rows)
	case types.KindAggregateFunction:
		return readStates(r, t, rows)
	case types.KindVariant:
		return readVariant(r, t, rows)
	}
	switch t.Physical() {
	case types.PhysUInt8:
		return fixed[uint8](r, rows)
	case types.PhysUInt16:
		return fixed[uint16](r, rows)
	case types.PhysUInt32:
		return fixed[uint32](r, rows)
	case types.PhysUInt64:
		return fixed[uint64](r, rows)
	case types.PhysInt8:
		return fixed[int8](r, rows)
	case types.PhysInt16:
		return fixed[int16](r, rows)
	case types.PhysInt32:
		return fixed[int32](r, rows)
	case types.PhysInt64:
		return fixed[int64](r, rows)
	case types.PhysFloat32:
		return fixed[float32](r, rows)
	case types.PhysFloat64:
		return fixed[float64](r, rows)
	case types.PhysInt128:
		return fixed[types.I128](r, rows)
	case types.PhysInt256:
		return fixed[types.I256](r, rows)
	case types.PhysUInt256:
		return fixed[types.U256](r, rows)
	case types.PhysIPv6:
		return fixed[types.Addr6](r, rows)
	case types.PhysUInt128:
		return readU128(r, t, rows)
	case types.PhysString:
		if t.Kind() == types.KindFixedString {
			return readFixedString(r, t.Length(), rows)
		}
		return readStr(r, rows)
	case types.PhysArray:
		offsets, err := readOffsets(r, rows)
		if err != nil {
			return nil, err
		}
		elems, err := readData(r, t.Elem(), kinds{}, int(offsets[rows]), false)
		if err != nil {
			return nil, err
		}
		return &column.Array{Offsets: offsets, Elems: elems}, nil
	case types.PhysMap:
		return readMap(r, t, rows)
	case types.PhysTuple:
		return readTuple(r, t, k, rows)
	case types.PhysNothing:
		_, err := r.Discard(rows)
		return &column.Nothing{N: rows}, torn(err)
	}
	return nil, cherr.New(cherr.NotImplemented, "Type %s cannot be read in native form", t)
}

func fixed[T column.Element](r *bufio.Reader, rows int) (column.Column, error) {
	v, err := readFixed[T](r, rows)
	if err != nil {
		return nil, err
	}
	return &column.Fixed[T]{Values: v}, nil
}

func readU128(r *bufio.Reader, t *types.Type, rows int) (column.Column, error) {
	v, err := readFixed[types.U128](r, rows)
	if err != nil {
		return nil, err
	}
	if t.Kind() == types.KindUUID {
		for i := range v {
			v[i].Lo, v[i].Hi = v[i].Hi, v[i].Lo
		}
	}
	return &column.Fixed[types.U128]{Values: v}, nil
}

func readNullable(r *bufio.Reader, t *types.Type, rows int) (column.Column, error) {
	null, err := readFixed[uint8](r, rows)
	if err != nil {
		return nil, err
	}
	any := false
	for i, n := range null {
		if n != 0 {
			null[i], any = 1, true
		}
	}
	values, err := readData(r, t.Elem(), kinds{}, rows, false)
	if err != nil {
		return nil, err
	}
	if !any {
		null = nil
	}
	return &column.Nullable{Values: values, Null: null}, nil
}

func readOffsets(r *bufio.Reader, rows int) ([]uint64, error) {
	ends, err := readFixed[uint64](r, rows)
	if err != nil {
		return nil, err
	}
	out := make([]uint64, rows+1)
	last := uint64(0)
	for i, e := range ends {
		if e < last || e > maxRows {
			return nil, cherr.New(cherr.IncorrectData, "Array offsets are not ascending: %d after %d", e, last)
		}
		out[i+1], last = e, e
	}
	return out, nil
}

func readMap(r *bufio.Reader, t *types.Type, rows int) (column.Column, error) {
	offsets, err := readOffsets(r, rows)
	if err != nil {
		return nil, err
	}
	n := int(offsets[rows])
	keys, err := readData(r, t.Elems()[0], kinds{}, n, false)
	if err != nil {
		return nil, err
	}
	values, err := readData(r, t.Elems()[1], kinds{}, n, false)
	if err != nil {
		return nil, err
	}
	return &column.Map{Offsets: offsets, Keys: keys, Values: values}, nil
}

func readTuple(r *bufio.Reader, t *types.Type, k kinds, rows int) (column.Column, error) {
	out := &column.Tuple{N: rows}
	if len(t.Elems()) == 0 {
		_, err := r.Discard(rows)
		return out, torn(err)
	}
	for i, e := range t.Elems() {
		c, err := readData(r, e, k.elem(i), rows, false)
		if err != nil {
			return nil, err
		}
		out.Elems = append(out.Elems, c)
	}
	return out, nil
}

func readFixedString(r *bufio.Reader, length, rows int) (column.Column, error) {
	if length > 0 && rows > (1<<32-1)/length {
		return nil, cherr.New(cherr.TooLargeStringSize, "A block holds more than 4 GiB of FixedString(%d)", length)
	}
	data, err := readBytes(r, nil, length*rows)
	if err != nil {
		return nil, err
	}
	c := &column.Str{Data: data, Start: make([]uint32, rows), Lns: make([]uint32, rows)}
	for i := range rows {
		c.Start[i], c.Lns[i] = uint32(i*length), uint32(length)
	}
	return c, nil
}

// readStr takes as many whole strings as are buffered at a time.
func readStr(r *bufio.Reader, rows int) (column.Column, error) {
	c := &column.Str{Start: make([]uint32, 0, min(rows, step)), Lns: make([]uint32, 0, min(rows, step))}
	for len(c.Start) < rows {
		if _, err := r.Peek(1); err != nil {
			return nil, torn(err)
		}
		window, _ := r.Peek(r.Buffered())
		used := takeStrings(c, window, rows)
		if _, err := r.Discard(used); err != nil {
			return nil, torn(err)
		}
		if used > 0 {
			continue
		}
		n, err := uvarint(r) // a string across the buffer's end
		if err != nil {
			return nil, err
		}
		if n > 1<<32-1-uint64(len(c.Data)) {
			return nil, cherr.New(cherr.TooLargeStringSize, "Too large string size: %d", n)
		}
		from := len(c.Data)
		if c.Data, err = readBytes(r, c.Data, int(n)); err != nil {
			return nil, err
		}
		c.Seal(from)
	}
	return c, nil
}

func takeStrings(c *column.Str, window []byte, rows int) (used int) {
	for len(c.Start) < rows {
		n, w := binary.Uvarint(window[used:])
		if w <= 0 || n > uint64(len(window)-used-w) || uint64(len(c.Data))+n > 1<<32-1 {
			return used
		}
		used += w
		c.Append(window[used : used+int(n)])
		used += int(n)
	}
	return used
}

// readStates reads states whose length follows from the function; others
// cannot be told apart without the function itself.
func readStates(r *bufio.Reader, t *types.Type, rows int) (column.Column, error) {
	c := &column.Str{}
	for range rows {
		from := len(c.Data)
		var err error
		if c.Data, err = readState(r, t, c.Data); err != nil {
			return nil, err
		}
		c.Seal(from)
	}
	return c, nil
}

func readState(r *bufio.Reader, t *types.Type, dst []byte) ([]byte, error) {
	width := 0
	if len(t.Elems()) == 1 {
		width = sumWidth(t.Elems()[0])
	}
	switch f := t.Aggregate().Function; {
	case f == "count":
		return copyUvarint(r, dst)
	case f == "sum" && width > 0:
		return readBytes(r, dst, width)
	case f == "avg" && width > 0:
		dst, err := readBytes(r, dst, width)
		if err != nil {
			return nil, err
		}
		return copyUvarint(r, dst)
	}
	return nil, cherr.New(cherr.NotImplemented, "States of type %s cannot be read", t)
}

// sumWidth gives the bytes of sum's accumulator.
func sumWidth(t *types.Type) int {
	switch {
	case t.IsDecimal() && t.Bytes() <= 16:
		return 16
	case t.IsNumber() && t.Bytes() <= 8:
		return 8
	case t.IsNumber():
		return t.Bytes()
	}
	return 0
}

func copyUvarint(r *bufio.Reader, dst []byte) ([]byte, error) {
	for range binary.MaxVarintLen64 {
		b, err := r.ReadByte()
		if err != nil {
			return nil, torn(err)
		}
		dst = append(dst, b)
		if b < 0x80 {
			return dst, nil
		}
	}
	return nil, cherr.New(cherr.IncorrectData, "A number of variable length does not end")
}
