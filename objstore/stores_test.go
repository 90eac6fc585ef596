package objstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lakeserver/cherr"
	"lakeserver/objstore"
)

// services are those whose environment a test was started with, as the
// components beside the checkout write it (start.sh FILE; set -a; . FILE).
func services(t *testing.T) map[string]objstore.Store {
	t.Helper()
	r := objstore.NewRegistry(nil)
	objstore.RegisterS3(r)
	objstore.RegisterAzure(r)
	objstore.RegisterHDFS(r)
	out := map[string]objstore.Store{}
	add := func(name, kind, address string, a *objstore.Access) {
		s, _, err := r.Open(context.Background(), kind, address, a)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out[name] = s
	}
	if c := os.Getenv("AZURE_CONNECTION_STRING"); c != "" {
		add("azure", "azure", objstore.AzureAddress(os.Getenv("AZURE_CONTAINER"), ""), &objstore.Access{ConnectionString: c})
	}
	if u := os.Getenv("HDFS_URI"); u != "" {
		add("hdfs", "hdfs", u+os.Getenv("HDFS_DIR"), &objstore.Access{User: os.Getenv("HDFS_USER")})
	}
	if u := os.Getenv("S3_ENDPOINT"); u != "" {
		add("s3", "", u+"/"+os.Getenv("S3_BUCKET")+"/", &objstore.Access{KeyID: os.Getenv("S3_ACCESS_KEY"), Secret: os.Getenv("S3_SECRET_KEY")})
	}
	if len(out) == 0 {
		t.Skip("no real store: start one of ../shared/components and source its file")
	}
	return out
}

// Every real store keeps what the interface promises.
func TestStores(t *testing.T) {
	for name, s := range services(t) {
		dir := fmt.Sprintf("lake/test-%d", time.Now().UnixNano())
		t.Run(name, func(t *testing.T) {
			t.Run("round trip", func(t *testing.T) { roundTrip(t, s, dir) })
			t.Run("list", func(t *testing.T) { listing(t, s, dir+"/list") })
			t.Run("race", func(t *testing.T) { race(t, s, dir+"/race") })
			t.Run("pinned", func(t *testing.T) { pinned(t, s, dir+"/pinned") })
		})
	}
}

func roundTrip(t *testing.T, s objstore.Store, dir string) {
	ctx := context.Background()
	for _, n := range []int{1, 1000, 300_000, 16<<20 + 1, 33 << 20} {
		data, p := noise(n), fmt.Sprintf("%s/a b%%/f%d", dir, n)
		put, err := s.Put(ctx, p, bytes.NewReader(data), objstore.PutOptions{IfAbsent: n > 1000})
		if err != nil || put.Size != int64(n) {
			t.Fatalf("Put of %d bytes: %v, %v", n, put, err)
		}
		obj, err := s.Stat(ctx, p)
		if err != nil || obj.Size != int64(n) || obj.Path != p || put.ETag != "" && put.ETag != obj.ETag {
			t.Fatalf("Stat: %+v, %v; Put gave %+v", obj, err, put)
		}
		if got, err := s.Read(ctx, p); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("Read: %d bytes, %v", len(got), err)
		}
		file, err := objstore.OpenObject(ctx, s, obj)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(io.NewSectionReader(file, 0, obj.Size))
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d bytes in ranges: %d, %v", n, len(got), err)
		}
		file.Close()
		if n > 1000 {
			if _, err := s.Put(ctx, p, bytes.NewReader(data), objstore.PutOptions{IfAbsent: true}); !errors.Is(err, objstore.ErrExists) {
				t.Errorf("a second Put of %d bytes: %v", n, err)
			}
		}
		if err := s.Delete(ctx, p); err != nil {
			t.Error(err)
		}
		if _, err := s.Stat(ctx, p); !cherr.Is(err, cherr.FileDoesntExist) {
			t.Errorf("what was deleted: %v", err)
		}
	}
	if _, err := s.Read(ctx, dir+"/../x"); !cherr.Is(err, cherr.PathAccessDenied) {
		t.Errorf("a path with ..: %v", err)
	}
}

func listing(t *testing.T, s objstore.Store, dir string) {
	ctx := context.Background()
	for _, name := range []string{"a", "b/c", "b/d/e"} {
		if _, err := s.Put(ctx, dir+"/"+name, strings.NewReader(name), objstore.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for recursive, want := range map[bool]string{false: "[a]", true: "[a b/c b/d/e]"} {
		list, err := s.List(ctx, dir, recursive)
		var names []string
		for _, o := range list {
			names = append(names, strings.TrimPrefix(o.Path, dir+"/"))
			if got, err := s.Read(ctx, o.Path); err != nil || int64(len(got)) != o.Size {
				t.Errorf("%s as listed: %q, %v", o.Path, got, err)
			}
		}
		if fmt.Sprint(names) != want || err != nil {
			t.Errorf("recursive %v: %v, %v", recursive, names, err)
		}
	}
	if list, err := s.List(ctx, dir+"/none", true); len(list) > 0 || err != nil {
		t.Errorf("no folder: %v, %v", list, err)
	}
}

func race(t *testing.T, s objstore.Store, dir string) {
	ctx := context.Background()
	for round := range 5 {
		p := fmt.Sprintf("%s/v%d", dir, round)
		var won, winner atomic.Int64
		g, _ := cherr.NewGroup(ctx)
		for i := range 8 {
			g.Go(func() error {
				_, err := s.Put(ctx, p, strings.NewReader(fmt.Sprint("writer ", i)), objstore.PutOptions{IfAbsent: true})
				if err == nil {
					won.Add(1)
					winner.Store(int64(i))
				} else if !errors.Is(err, objstore.ErrExists) {
					return err
				}
				return nil
			})
		}
		if err := g.Wait(); err != nil || won.Load() != 1 {
			t.Errorf("%d of 8 won, %v", won.Load(), err)
		}
		if got, err := s.Read(ctx, p); err != nil || string(got) != fmt.Sprint("writer ", winner.Load()) {
			t.Errorf("writer %d won, there is %q, %v", winner.Load(), got, err)
		}
	}
}

func pinned(t *testing.T, s objstore.Store, dir string) {
	ctx, p := context.Background(), dir+"/x"
	put := func(b string, n int) {
		if _, err := s.Put(ctx, p, strings.NewReader(strings.Repeat(b, n)), objstore.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	put("a", 2<<20)
	file, err := s.Open(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	time.Sleep(10 * time.Millisecond) // HDFS tells contents of one length apart by their time
	put("b", 2<<20)
	buf := make([]byte, 100)
	if _, err := file.ReadAt(buf, 0); !cherr.Is(err, cherr.CannotReadAllData) {
		t.Errorf("read of another content: %q, %v", buf[:3], err)
	}
}
