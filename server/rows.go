package server

import (
	"context"
	"io"
	"time"

	"lakeserver/column"
	"lakeserver/engine"
	"lakeserver/format"
	"lakeserver/settings"
	"lakeserver/types"
)

// FormatOptions reads what a session's settings say about formats.
func FormatOptions(s *settings.Settings, server *time.Location) (*format.Options, error) {
	zone := server
	if name := s.Get("session_timezone"); name != "" {
		if loc, err := time.LoadLocation(name); err == nil {
			zone = loc
		}
	}
	return format.NewOptions(s, zone)
}

// OpenRows reads an INSERT's rows from a document.
func OpenRows(ctx context.Context, s Session, q *Query, name string, data io.Reader, i Insert) (column.Header, column.Stream, error) {
	o, err := FormatOptions(i.Settings, s.Zone())
	if err != nil {
		return nil, nil, err
	}
	o.Eval = Evaluator(ctx, s, q)
	r, err := format.OpenReader(name, data, i.Header, o)
	if err != nil {
		return nil, nil, err
	}
	h, stream := withOmitted(r, i)
	return h, stream, nil
}

// withOmitted shows the engine which values a document left out, by a column
// behind the others for each column that has a DEFAULT.
func withOmitted(r format.Reader, i Insert) (column.Header, column.Stream) {
	h := append(column.Header(nil), i.Header...)
	s := &omitted{Reader: r}
	for n, d := range i.Defaults {
		if d.Expr != "" && d.Kind == "DEFAULT" {
			h = append(h, column.Field{Name: engine.OmittedPrefix + i.Header[n].Name, Type: types.UInt8})
			s.columns = append(s.columns, n)
		}
	}
	if len(s.columns) == 0 {
		return i.Header, r
	}
	return h, s
}

type omitted struct {
	format.Reader
	columns []int
}

// Next gives the next block with its masks.
func (o *omitted) Next(ctx context.Context) (*column.Block, error) {
	b, err := o.Reader.Next(ctx)
	if err != nil || b == nil {
		return b, err
	}
	out := &column.Block{Rows: b.Rows, Columns: append([]column.Column(nil), b.Columns...)}
	missing := o.Missing()
	for _, n := range o.columns {
		if missing != nil && missing[n] != nil {
			out.Columns = append(out.Columns, column.NewFixed(missing[n]))
			continue
		}
		out.Columns = append(out.Columns, column.NewConst(column.NewFixed([]uint8{0}), b.Rows))
	}
	return out, nil
}
