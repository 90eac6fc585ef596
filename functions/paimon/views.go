package paimon

import (
	"context"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/metadata/paimon"
	"lakeserver/read"
	"lakeserver/table"
	"lakeserver/timetravel"
	"lakeserver/types"
)

// readOptimized is t$ro: what can be read without merging.
func readOptimized(_ context.Context, o *opener, env *functions.Env, loc location, v timetravel.PaimonVersion) (table.Table, error) {
	t, err := o.newTable(env, loc, v, nil, nil)
	if err != nil {
		return nil, err
	}
	for _, src := range t.sources() {
		src.ReadOptimized = true
	}
	return t, nil
}

var rowKind = read.Column{Name: "rowkind", Type: types.Nullable(types.String), Virtual: read.VirtualKind}

// auditLog is t$audit_log: the rows with their kinds, deleted ones among them.
func auditLog(_ context.Context, o *opener, env *functions.Env, loc location, v timetravel.PaimonVersion) (table.Table, error) {
	t, err := o.audit(env, loc, v)
	if err != nil {
		return nil, err
	}
	return t, nil
}

func (o *opener) audit(env *functions.Env, loc location, v timetravel.PaimonVersion) (*Table, error) {
	lead := []read.Column{rowKind}
	if strings.EqualFold(v.Schema.Options["table-read.sequence-number.enabled"], "true") {
		lead = append(lead, read.Column{Name: paimon.SequenceField, Type: types.Nullable(types.Int64), Virtual: read.VirtualSequence})
	}
	t, err := o.newTable(env, loc, v, lead, nil)
	if err != nil {
		return nil, err
	}
	for _, src := range t.sources() {
		src.KeepDeletes = true
	}
	return t, nil
}

// rowTracking is t$row_tracking: the rows with their ids, and the snapshots
// that wrote them.
func rowTracking(_ context.Context, o *opener, env *functions.Env, loc location, v timetravel.PaimonVersion) (table.Table, error) {
	if !strings.EqualFold(v.Schema.Options["row-tracking.enabled"], "true") {
		return nil, cherr.New(cherr.BadArguments, "Paimon table %s has no row tracking (row-tracking.enabled)", loc.path)
	}
	t, err := o.newTable(env, loc, v, nil, []read.Column{
		{Name: paimon.RowIDField, Type: types.Nullable(types.Int64), Virtual: read.VirtualRowID},
		{Name: paimon.SequenceField, Type: types.Nullable(types.Int64), Virtual: read.VirtualSequence},
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// binlogTable is t$binlog: audit_log with the values of a change in one row,
// those before and those after an update side by side.
type binlogTable struct {
	inner   *Table
	columns []table.Column
}

func binlog(_ context.Context, o *opener, env *functions.Env, loc location, v timetravel.PaimonVersion) (table.Table, error) {
	t, err := o.audit(env, loc, v)
	if err != nil {
		return nil, err
	}
	b := &binlogTable{inner: t}
	for i, c := range t.columns {
		if t.all[i].Paimon != nil {
			c.Type = types.Array(c.Type)
		}
		b.columns = append(b.columns, c)
	}
	return b, nil
}

// Columns gives the kind, then an array a column.
func (b *binlogTable) Columns() []table.Column { return b.columns }

// Scan reads the changes in their order; filters are left to the plan, for they
// are over the arrays.
func (b *binlogTable) Scan(ctx context.Context, req *table.ScanRequest) ([]column.Stream, error) {
	inner := &table.ScanRequest{Columns: []int{0}, Streams: 1, PreserveOrder: true, Memory: req.Memory, Settings: req.Settings}
	inner.Columns = append(inner.Columns, req.Columns...)
	streams, err := b.inner.Scan(ctx, inner)
	if err != nil {
		return nil, err
	}
	req.Report = inner.Report
	s := &binlogStream{from: streams[0]}
	for _, c := range req.Columns {
		s.arrays = append(s.arrays, b.inner.all[c].Paimon != nil)
		s.types = append(s.types, b.inner.all[c].Type)
	}
	return []column.Stream{s}, nil
}

// binlogStream packs rows into arrays: a row of kind -U with the +U after it.
type binlogStream struct {
	from   column.Stream
	arrays []bool
	types  []*types.Type
	held   *column.Block // a last row of kind -U, whose other half is still to come
}

func (s *binlogStream) Close() error { return s.from.Close() }

func (s *binlogStream) Next(ctx context.Context) (*column.Block, error) {
	b, err := s.from.Next(ctx)
	if err != nil {
		return nil, err
	}
	if b == nil {
		b, s.held = s.held, nil
		if b == nil {
			return nil, nil
		}
		return s.pack(b), nil
	}
	if s.held != nil {
		b = s.join(s.held, b)
		s.held = nil
	}
	if last := b.Rows - 1; last > 0 && kindAt(b, last) == "-U" {
		s.held = b.Slice(last, b.Rows)
		b = b.Slice(0, last)
	}
	return s.pack(b), nil
}

func kindAt(b *column.Block, i int) string {
	k, _ := column.At(b.Columns[0], i).(string)
	return k
}

func (s *binlogStream) join(a, b *column.Block) *column.Block {
	out := &column.Block{Rows: a.Rows + b.Rows}
	for i := range a.Columns {
		t := types.String
		if i > 0 {
			t = s.types[i-1]
		}
		if i == 0 {
			t = rowKind.Type
		}
		out.Columns = append(out.Columns, column.Concat(t, []column.Column{column.Full(a.Columns[i]), column.Full(b.Columns[i])}))
	}
	return out
}

func (s *binlogStream) pack(b *column.Block) *column.Block {
	var last []uint32
	offsets := []uint64{0}
	for i := 0; i < b.Rows; i++ {
		if kindAt(b, i) == "-U" && i+1 < b.Rows && kindAt(b, i+1) == "+U" {
			i++
		}
		last = append(last, uint32(i))
		offsets = append(offsets, uint64(i+1))
	}
	out := &column.Block{Rows: len(last)}
	for i, isArray := range s.arrays {
		c := b.Columns[i+1]
		if isArray {
			out.Columns = append(out.Columns, &column.Array{Offsets: offsets, Elems: column.Full(c)})
		} else {
			out.Columns = append(out.Columns, c.Gather(last))
		}
	}
	return out
}
