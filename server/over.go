package server

import (
	"context"
	"time"

	"lakeserver/column"
	"lakeserver/engine"
	"lakeserver/settings"
)

// Over is the engine as front ends see it.
func Over(e *engine.Engine) Engine { return over{e} }

type over struct{ e *engine.Engine }

func (o over) NewSession(u *User) Session {
	s := o.e.NewSession(engine.User{Name: u.Name, Settings: u.Settings, ReadOnly: u.Readonly != 0, Access: u.Access})
	if u.Database != "" {
		// A database that is gone leaves the session in default, as at login
		// with a name that never was the error comes from the front end's Use.
		_ = s.Use(u.Database)
	}
	return &overSession{s, o.e}
}

func (o over) Zone() *time.Location { return o.e.Zone() }

func (o over) HasTable(database, table string) bool {
	if database == "" {
		database = "default"
	}
	_, err := o.e.Catalog().Lookup(database, table)
	return err == nil
}

type overSession struct {
	s *engine.Session
	e *engine.Engine
}

func (o *overSession) Use(database string) error    { return o.s.Use(database) }
func (o *overSession) Settings() *settings.Settings { return o.s.Settings() }
func (o *overSession) Zone() *time.Location         { return o.e.Zone() }
func (o *overSession) Close()                       { o.s.Close() }

func (o *overSession) Execute(ctx context.Context, q *Query) (*Result, error) {
	eq := &engine.Query{
		Text: q.Text, ID: q.ID, Database: q.Database, Params: q.Params, Interface: q.Interface, Client: q.Client,
		Address: q.Address, ReadOnly: q.ReadOnly,
	}
	for _, s := range q.Settings {
		eq.Settings = append(eq.Settings, engine.Setting{Name: s.Name, Value: s.Value})
	}
	for _, x := range q.External {
		eq.External = append(eq.External, engine.External{Name: x.Name, Header: x.Header, Blocks: x.Blocks})
	}
	if q.Insert != nil {
		eq.Input = func(ctx context.Context, r engine.InputRequest) (column.Header, column.Stream, error) {
			i := Insert{Header: r.Header, Format: r.Format, Inline: r.Inline, Infile: r.Infile, Settings: r.Settings}
			for _, c := range r.Table {
				i.Defaults = append(i.Defaults, Default{Kind: c.DefaultKind, Expr: c.DefaultExpr})
			}
			return q.Insert(ctx, i)
		}
	}
	r, err := o.s.Execute(ctx, eq)
	if err != nil {
		return nil, err
	}
	return &Result{
		HasRows: r.HasRows, Header: r.Header, Stream: r.Stream, Totals: r.Totals, Extremes: r.Extremes,
		Format: r.Format, Settings: r.Settings, Stats: func() Stats { return statsOf(r) },
		Close: func(err error) { _ = r.Close(err) }, // the client has its answer, or err
	}, nil
}

func statsOf(r *engine.Result) Stats {
	p := r.Progress()
	s := Stats{
		Progress: Progress{
			ReadRows: count(p.ReadRows.Load()), ReadBytes: count(p.ReadBytes.Load()), TotalRows: count(p.TotalRows.Load()),
			WrittenRows: count(p.WrittenRows.Load()), WrittenBytes: count(p.WrittenBytes.Load()),
		},
		ResultRows: count(p.ResultRows.Load()), ResultBytes: count(p.ResultBytes.Load()), MemoryPeak: r.PeakMemory(),
	}
	before, applied := r.RowsBeforeLimit()
	s.RowsBeforeLimit, s.AppliedLimit = count(before), applied
	return s
}

func count(n int64) uint64 { return uint64(max(n, 0)) }
