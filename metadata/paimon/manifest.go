package paimon

import (
	"context"
	"encoding/binary"
	"unsafe"

	"lakeserver/cherr"
	"lakeserver/codec/avro"
	"lakeserver/metadata"
)

// EntryKind says what a manifest entry does to its file.
type EntryKind int8

// The kinds of entries.
const (
	Add    EntryKind = 0
	Delete EntryKind = 1
)

// Entry is one entry of a manifest.
type Entry struct {
	Kind         EntryKind
	Partition    []byte // a binary row
	Bucket       int
	TotalBuckets int // when the file was written; -1: not fixed
	File         DataFile
}

// Sources of a data file.
const (
	SourceAppend  = 0
	SourceCompact = 1
)

// DataFile is what a manifest knows of a data file.
type DataFile struct {
	Name                     string
	Size, Rows               int64
	MinKey, MaxKey           []byte // of the trimmed primary key; of no fields for append tables
	KeyStats, ValueStats     Stats
	MinSequence, MaxSequence int64
	SchemaID                 int64
	Level                    int
	ExtraFiles               []string
	CreationTime             *int64 // milliseconds of the writer's wall clock, as if it were UTC
	DeleteRows               *int64 // rows of kind -D and -U
	EmbeddedIndex            []byte
	Source                   *int32
	ValueStatsCols           []string // nil: all columns that the file has; else those of ValueStats
	ExternalPath             string   // whole path, for files outside of the table's folder
	FirstRowID               *int64
	WriteCols                []string // nil: all columns of its schema
	WriteColsSequences       []int64
}

// LoadManifest reads a manifest; path is where it is stored.
func LoadManifest(ctx context.Context, l *metadata.Loader, path string) ([]Entry, error) {
	list, err := metadata.Load(ctx, l, "paimon manifest", path, func(data []byte) ([]Entry, int64, error) {
		out, err := ParseManifest(path, data)
		size := int64(len(out)) * int64(unsafe.Sizeof(Entry{}))
		for i := range out {
			f := &out[i].File
			size += int64(len(f.Name)+len(f.MinKey)+len(f.MaxKey)+len(f.EmbeddedIndex)+len(f.ExternalPath)) + f.KeyStats.size() + f.ValueStats.size() + 128
		}
		return out, size, err
	})
	return list, cherr.Wrap(err, "reading Paimon manifest %s", path)
}

// ParseManifest reads a manifest of any format.
func ParseManifest(path string, data []byte) ([]Entry, error) {
	var out []Entry
	err := eachRecord(path, data, recordReader{
		avro: func(c *avro.Cursor, s *avro.Schema) {
			e := Entry{}
			version := int64(0)
			for i := range s.Fields {
				e.readField(c, s.Fields[i].Name, s.Fields[i].Type, &version)
			}
			if version != ManifestVersion {
				c.Fail("version %d of manifests is not supported, only %d", version, ManifestVersion)
			}
			out = append(out, e)
		},
		row: func(r record) error {
			out = append(out, Entry{
				Kind: EntryKind(r.num("_KIND")), Partition: r.bytes("_PARTITION"), Bucket: int(r.num("_BUCKET")),
				TotalBuckets: int(r.num("_TOTAL_BUCKETS")), File: dataFileOf(r.record("_FILE")),
			})
			return r.version(ManifestVersion)
		},
	})
	for i := range out {
		if err != nil {
			break
		}
		err = out[i].check()
	}
	return out, err
}

func (e *Entry) check() error {
	switch {
	case e.Kind != Add && e.Kind != Delete:
		return cherr.New(cherr.IncorrectData, "kind %d of an entry is not known", e.Kind)
	case e.File.Name == "":
		return cherr.New(cherr.IncorrectData, "an entry has no file name")
	case e.File.Rows < 0 || e.File.Size < 0:
		return cherr.New(cherr.IncorrectData, "file %s has %d rows and %d bytes", e.File.Name, e.File.Rows, e.File.Size)
	}
	return nil
}

func (e *Entry) readField(c *avro.Cursor, name string, s *avro.Schema, version *int64) {
	switch name {
	case "_VERSION":
		*version = num(c, s)
	case "_KIND":
		e.Kind = EntryKind(num(c, s))
	case "_PARTITION":
		e.Partition = raw(c, s)
	case "_BUCKET":
		e.Bucket = int(num(c, s))
	case "_TOTAL_BUCKETS":
		e.TotalBuckets = int(num(c, s))
	case "_FILE":
		b := inside(c, s)
		if b == nil {
			c.Fail("an entry has no file")
			return
		}
		for i := range b.Fields {
			e.File.readField(c, b.Fields[i].Name, b.Fields[i].Type)
		}
	default:
		c.Skip(s)
	}
}

func (f *DataFile) readField(c *avro.Cursor, name string, s *avro.Schema) { // long: one case a field
	switch name {
	case "_FILE_NAME":
		f.Name = text(c, s)
	case "_FILE_SIZE":
		f.Size = num(c, s)
	case "_ROW_COUNT":
		f.Rows = num(c, s)
	case "_MIN_KEY":
		f.MinKey = raw(c, s)
	case "_MAX_KEY":
		f.MaxKey = raw(c, s)
	case "_KEY_STATS":
		f.KeyStats = readStats(c, s)
	case "_VALUE_STATS":
		f.ValueStats = readStats(c, s)
	case "_MIN_SEQUENCE_NUMBER":
		f.MinSequence = num(c, s)
	case "_MAX_SEQUENCE_NUMBER":
		f.MaxSequence = num(c, s)
	case "_SCHEMA_ID":
		f.SchemaID = num(c, s)
	case "_LEVEL":
		f.Level = int(num(c, s))
	case "_EXTRA_FILES":
		f.ExtraFiles = texts(c, s)
	case "_CREATION_TIME":
		f.CreationTime = optional(c, s)
	case "_DELETE_ROW_COUNT":
		f.DeleteRows = optional(c, s)
	case "_EMBEDDED_FILE_INDEX":
		f.EmbeddedIndex = raw(c, s)
	case "_FILE_SOURCE":
		f.Source = narrow(optional(c, s))
	case "_VALUE_STATS_COLS":
		f.ValueStatsCols = texts(c, s)
	case "_EXTERNAL_PATH":
		f.ExternalPath = text(c, s)
	case "_FIRST_ROW_ID":
		f.FirstRowID = optional(c, s)
	case "_WRITE_COLS":
		f.WriteCols = texts(c, s)
	case "_WRITE_COLS_SEQUENCES":
		f.WriteColsSequences = longs(c, s, 0)
	default:
		c.Skip(s)
	}
}

// dataFileOf: a list that is NULL reads as an empty one there, so what was
// meant is told by what must be.
func dataFileOf(r record) DataFile {
	f := DataFile{
		Name: r.text("_FILE_NAME"), Size: r.num("_FILE_SIZE"), Rows: r.num("_ROW_COUNT"), MinKey: r.bytes("_MIN_KEY"), MaxKey: r.bytes("_MAX_KEY"),
		KeyStats: r.record("_KEY_STATS").stats(), ValueStats: r.record("_VALUE_STATS").stats(), MinSequence: r.num("_MIN_SEQUENCE_NUMBER"),
		MaxSequence: r.num("_MAX_SEQUENCE_NUMBER"), SchemaID: r.num("_SCHEMA_ID"), Level: int(r.num("_LEVEL")), ExtraFiles: r.texts("_EXTRA_FILES"),
		CreationTime: r.int64("_CREATION_TIME"), DeleteRows: r.int64("_DELETE_ROW_COUNT"), EmbeddedIndex: r.bytes("_EMBEDDED_FILE_INDEX"),
		Source: r.int32("_FILE_SOURCE"), ValueStatsCols: r.texts("_VALUE_STATS_COLS"), ExternalPath: r.text("_EXTERNAL_PATH"),
		FirstRowID: r.int64("_FIRST_ROW_ID"), WriteCols: r.texts("_WRITE_COLS"), WriteColsSequences: r.longs("_WRITE_COLS_SEQUENCES", 0),
	}
	if len(f.ValueStatsCols) == 0 && Arity(f.ValueStats.Min) > 0 {
		f.ValueStatsCols = nil
	}
	if len(f.WriteCols) == 0 {
		f.WriteCols, f.WriteColsSequences = nil, nil
	}
	return f
}

const textList = `{"type":"array","items":"string"}`

var manifestSchema = recordHead + `{"name":"_VERSION","type":"int"},{"name":"_KIND","type":"int"},{"name":"_PARTITION","type":"bytes"},` +
	`{"name":"_BUCKET","type":"int"},{"name":"_TOTAL_BUCKETS","type":"int"},{"name":"_FILE","type":{"type":"record","name":"record__FILE","fields":[` +
	`{"name":"_FILE_NAME","type":"string"},{"name":"_FILE_SIZE","type":"long"},{"name":"_ROW_COUNT","type":"long"},{"name":"_MIN_KEY","type":"bytes"},` +
	`{"name":"_MAX_KEY","type":"bytes"},{"name":"_KEY_STATS","type":` + statsSchema("record__FILE__KEY_STATS") + `},{"name":"_VALUE_STATS","type":` +
	statsSchema("record__FILE__VALUE_STATS") + `},{"name":"_MIN_SEQUENCE_NUMBER","type":"long"},{"name":"_MAX_SEQUENCE_NUMBER","type":"long"},` +
	`{"name":"_SCHEMA_ID","type":"long"},{"name":"_LEVEL","type":"int"},{"name":"_EXTRA_FILES","type":` + textList +
	`},{"name":"_CREATION_TIME","type":["null",{"type":"long","logicalType":"timestamp-millis"}],"default":null},` +
	`{"name":"_DELETE_ROW_COUNT","type":` + maybeLong + `,{"name":"_EMBEDDED_FILE_INDEX","type":` + maybeBytes + `,{"name":"_FILE_SOURCE","type":` + maybeInt +
	`,{"name":"_VALUE_STATS_COLS","type":["null",` + textList + `],"default":null},{"name":"_EXTERNAL_PATH","type":` + maybeText +
	`,{"name":"_FIRST_ROW_ID","type":` + maybeLong + `,{"name":"_WRITE_COLS","type":["null",` + textList + `],"default":null}`

// EncodeManifest writes a manifest. compression is the option
// manifest.compression. The newest optional field is left out of the schema
// unless an entry has it, as the releases that do not know it do.
func EncodeManifest(entries []Entry, compression string) ([]byte, error) {
	schema, sequences := manifestSchema, false
	for i := range entries {
		sequences = sequences || entries[i].File.WriteColsSequences != nil
	}
	if sequences {
		schema += `,{"name":"_WRITE_COLS_SEQUENCES","type":["null",{"type":"array","items":"long"}],"default":null}`
	}
	return encodeRecords(schema+`]}}]}`, compression, len(entries), func(e *avro.Encoder, i int) { entries[i].write(e, sequences) })
}

func (x *Entry) write(e *avro.Encoder, sequences bool) {
	e.Long(ManifestVersion)
	e.Long(int64(x.Kind))
	e.Bytes(x.Partition)
	e.Long(int64(x.Bucket))
	e.Long(int64(x.TotalBuckets))
	f := &x.File
	e.Text(f.Name)
	e.Long(f.Size)
	e.Long(f.Rows)
	e.Bytes(f.MinKey)
	e.Bytes(f.MaxKey)
	writeStats(e, &f.KeyStats)
	writeStats(e, &f.ValueStats)
	e.Long(f.MinSequence)
	e.Long(f.MaxSequence)
	e.Long(f.SchemaID)
	e.Long(int64(f.Level))
	writeTexts(e, f.ExtraFiles)
	writeOptional(e, f.CreationTime)
	writeOptional(e, f.DeleteRows)
	if e.Present(f.EmbeddedIndex != nil) {
		e.Bytes(f.EmbeddedIndex)
	}
	if e.Present(f.Source != nil) {
		e.Long(int64(*f.Source))
	}
	if e.Present(f.ValueStatsCols != nil) {
		writeTexts(e, f.ValueStatsCols)
	}
	if e.Present(f.ExternalPath != "") {
		e.Text(f.ExternalPath)
	}
	writeOptional(e, f.FirstRowID)
	if e.Present(f.WriteCols != nil) {
		writeTexts(e, f.WriteCols)
	}
	if sequences && e.Present(f.WriteColsSequences != nil) {
		e.Items(len(f.WriteColsSequences))
		for _, n := range f.WriteColsSequences {
			e.Long(n)
		}
		e.EndItems(len(f.WriteColsSequences))
	}
}

func writeTexts(e *avro.Encoder, list []string) {
	e.Items(len(list))
	for _, s := range list {
		e.Text(s)
	}
	e.EndItems(len(list))
}

// Identity tells entries of one file at one place apart from others: what an
// ADD brings and a DELETE takes away. Sequence numbers do not belong to it.
func (x *Entry) Identity() string {
	f := &x.File
	b := make([]byte, 0, len(x.Partition)+len(f.Name)+len(f.EmbeddedIndex)+len(f.ExternalPath)+24)
	part := func(s string) {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	part(f.Name)
	part(string(x.Partition))
	b = binary.AppendVarint(b, int64(x.Bucket))
	b = binary.AppendVarint(b, int64(f.Level))
	for _, s := range f.ExtraFiles {
		part(s)
	}
	part(string(f.EmbeddedIndex))
	part(f.ExternalPath)
	return string(b)
}

// Merger joins the entries of manifests in their order: what was added and not
// deleted later is left, and deletes of what stands in earlier manifests.
type Merger struct {
	at  map[string]int
	out []Entry
}

// NewMerger makes one; n is a guess of the entries.
func NewMerger(n int) *Merger { return &Merger{at: make(map[string]int, n)} }

// Add takes the next entry. Adding what is there already is an error.
func (m *Merger) Add(e *Entry) error {
	id := e.Identity()
	i, ok := m.at[id]
	switch {
	case e.Kind == Add && ok && m.out[i].Kind == Add:
		return cherr.New(cherr.IncorrectData, "Trying to add file %s which is already added", e.File.Name)
	case e.Kind == Delete && ok && m.out[i].Kind == Add:
		m.out[i].Kind = gone
		delete(m.at, id)
		return nil
	}
	m.at[id] = len(m.out)
	m.out = append(m.out, *e)
	return nil
}

const gone EntryKind = -1

// Entries gives what is left, in order.
func (m *Merger) Entries() []Entry {
	out := m.out[:0:0]
	for i := range m.out {
		if m.out[i].Kind != gone {
			out = append(out, m.out[i])
		}
	}
	return out
}
