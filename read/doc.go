// Package read goes from a snapshot to exact rows: it plans tasks (a data file
// with everything that deletes rows of it), opens files, matches their columns
// to the table's by field id, applies deletes and filters, and hands out
// blocks. Streams share one queue of (file, row group), so that many of them
// read in parallel and none idles.
//
// Deliberately elsewhere: which containers cannot match (pruning), bytes of a
// file format (codec), metadata files (metadata), SQL (functions/iceberg,
// functions/paimon). What differs between lakes is behind one interface, Lake;
// Paimon's primary-key tables are merged above tasks, run by run.
//
// Read next: task.go, lake.go, plan_iceberg.go, scan.go, unit.go, deletes.go;
// of Paimon plan_paimon.go, merge.go, merge_runs.go, merge_engine.go.
package read
