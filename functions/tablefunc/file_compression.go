package tablefunc

import (
	"bytes"
	"compress/bzip2"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"lakeserver/cherr"
	"lakeserver/settings"
)

// methods are the names and endings of ways of compression.
var methods = map[string]string{
	"none": "none", "gzip": "gzip", "gz": "gzip", "deflate": "deflate", "br": "br", "brotli": "br", "xz": "xz", "lzma": "xz",
	"zstd": "zstd", "zst": "zstd", "lz4": "lz4", "bz2": "bz2", "snappy": "snappy",
}

// compression gives the method of a name, "" for none named.
func compression(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	if m := methods[strings.ToLower(name)]; m != "" {
		return m, nil
	}
	return "", cherr.New(cherr.NotImplemented, "Unknown compression method '%s'. Only 'auto', 'none', 'gzip', 'deflate', 'br', 'xz', 'zstd', 'lz4', 'bz2', 'snappy' are supported as compression methods", name)
}

// decompressed reads what a method has compressed; done, if any, gives back
// what the reader holds.
func decompressed(r io.Reader, method string) (out io.Reader, done func(), err error) {
	switch method {
	case "", "none":
		return r, nil, nil
	case "gzip":
		z, err := gzip.NewReader(r)
		if err == io.EOF {
			return bytes.NewReader(nil), nil, nil
		}
		if err != nil {
			return nil, nil, cherr.WithCode(cherr.ZlibInflateFailed, err, "inflate failed")
		}
		return coded{z, cherr.ZlibInflateFailed}, nil, nil
	case "deflate":
		z, err := zlib.NewReader(r)
		if err != nil {
			return nil, nil, cherr.WithCode(cherr.ZlibInflateFailed, err, "inflate failed")
		}
		return coded{z, cherr.ZlibInflateFailed}, nil, nil
	case "br":
		return coded{brotli.NewReader(r), cherr.CannotDecompress}, nil, nil
	case "zstd":
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, nil, cherr.WithCode(cherr.CannotDecompress, err, "zstd decoding failed")
		}
		return coded{z, cherr.CannotDecompress}, z.Close, nil
	case "lz4":
		return coded{lz4.NewReader(r), cherr.CannotDecompress}, nil, nil
	case "bz2":
		return coded{bzip2.NewReader(r), cherr.CannotDecompress}, nil, nil
	}
	return nil, nil, cherr.New(cherr.NotImplemented, "Compression method %s is not supported", method)
}

// coded gives a decompressor's errors their code.
type coded struct {
	io.Reader
	code cherr.Code
}

// Read reads on.
func (c coded) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = cherr.WithCode(c.code, err, "decompressing")
	}
	return n, err
}

// compressed packs what is written by a method; Close ends it, and leaves w
// open.
func compressed(w io.Writer, method string, s *settings.Settings) (io.WriteCloser, error) {
	level := int(min(s.Uint("output_format_compression_level"), 22))
	switch method {
	case "", "none":
		return plainWriter{w}, nil
	case "gzip":
		return gzip.NewWriterLevel(w, min(max(level, 1), 9))
	case "deflate":
		return zlib.NewWriterLevel(w, min(max(level, 1), 9))
	case "br":
		return brotli.NewWriterLevel(w, min(level, 11)), nil
	case "zstd":
		return zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(max(level, 1))), zstd.WithEncoderConcurrency(1))
	case "lz4":
		return lz4.NewWriter(w), nil
	}
	return nil, cherr.New(cherr.NotImplemented, "Compression method %s is not supported for writing", method)
}

// plainWriter does not compress.
type plainWriter struct{ io.Writer }

// Close does nothing.
func (plainWriter) Close() error { return nil }
