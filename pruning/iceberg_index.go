package pruning

import (
	"strconv"

	"lakeserver/metadata/iceberg"
)

// zoneFiles is how many neighbours in a manifest are judged at once before
// they are judged alone: writers append files in the order of time, so most
// zones fall as a whole.
const zoneFiles = 64

// Picker gives a judge of a manifest's live files by their index, which are
// asked for in ascending order by one goroutine: false, and counted in the
// report, for a file that cannot match.
func (c *SpecCheck) Picker(x *iceberg.ManifestIndex, r *Report) func(i int) bool {
	if c == nil {
		return func(int) bool { return true }
	}
	p := &picker{c: c, x: x, r: r, zone: -1}
	if c.judges {
		p.tuples = make([]verdict, x.Tuples())
	}
	for _, id := range c.p.ids {
		if s, f := x.Column(id), c.p.schema.Field(id); s != nil && f != nil {
			p.columns = append(p.columns, indexColumn{id, s, f, zonesOf(s, f, x.Len())})
		}
	}
	// Without statistics all files are alike.
	p.alike = len(p.columns) == 0
	p.might = !p.alike || c.p.filter.MightMatch(&fileInIndex{p, 0})
	return p.keep
}

type verdict uint8

const (
	unasked verdict = iota
	kept
	pruned
)

// picker judges the files of one manifest.
type picker struct {
	c       *SpecCheck
	x       *iceberg.ManifestIndex
	r       *Report
	tuples  []verdict // by partition values; nil: the filter does not judge them
	columns []indexColumn
	alike   bool
	might   bool // of all files that are alike, or of the present zone
	zone    int
}

// indexColumn is a column of the filter with what the manifest knows of it.
type indexColumn struct {
	id    int
	stats *iceberg.StatColumn
	field *iceberg.Field
	zones []Range
}

func (p *picker) keep(i int) bool {
	if p.tuples != nil && !p.partition(p.x.Tuple(i)) {
		p.r.PrunedByPartition++
		p.r.PrunedByPartitionBytes += p.x.Size(i)
		return false
	}
	if p.matches(i) {
		return true
	}
	p.r.PrunedByBounds++
	p.r.PrunedByBoundsBytes += p.x.Size(i)
	return false
}

func (p *picker) partition(k int) bool {
	if p.tuples[k] == unasked {
		p.tuples[k] = pruned
		if p.c.partitionMightMatch(p.x.TupleFile(k)) {
			p.tuples[k] = kept
		}
	}
	return p.tuples[k] == kept
}

func (p *picker) matches(i int) bool {
	if p.alike {
		return p.might
	}
	if z := i / zoneFiles; z != p.zone {
		p.zone, p.might = z, p.c.p.filter.MightMatch(&zoneInIndex{p, z})
	}
	return p.might && p.c.p.filter.MightMatch(&fileInIndex{p, i})
}

func (p *picker) column(id int) *indexColumn {
	for i := range p.columns {
		if p.columns[i].id == id {
			return &p.columns[i]
		}
	}
	return nil
}

// fileInIndex is one file's statistics.
type fileInIndex struct {
	p *picker
	i int
}

// Range gives bounds and counts of a column.
func (f *fileInIndex) Range(id int) Range {
	c := f.p.column(id)
	if c == nil {
		return Range{}
	}
	st, ok := c.stats.At(f.i)
	if !ok {
		return Range{}
	}
	return rangeOf(&st, c.field)
}

// zoneInIndex is the statistics of a zone.
type zoneInIndex struct {
	p *picker
	z int
}

// Range gives bounds and counts of a column over the zone's files.
func (f *zoneInIndex) Range(id int) Range {
	c := f.p.column(id)
	if c == nil {
		return Range{}
	}
	return c.zones[f.z]
}

// zonesOf gives the ranges of a column's zones, in the field's type.
func zonesOf(s *iceberg.StatColumn, f *iceberg.Field, n int) []Range {
	key := "zones " + f.Type.String() + " " + strconv.FormatBool(f.Required)
	return s.Derived(key, func() any {
		out := make([]Range, 0, (n+zoneFiles-1)/zoneFiles)
		for from := 0; from < n; from += zoneFiles {
			out = append(out, zoneOf(s, f, from, min(from+zoneFiles, n)))
		}
		return out
	}).([]Range)
}

func zoneOf(s *iceberg.StatColumn, f *iceberg.Field, from, to int) Range {
	var zone Range
	values, known := false, true
	for i := from; i < to; i++ {
		var r Range
		if st, ok := s.At(i); ok {
			r = rangeOf(&st, f).checked()
		}
		if i == from {
			zone.Nulls, zone.NaNs = r.Nulls, r.NaNs
		}
		if zone.Nulls != r.Nulls {
			zone.Nulls = Maybe
		}
		if zone.NaNs != r.NaNs {
			zone.NaNs = Maybe
		}
		switch {
		case r.Nulls == All || r.NaNs == All: // no values that bounds are of
		case r.Lo == nil || r.Hi == nil:
			known = false
		case !values:
			zone.Lo, zone.Hi, values = r.Lo, r.Hi, true
		default:
			if Less(r.Lo, zone.Lo) {
				zone.Lo = r.Lo
			}
			if Less(zone.Hi, r.Hi) {
				zone.Hi = r.Hi
			}
		}
	}
	if !known {
		zone.Lo, zone.Hi = nil, nil
	}
	return zone
}
