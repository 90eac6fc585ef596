package format

import (
	"io"
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
)

var _ = add(Format{
	Name: "Template", ContentType: plainText,
	NewWriter: newTemplateWriter, NewReader: newTemplateReader(false), Infer: inferTemplate(false), SubsetOfColumns: true,
})

// template is a text with places for values: ${name:rule}.
type template struct {
	before []string // the text before each place
	places []place
	after  string
}

type place struct {
	name string // "": passed over when read
	rule rule
}

// parseTemplate reads "a ${x:CSV} b"; $$ is a dollar sign.
func parseTemplate(src string, o *Options) (*template, error) {
	t := &template{}
	var piece strings.Builder
	for i := 0; i < len(src); i++ {
		if src[i] != '$' {
			piece.WriteByte(src[i])
			continue
		}
		switch {
		case strings.HasPrefix(src[i:], "$$"):
			piece.WriteByte('$')
			i++
		case strings.HasPrefix(src[i:], "${"):
			end := strings.IndexByte(src[i:], '}')
			if end < 0 {
				return nil, cherr.New(cherr.InvalidTemplateFormat, "Invalid format string: unmatched '{' in the template")
			}
			name, ruleName, _ := strings.Cut(src[i+2:i+end], ":")
			p := place{name: name}
			if ruleName == "" || ruleName == "None" {
				p.rule.name = "None"
			} else {
				var err error
				if p.rule, err = newRule(ruleName, o); err != nil {
					return nil, err
				}
			}
			t.before, t.places = append(t.before, piece.String()), append(t.places, p)
			piece.Reset()
			i += end
		default:
			return nil, cherr.New(cherr.InvalidTemplateFormat, "Invalid format string: a '$' must be followed by '{' or '$'")
		}
	}
	t.after = piece.String()
	return t, nil
}

// rowTemplate and resultTemplate are what the settings say; files of
// templates are not read.
func rowTemplate(o *Options) (*template, error) {
	if o.Settings.Get("format_template_row") != "" {
		return nil, cherr.New(cherr.NotImplemented, "format_template_row names a file; give the template in format_template_row_format")
	}
	src := o.Settings.Get("format_template_row_format")
	if src == "" {
		return nil, cherr.New(cherr.BadArguments, "The format Template requires a schema. The corresponding setting should be set")
	}
	return parseTemplate(src, o)
}

func resultTemplate(o *Options) (*template, error) {
	if o.Settings.Get("format_template_resultset") != "" {
		return nil, cherr.New(cherr.NotImplemented, "format_template_resultset names a file; give the template in format_template_resultset_format")
	}
	src := o.Settings.Get("format_template_resultset_format")
	if src == "" {
		src = "${data}"
	}
	return parseTemplate(src, o)
}

// templateWriter writes each row by one template and the whole by another.
type templateWriter struct {
	buffer
	h               column.Header
	o               *Options
	row, whole      *template
	columns         []int
	between         string
	data            []byte
	totals, min, ma []byte
	rows            uint64
}

func newTemplateWriter(w io.Writer, h column.Header, o *Options) (Writer, error) {
	t := &templateWriter{buffer: buffer{w: w}, h: h, o: o, between: o.Settings.Get("format_template_rows_between_delimiter")}
	var err error
	if t.row, err = rowTemplate(o); err != nil {
		return nil, err
	}
	if t.whole, err = resultTemplate(o); err != nil {
		return nil, err
	}
	for _, p := range t.row.places {
		i := h.Index(p.name)
		if i < 0 {
			return nil, cherr.New(cherr.NotFoundColumnInBlock, "Not found column %s in block", p.name)
		}
		t.columns = append(t.columns, i)
	}
	return t, nil
}

func (t *templateWriter) rowsOf(dst []byte, b *column.Block, from, to int, first bool) []byte {
	cs := make([]text.Cell, len(t.columns))
	for i, c := range t.columns {
		p := t.row.places[i].rule
		cs[i] = text.Print(t.h[c].Type, p.form, t.o.withNull(`\N`), b.Columns[c])
		if p.name == "XML" {
			plain := cs[i]
			cs[i] = func(dst []byte, row int) []byte { return appendXML(dst, plain(nil, row)) }
		}
	}
	for row := from; row < to; row++ {
		if !first {
			dst = append(dst, t.between...)
		}
		first = false
		for i, cell := range cs {
			dst = cell(append(dst, t.row.before[i]...), row)
		}
		dst = append(dst, t.row.after...)
	}
	return dst
}

func (t *templateWriter) Write(b *column.Block) error {
	t.data = t.rowsOf(t.data, b, 0, b.Rows, t.rows == 0)
	t.rows += uint64(b.Rows)
	return nil
}

func (t *templateWriter) Totals(b *column.Block) error {
	t.totals = t.rowsOf(nil, b, 0, 1, true)
	return nil
}

func (t *templateWriter) Extremes(b *column.Block) error {
	t.min, t.ma = t.rowsOf(nil, b, 0, 1, true), t.rowsOf(nil, b, 1, 2, true)
	return nil
}

func (t *templateWriter) Finish(s Statistics) error {
	for i, p := range t.whole.places {
		t.buffer.text(t.whole.before[i])
		var word string
		switch p.name {
		case "data":
			t.buf = append(t.buf, t.data...)
			continue
		case "totals":
			t.buf = append(t.buf, t.totals...)
			continue
		case "min":
			t.buf = append(t.buf, t.min...)
			continue
		case "max":
			t.buf = append(t.buf, t.ma...)
			continue
		case "rows":
			word = strconv.FormatUint(t.rows, 10)
		case "rows_before_limit":
			word = strconv.FormatUint(s.RowsBeforeLimit, 10)
		case "time":
			word = strconv.FormatFloat(s.Elapsed.Seconds(), 'g', -1, 64)
		case "rows_read":
			word = strconv.FormatUint(s.RowsRead, 10)
		case "bytes_read":
			word = strconv.FormatUint(s.BytesRead, 10)
		default:
			return cherr.New(cherr.InvalidTemplateFormat, "Invalid template format: unknown place ${%s} of the result set", p.name)
		}
		t.buffer.text(word)
	}
	t.buffer.text(t.whole.after)
	return t.send()
}
