package iceberg

import (
	"math"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata/iceberg"
	"lakeserver/types"
)

// partitioner tells which partition each row of a block belongs to. The codes
// of values, pairs and tuples are numbers that count up as new ones are met,
// over all blocks.
type partitioner struct {
	fields []*partitionKey
	pairs  []pairCodes // of each field but the first with those before it
}

// partitionKey is one field of the spec with the values met so far.
type partitionKey struct {
	transform iceberg.Transform
	source    *iceberg.Type
	path      []int // column, then elements of tuples; nil: always NULL
	values    []column.Value
	codes     any // map[T]uint32
	null      int // code of NULL, -1: not met
}

type pairCodes struct {
	codes map[uint64]uint32
	parts [][2]uint32
}

// newPartitioner finds the columns of a spec's fields in a schema.
func newPartitioner(schema *iceberg.Schema, spec *iceberg.PartitionSpec) (*partitioner, error) {
	p := &partitioner{}
	for _, f := range spec.Fields {
		k := &partitionKey{transform: f.Transform, null: -1}
		if f.Transform.Kind != iceberg.Void {
			k.path, k.source = columnPath(schema.Fields, f.SourceID)
			if k.source == nil || f.Transform.ResultType(k.source) == nil {
				return nil, cherr.New(cherr.NotImplemented, "Partition field `%s` with transform %s cannot be written", f.Name, f.Transform.Name)
			}
		}
		if len(p.fields) > 0 {
			p.pairs = append(p.pairs, pairCodes{codes: map[uint64]uint32{}})
		}
		p.fields = append(p.fields, k)
	}
	return p, nil
}

// columnPath gives the way to a field through structs, and its type.
func columnPath(fields []iceberg.Field, id int) ([]int, *iceberg.Type) {
	for i := range fields {
		if fields[i].ID == id {
			return []int{i}, fields[i].Type
		}
		if path, t := columnPath(fields[i].Type.Fields, id); t != nil {
			return append([]int{i}, path...), t
		}
	}
	return nil, nil
}

// atPath gives the values at a path, with the NULLs of all around them.
func atPath(columns []column.Column, path []int) (values column.Column, null []uint8) {
	values, null = column.SplitNulls(column.Full(columns[path[0]]))
	for _, at := range path[1:] {
		inner, more := column.SplitNulls(values.(*column.Tuple).Elems[at])
		values, null = inner, column.OrNulls(null, more)
	}
	return values, null
}

// split gives the code of each row's tuple; nil when there are no fields.
func (p *partitioner) split(b *column.Block) ([]uint32, error) {
	var rows []uint32
	for i, k := range p.fields {
		codes, err := k.encode(b)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			rows = codes
			continue
		}
		p.pairs[i-1].join(rows, codes)
	}
	return rows, nil
}

// join makes one code of two a row, in place of the first.
func (c *pairCodes) join(a, b []uint32) {
	last, code, first := uint64(0), uint32(0), true
	for r := range a {
		key := uint64(a[r])<<32 | uint64(b[r])
		if first || key != last {
			known, ok := c.codes[key]
			if !ok {
				known = uint32(len(c.parts))
				c.codes[key] = known
				c.parts = append(c.parts, [2]uint32{a[r], b[r]})
			}
			last, code, first = key, known, false
		}
		a[r] = code
	}
}

// tuple gives the partition values behind a code.
func (p *partitioner) tuple(code uint32) []column.Value {
	out := make([]column.Value, len(p.fields))
	for i := len(p.fields) - 1; i >= 0; i-- {
		own := code
		if i > 0 {
			pair := p.pairs[i-1].parts[code]
			code, own = pair[0], pair[1]
		}
		out[i] = p.fields[i].values[own]
	}
	return out
}

func (k *partitionKey) encode(b *column.Block) ([]uint32, error) { // long: one case a form
	out := make([]uint32, b.Rows)
	if k.path == nil {
		if k.values == nil {
			k.values = []column.Value{nil}
		}
		return out, nil
	}
	values, null := atPath(b.Columns, k.path)
	c, err := k.transform.ApplyColumn(k.source, values)
	if err != nil {
		return nil, err
	}
	switch c := c.(type) {
	case *column.Fixed[uint8]:
		encodeValues(k, c.Values, null, out)
	case *column.Fixed[int32]:
		encodeValues(k, c.Values, null, out)
	case *column.Fixed[int64]:
		encodeValues(k, c.Values, null, out)
	case *column.Fixed[float32]:
		encodeFloats(k, c.Values, null, out, func(v float32) uint64 { return uint64(math.Float32bits(v)) })
	case *column.Fixed[float64]:
		encodeFloats(k, c.Values, null, out, math.Float64bits)
	case *column.Fixed[types.I128]:
		encodeValues(k, c.Values, null, out)
	case *column.Fixed[types.U128]:
		encodeValues(k, c.Values, null, out)
	case *column.Fixed[types.I256]:
		encodeValues(k, c.Values, null, out)
	case *column.Str:
		k.encodeText(c, null, out)
	default:
		cherr.Bug("no partition values of a %T", c)
	}
	return out, nil
}

func (k *partitionKey) nullCode() uint32 {
	if k.null < 0 {
		k.null = len(k.values)
		k.values = append(k.values, nil)
	}
	return uint32(k.null)
}

func encodeValues[T column.Element](k *partitionKey, v []T, null []uint8, out []uint32) {
	codes, _ := k.codes.(map[T]uint32)
	if codes == nil {
		codes = map[T]uint32{}
		k.codes = codes
	}
	var last T
	code, first := uint32(0), true
	for r, x := range v {
		if null != nil && null[r] != 0 {
			out[r] = k.nullCode()
			continue
		}
		if first || x != last {
			known, ok := codes[x]
			if !ok {
				known = uint32(len(k.values))
				codes[x] = known
				k.values = append(k.values, x)
			}
			last, code, first = x, known, false
		}
		out[r] = code
	}
}

// encodeFloats tells floats apart by their bits, all NaN alike (spec, §1.7:
// -0 and +0 are two partitions).
func encodeFloats[T float32 | float64](k *partitionKey, v []T, null []uint8, out []uint32, bits func(T) uint64) {
	codes, _ := k.codes.(map[uint64]uint32)
	if codes == nil {
		codes = map[uint64]uint32{}
		k.codes = codes
	}
	for r, x := range v {
		if null != nil && null[r] != 0 {
			out[r] = k.nullCode()
			continue
		}
		if x != x {
			x = T(math.NaN())
		}
		known, ok := codes[bits(x)]
		if !ok {
			known = uint32(len(k.values))
			codes[bits(x)] = known
			k.values = append(k.values, x)
		}
		out[r] = known
	}
}

func (k *partitionKey) encodeText(c *column.Str, null []uint8, out []uint32) {
	codes, _ := k.codes.(map[string]uint32)
	if codes == nil {
		codes = map[string]uint32{}
		k.codes = codes
	}
	for r := range out {
		if null != nil && null[r] != 0 {
			out[r] = k.nullCode()
			continue
		}
		known, ok := codes[string(c.At(r))]
		if !ok {
			known = uint32(len(k.values))
			text := string(c.At(r))
			codes[text] = known
			k.values = append(k.values, text)
		}
		out[r] = known
	}
}
