// Package exec runs plans: Build turns a plan.Node into streams of operators
// and gives their one result stream.
//
// Operators are single-threaded and pull. A table's scan gives several
// streams; filters and projections are stacked on each, and a pipeline breaker
// (aggregate, sort, join, an exchange) reads them on goroutines of its own, so
// that a whole pipeline runs where its source runs. Who keeps rows reserves
// for them and gives back on Close; Close also ends every goroutine.
//
// Deliberately elsewhere: what is computed (engine/plan), expressions (expr),
// the states of aggregate functions (functions/aggregate).
//
// Read next: build.go, exchange.go, grouper.go, aggregate.go, join.go, sort.go.
package exec
