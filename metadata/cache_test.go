package metadata

import (
	"context"
	"fmt"
	"testing"

	"lakeserver/cherr"
)

func TestCacheBound(t *testing.T) {
	c := NewCache(10_000)
	parsed := 0
	get := func(i int) (any, bool) {
		v, hit, err := c.Get(context.Background(), fmt.Sprint(i), func() (any, int64, error) { parsed++; return i, 1000, nil })
		if err != nil {
			t.Fatal(err)
		}
		return v, hit
	}
	for i := range 20 {
		if v, hit := get(i); v != i || hit {
			t.Fatalf("%d: %v, hit %t", i, v, hit)
		}
	}
	if used, n := c.Used(); used > 10_000 || n == 0 {
		t.Fatalf("%d bytes in %d files", used, n)
	}
	if _, hit := get(19); !hit {
		t.Error("the newest was dropped")
	}
	if _, hit := get(0); hit {
		t.Error("the oldest was kept")
	}
	c.Clear()
	if used, n := c.Used(); used != 0 || n != 0 {
		t.Error("not empty after Clear")
	}
}

func TestCacheOneParse(t *testing.T) {
	c := NewCache(1 << 20)
	start, parses := make(chan struct{}), 0
	g, ctx := cherr.NewGroup(context.Background())
	for range 8 {
		g.Go(func() error {
			<-start
			v, _, err := c.Get(ctx, "k", func() (any, int64, error) { parses++; return "v", 1, nil })
			if v != "v" {
				return fmt.Errorf("got %v", v)
			}
			return err
		})
	}
	close(start)
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	if parses != 1 {
		t.Errorf("parsed %d times", parses)
	}
}

func TestCacheKeepsNoErrors(t *testing.T) {
	c := NewCache(1 << 20)
	fail := cherr.New(cherr.IncorrectData, "broken")
	for i := range 2 {
		n := 0
		_, _, err := c.Get(context.Background(), "k", func() (any, int64, error) { n++; return nil, 0, fail })
		if err != fail || n != 1 {
			t.Errorf("try %d: %v after %d parses", i, err, n)
		}
	}
}
