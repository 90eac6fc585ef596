package iceberg

import (
	"context"
	"fmt"
	"unsafe"

	"lakeserver/cherr"
	"lakeserver/codec/avro"
	"lakeserver/metadata"
)

// ManifestFile is one line of a manifest list.
type ManifestFile struct {
	Path              string // as written
	Length            int64
	SpecID            int
	Deletes           bool // holds delete files, else data files
	SequenceNumber    int64
	MinSequenceNumber int64
	AddedSnapshotID   int64
	// Counts are -1 when not known: then they may be anything.
	AddedFiles, ExistingFiles, DeletedFiles int64
	AddedRows, ExistingRows, DeletedRows    int64
	// Partitions has a summary for each field of the spec; nil: not known.
	Partitions []FieldSummary
	FirstRowID int64 // -1: none
	Encrypted  bool
	// bare lines come of version 1 snapshots without a list: only the path is
	// known, the spec stands in the manifest itself.
	bare bool
}

// FieldSummary says what the partition values of a manifest lie between.
type FieldSummary struct {
	ContainsNull bool
	ContainsNaN  int8 // 1 yes, 0 no, -1 not known
	Lower, Upper []byte
}

// Live tells whether the manifest may have files that are there.
func (f *ManifestFile) Live() bool { return f.AddedFiles != 0 || f.ExistingFiles != 0 }

// Names of fields, for lists and manifests without field ids (ClickHouse
// writes such) and for those with the names that Java gave before 1.4.
var manifestListIDs = map[string]int{
	"manifest_path": 500, "manifest_length": 501, "partition_spec_id": 502, "content": 517, "sequence_number": 515,
	"min_sequence_number": 516, "added_snapshot_id": 503, "added_files_count": 504, "existing_files_count": 505,
	"deleted_files_count": 506, "added_data_files_count": 504, "existing_data_files_count": 505,
	"deleted_data_files_count": 506, "added_rows_count": 512, "existing_rows_count": 513, "deleted_rows_count": 514,
	"partitions": 507, "key_metadata": 519, "first_row_id": 520, "contains_null": 509, "contains_nan": 518,
	"lower_bound": 510, "upper_bound": 511,
}

// hasIDs tells whether any field of a file's schema has an id.
func hasIDs(s *avro.Schema, depth int) bool {
	if depth > 20 {
		return false
	}
	switch s.Kind {
	case avro.Record:
		for i := range s.Fields {
			if s.Fields[i].ID >= 0 || hasIDs(s.Fields[i].Type, depth+1) {
				return true
			}
		}
	case avro.Union:
		for _, b := range s.Branches {
			if hasIDs(b, depth+1) {
				return true
			}
		}
	case avro.Array, avro.Map:
		return s.Elem != nil && hasIDs(s.Elem, depth+1)
	}
	return false
}

// idsOf gives the id of each field of a record: its own, or by name when the
// whole file has none.
func idsOf(s *avro.Schema, byName map[string]int) []int {
	ids := make([]int, len(s.Fields))
	for i, f := range s.Fields {
		ids[i] = f.ID
		if byName != nil {
			if id, ok := byName[f.Name]; ok {
				ids[i] = id
			}
		}
	}
	return ids
}

// LoadManifestList gives the manifests of a snapshot. path is where the list
// is stored.
func LoadManifestList(ctx context.Context, l *metadata.Loader, path string) ([]ManifestFile, error) {
	list, err := metadata.Load(ctx, l, "list", path, func(data []byte) ([]ManifestFile, int64, error) {
		out, err := parseManifestList(path, data)
		return out, int64(len(out))*int64(unsafe.Sizeof(ManifestFile{})) + 4*int64(len(data)), err
	})
	return list, cherr.Wrap(err, "reading Iceberg manifest list %s", path)
}

func parseManifestList(path string, data []byte) ([]ManifestFile, error) {
	f, err := avro.OpenBytes(path, data)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Schema.Kind != avro.Record {
		return nil, cherr.New(cherr.IncorrectData, "its values are no records")
	}
	names := manifestListIDs
	if hasIDs(f.Schema, 0) {
		names = nil
	}
	ids := idsOf(f.Schema, names)
	if err := require(ids, 500); err != nil {
		return nil, err
	}
	var out []ManifestFile
	for {
		rows, block, err := f.Next()
		if err != nil || rows == 0 {
			return out, err
		}
		c := avro.NewCursor(block)
		for range rows {
			m := ManifestFile{AddedFiles: -1, ExistingFiles: -1, DeletedFiles: -1, AddedRows: -1, ExistingRows: -1, DeletedRows: -1, FirstRowID: -1}
			for i := range ids {
				m.readField(c, ids[i], f.Schema.Fields[i].Type, names)
			}
			if c.Err() != nil {
				return nil, c.Err()
			}
			if m.Path == "" {
				return nil, cherr.New(cherr.IncorrectData, "a manifest has no path")
			}
			out = append(out, m)
		}
		if c.Left() != 0 {
			return nil, cherr.New(cherr.IncorrectData, "a block has %d bytes more than its entries", c.Left())
		}
	}
}

func require(ids []int, want ...int) error {
	for _, w := range want {
		found := false
		for _, id := range ids {
			found = found || id == w
		}
		if !found {
			return cherr.New(cherr.IncorrectData, "field %d is missing from the file's schema", w)
		}
	}
	return nil
}

// num reads a number that may be null.
func num(c *avro.Cursor, s *avro.Schema, ifNull int64) int64 {
	b := c.Branch(s)
	if b == nil || b.Kind == avro.Null {
		return ifNull
	}
	if b.Kind != avro.Int && b.Kind != avro.Long {
		c.Fail("a number is expected")
		return 0
	}
	return c.Long()
}

// raw reads a string or bytes that may be null (nil then).
func raw(c *avro.Cursor, s *avro.Schema) []byte {
	b := c.Branch(s)
	if b == nil || b.Kind == avro.Null {
		return nil
	}
	if b.Kind != avro.Bytes && b.Kind != avro.String && b.Kind != avro.Fixed {
		c.Fail("a string is expected")
		return nil
	}
	return c.Raw(b)
}

func (m *ManifestFile) readField(c *avro.Cursor, id int, s *avro.Schema, names map[string]int) { // long: one case a field
	switch id {
	case 500:
		m.Path = string(raw(c, s))
	case 501:
		m.Length = num(c, s, 0)
	case 502:
		m.SpecID = int(num(c, s, 0))
	case 517:
		content := num(c, s, 0)
		m.Deletes = content == 1
		if content != 0 && content != 1 {
			c.Fail("manifest content %d is not known", content)
		}
	case 515:
		m.SequenceNumber = num(c, s, 0)
	case 516:
		m.MinSequenceNumber = num(c, s, 0)
	case 503:
		m.AddedSnapshotID = num(c, s, -1)
	case 504:
		m.AddedFiles = num(c, s, -1)
	case 505:
		m.ExistingFiles = num(c, s, -1)
	case 506:
		m.DeletedFiles = num(c, s, -1)
	case 512:
		m.AddedRows = num(c, s, -1)
	case 513:
		m.ExistingRows = num(c, s, -1)
	case 514:
		m.DeletedRows = num(c, s, -1)
	case 507:
		m.readSummaries(c, s, names)
	case 519:
		m.Encrypted = len(raw(c, s)) > 0
	case 520:
		m.FirstRowID = num(c, s, -1)
	default:
		c.Skip(s)
	}
}

func (m *ManifestFile) readSummaries(c *avro.Cursor, s *avro.Schema, names map[string]int) {
	b := c.Branch(s)
	if b == nil || b.Kind == avro.Null {
		return
	}
	if b.Kind != avro.Array || b.Elem.Plain() == nil || b.Elem.Plain().Kind != avro.Record {
		c.Skip(b)
		return
	}
	m.Partitions = []FieldSummary{}
	for c.Err() == nil {
		n := c.Items()
		if n == 0 {
			return
		}
		for range n {
			e := c.Branch(b.Elem)
			if e == nil {
				return
			}
			sum := FieldSummary{ContainsNull: true, ContainsNaN: -1}
			ids := idsOf(e, names)
			for i, id := range ids {
				t := e.Fields[i].Type
				switch id {
				case 509:
					sum.ContainsNull = flag(c, t, 1) != 0
				case 518:
					sum.ContainsNaN = flag(c, t, -1)
				case 510:
					sum.Lower = raw(c, t)
				case 511:
					sum.Upper = raw(c, t)
				default:
					c.Skip(t)
				}
			}
			m.Partitions = append(m.Partitions, sum)
			if c.Err() != nil {
				return
			}
		}
	}
}

func flag(c *avro.Cursor, s *avro.Schema, ifNull int8) int8 {
	b := c.Branch(s)
	switch {
	case b == nil || b.Kind == avro.Null:
		return ifNull
	case b.Kind != avro.Boolean:
		c.Fail("a boolean is expected")
		return ifNull
	case c.Bool():
		return 1
	}
	return 0
}

// LoadManifests gives the manifests of a snapshot; resolve maps a path in the
// metadata to where the file is stored.
func (s *Snapshot) LoadManifests(ctx context.Context, l *metadata.Loader, resolve func(string) string) ([]ManifestFile, error) {
	switch {
	case s.KeyID != "":
		return nil, cherr.New(cherr.NotImplemented, "Snapshot %d is encrypted, which is not supported", s.ID)
	case s.ManifestList != "":
		return LoadManifestList(ctx, l, resolve(s.ManifestList))
	case s.Manifests == nil && s.Summary["total-data-files"] != "0":
		return nil, cherr.New(cherr.IcebergSpecificationViolation, "Snapshot %d has no manifest list", s.ID)
	}
	var out []ManifestFile
	for _, p := range s.Manifests {
		out = append(out, ManifestFile{
			Path: p, AddedFiles: -1, ExistingFiles: -1, DeletedFiles: -1, AddedRows: -1,
			ExistingRows: -1, DeletedRows: -1, FirstRowID: -1, AddedSnapshotID: s.ID, bare: true,
		})
	}
	return out, nil
}

// String prints a line for messages.
func (f *ManifestFile) String() string { return fmt.Sprintf("manifest %s", f.Path) }
