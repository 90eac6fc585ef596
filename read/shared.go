package read

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/codec/parquet"
	"lakeserver/metadata"
	"lakeserver/objstore"
)

// Shared is what scans of one store have in common: decompressors and buffers,
// and a bounded cache of Parquet footers and position deletes by path and
// etag. It is safe for concurrent use.
type Shared struct {
	scratch *parquet.Scratch
	cache   *metadata.Cache
	pages   *parquet.PageCache // nil: none are kept
}

// NewShared makes it; cacheBytes bounds the cache.
func NewShared(cacheBytes int64) *Shared {
	return &Shared{scratch: parquet.NewScratch(), cache: metadata.NewCache(cacheBytes)}
}

// KeepPages gives scans that ask for it a cache of decompressed pages.
func (s *Shared) KeepPages(c *parquet.PageCache) { s.pages = c }

// Clear forgets the footers and position deletes.
func (s *Shared) Clear() { s.cache.Clear() }

// open reads a file's footer, or finds it.
func (s *Shared) open(ctx context.Context, f objstore.File, opt parquet.Options, keepPages bool) (*parquet.Reader, error) {
	if s == nil {
		return parquet.Open(ctx, f, opt)
	}
	opt.Scratch = s.scratch
	obj := f.Object()
	if obj.ETag == "" {
		return parquet.Open(ctx, f, opt)
	}
	name := obj.Path + "\x00" + obj.ETag
	if keepPages {
		opt.Pages, opt.File = s.pages, name
	}
	v, _, err := s.cache.Get(ctx, "footer\x00"+name, func() (any, int64, error) {
		r, err := parquet.Open(ctx, f, opt)
		if err != nil {
			return nil, 0, err
		}
		return r.On(closedFile{obj}, opt), r.FooterSize(), nil
	})
	if err != nil {
		return nil, err
	}
	return v.(*parquet.Reader).On(f, opt), nil
}

var errClosedFooter = cherr.New(cherr.LogicalError, "a kept footer was read from")

// closedFile stands for the file of a footer that is kept: it is never read.
type closedFile struct{ obj objstore.Object }

func (c closedFile) Object() objstore.Object { return c.obj }
func (closedFile) Close() error              { return nil }
func (closedFile) ReadAt([]byte, int64) (int, error) {
	return 0, errClosedFooter
}
