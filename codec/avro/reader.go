package avro

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// Want is one output column, or one part of it: where its values stand in the
// file and which type they get.
type Want struct {
	Field int // index in the record around it, -1: the file lacks it; ignored for parts of Array and Map
	Type  *types.Type
	Value column.Value // of rows that do not have it (NULL if nil and the type allows)
	Parts []Want       // Tuple: one an element; Array: one; Map: key and value
	// Nulls wraps a list, map or record into a column.Nullable that tells which
	// rows are NULL and not merely empty, although its type has no such form.
	Nulls bool
}

// Reader gives a data file as columns, a run of rows at a time.
type Reader struct {
	f     *File
	plan  *recordNode
	wants []Want
	cur   *Cursor
	left  int64 // rows of the current block not yet read
	row   int64
}

// NewReader prepares to read columns; their Fields are indexes in f.Schema.
func (f *File) NewReader(wants []Want) (*Reader, error) {
	if f.Schema.Kind != Record {
		return nil, f.fail("its values are no records")
	}
	plan, err := newRecordNode(f.Schema, wants, 0)
	if err != nil {
		return nil, cherr.Wrap(err, "reading Avro file %s", f.path)
	}
	return &Reader{f: f, plan: plan, wants: wants}, nil
}

// maxBatchBytes ends a batch of long values early, so that offsets stay small.
const maxBatchBytes = 64 << 20

// Next gives up to maxRows rows, fewer at the end of a block, zero at the end
// of the file. first is the position of the first row in the file.
func (r *Reader) Next(ctx context.Context, maxRows int) (cols []column.Column, first int64, rows int, err error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, 0, err
	}
	for r.left == 0 {
		n, data, err := r.f.Next()
		if err != nil || n == 0 {
			return nil, r.row, 0, err
		}
		r.cur, r.left = NewCursor(data), n
	}
	first = r.row
	until := r.cur.Left() - maxBatchBytes
	for rows < maxRows && r.left > 0 && r.cur.Left() > until {
		r.plan.read(r.cur)
		if r.cur.err != nil {
			return nil, 0, 0, cherr.Wrap(r.cur.err, "reading row %d of Avro file %s", r.row, r.f.path)
		}
		rows++
		r.left--
		r.row++
	}
	if r.left == 0 && r.cur.Left() != 0 {
		return nil, 0, 0, r.f.fail("block has %d bytes more than its rows", r.cur.Left())
	}
	t := r.plan.finish(rows)
	return t.Elems, first, rows, nil
}

// node takes the values of one type into a column.
type node interface {
	read(c *Cursor)        // the value at the cursor
	null()                 // a value that is not there
	finish() column.Column // the column so far; the node starts again
}

// recordNode reads a record: fields not wanted are stepped over.
type recordNode struct {
	file  []node    // by field of the file, nil: skip
	types []*Schema // of those fields
	out   []node    // by wanted part
	lacks []node    // parts that the file lacks
	rows  int
	depth int
}

func newRecordNode(s *Schema, wants []Want, depth int) (*recordNode, error) {
	if depth > maxDepth {
		return nil, cherr.New(cherr.IncorrectData, "the schema is nested too deep")
	}
	n := &recordNode{file: make([]node, len(s.Fields)), types: make([]*Schema, len(s.Fields)), depth: depth}
	for i := range s.Fields {
		n.types[i] = s.Fields[i].Type
	}
	for i := range wants {
		at := wants[i].Field
		if at >= len(s.Fields) || at >= 0 && n.file[at] != nil {
			return nil, cherr.New(cherr.LogicalError, "field %d of an Avro record is asked for twice or not there", at)
		}
		var of *Schema
		if at >= 0 {
			of = s.Fields[at].Type
		}
		child, err := newNode(of, &wants[i], depth+1)
		if err != nil {
			return nil, err
		}
		n.out = append(n.out, child)
		if at >= 0 {
			n.file[at] = child
		} else {
			n.lacks = append(n.lacks, child)
		}
	}
	return n, nil
}

func (n *recordNode) read(c *Cursor) {
	for i, child := range n.file {
		if child == nil {
			c.skip(n.types[i], n.depth)
		} else {
			child.read(c)
		}
	}
	for _, child := range n.lacks {
		child.read(nil)
	}
	n.rows++
}

func (n *recordNode) null() {
	for _, child := range n.out {
		child.null()
	}
	n.rows++
}

func (n *recordNode) finish(rows int) *column.Tuple {
	t := &column.Tuple{N: rows}
	for _, child := range n.out {
		t.Elems = append(t.Elems, child.finish())
	}
	n.rows = 0
	return t
}

type tupleNode struct{ *recordNode }

func (n tupleNode) finish() column.Column { return n.recordNode.finish(n.rows) }

// unionNode picks the branch of each value.
type unionNode struct {
	branches []bool // true: null
	value    node
}

func (n *unionNode) read(c *Cursor) {
	i := c.Long()
	if i < 0 || i >= int64(len(n.branches)) {
		c.Fail("Avro union has no branch %d", i)
		return
	}
	if n.branches[i] {
		n.value.null()
	} else {
		n.value.read(c)
	}
}

// markedNode remembers which values are NULL.
type markedNode struct {
	inner node
	nulls []uint8
}

func (n *markedNode) read(c *Cursor) {
	n.inner.read(c)
	n.nulls = append(n.nulls, 0)
}

func (n *markedNode) null() {
	n.inner.null()
	n.nulls = append(n.nulls, 1)
}

func (n *markedNode) finish() column.Column {
	out := &column.Nullable{Values: n.inner.finish(), Null: n.nulls}
	n.nulls = nil
	return out
}

func (n *unionNode) null()                 { n.value.null() }
func (n *unionNode) finish() column.Column { return n.value.finish() }

// absentNode repeats a value for rows that do not have the column; where the
// struct around it is NULL there is nothing.
type absentNode struct {
	t     *types.Type
	value column.Value
	rows  int
	nulls []int // rows inside of a NULL
}

func (n *absentNode) read(*Cursor) { n.rows++ }

func (n *absentNode) null() {
	if n.value != nil {
		n.nulls = append(n.nulls, n.rows)
	}
	n.rows++
}

func (n *absentNode) finish() column.Column {
	rows, nulls := n.rows, n.nulls
	n.rows, n.nulls = 0, nil
	if len(nulls) == 0 {
		return column.Full(column.FromValue(n.t, n.value, rows))
	}
	b := column.NewBuilder(n.t, rows)
	for i := range rows {
		if len(nulls) > 0 && nulls[0] == i {
			b.AppendDefault()
			nulls = nulls[1:]
		} else {
			b.AppendValue(n.value)
		}
	}
	return b.Finish()
}

func newNode(s *Schema, w *Want, depth int) (node, error) {
	if depth > maxDepth {
		return nil, cherr.New(cherr.IncorrectData, "the schema is nested too deep")
	}
	if s == nil || s.Kind == Null {
		return &absentNode{t: w.Type, value: w.Value}, nil
	}
	if s.Kind != Union {
		return newValueNode(s, w, depth)
	}
	plain := s.Plain()
	if plain == nil {
		return nil, cherr.New(cherr.NotImplemented, "a union of several types cannot be read as %s", w.Type)
	}
	v, err := newValueNode(plain, w, depth)
	if err != nil {
		return nil, err
	}
	if w.Nulls {
		v = &markedNode{inner: v}
	}
	u := &unionNode{value: v}
	for _, b := range s.Branches {
		u.branches = append(u.branches, b.Kind == Null)
	}
	return u, nil
}

func newValueNode(s *Schema, w *Want, depth int) (node, error) {
	switch w.Type.Kind() {
	case types.KindTuple:
		if s.Kind != Record {
			return nil, mismatch(s, w.Type)
		}
		r, err := newRecordNode(s, w.Parts, depth)
		return tupleNode{r}, err
	case types.KindArray:
		if s.Kind != Array {
			return nil, mismatch(s, w.Type)
		}
		elem, err := newNode(s.Elem, &w.Parts[0], depth+1)
		return &arrayNode{elem: elem, offsets: []uint64{0}}, err
	case types.KindMap:
		return newMapNode(s, w, depth)
	}
	return newLeaf(s, w.Type)
}

func mismatch(s *Schema, t *types.Type) error {
	for name, k := range kindNames {
		if k == s.Kind && name != "error" {
			return cherr.New(cherr.TypeMismatch, "Avro type %s cannot be read as %s", name, t)
		}
	}
	return cherr.New(cherr.TypeMismatch, "an Avro union cannot be read as %s", t)
}

type arrayNode struct {
	offsets []uint64
	elem    node
	n       uint64
}

func (n *arrayNode) read(c *Cursor) {
	for c.err == nil {
		items := c.Items()
		if items == 0 {
			break
		}
		for i := 0; i < items && c.err == nil; i++ {
			n.elem.read(c)
		}
		n.n += uint64(items)
	}
	n.null()
}

func (n *arrayNode) null() { n.offsets = append(n.offsets, n.n) }

func (n *arrayNode) finish() column.Column {
	out := &column.Array{Offsets: n.offsets, Elems: n.elem.finish()}
	n.offsets, n.n = []uint64{0}, 0
	return out
}

// mapNode reads both spellings of a map: Avro's own, whose keys are strings,
// and the array of key and value records.
type mapNode struct {
	offsets    []uint64
	key, value node
	entries    bool
	n          uint64
}

func newMapNode(s *Schema, w *Want, depth int) (node, error) {
	n := &mapNode{offsets: []uint64{0}}
	key, value := newSchema(String), s.Elem
	switch {
	case s.IsEntryArray():
		n.entries = true
		key, value = s.Elem.Fields[0].Type, s.Elem.Fields[1].Type
	case s.Kind != Map:
		return nil, mismatch(s, w.Type)
	}
	var err error
	if n.key, err = newNode(key, &w.Parts[0], depth+1); err != nil {
		return nil, err
	}
	n.value, err = newNode(value, &w.Parts[1], depth+1)
	return n, err
}

func (n *mapNode) read(c *Cursor) {
	for c.err == nil {
		items := c.Items()
		if items == 0 {
			break
		}
		for i := 0; i < items && c.err == nil; i++ {
			n.key.read(c)
			n.value.read(c)
		}
		n.n += uint64(items)
	}
	n.null()
}

func (n *mapNode) null() { n.offsets = append(n.offsets, n.n) }

func (n *mapNode) finish() column.Column {
	out := &column.Map{Offsets: n.offsets, Keys: n.key.finish(), Values: n.value.finish()}
	n.offsets, n.n = []uint64{0}, 0
	return out
}
