package server

import (
	"context"
	"io"
	"time"

	"lakeserver/column"
	"lakeserver/format"
	"lakeserver/settings"
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
	return i.Header, r, nil
}
