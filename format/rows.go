package format

import (
	"bufio"
	"context"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/types"
)

// rowParser is what a text format knows of its rows.
type rowParser interface {
	// open reads what stands before the rows.
	open(r *rows) error
	// next gives the bytes of the next row, nil at the end.
	next(r *rows) ([]byte, error)
	// row puts one value or default into each cell.
	row(r *rows, src []byte) error
}

// rows reads a text format row by row into cells, one a column.
type rows struct {
	in      *window
	h       column.Header
	o       *Options
	form    text.Form
	text    *text.Options
	cells   []text.Reader
	plain   []bool // the column has no NULL of its own
	n       int    // rows in the cells
	total   uint64 // rows of the document so far
	bad     uint64
	bytes   int
	missing [][]uint8
	parser  rowParser
	opened  bool
	col     int  // column that is read, for messages
	skip    bool // the parser put no row into the cells
}

func newRows(r *bufio.Reader, h column.Header, o *Options, f text.Form, t *text.Options, p rowParser) *rows {
	out := &rows{in: &window{r: r}, h: h, o: o, form: f, text: t, parser: p}
	for _, field := range h {
		out.cells = append(out.cells, text.NewReader(field.Type, f, t))
		out.plain = append(out.plain, !field.Type.IsNullable())
	}
	return out
}

// Next gives the next block.
func (r *rows) Next(ctx context.Context) (*column.Block, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !r.opened {
		r.opened = true
		if err := r.in.skipBOM(); err != nil {
			return nil, err
		}
		if err := r.parser.open(r); err != nil {
			return nil, err
		}
	}
	r.n, r.bytes, r.missing = 0, 0, nil
	for r.n < r.o.MaxBlockRows && r.bytes < 64<<20 {
		src, err := r.parser.next(r)
		if err != nil {
			return nil, err
		}
		if src == nil {
			break
		}
		r.total++
		r.bytes += len(src)
		if err := r.parser.row(r, src); err != nil {
			if err := r.forgive(err); err != nil {
				return nil, err
			}
			continue
		}
		if r.skip {
			r.skip = false
			continue
		}
		r.n++
	}
	return r.block(), nil
}

func (r *rows) block() *column.Block {
	if r.n == 0 {
		return nil
	}
	b := &column.Block{Rows: r.n, Columns: make([]column.Column, len(r.cells))}
	for i, c := range r.cells {
		b.Columns[i] = c.Finish()
	}
	for i, m := range r.missing {
		if m != nil {
			r.missing[i] = append(m, make([]uint8, r.n-len(m))...)
		}
	}
	return b
}

// forgive drops the values of a broken row when so many errors are allowed.
func (r *rows) forgive(err error) error {
	r.bad++
	for i, c := range r.cells {
		c.Truncate(r.n)
		if r.missing != nil && len(r.missing[i]) > r.n {
			r.missing[i] = r.missing[i][:r.n]
		}
	}
	if r.bad <= r.o.AllowErrors || r.o.AllowErrorsRatio > 0 && float64(r.bad) <= r.o.AllowErrorsRatio*float64(r.total) {
		return nil
	}
	msg := strings.TrimRight(err.Error(), ".")
	if r.col >= 0 && r.col < len(r.h) {
		return cherr.New(cherr.CodeOf(err), "%s: (at row %d, column %d, name: %s, type: %s)", msg, r.total, r.col+1, r.h[r.col].Name, r.h[r.col].Type)
	}
	return cherr.New(cherr.CodeOf(err), "%s: (at row %d)", msg, r.total)
}

// Missing gives the values that the document left out.
func (r *rows) Missing() [][]uint8 { return r.missing }

// Close has nothing to free.
func (r *rows) Close() error { return nil }

// value reads column i at the front of src and gives the bytes used. NULL for
// a column that has none is the column's default, as input_format_null_as_default says.
func (r *rows) value(i int, src []byte) (int, error) {
	r.col = i
	if r.plain[i] && r.o.NullAsDefault {
		if n, ok := isNull(src, r.form, r.text); ok {
			r.omit(i)
			return n, nil
		}
	}
	n, err := r.cells[i].Read(src)
	if err != nil && r.form != text.Plain && cherr.Is(err, cherr.CannotParseText) {
		// within a document ClickHouse speaks of the mark that it expected
		err = cherr.New(cherr.CannotParseInputAssertionFailed, "Cannot parse input: %s", err)
	}
	return n, err
}

// omit gives column i its default and marks it as left out.
func (r *rows) omit(i int) {
	r.cells[i].AppendDefault()
	if !r.o.DefaultsForOmitted {
		return
	}
	if r.missing == nil {
		r.missing = make([][]uint8, len(r.h))
	}
	m := r.missing[i]
	r.missing[i] = append(append(m, make([]uint8, r.n-len(m))...), 1)
}

// isNull tells whether NULL stands at the front of src as a whole value.
func isNull(src []byte, f text.Form, o *text.Options) (int, bool) {
	word := o.Null
	switch f {
	case text.JSON:
		word = "null"
	case text.Quoted:
		word = "NULL"
	default:
		if word == "" {
			word = `\N`
		}
	}
	skip := 0
	if f == text.JSON || f == text.Quoted {
		for skip < len(src) && (src[skip] == ' ' || src[skip] == '\t' || src[skip] == '\n' || src[skip] == '\r') {
			skip++
		}
	}
	n := skip + len(word)
	if len(src) < n {
		return 0, false
	}
	if got := string(src[skip:n]); got != word && (f != text.Quoted || !strings.EqualFold(got, word)) {
		return 0, false
	}
	if len(src) == n {
		return n, true
	}
	switch c := src[n]; f {
	case text.Plain:
		return 0, false
	case text.Escaped:
		return n, c == '\t' || c == '\n' || c == '\r'
	case text.CSV:
		d := o.Delimiter
		if d == 0 {
			d = ','
		}
		return n, c == d || c == '\n' || c == '\r'
	default:
		return n, strings.IndexByte(",)]} \t\r\n", c) >= 0
	}
}

// fileColumns gives, for the names in a document's head, the header's columns;
// -1 for one that is passed over.
func (r *rows) fileColumns(names []string, format string) ([]int, error) {
	out := make([]int, len(names))
	seen := map[string]bool{}
	for i, n := range names {
		out[i] = r.h.Index(n)
		if out[i] < 0 && !r.o.SkipUnknownFields {
			return nil, cherr.New(cherr.IncorrectData, "Unknown field found in %s header: '%s' at position %d. Set the 'input_format_skip_unknown_fields' parameter explicitly to ignore and proceed", format, n, i)
		}
		if seen[n] {
			return nil, cherr.New(cherr.IncorrectData, "Duplicate field found while parsing %s header: %s", format, n)
		}
		seen[n] = true
	}
	return out, nil
}

// checkTypes compares the types in a document's head with the header's.
func (r *rows) checkTypes(columns []int, names []string) error {
	for i, c := range columns {
		if c < 0 || i >= len(names) {
			continue
		}
		t, err := types.Parse(names[i])
		if err != nil {
			return err
		}
		if !t.Equal(r.h[c].Type) {
			return cherr.New(cherr.IncorrectData, "Type of '%s' must be %s, not %s", r.h[c].Name, r.h[c].Type, names[i])
		}
	}
	return nil
}

// absent gives the columns of the header that a document's head does not name.
func (r *rows) absent(columns []int) []int {
	have := make([]bool, len(r.h))
	for _, c := range columns {
		if c >= 0 {
			have[c] = true
		}
	}
	var out []int
	for i, ok := range have {
		if !ok {
			out = append(out, i)
		}
	}
	return out
}

// inOrder gives the header's columns as they stand.
func (r *rows) inOrder() []int {
	out := make([]int, len(r.h))
	for i := range out {
		out[i] = i
	}
	return out
}
