package paimon

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/read"
	"lakeserver/table"
	"lakeserver/timetravel"
)

// withFallback adds the branch from which partitions are read that the table
// itself does not have (scan.fallback-branch): batch jobs fill a branch with
// what the streaming job of the main one has not seen.
func (o *opener) withFallback(t *Table, env *functions.Env, loc location, v *timetravel.PaimonVersion, lead, tail []read.Column) error {
	if v == nil {
		return nil
	}
	f, err := o.newTable(env, loc, *v, lead, tail)
	if err != nil {
		return err
	}
	same := len(f.columns) == len(t.columns)
	for i := range t.columns {
		same = same && f.columns[i].Name == t.columns[i].Name && f.columns[i].Type.String() == t.columns[i].Type.String()
	}
	if !same {
		return cherr.New(cherr.BadArguments, "The columns of fallback branch '%s' are not those of Paimon table %s", v.Dir.Branch, t.path)
	}
	f.src.Instead = t.src
	t.fallback = f
	return nil
}

// sources gives what the table reads: itself, and the branch it falls back to.
func (t *Table) sources() []*read.Paimon {
	if t.fallback == nil {
		return []*read.Paimon{t.src}
	}
	return []*read.Paimon{t.src, t.fallback.src}
}

// scanBoth scans the table, then the branch.
func (t *Table) scanBoth(ctx context.Context, req *table.ScanRequest) ([]column.Stream, error) {
	streams, err := t.scan(ctx, req)
	if err != nil {
		return nil, err
	}
	second := *req
	second.Report = &table.Report{}
	more, err := t.fallback.scan(ctx, &second)
	if err != nil {
		for _, s := range streams {
			_ = s.Close() // the first error counts
		}
		return nil, err
	}
	r := req.Report
	r.Counters = append(r.Counters, second.Report.Counters...)
	r.Parts, r.TotalRows, r.TotalSize = r.Parts+second.Report.Parts, r.TotalRows+second.Report.TotalRows, r.TotalSize+second.Report.TotalSize
	if !req.PreserveOrder {
		return append(streams, more...), nil
	}
	return []column.Stream{&inTurn{left: append(streams, more...)}}, nil
}

// inTurn gives the blocks of one stream after those of another.
type inTurn struct{ left []column.Stream }

// Next implements column.Stream.
func (s *inTurn) Next(ctx context.Context) (*column.Block, error) {
	for len(s.left) > 0 {
		b, err := s.left[0].Next(ctx)
		if b != nil || err != nil {
			return b, err
		}
		err = s.left[0].Close()
		s.left = s.left[1:]
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// Close implements column.Stream.
func (s *inTurn) Close() error {
	var first error
	for _, x := range s.left {
		if err := x.Close(); first == nil {
			first = err
		}
	}
	s.left = nil
	return first
}
