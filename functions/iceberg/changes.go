package iceberg

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/metadata/iceberg"
	"lakeserver/pruning"
	"lakeserver/read"
	"lakeserver/table"
	"lakeserver/types"
)

// changesFunction is icebergChanges(table, from, to).
var changesFunction = functions.TableFunction{
	Name: "icebergChanges", TakesTable: true, Open: openChanges,
	Doc: functions.Doc{
		Syntax: "icebergChanges(table, from_snapshot_id, to_snapshot_id)",
		Summary: "The rows that the snapshots after the first one, up to the last one, added and took away. " +
			"An update is a DELETE and an INSERT. NULL in place of the first id: from the beginning.",
	},
}

// changeColumns come behind the table's own.
var changeColumns = []table.Column{
	{Name: "_change_type", Type: types.LowCardinality(types.String), Comment: "INSERT or DELETE"},
	{Name: "_change_ordinal", Type: types.Int32, Comment: "the snapshot's place in the range"},
	{Name: "_commit_snapshot_id", Type: types.Int64},
}

func openChanges(_ context.Context, _ *functions.Env, req *functions.OpenRequest) (table.Table, error) {
	if len(req.Args) != 3 {
		return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Table function %s takes a table and two snapshot ids, %d arguments are given", req.Name, len(req.Args))
	}
	t, ok := req.Args[0].Table.(*Table)
	if !ok {
		return nil, cherr.New(cherr.BadArguments, "The first argument of %s is no Iceberg table", req.Name)
	}
	var ids [2]*iceberg.Snapshot
	for i, a := range req.Args[1:] {
		id, isInt := snapshotID(a.Value)
		switch {
		case a.Const && a.Value == nil && i == 0:
			continue
		case !isInt:
			return nil, cherr.New(cherr.BadArguments, "A snapshot id of %s is a number", req.Name)
		}
		if ids[i] = t.src.Meta.Snapshot(id); ids[i] == nil {
			return nil, cherr.New(cherr.BadArguments, "Iceberg table %s has no snapshot %d", t.path, id)
		}
	}
	return t.changes(ids[0], ids[1])
}

func snapshotID(v column.Value) (int64, bool) {
	switch v := v.(type) {
	case uint64:
		return int64(v), v < 1<<63
	case int64:
		return v, true
	case uint32:
		return int64(v), true
	case uint16:
		return int64(v), true
	case uint8:
		return int64(v), true
	}
	return 0, false
}

// changesTable is the changes of a range of snapshots, oldest first.
type changesTable struct {
	t     *Table
	steps []changeStep
	// insertsOnly: nothing but the columns of rows that came.
	insertsOnly bool
}

type changeStep struct{ parent, s *iceberg.Snapshot }

// changes gives what the snapshots after from (nil: all) up to to changed.
func (t *Table) changes(from, to *iceberg.Snapshot) (*changesTable, error) {
	c := &changesTable{t: t}
	for s := to; s != nil && (from == nil || s.ID != from.ID); {
		var parent *iceberg.Snapshot
		if id, ok := s.Parent(); ok {
			if parent = t.src.Meta.Snapshot(id); parent == nil {
				return nil, cherr.New(cherr.BadArguments, "Snapshot %d of Iceberg table %s has expired: what came after it is not known", id, t.path)
			}
		}
		if s.Operation() != "replace" { // the same rows in other files
			c.steps = append([]changeStep{{parent, s}}, c.steps...)
		}
		if s = parent; s == nil && from != nil {
			return nil, cherr.New(cherr.BadArguments, "Snapshot %d of Iceberg table %s does not come before snapshot %d", from.ID, t.path, to.ID)
		}
	}
	return c, nil
}

// Columns implements table.Table.
func (c *changesTable) Columns() []table.Column {
	if c.insertsOnly {
		return c.t.columns
	}
	return append(c.t.columns[:len(c.t.columns):len(c.t.columns)], changeColumns...)
}

// Scan implements table.Table. The steps are shared by the streams.
func (c *changesTable) Scan(ctx context.Context, req *table.ScanRequest) ([]column.Stream, error) {
	if req.Report == nil {
		req.Report = &table.Report{}
	}
	n := len(c.t.columns)
	var own table.ScanRequest // what the files themselves are asked
	req.Applied = make([]bool, len(req.Filter))
	for i, e := range req.Filter {
		if onlyColumns(e, n) {
			own.Filter = append(own.Filter, e)
			req.Applied[i] = true
		}
	}
	prune := c.t.compile(&own)
	q := &changeQueue{}
	for ordinal, step := range c.steps {
		ch, err := read.SnapshotChanges(ctx, c.t.src, step.parent, step.s, pruning.NewIceberg(prune, c.t.src.Schema))
		if err != nil {
			return nil, err
		}
		if ch.Rewritten {
			q.units = append(q.units, changeUnit{ch: ch, ordinal: ordinal, inserts: true, deletes: true})
			continue
		}
		if len(ch.Inserted.Tasks) > 0 {
			q.units = append(q.units, changeUnit{ch: ch, ordinal: ordinal, inserts: true})
		}
		if len(ch.Deleted.Tasks) > 0 && !c.insertsOnly {
			q.units = append(q.units, changeUnit{ch: ch, ordinal: ordinal, deletes: true})
		}
	}
	streams := max(1, min(req.Streams, len(q.units)))
	if req.PreserveOrder {
		streams = 1
	}
	out := make([]column.Stream, streams)
	for i := range out {
		out[i] = &changeStream{c: c, req: req, filter: own.Filter, prune: prune, queue: q}
	}
	return out, nil
}
