package iceberg

import (
	"context"
	"encoding/binary"
	"math"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata/iceberg"
	"lakeserver/table"
	write "lakeserver/write/iceberg"
)

var computeTableStats = &procedure{
	name: "compute_table_stats", params: []param{{name: "columns", kind: textsParam}},
	run: runComputeTableStats,
}

// runComputeTableStats counts the distinct values of the current snapshot's
// columns, of all primitive ones when none are named.
func runComputeTableStats(ctx context.Context, t *Table, a *arguments) ([]metric, error) {
	if t.src.Snapshot == nil {
		return nil, cherr.New(cherr.BadArguments, "Iceberg table %s has no snapshot to compute statistics of", t.path)
	}
	req := &table.ScanRequest{Streams: 1, Settings: t.settings}
	var fields []*iceberg.Field
	want := a.texts("columns")
	for i := range t.columns {
		f := t.all[i].Field
		if f == nil || f.Type.Nested() || f.Type.Kind >= iceberg.Variant || f.Type.Kind == iceberg.Unknown || want != nil && !contains(want, f.Name) {
			continue
		}
		req.Columns, fields = append(req.Columns, i), append(fields, f)
	}
	for _, name := range want {
		if f := t.src.Schema.Column(name); f == nil || f.Type.Nested() {
			return nil, cherr.New(cherr.BadArguments, "Iceberg table %s has no primitive column `%s`", t.path, name)
		}
	}
	sketches := make([]write.ColumnSketch, len(fields))
	for i, f := range fields {
		sketches[i] = write.ColumnSketch{FieldID: f.ID, Sketch: iceberg.NewThetaSketch()}
	}
	streams, err := t.Scan(ctx, req)
	if err != nil {
		return nil, err
	}
	for _, s := range streams {
		if err == nil {
			err = sketchStream(ctx, s, fields, sketches)
		}
		if cerr := s.Close(); err == nil {
			err = cerr
		}
	}
	if err != nil {
		return nil, err
	}
	if _, err := t.writer().CommitTableStats(ctx, t.src.Snapshot, sketches, "lakeserver"); err != nil {
		return nil, err
	}
	return []metric{{"computed_columns_count", int64(len(fields))}}, nil
}

func sketchStream(ctx context.Context, s column.Stream, fields []*iceberg.Field, sketches []write.ColumnSketch) error {
	for {
		b, err := s.Next(ctx)
		if b == nil || err != nil {
			return err
		}
		for i, c := range b.Columns {
			sketchColumn(sketches[i].Sketch, fields[i].Type, column.Full(c))
		}
	}
}

// sketchColumn adds the values of a full column; NULL is none.
func sketchColumn(s *iceberg.ThetaSketch, t *iceberg.Type, c column.Column) {
	null := func(int) bool { return false }
	if n, ok := c.(*column.Nullable); ok {
		null, c = n.IsNull, n.Values
	}
	var buf [8]byte
	switch v := c.(type) {
	case *column.Str:
		for i := range v.Len() {
			if !null(i) {
				s.Add(v.At(i))
			}
		}
		return
	case *column.Fixed[int32]:
		if t.Kind != iceberg.Decimal {
			for i, x := range v.Values {
				if !null(i) {
					binary.LittleEndian.PutUint32(buf[:], uint32(x))
					s.Add(buf[:4])
				}
			}
			return
		}
	case *column.Fixed[int64]:
		if t.Kind != iceberg.Decimal {
			for i, x := range v.Values {
				if !null(i) {
					binary.LittleEndian.PutUint64(buf[:], uint64(x))
					s.Add(buf[:])
				}
			}
			return
		}
	case *column.Fixed[float64]:
		for i, x := range v.Values {
			if !null(i) {
				binary.LittleEndian.PutUint64(buf[:], math.Float64bits(x))
				s.Add(buf[:])
			}
		}
		return
	}
	for i := range c.Len() { // the rarer forms, by their boxed values
		if !null(i) {
			s.Add(iceberg.EncodeBound(t, column.At(c, i)))
		}
	}
}
