package wire

import (
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/settings"
)

// textSettings are the settings that clients before 54429 send as text, beside
// floats, enums and strings: their type alone does not say so.
var textSettings = map[string]bool{
	"totals_auto_threshold": true, "max_streams_to_max_threads_ratio": true, "memory_tracker_fault_probability": true,
	"count_distinct_implementation": true, "input_format_allow_errors_ratio": true, "join_default_strictness": true,
	"format_schema": true, "max_streams_multiplier_for_merge_tables": true, "format_csv_delimiter": true,
	"send_logs_level": true, "output_format_avro_codec": true, "metrics_perf_events_list": true,
	"temporary_files_codec": true, "memory_profiler_sample_probability": true, "load_balancing": true,
	"totals_mode": true, "network_compression_method": true, "distributed_product_mode": true,
	"date_time_input_format": true, "join_algorithm": true, "log_queries_min_type": true, "default_database_engine": true,
}

// numberSettings had another type when clients of that time were made.
var numberSettings = map[string]bool{
	"max_threads": true, "stream_flush_interval_ms": true,
}

// readTypedSettings takes settings whose values have the width of their type.
// One that we do not know cannot be passed over: UNKNOWN_SETTING.
func readTypedSettings(r *Reader) []Setting {
	var out []Setting
	for r.err == nil {
		name := r.Text()
		if name == "" {
			break
		}
		s := Setting{Name: name}
		if isText(name) {
			s.Value = r.Text()
		} else if _, ok := settings.Lookup(name); ok || numberSettings[name] {
			s.Value = strconv.FormatUint(r.Uvarint(), 10)
		} else {
			r.fail(cherr.New(cherr.UnknownSetting, "Unknown setting %s", name))
		}
		out = append(out, s)
	}
	return out
}

func isText(name string) bool {
	switch {
	case numberSettings[name]:
		return false
	case textSettings[name], strings.HasSuffix(name, "_overflow_mode"), strings.HasPrefix(name, "format_template_"),
		strings.HasPrefix(name, "format_custom_"), strings.HasPrefix(name, "format_regexp"):
		return true
	}
	d, ok := settings.Lookup(name)
	if !ok {
		return false
	}
	switch d.Kind {
	case settings.Float, settings.String, settings.Enum, settings.Map:
		return true
	}
	return false
}
