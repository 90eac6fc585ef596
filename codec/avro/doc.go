// Package avro reads Avro object container files: manifests of lake tables,
// entry by entry through a Cursor, and data files, as columns through a
// Reader. Only what is asked for is decoded, all else is stepped over. A
// Writer makes manifests.
//
// Every length in a file is checked against the bytes that are there: a
// damaged file gives an error with a code, never a panic or a giant buffer.
//
// Deliberately elsewhere: what a manifest's fields mean (metadata/iceberg),
// which field of a file is which column of a table (read).
//
// Read next: schema.go, container.go, cursor.go, reader.go, writer.go.
package avro
