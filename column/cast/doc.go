// Package cast turns a column of one type into a column of another, by
// ClickHouse's rules of CAST.
//
// Many need it (functions, IN, operators that bring branches to a common
// type, inserts), so it stands below all of them.
//
// Deliberately elsewhere: which type is common to two (types.Super), SQL's
// names for conversions (functions/scalar/convert), text (column/text).
//
// Read next: cast.go, then number.go, time.go, nested.go.
package cast
