package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine"
	"lakeserver/format"
	"lakeserver/server"
)

// Run executes one query in this process: the user's own, so that any path
// that the user can read may be read.
func (c *QueryCmd) Run(ctx context.Context, stdout io.Writer) error {
	sql := c.SQL
	if sql == "-" {
		text, err := io.ReadAll(os.Stdin)
		if err != nil {
			return err
		}
		sql = string(text)
	}
	dir, err := filepath.Abs(c.UserFilesDir)
	if err != nil {
		return err
	}
	cfg := defaultConfig()
	cfg.DataDir, cfg.UserFilesDir, cfg.MergeTreeAs, cfg.anyPath = "", dir, "memory", true
	eng, err := newEngine(ctx, cfg)
	if err != nil {
		return err
	}
	s := localSession(eng)
	defer s.Close()
	out := bufio.NewWriterSize(stdout, 1<<16)
	err = runLocal(ctx, s, &server.Query{Text: sql, Params: c.Params}, c.Format, out)
	if ferr := out.Flush(); err == nil {
		err = ferr
	}
	return err
}

// localSession is a session of this process's own user.
func localSession(eng *engine.Engine) server.Session {
	return server.Over(eng).NewSession(&server.User{Name: "default", Access: eng.Access().NewSession("default")})
}

// runLocal executes a query and writes its result in the query's format, or
// the one given, or TabSeparated. Rows of an INSERT stand in its text.
func runLocal(ctx context.Context, s server.Session, q *server.Query, formatName string, out io.Writer) error {
	q.Interface = "local"
	q.Insert = func(ctx context.Context, i server.Insert) (column.Header, column.Stream, error) {
		if i.Infile != "" {
			return nil, nil, cherr.New(cherr.NotImplemented, "FROM INFILE is read by clients only")
		}
		name := i.Format
		if name == "" {
			name = "Values"
		}
		return server.OpenRows(ctx, s, q, name, bytes.NewReader(i.Inline), i)
	}
	res, err := s.Execute(ctx, q)
	if err != nil {
		return err
	}
	err = writeResult(ctx, s, res, formatName, out)
	res.Close(err)
	return err
}

func writeResult(ctx context.Context, s server.Session, res *server.Result, formatName string, out io.Writer) error {
	if !res.HasRows {
		return nil
	}
	if res.Format != "" {
		formatName = res.Format
	}
	if formatName == "" {
		formatName = "TabSeparated"
	}
	opt, err := server.FormatOptions(res.Settings, s.Zone())
	if err != nil {
		return err
	}
	w, err := format.OpenWriter(formatName, out, res.Header, opt)
	if err != nil {
		return err
	}
	for {
		b, err := res.Stream.Next(ctx)
		if err != nil {
			return err
		}
		if b == nil {
			break
		}
		if err := w.Write(b); err != nil {
			return err
		}
	}
	if b := res.Totals(); b != nil {
		if err := w.Totals(b); err != nil {
			return err
		}
	}
	if b := res.Extremes(); b != nil {
		if err := w.Extremes(b); err != nil {
			return err
		}
	}
	return w.Finish(format.Statistics{})
}
