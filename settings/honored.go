package settings

// honored says what each setting of ClickHouse that changes something here
// does. A setting not listed is accepted and has no effect.
var honored = map[string]string{
	"max_threads":                      "Goroutines that one query uses for reading and operators.",
	"max_block_size":                   "Most rows of a block that a table hands out.",
	"max_memory_usage":                 "Most bytes that a query may keep; 0: no limit.",
	"max_execution_time":               "Seconds after which a query is ended with TIMEOUT_EXCEEDED; 0: never.",
	"use_iceberg_partition_pruning":    "Leave out files by their partition values.",
	"use_iceberg_metadata_files_cache": "Keep parsed metadata, manifest lists and manifests in memory.",
	"iceberg_snapshot_id":              "Read the Iceberg table at this snapshot.",
	"iceberg_timestamp_ms":             "Read the Iceberg table as of this time (milliseconds).",
	"iceberg_metadata_file_path":       "Metadata file to read, relative to the table.",
	"iceberg_metadata_table_uuid":      "Take only metadata files of this table UUID.",
	"iceberg_use_version_hint":         "Find the metadata file by version-hint.text.",
}
