// Command lakeserver is a ClickHouse-compatible server over Apache Iceberg
// tables where they lie.
//
// It is the only place that names every package: flags and configuration,
// wiring, signals. What a query does begins in package engine.
//
// Read next: main.go, config.go, wire.go.
package main
