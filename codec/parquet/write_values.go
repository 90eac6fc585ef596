package parquet

import (
	"encoding/binary"
	"slices"

	"github.com/cespare/xxhash/v2"

	"lakeserver/column"
)

// leafValues are a leaf's values of one block in the file's form: one of the
// lists is set.
type leafValues struct {
	len    int
	narrow []uint32
	wide   []uint64
	bools  []uint8
	text   *column.Str
	fixed  []byte // of the leaf's fixed length each

	codes  []uint32      // into all of the above
	source column.Column // whose dictionary the codes are of
}

// values brings the values at hand into the file's form. Of a dictionary only
// the entries are brought there.
func (c *chunk) values() leafValues {
	l := c.leaf
	if d, ok := l.values.(*column.Dict); ok {
		v := l.form(d.Values)
		v.len, v.codes, v.source = len(d.Codes), d.Codes, d.Values
		return v
	}
	return l.form(l.values)
}

// step gives how many entries make no more than a page.
func (c *chunk) step(v *leafValues) int {
	each := max(1, c.leaf.width())
	switch {
	case c.leaf.fixed > 0:
		each = c.leaf.fixed
	case v.text != nil && v.text.Len() > 0:
		all := 0
		for _, n := range v.text.Lns {
			all += int(n)
		}
		each = 5 + all/v.text.Len()
	}
	return min(max(c.most/each, 1), dictionarySample/2)
}

// add adds values from a to b to the page.
func (v *leafValues) add(c *chunk, a, b int) {
	switch {
	case a == b:
	case v.codes != nil && c.coding:
		v.translate(c, v.codes[a:b])
	case v.codes != nil:
		for _, code := range v.codes[a:b] {
			v.one(c, int(code))
		}
	case v.bools != nil:
		for _, x := range v.bools[a:b] {
			x = min(x, 1)
			c.bools = append(c.bools, x)
			c.bounds.number(orderBool, uint64(x))
		}
	case v.narrow != nil && c.coding:
		encode(c, v.narrow[a:b])
	case v.wide != nil && c.coding:
		encode(c, v.wide[a:b])
	case v.narrow != nil:
		v.plainNarrow(c, v.narrow[a:b])
	case v.wide != nil:
		v.plainWide(c, v.wide[a:b])
	case c.coding:
		last, code := []byte(nil), uint32(0)
		for i := a; i < b; i++ {
			x := v.at(c, i)
			if i == a || string(x) != string(last) {
				last, code = x, c.dict.bytes(x)
			}
			c.code(code)
		}
	default:
		for i := a; i < b; i++ {
			c.bytes(v.at(c, i))
		}
	}
}

func (v *leafValues) at(c *chunk, i int) []byte {
	if v.text != nil {
		return v.text.At(i)
	}
	return v.fixed[i*c.leaf.fixed : (i+1)*c.leaf.fixed]
}

// one adds a value as it is.
func (v *leafValues) one(c *chunk, i int) {
	switch {
	case v.narrow != nil:
		c.number(uint64(v.narrow[i]))
	case v.wide != nil:
		c.number(v.wide[i])
	default:
		c.bytes(v.at(c, i))
	}
}

// encode adds numbers as codes; equal neighbours are looked up once.
func encode[T uint32 | uint64](c *chunk, v []T) {
	last, code := v[0], c.dict.number(uint64(v[0]))
	c.see(code)
	codes := slices.Grow(c.codes, len(v))
	for _, x := range v {
		if x != last {
			last, code = x, c.dict.number(uint64(x))
			c.see(code)
		}
		codes = append(codes, code)
	}
	c.codes = codes
}

// translate brings the codes of a column to ours. What one dictionary's codes
// became is kept as long as its blocks follow each other.
func (v *leafValues) translate(c *chunk, codes []uint32) {
	if c.mapped != v.source {
		n := v.source.Len()
		c.remap = slices.Grow(c.remap[:0], n)[:n]
		clear(c.remap)
		c.mapped = v.source
	}
	out := slices.Grow(c.codes, len(codes))
	for _, x := range codes {
		code := c.remap[x]
		if code == 0 {
			code = v.code(c, int(x)) + 1
			c.remap[x] = code
		}
		out = append(out, code-1)
		if at := code - 1; int(at) >= len(c.mark) || c.mark[at] != int32(len(c.pages)+1) {
			c.see(at)
		}
	}
	c.codes = out
}

func (v *leafValues) code(c *chunk, i int) uint32 {
	switch {
	case v.narrow != nil:
		return c.dict.number(uint64(v.narrow[i]))
	case v.wide != nil:
		return c.dict.number(v.wide[i])
	}
	return c.dict.bytes(v.at(c, i))
}

func (v *leafValues) plainNarrow(c *chunk, part []uint32) {
	out := slices.Grow(c.plain, 4*len(part))
	for _, x := range part {
		out = binary.LittleEndian.AppendUint32(out, x)
	}
	if c.leaf.bloom {
		for at := len(c.plain); at < len(out); at += 4 {
			c.hashes = append(c.hashes, xxhash.Sum64(out[at:at+4]))
		}
	}
	c.plain = out
	c.bounds.numbers32(c.leaf.order, part)
}

func (v *leafValues) plainWide(c *chunk, part []uint64) {
	out := slices.Grow(c.plain, 8*len(part))
	for _, x := range part {
		out = binary.LittleEndian.AppendUint64(out, x)
	}
	if c.leaf.bloom {
		for at := len(c.plain); at < len(out); at += 8 {
			c.hashes = append(c.hashes, xxhash.Sum64(out[at:at+8]))
		}
	}
	c.plain = out
	c.bounds.numbers64(c.leaf.order, part)
}
