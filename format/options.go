package format

import (
	"strings"
	"time"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/settings"
	"lakeserver/types"
)

// Options is everything that settings say about formats, read once a query.
// It is immutable.
type Options struct {
	Text text.Options
	// Settings are asked for what a single format alone needs.
	Settings *settings.Settings
	// Eval computes an SQL expression that stands in VALUES where a literal is
	// expected, as one row of a type; nil: there is no one to ask.
	Eval func(expr string, t *types.Type) (column.Column, error)

	CSVDelimiter             string
	TSVCRLF, CSVCRLF         bool
	NullAsDefault            bool
	SkipUnknownFields        bool
	DefaultsForOmitted       bool
	AllowErrors              uint64
	AllowErrorsRatio         float64
	WithNamesUseHeader       bool
	WithTypesUseHeader       bool
	MaxBlockRows             int
	EscapeForwardSlashes     bool
	ArrayOfRows              bool
	ValidateUTF8             bool
	NativeRevision           int
	PrettyRowNumbers         bool
	PrettyColor              bool
	PrettyMaxRows            uint64
	PrettyMaxValueWidth      int
	PrettyMaxColumnPad       int
	PrettyASCII              bool
	PrettyTip                float64
	PrettyFooterMin          uint64
	JSONStatistics           bool
	ColumnsCaseSensitivity   bool
	JSONNamedTuplesAsObjects bool
}

// NewOptions reads the settings; zone is the session's, nil for UTC. Errors:
// INVALID_SETTING_VALUE and its like for words that a setting does not know.
func NewOptions(s *settings.Settings, zone *time.Location) (*Options, error) {
	o := &Options{
		Settings:           s,
		CSVDelimiter:       s.Get("format_csv_delimiter"),
		TSVCRLF:            s.Bool("output_format_tsv_crlf_end_of_line"),
		CSVCRLF:            s.Bool("output_format_csv_crlf_end_of_line"),
		NullAsDefault:      s.Bool("input_format_null_as_default"),
		SkipUnknownFields:  s.Bool("input_format_skip_unknown_fields"),
		DefaultsForOmitted: s.Bool("input_format_defaults_for_omitted_fields"),
		AllowErrors:        s.Uint("input_format_allow_errors_num"),
		AllowErrorsRatio:   s.Float("input_format_allow_errors_ratio"),
		WithNamesUseHeader: s.Bool("input_format_with_names_use_header"),
		WithTypesUseHeader: s.Bool("input_format_with_types_use_header"),
		MaxBlockRows:       int(s.Uint("max_insert_block_size")),

		EscapeForwardSlashes: s.Bool("output_format_json_escape_forward_slashes"),
		ArrayOfRows:          s.Bool("output_format_json_array_of_rows"),
		ValidateUTF8:         s.Bool("output_format_json_validate_utf8"),
		JSONStatistics:       s.Bool("output_format_write_statistics"),

		PrettyRowNumbers:    s.Bool("output_format_pretty_row_numbers"),
		PrettyMaxRows:       s.Uint("output_format_pretty_max_rows"),
		PrettyMaxValueWidth: int(s.Uint("output_format_pretty_max_value_width")),
		PrettyMaxColumnPad:  int(s.Uint("output_format_pretty_max_column_pad_width")),
		PrettyASCII:         s.Get("output_format_pretty_grid_charset") == "ASCII",
		PrettyTip:           s.Float("output_format_pretty_single_large_number_tip_threshold"),
		PrettyFooterMin:     s.Uint("output_format_pretty_display_footer_column_names_min_rows"),
	}
	switch c := s.Get("output_format_pretty_color"); c {
	case "1", "true":
		o.PrettyColor = true
	}
	if !s.Bool("output_format_pretty_display_footer_column_names") {
		o.PrettyFooterMin = 0
	}
	if o.MaxBlockRows <= 0 || o.MaxBlockRows > 1<<16 {
		o.MaxBlockRows = 1 << 16
	}
	o.Text.Infer = func(src []byte, f text.Form) *types.Type { return inferValue(o, src, f) }
	return o, o.readText(s, zone)
}

func (o *Options) readText(s *settings.Settings, zone *time.Location) error {
	t := &o.Text
	t.Zone = zone
	t.True, t.False = s.Get("bool_true_representation"), s.Get("bool_false_representation")
	t.TrailingZeros = s.Bool("output_format_decimal_trailing_zeros")
	t.QuoteInt64 = s.Bool("output_format_json_quote_64bit_integers")
	t.QuoteFloat64 = s.Bool("output_format_json_quote_64bit_floats")
	t.QuoteDecimals = s.Bool("output_format_json_quote_decimals")
	t.QuoteDenormals = s.Bool("output_format_json_quote_denormals")
	t.PlainSlashes = !o.EscapeForwardSlashes
	t.TuplesAsArrays = !s.Bool("output_format_json_named_tuples_as_objects")
	t.CSVTuplesWhole = !s.Bool("output_format_csv_serialize_tuple_into_separate_columns")
	if len(o.CSVDelimiter) > 0 {
		t.Delimiter = o.CSVDelimiter[0]
	}
	switch v := strings.ToLower(s.Get("date_time_output_format")); v {
	case "simple", "":
	case "iso":
		t.Times = text.ISO
	case "unix_timestamp":
		t.Times = text.UnixTimestamp
	default:
		return cherr.New(cherr.BadArguments, "Unexpected value of date_time_output_format: '%s'. Must be one of ['simple', 'iso', 'unix_timestamp']", v)
	}
	switch v := strings.ToLower(s.Get("date_time_input_format")); v {
	case "basic", "":
		t.BasicTimes = true
	case "best_effort", "best_effort_us":
	default:
		return cherr.New(cherr.BadArguments, "Unexpected value of date_time_input_format: '%s'. Must be one of ['best_effort', 'basic', 'best_effort_us']", v)
	}
	return nil
}

// withNull gives text options whose NULL is another word.
func (o *Options) withNull(word string) *text.Options {
	t := o.Text
	t.Null = word
	return &t
}

// prettyNull is how NULL is shown to people.
const prettyNull = "ᴺᵁᴸᴸ"
