package parquet

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/types"
)

// PageStats is what the page index says of one data page. Rows are counted
// within the row group.
type PageStats struct {
	FirstRow, Rows int64
	AllNull        bool
	Nulls          int64 // -1: unknown
	Bounds         Bounds
	HasBounds      bool
}

// PageStats reads the page index of a chunk, with bounds as values of type t.
// It gives nil when the file has none.
func (c Chunk) PageStats(ctx context.Context, t *types.Type) ([]PageStats, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m := c.meta
	if m.oiOffset <= 0 || m.oiLength <= 0 || m.ciOffset <= 0 || m.ciLength <= 0 || m.encrypted || !m.present {
		return nil, nil
	}
	raw, err := c.section(m.oiOffset, int64(m.oiLength))
	if err != nil {
		return nil, err
	}
	pages, ok := parseOffsetIndex(raw, c.r.groups[c.group].meta.rows)
	if !ok {
		return nil, c.r.bad(m.oiOffset, "the offset index of column `%s` is damaged", c.leaf.Name)
	}
	if raw, err = c.section(m.ciOffset, int64(m.ciLength)); err != nil {
		return nil, err
	}
	ix, ok := parseColumnIndex(raw)
	if !ok || len(ix.null) != len(pages) || len(ix.min) != len(pages) || len(ix.max) != len(pages) ||
		ix.nulls != nil && len(ix.nulls) != len(pages) {
		return nil, c.r.bad(m.ciOffset, "the column index of column `%s` is damaged", c.leaf.Name)
	}
	usable := c.ordered() || signedOrder(c.leaf)
	for i := range pages {
		p := &pages[i]
		p.AllNull, p.Nulls = ix.null[i], -1
		if ix.nulls != nil {
			p.Nulls = ix.nulls[i]
		}
		if usable && !p.AllNull {
			p.Bounds, p.HasBounds = boundsOf(c.leaf, t, ix.min[i], ix.max[i])
		}
	}
	return pages, nil
}

// section reads a part of the file that the footer points to.
func (c Chunk) section(off, n int64) ([]byte, error) {
	if off < 4 || n > c.r.size-off {
		return nil, c.r.bad(off, "an index of %d bytes lies outside of the file", n)
	}
	buf := make([]byte, n)
	return buf, cherr.Wrap(c.r.readAt(buf, off), "reading an index of column `%s`", c.leaf.Name)
}

func parseOffsetIndex(raw []byte, rows int64) (pages []PageStats, ok bool) {
	r := &thriftReader{buf: raw}
	for id, t, more := r.field(0); more; id, t, more = r.field(id) {
		if id != 1 || t != thriftList {
			r.skip(t)
			continue
		}
		n, _ := r.list()
		pages = make([]PageStats, 0, n)
		for i := 0; i < n && r.state == thriftOK; i++ {
			first, last := parsePageLocation(r), int64(-1)
			if i > 0 {
				last = pages[i-1].FirstRow
				pages[i-1].Rows = first - last
			}
			if first <= last || i == 0 && first != 0 || first >= rows {
				return nil, false
			}
			pages = append(pages, PageStats{FirstRow: first})
		}
	}
	if r.state != thriftOK || len(pages) == 0 {
		return nil, false
	}
	end := &pages[len(pages)-1]
	end.Rows = rows - end.FirstRow
	return pages, true
}

func parsePageLocation(r *thriftReader) (firstRow int64) {
	for id, t, ok := r.field(0); ok; id, t, ok = r.field(id) {
		if id == 3 && t == thriftI64 {
			firstRow = r.int()
		} else {
			r.skip(t)
		}
	}
	return firstRow
}

type columnIndex struct {
	null     []bool
	min, max [][]byte
	nulls    []int64
}

func parseColumnIndex(raw []byte) (ix columnIndex, ok bool) {
	r := &thriftReader{buf: raw}
	for id, t, more := r.field(0); more; id, t, more = r.field(id) {
		if t != thriftList || id > 5 || id == 4 {
			r.skip(t)
			continue
		}
		n, elem := r.list()
		for i := 0; i < n && r.state == thriftOK; i++ {
			switch {
			case id == 1 && (elem == thriftTrue || elem == thriftFalse):
				ix.null = append(ix.null, r.byte() == thriftTrue)
			case id == 2 && elem == thriftBinary:
				ix.min = append(ix.min, r.binary())
			case id == 3 && elem == thriftBinary:
				ix.max = append(ix.max, r.binary())
			case id == 5 && elem == thriftI64:
				ix.nulls = append(ix.nulls, r.int())
			default:
				r.fail(thriftBad)
			}
		}
	}
	return ix, r.state == thriftOK
}
