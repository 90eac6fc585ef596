package objstore

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lakeserver/cherr"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestLocalStaysInside(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	base, out := filepath.Join(dir, "files"), filepath.Join(dir, "outside")
	write(t, filepath.Join(base, "a", "x"), "inside")
	write(t, filepath.Join(out, "secret"), "secret")
	if err := os.Symlink(out, filepath.Join(base, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(out, "new"), filepath.Join(base, "dangling")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a", filepath.Join(base, "fine")); err != nil {
		t.Fatal(err)
	}
	s := NewLocal(base)
	for _, p := range []string{"../outside/secret", "link/secret", "/etc/passwd", out + "/secret", "a/../../outside/secret", "file:///etc/passwd", "dangling"} {
		if _, err := s.Read(ctx, p); !cherr.Is(err, cherr.PathAccessDenied) {
			t.Errorf("Read(%s): %v, want PATH_ACCESS_DENIED", p, err)
		}
		if _, err := s.Put(ctx, p, strings.NewReader("x"), PutOptions{}); !cherr.Is(err, cherr.PathAccessDenied) {
			t.Errorf("Put(%s): %v, want PATH_ACCESS_DENIED", p, err)
		}
	}
	for _, p := range []string{"a/x", base + "/a/x", "file://" + base + "/a/x", "fine/x", "a/../a/x"} {
		if b, err := s.Read(ctx, p); err != nil || string(b) != "inside" {
			t.Errorf("Read(%s): %q, %v", p, b, err)
		}
	}
	if _, err := s.Read(ctx, "nowhere"); !cherr.Is(err, cherr.FileDoesntExist) {
		t.Errorf("missing file: %v", err)
	}
	if b, err := NewLocal(base, out).Read(ctx, out+"/secret"); err != nil || string(b) != "secret" {
		t.Errorf("allowed folder: %q, %v", b, err)
	}
	if b, err := NewUnrestricted(base).Read(ctx, "../outside/secret"); err != nil || string(b) != "secret" {
		t.Errorf("unrestricted: %q, %v", b, err)
	}
	objs, err := s.List(ctx, "", true)
	if err != nil || len(objs) != 1 || objs[0].Path != "a/x" {
		t.Errorf("List: %v, %v", objs, err)
	}
}

func TestLocalPutIfAbsent(t *testing.T) {
	ctx := context.Background()
	s := NewLocal(t.TempDir())
	first, err := s.Put(ctx, "t/metadata/v1", strings.NewReader("one"), PutOptions{IfAbsent: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(ctx, "t/metadata/v1", strings.NewReader("two"), PutOptions{IfAbsent: true}); !errors.Is(err, ErrExists) {
		t.Fatalf("second: %v, want ErrExists", err)
	}
	if b, _ := s.Read(ctx, "t/metadata/v1"); string(b) != "one" {
		t.Fatalf("after a refused Put: %q", b)
	}
	second, err := s.Put(ctx, "t/metadata/v1", strings.NewReader("two"), PutOptions{})
	if err != nil || second.ETag == first.ETag {
		t.Fatalf("replaced: %v, etag %s then %s", err, first.ETag, second.ETag)
	}
	objs, _ := s.List(ctx, "t/", true)
	if len(objs) != 1 {
		t.Fatalf("left behind: %v", objs)
	}
	if err := s.Delete(ctx, "t/metadata/v1"); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(ctx, "t/metadata/v1"); !cherr.Is(err, cherr.FileDoesntExist) {
		t.Fatalf("second delete: %v", err)
	}
}
