package iceberg

import (
	"context"
	"sync"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/memory"
	"lakeserver/pruning"
	"lakeserver/read"
	"lakeserver/table"
)

// changeUnit is a part of a snapshot's changes that one stream reads. Inserts
// and deletes go together where rows that stayed stand in both.
type changeUnit struct {
	ch               *read.Changes
	ordinal          int
	inserts, deletes bool
}

// changeQueue hands units to streams.
type changeQueue struct {
	mu    sync.Mutex
	units []changeUnit
}

func (q *changeQueue) take() (changeUnit, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.units) == 0 {
		return changeUnit{}, false
	}
	u := q.units[0]
	q.units = q.units[1:]
	return u, true
}

func onlyColumns(e expr.Expr, n int) bool {
	for _, i := range expr.Columns(e) {
		if i >= n {
			return false
		}
	}
	return true
}

// changeStream reads units: rows that went, rows that came.
type changeStream struct {
	c      *changesTable
	req    *table.ScanRequest
	filter []expr.Expr
	prune  *pruning.Filter
	queue  *changeQueue

	unit   changeUnit
	parts  []changePart // of the unit, left to read
	rows   column.Stream
	stayed map[rowHash]int64 // rows that both sides may have, by how often
	held   *memory.Reservation
}

// changePart is one pass over a side of a unit.
type changePart uint8

const (
	countDeleted changePart = iota // notes the rows that went, gives nothing
	giveInserted
	giveDeleted
)

// rowHash stands for all values of a row.
type rowHash [2]uint64

// hashBytes is what one row of stayed costs: key, count, and the map's slack.
const hashBytes = 56

// Next implements column.Stream.
func (s *changeStream) Next(ctx context.Context) (*column.Block, error) {
	for {
		if s.rows == nil {
			more, err := s.open()
			if err != nil || !more {
				return nil, err
			}
		}
		b, err := s.rows.Next(ctx)
		if err != nil {
			return nil, err
		}
		if b == nil {
			s.rows.Close()
			s.rows, s.parts = nil, s.parts[1:]
			continue
		}
		if b, err = s.give(b); err != nil || b != nil && b.Rows > 0 {
			return b, err
		}
	}
}

// open begins the next part.
func (s *changeStream) open() (bool, error) {
	for len(s.parts) == 0 {
		s.forget()
		u, ok := s.queue.take()
		if !ok {
			return false, nil
		}
		s.unit = u
		switch {
		case u.inserts && u.deletes:
			s.stayed, s.held = map[rowHash]int64{}, s.req.Memory.Reserve()
			s.parts = []changePart{countDeleted, giveInserted, giveDeleted}
			if s.c.insertsOnly {
				s.parts = s.parts[:2]
			}
		case u.inserts:
			s.parts = []changePart{giveInserted}
		default:
			s.parts = []changePart{giveDeleted}
		}
	}
	src, plan := s.unit.ch.Before, s.unit.ch.Deleted
	if s.parts[0] == giveInserted {
		src, plan = s.unit.ch.After, s.unit.ch.Inserted
	}
	report := s.req.Report
	r := &read.Request{
		Source: src, Columns: s.c.t.all, Filter: s.filter, Prune: s.prune, Streams: 1, Memory: s.req.Memory,
		Progress: func(rows, bytes int64) {
			report.RowsRead.Add(rows)
			report.BytesRead.Add(bytes)
		},
	}
	if s.stayed != nil { // all columns: a row is compared whole
		for i := range s.c.t.columns {
			r.Output = append(r.Output, i)
		}
	} else {
		for _, i := range s.req.Columns {
			if i < len(s.c.t.columns) {
				r.Output = append(r.Output, i)
			}
		}
	}
	_, streams := read.Start(r, plan)
	s.rows = streams[0]
	return true, nil
}

// give makes the wanted columns of rows; nil when none of them changed.
func (s *changeStream) give(b *column.Block) (*column.Block, error) {
	if s.stayed != nil {
		var err error
		if b, err = s.compared(b); err != nil || b == nil {
			return nil, err
		}
	}
	kind := "INSERT"
	if s.parts[0] == giveDeleted {
		kind = "DELETE"
	}
	n := len(s.c.t.columns)
	out, at := &column.Block{Rows: b.Rows}, 0
	for _, i := range s.req.Columns {
		switch {
		case i == n:
			out.Columns = append(out.Columns, column.NewConst(column.NewStr(kind), b.Rows))
		case i == n+1:
			out.Columns = append(out.Columns, column.NewConst(column.NewFixed([]int32{int32(s.unit.ordinal)}), b.Rows))
		case i == n+2:
			out.Columns = append(out.Columns, column.NewConst(column.NewFixed([]int64{s.unit.ch.Snapshot.ID}), b.Rows))
		case s.stayed != nil:
			out.Columns = append(out.Columns, b.Columns[i])
		default:
			out.Columns = append(out.Columns, b.Columns[at])
			at++
		}
	}
	return out, nil
}

// compared leaves out the rows that stand on both sides.
func (s *changeStream) compared(b *column.Block) (*column.Block, error) {
	one, two := make([]uint64, b.Rows), make([]uint64, b.Rows)
	for i := range two {
		two[i] = 0x9E3779B97F4A7C15
	}
	for _, c := range b.Columns {
		column.HashInto(c, one)
		column.HashInto(c, two)
	}
	var keep []uint32
	fresh := int64(0)
	for i := range one {
		h := rowHash{one[i], two[i]}
		n, known := s.stayed[h]
		switch s.parts[0] {
		case countDeleted:
			if !known {
				fresh++
			}
			s.stayed[h] = n + 1
		case giveInserted:
			if n > 0 {
				s.stayed[h] = n - 1
				continue
			}
			keep = append(keep, uint32(i))
		case giveDeleted:
			if n > 0 {
				s.stayed[h] = n - 1
				keep = append(keep, uint32(i))
			}
		}
	}
	if err := s.held.Add(fresh * hashBytes); err != nil || len(keep) == 0 {
		return nil, err
	}
	return b.Gather(keep), nil
}

func (s *changeStream) forget() {
	if s.held != nil {
		s.held.Free()
	}
	s.stayed, s.held = nil, nil
}

// Close implements column.Stream.
func (s *changeStream) Close() error {
	s.forget()
	if s.rows != nil {
		err := s.rows.Close()
		s.rows = nil
		return err
	}
	return nil
}
