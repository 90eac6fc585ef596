package iceberg

import (
	"strconv"
	"strings"

	"lakeserver/codec/avro"
)

// avroField writes one field of a record schema; optional ones are a union
// with null.
func avroField(b *strings.Builder, name string, id int, typ string, optional bool) {
	if s := b.String(); !strings.HasSuffix(s, "[") {
		b.WriteByte(',')
	}
	b.WriteString(`{"name":"` + name + `","type":`)
	if optional {
		b.WriteString(`["null",` + typ + `],"default":null`)
	} else {
		b.WriteString(typ)
	}
	b.WriteString(`,"field-id":` + strconv.Itoa(id) + `}`)
}

// avroMap is a map with number keys: an array of records (spec, appendix A).
func avroMap(key, value int, valueType string) string {
	k, v := strconv.Itoa(key), strconv.Itoa(value)
	return `{"type":"array","logicalType":"map","items":{"type":"record","name":"k` + k + `_v` + v + `","fields":[` +
		`{"name":"key","type":"int","field-id":` + k + `},{"name":"value","type":` + valueType + `,"field-id":` + v + `}]}}`
}

func avroList(id int, elem string) string {
	return `{"type":"array","items":` + elem + `,"element-id":` + strconv.Itoa(id) + `}`
}

// avroNames keeps named types apart: a second use is by name alone.
type avroNames map[string]bool

func (n avroNames) fixed(name string, size int, logical string) string {
	if n[name] {
		return `"` + name + `"`
	}
	n[name] = true
	return `{"type":"fixed","name":"` + name + `","size":` + strconv.Itoa(size) + logical + `}`
}

// avroType is the Avro form of a primitive type (spec, appendix A).
func (n avroNames) primitive(t *Type) string { // long: one case a type
	switch t.Kind {
	case Boolean:
		return `"boolean"`
	case Int:
		return `"int"`
	case Long:
		return `"long"`
	case Float:
		return `"float"`
	case Double:
		return `"double"`
	case Date:
		return `{"type":"int","logicalType":"date"}`
	case Time:
		return `{"type":"long","logicalType":"time-micros"}`
	case Timestamp, TimestampTZ, TimestampNS, TimestampTZNS:
		unit := "micros"
		if t.Kind >= TimestampNS {
			unit = "nanos"
		}
		utc := strconv.FormatBool(t.Kind == TimestampTZ || t.Kind == TimestampTZNS)
		return `{"type":"long","logicalType":"timestamp-` + unit + `","adjust-to-utc":` + utc + `}`
	case String:
		return `"string"`
	case UUID:
		return n.fixed("uuid_fixed", 16, `,"logicalType":"uuid"`)
	case Fixed:
		return n.fixed("fixed_"+strconv.Itoa(t.Length), t.Length, "")
	case Decimal:
		p, s := strconv.Itoa(t.Precision), strconv.Itoa(t.Scale)
		return n.fixed("decimal_"+p+"_"+s, DecimalWidth(t.Precision), `,"logicalType":"decimal","precision":`+p+`,"scale":`+s)
	case Unknown:
		return `"null"`
	}
	return `"bytes"`
}

// manifestSchema is the Avro schema of manifest entries.
func manifestSchema(version int, spec *PartitionSpec, types []*Type) string {
	var file strings.Builder
	file.WriteString(`{"type":"record","name":"r2","fields":[`)
	if version > 1 {
		avroField(&file, "content", 134, `"int"`, false)
	}
	avroField(&file, "file_path", 100, `"string"`, false)
	avroField(&file, "file_format", 101, `"string"`, false)
	avroField(&file, "partition", 102, partitionSchema(spec, types), false)
	avroField(&file, "record_count", 103, `"long"`, false)
	avroField(&file, "file_size_in_bytes", 104, `"long"`, false)
	if version == 1 {
		avroField(&file, "block_size_in_bytes", 105, `"long"`, false)
	}
	avroField(&file, "column_sizes", 108, avroMap(117, 118, `"long"`), true)
	avroField(&file, "value_counts", 109, avroMap(119, 120, `"long"`), true)
	avroField(&file, "null_value_counts", 110, avroMap(121, 122, `"long"`), true)
	avroField(&file, "nan_value_counts", 137, avroMap(138, 139, `"long"`), true)
	avroField(&file, "lower_bounds", 125, avroMap(126, 127, `"bytes"`), true)
	avroField(&file, "upper_bounds", 128, avroMap(129, 130, `"bytes"`), true)
	avroField(&file, "key_metadata", 131, `"bytes"`, true)
	avroField(&file, "split_offsets", 132, avroList(133, `"long"`), true)
	if version > 1 {
		avroField(&file, "equality_ids", 135, avroList(136, `"int"`), true)
	}
	avroField(&file, "sort_order_id", 140, `"int"`, true)
	if version > 2 {
		avroField(&file, "first_row_id", 142, `"long"`, true)
	}
	if version > 1 {
		avroField(&file, "referenced_data_file", 143, `"string"`, true)
	}
	if version > 2 {
		avroField(&file, "content_offset", 144, `"long"`, true)
		avroField(&file, "content_size_in_bytes", 145, `"long"`, true)
	}
	file.WriteString(`]}`)

	var b strings.Builder
	b.WriteString(`{"type":"record","name":"manifest_entry","fields":[`)
	avroField(&b, "status", 0, `"int"`, false)
	avroField(&b, "snapshot_id", 1, `"long"`, version > 1)
	if version > 1 {
		avroField(&b, "sequence_number", 3, `"long"`, true)
		avroField(&b, "file_sequence_number", 4, `"long"`, true)
	}
	avroField(&b, "data_file", 2, file.String(), false)
	b.WriteString(`]}`)
	return b.String()
}

func partitionSchema(spec *PartitionSpec, types []*Type) string {
	var b strings.Builder
	b.WriteString(`{"type":"record","name":"r102","fields":[`)
	names := avroNames{}
	for i, f := range spec.Fields {
		// Two fields may share a name in specs of other writers; ids tell them
		// apart, but Avro wants names apart too.
		name := avro.SafeName(f.Name)
		if names["field "+name] {
			name += "_" + strconv.Itoa(f.FieldID)
		}
		names["field "+name] = true
		avroField(&b, name, f.FieldID, names.primitive(types[i]), types[i].Kind != Unknown)
	}
	b.WriteString(`]}`)
	return b.String()
}

// listSchema is the Avro schema of manifest lists.
func listSchema(version int) string {
	var sum, b strings.Builder
	sum.WriteString(`{"type":"array","items":{"type":"record","name":"r508","fields":[`)
	avroField(&sum, "contains_null", 509, `"boolean"`, false)
	avroField(&sum, "contains_nan", 518, `"boolean"`, true)
	avroField(&sum, "lower_bound", 510, `"bytes"`, true)
	avroField(&sum, "upper_bound", 511, `"bytes"`, true)
	sum.WriteString(`]},"element-id":508}`)

	opt := version == 1
	b.WriteString(`{"type":"record","name":"manifest_file","fields":[`)
	avroField(&b, "manifest_path", 500, `"string"`, false)
	avroField(&b, "manifest_length", 501, `"long"`, false)
	avroField(&b, "partition_spec_id", 502, `"int"`, false)
	if version > 1 {
		avroField(&b, "content", 517, `"int"`, false)
		avroField(&b, "sequence_number", 515, `"long"`, false)
		avroField(&b, "min_sequence_number", 516, `"long"`, false)
	}
	avroField(&b, "added_snapshot_id", 503, `"long"`, false)
	avroField(&b, "added_files_count", 504, `"int"`, opt)
	avroField(&b, "existing_files_count", 505, `"int"`, opt)
	avroField(&b, "deleted_files_count", 506, `"int"`, opt)
	avroField(&b, "added_rows_count", 512, `"long"`, opt)
	avroField(&b, "existing_rows_count", 513, `"long"`, opt)
	avroField(&b, "deleted_rows_count", 514, `"long"`, opt)
	avroField(&b, "partitions", 507, sum.String(), true)
	avroField(&b, "key_metadata", 519, `"bytes"`, true)
	if version > 2 {
		avroField(&b, "first_row_id", 520, `"long"`, true)
	}
	b.WriteString(`]}`)
	return b.String()
}
