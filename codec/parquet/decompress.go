package parquet

import (
	"bytes"
	"encoding/binary"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"lakeserver/cherr"
)

// expansion bounds by codec how many bytes one compressed byte can become, so
// that a damaged size in a page header does not make us allocate gigabytes.
var expansion = [...]int64{
	CodecNone: 1, CodecSnappy: 64, CodecGzip: 1100, CodecBrotli: 1 << 20, CodecLZ4: 256, CodecZstd: 1 << 16, CodecLZ4Raw: 256,
}

// plausible tells whether n bytes can come out of that many compressed ones.
func plausible(codec Codec, compressed, n int) bool {
	if codec == CodecNone {
		return n == compressed
	}
	return int64(n) <= int64(compressed+64)*expansion[codec]
}

// decompress fills dst, whose length is what the page header promises.
func (w *workspace) decompress(codec Codec, dst, src []byte) error {
	if len(dst) == 0 {
		return nil
	}
	var n int
	var err error
	switch codec {
	case CodecNone:
		n = copy(dst, src)
	case CodecSnappy:
		n, err = snappy(dst, src)
	case CodecZstd:
		n, err = w.unzstd(dst, src)
	case CodecGzip:
		n, err = w.gunzip(dst, src)
	case CodecLZ4Raw:
		n, err = lz4.UncompressBlock(src, dst)
	case CodecLZ4:
		n, err = hadoopLZ4(dst, src)
	case CodecBrotli:
		n, err = readFull(brotli.NewReader(bytes.NewReader(src)), dst)
	default:
		return cherr.New(cherr.NotImplemented, "Parquet codec %s is not supported", codec)
	}
	if err != nil {
		return cherr.New(cherr.IncorrectData, "a page does not decompress as %s: %s", codec, err)
	}
	if n != len(dst) {
		return cherr.New(cherr.IncorrectData, "a page of %d bytes decompressed to %d", len(dst), n)
	}
	return nil
}

func snappy(dst, src []byte) (int, error) {
	n, err := s2.DecodedLen(src)
	if err != nil || n != len(dst) {
		return n, err
	}
	_, err = s2.Decode(dst, src)
	return n, err
}

func (w *workspace) unzstd(dst, src []byte) (int, error) {
	if w.zstd == nil {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(2<<30))
		if err != nil {
			return 0, err
		}
		w.zstd = d
	}
	// A frame that says another size than the page header is refused before
	// it is unpacked beside dst.
	var h zstd.Header
	if err := h.Decode(src); err != nil {
		return 0, err
	}
	if h.HasFCS && h.FrameContentSize > uint64(len(dst)) {
		return int(min(h.FrameContentSize, 1<<40)), nil
	}
	out, err := w.zstd.DecodeAll(src, dst[:0:len(dst)])
	if err == nil && len(out) == len(dst) && &out[0] != &dst[0] {
		copy(dst, out)
	}
	return len(out), err
}

func (w *workspace) gunzip(dst, src []byte) (int, error) {
	var err error
	if w.gzip == nil {
		w.gzip, err = gzip.NewReader(bytes.NewReader(src))
	} else {
		err = w.gzip.Reset(bytes.NewReader(src))
	}
	if err != nil {
		w.gzip = nil
		return 0, err
	}
	return readFull(w.gzip, dst)
}

// readFull reads dst and makes sure that nothing follows, which also checks
// the codec's own checksum.
func readFull(r io.Reader, dst []byte) (int, error) {
	n, err := io.ReadFull(r, dst)
	if err != nil {
		return n, err
	}
	var one [1]byte
	for {
		switch m, err := r.Read(one[:]); {
		case m > 0:
			return n + 1, nil
		case err == io.EOF:
			return n, nil
		case err != nil:
			return n, err
		}
	}
}

// hadoopLZ4 unpacks Hadoop's framing: the big-endian size of a run of data,
// then blocks, each behind its packed size, until the run is complete. Some
// writers put a raw block under the same codec number; then the sizes do not
// add up.
func hadoopLZ4(dst, src []byte) (int, error) {
	if n, ok := hadoopRuns(dst, src); ok {
		return n, nil
	}
	return lz4.UncompressBlock(src, dst)
}

func hadoopRuns(dst, src []byte) (n int, ok bool) {
	for len(src) > 0 {
		if len(src) < 4 {
			return n, false
		}
		raw := uint64(binary.BigEndian.Uint32(src))
		if raw > uint64(len(dst)-n) {
			return n, false
		}
		src = src[4:]
		for end := n + int(raw); n < end; {
			if len(src) < 4 {
				return n, false
			}
			packed := binary.BigEndian.Uint32(src)
			src = src[4:]
			if uint64(packed) > uint64(len(src)) {
				return n, false
			}
			m, err := lz4.UncompressBlock(src[:packed], dst[n:end])
			if err != nil || m == 0 {
				return n, false
			}
			n, src = n+m, src[packed:]
		}
	}
	return n, true
}
