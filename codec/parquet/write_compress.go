package parquet

import (
	"bytes"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"lakeserver/cherr"
)

// packers compress pages. What one needs is used by one goroutine at a time
// and kept for the next.
type packers struct {
	codec Codec
	level int
	mu    sync.Mutex
	free  []*packer
}

type packer struct {
	zstd         *zstd.Encoder
	body, packed []byte // of a page
}

func newPackers(codec Codec, level int) (*packers, error) {
	switch codec {
	case CodecNone, CodecSnappy, CodecGzip, CodecBrotli, CodecZstd, CodecLZ4Raw:
		return &packers{codec: codec, level: level}, nil
	}
	return nil, cherr.New(cherr.NotImplemented, "Parquet files cannot be written with codec %s", codec)
}

func (p *packers) take() *packer {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 {
		out := p.free[n-1]
		p.free = p.free[:n-1]
		return out
	}
	return &packer{}
}

func (p *packers) give(x *packer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, x)
}

// pack adds src to dst, compressed.
func (p *packers) pack(x *packer, dst, src []byte) ([]byte, error) {
	switch p.codec {
	case CodecSnappy:
		return append(dst, s2.EncodeSnappy(nil, src)...), nil
	case CodecZstd:
		if x.zstd == nil {
			var err error
			if x.zstd, err = p.newZstd(); err != nil {
				return dst, err
			}
		}
		return x.zstd.EncodeAll(src, dst), nil
	case CodecGzip:
		out := bytes.NewBuffer(dst)
		level := p.level
		if level <= 0 || level > 9 {
			level = gzip.DefaultCompression
		}
		z, err := gzip.NewWriterLevel(out, level)
		if err != nil {
			return dst, err
		}
		if _, err := z.Write(src); err != nil {
			return dst, err
		}
		err = z.Close()
		return out.Bytes(), err
	case CodecBrotli:
		out := bytes.NewBuffer(dst)
		level := p.level
		if level <= 0 || level > 11 {
			level = 4
		}
		z := brotli.NewWriterLevel(out, level)
		if _, err := z.Write(src); err != nil {
			return dst, err
		}
		err := z.Close()
		return out.Bytes(), err
	case CodecLZ4Raw:
		at := len(dst)
		dst = append(dst, make([]byte, lz4.CompressBlockBound(len(src)))...)
		var c lz4.Compressor
		n, err := c.CompressBlock(src, dst[at:])
		return dst[:at+n], err
	}
	return append(dst, src...), nil
}

func (p *packers) newZstd() (*zstd.Encoder, error) {
	level := zstd.SpeedFastest
	if p.level > 0 {
		level = zstd.EncoderLevelFromZstd(p.level)
	}
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false), zstd.WithWindowSize(1<<20))
}
