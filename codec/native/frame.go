package native

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"github.com/ClickHouse/ch-go/compress"

	"lakeserver/cherr"
)

// frameBytes is how much of a stream goes into one frame, as in ClickHouse.
const frameBytes = 1 << 20

// Method is a way of compressing frames.
type Method = compress.Method

// The methods that go over the network.
const (
	None  = compress.None
	LZ4   = compress.LZ4
	LZ4HC = compress.LZ4HC
	ZSTD  = compress.ZSTD
)

// ParseMethod reads the setting network_compression_method.
func ParseMethod(name string) (Method, error) {
	switch strings.ToUpper(name) {
	case "", "LZ4":
		return LZ4, nil
	case "LZ4HC":
		return LZ4HC, nil
	case "ZSTD":
		return ZSTD, nil
	case "NONE":
		return None, nil
	}
	return None, cherr.New(cherr.UnknownCodec, "Unknown network_compression_method '%s'", name)
}

// Compressor makes frames of bytes. It is used by one goroutine at a time.
type Compressor struct{ w *compress.Writer }

// NewCompressor makes a compressor; level matters to ZSTD and LZ4HC only.
func NewCompressor(m Method, level int) *Compressor {
	return &Compressor{compress.NewWriter(compress.Level(max(level, 0)), m)}
}

// Append adds data as frames to dst.
func (c *Compressor) Append(dst, data []byte) ([]byte, error) {
	for len(data) > 0 {
		n := min(len(data), frameBytes)
		if err := c.w.Compress(data[:n]); err != nil {
			return dst, cherr.WithCode(cherr.CannotCompress, err, "Cannot compress")
		}
		dst = append(dst, c.w.Data...)
		data = data[n:]
	}
	return dst, nil
}

// FrameWriter compresses what is written to it; Flush ends a frame.
type FrameWriter struct {
	c    *Compressor
	w    io.Writer
	buf  []byte
	wire []byte
}

// NewFrameWriter makes a writer of frames.
func NewFrameWriter(w io.Writer, c *Compressor) *FrameWriter { return &FrameWriter{c: c, w: w} }

// Write buffers and sends full frames.
func (f *FrameWriter) Write(p []byte) (int, error) {
	f.buf = append(f.buf, p...)
	if len(f.buf) < frameBytes {
		return len(p), nil
	}
	return len(p), f.Flush()
}

// Flush sends what is buffered as frames.
func (f *FrameWriter) Flush() error {
	var err error
	if f.wire, err = f.c.Append(f.wire[:0], f.buf); err != nil {
		return err
	}
	f.buf = f.buf[:0]
	_, err = f.w.Write(f.wire)
	return err
}

// frameReader reads frames as one stream of bytes.
type frameReader struct {
	src    *counting
	frames *compress.Reader
}

// counting counts what is taken from a reader: an end before the first byte of
// a frame is an end, any other is a torn frame.
type counting struct {
	r io.Reader
	n int64
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// NewFrameReader reads the frames of r, checksums verified. It takes from r no
// byte beyond the frames that were asked for. The input may end between frames.
func NewFrameReader(r *bufio.Reader) io.Reader {
	c := &counting{r: r}
	return &frameReader{src: c, frames: compress.NewReader(c)}
}

func (f *frameReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	before := f.src.n
	n, err := f.frames.Read(p)
	switch {
	case err == nil:
		return n, nil
	case f.src.n == before && errors.Is(err, io.EOF):
		return n, io.EOF
	case f.src.n == before:
		return n, err // the connection's own error, a deadline for one
	}
	return n, frameError(err)
}

func frameError(err error) error {
	if bad, ok := errors.AsType[*compress.CorruptedDataErr](err); ok {
		return cherr.New(cherr.ChecksumDoesntMatch, "Checksum doesn't match: corrupted data. Reference: %s. Actual: %s. Size of compressed block: %d",
			compress.FormatU128(bad.Reference), compress.FormatU128(bad.Actual), bad.RawSize)
	}
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return cherr.New(cherr.CannotReadAllData, "Cannot read all data: the input ends inside a compressed frame")
	case strings.Contains(err.Error(), "not implemented"):
		return cherr.New(cherr.UnknownCompressionMethod, "Unknown compression method: %s", err)
	}
	return cherr.WithCode(cherr.CannotDecompress, err, "Cannot decompress")
}

// Reset forgets what is buffered.
func (f *FrameWriter) Reset() { f.buf = f.buf[:0] }
