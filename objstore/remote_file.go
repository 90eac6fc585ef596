package objstore

import (
	"context"
	"io"
	"sort"
	"sync"

	"lakeserver/cherr"
)

const (
	// gapBytes between two ranges cost less than a request of their own.
	gapBytes = 256 << 10
	// segmentBytes is the most that one request brings.
	segmentBytes = 4 << 20
	// firstWindow and lastWindow bound what a reader that goes front to back is
	// given ahead.
	firstWindow = 256 << 10
	lastWindow  = 16 << 20
	// fileInFlight bounds the requests that one file has under way ahead.
	fileInFlight = 8
)

// remoteFile is an open object: its end, which came with opening, and
// segments that were planned or follow a reader that goes front to back.
type remoteFile struct {
	s   *remote
	key string

	// fetch reads one content; it ends with the context of Open and with Close.
	fetch  func(off, n int64) ([]byte, Object, error)
	group  *cherr.Group
	cancel context.CancelFunc

	tail   []byte
	tailAt int64

	mu       sync.Mutex
	obj      Object
	segments []*segment // by offset; no two overlap
	flying   int
	closed   bool
	next     int64 // where a reader that goes front to back would go on
	window   int64
}

// segment is a piece of the object that is or will be in memory.
type segment struct {
	off, n  int64
	started bool
	counted bool // in the store's bytes ahead
	done    chan struct{}
	data    []byte
	err     error
	left    int64 // bytes that nobody has read yet
	keep    bool  // until it is released: it may be read twice
	plan    *plan
}

type plan struct{ segments []*segment }

func newRemoteFile(ctx context.Context, s *remote, key string, obj Object) *remoteFile {
	f := &remoteFile{s: s, key: key, obj: obj, tailAt: obj.Size, next: -1}
	ctx, f.cancel = context.WithCancel(ctx)
	f.group, _ = cherr.NewGroup(ctx)
	f.fetch = func(off, n int64) ([]byte, Object, error) { return s.fetch(ctx, key, off, n, obj.ETag) }
	return f
}

// Object describes the content that is read.
func (f *remoteFile) Object() Object { return f.obj }

// Close ends what is under way and gives the memory back.
func (f *remoteFile) Close() error {
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return nil
	}
	f.closed = true
	f.mu.Unlock()
	f.cancel()
	_ = f.group.Wait() // segments hold their own errors
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, g := range f.segments {
		f.uncount(g)
	}
	f.segments, f.tail = nil, nil
	return nil
}

// Plan begins to fetch ranges.
func (f *remoteFile) Plan(ranges []Range) (release func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return func() {}
	}
	p := &plan{}
	if f.obj.Size <= tailBytes {
		ranges = []Range{{0, f.tailAt}}
	}
	for _, r := range join(ranges, f.tailAt) {
		f.add(p, r, true)
	}
	f.pump()
	return func() { f.release(p) }
}

// join sorts ranges, cuts them at the object's known end and joins near ones,
// up to what one request should bring.
func join(ranges []Range, end int64) []Range {
	sorted := make([]Range, 0, len(ranges))
	for _, r := range ranges {
		if r.Offset+r.Length > end {
			r.Length = end - r.Offset
		}
		if r.Length > 0 && r.Offset >= 0 {
			sorted = append(sorted, r)
		}
	}
	sort.Slice(sorted, func(i, j int) bool { return sorted[i].Offset < sorted[j].Offset })
	var out []Range
	for _, r := range sorted {
		if n := len(out); n > 0 {
			last := &out[n-1]
			lastEnd, thisEnd := last.Offset+last.Length, r.Offset+r.Length
			if thisEnd <= lastEnd {
				continue
			}
			if r.Offset <= lastEnd || r.Offset-lastEnd <= gapBytes && thisEnd-last.Offset <= segmentBytes {
				last.Length = thisEnd - last.Offset
				continue
			}
		}
		out = append(out, r)
	}
	return out
}

// add makes segments of what of a range is not in one already. The first piece
// of a range is kept until release: readers come back to a column's dictionary.
func (f *remoteFile) add(p *plan, r Range, keepFirst bool) {
	first := keepFirst
	for off, end := r.Offset, r.Offset+r.Length; off < end; {
		i := sort.Search(len(f.segments), func(i int) bool { return f.segments[i].off+f.segments[i].n > off })
		stop := min(end, off+segmentBytes)
		if i < len(f.segments) {
			g := f.segments[i]
			if g.off <= off {
				off = g.off + g.n
				continue
			}
			stop = min(stop, g.off)
		}
		g := &segment{off: off, n: stop - off, left: stop - off, keep: first, done: make(chan struct{}), plan: p}
		f.segments = append(f.segments, nil)
		copy(f.segments[i+1:], f.segments[i:])
		f.segments[i] = g
		p.segments = append(p.segments, g)
		off, first = stop, false
	}
}

// pump starts the next segments while there is room.
func (f *remoteFile) pump() {
	for _, g := range f.segments {
		if f.flying >= fileInFlight || f.closed {
			return
		}
		if g.started {
			continue
		}
		if f.s.held.Add(g.n) > aheadBytes {
			f.s.held.Add(-g.n)
			return // whoever needs it starts it
		}
		g.counted = true
		f.begin(g)
	}
}

// begin fetches a segment on a goroutine of its own, which ends with the file.
func (f *remoteFile) begin(g *segment) {
	g.started = true
	f.flying++
	f.group.Go(func() error {
		data, _, err := f.fetch(g.off, g.n)
		f.mu.Lock()
		g.data, g.err = data, err
		if err == nil && int64(len(data)) != g.n {
			g.err = changed(f.obj.Path)
		}
		f.flying--
		f.pump()
		f.mu.Unlock()
		close(g.done)
		return nil
	})
}

// release forgets what of a plan is still in memory.
func (f *remoteFile) release(p *plan) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, g := range p.segments {
		f.drop(g)
	}
	f.pump()
}

func (f *remoteFile) drop(g *segment) {
	i := sort.Search(len(f.segments), func(i int) bool { return f.segments[i].off >= g.off })
	if i < len(f.segments) && f.segments[i] == g {
		f.segments = append(f.segments[:i], f.segments[i+1:]...)
	}
	f.uncount(g)
}

func (f *remoteFile) uncount(g *segment) {
	if g.counted {
		g.counted = false
		f.s.held.Add(-g.n)
	}
}

// ReadAt reads from the object's end, from segments, or asks for more.
func (f *remoteFile) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 || off > f.obj.Size {
		return 0, io.EOF
	}
	short := off+int64(len(p)) > f.obj.Size
	if short {
		p = p[:f.obj.Size-off]
	}
	for n < len(p) {
		got, err := f.readSome(p[n:], off+int64(n))
		n += got
		if err != nil {
			return n, err
		}
	}
	if short {
		return n, io.EOF
	}
	return n, nil
}

func (f *remoteFile) readSome(p []byte, off int64) (int, error) {
	if off >= f.tailAt {
		return copy(p, f.tail[off-f.tailAt:]), nil
	}
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return 0, cherr.New(cherr.QueryWasCancelled, "object %s is closed", f.obj.Path)
	}
	g := f.find(off)
	if g == nil {
		f.follow(off, int64(len(p)))
		g = f.find(off)
	}
	if !g.started {
		f.begin(g)
	}
	f.mu.Unlock()
	<-g.done // begin's goroutine always ends: by Close at the latest
	f.mu.Lock()
	defer f.mu.Unlock()
	if g.err != nil {
		f.drop(g) // another try may do
		return 0, g.err
	}
	n := copy(p, g.data[off-g.off:])
	if g.left -= int64(n); g.left <= 0 && !g.keep {
		f.drop(g)
		f.pump()
	}
	return n, nil
}

func (f *remoteFile) find(off int64) *segment {
	i := sort.Search(len(f.segments), func(i int) bool { return f.segments[i].off+f.segments[i].n > off })
	if i < len(f.segments) && f.segments[i].off <= off {
		return f.segments[i]
	}
	return nil
}

// follow plans what an unplanned read needs, and more the longer the reader
// goes front to back.
func (f *remoteFile) follow(off, n int64) {
	switch {
	case off != f.next:
		f.window = 0
	case f.window == 0:
		f.window = firstWindow
	default:
		f.window = min(2*f.window, lastWindow)
	}
	want := min(max(n, f.window), f.tailAt-off)
	if f.obj.Size <= tailBytes { // small: all of it
		off, want = 0, f.tailAt
	} else if f.next < 0 && n <= tailBytes && off+n == f.tailAt { // its end, where footers are
		off = f.tailAt - tailBytes
		want = tailBytes
	}
	p := &plan{}
	f.add(p, Range{off, want}, f.obj.Size <= tailBytes)
	f.next = off + want
	f.pump()
}
