package column

// Dict is codes into a column of values. Two Dicts have the same dictionary
// when their Values are the same pointer, so operators can keep work per
// dictionary. For nullable types Values is a Nullable with NULL among its
// entries. Entries need not be distinct nor all used.
type Dict struct {
	Codes  []uint32
	Values Column
}

// Len gives the rows.
func (c *Dict) Len() int { return len(c.Codes) }

// Slice shares memory.
func (c *Dict) Slice(from, to int) Column { return &Dict{c.Codes[from:to:to], c.Values} }

// Gather takes the codes at the positions and keeps the dictionary.
func (c *Dict) Gather(rows []uint32) Column {
	out := make([]uint32, len(rows))
	for i, r := range rows {
		out[i] = c.Codes[r]
	}
	return &Dict{out, c.Values}
}

// Size gives the bytes of the codes; the dictionary is shared by many blocks.
func (c *Dict) Size() int64 { return int64(len(c.Codes)) * 4 }

// Const is one row standing for N equal ones.
type Const struct {
	Value Column // one row, full
	N     int
}

// NewConst repeats row 0 of a column.
func NewConst(value Column, n int) *Const {
	switch v := value.(type) {
	case *Const:
		return &Const{v.Value, n}
	case *Dict:
		return &Const{Full(v.Slice(0, 1)), n}
	}
	if value.Len() > 1 {
		value = value.Slice(0, 1)
	}
	return &Const{value, n}
}

// Len gives the rows.
func (c *Const) Len() int { return c.N }

// Slice gives that many rows.
func (c *Const) Slice(from, to int) Column { return &Const{c.Value, to - from} }

// Gather gives that many rows.
func (c *Const) Gather(rows []uint32) Column { return &Const{c.Value, len(rows)} }

// Size gives the bytes of the one row.
func (c *Const) Size() int64 { return c.Value.Size() }

// Full gives the column with Const and Dict spelled out; other columns as they are.
func Full(c Column) Column {
	switch c := c.(type) {
	case *Const:
		if c.N == 1 {
			return c.Value
		}
		return c.Value.Gather(make([]uint32, c.N))
	case *Dict:
		return c.Values.Gather(c.Codes)
	}
	return c
}

// FullBlock gives the block with every column spelled out.
func FullBlock(b *Block) *Block {
	out := &Block{Columns: make([]Column, len(b.Columns)), Rows: b.Rows}
	for i, c := range b.Columns {
		out.Columns[i] = Full(c)
	}
	return out
}

// SplitNulls takes a full or Const-free column apart into its plain values and
// null map (nil when no row is NULL).
func SplitNulls(c Column) (values Column, null []uint8) {
	if n, ok := c.(*Nullable); ok {
		return n.Values, n.Null
	}
	return c, nil
}
