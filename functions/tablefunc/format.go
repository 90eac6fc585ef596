package tablefunc

import (
	"bufio"
	"context"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/format"
	"lakeserver/functions"
	"lakeserver/table"
)

var _ = add(functions.TableFunction{
	Name: "format",
	Doc: functions.Doc{
		Syntax: "format(name[, 'structure'], 'data')", Summary: "The rows of a document written in the query.",
		Examples: []string{`SELECT * FROM format(JSONEachRow, 'a UInt8', '{"a": 1}')`},
	},
	Open: openFormat,
})

func openFormat(ctx context.Context, env *functions.Env, req *functions.OpenRequest) (table.Table, error) {
	if len(req.Args) != 2 && len(req.Args) != 3 {
		return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Table function 'format' requires 2 or 3 arguments: format, structure (optional) and data")
	}
	words := make([]string, len(req.Args))
	for i, a := range req.Args {
		text, ok := a.Value.(string)
		if i == 0 && a.Ident != "" {
			text, ok = a.Ident, true
		}
		if !ok {
			return nil, cherr.New(cherr.BadArguments, "Argument %d of table function 'format' must be a constant string", i+1)
		}
		words[i] = text
	}
	f, err := format.Lookup(words[0])
	if err != nil {
		return nil, err
	}
	if f.NewReader == nil {
		return nil, cherr.New(cherr.FormatIsNotSuitableForInput, "Format %s is not suitable for input", f.Name)
	}
	o, err := format.NewOptions(env.Settings, env.Zone)
	if err != nil {
		return nil, err
	}
	d := &document{format: f, options: o, data: words[len(words)-1]}
	switch {
	case len(words) == 3:
		d.header, err = format.ParseStructure(words[1])
	case f.Infer == nil:
		err = cherr.New(cherr.CannotExtractTableStructure, "The structure of format %s cannot be inferred; it must be given", f.Name)
	default:
		d.header, err = f.Infer(ctx, bufio.NewReader(strings.NewReader(d.data)), o)
	}
	return d, err
}

// document is a table of one document's rows.
type document struct {
	format  *format.Format
	options *format.Options
	header  column.Header
	data    string
}

// Columns gives the structure.
func (d *document) Columns() []table.Column {
	out := make([]table.Column, len(d.header))
	for i, f := range d.header {
		out[i] = table.Column{Name: f.Name, Type: f.Type}
	}
	return out
}

// Scan reads the document anew.
func (d *document) Scan(_ context.Context, req *table.ScanRequest) ([]column.Stream, error) {
	r, err := d.format.NewReader(bufio.NewReader(strings.NewReader(d.data)), d.header, d.options)
	if err != nil {
		return nil, err
	}
	if req.Report == nil {
		req.Report = &table.Report{}
	}
	return []column.Stream{&chosen{r, req.Columns, req.Report}}, nil
}

// chosen hands out some of a stream's columns.
type chosen struct {
	column.Stream
	columns []int
	report  *table.Report
}

// Next gives the next block with the columns asked for.
func (c *chosen) Next(ctx context.Context) (*column.Block, error) {
	b, err := c.Stream.Next(ctx)
	if b == nil || err != nil {
		return nil, err
	}
	c.report.RowsRead.Add(int64(b.Rows))
	c.report.BytesRead.Add(b.Size())
	out := &column.Block{Rows: b.Rows}
	for _, i := range c.columns {
		out.Columns = append(out.Columns, b.Columns[i])
	}
	return out, nil
}
