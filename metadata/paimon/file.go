package paimon

import (
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
)

// StatsFields gives the columns that a file's value statistics are over, in
// their order. The schema must be the file's own.
func (s *Schema) StatsFields(f *DataFile) ([]Field, error) {
	if f.ValueStatsCols == nil && f.WriteCols == nil {
		return s.Fields, nil
	}
	names := f.ValueStatsCols
	if names == nil {
		names = f.WriteCols
	}
	return s.namedFields(names)
}

// FileFields gives the columns that a file holds, in its order, with those that
// Paimon adds. The schema must be the file's own.
func (s *Schema) FileFields(f *DataFile) ([]Field, error) {
	if f.WriteCols == nil {
		return s.Fields, nil
	}
	return s.namedFields(f.WriteCols)
}

var (
	rowIDField    = Field{ID: RowIDFieldID, Name: RowIDField, Type: &Type{Kind: BigInt}}
	sequenceField = Field{ID: SequenceFieldID, Name: SequenceField, Type: &Type{Kind: BigInt}}
)

func (s *Schema) namedFields(names []string) ([]Field, error) {
	out := make([]Field, 0, len(names))
	for _, n := range names {
		switch f := s.Field(n); {
		case f != nil:
			out = append(out, *f)
		case n == RowIDField:
			out = append(out, rowIDField)
		case n == SequenceField:
			out = append(out, sequenceField)
		default:
			return nil, cherr.New(cherr.IncorrectData, "a file has column `%s`, which schema %d does not have", n, s.ID)
		}
	}
	return out, nil
}

// BucketPath gives the folder of a partition's bucket, which ends with /.
func (s *Schema) BucketPath(d Dir, n PartitionNames, partition column.Row, bucket int) string {
	root := d.Root
	if sub := s.Options["data-file.path-directory"]; sub != "" {
		root += sub + "/"
	}
	return root + n.Path(partition) + BucketFolder(bucket) + "/"
}

// DataFilePath gives where an entry's file is stored: its external path, else
// in its bucket's folder.
func (s *Schema) DataFilePath(d Dir, n PartitionNames, partition column.Row, e *Entry) string {
	if e.File.ExternalPath != "" {
		return e.File.ExternalPath
	}
	return s.BucketPath(d, n, partition, e.Bucket) + e.File.Name
}

// StatsCut gives the number of characters to which bounds of a text column are
// cut in the statistics of files of this schema: bounds that are shorter are
// values. 0: nothing can be said.
func (s *Schema) StatsCut(column string) int {
	mode := s.Options["fields."+column+".stats-mode"]
	if mode == "" {
		mode = s.Options["metadata.stats-mode"]
	}
	switch mode = strings.ToLower(mode); {
	case mode == "":
		return 16
	case mode == "full":
		return MaxLength
	case strings.HasPrefix(mode, "truncate(") && strings.HasSuffix(mode, ")"):
		n, err := strconv.Atoi(mode[len("truncate(") : len(mode)-1])
		if err == nil {
			return n
		}
	}
	return 0
}
