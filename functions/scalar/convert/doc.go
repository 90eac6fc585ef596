// Package convert has SQL's names for conversions: CAST and its like, toInt32
// and its OrZero, OrNull and OrDefault, toDateTime with a time zone,
// parseDateTimeBestEffort, reinterpret.
//
// Deliberately elsewhere: the conversions themselves (column/cast), the text
// of values (column/text), parts and sums of dates (dates).
//
// Read next: cast.go, to.go.
package convert
