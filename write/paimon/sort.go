package paimon

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"lakeserver/column"
	"lakeserver/metadata/paimon"
	"lakeserver/read"
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

// flushBucket writes the rows that a bucket holds into level 0: rows of one key
// are merged first, so that a file has each key once.
func (w *RowWriter) flushBucket(ctx context.Context, o *openBucket) error {
	if err := w.nextSequence(ctx, o); err != nil {
		return err
	}
	b, kinds := w.joined(o)
	order, starts := w.sorted(b)
	k := &read.Kinded{Block: b.Gather(order), Sequence: make([]int64, len(order)), Kinds: make([]int8, len(order))}
	for i, r := range order {
		k.Sequence[i], k.Kinds[i] = o.sequence+int64(r), int8(kinds[r])
	}
	o.sequence += int64(b.Rows)
	if w.c.options.text("changelog-producer", "none") == "input" {
		if err := w.writeKeyed(ctx, o, k, true, &o.message.Data.ChangelogFiles); err != nil {
			return err
		}
	}
	if len(starts)-1 < b.Rows {
		var err error
		if k, err = w.merge.MergeRows(k, starts); err != nil {
			return err
		}
	}
	return w.writeKeyed(ctx, o, k, false, &o.message.Data.NewFiles)
}

// sorted gives the rows in the order of their keys, of one key in the order in
// which they count: by sequence fields, then as they came; starts are the
// places of the keys' first rows, and the number of rows.
func (w *RowWriter) sorted(b *column.Block) (order, starts []uint32) {
	var keys, all []func(i, j int) int
	for _, at := range w.layout.keys {
		keys = append(keys, comparer(b.Columns[at]))
	}
	all = append(all, keys...)
	for _, name := range paimon.SplitList(w.c.options["sequence.field"]) {
		for i := range w.layout.fields {
			if w.layout.fields[i].Name == name {
				all = append(all, w.sequenceOrder(b.Columns[i]))
			}
		}
	}
	by := func(compare []func(i, j int) int) func(i, j uint32) int {
		return func(i, j uint32) int {
			for _, c := range compare {
				if d := c(int(i), int(j)); d != 0 {
					return d
				}
			}
			return 0
		}
	}
	order = make([]uint32, b.Rows)
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, by(all))
	same := by(keys)
	for i, r := range order {
		if i == 0 || same(order[i-1], r) != 0 {
			starts = append(starts, uint32(i))
		}
	}
	return order, append(starts, uint32(b.Rows))
}

// sequenceOrder compares rows by a sequence field: NULL is the least whatever
// the order.
func (w *RowWriter) sequenceOrder(c column.Column) func(i, j int) int {
	by := comparer(c)
	if w.c.options.text("sequence.field.sort-order", "ascending") != "descending" {
		return by
	}
	_, null := column.SplitNulls(column.Full(c))
	return func(i, j int) int {
		if null != nil && (null[i] != 0 || null[j] != 0) {
			return by(i, j)
		}
		return -by(i, j)
	}
}

// writeKeyed writes sorted rows to level 0.
func (w *RowWriter) writeKeyed(ctx context.Context, o *openBucket, k *read.Kinded, changelog bool, to *[]paimon.DataFile) error {
	f := w.newKeyed(o.folder, fileKind{changelog: changelog, source: w.source})
	err := f.write(ctx, k)
	if err == nil {
		err = f.end(ctx)
	}
	if err != nil {
		f.abort()
		return err
	}
	*to = append(*to, f.done...)
	return nil
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
	if w.spelled {
		return kinds
	}
	for i, f := range w.layout.header {
		if f.Name != name {
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
