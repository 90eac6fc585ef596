package pruning

import (
	"sync"

	"lakeserver/metadata/iceberg"
)

// Iceberg prunes manifests and files of an Iceberg table. It is safe for
// concurrent use. nil keeps everything.
type Iceberg struct {
	filter *Filter
	schema *iceberg.Schema // whose field ids and types the filter is bound to
	ids    []int

	mu    sync.Mutex
	specs map[*iceberg.PartitionSpec]*SpecCheck
}

// NewIceberg makes a pruner; nil for a filter that judges nothing.
func NewIceberg(f *Filter, schema *iceberg.Schema) *Iceberg {
	if f == nil {
		return nil
	}
	return &Iceberg{filter: f, schema: schema, ids: f.Fields(), specs: map[*iceberg.PartitionSpec]*SpecCheck{}}
}

// ManifestMightMatch judges a manifest by its summaries in the manifest list.
func (p *Iceberg) ManifestMightMatch(m *iceberg.TableMetadata, f *iceberg.ManifestFile) bool {
	if p == nil || f.Partitions == nil {
		return true
	}
	spec := m.Spec(f.SpecID)
	if spec == nil || len(spec.Fields) != len(f.Partitions) {
		return true
	}
	c := p.ForSpec(m, spec)
	if !c.judges {
		return true
	}
	values := make([]partitionRange, len(spec.Fields))
	for i := range spec.Fields {
		values[i] = summaryRange(c.fields[i].result, &f.Partitions[i])
	}
	return p.filter.MightMatch(&partitionStats{c, values})
}

// summaryRange reads a field summary. A lower bound that is missing though the
// summary is there says that all values are NULL or NaN.
func summaryRange(t *iceberg.Type, s *iceberg.FieldSummary) partitionRange {
	r := partitionRange{nulls: Maybe, nans: Maybe}
	if !s.ContainsNull {
		r.nulls = None
	}
	if s.ContainsNaN == 0 {
		r.nans = None
	}
	if t == nil {
		return r
	}
	if s.Lower == nil && s.Upper == nil && r.nans == None && s.ContainsNull {
		r.nulls = All
	}
	lo, okLo := iceberg.DecodeBound(t, s.Lower)
	hi, okHi := iceberg.DecodeBound(t, s.Upper)
	if s.Lower != nil && okLo {
		r.lo = lo
	}
	if s.Upper != nil && okHi {
		r.hi = hi
	}
	if r.lo != nil && r.hi != nil {
		if c, ok := compare(r.lo, r.hi); !ok || c > 0 {
			r.lo, r.hi = nil, nil
		}
	}
	return r
}

// SpecCheck judges files of one partition spec.
type SpecCheck struct {
	p      *Iceberg
	fields []specField
	judges bool // some field is over a column of the filter
}

// specField is a partition field with its types.
type specField struct {
	iceberg.PartitionField
	source *iceberg.Type // the column's present type; nil: not known
	result *iceberg.Type // of the partition values; nil: not known
}

// ForSpec gives the check of a spec; it is made once.
func (p *Iceberg) ForSpec(m *iceberg.TableMetadata, spec *iceberg.PartitionSpec) *SpecCheck {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.specs[spec]; c != nil {
		return c
	}
	c := &SpecCheck{p: p}
	for _, f := range spec.Fields {
		sf := specField{PartitionField: f, result: m.PartitionType(f)}
		if field := p.schema.Field(f.SourceID); field != nil {
			sf.source = field.Type
			for _, id := range p.ids {
				c.judges = c.judges || id == f.SourceID
			}
			// Values are kept in the type of the newest schema; a filter over an
			// older one (time travel) may see another.
			if now := m.FieldEver(f.SourceID); now == nil || now.Type.String() != field.Type.String() {
				sf.source = nil
			}
		}
		c.fields = append(c.fields, sf)
	}
	p.specs[spec] = c
	return c
}

// FileMightMatch judges a file by its partition values, then by its columns'
// statistics. Delete files are judged by partition alone: what they hold says
// little about the rows that they delete.
func (c *SpecCheck) FileMightMatch(f *iceberg.DataFile) (bool, Reason) {
	if c == nil {
		return true, Kept
	}
	if c.judges && !c.partitionMightMatch(f) {
		return false, ByPartition
	}
	if f.Content != iceberg.DataContent || len(f.Stats) == 0 {
		return true, Kept
	}
	if !c.p.filter.MightMatch(&FileStats{f, c.p.schema}) {
		return false, ByBounds
	}
	return true, Kept
}

// partitionMightMatch judges a file by its partition values.
func (c *SpecCheck) partitionMightMatch(f *iceberg.DataFile) bool {
	if len(f.Partition) != len(c.fields) {
		return true
	}
	values := make([]partitionRange, len(c.fields))
	for i := range values {
		values[i] = valueRange(f, i)
	}
	return c.p.filter.MightMatch(&partitionStats{c, values})
}

// Columns gives the ids of the columns whose statistics the filter asks for.
func (p *Iceberg) Columns() []int {
	if p == nil {
		return nil
	}
	return p.ids
}

func valueRange(f *iceberg.DataFile, i int) partitionRange {
	if i >= 64 || f.Unreadable&(1<<i) != 0 {
		return partitionRange{}
	}
	switch v := f.Partition[i].(type) {
	case nil:
		return partitionRange{nulls: All, nans: None, exact: true}
	case float32:
		if v != v {
			return partitionRange{nulls: None, nans: All}
		}
	case float64:
		if v != v {
			return partitionRange{nulls: None, nans: All}
		}
	}
	return partitionRange{lo: f.Partition[i], hi: f.Partition[i], nulls: None, nans: None, exact: true}
}

// FileStats is what a manifest entry knows of a file's columns.
type FileStats struct {
	File   *iceberg.DataFile
	Schema *iceberg.Schema
}

// Range gives bounds and counts of a column.
func (s *FileStats) Range(id int) Range {
	st, f := s.File.Stat(id), s.Schema.Field(id)
	if st == nil || f == nil {
		return Range{}
	}
	return rangeOf(st, f)
}

// rangeOf reads statistics of a file's column in the present type of its field.
func rangeOf(st *iceberg.ColumnStat, f *iceberg.Field) Range {
	var r Range
	switch {
	case st.Nulls == 0:
		r.Nulls = None
	case st.Nulls > 0 && st.Values > 0 && st.Nulls >= st.Values:
		r.Nulls = All
	}
	isFloat := f.Type.Kind == iceberg.Float || f.Type.Kind == iceberg.Double
	switch {
	case !isFloat || st.NaNs == 0:
		r.NaNs = None
	case st.NaNs > 0 && st.Nulls >= 0 && st.Values > 0 && st.NaNs+st.Nulls >= st.Values:
		if st.Nulls == 0 {
			r.NaNs = All
		}
	}
	if st.Lower != nil {
		if v, ok := iceberg.DecodeBound(f.Type, st.Lower); ok {
			r.Lo = v
		}
	}
	if st.Upper != nil {
		if v, ok := iceberg.DecodeBound(f.Type, st.Upper); ok {
			r.Hi = v
		}
	}
	// Text and bytes may be cut short; a decimal of one writer was rounded.
	switch f.Type.Kind {
	case iceberg.Int, iceberg.Long, iceberg.Date, iceberg.Time, iceberg.Timestamp, iceberg.TimestampTZ,
		iceberg.TimestampNS, iceberg.TimestampTZNS, iceberg.Boolean, iceberg.UUID:
		r.Exact = true
	}
	if f.Required && r.Nulls != None {
		return Range{} // a NULL (of a struct around it) reads as the type's default
	}
	return r
}
