package parquet

import (
	"bytes"

	"lakeserver/cherr"
	"lakeserver/column"
)

// levels are the levels of a nested leaf's current page and of the window
// that is being read.
type levels struct {
	maxDef, maxRep uint8

	def, rep []uint8 // of the page; rep is nil without lists
	at       int     // the next entry of the page

	winDef, winRep []uint8 // of the window
	dense          vec     // the window's values, NULLs and empty lists left out
}

func (lv *levels) load(p *page) error {
	lv.def, lv.at = grow(lv.def, p.n), 0
	if err := p.def.read(lv.def); err != nil {
		return err
	}
	if lv.maxRep == 0 {
		return nil
	}
	lv.rep = grow(lv.rep, p.n)
	return p.rep.read(lv.rep)
}

// cut moves on by up to n rows within the page and gives the entries passed
// and the rows that began among them. The last row may go on in the next page.
func (lv *levels) cut(n int) (from, to, rows int) {
	from = lv.at
	if lv.maxRep == 0 {
		rows = min(n, len(lv.def)-from)
		lv.at += rows
		return from, lv.at, rows
	}
	to = from
	for ; to < len(lv.rep); to++ {
		if lv.rep[to] == 0 {
			if rows == n {
				break
			}
			rows++
		}
	}
	lv.at = to
	return from, to, rows
}

// readRows reads the entries of the next n rows into the window, or passes
// over them.
func (l *leafReader) readRows(n int, skip bool) error {
	lv := l.levels
	lv.winDef, lv.winRep = lv.winDef[:0], lv.winRep[:0]
	lv.dense.reset()
	begun := false
	for {
		if l.left == 0 {
			more, err := l.nextNested(n, begun)
			if err != nil {
				return err
			}
			if !more {
				break
			}
		}
		if skip && l.wholePage(&n) {
			continue
		}
		if err := l.load(); err != nil {
			return err
		}
		from, to, rows := lv.cut(n)
		if !begun && to > from && lv.maxRep > 0 && lv.rep[from] != 0 {
			return l.c.bad(l.c.bodyOff, cherr.New(cherr.IncorrectData, "a list begins in the middle of a row"))
		}
		begun = true
		n -= rows
		l.left -= to - from
		if err := l.readEntries(from, to, skip); err != nil {
			return l.c.bad(l.c.bodyOff, err)
		}
		if l.left > 0 {
			break
		}
		if n == 0 && lv.maxRep == 0 {
			break
		}
	}
	return nil
}

// nextNested moves to the next page, if the window needs it: for more rows, or
// because the last row may go on there. v2 pages begin with a row.
func (l *leafReader) nextNested(n int, begun bool) (more bool, err error) {
	if n == 0 && (!begun || l.c.seen >= l.c.meta.values) {
		return false, nil
	}
	if err := l.advance(); err != nil {
		return false, err
	}
	return n > 0 || l.c.hdr.kind != pageDataV2, nil
}

// wholePage passes over a page that has not been loaded if all its rows are
// to be passed over, which only v2 headers tell.
func (l *leafReader) wholePage(n *int) bool {
	h := &l.c.hdr
	if l.loaded || h.kind != pageDataV2 || int(h.rows) > *n {
		return false
	}
	*n -= int(h.rows)
	l.left = 0
	return true
}

// readEntries reads the values of entries of the page.
func (l *leafReader) readEntries(from, to int, skip bool) error {
	lv := l.levels
	def := lv.def[from:to]
	dense := bytes.Count(def, []byte{lv.maxDef})
	if skip {
		return l.skipDense(dense)
	}
	lv.winDef = append(lv.winDef, def...)
	if lv.maxRep > 0 {
		lv.winRep = append(lv.winRep, lv.rep[from:to]...)
	}
	if l.dec != nil {
		seen, err := l.dec.read(&lv.dense, dense)
		l.escaped = l.escaped || seen
		return err
	}
	w := l.c.w
	w.codes = grow(w.codes, dense)
	if err := l.codes.codes(w.codes, l.dictN); err != nil {
		return err
	}
	_, err := lv.dense.gather(&l.words, w.codes, false)
	return err
}

// below marks the slots of a context in which the node of a definition level
// is not there.
func (lv *levels) below(rep, def, node uint8) []uint8 {
	var out []uint8
	for i, d := range lv.winDef {
		if d >= def && (lv.maxRep == 0 || lv.winRep[i] <= rep) {
			out = append(out, b2u(d < node))
		}
	}
	return out
}

// offsets gives the element offsets of lists, which stand in the context
// (rep, def) and whose repeated node is there from level elemDef on.
func (lv *levels) offsets(rep, def, elemDef uint8) []uint64 {
	out := make([]uint64, 1, 1024)
	n := uint64(0)
	for i, d := range lv.winDef {
		if d < def {
			continue
		}
		r := lv.winRep[i]
		if r <= rep {
			out = append(out, n)
		}
		if r <= rep+1 && d >= elemDef {
			n++
			out[len(out)-1] = n
		}
	}
	return out
}

// values gives a leaf's column in the context of its innermost list.
func (l *leafReader) values(def uint8) (column.Column, error) {
	lv := l.levels
	c, err := l.convert(&lv.dense)
	if err != nil {
		return nil, l.c.bad(l.c.bodyOff, err)
	}
	null := make([]uint8, 0, len(lv.winDef))
	for _, d := range lv.winDef {
		if d >= def {
			null = append(null, b2u(d != lv.maxDef))
		}
	}
	if countSet(null) == 0 {
		null = nil
	} else {
		c = spread(c, null, l.typ)
	}
	lv.dense.reset()
	if l.typ.IsNullable() {
		return column.NewNullable(c, null), nil
	}
	return c, nil
}
