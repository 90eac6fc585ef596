package httpapi

import (
	"bytes"
	"context"
	"io"
	"mime/multipart"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/format"
	"lakeserver/server"
	"lakeserver/settings"
)

func newReader(b []byte) io.Reader { return bytes.NewReader(b) }

// externalTables reads the tables of a multipart body: a file a table, whose
// structure and format stand in the URL (x_structure or x_types, x_format).
func (c *call) externalTables(ctx context.Context, q *server.Query, set *settings.Settings) error {
	parts, err := c.r.MultipartReader()
	if err != nil {
		return cherr.New(cherr.BadArguments, "Cannot read the multipart body: %s", err)
	}
	for {
		p, err := parts.NextPart()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return cherr.New(cherr.CannotReadAllData, "Cannot read the multipart body: %s", err)
		}
		if err := c.part(ctx, p, q, set); err != nil {
			return err
		}
	}
}

func (c *call) part(ctx context.Context, p *multipart.Part, q *server.Query, set *settings.Settings) error {
	name := p.FormName()
	if p.FileName() == "" && (name == "query" || !c.req.external[name]) {
		b, err := io.ReadAll(io.LimitReader(p, 1<<20))
		if err != nil {
			return cherr.New(cherr.CannotReadAllData, "Cannot read the multipart body: %s", err)
		}
		if name == "query" {
			c.req.text = string(b)
			return nil
		}
		return c.req.take(name, string(b), true)
	}
	structure := c.req.values.Get(name + "_structure")
	if structure == "" {
		structure = c.req.values.Get(name + "_types")
	}
	if structure == "" {
		return cherr.New(cherr.BadArguments, "Neither structure nor types have not been provided for external table %s. Use fields %s_structure or %s_types to do so.", name, name, name)
	}
	h, err := format.ParseStructure(structure)
	if err != nil {
		return err
	}
	o, err := server.FormatOptions(set, c.h.cfg.Engine.Zone())
	if err != nil {
		return err
	}
	fname := first(c.req.values.Get(name+"_format"), "TabSeparated")
	rows, err := format.OpenReader(fname, p, h, o)
	if err != nil {
		return err
	}
	blocks, err := column.ReadAll(ctx, rows)
	if err != nil {
		return cherr.Wrap(err, "reading external table %s", name)
	}
	q.External = append(q.External, server.External{Name: name, Header: h, Blocks: blocks})
	return nil
}
