package objstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lakeserver/cherr"
	"lakeserver/internal/fakes3"
	"lakeserver/objstore"
)

const secret = "marked-secret-71"

func open(t testing.TB, f *fakes3.Server) objstore.Store {
	t.Helper()
	r := objstore.NewRegistry(nil)
	objstore.RegisterS3(r)
	s, _, err := r.Open(context.Background(), "", f.URL+"/lake/t/", &objstore.Access{KeyID: "k", Secret: secret, Retry: objstore.Retry{First: time.Millisecond, Most: 4 * time.Millisecond, Attempts: 4}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func noise(n int) []byte {
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rnd.Uint32())
	}
	return b
}

func TestS3RoundTrip(t *testing.T) {
	f := fakes3.New(t)
	s, ctx := open(t, f), context.Background()
	for _, n := range []int{0, 1, 1000, 16 << 20, 16<<20 + 1, 40 << 20} {
		data := noise(n)
		name := fmt.Sprintf("lake/t/f%d", n)
		if obj, err := s.Put(ctx, name, bytes.NewReader(data), objstore.PutOptions{}); err != nil || obj.Size != int64(n) {
			t.Fatalf("Put of %d bytes: %v, %v", n, obj, err)
		}
		got, err := s.Read(ctx, name)
		if err != nil || !bytes.Equal(got, data) {
			t.Fatalf("Read of %d bytes: %d, %v", n, len(got), err)
		}
		obj, err := s.Stat(ctx, name)
		if err != nil || obj.Size != int64(n) || obj.Path != name {
			t.Fatalf("Stat: %v, %v", obj, err)
		}
		for _, how := range []string{"by path", "as described"} {
			file, err := s.Open(ctx, name)
			if how == "as described" {
				file, err = objstore.OpenObject(ctx, s, obj)
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(io.NewSectionReader(file, 0, file.Object().Size))
			if err != nil || !bytes.Equal(got, data) {
				t.Fatalf("%d bytes front to back, opened %s: %d, %v", n, how, len(got), err)
			}
			file.Close()
		}
	}
	for i := range 2100 {
		f.Set(fmt.Sprintf("lake/many/x%04d", i), nil)
	}
	f.Set("lake/many/deep/y", nil)
	flat, err := s.List(ctx, "lake/many", false)
	if err != nil || len(flat) != 2100 || flat[0].Path != "lake/many/x0000" {
		t.Errorf("List: %d, %v", len(flat), err)
	}
	if all, err := s.List(ctx, "lake/many/", true); err != nil || len(all) != 2101 || all[0].Path != "lake/many/deep/y" {
		t.Errorf("List of all below: %d, %v", len(all), err)
	}
	if _, err := s.Read(ctx, "lake/none"); !cherr.Is(err, cherr.FileDoesntExist) {
		t.Errorf("what is not there: %v", err)
	}
}

// Ranges come as asked whatever is planned, and near ones travel together.
func TestS3Ranges(t *testing.T) {
	f := fakes3.New(t)
	data := noise(30 << 20)
	f.Set("lake/t/big", data)
	s, ctx := open(t, f), context.Background()
	rnd := rand.New(rand.NewPCG(3, 3))
	for round := range 20 {
		file, err := s.Open(ctx, "lake/t/big")
		if err != nil {
			t.Fatal(err)
		}
		var plan []objstore.Range
		for range rnd.IntN(20) {
			off := rnd.Int64N(int64(len(data)))
			plan = append(plan, objstore.Range{Offset: off, Length: rnd.Int64N(3<<20) - 10})
		}
		release := objstore.Plan(file, plan)
		for i := range 30 {
			off := rnd.IntN(len(data))
			n := min(rnd.IntN(2<<20), len(data)-off)
			got := make([]byte, n)
			if _, err := file.ReadAt(got, int64(off)); err != nil || !bytes.Equal(got, data[off:off+n]) {
				t.Fatalf("round %d, read %d: %d bytes at %d: %v", round, i, n, off, err)
			}
			if i == 20 {
				release()
			}
		}
		file.Close()
	}
	f.Reset()
	file, _ := s.Open(ctx, "lake/t/big")
	defer file.Close()
	defer objstore.Plan(file, []objstore.Range{{100, 1000}, {5000, 1000}, {200_000, 1000}, {10 << 20, 1000}})()
	for _, off := range []int64{100, 5000, 200_000, 10 << 20} {
		if _, err := file.ReadAt(make([]byte, 1000), off); err != nil {
			t.Fatal(err)
		}
	}
	if log := f.Log(); len(log) != 3 {
		t.Errorf("4 ranges, 3 of them near, took these requests: %v", log)
	}
}

// Whatever breaks once is healed; whatever breaks for ever has a code and
// names no secret; never are other bytes given.
func TestS3Faults(t *testing.T) {
	data := noise(700_000)
	faults := map[string]func(w http.ResponseWriter, r *http.Request){
		"500":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) },
		"503":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) },
		"reset": func(w http.ResponseWriter, _ *http.Request) { fakes3.Break(w) },
		"cut": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte("half"))
			fakes3.Break(w)
		},
		"another range": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Range", "bytes 0-9/700000")
			w.Header().Set("ETag", `"x"`)
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write([]byte("0123456789"))
		},
		"too short": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Range", "bytes 0-699999/700000")
			w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(data[:699_990])
		},
	}
	ctx := context.Background()
	for name, fault := range faults {
		for _, always := range []bool{false, true} {
			f := fakes3.New(t)
			f.Set("lake/t/x", data)
			var n atomic.Int64
			f.Before = func(w http.ResponseWriter, r *http.Request) bool {
				if n.Add(1) > 1 && !always {
					return false
				}
				fault(w, r)
				return true
			}
			s := open(t, f)
			checks := map[string]func() error{
				"Read": func() error {
					got, err := s.Read(ctx, "lake/t/x")
					if err == nil && !bytes.Equal(got, data) {
						t.Errorf("%s: Read gave other bytes", name)
					}
					return err
				},
				"Open": func() error {
					file, err := s.Open(ctx, "lake/t/x")
					if err != nil {
						return err
					}
					defer file.Close()
					n.Store(0)
					got := make([]byte, len(data))
					if _, err = file.ReadAt(got, 0); err == nil && !bytes.Equal(got, data) {
						t.Errorf("%s: ReadAt gave other bytes", name)
					}
					return err
				},
				"List": func() error { _, err := s.List(ctx, "lake/t/", true); return err },
				"Put": func() error {
					_, err := s.Put(ctx, "lake/t/y", strings.NewReader("y"), objstore.PutOptions{})
					return err
				},
			}
			for what, check := range checks {
				n.Store(0)
				err := check()
				switch {
				case !always && err != nil:
					t.Errorf("%s once: %s: %v", name, what, err)
				case always && err == nil && name != "another range" && name != "too short":
					t.Errorf("%s for ever: %s succeeds", name, what)
				case err != nil && !cherr.Is(err, cherr.S3Error) && !cherr.Is(err, cherr.NetworkError):
					t.Errorf("%s: %s: code %d: %v", name, what, cherr.CodeOf(err), err)
				case err != nil && strings.Contains(err.Error(), secret):
					t.Errorf("%s: %s names a secret: %v", name, what, err)
				}
			}
		}
	}
}

// A conditional write is decided by what is there, whatever the answer was.
func TestS3ConditionalPut(t *testing.T) {
	ctx := context.Background()
	absent := objstore.PutOptions{IfAbsent: true}
	put := func(s objstore.Store, text string) error {
		_, err := s.Put(ctx, "lake/t/v2", strings.NewReader(text), absent)
		return err
	}
	t.Run("second loses", func(t *testing.T) {
		f := fakes3.New(t)
		s := open(t, f)
		if err := put(s, "one"); err != nil {
			t.Fatal(err)
		}
		if err := put(s, "two"); !errors.Is(err, objstore.ErrExists) {
			t.Errorf("second: %v", err)
		}
		if got := f.Get("lake/t/v2"); string(got) != "one" {
			t.Errorf("there is %q", got)
		}
	})
	for name, carried := range map[string]bool{"answer lost": true, "request lost": false} {
		t.Run(name, func(t *testing.T) {
			f := fakes3.New(t)
			s := open(t, f)
			if err := func() error { _, err := s.Put(ctx, "lake/t/v1", strings.NewReader("v1"), absent); return err }(); err != nil {
				t.Fatal(err)
			}
			var n atomic.Int64
			fault := func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method == http.MethodPut && n.Add(1) == 1 {
					fakes3.Break(w)
				}
				return false
			}
			if carried {
				f.After = fault
			} else {
				f.Before = fault
			}
			if err := put(s, "ours"); err != nil {
				t.Errorf("ours landed, the answer is %v", err)
			}
			if got := f.Get("lake/t/v2"); string(got) != "ours" {
				t.Errorf("there is %q", got)
			}
		})
	}
	t.Run("lost, another's", func(t *testing.T) {
		f := fakes3.New(t)
		s := open(t, f)
		_, _ = s.Put(ctx, "lake/t/v1", strings.NewReader("v1"), absent)
		f.Before = func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPut {
				f.Set("lake/t/v2", []byte("theirs"))
				fakes3.Break(w)
			}
			return false
		}
		if err := put(s, "ours"); !errors.Is(err, objstore.ErrExists) {
			t.Errorf("theirs landed, the answer is %v", err)
		}
	})
	t.Run("no conditions", func(t *testing.T) {
		f := fakes3.New(t)
		f.NoConditions = true
		s := open(t, f)
		if err := put(s, "one"); !cherr.Is(err, cherr.NotImplemented) {
			t.Errorf("a store without conditions: %v", err)
		}
		if f.Get("lake/t/v2") != nil {
			t.Error("it was written to")
		}
	})
	t.Run("match", func(t *testing.T) {
		f := fakes3.New(t)
		s := open(t, f)
		a, err := s.Put(ctx, "lake/t/p", strings.NewReader("a"), objstore.PutOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Put(ctx, "lake/t/p", strings.NewReader("b"), objstore.PutOptions{IfMatch: a.ETag}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Put(ctx, "lake/t/p", strings.NewReader("c"), objstore.PutOptions{IfMatch: a.ETag}); !errors.Is(err, objstore.ErrChanged) {
			t.Errorf("with an old ETag: %v", err)
		}
	})
	t.Run("race", func(t *testing.T) {
		f := fakes3.New(t)
		s := open(t, f)
		var won atomic.Int64
		g, _ := cherr.NewGroup(ctx)
		for i := range 16 {
			g.Go(func() error {
				err := put(s, fmt.Sprint("writer ", i))
				if err == nil {
					won.Add(1)
				} else if !errors.Is(err, objstore.ErrExists) {
					return err
				}
				return nil
			})
		}
		if err := g.Wait(); err != nil || won.Load() != 1 {
			t.Errorf("%d of 16 won, %v", won.Load(), err)
		}
	})
}

// A file that changes under a reader is an error, never bytes of both.
func TestS3Pinned(t *testing.T) {
	f := fakes3.New(t)
	f.Set("lake/t/x", bytes.Repeat([]byte("a"), 2<<20))
	s, ctx := open(t, f), context.Background()
	file, err := s.Open(ctx, "lake/t/x")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	f.Set("lake/t/x", bytes.Repeat([]byte("b"), 2<<20))
	p := make([]byte, 100)
	if _, err := file.ReadAt(p, 0); !cherr.Is(err, cherr.CannotReadAllData) {
		t.Errorf("read of another content: %q, %v", p[:3], err)
	}
}

// A late answer is asked for again, and the query does not wait for it.
func TestS3Hedge(t *testing.T) {
	f := fakes3.New(t)
	f.Set("lake/t/x", noise(1000))
	s, ctx := open(t, f), context.Background()
	for range 5 {
		if _, err := s.Read(ctx, "lake/t/x"); err != nil {
			t.Fatal(err)
		}
	}
	var n atomic.Int64
	f.Before = func(_ http.ResponseWriter, r *http.Request) bool {
		if n.Add(1) == 1 {
			select {
			case <-r.Context().Done():
			case <-time.After(20 * time.Second):
			}
		}
		return false
	}
	start := time.Now()
	if _, err := s.Read(ctx, "lake/t/x"); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("waited %s for a late answer", d)
	}
}

func TestS3StaysInside(t *testing.T) {
	f := fakes3.New(t)
	s, ctx := open(t, f), context.Background()
	for _, p := range []string{"lake/../c/x", "file:///etc/passwd", "s3://lake/a/../../x", "hdfs://h/x", "", "http://other.example/b/x"} {
		if _, err := s.Read(ctx, p); !cherr.Is(err, cherr.PathAccessDenied) {
			t.Errorf("Read(%s): %v", p, err)
		}
	}
	f.Set("lake/k/x", []byte("x"))
	for _, p := range []string{"lake/k/x", "/lake/k/x", "s3://lake/k/x", "s3a://lake/k/x", f.URL + "/lake/k/x"} {
		if got, err := s.Read(ctx, p); err != nil || string(got) != "x" {
			t.Errorf("Read(%s): %q, %v", p, got, err)
		}
	}
	hosts, err := objstore.NewHosts([]string{"127.0.0.1:1"}, []string{`.*\.example`})
	if err != nil {
		t.Fatal(err)
	}
	r := objstore.NewRegistry(hosts)
	objstore.RegisterS3(r)
	for address, code := range map[string]cherr.Code{
		f.URL + "/lake/x": cherr.UnacceptableURL, "http://127.0.0.1:1/b/x": cherr.OK, "https://s3.a.example/b/x": cherr.OK,
		"http://2130706433:1/b/x": cherr.UnacceptableURL, "http://[::1]:1/b/x": cherr.UnacceptableURL, "http://169.254.169.254/latest/x": cherr.UnacceptableURL,
		"http://a@127.0.0.1:1/b/x": cherr.BadArguments, "::": cherr.BadArguments,
	} {
		if _, _, err := r.Open(ctx, objstore.Scheme(address), address, nil); cherr.CodeOf(err) != code {
			t.Errorf("Open(%s): %v, want code %d", address, err, code)
		}
	}
}

// What became of an upload in parts whose last answer was lost is told by whose
// object is there, not by how it looks.
func TestS3UnclearUpload(t *testing.T) {
	ctx, size := context.Background(), 17<<20
	for _, theirs := range []bool{false, true} {
		f := fakes3.New(t)
		s, other := open(t, f), open(t, f)
		if _, err := s.Put(ctx, "lake/t/v1", strings.NewReader("v1"), objstore.PutOptions{IfAbsent: true}); err != nil {
			t.Fatal(err)
		}
		var n atomic.Int64
		fault := func(_ http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodPost || !r.URL.Query().Has("uploadId") || n.Add(1) != 1 {
				return false
			}
			if theirs { // another writer is quicker, with as many bytes
				if _, err := other.Put(ctx, "lake/t/v2", bytes.NewReader(bytes.Repeat([]byte("t"), size)), objstore.PutOptions{IfAbsent: true}); err != nil {
					t.Error(err)
				}
			}
			panic(http.ErrAbortHandler)
		}
		if theirs {
			f.SetBefore(fault)
		} else {
			f.After = fault
		}
		_, err := s.Put(ctx, "lake/t/v2", bytes.NewReader(bytes.Repeat([]byte("o"), size)), objstore.PutOptions{IfAbsent: true})
		switch got := f.Get("lake/t/v2"); {
		case !theirs && (err != nil || got[0] != 'o'):
			t.Errorf("ours landed: %v", err)
		case theirs && (!errors.Is(err, objstore.ErrExists) || got[0] != 't'):
			t.Errorf("theirs landed: %v", err)
		}
	}
}
