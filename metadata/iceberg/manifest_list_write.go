package iceberg

import (
	"bytes"
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
	var buf bytes.Buffer
	w, err := avro.NewWriter(&buf, listSchema(v), meta, codec)
	if err != nil {
		return nil, err
	}
	for i := range lines {
		if err := encodeLine(w, v, &lines[i], s.SequenceNumber); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

func encodeLine(w *avro.Writer, version int, f *ManifestFile, sequence int64) error {
	if f.Encrypted {
		return cherr.New(cherr.NotImplemented, "Manifest %s is encrypted, which is not supported for writing", f.Path)
	}
	w.String(f.Path)
	w.Long(f.Length)
	w.Long(int64(f.SpecID))
	if version > 1 {
		w.Long(boolLong(f.Deletes))
		w.Long(orSequence(f.SequenceNumber, sequence))
		w.Long(orSequence(f.MinSequenceNumber, sequence))
	}
	w.Long(f.AddedSnapshotID)
	for _, n := range []int64{f.AddedFiles, f.ExistingFiles, f.DeletedFiles, f.AddedRows, f.ExistingRows, f.DeletedRows} {
		switch {
		case version > 1 && n < 0:
			return cherr.New(cherr.LogicalError, "the counts of manifest %s are not known", f.Path)
		case version > 1:
			w.Long(n)
		case n < 0:
			w.Branch(0)
		default:
			w.Branch(1)
			w.Long(n)
		}
	}
	encodeSummaries(w, f.Partitions)
	w.Branch(0) // key_metadata
	if version > 2 {
		if f.FirstRowID < 0 || f.Deletes {
			w.Branch(0)
		} else {
			w.Branch(1)
			w.Long(f.FirstRowID)
		}
	}
	return w.Next()
}

func encodeSummaries(w *avro.Writer, sums []FieldSummary) {
	if sums == nil {
		w.Branch(0)
		return
	}
	w.Branch(1)
	if len(sums) > 0 {
		w.Long(int64(len(sums)))
	}
	for _, s := range sums {
		w.Bool(s.ContainsNull)
		if s.ContainsNaN < 0 {
			w.Branch(0)
		} else {
			w.Branch(1)
			w.Bool(s.ContainsNaN > 0)
		}
		for _, b := range [][]byte{s.Lower, s.Upper} {
			if b == nil {
				w.Branch(0)
			} else {
				w.Branch(1)
				w.Bytes(b)
			}
		}
	}
	w.Long(0)
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
