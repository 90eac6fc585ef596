package paimon

import (
	"context"
	"unsafe"

	"lakeserver/cherr"
	"lakeserver/codec/avro"
	"lakeserver/column"
	"lakeserver/metadata"
)

// Types of index files.
const (
	IndexHash            = "HASH"
	IndexDeletionVectors = "DELETION_VECTORS"
)

// IndexEntry is one entry of an index manifest.
type IndexEntry struct {
	Kind         EntryKind
	Partition    []byte
	Bucket       int
	Type         string
	Name         string
	Size         int64
	Rows         int64         // hashes, or deletion vectors
	Vectors      []VectorRange // nil: none
	ExternalPath string
	Global       *GlobalIndex
}

// VectorRange says where the deletion vector of a data file stands.
type VectorRange struct {
	DataFile       string
	Offset, Length int32
	Cardinality    *int64
}

// GlobalIndex is of an index over row ids.
type GlobalIndex struct {
	RowRangeStart, RowRangeEnd int64 // the end is included
	FieldID                    int32
	ExtraFieldIDs              []int64 // nil: none
	Meta, SourceMeta           []byte
}

// LoadIndexManifest reads an index manifest; path is where it is stored.
func LoadIndexManifest(ctx context.Context, l *metadata.Loader, path string) ([]IndexEntry, error) {
	list, err := metadata.Load(ctx, l, "paimon index manifest", path, func(data []byte) ([]IndexEntry, int64, error) {
		out, err := ParseIndexManifest(path, data)
		return out, int64(len(out))*int64(unsafe.Sizeof(IndexEntry{})) + 6*int64(len(data)), err
	})
	return list, cherr.Wrap(err, "reading Paimon index manifest %s", path)
}

// ParseIndexManifest reads an index manifest of any format.
func ParseIndexManifest(path string, data []byte) ([]IndexEntry, error) {
	var out []IndexEntry
	err := eachRecord(path, data, recordReader{
		avro: func(c *avro.Cursor, s *avro.Schema) {
			e := IndexEntry{}
			version := int64(0)
			for i := range s.Fields {
				e.readField(c, s.Fields[i].Name, s.Fields[i].Type, &version)
			}
			if version != IndexManifestVersion {
				c.Fail("version %d of index manifests is not supported, only %d", version, IndexManifestVersion)
			}
			out = append(out, e)
		},
		row: func(r record) error {
			out = append(out, indexEntryOf(r))
			return r.version(IndexManifestVersion)
		},
	})
	return out, err
}

func (e *IndexEntry) readField(c *avro.Cursor, name string, s *avro.Schema, version *int64) { // long: one case a field
	switch name {
	case "_VERSION":
		*version = num(c, s)
	case "_KIND":
		e.Kind = EntryKind(num(c, s))
	case "_PARTITION":
		e.Partition = raw(c, s)
	case "_BUCKET":
		e.Bucket = int(num(c, s))
	case "_INDEX_TYPE":
		e.Type = text(c, s)
	case "_FILE_NAME":
		e.Name = text(c, s)
	case "_FILE_SIZE":
		e.Size = num(c, s)
	case "_ROW_COUNT":
		e.Rows = num(c, s)
	case "_DELETIONS_VECTORS_RANGES":
		items(c, s, func(elem *avro.Schema) {
			if b := inside(c, elem); b != nil {
				e.Vectors = append(e.Vectors, readVector(c, b))
			}
		})
	case "_EXTERNAL_PATH":
		e.ExternalPath = text(c, s)
	case "_GLOBAL_INDEX":
		if b := inside(c, s); b != nil {
			e.Global = readGlobal(c, b)
		}
	default:
		c.Skip(s)
	}
}

func readVector(c *avro.Cursor, b *avro.Schema) (v VectorRange) {
	for i := range b.Fields {
		t := b.Fields[i].Type
		switch b.Fields[i].Name {
		case "f0":
			v.DataFile = text(c, t)
		case "f1":
			v.Offset = int32(num(c, t))
		case "f2":
			v.Length = int32(num(c, t))
		case "_CARDINALITY":
			v.Cardinality = optional(c, t)
		default:
			c.Skip(t)
		}
	}
	return v
}

func readGlobal(c *avro.Cursor, b *avro.Schema) *GlobalIndex {
	g := &GlobalIndex{}
	for i := range b.Fields {
		t := b.Fields[i].Type
		switch b.Fields[i].Name {
		case "_ROW_RANGE_START":
			g.RowRangeStart = num(c, t)
		case "_ROW_RANGE_END":
			g.RowRangeEnd = num(c, t)
		case "_INDEX_FIELD_ID":
			g.FieldID = int32(num(c, t))
		case "_EXTRA_FIELD_IDS":
			g.ExtraFieldIDs = longs(c, t, 0)
		case "_INDEX_META":
			g.Meta = raw(c, t)
		case "_SOURCE_META":
			g.SourceMeta = raw(c, t)
		default:
			c.Skip(t)
		}
	}
	return g
}

func indexEntryOf(r record) IndexEntry {
	e := IndexEntry{
		Kind: EntryKind(r.num("_KIND")), Partition: r.bytes("_PARTITION"), Bucket: int(r.num("_BUCKET")), Type: r.text("_INDEX_TYPE"),
		Name: r.text("_FILE_NAME"), Size: r.num("_FILE_SIZE"), Rows: r.num("_ROW_COUNT"), ExternalPath: r.text("_EXTERNAL_PATH"),
	}
	list, _ := r["_DELETIONS_VECTORS_RANGES"].(column.Row)
	for _, x := range list {
		if v, ok := x.(record); ok && v["f0"] != nil {
			e.Vectors = append(e.Vectors, VectorRange{v.text("f0"), int32(v.num("f1")), int32(v.num("f2")), v.int64("_CARDINALITY")})
		}
	}
	if g := r.record("_GLOBAL_INDEX"); g["_ROW_RANGE_START"] != nil {
		e.Global = &GlobalIndex{
			g.num("_ROW_RANGE_START"), g.num("_ROW_RANGE_END"), int32(g.num("_INDEX_FIELD_ID")), g.longs("_EXTRA_FIELD_IDS", 0),
			g.bytes("_INDEX_META"), g.bytes("_SOURCE_META"),
		}
	}
	return e
}

const indexManifestSchema = recordHead + `{"name":"_VERSION","type":"int"},{"name":"_KIND","type":"int"},{"name":"_PARTITION","type":"bytes"},` +
	`{"name":"_BUCKET","type":"int"},{"name":"_INDEX_TYPE","type":"string"},{"name":"_FILE_NAME","type":"string"},{"name":"_FILE_SIZE","type":"long"},` +
	`{"name":"_ROW_COUNT","type":"long"},{"name":"_DELETIONS_VECTORS_RANGES","type":["null",{"type":"array","items":["null",{"type":"record",` +
	`"name":"record__DELETIONS_VECTORS_RANGES","fields":[{"name":"f0","type":"string"},{"name":"f1","type":"int"},{"name":"f2","type":"int"},` +
	`{"name":"_CARDINALITY","type":` + maybeLong + `]}]}],"default":null},{"name":"_EXTERNAL_PATH","type":` + maybeText +
	`,{"name":"_GLOBAL_INDEX","type":["null",{"type":"record","name":"record__GLOBAL_INDEX","fields":[{"name":"_ROW_RANGE_START","type":"long"},` +
	`{"name":"_ROW_RANGE_END","type":"long"},{"name":"_INDEX_FIELD_ID","type":"int"},{"name":"_EXTRA_FIELD_IDS","type":["null",{"type":"array",` +
	`"items":"int"}],"default":null},{"name":"_INDEX_META","type":` + maybeBytes

// EncodeIndexManifest writes an index manifest. The newest field of global
// indexes is left out of the schema unless an entry has it.
func EncodeIndexManifest(entries []IndexEntry, compression string) ([]byte, error) {
	schema, source := indexManifestSchema, false
	for i := range entries {
		source = source || entries[i].Global != nil && entries[i].Global.SourceMeta != nil
	}
	if source {
		schema += `,{"name":"_SOURCE_META","type":` + maybeBytes
	}
	return encodeRecords(schema+`]}],"default":null}]}`, compression, len(entries), func(e *avro.Encoder, i int) { entries[i].write(e, source) })
}

func (x *IndexEntry) write(e *avro.Encoder, source bool) {
	e.Long(IndexManifestVersion)
	e.Long(int64(x.Kind))
	e.Bytes(x.Partition)
	e.Long(int64(x.Bucket))
	e.Text(x.Type)
	e.Text(x.Name)
	e.Long(x.Size)
	e.Long(x.Rows)
	if e.Present(x.Vectors != nil) {
		e.Items(len(x.Vectors))
		for _, v := range x.Vectors {
			e.Present(true)
			e.Text(v.DataFile)
			e.Long(int64(v.Offset))
			e.Long(int64(v.Length))
			writeOptional(e, v.Cardinality)
		}
		e.EndItems(len(x.Vectors))
	}
	if e.Present(x.ExternalPath != "") {
		e.Text(x.ExternalPath)
	}
	g := x.Global
	if !e.Present(g != nil) {
		return
	}
	e.Long(g.RowRangeStart)
	e.Long(g.RowRangeEnd)
	e.Long(int64(g.FieldID))
	if e.Present(g.ExtraFieldIDs != nil) {
		e.Items(len(g.ExtraFieldIDs))
		for _, id := range g.ExtraFieldIDs {
			e.Long(id)
		}
		e.EndItems(len(g.ExtraFieldIDs))
	}
	if e.Present(g.Meta != nil) {
		e.Bytes(g.Meta)
	}
	if source && e.Present(g.SourceMeta != nil) {
		e.Bytes(g.SourceMeta)
	}
}
