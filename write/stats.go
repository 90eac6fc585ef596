package write

import (
	"bytes"
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// StatsMode says what is counted of a leaf.
type StatsMode uint8

// The modes.
const (
	StatsBounds StatsMode = iota // counts, least and greatest value
	StatsCounts
	StatsNone
)

// ColumnStats is what is known of a leaf that stands once in each row. Counts
// are -1 when not counted (NaNs: for types without one); Low and High are in
// physical form, nil when there is no value.
type ColumnStats struct {
	ID                         int
	Values, Nulls, NaNs, Bytes int64
	Low, High                  column.Value
}

// collector counts the leaves of a file. What is inside lists and maps is not
// counted: its values have no rows of their own.
type collector struct {
	leaves []leaf
}

type leaf struct {
	ColumnStats
	path  []int // column, then elements of tuples
	mode  StatsMode
	float bool
}

func newCollector(header column.Header, fields []Field) *collector {
	c := &collector{}
	for i, f := range header {
		c.enter(f.Type, fields[i], []int{i})
	}
	return c
}

func (c *collector) enter(t *types.Type, f Field, path []int) {
	t = types.Unwrap(t)
	switch t.Kind() {
	case types.KindArray, types.KindMap:
		return
	case types.KindTuple:
		for i, e := range t.Elems() {
			if i < len(f.Children) {
				c.enter(e, f.Children[i], append(path[:len(path):len(path)], i))
			}
		}
		return
	}
	l := leaf{path: path, mode: f.Stats, float: t.Kind() == types.KindFloat32 || t.Kind() == types.KindFloat64}
	l.ColumnStats = ColumnStats{ID: f.ID, NaNs: -1, Bytes: -1}
	if f.Stats == StatsNone {
		l.Values, l.Nulls = -1, -1
	} else if l.float {
		l.NaNs = 0
	}
	c.leaves = append(c.leaves, l)
}

func (c *collector) columns() []ColumnStats {
	out := make([]ColumnStats, len(c.leaves))
	for i := range c.leaves {
		out[i] = c.leaves[i].ColumnStats
	}
	return out
}

// add counts a block, several leaves at once.
func (c *collector) add(ctx context.Context, b *column.Block, workers int) error {
	if workers <= 1 || b.Rows < 4096 {
		for i := range c.leaves {
			c.leaves[i].add(b)
		}
		return nil
	}
	g, _ := cherr.NewGroup(ctx)
	g.SetLimit(workers)
	for i := range c.leaves {
		g.Go(func() error { // ends with the leaf's rows
			c.leaves[i].add(b)
			return nil
		})
	}
	return g.Wait()
}

func (l *leaf) add(b *column.Block) {
	if l.mode == StatsNone {
		return
	}
	if d, ok := b.Columns[l.path[0]].(*column.Dict); ok && len(l.path) == 1 && !l.float {
		l.dictionary(d)
		return
	}
	values, null := column.SplitNulls(column.Full(b.Columns[l.path[0]]))
	for _, at := range l.path[1:] {
		inner, more := column.SplitNulls(values.(*column.Tuple).Elems[at])
		values, null = inner, column.OrNulls(null, more)
	}
	l.Values += int64(b.Rows)
	nulls := 0
	for _, n := range null {
		nulls += int(n)
	}
	l.Nulls += int64(nulls)
	switch {
	case nulls == b.Rows:
		return
	case nulls == 0:
		null = nil
	}
	if l.mode == StatsBounds || l.float {
		l.bounds(values, null)
	}
}

// dictionary counts codes, and looks only at the values that some row has.
func (l *leaf) dictionary(d *column.Dict) {
	seen := make([]uint32, d.Values.Len())
	for _, code := range d.Codes {
		seen[code]++
	}
	_, null := column.SplitNulls(d.Values)
	l.Values += int64(len(d.Codes))
	var used []uint32
	for code, n := range seen {
		switch {
		case n == 0:
		case null != nil && null[code] != 0:
			l.Nulls += int64(n)
		default:
			used = append(used, uint32(code))
		}
	}
	if len(used) > 0 && l.mode == StatsBounds {
		values, _ := column.SplitNulls(d.Values)
		l.bounds(values.Gather(used), nil)
	}
}

func (l *leaf) bounds(c column.Column, null []uint8) { // long: one case a form
	switch c := c.(type) {
	case *column.Fixed[uint8]:
		ordered(l, c.Values, null)
	case *column.Fixed[int8]:
		ordered(l, c.Values, null)
	case *column.Fixed[int16]:
		ordered(l, c.Values, null)
	case *column.Fixed[uint16]:
		ordered(l, c.Values, null)
	case *column.Fixed[int32]:
		ordered(l, c.Values, null)
	case *column.Fixed[uint32]:
		ordered(l, c.Values, null)
	case *column.Fixed[int64]:
		ordered(l, c.Values, null)
	case *column.Fixed[uint64]:
		ordered(l, c.Values, null)
	case *column.Fixed[float32]:
		floats(l, c.Values, null)
	case *column.Fixed[float64]:
		floats(l, c.Values, null)
	case *column.Fixed[types.I128]:
		wide(l, c.Values, null, types.I128.Cmp)
	case *column.Fixed[types.U128]:
		wide(l, c.Values, null, types.U128.Cmp)
	case *column.Fixed[types.I256]:
		wide(l, c.Values, null, types.I256.Cmp)
	case *column.Str:
		l.text(c, null)
	}
}

// ordered widens the bounds by the values that are not NULL.
func ordered[T column.Ordered](l *leaf, v []T, null []uint8) {
	i := 0
	for null != nil && null[i] != 0 {
		i++
	}
	low, high := v[i], v[i]
	if null == nil {
		for _, x := range v[i:] {
			low, high = min(low, x), max(high, x)
		}
	} else {
		for ; i < len(v); i++ {
			if null[i] == 0 {
				low, high = min(low, v[i]), max(high, v[i])
			}
		}
	}
	if old, ok := l.Low.(T); ok {
		low, high = min(low, old), max(high, l.High.(T))
	}
	l.Low, l.High = low, high
}

// floats counts NaN apart: it is in no bound.
func floats[T float32 | float64](l *leaf, v []T, null []uint8) {
	var low, high T
	any := false
	for i, x := range v {
		switch {
		case null != nil && null[i] != 0:
		case x != x:
			l.NaNs++
		case !any:
			low, high, any = x, x, true
		default:
			low, high = min(low, x), max(high, x)
		}
	}
	if !any || l.mode != StatsBounds {
		return
	}
	if old, ok := l.Low.(T); ok {
		low, high = min(low, old), max(high, l.High.(T))
	}
	l.Low, l.High = low, high
}

func wide[T types.I128 | types.U128 | types.I256](l *leaf, v []T, null []uint8, cmp func(a, b T) int) {
	low, ok := l.Low.(T)
	high, _ := l.High.(T)
	for i, x := range v {
		switch {
		case null != nil && null[i] != 0:
		case !ok:
			low, high, ok = x, x, true
		case cmp(x, low) < 0:
			low = x
		case cmp(x, high) > 0:
			high = x
		}
	}
	l.Low, l.High = low, high
}

func (l *leaf) text(c *column.Str, null []uint8) {
	var low, high []byte
	for i := range c.Len() {
		if null != nil && null[i] != 0 {
			continue
		}
		x := c.At(i)
		switch {
		case low == nil:
			low, high = x, x
		case bytes.Compare(x, low) < 0:
			low = x
		case bytes.Compare(x, high) > 0:
			high = x
		}
	}
	if old, ok := l.Low.(string); !ok || string(low) < old {
		l.Low = string(low)
	}
	if old, ok := l.High.(string); !ok || string(high) > old {
		l.High = string(high)
	}
}
