// Package storage reads what the arguments of a table function or engine say
// about where its files are: a local path, S3, Azure, HDFS, a named
// collection. Every function over files uses the same forms through it.
//
// Deliberately elsewhere: the stores themselves (objstore), named collections
// (collections), what the files mean (functions/iceberg, functions/tablefunc).
//
// Read next: storage.go, s3.go.
package storage
