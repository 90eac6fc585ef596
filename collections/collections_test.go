package collections

import (
	"os"
	"path/filepath"
	"testing"

	"lakeserver/cherr"
)

func TestStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "nc")
	open := func() *Store {
		s, err := Open(dir, map[string]map[string]string{"conf": {"url": "u"}})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s, no := open(), false
	steps := []struct {
		what string
		do   func() error
		code cherr.Code
	}{
		{"create", func() error {
			return s.Create("a/b", []Key{{Name: "url", Value: "x", Overridable: &no}, {Name: "key", Value: "s"}}, false)
		}, 0},
		{"again", func() error { return s.Create("a/b", nil, false) }, 670},
		{"again if not exists", func() error { return s.Create("a/b", nil, true) }, 0},
		{"twice a key", func() error { return s.Create("c", []Key{{Name: "k"}, {Name: "k"}}, false) }, 36},
		{"alter", func() error { return s.Alter("a/b", []Key{{Name: "k", Value: "v"}}, []string{"key"}, false) }, 0},
		{"delete what is not there", func() error { return s.Alter("a/b", nil, []string{"none"}, false) }, 36},
		{"delete all", func() error { return s.Alter("a/b", nil, []string{"k", "url"}, false) }, 36},
		{"alter none", func() error { return s.Alter("none", nil, nil, false) }, 669},
		{"alter none if exists", func() error { return s.Alter("none", nil, nil, true) }, 0},
		{"alter the configuration's", func() error { return s.Alter("conf", nil, nil, false) }, 671},
		{"drop the configuration's", func() error { return s.Drop("conf", false) }, 671},
	}
	for _, st := range steps {
		if err := st.do(); cherr.CodeOf(err) != st.code {
			t.Errorf("%s: %v, want code %d", st.what, err, st.code)
		}
	}
	s = open()
	c, ok := s.Lookup("a/b")
	if k, there := c.Get("url"); !ok || !there || k.Value != "x" || k.Overridable == nil || *k.Overridable || len(c.Keys) != 2 {
		t.Errorf("after a restart: %+v", c)
	}
	if fi, err := os.Stat(s.path("a/b")); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("the file of secrets: %v, %v", fi, err)
	}
	if err := s.Drop("a/b", false); err != nil {
		t.Error(err)
	}
	if _, ok := open().Lookup("a/b"); ok {
		t.Error("it is there after DROP and a restart")
	}
}
