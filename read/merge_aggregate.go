package read

import (
	"bytes"
	"cmp"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata/paimon"
	"lakeserver/types"
)

// kernel says which way of folding a whole column a function has.
type kernel uint8

const (
	kernelNone kernel = iota // record by record
	kernelLast
	kernelLastNonNull
	kernelFirst
	kernelFirstNonNull
	kernelMax
	kernelMin
	kernelSum
)

// aggregate is an aggregate function over the values of one column of a key.
type aggregate struct {
	name   string
	kernel kernel
	step   func(acc, v column.Value) (column.Value, error)
	undo   func(acc, v column.Value) (column.Value, error) // nil: cannot be taken back
	first  bool                                            // keeps what it saw first
	keep   bool                                            // records that take back do not count
}

// commutes tells whether the order of records does not matter.
func (a *aggregate) commutes() bool {
	return a.kernel == kernelMax || a.kernel == kernelMin || a.kernel == kernelSum
}

func (a *aggregate) add(s *state, at int, acc, v column.Value) (column.Value, error) {
	if a.first {
		if s.seen[at] || a.kernel == kernelFirstNonNull && v == nil {
			return acc, nil
		}
		s.seen[at] = true
		return v, nil
	}
	return a.step(acc, v)
}

func (a *aggregate) retract(acc, v column.Value) (column.Value, error) {
	switch {
	case a.keep:
		return acc, nil
	case a.undo == nil:
		return nil, cherr.New(cherr.IncorrectData, "the aggregate function '%s' does not support retraction; fields.<field>.ignore-retract ignores it", a.name)
	}
	return a.undo(acc, v)
}

type stepFunc = func(acc, v column.Value) (column.Value, error)

// both applies a function where neither is NULL; else it gives the one there is.
func both(f stepFunc) stepFunc {
	return func(acc, v column.Value) (column.Value, error) {
		switch {
		case acc == nil:
			return v, nil
		case v == nil:
			return acc, nil
		}
		return f(acc, v)
	}
}

func newAggregate(name string, f *paimon.Field, options map[string]string, t *types.Type) (*aggregate, error) { // long: one case a function
	option := func(key string) string { return options["fields."+f.Name+"."+key] }
	a := &aggregate{name: name, keep: option("ignore-retract") == "true"}
	flat := !isNested(t) && !types.Unwrap(t).IsString()
	wrong := func() (*aggregate, error) {
		return nil, cherr.New(cherr.BadArguments, "aggregate function '%s' is not for type %s", name, f.Type)
	}
	switch name {
	case "sum", "product":
		if f.Type.Kind < paimon.TinyInt || f.Type.Kind > paimon.Decimal {
			return wrong()
		}
		n := &numbers{t: f.Type}
		if name == "sum" {
			a.kernel, a.step, a.undo = kernelSum, both(n.add), n.subtract
		} else {
			a.step, a.undo = both(n.multiply), both(n.divide)
		}
	case "max", "min":
		if isNested(t) {
			return wrong()
		}
		a.kernel = kernelMax
		if name == "min" {
			a.kernel = kernelMin
		}
		greatest := name == "max"
		a.step = both(func(acc, v column.Value) (column.Value, error) {
			if (paimon.CompareValues(v, acc) > 0) == greatest {
				return v, nil
			}
			return acc, nil
		})
	case "last_value":
		a.kernel = kernelLast
		a.step = func(_, v column.Value) (column.Value, error) { return v, nil }
		a.undo = func(_, _ column.Value) (column.Value, error) { return nil, nil }
	case "last_non_null_value":
		a.kernel = kernelLastNonNull
		a.step = func(acc, v column.Value) (column.Value, error) {
			if v == nil {
				return acc, nil
			}
			return v, nil
		}
		a.undo = func(acc, v column.Value) (column.Value, error) {
			if v != nil {
				return nil, nil
			}
			return acc, nil
		}
	case "first_value":
		a.kernel, a.first = kernelFirst, true
	case "first_non_null_value", "first_not_null_value":
		a.kernel, a.first = kernelFirstNonNull, true
	case "bool_or", "bool_and":
		if f.Type.Kind != paimon.Boolean {
			return wrong()
		}
		a.kernel = kernelMax
		if name == "bool_and" {
			a.kernel = kernelMin
		}
		greatest := name == "bool_or"
		a.step = both(func(acc, v column.Value) (column.Value, error) {
			if (paimon.CompareValues(v, acc) > 0) == greatest {
				return v, nil
			}
			return acc, nil
		})
	case "listagg":
		if flat || isNested(t) {
			return wrong()
		}
		a.step = listagg(option("list-agg-delimiter"), option("distinct") == "true")
	case "collect":
		if t.Kind() != types.KindArray {
			return wrong()
		}
		a.step, a.undo = collect(option("distinct") == "true"), uncollect
	case "merge_map":
		if t.Kind() != types.KindMap {
			return wrong()
		}
		a.step, a.undo = both(mergeMaps), unmergeMaps
	case "merge_map_with_keytime":
		if t.Kind() != types.KindMap || f.Type.Elem.Kind != paimon.Row {
			return wrong()
		}
		a.step = both(mergeByTime(f.Type.Elem, option("ts-field")))
	case "nested_update", "nested_partial_update":
		return nestedAggregate(a, f, option)
	case "rbm32":
		a.step = both(mergeBitmaps)
	case "rbm64", "theta_sketch", "hll_sketch":
		a.step = both(func(_, _ column.Value) (column.Value, error) {
			return nil, cherr.New(cherr.NotImplemented, "aggregate function '%s' cannot be merged", name)
		})
	default:
		return nil, cherr.New(cherr.BadArguments, "aggregate function '%s' is not known", name)
	}
	return a, nil
}

// numbers is arithmetic on values of a numeric type. Integers that overflow
// are an error; a decimal beyond its storage is NULL.
type numbers struct{ t *paimon.Type }

func (n *numbers) add(a, b column.Value) (column.Value, error) {
	return n.apply(a, b, (*big.Int).Add, func(x, y float64) float64 { return x + y })
}

func (n *numbers) subtract(acc, v column.Value) (column.Value, error) {
	minus := func(a, b column.Value) (column.Value, error) {
		return n.apply(a, b, (*big.Int).Sub, func(x, y float64) float64 { return x - y })
	}
	switch {
	case v == nil:
		return acc, nil
	case acc == nil:
		return minus(n.zero(), v)
	}
	return minus(acc, v)
}

func (n *numbers) zero() column.Value {
	switch n.t.Kind {
	case paimon.Float:
		return float32(0)
	case paimon.Double:
		return float64(0)
	}
	return int64(0)
}

func (n *numbers) multiply(a, b column.Value) (column.Value, error) {
	if n.t.Kind == paimon.Decimal {
		r := new(big.Rat).SetFrac(new(big.Int).Mul(bigOf(a), bigOf(b)), pow10(2*n.t.Scale))
		return decimalOf(r, n.t), nil
	}
	return n.apply(a, b, (*big.Int).Mul, func(x, y float64) float64 { return x * y })
}

func (n *numbers) divide(a, b column.Value) (column.Value, error) {
	if n.t.Kind != paimon.Float && n.t.Kind != paimon.Double && bigOf(b).Sign() == 0 {
		return nil, cherr.New(cherr.IllegalDivision, "division by zero")
	}
	if n.t.Kind == paimon.Decimal {
		return decimalOf(new(big.Rat).SetFrac(bigOf(a), bigOf(b)), n.t), nil
	}
	return n.apply(a, b, (*big.Int).Quo, func(x, y float64) float64 { return x / y })
}

func (n *numbers) apply(a, b column.Value, whole func(z, x, y *big.Int) *big.Int, float func(x, y float64) float64) (column.Value, error) {
	switch n.t.Kind {
	case paimon.Float:
		x, y := a.(float32), b.(float32)
		return float32(float(float64(x), float64(y))), nil
	case paimon.Double:
		return float(a.(float64), b.(float64)), nil
	}
	z := whole(new(big.Int), bigOf(a), bigOf(b))
	width := map[paimon.Kind]int{paimon.TinyInt: 7, paimon.SmallInt: 15, paimon.Int: 31, paimon.BigInt: 63}[n.t.Kind]
	if n.t.Kind == paimon.Decimal {
		switch width = 127; {
		case n.t.Precision <= 9:
			width = 31
		case n.t.Precision <= 18:
			width = 63
		}
		if !fits(z, width) {
			return nil, nil
		}
		return decimalValue(z, n.t), nil
	}
	if !fits(z, width) {
		return nil, cherr.New(cherr.DecimalOverflow, "%s overflow: %s", n.t.Nullable(), z)
	}
	return castNumber(z.Int64(), &paimon.Type{Kind: paimon.BigInt}, n.t), nil
}

func fits(z *big.Int, bits int) bool {
	if z.Sign() < 0 {
		return new(big.Int).Not(z).BitLen() <= bits
	}
	return z.BitLen() <= bits
}

func listagg(delimiter string, distinct bool) stepFunc {
	if delimiter == "" {
		delimiter = ","
	}
	return func(acc, v column.Value) (column.Value, error) {
		text, _ := v.(string)
		have, _ := acc.(string)
		switch {
		case v == nil || strings.TrimSpace(text) == "":
			return acc, nil
		case acc == nil || strings.TrimSpace(have) == "":
			return v, nil
		case !distinct:
			return have + delimiter + text, nil
		}
		tokens := strings.Split(have, delimiter)
		for _, t := range strings.Split(text, delimiter) {
			if strings.TrimSpace(t) != "" && !slices.Contains(tokens, t) {
				tokens = append(tokens, t)
				have += delimiter + t
			}
		}
		return have, nil
	}
}

func equalValues(a, b column.Value) bool { return reflect.DeepEqual(a, b) }

func indexOf(rows column.Row, v column.Value) int {
	return slices.IndexFunc(rows, func(x column.Value) bool { return equalValues(x, v) })
}

func collect(distinct bool) stepFunc {
	return func(acc, v column.Value) (column.Value, error) {
		if acc == nil && v == nil {
			return nil, nil
		}
		out := column.Row{}
		for _, part := range []column.Value{acc, v} {
			row, _ := part.(column.Row)
			for _, x := range row {
				if !distinct || indexOf(out, x) < 0 {
					out = append(out, x)
				}
			}
		}
		return out, nil
	}
}

// uncollect removes each element once.
func uncollect(acc, v column.Value) (column.Value, error) {
	have, ok := acc.(column.Row)
	if !ok {
		return nil, nil
	}
	gone, _ := v.(column.Row)
	gone = slices.Clone(gone)
	out := column.Row{}
	for _, x := range have {
		if i := indexOf(gone, x); i >= 0 {
			gone = slices.Delete(gone, i, i+1)
			continue
		}
		out = append(out, x)
	}
	return out, nil
}

func put(m column.Entries, e column.Entry) column.Entries {
	for i := range m {
		if equalValues(m[i].Key, e.Key) {
			m[i].Value = e.Value
			return m
		}
	}
	return append(m, e)
}

func mergeMaps(acc, v column.Value) (column.Value, error) {
	out := slices.Clone(acc.(column.Entries))
	for _, e := range v.(column.Entries) {
		out = put(out, e)
	}
	return out, nil
}

func unmergeMaps(acc, v column.Value) (column.Value, error) {
	have, ok := acc.(column.Entries)
	gone, _ := v.(column.Entries)
	if !ok {
		return nil, nil
	}
	return column.Entries(slices.DeleteFunc(slices.Clone(have), func(e column.Entry) bool {
		return slices.ContainsFunc(gone, func(g column.Entry) bool { return equalValues(g.Key, e.Key) })
	})), nil
}

// mergeByTime keeps of each key the value with the greatest time; a value that
// is NULL removes its key.
func mergeByTime(t *paimon.Type, field string) stepFunc {
	at := len(t.Fields) - 1
	for i := range t.Fields {
		if t.Fields[i].Name == field {
			at = i
		}
	}
	return func(acc, v column.Value) (column.Value, error) {
		out := slices.Clone(acc.(column.Entries))
		for _, e := range v.(column.Entries) {
			i := slices.IndexFunc(out, func(x column.Entry) bool { return equalValues(x.Key, e.Key) })
			row, _ := e.Value.(column.Row)
			switch {
			case allNull(row):
				if i >= 0 {
					out = slices.Delete(out, i, i+1)
				}
			case row[at] == nil:
			case i < 0:
				out = append(out, e)
			default:
				old, _ := out[i].Value.(column.Row)
				if len(old) == 0 || old[at] == nil || compareBoxed(row[at], old[at]) > 0 {
					out[i].Value = e.Value
				}
			}
		}
		return out, nil
	}
}

// allNull: a row that is NULL reads as a row of NULLs.
func allNull(row column.Row) bool {
	return !slices.ContainsFunc(row, func(v column.Value) bool { return v != nil })
}

// compareBoxed compares times as Paimon does there, as text, unless they are
// numbers.
func compareBoxed(a, b column.Value) int {
	x, okX := a.(string)
	y, okY := b.(string)
	if okX && okY {
		return cmp.Compare(x, y)
	}
	return paimon.CompareValues(a, b)
}

func nestedAggregate(a *aggregate, f *paimon.Field, option func(string) string) (*aggregate, error) {
	if f.Type.Kind != paimon.Array || f.Type.Elem.Kind != paimon.Row {
		return nil, cherr.New(cherr.BadArguments, "aggregate function '%s' is for ARRAY<ROW>, not %s", a.name, f.Type)
	}
	n := &nestedRows{limit: 1<<31 - 1, partial: a.name == "nested_partial_update"}
	fields := f.Type.Elem.Fields
	for _, name := range paimon.SplitList(option("nested-key")) {
		at := slices.IndexFunc(fields, func(x paimon.Field) bool { return x.Name == name })
		if at < 0 {
			return nil, cherr.New(cherr.BadArguments, "nested-key names `%s`, which is no field of %s", name, f.Type.Elem)
		}
		n.key = append(n.key, at)
		n.types = append(n.types, fields[at].Type)
	}
	for _, name := range paimon.SplitList(option("nested-sequence-field")) {
		if at := slices.IndexFunc(f.Type.Elem.Fields, func(x paimon.Field) bool { return x.Name == name }); at >= 0 {
			n.seq = append(n.seq, at)
		}
	}
	if l, err := strconv.Atoi(option("count-limit")); err == nil {
		n.limit = l
	}
	if n.partial && n.key == nil {
		return nil, cherr.New(cherr.BadArguments, "nested_partial_update needs fields.%s.nested-key", f.Name)
	}
	a.step = n.add
	if !n.partial {
		a.undo = n.remove
	}
	return a, nil
}

// nestedRows are rows inside of an array, by key.
type nestedRows struct {
	key, seq []int
	types    []*paimon.Type // of the key
	limit    int
	partial  bool
}

// inOrder puts rows into the order that Paimon's engine gives: that in which a
// Java HashMap walks their keys. Rows without a key stay as they came.
func (n *nestedRows) inOrder(rows column.Row) column.Row {
	if n.key == nil || len(rows) < 2 {
		return rows
	}
	size := 16
	for len(rows)*4 > size*3 {
		size *= 2
	}
	place := func(v column.Value) uint32 {
		row, _ := v.(column.Row)
		key := make(column.Row, len(n.key))
		for i, at := range n.key {
			key[i] = row[at]
		}
		h := uint32(paimon.Hash(key, n.types))
		return (h ^ h>>16) & uint32(size-1)
	}
	slices.SortStableFunc(rows, func(a, b column.Value) int { return cmp.Compare(place(a), place(b)) })
	return rows
}

func (n *nestedRows) find(rows column.Row, r column.Row) int {
	return slices.IndexFunc(rows, func(v column.Value) bool {
		x, _ := v.(column.Row)
		for _, k := range n.key {
			if !equalValues(x[k], r[k]) {
				return false
			}
		}
		return true
	})
}

func (n *nestedRows) add(acc, v column.Value) (column.Value, error) {
	in, ok := v.(column.Row)
	if !ok {
		return acc, nil
	}
	out, _ := acc.(column.Row)
	out = slices.Clone(out)
	if acc == nil && n.key != nil {
		out = column.Row{}
	}
	for _, x := range in {
		row, _ := x.(column.Row)
		if allNull(row) {
			continue
		}
		at := -1
		if n.key != nil {
			at = n.find(out, row)
		}
		switch {
		case at < 0 && len(out) < n.limit:
			out = append(out, slices.Clone(row))
		case at < 0:
		case n.partial:
			old := slices.Clone(out[at].(column.Row))
			for i, v := range row {
				if v != nil {
					old[i] = v
				}
			}
			out[at] = old
		case n.notOlder(row, out[at].(column.Row)):
			out[at] = row
		}
	}
	if out == nil {
		out = column.Row{}
	}
	if acc == nil {
		return out, nil // a single record is shown as it was written
	}
	return n.inOrder(out), nil
}

func (n *nestedRows) notOlder(a, b column.Row) bool {
	for _, at := range n.seq {
		if c := paimon.CompareValues(a[at], b[at]); c != 0 {
			return c > 0
		}
	}
	return true
}

func (n *nestedRows) remove(acc, v column.Value) (column.Value, error) {
	have, ok := acc.(column.Row)
	gone, some := v.(column.Row)
	if !ok || !some {
		return acc, nil
	}
	out := slices.Clone(have)
	for _, x := range gone {
		row, _ := x.(column.Row)
		out = slices.DeleteFunc(out, func(y column.Value) bool {
			if n.key == nil {
				return equalValues(x, y)
			}
			return n.find(column.Row{y}, row) == 0
		})
	}
	return out, nil
}

// mergeBitmaps joins two serialized 32-bit roaring bitmaps.
func mergeBitmaps(acc, v column.Value) (column.Value, error) {
	sets := [2]*roaring.Bitmap{}
	for i, x := range []column.Value{acc, v} {
		s, _ := x.(string)
		sets[i] = roaring.New()
		if _, err := sets[i].ReadFrom(bytes.NewReader([]byte(s))); err != nil {
			return nil, cherr.New(cherr.IncorrectData, "a roaring bitmap is damaged: %s", err)
		}
	}
	sets[0].Or(sets[1])
	var b bytes.Buffer
	if _, err := sets[0].WriteTo(&b); err != nil {
		return nil, cherr.New(cherr.LogicalError, "%s", err)
	}
	return b.String(), nil
}
