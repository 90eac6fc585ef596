package iceberg

import (
	"unsafe"

	"lakeserver/codec/avro"
	"lakeserver/column"
)

func (r *manifestReader) readEntryField(e *Entry, id int, s *avro.Schema) {
	c := r.c
	switch id {
	case 0:
		e.Status = int8(num(c, s, 0))
	case 1:
		e.SnapshotID = num(c, s, -1)
	case 3:
		e.SequenceNumber = num(c, s, unsetSequence)
	case 4:
		e.FileSequence = num(c, s, unsetSequence)
	case 2:
		if b := c.Branch(s); b == r.data {
			r.readDataFile(&e.File)
		} else {
			c.Fail("an entry has no data file")
		}
	default:
		c.Skip(s)
	}
}

func (r *manifestReader) readDataFile(f *DataFile) { // long: one case a field
	c := r.c
	f.SortOrderID, f.FirstRowID, f.ContentOffset, f.ContentSize = -1, unsetRowID, -1, -1
	r.stats = r.stats[:0]
	for i, id := range r.dataIDs {
		s := r.data.Fields[i].Type
		switch id {
		case 134:
			f.Content = int8(num(c, s, 0))
		case 100:
			f.Path = r.text(raw(c, s))
		case 101:
			f.Format = formatName(raw(c, s))
		case 102:
			r.partition(s, f)
		case 103:
			f.Records = num(c, s, -1)
		case 104:
			f.Size = num(c, s, -1)
		case 108:
			r.counts(s, statBytes)
		case 109:
			r.counts(s, statValues)
		case 110:
			r.counts(s, statNulls)
		case 137:
			r.counts(s, statNaNs)
		case 125:
			r.bounds(s, false)
		case 128:
			r.bounds(s, true)
		case 131:
			f.Encrypted = len(raw(c, s)) > 0
		case 132:
			if r.planned != nil {
				c.Skip(s)
				continue
			}
			f.SplitOffsets = r.longs(s)
		case 135:
			for _, x := range r.longs(s) {
				f.EqualityIDs = append(f.EqualityIDs, int(x))
			}
		case 140:
			f.SortOrderID = int(num(c, s, -1))
		case 142:
			f.FirstRowID = num(c, s, unsetRowID)
		case 143:
			f.Referenced = string(raw(c, s))
		case 144:
			f.ContentOffset = num(c, s, -1)
		case 145:
			f.ContentSize = num(c, s, -1)
		default:
			c.Skip(s)
		}
	}
	if r.planned != nil {
		f.Stats = r.stats
		return
	}
	f.Stats = r.keepStats()
	if f.Content == PositionDeletes && f.Referenced == "" {
		f.Referenced = onlyReferenced(f)
	}
}

// onlyReferenced: writers that know no referenced_data_file say it by equal
// bounds of the path column.
func onlyReferenced(f *DataFile) string {
	st := f.Stat(DeleteFilePathID)
	if st == nil || st.Lower == nil || string(st.Lower) != string(st.Upper) {
		return ""
	}
	return string(st.Lower)
}

// formatName avoids a string a file for the formats there are.
func formatName(b []byte) string {
	switch string(b) {
	case "PARQUET":
		return "PARQUET"
	case "parquet":
		return "parquet"
	case "AVRO":
		return "AVRO"
	case "PUFFIN":
		return "PUFFIN"
	}
	return string(b)
}

// keepStats copies the entry's stats out of the scratch into a slab.
func (r *manifestReader) keepStats() []ColumnStat {
	n := len(r.stats)
	if n == 0 {
		return nil
	}
	if n > cap(r.slab)-len(r.slab) {
		r.slab = make([]ColumnStat, 0, max(n, min(1024, 16*n)))
	}
	at := len(r.slab)
	r.slab = append(r.slab, r.stats...)
	return r.slab[at : at+n : at+n]
}

// text gives a string of its own, or for planning one that lasts as long as
// the block.
func (r *manifestReader) text(b []byte) string {
	if r.planned != nil {
		return unsafe.String(unsafe.SliceData(b), len(b))
	}
	return string(b)
}

// partition reads the partition values; planning keeps equal ones once, which
// their stored form tells.
func (r *manifestReader) partition(s *avro.Schema, f *DataFile) {
	if r.planned == nil {
		r.part.read(r.c, s, f)
		return
	}
	from := r.c.Left()
	probe := *r.c
	r.c.Skip(s)
	if r.c.Err() != nil {
		return
	}
	r.planned.tuple(probe.Peek(from-r.c.Left()), func() ([]column.Value, uint64) {
		var x DataFile
		r.part.read(&probe, s, &x)
		if probe.Err() != nil {
			r.c.Fail("its partition values cannot be read")
		}
		return x.Partition, x.Unreadable
	})
}

// A count of a column's statistics.
const (
	statBytes = iota
	statValues
	statNulls
	statNaNs
)

// stat finds or makes a column's place; writers keep one order in all maps of
// an entry, so the place after the last one is tried first. nil: nobody asks
// for the column.
func (r *manifestReader) stat(id int32, hint *int) *ColumnStat {
	if r.planned != nil && !r.planned.wants(id) {
		return nil
	}
	if *hint < len(r.stats) && r.stats[*hint].ID == id {
		*hint++
		return &r.stats[*hint-1]
	}
	for i := range r.stats {
		if r.stats[i].ID == id {
			*hint = i + 1
			return &r.stats[i]
		}
	}
	r.stats = append(r.stats, ColumnStat{ID: id, Values: -1, Nulls: -1, NaNs: -1, Bytes: -1})
	*hint = len(r.stats)
	return &r.stats[len(r.stats)-1]
}

// statMap opens a map with column ids as keys: an array of key and value
// records; an Avro map by a writer that knows no better is skipped, and one
// that planning does not ask for.
func (r *manifestReader) statMap(s *avro.Schema, asked bool) (item *avro.Schema) {
	b := r.c.Branch(s)
	if b == nil || b.Kind == avro.Null {
		return nil
	}
	if !asked || b.Kind != avro.Array || b.Elem.Kind != avro.Record || len(b.Elem.Fields) != 2 {
		r.c.Skip(b)
		return nil
	}
	return b.Elem
}

func (r *manifestReader) counts(s *avro.Schema, which int) {
	c := r.c
	item := r.statMap(s, r.planned == nil || which != statBytes && r.planned.wantsAny())
	if item == nil {
		return
	}
	key, value := item.Fields[0].Type, item.Fields[1].Type
	hint := 0
	for c.Err() == nil {
		n := c.Items()
		if n == 0 {
			return
		}
		for ; n > 0 && c.Err() == nil; n-- {
			st := r.stat(int32(num(c, key, -1)), &hint)
			v := num(c, value, -1)
			if st == nil {
				continue
			}
			switch which {
			case statBytes:
				st.Bytes = v
			case statValues:
				st.Values = v
			case statNulls:
				st.Nulls = v
			case statNaNs:
				st.NaNs = v
			}
		}
	}
}

func (r *manifestReader) bounds(s *avro.Schema, upper bool) {
	c := r.c
	item := r.statMap(s, r.planned == nil || r.planned.wantsAny())
	if item == nil {
		return
	}
	key, value := item.Fields[0].Type, item.Fields[1].Type
	hint := 0
	for c.Err() == nil {
		n := c.Items()
		if n == 0 {
			return
		}
		for ; n > 0 && c.Err() == nil; n-- {
			st := r.stat(int32(num(c, key, -1)), &hint)
			b := raw(c, value)
			switch {
			case st == nil || b == nil:
			case upper:
				st.Upper = b
			default:
				st.Lower = b
			}
		}
	}
}

func (r *manifestReader) longs(s *avro.Schema) []int64 {
	c := r.c
	b := c.Branch(s)
	if b == nil || b.Kind == avro.Null {
		return nil
	}
	if b.Kind != avro.Array {
		c.Skip(b)
		return nil
	}
	var out []int64
	for c.Err() == nil {
		n := c.Items()
		if n == 0 {
			break
		}
		for ; n > 0 && c.Err() == nil; n-- {
			out = append(out, num(c, b.Elem, 0))
		}
	}
	return out
}

// partitionReader reads the partition record by field ids.
type partitionReader struct {
	record *avro.Schema
	at     []int   // of each field of the record: index in the spec, -1
	types  []*Type // of each field of the spec; nil: not known
	n      int
}

func newPartitionReader(s *avro.Schema, m *TableMetadata, spec *PartitionSpec) *partitionReader {
	p := &partitionReader{record: s.Plain(), n: len(spec.Fields)}
	for _, f := range spec.Fields {
		p.types = append(p.types, m.PartitionType(f))
	}
	if p.record == nil || p.record.Kind != avro.Record {
		p.record = nil
		return p
	}
	for i, rf := range p.record.Fields {
		at := -1
		for j, f := range spec.Fields {
			// Without ids the order decides: two fields may share one name.
			if rf.ID == f.FieldID || rf.ID < 0 && i == j {
				at = j
			}
		}
		p.at = append(p.at, at)
	}
	return p
}

func (p *partitionReader) read(c *avro.Cursor, s *avro.Schema, f *DataFile) {
	b := c.Branch(s)
	if b == nil {
		return
	}
	if p.record == nil || b != p.record {
		c.Skip(b)
		return
	}
	if p.n > 0 {
		f.Partition = make([]column.Value, p.n)
	}
	seen := uint64(0)
	for i, at := range p.at {
		t := p.record.Fields[i].Type
		if at < 0 {
			c.Skip(t)
			continue
		}
		v, ok := readValue(c, t, p.types[at])
		f.Partition[at] = v
		if ok && at < 64 {
			seen |= 1 << at
		}
	}
	f.Unreadable = ^seen
}

// PartitionType gives the type of a partition field's values; nil when its
// column is not known.
func (m *TableMetadata) PartitionType(f PartitionField) *Type {
	source := m.FieldEver(f.SourceID)
	if source == nil {
		return f.Transform.ResultType(nil)
	}
	return f.Transform.ResultType(source.Type)
}
