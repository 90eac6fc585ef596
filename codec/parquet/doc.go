// Package parquet reads one Parquet file into columns and writes columns into
// one. It knows the file format and ClickHouse's data types; it knows nothing
// of tables, lakes or SQL.
//
// Reading: Open parses the footer; Reader.Schema and Reader.RowGroups say what
// is there, with statistics, page index and bloom filters for whoever prunes;
// Reader.Scan gives a Cursor over one row group, which walks windows of rows
// and reads each wanted column in the window, all rows or selected ones.
// Dictionary-coded columns stay column.Dict, one dictionary a row group; PLAIN
// values are views into the decompressed page where that is possible.
//
// A file is never trusted: every length is bounded by the bytes that are
// there, row counts of footer, pages and levels must agree, and what is wrong
// becomes a coded error naming file and place.
//
// Deliberately elsewhere: which columns and row groups to read (pruning, read),
// matching of columns by name or field id (the caller of Scan), conversions
// beyond those that Readable names (functions/scalar/convert).
//
// Read next: reader.go, cursor.go, leaf.go; then pages.go and the decode_*.go;
// nested.go for lists, maps and structs; write.go for the other direction.
package parquet
