package iceberg

import (
	"strconv"
	"strings"

	"lakeserver/column"
	"lakeserver/metadata/iceberg"
	"lakeserver/write"
)

// metricsModes gives each leaf its mode: the column's own property, then the
// table's default, which only the first leaves of a wide table get. Columns
// that files are sorted by always have bounds.
func metricsModes(m *iceberg.TableMetadata, schema *iceberg.Schema) map[int]metricsMode {
	out := map[int]metricsMode{}
	def, said := parseMetrics(m.Properties["write.metadata.metrics.default"])
	if !said {
		def = metricsMode{cut: defaultCut}
	}
	most := int(intProperty(m.Properties, "write.metadata.metrics.max-inferred-column-defaults", 100))
	own := prefixed(m.Properties, "write.metadata.metrics.column.")
	sorted := map[int]bool{}
	for _, f := range m.SortOrder(m.DefaultSortOrderID).Fields {
		sorted[f.SourceID] = true
	}
	n := 0
	eachLeaf(schema.Fields, "", func(f *iceberg.Field, name string) {
		n++
		mode := def
		if !said && n > most {
			mode = metricsMode{stats: write.StatsNone}
		}
		if sorted[f.ID] && mode.stats != write.StatsBounds {
			mode = metricsMode{cut: defaultCut}
		}
		if x, ok := parseMetrics(own[name]); ok {
			mode = x
		}
		out[f.ID] = mode
	})
	return out
}

// eachLeaf calls f with the primitive fields, those of one level first.
func eachLeaf(fields []iceberg.Field, prefix string, f func(f *iceberg.Field, name string)) {
	for i := range fields {
		if !fields[i].Type.Nested() {
			f(&fields[i], prefix+fields[i].Name)
		}
	}
	for i := range fields {
		t, name := fields[i].Type, prefix+fields[i].Name+"."
		eachLeaf(t.Fields, name, f)
		for _, p := range []*iceberg.Field{t.Elem, t.Key, t.Value} {
			if p != nil {
				eachLeaf([]iceberg.Field{*p}, name, f)
			}
		}
	}
}

func parseMetrics(text string) (mode metricsMode, ok bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	switch text {
	case "none":
		return metricsMode{stats: write.StatsNone}, true
	case "counts":
		return metricsMode{stats: write.StatsCounts}, true
	case "full":
		return metricsMode{}, true
	}
	if arg, ok := strings.CutPrefix(text, "truncate("); ok {
		if n, err := strconv.Atoi(strings.TrimSuffix(arg, ")")); err == nil && n > 0 {
			return metricsMode{cut: n}, true
		}
	}
	return mode, false
}

// dataFile describes a file as its manifest entry does.
func (l *Layout) dataFile(f *write.File, path string, spec *iceberg.PartitionSpec, tuple []column.Value, sortOrder int) NewFile {
	format := "PARQUET"
	if l.opt.Format == write.Avro {
		format = "AVRO"
	}
	out := NewFile{SpecID: spec.ID, Sequence: -1, DataFile: iceberg.DataFile{
		Path: path, Format: format, Records: f.Rows, Size: f.Size, Partition: tuple, SplitOffsets: f.SplitOffsets,
		SortOrderID: sortOrder, FirstRowID: -1, ContentOffset: -1, ContentSize: -1,
	}}
	for i := range f.Columns {
		if s, ok := l.stat(&f.Columns[i]); ok {
			out.Stats = append(out.Stats, s)
		}
	}
	return out
}

func (l *Layout) stat(c *write.ColumnStats) (iceberg.ColumnStat, bool) {
	field := l.kinds[c.ID]
	if field == nil {
		return iceberg.ColumnStat{}, false // a column of lineage
	}
	mode := l.modes[c.ID]
	if mode.stats == write.StatsNone {
		return iceberg.ColumnStat{}, false
	}
	s := iceberg.ColumnStat{ID: int32(c.ID), Values: c.Values, Nulls: c.Nulls, NaNs: c.NaNs, Bytes: c.Bytes}
	if c.Low == nil || mode.stats != write.StatsBounds {
		return s, true
	}
	low, high := iceberg.WidenZero(c.Low, c.High)
	s.Lower, s.Upper = iceberg.EncodeBound(field.Type, low), iceberg.EncodeBound(field.Type, high)
	if mode.cut > 0 {
		s.Lower = iceberg.TruncateLower(field.Type, s.Lower, mode.cut)
		if up, ok := iceberg.TruncateUpper(field.Type, s.Upper, mode.cut); ok {
			s.Upper = up
		} else {
			s.Upper = nil
		}
	}
	return s, true
}
