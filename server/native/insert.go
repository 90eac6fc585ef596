package native

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/format"
	"lakeserver/server"
	"lakeserver/server/native/wire"
)

// insert asks the client for the rows of an INSERT, or takes those that stood
// in the text.
func (x *exchange) insert(ctx context.Context, i server.Insert) (column.Header, column.Stream, error) {
	if len(bytes.Trim(i.Inline, " \t\r\n;")) > 0 {
		q := &server.Query{Interface: "TCP"}
		name := i.Format
		if name == "" {
			name = "Values"
		}
		return server.OpenRows(ctx, x.c.session, q, name, bytes.NewReader(i.Inline), i)
	}
	if i.Infile != "" {
		return nil, nil, cherr.New(cherr.NotImplemented, "INSERT FROM INFILE is a matter of the client: it reads the file and sends the rows")
	}
	if x.c.rev >= wire.RevTableColumns {
		text := describe(i)
		x.c.send(func(b *wire.Buffer) { wire.AppendTableColumns(b, text) })
	}
	if err := x.data(wire.ServerData, i.Header, nil); err != nil {
		return nil, nil, err
	}
	x.rowsAsked = true
	o, err := server.FormatOptions(i.Settings, x.c.cfg.Engine.Zone())
	if err != nil {
		return nil, nil, err
	}
	s := &clientRows{x: x, o: o}
	h, b, err := s.take(ctx)
	if err != nil {
		return nil, nil, err
	}
	if h == nil {
		h = i.Header
	}
	s.h, s.first = h, b
	return h, s, nil
}

// describe is the text of TableColumns. Comments are left out: the oldest
// clients do not read them.
func describe(i server.Insert) string {
	var s strings.Builder
	fmt.Fprintf(&s, "columns format version: 1\n%d columns:\n", len(i.Header))
	for n, f := range i.Header {
		fmt.Fprintf(&s, "`%s` %s", strings.NewReplacer("`", "\\`", "\\", "\\\\", "\n", "\\n").Replace(f.Name), f.Type)
		if n < len(i.Defaults) && i.Defaults[n].Expr != "" {
			escape := strings.NewReplacer("\\", "\\\\", "\t", "\\t", "\n", "\\n")
			fmt.Fprintf(&s, "\t%s\t%s", i.Defaults[n].Kind, escape.Replace(i.Defaults[n].Expr))
		}
		s.WriteByte('\n')
	}
	return s.String()
}

// clientRows is the blocks that a client sends.
type clientRows struct {
	x     *exchange
	o     *format.Options
	h     column.Header
	first *column.Block
}

// take waits for the next block with rows; a nil header is the end.
func (s *clientRows) take(ctx context.Context) (column.Header, *column.Block, error) {
	x := s.x
	for !x.rowsEnded {
		select {
		case <-ctx.Done():
			return nil, nil, context.Cause(ctx)
		case p, ok := <-x.in:
			switch {
			case !ok:
				x.rowsEnded = true
				return nil, nil, cherr.New(cherr.NetworkError, "The client has left during an INSERT")
			case p.err != nil:
				x.rowsEnded = true
				return nil, nil, p.err
			case p.code != wire.ClientData:
				return nil, nil, cherr.New(cherr.UnexpectedPacketFromClient, "Unexpected packet %d from client", p.code)
			case len(p.header) == 0:
				x.rowsEnded = true
				return nil, nil, nil
			}
			x.profileEvents(true)
			if p.block.Rows > 0 {
				return p.header, p.block, nil
			}
		}
	}
	return nil, nil, nil
}

// Next gives the client's next block.
func (s *clientRows) Next(ctx context.Context) (*column.Block, error) {
	if b := s.first; b != nil {
		s.first = nil
		return b, nil
	}
	h, b, err := s.take(ctx)
	if err != nil || b == nil {
		return nil, err
	}
	return format.Fit(h, b, s.h, s.o)
}

// Close has nothing to free: what the client still sends is passed over.
func (s *clientRows) Close() error { return nil }

// drainRows passes over the rows that a client still sends for an INSERT that
// has failed. A connection that fails meanwhile ends with it.
func (x *exchange) drainRows(ctx context.Context) error {
	for x.rowsAsked && !x.rowsEnded {
		p, ok := <-x.in
		switch {
		case !ok:
			return nil
		case p.err != nil:
			return p.err
		case p.code != wire.ClientData:
			err := cherr.New(cherr.UnexpectedPacketFromClient, "Unexpected packet %d from client", p.code)
			x.c.exception(err)
			return err
		case len(p.header) == 0:
			x.rowsEnded = true
		}
	}
	return nil
}
