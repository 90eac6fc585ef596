package parquet

import (
	"lakeserver/column"
	"lakeserver/types"
)

// window collects the rows of a flat leaf while its pages pass by. Rows of
// dictionary-coded pages stay codes; where a window also has others, both
// become columns that are joined at the end.
type window struct {
	rows  int
	codes []uint32 // rows as codes
	dense vec      // or values without NULLs
	null  []uint8  // with a byte a row, nil as long as no row is NULL
	parts []column.Column
}

// skip passes over n rows. A page whose rows are all passed over is never
// decompressed.
func (l *leafReader) skip(n int) error {
	for n > 0 {
		if err := l.advance(); err != nil {
			return err
		}
		m := min(n, l.left)
		l.owed += m
		l.left -= m
		n -= m
	}
	return nil
}

// read gives the next n rows, or those of them at the ascending positions sel.
func (l *leafReader) read(n int, sel []uint32) (column.Column, error) {
	win := window{dense: vec{width: l.tmp.width}}
	for pos := 0; pos < n; {
		if err := l.advance(); err != nil {
			return nil, err
		}
		m := min(n-pos, l.left)
		var part []uint32
		if sel != nil {
			k := lowerBound(sel, uint32(pos+m))
			part, sel = sel[:k], sel[k:]
			if len(part) == 0 {
				l.owed += m
				l.left -= m
				pos += m
				continue
			}
		}
		if err := l.load(); err != nil {
			return nil, err
		}
		if err := l.readPart(&win, m, part, uint32(pos)); err != nil {
			return nil, l.c.bad(l.c.bodyOff, err)
		}
		l.left -= m
		pos += m
	}
	return l.finish(&win)
}

// lowerBound counts the leading entries below limit.
func lowerBound(sel []uint32, limit uint32) int {
	lo, hi := 0, len(sel)
	if hi > 0 && sel[hi-1] < limit {
		return hi
	}
	for lo < hi {
		if mid := (lo + hi) / 2; sel[mid] < limit {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// readPart reads m rows of the current page; sel are wanted positions, base
// the position of the first row.
func (l *leafReader) readPart(win *window, m int, sel []uint32, base uint32) error {
	var null []uint8
	dense := m
	if !l.full {
		var err error
		if null, err = l.nulls(m); err != nil {
			return err
		}
		if k := countSet(null); k > 0 {
			dense -= k
		} else {
			null = nil
		}
	}
	if (l.dec == nil) != (win.codes != nil) && win.rows > 0 {
		if err := l.flush(win); err != nil {
			return err
		}
	}
	if l.dec == nil {
		return l.readCodes(win, m, dense, null, sel, base)
	}
	return l.readDense(win, m, dense, null, sel, base)
}

func (l *leafReader) readCodes(win *window, m, dense int, null []uint8, sel []uint32, base uint32) error {
	w := l.c.w
	if null != nil {
		l.expectNulls()
	}
	if null == nil && sel == nil {
		at := len(win.codes)
		win.codes = growTo(win.codes, at+m)
		win.rows += m
		return l.codes.codes(win.codes[at:], l.dictN)
	}
	w.codes = grow(w.codes, dense)
	if err := l.codes.codes(w.codes, l.dictN); err != nil {
		return err
	}
	codes := w.codes
	if null != nil {
		w.rows = grow(w.rows, m)
		spreadCodes(w.rows, codes, null, l.dictN)
		codes = w.rows
	}
	at := len(win.codes)
	if sel == nil {
		win.codes = append(growTo(win.codes, at+m)[:at], codes...)
		win.rows += m
		return nil
	}
	win.codes = growTo(win.codes, at+len(sel))
	for i, r := range sel {
		win.codes[at+i] = codes[r-base]
	}
	win.rows += len(sel)
	return nil
}

// spreadCodes puts codes at the rows that are not NULL, without branches.
func spreadCodes(dst, src []uint32, null []uint8, nullCode uint32) {
	if len(src) == 0 {
		fill(dst, nullCode)
		return
	}
	j, last := 0, len(src)-1
	dst = dst[:len(null)]
	for i, isNull := range null {
		keep := uint32(isNull) - 1 // all ones, or none for NULL
		dst[i] = src[min(j, last)]&keep | nullCode&^keep
		j += int(isNull ^ 1)
	}
}

func (l *leafReader) readDense(win *window, m, dense int, null []uint8, sel []uint32, base uint32) error {
	if sel == nil {
		win.addNulls(null, m)
		seen, err := l.dec.read(&win.dense, dense)
		l.escaped = l.escaped || seen
		return err
	}
	l.tmp.reuse()
	seen, err := l.dec.read(&l.tmp, dense)
	if err != nil {
		return err
	}
	rows := l.c.w.rows[:0]
	if null == nil {
		for _, r := range sel {
			rows = append(rows, r-base)
		}
		win.addNulls(nil, len(sel))
	} else {
		rows = win.selectDense(rows, null, sel, base)
	}
	l.c.w.rows = rows
	kept, err := win.dense.gather(&l.tmp, rows, seen)
	l.escaped = l.escaped || seen && kept
	l.tmp.reuse()
	return err
}

// addNulls notes n rows with their null map, nil for none.
func (win *window) addNulls(null []uint8, n int) {
	if null != nil || win.null != nil {
		if win.null == nil {
			win.null = make([]uint8, win.rows, win.rows+n)
		}
		if null == nil {
			win.null = append(win.null, make([]uint8, n)...)
		} else {
			win.null = append(win.null, null...)
		}
	}
	win.rows += n
}

// selectDense gives where the selected rows stand among the dense values, and
// notes which of them are NULL.
func (win *window) selectDense(rows []uint32, null []uint8, sel []uint32, base uint32) []uint32 {
	if win.null == nil {
		win.null = make([]uint8, win.rows, win.rows+len(sel))
	}
	at, dense := uint32(0), uint32(0)
	for _, r := range sel {
		r -= base
		dense += r - at - uint32(countSet(null[at:r]))
		at = r
		win.null = append(win.null, null[r])
		if null[r] == 0 {
			rows = append(rows, dense)
		}
	}
	win.rows += len(sel)
	return rows
}

// flush makes a column of what the window holds so far.
func (l *leafReader) flush(win *window) error {
	c, err := l.column(win)
	if err != nil {
		return err
	}
	win.parts = append(win.parts, c)
	win.rows, win.codes, win.null = 0, nil, nil
	win.dense.reset()
	return nil
}

func (l *leafReader) column(win *window) (column.Column, error) {
	if win.codes != nil {
		return &column.Dict{Codes: win.codes, Values: l.dict.Values}, nil
	}
	c, err := l.convert(&win.dense)
	if err != nil {
		return nil, l.c.bad(l.c.bodyOff, err)
	}
	if win.null != nil {
		c = spread(c, win.null, l.typ)
	}
	if l.typ.IsNullable() {
		c = column.NewNullable(c, win.null)
	}
	return c, nil
}

func (l *leafReader) finish(win *window) (column.Column, error) {
	if len(win.parts) == 0 {
		return l.column(win)
	}
	if win.rows > 0 {
		if err := l.flush(win); err != nil {
			return nil, err
		}
	}
	for i, p := range win.parts {
		win.parts[i] = column.Full(p)
	}
	return column.Concat(plainType(l.typ), win.parts), nil
}

// plainType is a type without LowCardinality, whose columns may be dictionaries.
func plainType(t *types.Type) *types.Type { return types.WithoutLowCardinality(t) }
