package engine

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/change"
	"lakeserver/memory"
	"lakeserver/table"
)

// changeFeed hands the blocks of a change's query to the table, each clause's
// rows for themselves.
type changeFeed struct {
	run  *run
	q    *change.Query
	sink table.ChangeSink
	ids  int // columns that name a row
	// seen are the target rows that the source's rows met, where each may be met
	// but once.
	seen map[[16]byte]struct{}
	held *memory.Reservation
	rows [][]uint32 // of one block, by clause; kept for the next
}

// seenBytes is what one row of seen costs: its key, and the map's slack.
const seenBytes = 40

func (f *changeFeed) close() {
	if f.held != nil {
		f.held.Free()
	}
}

func (f *changeFeed) write(ctx context.Context, b *column.Block) error {
	if b.Rows == 0 {
		return nil
	}
	if !f.q.Tagged {
		return f.send(ctx, f.q.Clauses[0], b, f.ids)
	}
	clause, ok := column.Full(b.Columns[f.ids]).(*column.Fixed[uint8])
	if !ok {
		cherr.Bug("the clause of a change is a %T", b.Columns[f.ids])
	}
	values := f.ids + 1
	if f.q.Unique {
		if err := f.unique(clause.Values, b.Columns[values]); err != nil {
			return err
		}
		values++
	}
	f.rows = append(f.rows, make([][]uint32, max(0, len(f.q.Clauses)-len(f.rows)))...)
	for i := range f.rows {
		f.rows[i] = f.rows[i][:0]
	}
	for i, c := range clause.Values {
		if c > 0 {
			f.rows[c-1] = append(f.rows[c-1], uint32(i))
		}
	}
	for i, rows := range f.rows {
		if len(rows) == 0 {
			continue
		}
		part := b
		if len(rows) < b.Rows {
			part = b.Gather(rows)
		}
		if err := f.send(ctx, f.q.Clauses[i], part, values); err != nil {
			return err
		}
	}
	return nil
}

// send gives the table what a change of its kind consists of.
func (f *changeFeed) send(ctx context.Context, c table.RowChange, b *column.Block, values int) error {
	out := &column.Block{Rows: b.Rows}
	if c != table.InsertRows {
		out.Columns = append(out.Columns, b.Columns[:f.ids]...)
	}
	if c != table.DeleteRows {
		out.Columns = append(out.Columns, b.Columns[values:]...)
	}
	f.run.progress.WrittenRows.Add(int64(out.Rows))
	f.run.progress.WrittenBytes.Add(out.Size())
	return f.sink.Write(ctx, c, out)
}

// unique refuses a second source row for a row of the target.
func (f *changeFeed) unique(clause []uint8, hash column.Column) error {
	keys, ok := column.Full(hash).(*column.Str)
	if !ok {
		cherr.Bug("the hash of a row is a %T", hash)
	}
	if f.held == nil {
		f.held = f.run.tracker.Reserve()
	}
	var fresh int64
	for i, c := range clause {
		if c > 0 && f.q.Clauses[c-1] == table.InsertRows {
			continue
		}
		key := [16]byte(keys.At(i))
		if _, ok := f.seen[key]; ok {
			return cherr.New(cherr.BadArguments, "MERGE found several rows of the source for one row of the target: what is to become of it cannot be told")
		}
		f.seen[key] = struct{}{}
		fresh++
	}
	return f.held.Add(fresh * seenBytes)
}
