package paimon

import (
	"context"
	"unsafe"

	"lakeserver/cherr"
	"lakeserver/codec/avro"
	"lakeserver/column"
	"lakeserver/metadata"
)

// Versions of manifest files that are read and written.
const (
	ManifestVersion      = 2
	IndexManifestVersion = 1
)

// ManifestFile is one line of a manifest list.
type ManifestFile struct {
	Name                     string // in the folder manifest
	Size                     int64
	AddedFiles, DeletedFiles int64
	Partitions               Stats // over the partition row
	SchemaID                 int64
	MinBucket, MaxBucket     *int32
	MinLevel, MaxLevel       *int32
	MinRowID, MaxRowID       *int64
}

// Stats are bounds of some columns as binary rows, and their NULLs. A bound
// that is not known is NULL in both rows.
type Stats struct {
	Min, Max []byte
	Nulls    []int64 // -1: not known; nil: none is known
}

// EmptyStats are over no columns.
func EmptyStats() Stats {
	empty := EncodeRow(nil, nil)
	return Stats{Min: empty, Max: empty, Nulls: []int64{}}
}

func (s *Stats) size() int64 { return int64(len(s.Min) + len(s.Max) + 8*len(s.Nulls)) }

// LoadManifestList reads a manifest list; path is where it is stored.
func LoadManifestList(ctx context.Context, l *metadata.Loader, path string) ([]ManifestFile, error) {
	list, err := metadata.Load(ctx, l, "paimon list", path, func(data []byte) ([]ManifestFile, int64, error) {
		out, err := ParseManifestList(path, data)
		return out, int64(len(out))*int64(unsafe.Sizeof(ManifestFile{})) + 3*int64(len(data)), err
	})
	return list, cherr.Wrap(err, "reading Paimon manifest list %s", path)
}

// ParseManifestList reads a manifest list of any format.
func ParseManifestList(path string, data []byte) ([]ManifestFile, error) {
	var out []ManifestFile
	err := eachRecord(path, data, recordReader{
		avro: func(c *avro.Cursor, s *avro.Schema) {
			m := ManifestFile{}
			version := int64(0)
			for i := range s.Fields {
				m.readField(c, s.Fields[i].Name, s.Fields[i].Type, &version)
			}
			if version != ManifestVersion {
				c.Fail("version %d of manifest lists is not supported, only %d", version, ManifestVersion)
			}
			out = append(out, m)
		},
		row: func(r record) error {
			m := ManifestFile{
				Name: r.text("_FILE_NAME"), Size: r.num("_FILE_SIZE"), AddedFiles: r.num("_NUM_ADDED_FILES"),
				DeletedFiles: r.num("_NUM_DELETED_FILES"), Partitions: r.record("_PARTITION_STATS").stats(), SchemaID: r.num("_SCHEMA_ID"),
				MinBucket: r.int32("_MIN_BUCKET"), MaxBucket: r.int32("_MAX_BUCKET"), MinLevel: r.int32("_MIN_LEVEL"), MaxLevel: r.int32("_MAX_LEVEL"),
				MinRowID: r.int64("_MIN_ROW_ID"), MaxRowID: r.int64("_MAX_ROW_ID"),
			}
			out = append(out, m)
			return r.version(ManifestVersion)
		},
	})
	for i := range out {
		if err == nil && out[i].Name == "" {
			err = cherr.New(cherr.IncorrectData, "a manifest has no name")
		}
	}
	return out, err
}

func (m *ManifestFile) readField(c *avro.Cursor, name string, s *avro.Schema, version *int64) { // long: one case a field
	switch name {
	case "_VERSION":
		*version = num(c, s)
	case "_FILE_NAME":
		m.Name = text(c, s)
	case "_FILE_SIZE":
		m.Size = num(c, s)
	case "_NUM_ADDED_FILES":
		m.AddedFiles = num(c, s)
	case "_NUM_DELETED_FILES":
		m.DeletedFiles = num(c, s)
	case "_PARTITION_STATS":
		m.Partitions = readStats(c, s)
	case "_SCHEMA_ID":
		m.SchemaID = num(c, s)
	case "_MIN_BUCKET":
		m.MinBucket = narrow(optional(c, s))
	case "_MAX_BUCKET":
		m.MaxBucket = narrow(optional(c, s))
	case "_MIN_LEVEL":
		m.MinLevel = narrow(optional(c, s))
	case "_MAX_LEVEL":
		m.MaxLevel = narrow(optional(c, s))
	case "_MIN_ROW_ID":
		m.MinRowID = optional(c, s)
	case "_MAX_ROW_ID":
		m.MaxRowID = optional(c, s)
	default:
		c.Skip(s)
	}
}

const (
	recordHead = `{"type":"record","name":"record","namespace":"org.apache.paimon.avro.generated","fields":[`
	maybeInt   = `["null","int"],"default":null}`
	maybeLong  = `["null","long"],"default":null}`
	maybeBytes = `["null","bytes"],"default":null}`
	maybeText  = `["null","string"],"default":null}`
)

func statsSchema(name string) string {
	return `{"type":"record","name":"` + name + `","fields":[{"name":"_MIN_VALUES","type":"bytes"},{"name":"_MAX_VALUES","type":"bytes"},` +
		`{"name":"_NULL_COUNTS","type":["null",{"type":"array","items":["null","long"]}],"default":null}]}`
}

var manifestListSchema = recordHead + `{"name":"_VERSION","type":"int"},{"name":"_FILE_NAME","type":"string"},{"name":"_FILE_SIZE","type":"long"},` +
	`{"name":"_NUM_ADDED_FILES","type":"long"},{"name":"_NUM_DELETED_FILES","type":"long"},{"name":"_PARTITION_STATS","type":` +
	statsSchema("record__PARTITION_STATS") + `},{"name":"_SCHEMA_ID","type":"long"},{"name":"_MIN_BUCKET","type":` + maybeInt +
	`,{"name":"_MAX_BUCKET","type":` + maybeInt + `,{"name":"_MIN_LEVEL","type":` + maybeInt + `,{"name":"_MAX_LEVEL","type":` + maybeInt +
	`,{"name":"_MIN_ROW_ID","type":` + maybeLong + `,{"name":"_MAX_ROW_ID","type":` + maybeLong + `]}`

// EncodeManifestList writes a manifest list, which may be empty. compression is
// the option manifest.compression.
func EncodeManifestList(files []ManifestFile, compression string) ([]byte, error) {
	return encodeRecords(manifestListSchema, compression, len(files), func(e *avro.Encoder, i int) {
		m := &files[i]
		e.Long(ManifestVersion)
		e.Text(m.Name)
		e.Long(m.Size)
		e.Long(m.AddedFiles)
		e.Long(m.DeletedFiles)
		writeStats(e, &m.Partitions)
		e.Long(m.SchemaID)
		for _, p := range []*int32{m.MinBucket, m.MaxBucket, m.MinLevel, m.MaxLevel} {
			if e.Present(p != nil) {
				e.Long(int64(*p))
			}
		}
		writeOptional(e, m.MinRowID)
		writeOptional(e, m.MaxRowID)
	})
}

func writeOptional(e *avro.Encoder, v *int64) {
	if e.Present(v != nil) {
		e.Long(*v)
	}
}

func writeStats(e *avro.Encoder, s *Stats) {
	e.Bytes(s.Min)
	e.Bytes(s.Max)
	if !e.Present(s.Nulls != nil) {
		return
	}
	e.Items(len(s.Nulls))
	for _, n := range s.Nulls {
		if e.Present(n >= 0) {
			e.Long(n)
		}
	}
	e.EndItems(len(s.Nulls))
}

// encodeRecords writes a container of n records.
func encodeRecords(schema, compression string, n int, write func(e *avro.Encoder, i int)) ([]byte, error) {
	codec := compression
	switch compression {
	case "", "zstd":
		codec = "zstandard"
	case "none":
		codec = "null"
	}
	w, err := avro.NewWriter(schema, codec)
	if err != nil {
		return nil, err
	}
	for i := range n {
		write(w.Encoder(), i)
		if err := w.EndRow(); err != nil {
			return nil, err
		}
	}
	return w.Finish()
}

// num reads a number; NULL is 0.
func num(c *avro.Cursor, s *avro.Schema) int64 {
	if p := optional(c, s); p != nil {
		return *p
	}
	return 0
}

func optional(c *avro.Cursor, s *avro.Schema) *int64 {
	b := c.Branch(s)
	if b == nil || b.Kind == avro.Null {
		return nil
	}
	if b.Kind != avro.Int && b.Kind != avro.Long {
		c.Fail("a number is expected")
		return nil
	}
	v := c.Long()
	return &v
}

func narrow(v *int64) *int32 {
	if v == nil {
		return nil
	}
	n := int32(*v)
	return &n
}

// raw reads bytes or a string, nil for NULL; they point into the block.
func raw(c *avro.Cursor, s *avro.Schema) []byte {
	b := c.Branch(s)
	if b == nil || b.Kind == avro.Null {
		return nil
	}
	if b.Kind != avro.Bytes && b.Kind != avro.String {
		c.Fail("bytes are expected")
		return nil
	}
	out := c.Raw(b)
	if out == nil && c.Err() == nil {
		out = []byte{}
	}
	return out
}

func text(c *avro.Cursor, s *avro.Schema) string { return string(raw(c, s)) }

// items walks an array, nil or not; ok is false for NULL.
func items(c *avro.Cursor, s *avro.Schema, one func(elem *avro.Schema)) (ok bool) {
	b := c.Branch(s)
	if b == nil || b.Kind == avro.Null {
		return false
	}
	if b.Kind != avro.Array {
		c.Fail("an array is expected")
		return false
	}
	for c.Err() == nil {
		n := c.Items()
		if n == 0 {
			break
		}
		for ; n > 0 && c.Err() == nil; n-- {
			one(b.Elem)
		}
	}
	return true
}

func texts(c *avro.Cursor, s *avro.Schema) []string {
	out := []string{}
	if !items(c, s, func(e *avro.Schema) { out = append(out, text(c, e)) }) {
		return nil
	}
	return out
}

func longs(c *avro.Cursor, s *avro.Schema, ifNull int64) []int64 {
	out := []int64{}
	one := func(e *avro.Schema) {
		if p := optional(c, e); p != nil {
			out = append(out, *p)
		} else {
			out = append(out, ifNull)
		}
	}
	if !items(c, s, one) {
		return nil
	}
	return out
}

// inside gives the record that follows; nil for NULL or damage.
func inside(c *avro.Cursor, s *avro.Schema) *avro.Schema {
	b := c.Branch(s)
	if b == nil || b.Kind == avro.Null {
		return nil
	}
	if b.Kind != avro.Record {
		c.Fail("a record is expected")
		return nil
	}
	return b
}

func readStats(c *avro.Cursor, s *avro.Schema) (out Stats) {
	b := inside(c, s)
	if b == nil {
		return EmptyStats()
	}
	for i := range b.Fields {
		t := b.Fields[i].Type
		switch b.Fields[i].Name {
		case "_MIN_VALUES":
			out.Min = raw(c, t)
		case "_MAX_VALUES":
			out.Max = raw(c, t)
		case "_NULL_COUNTS":
			out.Nulls = longs(c, t, -1)
		default:
			c.Skip(t)
		}
	}
	return out
}

// record is one record of a manifest that is not in Avro, by the names of its
// fields. Such manifests are rare, so it need not be fast.
type record map[string]column.Value

func (r record) num(name string) int64 {
	if p := r.int64(name); p != nil {
		return *p
	}
	return 0
}

func (r record) int64(name string) *int64 {
	var v int64
	switch x := r[name].(type) {
	case int32:
		v = int64(x)
	case int64:
		v = x
	case int8:
		v = int64(x)
	case int16:
		v = int64(x)
	default:
		return nil
	}
	return &v
}

func (r record) int32(name string) *int32 { return narrow(r.int64(name)) }

func (r record) text(name string) string {
	s, _ := r[name].(string)
	return s
}

func (r record) bytes(name string) []byte {
	if s, ok := r[name].(string); ok {
		return []byte(s)
	}
	return nil
}

func (r record) texts(name string) []string {
	row, ok := r[name].(column.Row)
	if !ok {
		return nil
	}
	out := make([]string, len(row))
	for i, v := range row {
		out[i], _ = v.(string)
	}
	return out
}

func (r record) longs(name string, ifNull int64) []int64 {
	row, ok := r[name].(column.Row)
	if !ok {
		return nil
	}
	out := make([]int64, len(row))
	for i, v := range row {
		out[i] = ifNull
		if p := (record{"": v}).int64(""); p != nil {
			out[i] = *p
		}
	}
	return out
}

func (r record) record(name string) record {
	x, _ := r[name].(record)
	return x
}

func (r record) stats() Stats {
	if r == nil {
		return EmptyStats()
	}
	return Stats{Min: r.bytes("_MIN_VALUES"), Max: r.bytes("_MAX_VALUES"), Nulls: r.longs("_NULL_COUNTS", -1)}
}

func (r record) version(want int64) error {
	if v := r.num("_VERSION"); v != want {
		return cherr.New(cherr.IncorrectData, "version %d is not supported, only %d", v, want)
	}
	return nil
}
