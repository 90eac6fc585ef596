// Package civil is the calendar that dates and times are computed by: days and
// their year, month and day by integer arithmetic, and a time zone's offsets
// by ranges, so that no time.Time is made for a row.
//
// Deliberately elsewhere: SQL's functions over dates (functions/scalar/dates),
// the text of dates and times (column/text).
//
// Read next: civil.go, zone.go.
package civil
