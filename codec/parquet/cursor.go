package parquet

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
)

// Cursor walks one row group. Next moves a window of rows over it; Read gives
// a column's rows in the window, and of columns that are not read nothing is
// decompressed. A cursor is used by one goroutine at a time; the columns it
// gives out stay valid for ever. Close it to give its buffers back.
type Cursor struct {
	r    *Reader
	w    *workspace
	rows int // of the row group
	from int // the window
	n    int
	cols []cursorColumn
}

type cursorColumn struct {
	want   Want
	flat   *leafReader // a leaf outside of lists and structs
	tree   *part
	leaves []*leafReader // of tree
	row    int           // the next row to be read
}

// Scan begins to read columns of one row group.
func (r *Reader) Scan(group int, wants []Want) (*Cursor, error) {
	if group < 0 || group >= len(r.groups) {
		return nil, cherr.New(cherr.BadArguments, "Parquet file %s has no row group %d", r.path, group)
	}
	cur := &Cursor{r: r, w: r.opt.Scratch.take(), rows: int(r.groups[group].meta.rows)}
	for _, w := range wants {
		c, err := cur.open(group, w)
		cur.cols = append(cur.cols, c)
		if err != nil {
			cur.Close()
			return nil, err
		}
	}
	return cur, nil
}

func (c *Cursor) open(group int, w Want) (col cursorColumn, err error) {
	col.want = w
	switch {
	case w.Node == nil:
	case w.Node.IsLeaf() && w.Node.MaxRep == 0:
		col.flat, err = newLeafReader(c.r, c.w, group, w.Node, w.Type)
	default:
		p := planner{r: c.r, w: c.w, group: group}
		col.tree, err = p.build(w, false)
		col.leaves = p.leaves
	}
	return col, err
}

// Rows gives the rows of the row group.
func (c *Cursor) Rows() int { return c.rows }

// Next moves to the next window of at most n rows and gives its rows, 0 at
// the end.
func (c *Cursor) Next(n int) int {
	c.from += c.n
	c.n = min(n, c.rows-c.from)
	return c.n
}

// Row gives the number, within the row group, of the window's first row.
func (c *Cursor) Row() int { return c.from }

// Seek lets the next window begin at a row of the row group, which is not
// before the end of the current one: whoever knows from the page index where
// no row can match passes over it.
func (c *Cursor) Seek(row int) {
	if row < c.from+c.n || row > c.rows {
		cherr.Bug("Seek to row %d from %d", row, c.from+c.n)
	}
	c.from, c.n = row, 0
}

// Read gives a column's rows in the window: all for a nil sel, else those at
// the ascending positions in the window. Each column is read once a window at
// most. Leaves that are coded by a dictionary come as column.Dict with the
// same Values in every window (but the first with a NULL, if the file's
// statistics deny that there is one); columns that are not in the file as
// column.Const; all others full.
func (c *Cursor) Read(ctx context.Context, i int, sel []uint32) (column.Column, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	col := &c.cols[i]
	if col.row > c.from {
		cherr.Bug("column %d is read twice in a window", i)
	}
	n := c.n
	if sel != nil {
		n = len(sel)
	}
	if col.want.Node == nil {
		return column.NewConst(missing(col.want, 1), n), nil
	}
	skip := c.from - col.row
	col.row = c.from + c.n
	if col.flat != nil {
		if err := col.flat.skip(skip); err != nil {
			return nil, err
		}
		return col.flat.read(c.n, sel)
	}
	for _, l := range col.leaves {
		if skip > 0 {
			if err := l.readRows(skip, true); err != nil {
				return nil, err
			}
		}
		if err := l.readRows(c.n, false); err != nil {
			return nil, err
		}
		if col.row == c.rows && (l.left > 0 || l.c.seen < l.c.meta.values) {
			return nil, l.c.bad(l.c.bodyOff, cherr.New(cherr.IncorrectData, "the column has more than the row group's %d rows", c.rows))
		}
	}
	out, err := col.tree.assemble(0, 0, c.n)
	if err != nil || sel == nil {
		return out, err
	}
	return out.Gather(sel), nil
}

// Close gives the buffers back.
func (c *Cursor) Close() {
	if c.w == nil {
		return
	}
	for _, col := range c.cols {
		if col.flat != nil {
			col.flat.close()
		}
		for _, l := range col.leaves {
			l.close()
		}
	}
	c.r.opt.Scratch.give(c.w)
	c.w = nil
}
