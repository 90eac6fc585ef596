package fakes3

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Server is the store. Its fields may be set between requests only.
type Server struct {
	URL string
	// Fault may answer in the server's place: true means that it did. before
	// runs ahead of the request, after once it was carried out.
	Before, After func(w http.ResponseWriter, r *http.Request) bool
	Latency       time.Duration
	NoConditions  bool // If-None-Match and If-Match of writes are ignored

	mu      sync.Mutex
	objects map[string][]byte // "bucket/key"
	parts   map[string]map[int][]byte
	marks   map[string]string // metadata "Upload", by upload and by key
	log     []string
	flying  int
	most    int
}

// New starts a server that ends with the test.
func New(t testing.TB) *Server {
	s := &Server{objects: map[string][]byte{}, parts: map[string]map[int][]byte{}, marks: map[string]string{}}
	h := httptest.NewServer(s)
	s.URL = h.URL
	t.Cleanup(h.Close)
	return s
}

// SetBefore sets Before while a request that nobody waits for, a hedge that
// lost, may still be on its way.
func (s *Server) SetBefore(f func(w http.ResponseWriter, r *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Before = f
}

// Set puts an object in place.
func (s *Server) Set(key string, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects[key] = data
}

// Get gives an object, nil if there is none.
func (s *Server) Get(key string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.objects[key]
}

// SetFolder puts the files of a folder below a prefix.
func (s *Server) SetFolder(t testing.TB, prefix, folder string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		rel, _ := filepath.Rel(folder, p)
		s.Set(prefix+"/"+filepath.ToSlash(rel), data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Reset forgets the log.
func (s *Server) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log, s.most = nil, 0
}

// Log gives the requests so far: "GET bucket/key range", "LIST bucket/prefix".
func (s *Server) Log() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.log...)
}

// Most gives the most requests that were under way at once.
func (s *Server) Most() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most
}

func etag(data []byte) string {
	sum := md5.Sum(data[:min(len(data), 1<<20)]) // enough to tell a test's objects apart
	return `"` + hex.EncodeToString(sum[:]) + `"`
}

func fail(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>%s</Message></Error>", code, code)
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key := strings.TrimPrefix(r.URL.Path, "/")
	q := r.URL.Query()
	line := r.Method + " " + key
	if r.Method == http.MethodGet && !strings.Contains(strings.TrimSuffix(key, "/"), "/") {
		line = "LIST " + strings.TrimSuffix(key, "/") + "/" + q.Get("prefix")
	} else if h := r.Header.Get("Range"); h != "" {
		line += " " + h
	}
	s.mu.Lock()
	s.log = append(s.log, line)
	s.flying++
	s.most = max(s.most, s.flying)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.flying--
		s.mu.Unlock()
	}()
	time.Sleep(s.Latency)
	s.mu.Lock()
	before := s.Before
	s.mu.Unlock()
	if before != nil && before(w, r) {
		return
	}
	body, _ := io.ReadAll(r.Body)
	rec := httptest.NewRecorder()
	s.mu.Lock()
	switch {
	case strings.HasPrefix(line, "LIST"):
		s.list(rec, strings.TrimSuffix(key, "/"), q.Get("prefix"), q.Get("delimiter"), q.Get("start-after"), q.Get("continuation-token"))
	case r.Method == http.MethodPost || q.Has("uploadId"):
		s.multi(rec, r, key, body)
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		s.read(rec, r, key)
	case r.Method == http.MethodPut:
		s.write(rec, r, key, body)
	case r.Method == http.MethodDelete:
		delete(s.objects, key)
		rec.WriteHeader(http.StatusNoContent)
	}
	s.mu.Unlock()
	if s.After != nil && s.After(w, r) {
		return
	}
	for k, v := range rec.Header() {
		w.Header()[k] = v
	}
	w.Header().Set("Content-Length", strconv.Itoa(rec.Body.Len()))
	if r.Method == http.MethodHead && rec.Header().Get("X-Size") != "" {
		w.Header().Set("Content-Length", rec.Header().Get("X-Size"))
	}
	w.WriteHeader(rec.Code)
	if r.Method != http.MethodHead {
		_, _ = w.Write(rec.Body.Bytes())
	}
}

func (s *Server) read(w *httptest.ResponseRecorder, r *http.Request, key string) {
	data, ok := s.objects[key]
	if !ok {
		fail(w, http.StatusNotFound, "NoSuchKey")
		return
	}
	if m := r.Header.Get("If-Match"); m != "" && m != etag(data) {
		fail(w, http.StatusPreconditionFailed, "PreconditionFailed")
		return
	}
	w.Header().Set("ETag", etag(data))
	w.Header().Set("Last-Modified", time.Unix(1700000000, 0).UTC().Format(http.TimeFormat))
	w.Header().Set("X-Size", strconv.Itoa(len(data)))
	if m := s.marks[key]; m != "" {
		w.Header().Set("X-Amz-Meta-Upload", m)
	}
	first, last, ok := span(r.Header.Get("Range"), len(data))
	if !ok {
		fail(w, http.StatusRequestedRangeNotSatisfiable, "InvalidRange")
		return
	}
	if r.Header.Get("Range") != "" {
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", first, last, len(data)))
		w.WriteHeader(http.StatusPartialContent)
	}
	_, _ = w.Write(data[first : last+1])
}

func span(h string, size int) (first, last int, ok bool) {
	h, given := strings.CutPrefix(h, "bytes=")
	if !given {
		return 0, size - 1, true
	}
	a, b, _ := strings.Cut(h, "-")
	if a == "" {
		n, _ := strconv.Atoi(b)
		return max(0, size-n), size - 1, size > 0
	}
	first, _ = strconv.Atoi(a)
	last = size - 1
	if b != "" {
		n, _ := strconv.Atoi(b)
		last = min(n, size-1)
	}
	return first, last, first < size
}

// holds tells whether a write's conditions do.
func (s *Server) holds(r *http.Request, key string) bool {
	data, there := s.objects[key]
	if s.NoConditions {
		return true
	}
	if r.Header.Get("If-None-Match") == "*" && there {
		return false
	}
	m := r.Header.Get("If-Match")
	return m == "" || there && m == etag(data)
}

func (s *Server) write(w *httptest.ResponseRecorder, r *http.Request, key string, body []byte) {
	if !s.holds(r, key) {
		fail(w, http.StatusPreconditionFailed, "PreconditionFailed")
		return
	}
	s.objects[key] = body
	delete(s.marks, key)
	w.Header().Set("ETag", etag(body))
}

func (s *Server) multi(w *httptest.ResponseRecorder, r *http.Request, key string, body []byte) {
	q := r.URL.Query()
	id := q.Get("uploadId")
	switch {
	case q.Has("uploads"):
		id = fmt.Sprintf("u%d", len(s.parts)+1)
		s.parts[id], s.marks[id] = map[int][]byte{}, r.Header.Get("X-Amz-Meta-Upload")
		fmt.Fprintf(w, "<InitiateMultipartUploadResult><UploadId>%s</UploadId></InitiateMultipartUploadResult>", id)
	case s.parts[id] == nil:
		fail(w, http.StatusNotFound, "NoSuchUpload")
	case r.Method == http.MethodPut:
		n, _ := strconv.Atoi(q.Get("partNumber"))
		s.parts[id][n] = body
		w.Header().Set("ETag", etag(body))
	case r.Method == http.MethodDelete:
		delete(s.parts, id)
		w.WriteHeader(http.StatusNoContent)
	case !s.holds(r, key):
		fail(w, http.StatusPreconditionFailed, "PreconditionFailed")
	default:
		var whole []byte
		for n := 1; n <= len(s.parts[id]); n++ {
			whole = append(whole, s.parts[id][n]...)
		}
		n := len(s.parts[id])
		delete(s.parts, id)
		s.objects[key], s.marks[key] = whole, s.marks[id]
		fmt.Fprintf(w, "<CompleteMultipartUploadResult><Bucket>x</Bucket><ETag>&quot;%s-%d&quot;</ETag></CompleteMultipartUploadResult>", strings.Trim(etag(whole), `"`), n)
	}
}

type listed struct {
	Key          string
	Size         int
	ETag         string
	LastModified string
}

func (s *Server) list(w *httptest.ResponseRecorder, bucket, prefix, delimiter, after, token string) {
	var keys []string
	for k := range s.objects {
		if name, ok := strings.CutPrefix(k, bucket+"/"); ok && strings.HasPrefix(name, prefix) && name > after && name > token {
			if delimiter == "" || !strings.Contains(name[len(prefix):], delimiter) {
				keys = append(keys, name)
			}
		}
	}
	sort.Strings(keys)
	out := struct {
		XMLName               xml.Name `xml:"ListBucketResult"`
		Name                  string
		IsTruncated           bool
		NextContinuationToken string `xml:",omitempty"`
		Contents              []listed
	}{Name: bucket}
	if len(keys) > 1000 {
		keys = keys[:1000]
		out.IsTruncated, out.NextContinuationToken = true, keys[999]
	}
	for _, k := range keys {
		d := s.objects[bucket+"/"+k]
		out.Contents = append(out.Contents, listed{k, len(d), etag(d), "2024-01-02T03:04:05.000Z"})
	}
	w.Header().Set("Content-Type", "application/xml")
	_ = xml.NewEncoder(w).Encode(out)
}

// Break ends a connection without an answer, or after some bytes of one.
func Break(w http.ResponseWriter) {
	panic(http.ErrAbortHandler)
}
