package pruning

import (
	"math/big"
	"slices"
	"unicode/utf8"

	"lakeserver/column"
	"lakeserver/metadata/paimon"
	"lakeserver/types"
)

// Paimon prunes manifests, buckets and files of a Paimon table. It is immutable
// and safe for concurrent use. nil keeps everything.
type Paimon struct {
	filter     *Filter
	schema     *paimon.Schema // whose field ids and types the filter is bound to
	partitions []paimon.Field
	keys       []paimon.Field // of a primary-key table
	byParts    *Filter        // the conjuncts over partition columns alone
	byKeys     *Filter        // the conjuncts over key and partition columns alone
	bucketKeys []column.Row   // the only bucket keys that can match; nil: any
	bucket     *paimon.BucketFunction
}

// NewPaimon makes a pruner; nil for a filter that judges nothing. Columns of
// the filter carry Paimon's field ids, and are of the types of ClickHouseType.
func NewPaimon(f *Filter, schema *paimon.Schema) *Paimon {
	if f == nil {
		return nil
	}
	p := &Paimon{filter: f, schema: schema, partitions: schema.PartitionFields()}
	if schema.HasPrimaryKey() {
		p.keys = schema.TrimmedKeys()
	}
	p.byParts = f.Over(idsOf(p.partitions))
	p.byKeys = f.Over(append(idsOf(p.partitions), idsOf(p.keys)...))
	p.findBuckets()
	return p
}

func idsOf(fields []paimon.Field) []int {
	out := make([]int, len(fields))
	for i := range fields {
		out[i] = fields[i].ID
	}
	return out
}

// findBuckets works out which bucket keys the filter leaves, if it fixes all
// their columns.
func (p *Paimon) findBuckets() {
	if n := p.schema.Options["bucket"]; n == "" || n == "-1" || n == "-2" {
		return
	}
	bucket, err := p.schema.BucketFunction()
	fields := p.schema.BucketKeys()
	if err != nil || len(fields) == 0 {
		return
	}
	rows := []column.Row{{}}
	for _, f := range fields {
		values, ok := p.filter.Values(f.ID)
		if !ok || len(values)*len(rows) > maxAsked {
			return
		}
		var next []column.Row
		for _, r := range rows {
			for _, v := range values {
				next = append(next, append(slices.Clone(r), v))
			}
		}
		rows = next
	}
	p.bucket, p.bucketKeys = bucket, rows
}

// rangeMap is a container of which the ranges of some fields are known.
type rangeMap map[int]Range

func (m rangeMap) Range(id int) Range { return m[id] }

// ManifestMightMatch judges a manifest by the partitions of its files.
func (p *Paimon) ManifestMightMatch(m *paimon.ManifestFile) bool {
	if p == nil || p.byParts == nil {
		return true
	}
	ranges := rangeMap{}
	addStats(ranges, p.partitions, p.partitions, &m.Partitions, -1, whole)
	return p.byParts.MightMatch(ranges)
}

// PartitionMightMatch judges all files of a partition.
func (p *Paimon) PartitionMightMatch(partition column.Row) bool {
	if p == nil || p.byParts == nil {
		return true
	}
	return p.byParts.MightMatch(p.partitionRanges(partition))
}

func (p *Paimon) partitionRanges(partition column.Row) rangeMap {
	ranges := rangeMap{}
	for i, f := range p.partitions {
		ranges[f.ID] = valueRangeOf(partition[i])
	}
	return ranges
}

func valueRangeOf(v column.Value) Range {
	switch x := v.(type) {
	case nil:
		return Range{Nulls: All, NaNs: None, Exact: true}
	case float32:
		if x != x {
			return Range{Nulls: None, NaNs: All}
		}
	case float64:
		if x != x {
			return Range{Nulls: None, NaNs: All}
		}
	}
	return Range{Lo: v, Hi: v, Nulls: None, NaNs: None, Exact: true}
}

// BucketMightMatch judges a bucket of a table with as many of them.
func (p *Paimon) BucketMightMatch(bucket, of int) bool {
	if p == nil || p.bucketKeys == nil || of <= 0 || bucket < 0 {
		return true
	}
	for _, k := range p.bucketKeys {
		if p.bucket.Bucket(k, of) == bucket {
			return true
		}
	}
	return false
}

// KeysMightMatch judges a file by its partition and the bounds of its keys
// alone: that is sound for every file of a primary-key table, whatever other
// files say of the same keys.
func (p *Paimon) KeysMightMatch(e *paimon.Entry, partition column.Row, file *paimon.Schema) bool {
	if p == nil || p.byKeys == nil || p.keys == nil {
		return true
	}
	ranges := p.partitionRanges(partition)
	addStats(ranges, p.keys, file.TrimmedKeys(), &paimon.Stats{Min: e.File.MinKey, Max: e.File.MaxKey}, -1, whole) // a key is never NULL
	return p.byKeys.MightMatch(ranges)
}

// FileMightMatch judges a file by its partition and the bounds of its columns.
func (p *Paimon) FileMightMatch(e *paimon.Entry, partition column.Row, file *paimon.Schema) bool {
	if p == nil {
		return true
	}
	return p.filter.MightMatch(p.fileRanges(e, partition, file))
}

func (p *Paimon) fileRanges(e *paimon.Entry, partition column.Row, file *paimon.Schema) rangeMap {
	ranges := PaimonRanges(e, file, p.schema)
	for id, r := range p.partitionRanges(partition) {
		ranges[id] = r
	}
	return ranges
}

// PaimonColumns is a file that holds some columns of a range of rows.
type PaimonColumns struct {
	Entry  *paimon.Entry
	Schema *paimon.Schema // of the file
	Fields []paimon.Field // that it holds
	Silent bool           // its statistics say nothing: large objects, vectors
}

// RowsMightMatch judges rows whose columns lie in several files, newest first:
// of a column the newest file that wrote it counts. partition is of them all.
func (p *Paimon) RowsMightMatch(files []PaimonColumns, rows int64, partition column.Row) bool {
	if p == nil {
		return true
	}
	ranges := rangeMap{}
	for i := range p.schema.Fields {
		f := &p.schema.Fields[i]
		if f.Type.Nested() {
			continue
		}
		at := slices.IndexFunc(files, func(c PaimonColumns) bool { return hasField(c.Fields, f.ID) })
		switch {
		case at < 0: // added since: NULL in every row
			ranges[f.ID] = Range{Nulls: All, NaNs: None}
		case files[at].Silent || files[at].Entry.File.Rows != rows || at+1 < len(files) && hasField(files[at+1].Fields, f.ID) &&
			files[at+1].Entry.File.MaxSequence == files[at].Entry.File.MaxSequence:
		default:
			if r, ok := PaimonRanges(files[at].Entry, files[at].Schema, p.schema)[f.ID]; ok {
				ranges[f.ID] = r
			}
		}
	}
	for id, r := range p.partitionRanges(partition) {
		ranges[id] = r
	}
	return p.filter.MightMatch(ranges)
}

func hasField(fields []paimon.Field, id int) bool {
	return slices.ContainsFunc(fields, func(f paimon.Field) bool { return f.ID == id })
}

// FilterWithin gives the filter; for what else can judge a file by it.
func (p *Paimon) FilterWithin() *Filter {
	if p == nil {
		return nil
	}
	return p.filter
}

// PaimonRanges gives what a manifest knows of a file's columns, by the field
// ids and in the types of a table's schema.
func PaimonRanges(e *paimon.Entry, file, table *paimon.Schema) rangeMap {
	ranges := rangeMap{}
	fields, err := file.StatsFields(&e.File)
	if err != nil {
		return ranges
	}
	addStats(ranges, table.Fields, fields, &e.File.ValueStats, e.File.Rows, file.StatsCut)
	if e.File.WriteCols != nil {
		return ranges
	}
	for i := range table.Fields {
		if f := &table.Fields[i]; file.FieldByID(f.ID) == nil && !f.Type.Nested() {
			ranges[f.ID] = Range{Nulls: All, NaNs: None} // added since: NULL in every row
		}
	}
	return ranges
}

// addStats reads bounds over the fields of a file as ranges of a table's
// fields. rows is -1 where it is not known; cut gives the characters to which
// bounds of text are cut.
func addStats(ranges rangeMap, table, file []paimon.Field, s *paimon.Stats, rows int64, cut func(column string) int) {
	ts := paimon.TypesOf(file)
	lo, errLo := paimon.DecodeRow(s.Min, ts)
	hi, errHi := paimon.DecodeRow(s.Max, ts)
	if errLo != nil || errHi != nil {
		return
	}
	for i := range file {
		at := slices.IndexFunc(table, func(f paimon.Field) bool { return f.ID == file[i].ID })
		if at < 0 || file[i].Type.Nested() {
			continue
		}
		r := Range{}
		if i < len(s.Nulls) && s.Nulls[i] >= 0 {
			switch {
			case s.Nulls[i] == 0:
				r.Nulls = None
			case rows >= 0 && s.Nulls[i] >= rows:
				r.Nulls = All
			}
		}
		t := file[i].Type
		if t.Kind != paimon.Float && t.Kind != paimon.Double {
			r.NaNs = None
		}
		var okLo, okHi bool
		if r.Lo, okLo = promote(lo[i], t, table[at].Type); !okLo {
			r.Lo = nil
		}
		if r.Hi, okHi = promote(hi[i], t, table[at].Type); !okHi {
			r.Hi = nil
		}
		if isNaN(r.Lo) || isNaN(r.Hi) {
			r.Lo, r.Hi = nil, nil
		}
		r.Exact = okLo && okHi && r.Lo != nil && r.Hi != nil && r.NaNs == None
		if t.IsText() || t.IsBytes() {
			r.Exact = r.Exact && isShort(r.Lo, cut(file[i].Name)) && isShort(r.Hi, cut(file[i].Name))
		}
		if table[at].Type.NotNull && r.Nulls != None && rows >= 0 {
			r = Range{} // a NULL reads as the type's default
		}
		ranges[file[i].ID] = r
	}
}

// whole is of bounds that are never cut.
func whole(string) int { return paimon.MaxLength }

func isShort(v Value, cut int) bool {
	s, _ := v.(string)
	return utf8.RuneCountInString(s) < cut
}

func isNaN(v Value) bool {
	switch x := v.(type) {
	case float32:
		return x != x
	case float64:
		return x != x
	}
	return false
}

// promote brings a bound to the type that a column has now; ok is false where
// the change of type may not keep the order.
func promote(v Value, from, to *paimon.Type) (Value, bool) {
	if v == nil || from.Equal(to) {
		return v, true
	}
	if from.IsText() && to.IsText() {
		return v, true
	}
	if from.Kind == paimon.Decimal && to.Kind == paimon.Decimal {
		return promoteDecimal(v, from, to)
	}
	n, isInt := integerOf(v)
	switch {
	case from.Kind == paimon.Float && to.Kind == paimon.Double:
		x, ok := v.(float32)
		return float64(x), ok
	case !isInt || from.Kind > paimon.BigInt || from.Kind < paimon.TinyInt || to.Kind < from.Kind:
		return nil, false
	}
	switch to.Kind {
	case paimon.SmallInt:
		return int16(n), true
	case paimon.Int:
		return int32(n), true
	case paimon.BigInt:
		return n, true
	}
	return nil, false
}

// promoteDecimal adds digits behind the point.
func promoteDecimal(v Value, from, to *paimon.Type) (Value, bool) {
	if to.Scale < from.Scale || to.Precision-to.Scale < from.Precision-from.Scale {
		return nil, false
	}
	r, ok := rational(types.Decimal(from.Precision, from.Scale), v)
	if !ok {
		return nil, false
	}
	r.Mul(r, new(big.Rat).SetInt(pow10(to.Scale)))
	return intValue(types.Decimal(to.Precision, to.Scale), r.Num()), r.IsInt()
}

func integerOf(v Value) (int64, bool) {
	switch x := v.(type) {
	case int8:
		return int64(x), true
	case int16:
		return int64(x), true
	case int32:
		return int64(x), true
	case int64:
		return x, true
	}
	return 0, false
}
