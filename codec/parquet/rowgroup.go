package parquet

// RowGroup is one row group's part of the footer. It is immutable.
type RowGroup struct {
	r      *Reader
	meta   *groupMeta
	Number int
}

// Rows gives the rows.
func (g *RowGroup) Rows() int64 { return g.meta.rows }

// Bytes gives the uncompressed bytes, as the footer says.
func (g *RowGroup) Bytes() int64 { return g.meta.bytes }

// Chunk gives the chunk of a leaf.
func (g *RowGroup) Chunk(leaf int) Chunk {
	return Chunk{r: g.r, leaf: g.r.leaves[leaf], meta: &g.meta.chunks[leaf], group: g.Number}
}

// Chunk is one column chunk's part of the footer. It is immutable.
type Chunk struct {
	r     *Reader
	leaf  *SchemaNode
	meta  *chunkMeta
	group int
}

// Leaf gives the schema node.
func (c Chunk) Leaf() *SchemaNode { return c.leaf }

// Values gives the values, NULLs included; of lists the elements.
func (c Chunk) Values() int64 { return c.meta.values }

// Sizes gives the bytes in the file and those after decompression.
func (c Chunk) Sizes() (compressed, uncompressed int64) {
	return c.meta.compressed, c.meta.uncompressed
}

// Codec gives how the pages are compressed.
func (c Chunk) Codec() Codec { return c.meta.codec }

// Nulls gives the count of NULLs, if it is known.
func (c Chunk) Nulls() (n int64, ok bool) {
	s := &c.meta.stats
	return s.nulls, s.hasNulls && s.nulls >= 0 && s.nulls <= c.meta.values
}

// Distinct gives the count of distinct values, if it is known.
func (c Chunk) Distinct() (n int64, ok bool) {
	s := &c.meta.stats
	return s.distinct, s.hasDist && s.distinct >= 0
}

// HasDictionary tells whether the chunk has a dictionary page.
func (c Chunk) HasDictionary() bool {
	return c.meta.encodings&(1<<encPlainDictionary|1<<encRLEDictionary) != 0
}

// AllDictionary tells whether every value is coded by the dictionary, which
// then holds all values there are.
func (c Chunk) AllDictionary() bool {
	if !c.HasDictionary() || !c.meta.hasPageStats {
		return false
	}
	for _, p := range c.meta.pageStats {
		data := p.page == pageData || p.page == pageDataV2
		if data && p.count > 0 && p.encoding != encPlainDictionary && p.encoding != encRLEDictionary {
			return false
		}
	}
	return true
}
