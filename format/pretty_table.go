package format

import (
	"strconv"
	"strings"
)

// grid is the signs of a table's lines.
type grid struct{ bar, line, tl, tm, tr, ml, mm, mr, bl, bm, br string }

var (
	thinGrid  = grid{"│", "─", "┌", "┬", "┐", "├", "┼", "┤", "└", "┴", "┘"}
	thickGrid = grid{"┃", "━", "┏", "┳", "┓", "┡", "╇", "┩", "┗", "┻", "┛"}
	asciiGrid = grid{"|", "-", "+", "+", "+", "+", "+", "+", "+", "+", "+"}
	footGrid  = grid{"┃", "━", "┢", "╈", "┪", "┢", "╈", "┪", "┗", "┻", "┛"}
)

// drawing is one table while it is drawn.
type drawing struct {
	p      *prettyWriter
	names  []string
	widths []int
	start  int // the place where the first column's values begin
	right  []bool
	indent int // places that row numbers take
	thin   grid
	thick  grid
	foot   grid
}

// table draws rows; before row number cut stands a mark of rows left out.
func (p *prettyWriter) table(rows []prettyRow, cut int, footer bool) {
	d := &drawing{p: p, thin: thinGrid, thick: thickGrid, foot: footGrid}
	if p.o.PrettyASCII {
		d.thin, d.thick, d.foot = asciiGrid, asciiGrid, asciiGrid
	}
	d.measure(rows)
	if p.fallsBack(d, rows) {
		p.vertical(rows)
		return
	}
	d.head()
	for i, r := range rows {
		if i == cut {
			d.cutMark()
		}
		if i > 0 && p.style == prettyFull {
			d.rule(d.thin.ml, d.thin.mm, d.thin.mr, d.thin.line)
		}
		d.row(r)
	}
	d.end(footer)
}

func (d *drawing) measure(rows []prettyRow) {
	p := d.p
	if p.o.PrettyRowNumbers && len(rows) > 0 {
		d.indent = len(strconv.FormatUint(rows[len(rows)-1].n, 10)) + 2
	}
	d.start = d.indent + 2
	if p.style == prettySpace {
		d.start--
	}
	start := d.start
	for i, f := range p.h {
		width := 0
		for _, r := range rows {
			width = max(width, cellWidth(r.cells[i], start))
		}
		name := shortName(f.Name, width, int(p.o.Settings.Uint("output_format_pretty_max_column_name_width_cut_to")),
			int(p.o.Settings.Uint("output_format_pretty_max_column_name_width_min_chars_to_cut")), p.o.PrettyASCII)
		d.names = append(d.names, name)
		d.widths = append(d.widths, min(max(width, textWidth(name)), max(p.o.PrettyMaxColumnPad, textWidth(name))))
		d.right = append(d.right, alignsRight(f.Type))
		start += d.widths[i] + 3
	}
}

// shortName cuts a long name in its middle when the values are short.
func shortName(name string, width, cutTo, minCut int, ascii bool) string {
	n := textWidth(name)
	if cutTo == 0 || width > cutTo || n <= cutTo+minCut || n != len([]rune(name)) {
		return name
	}
	r := []rune(name)
	mark := "⋯"
	if ascii {
		mark = "~"
	}
	keep := cutTo - 1
	return string(r[:keep/2+1+keep%2]) + mark + string(r[n-keep/2:])
}

func cellWidth(s string, at int) int {
	width := 0
	for line := range strings.SplitSeq(s, "\n") {
		width = max(width, widthAt(strings.TrimSuffix(line, cutMark), at))
	}
	return width
}

func (d *drawing) margin() { d.p.buffer.text(strings.Repeat(" ", d.indent)) }

func (d *drawing) rule(left, mid, right, line string) {
	d.margin()
	for i, w := range d.widths {
		if i == 0 {
			d.p.buffer.text(left)
		} else {
			d.p.buffer.text(mid)
		}
		d.p.buffer.text(strings.Repeat(line, w+2))
	}
	d.p.buffer.text(right + "\n")
}

func (d *drawing) title(i int, pad string) {
	name := d.names[i]
	fill := strings.Repeat(pad, max(0, d.widths[i]-textWidth(name)))
	if d.p.color {
		name = bold + name + plain
	}
	if d.right[i] {
		d.p.buffer.text(fill + name)
	} else {
		d.p.buffer.text(name + fill)
	}
}

func (d *drawing) head() {
	switch d.p.style {
	case prettyFull:
		d.rule(d.thick.tl, d.thick.tm, d.thick.tr, d.thick.line)
		d.fullTitles(d.thick.bar)
		d.rule(d.thick.ml, d.thick.mm, d.thick.mr, d.thick.line)
	case prettyCompact:
		d.compactTitles(d.thin.tl, d.thin.tm, d.thin.tr)
	default:
		d.spaceTitles()
	}
}

func (d *drawing) fullTitles(bar string) {
	d.margin()
	for i := range d.names {
		d.p.buffer.text(bar + " ")
		d.title(i, " ")
		d.p.buffer.text(" ")
	}
	d.p.buffer.text(bar + "\n")
}

func (d *drawing) compactTitles(left, mid, right string) {
	d.margin()
	for i := range d.names {
		if i == 0 {
			d.p.buffer.text(left + d.thin.line)
		} else {
			d.p.buffer.text(mid + d.thin.line)
		}
		d.title(i, d.thin.line)
		d.p.buffer.text(d.thin.line)
	}
	d.p.buffer.text(right + "\n")
}

func (d *drawing) spaceTitles() {
	d.margin()
	for i := range d.names {
		if i > 0 {
			d.p.buffer.text("  ")
		}
		d.p.buffer.text(" ")
		d.title(i, " ")
	}
	d.p.buffer.text("\n\n")
}

func (d *drawing) cutMark() {
	if d.p.style == prettyFull {
		d.rule(d.thin.ml, d.thin.mm, d.thin.mr, d.thin.line)
	}
	width := 1
	for _, w := range d.widths {
		width += w + 3
	}
	d.margin()
	if d.p.style == prettySpace {
		width = max(1, width-3)
	}
	for i := 0; i < width; i += 2 {
		if i > 0 {
			d.p.buffer.text(" ")
		}
		d.p.buffer.text(d.thin.line)
	}
	if d.p.style == prettySpace {
		d.p.buffer.text(" ")
	}
	d.p.buffer.text("\n")
}

func (d *drawing) end(footer bool) {
	switch {
	case d.p.style == prettySpace && footer:
		d.p.buffer.text("\n")
		d.spaceTitles()
	case d.p.style == prettySpace:
	case footer && d.p.style == prettyFull:
		d.rule(d.foot.tl, d.foot.tm, d.foot.tr, d.foot.line)
		d.fullTitles(d.foot.bar)
		d.rule(d.foot.bl, d.foot.bm, d.foot.br, d.foot.line)
	case footer:
		d.compactTitles(d.thin.bl, d.thin.bm, d.thin.br)
	default:
		d.rule(d.thin.bl, d.thin.bm, d.thin.br, d.thin.line)
	}
}

// row draws a row's first line and, for values of several lines, the others.
func (d *drawing) row(r prettyRow) {
	lines := make([][]string, len(r.cells))
	most := 1
	for i, c := range r.cells {
		lines[i] = strings.Split(c, "\n")
		most = max(most, len(lines[i]))
	}
	for n := range most {
		d.rowNumber(r.n, n)
		for i := range lines {
			d.cell(i, lines[i], n)
		}
		if d.p.style != prettySpace {
			d.p.buffer.text(d.thin.bar)
		}
		if n == 0 {
			d.p.buffer.text(r.tip)
		}
		d.p.buffer.text("\n")
	}
}

func (d *drawing) rowNumber(n uint64, line int) {
	switch {
	case d.indent == 0:
		return
	case line > 0:
		d.margin()
		return
	}
	s := strconv.FormatUint(n, 10) + ". "
	fill := strings.Repeat(" ", d.indent-len(s))
	if d.p.color {
		s = grey + s + plain
	}
	d.p.buffer.text(fill + s)
}

func (d *drawing) cell(i int, lines []string, n int) {
	value, open, end := "", " ", " "
	if n < len(lines) {
		value = lines[n]
		if n > 0 {
			open = "↳"
		}
		if n+1 < len(lines) {
			end = "↴"
		}
	}
	if cut, ok := strings.CutSuffix(value, cutMark); ok {
		value, end = cut, "⋯"
		if d.p.o.PrettyASCII {
			end = "~"
		}
		if d.p.color {
			end = red + end + plain
		}
	}
	if d.p.style == prettySpace {
		if i > 0 {
			d.p.buffer.text(" ")
		}
	} else {
		d.p.buffer.text(d.thin.bar)
	}
	// Tabs are measured from the first column here, as ClickHouse does.
	fill := strings.Repeat(" ", max(0, d.widths[i]-widthAt(value, d.start)))
	if d.right[i] {
		d.p.buffer.text(open + fill + value + end)
	} else {
		d.p.buffer.text(open + value + fill + end)
	}
}

// fallsBack tells whether a wide table of few rows is better read downwards.
func (p *prettyWriter) fallsBack(d *drawing, rows []prettyRow) bool {
	s := p.o.Settings
	if !s.Bool("output_format_pretty_fallback_to_vertical") ||
		uint64(len(rows)) > s.Uint("output_format_pretty_fallback_to_vertical_max_rows_per_chunk") ||
		uint64(len(p.h)) < s.Uint("output_format_pretty_fallback_to_vertical_min_columns") {
		return false
	}
	width := 0
	for _, w := range d.widths {
		width += w
	}
	if uint64(width) > s.Uint("output_format_pretty_fallback_to_vertical_min_table_width") {
		return true
	}
	for _, r := range rows {
		for _, c := range r.cells {
			if strings.IndexByte(c, '\n') >= 0 {
				return true
			}
		}
	}
	return false
}

func (p *prettyWriter) vertical(rows []prettyRow) {
	width := 0
	for _, f := range p.h {
		width = max(width, textWidth(f.Name))
	}
	for i, r := range rows {
		if i > 0 {
			p.buffer.text("\n")
		}
		n := strconv.FormatUint(r.n, 10)
		p.buffer.text("Row " + n + ":\n" + strings.Repeat("─", 5+len(strconv.FormatUint(r.n+1, 10))) + "\n")
		for c, f := range p.h {
			r.cells[c] = strings.ReplaceAll(r.cells[c], cutMark, "⋯")
			p.buffer.text(f.Name + ":" + strings.Repeat(" ", width-textWidth(f.Name)+1) + r.cells[c] + "\n")
		}
	}
}
