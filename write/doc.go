// Package write turns rows into data files and says what is in them: counts,
// least and greatest values, sizes on disk. It knows files, not tables.
//
// Deliberately elsewhere: the bytes of a format (codec/...), which rows go into
// which file and how files become part of a table (write/iceberg, write/paimon).
//
// Read next: writer.go, stats.go.
package write
