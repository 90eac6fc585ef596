package read

import (
	"context"

	"lakeserver/codec/avro"
	"lakeserver/codec/parquet"
	"lakeserver/metadata"
	"lakeserver/pruning"
	"lakeserver/types"
)

// Lake is a pinned table of one format, as far as reading its files goes:
// Source of an Iceberg table, Paimon of a Paimon table.
type Lake interface {
	loader() *metadata.Loader
	shared() *Shared
	// parquetColumns and avroColumns find the table's columns in a file.
	parquetColumns(t *Task, root *parquet.SchemaNode) (parquetColumns, error)
	avroColumns(t *Task, root *avro.Schema) (avroColumns, error)
	// loadDeletes gets ready what deletes rows of the file.
	loadDeletes(ctx context.Context, f *fileUnits) error
	// refuse asks what lies beside a file, before it is opened, whether nothing
	// in it can match.
	refuse(ctx context.Context, s *Scan, t *Task) (bool, error)
	// fileRange gives what the manifest knows of a field in the whole file.
	fileRange(t *Task, id int) pruning.Range
}

// parquetColumns finds columns in one Parquet file.
type parquetColumns interface {
	// column says how to read a column. A want without a node stands for one
	// value in every row; stored is false for what does not come from files.
	column(c *Column) (w parquet.Want, fin finish, stored bool, err error)
	// leaf gives the leaf of a field and the type in which it is read; nil
	// where the footer's statistics do not tell of that type.
	leaf(id int) (*parquet.SchemaNode, *types.Type)
	// absent gives the range of a field that the file does not have.
	absent(id int) pruning.Range
}

// avroColumns finds columns in one Avro file; a want of field -1 stands for one
// value in every row.
type avroColumns interface {
	column(c *Column) (w avro.Want, fin finish, stored bool, err error)
}

// positions are row positions of one file.
type positions interface {
	// Within gives those in [from, to), ascending and relative to from.
	Within(from, to int64, dst []uint32) []uint32
}
