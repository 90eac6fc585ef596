package iceberg

import (
	"context"
	"math"
	"slices"
	"strconv"
	"sync"
	"unsafe"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata"
)

// ManifestIndex is what planning asks of a manifest of data files, in columns:
// a file takes little more than its path, and statistics are there of the
// columns that were asked for only. Tables of a million files are planned from
// it. It is immutable and shared.
type ManifestIndex struct {
	Header Manifest // without entries
	stats  []*StatColumn
	*indexFiles
}

// indexFiles is the part that all filters share.
type indexFiles struct {
	header    Manifest
	n         int
	statuses  longs
	snapshots longs // -1: inherited, here and below
	sequences longs
	fileSeqs  longs
	records   longs
	sizes     longs
	rowIDs    longs
	formats   longs // of formatNames
	names     []string
	paths     texts
	tuples    longs // of tupleValues
	values    []partitionTuple
	encrypted map[int]bool
}

type partitionTuple struct {
	values     []column.Value
	unreadable uint64
}

// StatColumn is one column's statistics of a manifest's files. Counts are -1
// where they are not known. It is immutable but for what is derived from it.
type StatColumn struct {
	ID                  int32
	values, nulls, nans longs
	lower, upper        texts
	known               int // files with any

	mu      sync.Mutex
	derived map[string]any
}

// Derived gives what make made of the column for a key, which is kept with it:
// make runs once, and must only depend on the key and the column.
func (s *StatColumn) Derived(key string, make func() any) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.derived[key]
	if !ok {
		if s.derived == nil {
			s.derived = map[string]any{}
		}
		v = make()
		s.derived[key] = v
	}
	return v
}

// At gives file i's statistics; false when nothing is known. Bounds point into
// the column.
func (s *StatColumn) At(i int) (ColumnStat, bool) {
	st := ColumnStat{ID: s.ID, Values: s.values.at(i), Nulls: s.nulls.at(i), NaNs: s.nans.at(i), Bytes: -1, Lower: s.lower.at(i), Upper: s.upper.at(i)}
	return st, st.Values >= 0 || st.Nulls >= 0 || st.NaNs >= 0 || st.Lower != nil || st.Upper != nil
}

// LoadManifestIndex gives a manifest of data files for planning, with the
// statistics of the columns with the given ids.
func LoadManifestIndex(ctx context.Context, l *metadata.Loader, m *TableMetadata, f *ManifestFile, path string, ids []int) (*ManifestIndex, error) {
	if f.Encrypted {
		return nil, cherr.New(cherr.NotImplemented, "Manifest %s is encrypted, which is not supported", f.Path)
	}
	// As in LoadManifest the form depends on the table.
	kind := "index " + m.UUID + " " + strconv.Itoa(m.LastColumnID) + " " + strconv.FormatInt(f.Length, 10)
	kinds := make([]string, 1, 1+len(ids))
	kinds[0] = kind
	for _, id := range ids {
		kinds = append(kinds, kind+" "+strconv.Itoa(id))
	}
	parts, err := metadata.LoadParts(ctx, l, path, kinds, func(data []byte, missing []int) ([]metadata.Part, error) {
		want := make([]int, 0, len(missing))
		for _, k := range missing {
			if k > 0 {
				want = append(want, ids[k-1])
			}
		}
		files, stats, err := parseManifestIndex(path, data, m, f, want)
		if err != nil {
			return nil, err
		}
		out := make([]metadata.Part, 0, len(missing))
		if missing[0] == 0 {
			out = append(out, metadata.Part{Value: files, Size: files.size()})
		}
		for _, s := range stats {
			out = append(out, metadata.Part{Value: s, Size: s.size()})
		}
		return out, nil
	})
	if err != nil {
		return nil, cherr.Wrap(err, "reading Iceberg manifest %s", path)
	}
	x := &ManifestIndex{indexFiles: parts[0].(*indexFiles)}
	x.Header = x.header
	for _, p := range parts[1:] {
		x.stats = append(x.stats, p.(*StatColumn))
	}
	return x, nil
}

// Len gives the number of entries, deleted ones among them.
func (x *ManifestIndex) Len() int { return x.n }

// Live tells whether entry i is no deleted one.
func (x *ManifestIndex) Live(i int) bool { return x.statuses.at(i) != Deleted }

// Size gives the bytes of file i.
func (x *ManifestIndex) Size(i int) int64 { return x.sizes.at(i) }

// Column gives a column's statistics; nil when they were not asked for or
// there are none.
func (x *ManifestIndex) Column(id int) *StatColumn {
	for _, s := range x.stats {
		if s.ID == int32(id) && s.known > 0 {
			return s
		}
	}
	return nil
}

// HasStats tells whether any of the columns asked for has statistics.
func (x *ManifestIndex) HasStats() bool {
	return slices.ContainsFunc(x.stats, func(s *StatColumn) bool { return s.known > 0 })
}

// Tuples gives the number of different partition values.
func (x *ManifestIndex) Tuples() int { return len(x.values) }

// Tuple gives which of them file i has.
func (x *ManifestIndex) Tuple(i int) int { return int(x.tuples.at(i)) }

// TupleFile gives a file without anything but the partition values k.
func (x *ManifestIndex) TupleFile(k int) *DataFile {
	return &DataFile{Partition: x.values[k].values, Unreadable: x.values[k].unreadable}
}

// File makes file i whole, with the statistics that were asked for and without
// what only rewriting wants: sizes of columns, offsets of splits, sort order.
func (x *ManifestIndex) File(i int) *DataFile {
	t := x.values[x.tuples.at(i)]
	f := &DataFile{
		Path: x.paths.text(i), Format: x.names[x.formats.at(i)], Records: x.records.at(i), Size: x.sizes.at(i),
		Partition: t.values, Unreadable: t.unreadable, SortOrderID: -1, FirstRowID: x.rowIDs.at(i),
		ContentOffset: -1, ContentSize: -1, Encrypted: x.encrypted[i],
	}
	for _, s := range x.stats {
		if st, ok := s.At(i); ok {
			f.Stats = append(f.Stats, st)
		}
	}
	return f
}

// Walk calls f for those live entries that pick wants, in order, with what they
// inherit from the manifest list's line.
func (x *ManifestIndex) Walk(line *ManifestFile, pick func(i int) bool, f func(Live) error) error {
	in := inheritance{line: line, next: line.FirstRowID}
	for i := range x.n {
		e := inherited{int8(x.statuses.at(i)), x.snapshots.at(i), x.sequences.at(i), x.fileSeqs.at(i)}
		if e.status == Deleted {
			continue
		}
		row := in.rowID(x.rowIDs.at(i), func() int64 { return x.records.at(i) })
		if !pick(i) {
			continue
		}
		file := x.File(i)
		l, err := in.live(e, file, row)
		if err == nil {
			err = f(l)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (x *indexFiles) size() int64 {
	n := int64(unsafe.Sizeof(*x)) + x.paths.size()
	for _, p := range []*longs{&x.statuses, &x.snapshots, &x.sequences, &x.fileSeqs, &x.records, &x.sizes, &x.rowIDs, &x.formats, &x.tuples} {
		n += p.size()
	}
	for _, t := range x.values {
		n += 64 + 32*int64(len(t.values))
	}
	return n
}

func (s *StatColumn) size() int64 {
	// What is derived is about as much as a value of the column in sixty-four.
	return int64(unsafe.Sizeof(*s)) + s.values.size() + s.nulls.size() + s.nans.size() + s.lower.size() + s.upper.size() + int64(s.known)
}

// indexBuilder collects entries of one manifest.
type indexBuilder struct {
	ids     []int
	columns []statBuilder
	wanted  []bool // by id, of small ones
	big     map[int32]bool

	statuses, snapshots, sequences, fileSeqs, records, sizes, rowIDs, formats, tuples []int64

	names     []string
	paths     textsBuilder
	byBytes   map[string]int64
	values    []partitionTuple
	current   int64 // the tuple of the entry at hand
	encrypted map[int]bool
}

type statBuilder struct {
	values, nulls, nans []int64
	lower, upper        textsBuilder
	known               int
}

func newIndexBuilder(ids []int) *indexBuilder {
	b := &indexBuilder{ids: ids, columns: make([]statBuilder, len(ids)), byBytes: map[string]int64{}, big: map[int32]bool{}, encrypted: map[int]bool{}}
	b.wanted = make([]bool, 1024)
	for _, id := range ids {
		if id >= 0 && id < len(b.wanted) {
			b.wanted[id] = true
		}
		b.big[int32(id)] = true
	}
	return b
}

func (b *indexBuilder) wantsAny() bool { return len(b.ids) > 0 }

func (b *indexBuilder) wants(id int32) bool {
	if uint32(id) < uint32(len(b.wanted)) {
		return b.wanted[id]
	}
	return b.big[id]
}

// tuple notes the partition values of the entry at hand, by their stored form.
func (b *indexBuilder) tuple(stored []byte, read func() ([]column.Value, uint64)) {
	k, ok := b.byBytes[string(stored)]
	if !ok {
		v, unreadable := read()
		k = int64(len(b.values))
		b.values = append(b.values, partitionTuple{v, unreadable})
		b.byBytes[string(stored)] = k
	}
	b.current = k
}

func (b *indexBuilder) add(e *Entry) {
	f := &e.File
	if f.Encrypted {
		b.encrypted[len(b.records)] = true
	}
	if b.current < 0 { // the file has no partition record
		b.tuple(nil, func() ([]column.Value, uint64) { return nil, 0 })
	}
	b.tuples = append(b.tuples, b.current)
	b.current = -1
	b.statuses = append(b.statuses, int64(e.Status))
	b.snapshots = append(b.snapshots, e.SnapshotID)
	b.sequences = append(b.sequences, e.SequenceNumber)
	b.fileSeqs = append(b.fileSeqs, e.FileSequence)
	b.records = append(b.records, f.Records)
	b.sizes = append(b.sizes, f.Size)
	b.rowIDs = append(b.rowIDs, f.FirstRowID)
	at := slices.Index(b.names, f.Format)
	if at < 0 {
		at = len(b.names)
		b.names = append(b.names, f.Format)
	}
	b.formats = append(b.formats, int64(at))
	b.paths.add(unsafe.Slice(unsafe.StringData(f.Path), len(f.Path)))
	for i, id := range b.ids {
		b.columns[i].add(f.Stat(id))
	}
}

func (b *statBuilder) add(st *ColumnStat) {
	if st == nil {
		st = &ColumnStat{Values: -1, Nulls: -1, NaNs: -1}
	} else {
		b.known++
	}
	b.values = append(b.values, st.Values)
	b.nulls = append(b.nulls, st.Nulls)
	b.nans = append(b.nans, st.NaNs)
	b.lower.add(st.Lower)
	b.upper.add(st.Upper)
}

func parseManifestIndex(path string, data []byte, m *TableMetadata, mf *ManifestFile, ids []int) (*indexFiles, []*StatColumn, error) {
	b := newIndexBuilder(ids)
	b.current = -1
	r := &manifestReader{planned: b}
	x := &indexFiles{}
	live, bytes := int64(0), 0
	err := r.read(path, data, m, mf, &x.header, func(_ int64, n int) { bytes += n }, func(e *Entry) {
		if e.Status != Deleted {
			live++
		}
		b.add(e)
	})
	if err == nil && bytes > math.MaxUint32 {
		err = cherr.New(cherr.TooLargeSizeCompressed, "it holds %d bytes", bytes)
	}
	if err == nil {
		err = checkWhole(live, mf, len(data))
	}
	if err != nil {
		return nil, nil, err
	}
	x.n, x.names, x.values, x.encrypted = len(b.records), b.names, b.values, b.encrypted
	x.statuses, x.snapshots, x.sequences, x.fileSeqs = packLongs(b.statuses), packLongs(b.snapshots), packLongs(b.sequences), packLongs(b.fileSeqs)
	x.records, x.sizes, x.rowIDs, x.formats, x.tuples = packLongs(b.records), packLongs(b.sizes), packLongs(b.rowIDs), packLongs(b.formats), packLongs(b.tuples)
	x.paths = b.paths.pack(true)
	stats := make([]*StatColumn, len(ids))
	for i, id := range ids {
		c := &b.columns[i]
		stats[i] = &StatColumn{
			ID: int32(id), known: c.known, values: packLongs(c.values), nulls: packLongs(c.nulls), nans: packLongs(c.nans),
			lower: c.lower.pack(false), upper: c.upper.pack(false),
		}
	}
	return x, stats, nil
}
