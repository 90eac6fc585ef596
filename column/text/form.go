package text

import (
	"time"

	"lakeserver/types"
)

// Form is a way of writing values.
type Form uint8

// The forms.
const (
	// Plain is toString: the bytes of strings as they are; the whole text is
	// one value.
	Plain Form = iota
	// Escaped is TabSeparated: strings with backslash escapes, ended by a tab
	// or a line feed.
	Escaped
	// Quoted is SQL: strings, dates, UUIDs in single quotes.
	Quoted
	// CSV has strings and arrays in double quotes.
	CSV
	// JSON is RFC 8259's.
	JSON
)

// DateTimeFormat is how times are written.
type DateTimeFormat uint8

// The formats of date_time_output_format.
const (
	Simple DateTimeFormat = iota
	ISO
	UnixTimestamp
)

// Options vary the forms. The zero Options are ClickHouse's defaults in UTC.
// They are shared and not written to.
type Options struct {
	// Zone is the session's: it holds for DateTime without a zone of its own.
	Zone *time.Location
	// True, False and Null are the words for values outside of nested ones;
	// "" is "true", "false", and \N (NULL for Plain).
	True, False, Null string
	// Times is how DateTime and DateTime64 are written.
	Times DateTimeFormat
	// BasicTimes reads times in one fixed form only; else by best effort.
	BasicTimes bool
	// Year stands for one that a time read by best effort leaves out; 0 is 2000.
	Year int
	// Checked refuses integers that do not fit the type; else they wrap around.
	Checked bool
	// TrailingZeros keeps a Decimal's zeros at the end: 1.500.
	TrailingZeros bool

	// Delimiter ends a CSV value; 0 is a comma.
	Delimiter byte
	// CSVTuplesWhole writes a tuple as one CSV value, not one an element.
	CSVTuplesWhole bool

	// In JSON: numbers in quotes, and what else output_format_json_* asks.
	QuoteInt64, QuoteFloat64, QuoteDecimals, QuoteDenormals bool
	PlainSlashes                                            bool // "/" and not "\/"
	TuplesAsArrays                                          bool // also those with names

	// Infer finds the type of a value as it stands in a form, for columns of
	// type Dynamic; nil: only JSON's values have one, all others are text.
	Infer func(src []byte, f Form) *types.Type
}

var defaults = &Options{}

func (o *Options) delimiter() byte {
	if o.Delimiter == 0 {
		return ','
	}
	return o.Delimiter
}

func (o *Options) null(f Form) string {
	switch {
	case f == Quoted:
		return "NULL"
	case f == JSON:
		return "null"
	case o.Null != "":
		return o.Null
	case f == Plain:
		return "NULL"
	}
	return `\N`
}

func (o *Options) bool(v bool) string {
	switch {
	case v && o.True != "":
		return o.True
	case v:
		return "true"
	case o.False != "":
		return o.False
	}
	return "false"
}

func (o *Options) zone(of *time.Location) *time.Location {
	switch {
	case of != nil:
		return of
	case o.Zone != nil:
		return o.Zone
	}
	return time.UTC
}
