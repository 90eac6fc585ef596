package metadata

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"

	"lakeserver/cherr"
	"lakeserver/objstore"
)

// Loader reads metadata files of one store for one query. Cache may be nil:
// then every file is read and parsed. Safe for concurrent use.
type Loader struct {
	Store objstore.Store
	Cache *Cache

	hits, misses, bytes atomic.Int64
}

// Stats gives this loader's own counts: files found in the cache, files
// parsed, bytes read.
func (l *Loader) Stats() (hits, misses, bytes int64) {
	return l.hits.Load(), l.misses.Load(), l.bytes.Load()
}

// Load gives the parsed form of a file that never changes under its path (a
// manifest or manifest list). kind tells apart two parsed forms of one path;
// size estimates the bytes that the parsed form holds.
func Load[T any](ctx context.Context, l *Loader, kind, path string, parse func(data []byte) (value T, size int64, err error)) (T, error) {
	return LoadObject(ctx, l, kind, path, "", parse)
}

// LoadObject is Load for a file that may be replaced: etag says which content.
// On the local disk, where asking costs little, a kept form counts only while
// the file is there as it was: damage must be seen.
func LoadObject[T any](ctx context.Context, l *Loader, kind, path, etag string, parse func(data []byte) (value T, size int64, err error)) (T, error) {
	read := func() (any, int64, error) {
		data, err := l.Store.Read(ctx, path)
		if err != nil {
			return nil, 0, err
		}
		l.bytes.Add(int64(len(data)))
		v, size, err := parse(data)
		return v, size, err
	}
	var v any
	var hit bool
	var err error
	if l.Cache == nil {
		v, _, err = read()
	} else {
		if etag == "" && objstore.Identity(l.Store) == "" {
			obj, err := l.Store.Stat(ctx, path)
			if err != nil {
				var zero T
				return zero, err
			}
			etag = obj.ETag
		}
		v, hit, err = l.Cache.Get(ctx, objstore.Identity(l.Store)+"\x00"+kind+"\x00"+path+"\x00"+etag, read)
	}
	if hit {
		l.hits.Add(1)
	} else {
		l.misses.Add(1)
	}
	if err != nil {
		var zero T
		return zero, err
	}
	return v.(T), nil
}

// maxPlain bounds a decompressed metadata file.
const maxPlain = 1 << 30

// Decompress undoes gzip or zstd, told by the content and not by the name:
// both spellings of compressed names occur, and names that lie.
func Decompress(data []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(data, []byte{0x1f, 0x8b}):
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, cherr.New(cherr.ZlibInflateFailed, "inflate failed: %s", err)
		}
		out, err := io.ReadAll(io.LimitReader(r, maxPlain))
		if err != nil {
			return nil, cherr.New(cherr.ZlibInflateFailed, "inflate failed: %s", err)
		}
		return out, nil
	case bytes.HasPrefix(data, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPlain))
		if err != nil {
			return nil, cherr.New(cherr.ZSTDDecoderFailed, "%s", err)
		}
		defer d.Close()
		out, err := d.DecodeAll(data, nil)
		if err != nil {
			return nil, cherr.New(cherr.ZSTDDecoderFailed, "zstd decoding failed: %s", err)
		}
		return out, nil
	}
	return data, nil
}

// Compress packs a metadata file: "" or "none", "gzip", "zstd".
func Compress(data []byte, codec string) ([]byte, error) {
	switch codec {
	case "", "none":
		return data, nil
	case "gzip":
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := w.Write(data); err != nil {
			return nil, err
		}
		err := w.Close()
		return b.Bytes(), err
	case "zstd":
		w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		defer w.Close()
		return w.EncodeAll(data, nil), nil
	}
	return nil, cherr.New(cherr.BadArguments, "Metadata files cannot be compressed with '%s': none, gzip and zstd are known", codec)
}
