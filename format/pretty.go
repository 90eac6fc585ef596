package format

import (
	"io"
	"strconv"
	"strings"

	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/types"
)

// prettyStyle is how the family's members differ.
type prettyStyle uint8

const (
	prettyFull prettyStyle = iota
	prettyCompact
	prettySpace
)

var (
	_ = add(pretty("Pretty", prettyFull))
	_ = add(pretty("PrettyNoEscapes", prettyFull))
	_ = add(pretty("PrettyMonoBlock", prettyFull))
	_ = add(pretty("PrettyNoEscapesMonoBlock", prettyFull))
	_ = add(pretty("PrettyCompact", prettyCompact))
	_ = add(pretty("PrettyCompactNoEscapes", prettyCompact))
	_ = add(pretty("PrettyCompactMonoBlock", prettyCompact))
	_ = add(pretty("PrettyCompactNoEscapesMonoBlock", prettyCompact))
	_ = add(pretty("PrettySpace", prettySpace))
	_ = add(pretty("PrettySpaceNoEscapes", prettySpace))
	_ = add(pretty("PrettySpaceMonoBlock", prettySpace))
	_ = add(pretty("PrettySpaceNoEscapesMonoBlock", prettySpace))
)

func pretty(name string, style prettyStyle) Format {
	escapes := !strings.Contains(name, "NoEscapes")
	return Format{
		Name: name, ContentType: plainText,
		NewWriter: func(w io.Writer, h column.Header, o *Options) (Writer, error) {
			p := &prettyWriter{buffer: buffer{w: w}, h: h, o: o, style: style, color: escapes && o.PrettyColor, text: o.withNull(prettyNull)}
			p.max = max(1, o.PrettyMaxRows)
			p.apart = !strings.Contains(name, "MonoBlock") && o.Settings.Uint("output_format_pretty_squash_consecutive_ms") == 0
			return p, nil
		},
	}
}

// prettyWriter draws a table. Widths depend on all rows, so it keeps those
// that it will show: the first half and the last half of output_format_pretty_max_rows.
type prettyWriter struct {
	buffer
	h     column.Header
	o     *Options
	style prettyStyle
	color bool
	text  *text.Options
	max   uint64
	rows  uint64
	head  []prettyRow
	tail  []prettyRow // a ring once it is full
	specs []prettySpecial
	apart bool // each block is a table of its own
}

type prettyRow struct {
	n     uint64
	cells []string
	tip   string
}

type prettySpecial struct {
	title string
	rows  []prettyRow
}

func (p *prettyWriter) Write(b *column.Block) error {
	if p.apart && p.rows+uint64(b.Rows) <= p.max {
		var rows []prettyRow
		for row := range p.take(b) {
			rows = append(rows, row)
		}
		p.table(rows, -1, p.o.PrettyFooterMin > 0 && uint64(len(rows)) >= p.o.PrettyFooterMin)
		return p.sendFull()
	}
	keepTail := p.max / 2
	keepHead := p.max - keepTail
	for row := range p.take(b) {
		if uint64(len(p.head)) < keepHead {
			p.head = append(p.head, row)
			continue
		}
		if p.tail = append(p.tail, row); uint64(len(p.tail)) > 2*keepTail+64 {
			p.tail = append(p.tail[:0], p.tail[uint64(len(p.tail))-keepTail:]...)
		}
	}
	return nil
}

// take turns the rows of a block that may be shown into text.
func (p *prettyWriter) take(b *column.Block) func(yield func(prettyRow) bool) {
	return func(yield func(prettyRow) bool) {
		cs := make([]text.Cell, len(p.h))
		for i := range p.h {
			cs[i] = prettyCell(p.h[i].Type, p.o, p.text, b.Columns[i])
		}
		tips := p.tips(b)
		first := 0
		if uint64(b.Rows) > 2*p.max && p.rows >= p.max {
			first = b.Rows - int(p.max) // only the end can still be shown
		}
		p.rows += uint64(first)
		for row := first; row < b.Rows; row++ {
			p.rows++
			r := prettyRow{n: p.rows}
			for i, cell := range cs {
				r.cells = append(r.cells, p.shorten(string(cell(nil, row)), len(cs), i))
			}
			if tips != nil {
				r.tip = tips(row)
			}
			if !yield(r) {
				return
			}
		}
	}
}

// tips are shown for the last column.
func (p *prettyWriter) tips(b *column.Block) tip {
	if len(p.h) == 0 {
		return nil
	}
	last := len(p.h) - 1
	return numberTip(p.h[last].Type, b.Columns[last], p.o.PrettyTip)
}

func (p *prettyWriter) shorten(s string, columns, _ int) string {
	limit := p.o.PrettyMaxValueWidth
	if limit < 0 || len(s) <= limit || columns == 1 && !p.o.Settings.Bool("output_format_pretty_max_value_width_apply_for_single_value") {
		return s
	}
	if cut := cutWidth(s, limit); len(cut) < len(s) {
		return cut + cutMark
	}
	return s
}

// cutMark ends a value that was cut; it is drawn in the place of the space
// behind the value.
const cutMark = "\xff⋯\xff"

func (p *prettyWriter) special(title string, b *column.Block) error {
	rows := p.rows
	p.rows = 0
	s := prettySpecial{title: title}
	for row := range p.take(b) {
		s.rows = append(s.rows, row)
	}
	p.rows = rows
	p.specs = append(p.specs, s)
	return nil
}

func (p *prettyWriter) Totals(b *column.Block) error   { return p.special("Totals:", b) }
func (p *prettyWriter) Extremes(b *column.Block) error { return p.special("Extremes:", b) }

func (p *prettyWriter) Finish(Statistics) error {
	rows, cut := p.head, -1
	if keep := int(p.max / 2); len(p.tail) > 0 {
		if len(p.tail) > keep {
			p.tail = p.tail[len(p.tail)-keep:]
		}
		if p.rows > p.max {
			cut = len(rows)
		}
		rows = append(rows, p.tail...)
	}
	if len(rows) > 0 {
		p.table(rows, cut, p.o.PrettyFooterMin > 0 && p.rows >= p.o.PrettyFooterMin && cut < 0)
		if cut >= 0 {
			if p.style == prettySpace {
				p.buffer.text("\n")
			}
			p.buffer.text("Showed " + strconv.FormatUint(p.max, 10) + " out of " + strconv.FormatUint(p.rows, 10) + " rows.\n")
		}
	}
	for _, s := range p.specs {
		p.buffer.text("\n" + s.title + "\n")
		p.table(s.rows, -1, false)
	}
	return p.send()
}

// prettyCell writes named tuples as JSON over several lines, all else plainly.
func prettyCell(t *types.Type, o *Options, words *text.Options, c column.Column) text.Cell {
	if !o.Settings.Bool("output_format_pretty_named_tuples_as_json") || !strings.Contains(t.String(), "Tuple(") {
		return text.Print(t, text.Plain, words, c)
	}
	switch c := column.Full(c).(type) {
	case *column.Tuple:
		if t.Names() != nil {
			cell := prettyTuple(t, o, c, "\x00", 0)
			return func(dst []byte, row int) []byte { return indentPretty(dst, cell(nil, row)) }
		}
		elems := make([]text.Cell, len(c.Elems))
		for i, e := range t.Elems() {
			elems[i] = prettyElement(e, o, c.Elems[i])
		}
		return func(dst []byte, row int) []byte {
			dst = append(dst, '(')
			for i, e := range elems {
				if i > 0 {
					dst = append(dst, ',')
				}
				dst = e(dst, row)
			}
			return append(dst, ')')
		}
	case *column.Array:
		elem := prettyElement(t.Elem(), o, c.Elems)
		return func(dst []byte, row int) []byte {
			from, to := c.Bounds(row)
			dst = append(dst, '[')
			for i := from; i < to; i++ {
				if i > from {
					dst = append(dst, ',')
				}
				dst = elem(dst, i)
			}
			return append(dst, ']')
		}
	case *column.Map:
		key, value := prettyElement(t.Elems()[0], o, c.Keys), prettyElement(t.Elems()[1], o, c.Values)
		return func(dst []byte, row int) []byte {
			from, to := c.Bounds(row)
			dst = append(dst, '{')
			for i := from; i < to; i++ {
				if i > from {
					dst = append(dst, ',')
				}
				dst = value(append(key(dst, i), ':'), i)
			}
			return append(dst, '}')
		}
	}
	return text.Print(t, text.Plain, words, c)
}

func prettyElement(t *types.Type, o *Options, c column.Column) text.Cell {
	if nested(t) {
		return prettyCell(t, o, &o.Text, c)
	}
	return text.Print(t, text.Quoted, &o.Text, c)
}

// indentPretty turns marks of depth into spaces: one more than the depth.
func indentPretty(dst, v []byte) []byte {
	for i, c := range v {
		if c != 0 {
			dst = append(dst, c)
			continue
		}
		if v[i-1] == '\n' {
			dst = append(dst, ' ')
		}
		dst = append(dst, ' ')
	}
	return dst
}
