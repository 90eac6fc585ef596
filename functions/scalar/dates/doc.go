// Package dates has the functions over dates and times: their parts, the
// starts of the periods they fall in, sums and differences, their text by a
// format.
//
// Deliberately elsewhere: conversions (convert), plus and minus (arith, which
// call addDays and its like by name), calendar arithmetic (types/civil).
//
// Read next: local.go for how rows are visited, then parts.go, start.go, add.go.
package dates
