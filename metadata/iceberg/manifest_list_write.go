package iceberg

import (
	"math"
	"strconv"

	"lakeserver/cherr"
	"lakeserver/codec/avro"
	"lakeserver/column"
)

// partitionRange gathers what the summary of one partition field says.
type partitionRange struct {
	null, nan bool
	low, high column.Value // nil: none yet
}

func (r *partitionRange) add(v column.Value) {
	switch {
	case v == nil:
		r.null = true
	case isNaN(v):
		r.nan = true
	default:
		if r.low == nil || CompareValues(v, r.low) < 0 {
			r.low = v
		}
		if r.high == nil || CompareValues(v, r.high) > 0 {
			r.high = v
		}
	}
}

func (r *partitionRange) summary(t *Type) FieldSummary {
	s := FieldSummary{ContainsNull: r.null}
	if r.nan {
		s.ContainsNaN = 1
	}
	if r.low != nil {
		low, high := WidenZero(r.low, r.high)
		s.Lower, s.Upper = EncodeBound(t, low), EncodeBound(t, high)
	}
	return s
}

// WidenZero makes bounds of a zero hold both zeros: files may store either.
func WidenZero(low, high column.Value) (column.Value, column.Value) {
	switch x := low.(type) {
	case float32:
		if x == 0 {
			low = float32(math.Copysign(0, -1))
		}
		if high.(float32) == 0 {
			high = float32(0)
		}
	case float64:
		if x == 0 {
			low = math.Copysign(0, -1)
		}
		if high.(float64) == 0 {
			high = float64(0)
		}
	}
	return low, high
}

// EncodeManifestList gives the bytes of a snapshot's manifest list. Lines whose
// sequence numbers are -1 are the snapshot's own and get its number; row ids
// must have been assigned (AssignRowIDs).
func EncodeManifestList(m *TableMetadata, s *Snapshot, lines []ManifestFile, codec string) ([]byte, error) {
	parent := "null"
	if id, ok := s.Parent(); ok {
		parent = strconv.FormatInt(id, 10)
	}
	meta := []avro.KeyValue{{Key: "snapshot-id", Value: strconv.FormatInt(s.ID, 10)}, {Key: "parent-snapshot-id", Value: parent}}
	v := m.FormatVersion
	if v > 1 {
		meta = append(meta, avro.KeyValue{Key: "sequence-number", Value: strconv.FormatInt(s.SequenceNumber, 10)})
	}
	if v > 2 && s.FirstRowID != nil {
		meta = append(meta, avro.KeyValue{Key: "first-row-id", Value: strconv.FormatInt(*s.FirstRowID, 10)})
	}
	meta = append(meta, avro.KeyValue{Key: "format-version", Value: strconv.Itoa(v)})
	w, err := avro.NewWriter(listSchema(v), codec, meta...)
	if err != nil {
		return nil, err
	}
	for i := range lines {
		if err := encodeLine(w.Encoder(), v, &lines[i], s.SequenceNumber); err != nil {
			return nil, err
		}
		if err := w.EndRow(); err != nil {
			return nil, err
		}
	}
	return w.Finish()
}

func encodeLine(e *avro.Encoder, version int, f *ManifestFile, sequence int64) error {
	if f.Encrypted {
		return cherr.New(cherr.NotImplemented, "Manifest %s is encrypted, which is not supported for writing", f.Path)
	}
	e.Text(f.Path)
	e.Long(f.Length)
	e.Long(int64(f.SpecID))
	if version > 1 {
		e.Long(boolLong(f.Deletes))
		e.Long(orSequence(f.SequenceNumber, sequence))
		e.Long(orSequence(f.MinSequenceNumber, sequence))
	}
	e.Long(f.AddedSnapshotID)
	for _, n := range []int64{f.AddedFiles, f.ExistingFiles, f.DeletedFiles, f.AddedRows, f.ExistingRows, f.DeletedRows} {
		switch {
		case version > 1 && n < 0:
			return cherr.New(cherr.LogicalError, "the counts of manifest %s are not known", f.Path)
		case version > 1:
			e.Long(n)
		case e.Present(n >= 0):
			e.Long(n)
		}
	}
	encodeSummaries(e, f.Partitions)
	e.Present(false) // key_metadata
	if version > 2 {
		if e.Present(f.FirstRowID >= 0 && !f.Deletes) {
			e.Long(f.FirstRowID)
		}
	}
	return nil
}

func encodeSummaries(e *avro.Encoder, sums []FieldSummary) {
	if !e.Present(sums != nil) {
		return
	}
	e.Items(len(sums))
	for _, s := range sums {
		e.Bool(s.ContainsNull)
		if e.Present(s.ContainsNaN >= 0) {
			e.Bool(s.ContainsNaN > 0)
		}
		for _, b := range [][]byte{s.Lower, s.Upper} {
			if e.Present(b != nil) {
				e.Bytes(b)
			}
		}
	}
	e.Long(0)
}

func boolLong(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func orSequence(n, own int64) int64 {
	if n < 0 {
		return own
	}
	return n
}

// AssignRowIDs gives each data manifest without one a first row id, counting
// from next, and says where the count ends (spec, row lineage).
func AssignRowIDs(lines []ManifestFile, next int64) int64 {
	for i := range lines {
		l := &lines[i]
		if l.Deletes || l.FirstRowID >= 0 {
			continue
		}
		l.FirstRowID = next
		next += max(l.AddedRows, 0) + max(l.ExistingRows, 0)
	}
	return next
}
