// Package format holds the input and output formats: TabSeparated,
// JSONEachRow, CSV, Native, Parquet and their relatives, one file a family.
//
// A format is data: its names, its content type, and how to make a Writer or a
// Reader for a header. Writers get whole blocks; readers give whole blocks and
// say which values were left out, so that DEFAULT expressions can fill them.
//
// Deliberately elsewhere: the text of single values (column/text), the bytes
// of Native and RowBinary values (codec/native), Parquet files (codec/parquet).
//
// Read next: format.go, options.go, tab_separated.go; rows.go for reading text.
package format
