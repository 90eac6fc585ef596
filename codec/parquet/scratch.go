package parquet

import (
	"strings"
	"sync"
	"unsafe"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// slack is how many bytes every page buffer has behind its end, so that
// kernels may load whole words there.
const slack = 64

// Scratch keeps decompressors and page buffers between cursors. It is safe
// for concurrent use; share one between the files of a server.
type Scratch struct {
	mu   sync.Mutex
	free []*workspace
}

// maxIdle bounds how many workspaces wait for their next cursor.
const maxIdle = 64

// NewScratch makes an empty one.
func NewScratch() *Scratch { return &Scratch{} }

func (s *Scratch) take() *workspace {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.free); n > 0 {
		w := s.free[n-1]
		s.free = s.free[:n-1]
		return w
	}
	return &workspace{}
}

func (s *Scratch) give(w *workspace) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.free) < maxIdle {
		s.free = append(s.free, w)
	}
}

// workspace is what one cursor works with; used by one goroutine at a time.
type workspace struct {
	zstd *zstd.Decoder
	gzip *gzip.Reader

	pages [][]byte // free page buffers, slack included in their length
	codes []uint32 // dense codes of a window part
	def   []uint8  // levels of a window part
	rows  []uint32 // positions among dense values
}

// maxPooledPage bounds the buffers that are kept; larger ones go to the collector.
const maxPooledPage = 16 << 20

// page gives a buffer of n bytes and slack behind it. Its content is arbitrary.
func (w *workspace) page(n int) []byte {
	for i := len(w.pages) - 1; i >= 0; i-- {
		if b := w.pages[i]; cap(b) >= n+slack {
			w.pages[i] = w.pages[len(w.pages)-1]
			w.pages = w.pages[:len(w.pages)-1]
			return b[:n]
		}
	}
	return dirty(n + slack)[:n]
}

// dirty gives n bytes that have not been cleared: pages are filled whole, and
// clearing a page costs a tenth of decompressing it. strings.Builder is the
// one door of the standard library to such memory.
func dirty(n int) []byte {
	if n < 1<<15 {
		return make([]byte, n)
	}
	var b strings.Builder
	b.Grow(n)
	b.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(b.String()), n)
}

// recycle takes a buffer back which nothing refers to any more.
func (w *workspace) recycle(b []byte) {
	if cap(b) > slack && cap(b) <= maxPooledPage && len(w.pages) < 32 {
		w.pages = append(w.pages, b)
	}
}

// grow gives a slice of n elements, reusing buf where it is large enough.
func grow[T any](buf []T, n int) []T {
	if cap(buf) >= n {
		return buf[:n]
	}
	return make([]T, n, n+n/4+16)
}
