package paimon

import (
	"context"
	"encoding/json"
	"hash/maphash"
	"slices"

	"lakeserver/column"
	"lakeserver/memory"
	"lakeserver/metadata/paimon"
	"lakeserver/pruning"
	"lakeserver/read"
)

// AnalyzeTable counts the rows of the newest snapshot, and of the columns NULLs,
// distinct values, bounds and lengths, and commits what it found.
func (c *Committer) AnalyzeTable(ctx context.Context, columns []string, m *memory.Tracker) error {
	latest, err := c.publish.latest(ctx)
	if err != nil {
		return err
	}
	if latest == nil {
		return invalid("Paimon table %s has no snapshot to analyze", c.ctx.Root)
	}
	src := c.source(latest)
	src.MergeLevel0 = false
	plan, err := read.PlanPaimon(ctx, src, pruning.NewPaimon(nil, src.Schema))
	if err != nil {
		return err
	}
	req := &read.Request{Source: src, Streams: 1, Memory: m, KeepNulls: true}
	if req.Columns, err = read.PaimonColumns(src.Schema); err != nil {
		return err
	}
	var found []*columnCount
	for i := range req.Columns {
		if f := req.Columns[i].Paimon; len(columns) == 0 || slices.Contains(columns, f.Name) {
			req.Output = append(req.Output, i)
			found = append(found, newColumnCount(f))
		}
	}
	streams, err := read.StartPaimon(req, src, plan)
	if err != nil {
		return err
	}
	rows, err := countColumns(ctx, streams[0], found)
	if closed := streams[0].Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	size := plan.Report.FileBytes
	s := &paimon.Statistics{SnapshotID: latest.ID, SchemaID: latest.SchemaID, MergedRecordCount: &rows, MergedRecordSize: &size, ColStats: map[string]paimon.ColumnAnalysis{}}
	for _, f := range found {
		s.ColStats[f.field.Name] = f.result()
	}
	return c.putStatistics(ctx, s)
}

// putStatistics writes and publishes a statistics file.
func (c *Committer) putStatistics(ctx context.Context, s *paimon.Statistics) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	name := "stat-" + newUUID() + "-0"
	if err := c.put(ctx, c.dir.StatisticsPath(name), paimon.Indent(data)); err != nil {
		return err
	}
	err = c.Analyze(ctx, name, nil)
	if err != nil && !IsUnclear(err) {
		c.remove(context.WithoutCancel(ctx), c.dir.StatisticsPath(name))
	}
	return err
}

func countColumns(ctx context.Context, s column.Stream, found []*columnCount) (rows int64, err error) {
	for {
		b, err := s.Next(ctx)
		if err != nil || b == nil {
			return rows, err
		}
		rows += int64(b.Rows)
		for i, f := range found {
			f.add(column.Full(b.Columns[i]))
		}
	}
}

// columnCount is what is counted of one column.
type columnCount struct {
	field       *paimon.Field
	nulls, seen int64
	low, high   column.Value
	length      int64 // of all texts
	longest     int64
	text        bool
	distinct    sketch
}

func newColumnCount(f *paimon.Field) *columnCount {
	n := &columnCount{field: f, distinct: newSketch()}
	switch f.Type.Kind {
	case paimon.Char, paimon.VarChar, paimon.Binary, paimon.VarBinary:
		n.text = true
	}
	return n
}

func (n *columnCount) add(c column.Column) {
	values, null := column.SplitNulls(c)
	nested := n.field.Type.Nested()
	for i := range c.Len() {
		if null != nil && null[i] != 0 {
			n.nulls++
			continue
		}
		n.seen++
		if nested {
			continue
		}
		v := column.At(values, i)
		n.distinct.add(paimon.ValueText(n.field.Type, v))
		if n.low == nil || paimon.CompareValues(v, n.low) < 0 {
			n.low = v
		}
		if n.high == nil || paimon.CompareValues(v, n.high) > 0 {
			n.high = v
		}
		if s, ok := v.(string); ok {
			n.length += int64(len(s))
			n.longest = max(n.longest, int64(len(s)))
		}
	}
}

// widths are the bytes of values of fixed length.
var widths = map[paimon.Kind]int64{
	paimon.Boolean: 1, paimon.TinyInt: 1, paimon.SmallInt: 2, paimon.Int: 4, paimon.BigInt: 8, paimon.Float: 4, paimon.Double: 8,
	paimon.Decimal: 8, paimon.Date: 4, paimon.Time: 4, paimon.Timestamp: 8, paimon.TimestampLTZ: 8,
}

func (n *columnCount) result() paimon.ColumnAnalysis {
	nulls := n.nulls
	a := paimon.ColumnAnalysis{ColID: n.field.ID, NullCount: &nulls}
	if n.field.Type.Nested() {
		return a
	}
	distinct := n.distinct.count()
	average, longest := widths[n.field.Type.Kind], widths[n.field.Type.Kind]
	if n.text {
		average, longest = 0, n.longest
		if n.seen > 0 {
			average = (n.length + n.seen - 1) / n.seen
		}
	}
	a.DistinctCount, a.AvgLen, a.MaxLen = &distinct, &average, &longest
	for _, b := range []struct {
		v  column.Value
		to **string
	}{{n.low, &a.Min}, {n.high, &a.Max}} {
		if text, ok := n.bound(b.v); ok {
			*b.to = &text
		}
	}
	return a
}

// bound is a least or greatest value as statistics files hold it: dates as days.
func (n *columnCount) bound(v column.Value) (string, bool) {
	switch n.field.Type.Kind {
	case paimon.Char, paimon.VarChar, paimon.Boolean, paimon.TinyInt, paimon.SmallInt, paimon.Int, paimon.BigInt, paimon.Float, paimon.Double, paimon.Decimal:
		return paimon.ValueText(n.field.Type, v), v != nil
	case paimon.Date:
		return paimon.LegacyText(n.field.Type, orZero(v)), v != nil
	}
	return "", false
}

func orZero(v column.Value) column.Value {
	if v == nil {
		return int32(0)
	}
	return v
}

// sketch counts distinct texts: exactly while there are few, then by how close
// the least hashes are (k minimum values).
type sketch struct {
	seed  maphash.Seed
	seen  map[uint64]bool
	limit uint64 // hashes above are left out
}

const sketchSize = 1 << 14

func newSketch() sketch {
	return sketch{seed: maphash.MakeSeed(), seen: map[uint64]bool{}, limit: 1<<64 - 1}
}

func (s *sketch) add(text string) {
	h := maphash.String(s.seed, text)
	if h > s.limit || s.seen[h] {
		return
	}
	s.seen[h] = true
	if len(s.seen) < 2*sketchSize {
		return
	}
	all := make([]uint64, 0, len(s.seen))
	for h := range s.seen {
		all = append(all, h)
	}
	slices.Sort(all)
	for _, h := range all[sketchSize:] {
		delete(s.seen, h)
	}
	s.limit = all[sketchSize-1]
}

func (s *sketch) count() int64 {
	if s.limit == 1<<64-1 {
		return int64(len(s.seen))
	}
	return int64(float64(len(s.seen)-1) / (float64(s.limit) / (1 << 64)))
}
