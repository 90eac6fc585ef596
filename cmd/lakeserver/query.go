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
	s := eng.NewSession(engine.User{Name: "default", LocalFiles: true})
	defer s.Close()
	q := &engine.Query{Text: sql, Params: c.Params, Interface: "local", Input: inlineInput(eng)}
	res, err := s.Execute(ctx, q)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(stdout, 1<<16)
	err = c.print(ctx, eng, res, out)
	if cerr := res.Close(err); err == nil {
		err = cerr
	}
	if ferr := out.Flush(); err == nil {
		err = ferr
	}
	return err
}

// print writes a result in the query's format, the flag's, or TabSeparated.
func (c *QueryCmd) print(ctx context.Context, eng *engine.Engine, res *engine.Result, out io.Writer) error {
	if !res.HasRows {
		return nil
	}
	name := res.Format
	if name == "" {
		name = c.Format
	}
	if name == "" {
		name = "TabSeparated"
	}
	opt, err := format.NewOptions(res.Settings, eng.Zone())
	if err != nil {
		return err
	}
	w, err := format.OpenWriter(name, out, res.Header, opt)
	if err != nil {
		return err
	}
	for {
		b, err := res.Next(ctx)
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

// inlineInput reads the rows of an INSERT from the statement's own text.
func inlineInput(eng *engine.Engine) func(context.Context, engine.InputRequest) (column.Header, column.Stream, error) {
	return func(_ context.Context, req engine.InputRequest) (column.Header, column.Stream, error) {
		if req.Infile != "" {
			return nil, nil, cherr.New(cherr.NotImplemented, "FROM INFILE is read by clients only")
		}
		opt, err := format.NewOptions(req.Settings, eng.Zone())
		if err != nil {
			return nil, nil, err
		}
		name := req.Format
		if name == "" {
			name = "Values"
		}
		r, err := format.OpenReader(name, bytes.NewReader(req.Inline), req.Header, opt)
		return req.Header, r, err
	}
}
