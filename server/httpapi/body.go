package httpapi

import (
	"bufio"
	"compress/bzip2"
	"io"
	"net/http"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"lakeserver/cherr"
	"lakeserver/codec/native"
)

// openBody gives the request's body without its compressions.
func openBody(r *http.Request, frames bool) (io.Reader, error) {
	var body io.Reader = r.Body
	switch coding := r.Header.Get("Content-Encoding"); coding {
	case "", "identity":
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(body)
		if err != nil {
			return nil, badBody(err)
		}
		body = z
	case "deflate":
		z, err := zlib.NewReader(body)
		if err != nil {
			return nil, badBody(err)
		}
		body = z
	case "br":
		body = brotli.NewReader(body)
	case "zstd":
		z, err := zstd.NewReader(body, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, badBody(err)
		}
		body = z
	case "lz4":
		body = lz4.NewReader(body)
	case "bz2":
		body = bzip2.NewReader(body)
	case "snappy":
		body = snappy.NewReader(body)
	default:
		return nil, cherr.New(cherr.NotImplemented, "Unknown Content-Encoding: %s", coding)
	}
	if frames {
		body = native.NewFrameReader(bufio.NewReaderSize(body, 1<<16))
	}
	return &bodyReader{body}, nil
}

func badBody(err error) error {
	if err == io.EOF {
		return cherr.New(cherr.CannotReadAllData, "The compressed body is empty")
	}
	return cherr.WithCode(cherr.ZlibInflateFailed, err, "Cannot decompress the body")
}

// bodyReader gives the errors of decompressors a code. Errors of the
// connection stay what they are.
type bodyReader struct{ r io.Reader }

func (b *bodyReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if err == nil || err == io.EOF {
		return n, err
	}
	if cherr.CodeOf(err) == cherr.UnknownException {
		err = cherr.WithCode(cherr.CannotReadAllData, err, "Cannot read the body")
	}
	return n, err
}
