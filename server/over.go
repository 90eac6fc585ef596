package server

import (
	"context"
	"time"

	"lakeserver/column"
	"lakeserver/engine"
)

// Over makes the engine proper a server.Engine.
func Over(e *engine.Engine) Engine { return overEngine{e} }

type overEngine struct{ e *engine.Engine }

func (o overEngine) NewSession(u *User) Session {
	return &overSession{o.e.NewSession(engine.User{Name: u.Name, Settings: u.Settings, ReadOnly: u.Readonly == 1})}
}

func (o overEngine) Zone() *time.Location { return o.e.Zone() }

func (o overEngine) HasTable(database, table string) bool {
	_, err := o.e.Catalog().Lookup(database, table)
	return err == nil
}

type overSession struct{ *engine.Session }

// Execute implements Session.
func (s *overSession) Execute(ctx context.Context, q *Query) (*Result, error) {
	eq := &engine.Query{
		Text: q.Text, ID: q.ID, Database: q.Database, Params: q.Params, ReadOnly: q.ReadOnly,
		Interface: q.Interface, Client: q.Client, Address: q.Address,
	}
	for _, x := range q.Settings {
		eq.Settings = append(eq.Settings, engine.Setting(x))
	}
	for _, x := range q.External {
		eq.External = append(eq.External, engine.External(x))
	}
	if q.Insert != nil {
		eq.Input = func(ctx context.Context, req engine.InputRequest) (column.Header, column.Stream, error) {
			in := Insert{Header: req.Header, Format: req.Format, Inline: req.Inline, Infile: req.Infile, Settings: req.Settings}
			for _, c := range req.Table {
				in.Defaults = append(in.Defaults, Default{c.DefaultKind, c.DefaultExpr})
			}
			return q.Insert(ctx, in)
		}
	}
	res, err := s.Session.Execute(ctx, eq)
	if err != nil {
		return nil, err
	}
	return over(res), nil
}

func over(res *engine.Result) *Result {
	return &Result{
		HasRows: res.HasRows, Header: res.Header, Stream: res.Stream, Totals: res.Totals, Extremes: res.Extremes,
		Format: res.Format, Settings: res.Settings,
		Stats: func() Stats { return statsOf(res) },
		Close: func(err error) { _ = res.Close(err) }, // what failed while ending is in the query log
	}
}

func statsOf(res *engine.Result) Stats {
	p := res.Progress()
	st := Stats{
		Progress: Progress{
			ReadRows: uint64(p.ReadRows.Load()), ReadBytes: uint64(p.ReadBytes.Load()), TotalRows: uint64(p.TotalRows.Load()),
			WrittenRows: uint64(p.WrittenRows.Load()), WrittenBytes: uint64(p.WrittenBytes.Load()),
		},
		ResultRows: uint64(p.ResultRows.Load()), ResultBytes: uint64(p.ResultBytes.Load()), MemoryPeak: res.PeakMemory(),
	}
	n, applied := res.RowsBeforeLimit()
	st.RowsBeforeLimit, st.AppliedLimit = uint64(n), applied
	return st
}

// Zone implements Session.
func (s *overSession) Zone() *time.Location { return s.Session.Engine().Zone() }
