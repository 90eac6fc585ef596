// Package native turns blocks into ClickHouse's column bytes and back: the
// body of native-protocol data packets, FORMAT Native, .native files, the
// values of RowBinary, and the compression frames around them.
//
// One number decides the form: the revision, which is the smaller of what both
// sides speak and 0 for files and plain HTTP. Serialisation prefixes of nested
// types come first, depth first, then the data of all streams; prefixes and
// data are there only when a block has rows.
//
// Deliberately elsewhere: packets (server/native/wire), text formats (format).
//
// Read next: block.go, encode.go, decode.go, low_cardinality.go.
package native
