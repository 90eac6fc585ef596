// Package column holds the engine's unit of data: columns, blocks of columns,
// streams of blocks, and builders.
//
// A column is physical: it knows Go values, not ClickHouse types. The type
// stands beside it (a Field of the header, expr.Expr's Type). The forms:
//
//	Fixed[T]  one Go value a row: numbers, dates, UUIDs, enums
//	Str       bytes by start and length into shared buffers
//	Nullable  values and a byte a row, 1 for NULL
//	Array     elements and n+1 offsets;  Map: the same with keys and values
//	Tuple     one column an element
//	Nothing   rows without values
//	Const     one row standing for n
//	Dict      codes into a column of distinct values
//
// Const and Dict may stand for any column of a block, never inside another
// column; Nullable never holds Const, Dict or Nullable. LowCardinality is a
// matter of types: its values are a Dict or plain. Columns handed out are
// read-only for everybody, so slices share memory freely.
//
// Deliberately elsewhere: expressions over columns (expr), their wire form
// (codec/native), their text form (format).
//
// Read next: column.go, then fixed.go and dict.go.
package column
