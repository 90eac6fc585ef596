package paimon

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata/paimon"
	"lakeserver/objstore"
)

// bench is a table in a folder of its own. Its columns are p INT (the partition
// column, where it is partitioned), k INT (the key, where it has one) and v
// STRING. The data files hold some bytes only: commits do not read them.
type bench struct {
	t       *testing.T
	root    string
	store   *hooked
	dir     paimon.Dir
	options map[string]string
	parts   bool
	clock   time.Time
}

// hooked is a local store that tests can interfere with.
type hooked struct {
	objstore.Store
	beforePut func(path string) error // an error fails the Put
	afterPut  func(path string) error // an error although the Put is done
	onRead    func(path string) error
	onDelete  func(path string) error
	puts      []string
}

func (h *hooked) Put(ctx context.Context, path string, body io.Reader, o objstore.PutOptions) (objstore.Object, error) {
	if h.beforePut != nil {
		if err := h.beforePut(path); err != nil {
			return objstore.Object{}, err
		}
	}
	h.puts = append(h.puts, path)
	obj, err := h.Store.Put(ctx, path, body, o)
	if err == nil && h.afterPut != nil {
		err = h.afterPut(path)
	}
	return obj, err
}

func (h *hooked) Read(ctx context.Context, path string) ([]byte, error) {
	if h.onRead != nil {
		if err := h.onRead(path); err != nil {
			return nil, err
		}
	}
	return h.Store.Read(ctx, path)
}

func (h *hooked) Delete(ctx context.Context, path string) error {
	if h.onDelete != nil {
		if err := h.onDelete(path); err != nil {
			return err
		}
	}
	return h.Store.Delete(ctx, path)
}

type tableKind struct {
	partitioned, keyed bool
	options            map[string]string
}

// newTable makes a table; options are alternating names and values.
func newTable(t *testing.T, kind string, options ...string) *bench {
	t.Helper()
	k := tableKind{partitioned: strings.Contains(kind, "parts"), keyed: strings.Contains(kind, "key"), options: map[string]string{}}
	if k.keyed || strings.Contains(kind, "fixed") {
		k.options["bucket"] = "2"
	} else {
		k.options["bucket"] = "-1"
	}
	for i := 0; i < len(options); i += 2 {
		k.options[options[i]] = options[i+1]
	}
	root := filepath.Join(t.TempDir(), "t") + "/"
	b := &bench{t: t, root: root, options: k.options, parts: k.partitioned, clock: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	b.store = &hooked{Store: objstore.NewUnrestricted("/")}
	b.dir = paimon.Dir{Store: b.store, Root: root}
	b.writeSchema(0, k, `{"id":0,"name":"p","type":"INT"},{"id":1,"name":"k","type":"INT NOT NULL"},{"id":2,"name":"v","type":"STRING"}`)
	return b
}

func (b *bench) writeSchema(id int, k tableKind, fields string) {
	b.t.Helper()
	pk, part := "[]", "[]"
	if k.keyed {
		pk = `["k"]`
	}
	if k.partitioned {
		part = `["p"]`
		if k.keyed {
			pk = `["p","k"]`
		}
	}
	opts, _ := json.Marshal(k.options)
	text := fmt.Sprintf(`{"version":3,"id":%d,"fields":[%s],"highestFieldId":9,"partitionKeys":%s,"primaryKeys":%s,"options":%s,"timeMillis":1}`, id, fields, part, pk, opts)
	b.write(fmt.Sprintf("schema/schema-%d", id), text)
}

func (b *bench) write(rel, text string) {
	b.t.Helper()
	path := b.root + rel
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) exists(rel string) bool {
	_, err := os.Stat(b.root + rel)
	return err == nil
}

// committer opens the table; change may alter the builder.
func (b *bench) committer(user string, change ...func(*ContextBuilder)) *Committer {
	b.t.Helper()
	c, err := b.open(user, change...)
	if err != nil {
		b.t.Fatal(err)
	}
	return c
}

func (b *bench) open(user string, change ...func(*ContextBuilder)) (*Committer, error) {
	x := NewContextBuilder(b.root, user).WithFileSystem(b.store)
	for _, f := range change {
		f(x)
	}
	ctx, err := x.Finish()
	if err != nil {
		return nil, err
	}
	c, err := Create(b.t.Context(), ctx)
	if err == nil {
		c.now = func() time.Time { return b.clock }
		c.sleep = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	}
	return c, err
}

func option(name, value string) func(*ContextBuilder) {
	return func(b *ContextBuilder) { b.AddOption(name, value) }
}

// part gives the partition row of p = n; of a table without partitions for -1.
func (b *bench) part(n int) []byte {
	if !b.parts {
		return paimon.EncodeRow(nil, nil)
	}
	return paimon.EncodeRow(column.Row{int32(n)}, []*paimon.Type{{Kind: paimon.Int}})
}

func key(n int) []byte {
	return paimon.EncodeRow(column.Row{int32(n)}, []*paimon.Type{{Kind: paimon.Int}})
}

// file makes a data file on disk and gives its meta.
func (b *bench) file(p, bucket int, name string, rows int64, change ...func(*paimon.DataFile)) paimon.DataFile {
	b.t.Helper()
	f := paimon.DataFile{Name: name, Size: 10 * rows, Rows: rows, MinKey: paimon.EncodeRow(nil, nil), MaxKey: paimon.EncodeRow(nil, nil), KeyStats: paimon.EmptyStats(), ValueStats: paimon.EmptyStats()}
	created := int64(1000 + rows)
	f.CreationTime, f.ValueStatsCols = &created, []string{}
	source := int32(paimon.SourceAppend)
	f.Source = &source
	for _, c := range change {
		c(&f)
	}
	b.write(b.folder(p, bucket)+name, "data")
	for _, x := range f.ExtraFiles {
		b.write(b.folder(p, bucket)+x, "extra")
	}
	return f
}

func (b *bench) folder(p, bucket int) string {
	out := fmt.Sprintf("bucket-%d/", bucket)
	if b.parts {
		out = fmt.Sprintf("p=%d/", p) + out
	}
	return out
}

func keys(low, high, level int) func(*paimon.DataFile) {
	return func(f *paimon.DataFile) { f.MinKey, f.MaxKey, f.Level = key(low), key(high), level }
}

func extra(names ...string) func(*paimon.DataFile) {
	return func(f *paimon.DataFile) { f.ExtraFiles = names }
}

func compacted(f *paimon.DataFile) {
	source := int32(paimon.SourceCompact)
	f.Source = &source
}

func rowsFrom(first int64) func(*paimon.DataFile) {
	return func(f *paimon.DataFile) { f.FirstRowID = &first }
}

func writes(columns ...string) func(*paimon.DataFile) {
	return func(f *paimon.DataFile) { f.WriteCols = columns }
}

func schemaID(id int64) func(*paimon.DataFile) {
	return func(f *paimon.DataFile) { f.SchemaID = id }
}

// add makes a message of new files.
func (b *bench) add(p, bucket int, files ...paimon.DataFile) *Message {
	return &Message{Partition: b.part(p), Bucket: bucket, Data: DataIncrement{NewFiles: files}}
}

func (b *bench) compact(p, bucket int, before, after []paimon.DataFile) *Message {
	return &Message{Partition: b.part(p), Bucket: bucket, Compact: CompactIncrement{Before: before, After: after}}
}

func msgs(m ...*Message) []any {
	out := make([]any, len(m))
	for i := range m {
		out[i] = m[i]
	}
	return out
}

func id(n int64) *CommitOptions { return &CommitOptions{Identifier: &n} }

func watermark(n int64) *CommitOptions { return &CommitOptions{Watermark: &n} }

func ptr[T any](v T) *T { return &v }

// commit appends new files, and fails the test when that fails.
func (b *bench) commit(c *Committer, o *CommitOptions, m ...*Message) *paimon.Snapshot {
	b.t.Helper()
	if err := c.Commit(b.t.Context(), msgs(m...), o); err != nil {
		b.t.Fatal(err)
	}
	return b.latest()
}

func (b *bench) latest() *paimon.Snapshot {
	b.t.Helper()
	s, err := b.dir.LatestSnapshot(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

func (b *bench) snapshot(id int64) *paimon.Snapshot {
	b.t.Helper()
	s, err := b.dir.Snapshot(b.t.Context(), id)
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

// ids gives the snapshots that are there.
func (b *bench) ids() []int64 {
	b.t.Helper()
	out, err := b.dir.SnapshotIDs(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// reader opens the table without any hook in the way.
func (b *bench) reader() *Committer {
	b.t.Helper()
	plain := *b
	plain.store = &hooked{Store: b.store.Store}
	return plain.committer("reader")
}

// live gives the names of the files that a snapshot shows, in order.
func (b *bench) live(s *paimon.Snapshot) []string {
	b.t.Helper()
	entries, err := b.reader().liveOf(b.t.Context(), s)
	if err != nil {
		b.t.Fatal(err)
	}
	out := []string{}
	for _, e := range entries {
		out = append(out, e.File.Name)
	}
	sort.Strings(out)
	return out
}

// entries gives "+name" and "-name" of a manifest list, in order.
func (b *bench) entries(list string) []string {
	b.t.Helper()
	var out []string
	for _, e := range b.raw(list) {
		out = append(out, map[paimon.EntryKind]string{paimon.Add: "+", paimon.Delete: "-"}[e.Kind]+e.File.Name)
	}
	return out
}

func (b *bench) raw(list string) []paimon.Entry {
	b.t.Helper()
	c := b.reader()
	files, err := c.readList(b.t.Context(), list)
	if err != nil {
		b.t.Fatal(err)
	}
	read, err := c.readManifests(b.t.Context(), files)
	if err != nil {
		b.t.Fatal(err)
	}
	return slices.Concat(read...)
}

func (b *bench) index(s *paimon.Snapshot) []string {
	b.t.Helper()
	list, err := b.reader().readIndex(b.t.Context(), s.IndexManifest)
	if err != nil {
		b.t.Fatal(err)
	}
	out := []string{}
	for _, x := range list {
		if x.Kind != paimon.Add {
			b.t.Errorf("index manifest %s has a DELETE of %s", s.IndexManifest, x.Name)
		}
		out = append(out, x.Name)
	}
	return out
}

// indexFile makes an index file on disk.
func (b *bench) indexFile(kind, name string, vectors ...string) paimon.IndexEntry {
	b.t.Helper()
	b.write("index/"+name, "index")
	x := paimon.IndexEntry{Type: kind, Name: name, Size: 5, Rows: int64(max(1, len(vectors)))}
	for i, v := range vectors {
		x.Vectors = append(x.Vectors, paimon.VectorRange{DataFile: v, Offset: int32(1 + 10*i), Length: 10, Cardinality: ptr(int64(1))})
	}
	return x
}

// orphans gives what lies in the metadata folders and no snapshot names.
func (b *bench) orphans() []string {
	b.t.Helper()
	c, known := b.reader(), map[string]bool{}
	for _, n := range b.ids() {
		s := b.snapshot(n)
		l, err := c.readLists(b.t.Context(), s)
		if err != nil {
			b.t.Fatal(err)
		}
		all := l.all()
		if s.ChangelogManifestList != "" {
			more, err := c.readList(b.t.Context(), s.ChangelogManifestList)
			if err != nil {
				b.t.Fatal(err)
			}
			all = append(all, more...)
		}
		for _, f := range all {
			known[f.Name] = true
		}
		for _, n := range []string{s.BaseManifestList, s.DeltaManifestList, s.ChangelogManifestList, s.IndexManifest, strings.TrimPrefix(s.Properties[offsetsProperty], "metadata/")} {
			known[n] = true
		}
	}
	var out []string
	for _, folder := range []string{"manifest", "metadata"} {
		files, _ := os.ReadDir(b.root + folder)
		for _, f := range files {
			if !known[f.Name()] {
				out = append(out, f.Name())
			}
		}
	}
	return out
}

// race publishes a snapshot of another writer just before ours, n times.
func (b *bench) race(n int, m func(i int) *Message) {
	b.t.Helper()
	plain := *b
	plain.store = &hooked{Store: b.store.Store}
	other := plain.committer("other")
	left := n
	b.store.beforePut = func(path string) error {
		if strings.Contains(path, "/snapshot/snapshot-") && left > 0 {
			left--
			return other.Commit(b.t.Context(), msgs(m(n-left-1)), nil)
		}
		return nil
	}
}

func (b *bench) otherFile(i int) *Message {
	return b.add(1, 0, b.file(1, 0, fmt.Sprintf("other-%d", i), 1))
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q lacks %q", err, p)
		}
	}
	if cherr.CodeOf(err) == 0 || cherr.CodeOf(err) == cherr.LogicalError {
		t.Errorf("error %q has code %s", err, cherr.CodeOf(err))
	}
}

func wantInvalid(t *testing.T, err error, parts ...string) {
	t.Helper()
	wantError(t, err, parts...)
	if !cherr.Is(err, cherr.BadArguments) {
		t.Errorf("error %q has code %s", err, cherr.CodeOf(err))
	}
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	g, _ := json.Marshal(got)
	w, _ := json.Marshal(want)
	if !bytes.Equal(g, w) {
		t.Errorf("%s: got %s, want %s", what, g, w)
	}
}

// case runs a subtest over a table of its own.
func over(t *testing.T, name, kind string, options []string, f func(t *testing.T, b *bench)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { f(t, newTable(t, kind, options...)) })
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
