// Package types holds ClickHouse's data types: parsing and printing their
// names, the physical form of their values, the common supertype.
//
// Deliberately elsewhere: columns of values (column), conversions between
// types (functions/scalar/convert), the text form of values (format).
//
// Read next: type.go, parse.go, super.go; wide.go for 128- and 256-bit integers.
package types
