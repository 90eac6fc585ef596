package httpapi

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"lakeserver/codec/native"
)

// The response keeps the first bytes back, so that an error among them still
// has its own status; after that it sends when it has enough, or when the
// client has waited long enough.
const (
	holdBytes = 1 << 20
	holdTime  = time.Second
	// spillBytes is how much of a whole answer (wait_end_of_query) stays in memory.
	spillBytes = 16 << 20
)

// response is the answer of one query on its way out.
type response struct {
	w       http.ResponseWriter
	cfg     *Config
	hold    bytes.Buffer
	spill   *os.File
	wait    bool // hold everything until the end
	max     int
	started bool // the status line is out
	last    time.Time
	enc     encoder // content or frame compression over the held bytes
	dst     io.Writer
	tag     string
	// before the first byte: the summary as it is then
	summary func() string
}

// encoder is a compression of the answer.
type encoder interface {
	io.Writer
	Flush() error
}

func newResponse(w http.ResponseWriter, cfg *Config) *response {
	r := &response{w: w, cfg: cfg, max: holdBytes, last: cfg.Now(), tag: newTag()}
	r.dst = held{r}
	return r
}

// newTag makes the mark by which clients find an error in the middle.
func newTag() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	for i := range b {
		b[i] = 'a' + b[i]%26
	}
	return string(b[:])
}

// codings are the content codings in ClickHouse's order of liking.
var codings = []string{"zstd", "br", "lz4", "snappy", "gzip", "deflate"}

// encode chooses the compression that the client asked for.
func (r *response) encode(frames bool, accept string, allowed bool, level int) {
	if frames {
		r.enc = native.NewFrameWriter(held{r}, native.NewCompressor(native.LZ4, 0))
		r.dst = r.enc
		return
	}
	if !allowed {
		return
	}
	for _, c := range codings {
		if !strings.Contains(accept, c) {
			continue
		}
		if enc := newEncoder(c, held{r}, level); enc != nil {
			r.enc, r.dst = enc, enc
			r.w.Header().Set("Content-Encoding", c)
			return
		}
	}
}

func newEncoder(coding string, w io.Writer, level int) encoder {
	switch coding {
	case "zstd":
		z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(max(level, 1))), zstd.WithEncoderConcurrency(1))
		if err == nil {
			return z
		}
	case "br":
		return brotli.NewWriterLevel(w, min(max(level, 1), 5))
	case "lz4":
		return lz4.NewWriter(w)
	case "snappy":
		return snappy.NewBufferedWriter(w)
	case "gzip":
		if z, err := gzip.NewWriterLevel(w, min(max(level, 1), 9)); err == nil {
			return z
		}
	case "deflate":
		return zlib.NewWriter(w)
	}
	return nil
}

// Write takes the format's bytes.
func (r *response) Write(p []byte) (int, error) { return r.dst.Write(p) }

// held is the response below its compression.
type held struct{ r *response }

func (h held) Write(p []byte) (int, error) {
	r := h.r
	r.hold.Write(p)
	switch {
	case r.wait:
		if r.hold.Len() > spillBytes {
			return len(p), r.toFile()
		}
	case r.hold.Len() >= r.max || r.started && r.cfg.Now().Sub(r.last) > holdTime/4 || r.cfg.Now().Sub(r.last) > holdTime:
		return len(p), r.sendHeld()
	}
	return len(p), nil
}

func (r *response) toFile() error {
	if r.spill == nil {
		f, err := os.CreateTemp(r.cfg.Limits.TempDir, "lakeserver-answer-*")
		if err != nil {
			return err
		}
		r.spill = f
		if err := os.Remove(f.Name()); err != nil { // the open file keeps it
			return err
		}
	}
	_, err := r.hold.WriteTo(r.spill)
	return err
}

func (r *response) start(status int) {
	if r.started {
		return
	}
	r.started = true
	head := r.w.Header()
	if r.summary != nil {
		head["X-ClickHouse-Summary"] = []string{r.summary()}
	}
	head["X-ClickHouse-Exception-Tag"] = []string{r.tag}
	head.Set("Access-Control-Expose-Headers", "X-ClickHouse-Query-Id,X-ClickHouse-Summary,X-ClickHouse-Server-Display-Name,X-ClickHouse-Format,X-ClickHouse-Timezone,X-ClickHouse-Exception-Code,X-ClickHouse-Exception-Tag")
	r.w.WriteHeader(status)
}

func (r *response) sendHeld() error {
	r.start(http.StatusOK)
	if r.spill != nil {
		if _, err := r.spill.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if _, err := io.Copy(r.w, r.spill); err != nil {
			return err
		}
		r.closeSpill()
	}
	r.last = r.cfg.Now()
	if _, err := r.hold.WriteTo(r.w); err != nil {
		return err
	}
	return http.NewResponseController(r.w).Flush()
}

func (r *response) closeSpill() {
	if r.spill != nil {
		_ = r.spill.Close() // it was read to its end, or nobody wants it
		r.spill = nil
	}
}

// closeEncoder writes a compression's end.
func (r *response) closeEncoder() error {
	switch e := r.enc.(type) {
	case nil:
		return nil
	case io.Closer:
		return e.Close()
	default:
		return e.Flush()
	}
}

// finish sends what is left of a whole answer.
func (r *response) finish() error {
	if err := r.closeEncoder(); err != nil {
		return err
	}
	if r.spill != nil {
		return r.sendHeld()
	}
	r.start(http.StatusOK)
	_, err := r.hold.WriteTo(r.w)
	return err
}

// fail answers with an error: as its own response while nothing was sent, else
// as a marked trailer, after which the connection is broken off so that nobody
// takes the answer for whole. It tells whether that is needed.
func (r *response) fail(status int, code int, message string) (broken bool) {
	if !r.started {
		r.closeSpill()
		r.hold.Reset()
		head := r.w.Header()
		head["X-ClickHouse-Exception-Code"] = []string{fmt.Sprint(code)}
		head.Set("Content-Type", "text/plain; charset=UTF-8")
		r.resetEncoder()
		_, _ = r.dst.Write([]byte(message + "\n")) // into memory
		_ = r.closeEncoder()
		r.start(status)
		_, _ = r.hold.WriteTo(r.w) // the client may have left
		return false
	}
	text := message + "\n"
	_, _ = fmt.Fprintf(r.dst, "\r\n__exception__\r\n%s\r\n%s%d %s\r\n__exception__\r\n", r.tag, text, len(text), r.tag)
	if r.enc != nil {
		_ = r.enc.Flush()
	}
	_ = r.sendHeld()
	return true
}

// resetEncoder forgets what a compression has taken.
func (r *response) resetEncoder() {
	switch e := r.enc.(type) {
	case *native.FrameWriter:
		e.Reset()
	case interface{ Reset(io.Writer) }:
		e.Reset(held{r})
	}
}
