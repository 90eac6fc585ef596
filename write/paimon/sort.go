package paimon

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"lakeserver/column"
	"lakeserver/metadata/paimon"
)

// comparer compares two rows of a column; NULL comes first.
func comparer(c column.Column) func(i, j int) int { // long: one case a form
	values, null := column.SplitNulls(column.Full(c))
	var by func(i, j int) int
	switch v := values.(type) {
	case *column.Fixed[uint8]:
		by = ordered(v.Values)
	case *column.Fixed[int8]:
		by = ordered(v.Values)
	case *column.Fixed[int16]:
		by = ordered(v.Values)
	case *column.Fixed[int32]:
		by = ordered(v.Values)
	case *column.Fixed[int64]:
		by = ordered(v.Values)
	case *column.Fixed[float32]:
		by = ordered(v.Values)
	case *column.Fixed[float64]:
		by = ordered(v.Values)
	case *column.Str:
		by = func(i, j int) int { return bytes.Compare(v.At(i), v.At(j)) }
	default:
		by = func(i, j int) int { return paimon.CompareValues(column.At(values, i), column.At(values, j)) }
	}
	if null == nil {
		return by
	}
	return func(i, j int) int {
		switch {
		case null[i] != 0 && null[j] != 0:
			return 0
		case null[i] != 0:
			return -1
		case null[j] != 0:
			return 1
		}
		return by(i, j)
	}
}

func ordered[T cmp.Ordered](v []T) func(i, j int) int {
	return func(i, j int) int { return cmp.Compare(v[i], v[j]) }
}

// flushBucket writes the rows that a bucket holds into level 0. A file has each
// key once: rows of one key that come again go into a further file, with higher
// sequence numbers, and readers merge them. Where the last row wins whatever it
// holds, the earlier ones are left out.
func (w *RowWriter) flushBucket(ctx context.Context, o *openBucket) error {
	if err := w.nextSequence(ctx, o); err != nil {
		return err
	}
	b, kinds := w.joined(o)
	var compare []func(i, j int) int
	for _, k := range w.layout.keys {
		compare = append(compare, comparer(b.Columns[k]))
	}
	keys := func(i, j uint32) int {
		for _, c := range compare {
			if d := c(int(i), int(j)); d != 0 {
				return d
			}
		}
		return 0
	}
	order := make([]uint32, b.Rows)
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, keys)
	first := make([]int64, b.Rows)
	for i := range first {
		first[i] = o.sequence + int64(i)
	}
	o.sequence += int64(b.Rows)
	if w.c.options.text("changelog-producer", "none") == "input" {
		if err := w.writeSorted(ctx, o, b, kinds, order, first, "changelog-", &o.message.Data.ChangelogFiles); err != nil {
			return err
		}
	}
	for _, layer := range layers(order, keys, w.lastWins()) {
		if err := w.writeSorted(ctx, o, b, kinds, layer, first, "data-", &o.message.Data.NewFiles); err != nil {
			return err
		}
	}
	return nil
}

func (w *RowWriter) lastWins() bool {
	o := w.c.options
	return o.text("merge-engine", "deduplicate") == "deduplicate" && o.text("sequence.field", "") == "" && !o.flag("ignore-delete", false)
}

func (w *RowWriter) joined(o *openBucket) (*column.Block, []RowKind) {
	b := &column.Block{}
	var kinds []RowKind
	for i, x := range o.blocks {
		b.Rows += x.Rows
		for range x.Rows {
			kinds = append(kinds, o.kinds[i])
		}
	}
	for i, f := range w.layout.header {
		cols := make([]column.Column, len(o.blocks))
		for j, x := range o.blocks {
			cols[j] = column.Full(x.Columns[i])
		}
		b.Columns = append(b.Columns, column.Concat(f.Type, cols))
	}
	return b, w.spelt(b, kinds)
}

var kindNames = map[string]RowKind{"+I": Insert, "-U": UpdateBefore, "+U": UpdateAfter, "-D": DeleteRow}

// spelt gives the kinds that a column says (rowkind.field), where inserted
// rows have one.
func (w *RowWriter) spelt(b *column.Block, kinds []RowKind) []RowKind {
	name := w.c.options.text("rowkind.field", "")
	for i, f := range w.layout.header {
		if f.Name != name || w.compacting {
			continue
		}
		for r := range kinds {
			text, _ := column.At(b.Columns[i], r).(string)
			if k, ok := kindNames[text]; ok && kinds[r] == Insert {
				kinds[r] = k
			}
		}
	}
	return kinds
}

// layers deals the rows out so that each layer has a key at most once, the
// earlier row in the earlier layer.
func layers(order []uint32, keys func(i, j uint32) int, last bool) [][]uint32 {
	var out [][]uint32
	depth := 0
	for i, r := range order {
		if i > 0 && keys(order[i-1], r) == 0 {
			depth++
		} else {
			depth = 0
		}
		if last {
			if depth > 0 {
				out[0][len(out[0])-1] = r
				continue
			}
		}
		if depth >= len(out) {
			out = append(out, nil)
		}
		out[depth] = append(out[depth], r)
	}
	return out
}

// writeSorted writes rows in an order into one file.
func (w *RowWriter) writeSorted(ctx context.Context, o *openBucket, b *column.Block, kinds []RowKind, order []uint32, numbers []int64, prefix string, to *[]paimon.DataFile) error {
	rows := b.Gather(order)
	sequence, kind := make([]int64, len(order)), make([]int8, len(order))
	deletes := int64(0)
	low, high := int64(-1), int64(-1)
	for i, r := range order {
		sequence[i], kind[i] = numbers[r], int8(kinds[r])
		if kinds[r] == DeleteRow || kinds[r] == UpdateBefore {
			deletes++
		}
		if low < 0 || sequence[i] < low {
			low = sequence[i]
		}
		high = max(high, sequence[i])
	}
	full := &column.Block{Rows: rows.Rows}
	for _, k := range w.layout.keys {
		full.Columns = append(full.Columns, rows.Columns[k])
	}
	full.Columns = append(full.Columns, column.NewFixed(sequence), column.NewFixed(kind))
	full.Columns = append(full.Columns, rows.Columns...)
	if err := w.create(ctx, o, prefix); err != nil {
		return err
	}
	if err := o.file.Write(ctx, full); err != nil {
		return err
	}
	if err := w.closeFile(o, to, w.source()); err != nil {
		return err
	}
	d := &(*to)[len(*to)-1]
	ts := paimon.TypesOf(w.c.schema.TrimmedKeys())
	d.MinKey, d.MaxKey = paimon.EncodeRow(rowAt(rows, w.layout.keys, 0), ts), paimon.EncodeRow(rowAt(rows, w.layout.keys, rows.Rows-1), ts)
	d.KeyStats = keyStats(rows, w.layout.keys, ts)
	d.MinSequence, d.MaxSequence, d.DeleteRows = low, high, &deletes
	return nil
}

// keyStats are the bounds of each key column by itself.
func keyStats(rows *column.Block, keys []int, ts []*paimon.Type) paimon.Stats {
	low, high, nulls := make(column.Row, len(keys)), make(column.Row, len(keys)), make([]int64, len(keys))
	for n, k := range keys {
		c := comparer(rows.Columns[k])
		least, most := 0, 0
		for r := range rows.Rows {
			if c(r, least) < 0 {
				least = r
			}
			if c(r, most) > 0 {
				most = r
			}
		}
		low[n], high[n] = cut(column.At(rows.Columns[k], least), column.At(rows.Columns[k], most))
	}
	return paimon.Stats{Min: paimon.EncodeRow(low, ts), Max: paimon.EncodeRow(high, ts), Nulls: nulls}
}
