package iceberg

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"

	"lakeserver/cherr"
	"lakeserver/metadata"
	"lakeserver/metadata/iceberg"
	"lakeserver/objstore"
)

// Folder is a table whose present version is the highest-numbered file of its
// metadata folder; creating the next number, which only one writer can, is the
// commit. It is safe for concurrent use.
type Folder struct {
	Loader *metadata.Loader // without a cache
	Root   string           // the table's folder in the store, ends with /
	Choice iceberg.Choice   // how the present version is found
	Codec  string           // of metadata files: "", "gzip", "zstd"
	Hint   bool             // version-hint.text is written even where there is none yet
	Line   *Line            // remembers the version last seen; may be nil
}

// lastVersion is the version that this process saw or made last.
type lastVersion struct {
	meta *iceberg.TableMetadata
	etag string
}

var versionName = regexp.MustCompile(`^v(\d{1,18})(\.[a-z]+)?\.metadata\.json$`)

// versionOf gives the number in a metadata file's name, -1 without one; plain
// says that the name is vN, where N+1 can be probed.
func versionOf(file string) (n int64, plain bool) {
	name := file[strings.LastIndexByte(file, '/')+1:]
	if m := versionName.FindStringSubmatch(name); m != nil {
		n, _ = strconv.ParseInt(m[1], 10, 64)
		return n, true
	}
	digits := strings.TrimPrefix(name, "v")
	end := 0
	for end < len(digits) && digits[end] >= '0' && digits[end] <= '9' {
		end++
	}
	if n, err := strconv.ParseInt(digits[:end], 10, 64); err == nil {
		return n, false
	}
	return -1, false
}

// Load gives the newest version. The one seen last still is the newest when
// its file is unchanged and no file has the next number.
func (f *Folder) Load(ctx context.Context) (*iceberg.TableMetadata, error) {
	if f.Line != nil {
		if last := f.Line.last; last.meta != nil {
			if n, plain := versionOf(last.meta.File); plain {
				obj, err := f.Loader.Store.Stat(ctx, last.meta.File)
				if err == nil && obj.ETag == last.etag && !f.exists(ctx, n+1) {
					return last.meta, nil
				}
			}
		}
	}
	m, _, err := iceberg.Load(ctx, f.Loader, f.Root, f.Choice)
	if err != nil {
		return nil, err
	}
	f.remember(ctx, m)
	return m, nil
}

func (f *Folder) remember(ctx context.Context, m *iceberg.TableMetadata) {
	if f.Line == nil {
		return
	}
	f.Line.last = lastVersion{}
	if obj, err := f.Loader.Store.Stat(ctx, m.File); err == nil {
		f.Line.last = lastVersion{m, obj.ETag}
	}
}

// nameEndings are the spellings of a version's name by codec.
var nameEndings = []string{".metadata.json", ".gz.metadata.json", ".zstd.metadata.json", ".metadata.json.gz"}

// exists tells whether a version is there under any spelling.
func (f *Folder) exists(ctx context.Context, n int64) bool {
	for _, e := range nameEndings {
		_, err := f.Loader.Store.Stat(ctx, f.versionPath(n, e))
		if err == nil || !cherr.Is(err, cherr.FileDoesntExist) {
			return true
		}
	}
	return false
}

func (f *Folder) versionPath(n int64, ending string) string {
	return f.Root + "metadata/v" + strconv.FormatInt(n, 10) + ending
}

// Swap creates the next version's file.
func (f *Folder) Swap(ctx context.Context, base *iceberg.TableMetadata, reqs []iceberg.Requirement, ups []iceberg.Update) (*iceberg.TableMetadata, error) {
	for _, r := range reqs {
		if err := r.Check(base); err != nil {
			return nil, cherr.Wrap(ErrConflict, "committing to Iceberg table %s: %s", base.Location, err)
		}
	}
	n, _ := versionOf(base.File)
	next, err := f.build(base, ups, n+1)
	if err != nil {
		return nil, err
	}
	if f.exists(ctx, n+1) {
		return nil, cherr.Wrap(ErrConflict, "committing version %d of Iceberg table %s", n+1, base.Location)
	}
	data, err := f.encode(next)
	if err != nil {
		return nil, err
	}
	if err := create(ctx, f.Loader.Store, next.File, data); err != nil {
		return nil, cherr.Wrap(err, "committing version %d of Iceberg table %s", n+1, base.Location)
	}
	f.remember(ctx, next)
	f.hint(ctx, n+1)
	f.trim(ctx, base, next)
	return next, nil
}

// Create makes the first version of a table; ErrConflict when there is one.
func (f *Folder) Create(ctx context.Context, m *iceberg.TableMetadata) (*iceberg.TableMetadata, error) {
	if f.exists(ctx, 1) {
		return nil, cherr.Wrap(ErrConflict, "creating Iceberg table %s", m.Location)
	}
	next := *m
	next.File = f.versionPath(1, f.ending())
	data, err := f.encode(&next)
	if err != nil {
		return nil, err
	}
	if err := create(ctx, f.Loader.Store, next.File, data); err != nil {
		return nil, cherr.Wrap(err, "creating Iceberg table %s", m.Location)
	}
	f.remember(ctx, &next)
	f.hint(ctx, 1)
	return &next, nil
}

func (f *Folder) ending() string {
	switch f.Codec {
	case "gzip":
		return ".gz.metadata.json"
	case "zstd":
		return ".zstd.metadata.json"
	}
	return ".metadata.json"
}

func (f *Folder) build(base *iceberg.TableMetadata, ups []iceberg.Update, n int64) (*iceberg.TableMetadata, error) {
	b := iceberg.NewBuilder(base)
	for _, u := range ups {
		if err := b.Apply(u); err != nil {
			return nil, err
		}
	}
	built, err := b.Build()
	if err != nil {
		return nil, err
	}
	next := *built
	next.File = f.versionPath(n, f.ending())
	return &next, nil
}

func (f *Folder) encode(m *iceberg.TableMetadata) ([]byte, error) {
	data, err := iceberg.Encode(m)
	if err != nil {
		return nil, err
	}
	return metadata.Compress(data, f.Codec)
}

// Answers that are not clear are asked about this often.
const (
	lookAgain = 5
	lookPause = 100 * time.Millisecond
)

// create writes a file that must not be there yet. ErrConflict: another's file
// stands there; ErrUnknown: nobody can tell. An answer may be lost on its way,
// and a request may be sent twice below us: what stands there decides.
func create(ctx context.Context, store objstore.Store, path string, data []byte) error {
	_, err := store.Put(ctx, path, bytes.NewReader(data), objstore.PutOptions{IfAbsent: true})
	if err == nil {
		return nil
	}
	for i := range lookAgain {
		if i > 0 && !sleep(ctx, lookPause) {
			break
		}
		there, rerr := store.Read(ctx, path)
		switch {
		case rerr == nil && bytes.Equal(there, data):
			return nil
		case rerr == nil:
			return ErrConflict
		case cherr.Is(rerr, cherr.FileDoesntExist) && !errors.Is(err, objstore.ErrExists):
			return err // it did not land
		}
	}
	return cherr.Wrap(ErrUnknown, "writing %s: %s", path, err)
}

// sleep waits; false when the context ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// hint says the newest version to readers that look there; it is only a hint,
// so a failure is nobody's.
func (f *Folder) hint(ctx context.Context, n int64) {
	path := f.Root + "metadata/version-hint.text"
	if !f.Hint {
		if _, err := f.Loader.Store.Stat(ctx, path); err != nil {
			return
		}
	}
	_, _ = f.Loader.Store.Put(ctx, path, strings.NewReader(strconv.FormatInt(n, 10)), objstore.PutOptions{})
}

// trim deletes the metadata files that fell out of the log, where the table
// wants that.
func (f *Folder) trim(ctx context.Context, base, next *iceberg.TableMetadata) {
	if !boolProperty(next.Properties, "write.metadata.delete-after-commit.enabled", false) {
		return
	}
	kept := map[string]bool{}
	for _, e := range next.MetadataLog {
		kept[e.File] = true
	}
	paths := iceberg.NewPathMapper(f.Root, next.Location)
	for _, e := range base.MetadataLog {
		if !kept[e.File] {
			_ = f.Loader.Store.Delete(ctx, paths.Map(e.File))
		}
	}
}
