package paimon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lakeserver/cherr"
	"lakeserver/memory"
	"lakeserver/metadata/paimon"
	"lakeserver/objstore"
)

// catalogOf is a catalog that publishes by itself, or not.
type catalogOf struct {
	manages bool
	store   objstore.Store
	answer  func(request []byte) (bool, error)
	sent    [][]byte
	asked   []Identifier
	newest  *paimon.Snapshot
}

func (c *catalogOf) LoadTable(_ context.Context, id Identifier) (*CatalogTable, error) {
	c.asked = append(c.asked, id)
	return &CatalogTable{ManagesVersions: c.manages, Store: c.store}, nil
}

func (c *catalogOf) LatestSnapshot(context.Context, Identifier) (*paimon.Snapshot, error) {
	return c.newest, nil
}

func (c *catalogOf) CommitSnapshot(_ context.Context, id Identifier, request []byte) (bool, error) {
	c.asked, c.sent = append(c.asked, id), append(c.sent, request)
	if c.answer == nil {
		return true, nil
	}
	return c.answer(request)
}

func catalogs(c Catalog, table string) func(*ContextBuilder) {
	return func(b *ContextBuilder) { b.WithCatalog(c, &Identifier{"db", table}) }
}

func TestContextBuilder(t *testing.T) {
	finish := func(change func(*ContextBuilder)) (*Context, error) {
		b := NewContextBuilder("/t", "me")
		change(b)
		return b.Finish()
	}
	t.Run("PC001 defaults", func(t *testing.T) {
		c, err := finish(func(*ContextBuilder) {})
		if err != nil || !c.IgnoreEmptyCommit || c.UseRESTCommit || c.AppendCheckConflict || c.TableID != nil || len(c.Options) != 0 {
			t.Fatalf("%+v %v", c, err)
		}
	})
	t.Run("PC002 SetOptions replaces", func(t *testing.T) {
		c, err := finish(func(b *ContextBuilder) { b.AddOption("a", "1").SetOptions(map[string]string{"b": "2"}) })
		if err != nil {
			t.Fatal(err)
		}
		same(t, "options", c.Options, map[string]string{"b": "2"})
	})
	t.Run("PC003 AddOption after SetOptions", func(t *testing.T) {
		given := map[string]string{"b": "2"}
		c, err := finish(func(b *ContextBuilder) { b.SetOptions(given).AddOption("c", "3") })
		if err != nil {
			t.Fatal(err)
		}
		same(t, "options", c.Options, map[string]string{"b": "2", "c": "3"})
		same(t, "the caller's own", given, map[string]string{"b": "2"})
	})
	t.Run("PC004 Finish resets", func(t *testing.T) {
		b := NewContextBuilder("/t", "me").AddOption("a", "1").IgnoreEmptyCommit(false)
		if _, err := b.Finish(); err != nil {
			t.Fatal(err)
		}
		_, err := b.Finish()
		wantInvalid(t, err, "root path")
		same(t, "what is left", []any{b.c.Options, b.c.IgnoreEmptyCommit, b.c.Root, b.c.User}, []any{map[string]string{}, true, "", ""})
	})
	t.Run("PC005 a failed Finish can be corrected", func(t *testing.T) {
		b := NewContextBuilder("/t", "me").AddOption("a", "1").WithCatalog(nil, nil)
		if _, err := b.Finish(); err == nil {
			t.Fatal("no error")
		}
		c, err := b.WithCatalog(&catalogOf{}, &Identifier{"db", "t"}).Finish()
		if err != nil || c.Options["a"] != "1" {
			t.Fatalf("%+v %v", c, err)
		}
	})
	t.Run("PC006 an empty root", func(t *testing.T) {
		for _, root := range []string{"", "/", " "} {
			_, err := NewContextBuilder(root, "me").Finish()
			wantInvalid(t, err, "root path")
		}
	})
	t.Run("PC007 an empty user", func(t *testing.T) {
		_, err := NewContextBuilder("/t", "").Finish()
		wantInvalid(t, err, "commit user")
	})
	t.Run("PC008 catalog and request", func(t *testing.T) {
		_, err := finish(func(b *ContextBuilder) { catalogs(&catalogOf{}, "t")(b.UseRESTCatalogCommit(true)) })
		wantInvalid(t, err, "either goes to the catalog")
	})
	t.Run("PC009 a nil catalog", func(t *testing.T) {
		_, err := finish(func(b *ContextBuilder) { b.WithCatalog(nil, &Identifier{"db", "t"}) })
		wantInvalid(t, err, "cannot commit through a null catalog")
	})
	t.Run("PC010 no identifier", func(t *testing.T) {
		_, err := finish(func(b *ContextBuilder) { b.WithCatalog(&catalogOf{}, nil) })
		wantInvalid(t, err, "a catalog commit requires a table identifier")
	})
	t.Run("PC011 branch of the identifier", func(t *testing.T) {
		c, err := finish(catalogs(&catalogOf{}, "t$branch_dev"))
		if err != nil || c.Branch != "dev" {
			t.Fatalf("%+v %v", c, err)
		}
	})
	t.Run("PC012 the same branch twice", func(t *testing.T) {
		c, err := finish(func(b *ContextBuilder) { catalogs(&catalogOf{}, "t$branch_dev")(b.AddOption("branch", "dev")) })
		if err != nil || c.Branch != "dev" {
			t.Fatalf("%+v %v", c, err)
		}
	})
	t.Run("PC013 two branches", func(t *testing.T) {
		_, err := finish(func(b *ContextBuilder) { catalogs(&catalogOf{}, "t$branch_dev")(b.AddOption("branch", "other")) })
		wantInvalid(t, err, "dev", "other")
	})
	t.Run("PC014 a branch by option only", func(t *testing.T) {
		_, err := finish(func(b *ContextBuilder) { catalogs(&catalogOf{}, "t")(b.AddOption("branch", "dev")) })
		wantInvalid(t, err, "t$branch_dev")
	})
	t.Run("PC015 what is no branch", func(t *testing.T) {
		for _, name := range []string{"a$b", "a/b", `a\b`, "MAIN", "Main", ""} {
			_, err := finish(func(b *ContextBuilder) { b.AddOption("branch", name) })
			wantInvalid(t, err)
		}
	})
	t.Run("PC016 a table id without a catalog", func(t *testing.T) {
		_, err := finish(func(b *ContextBuilder) { b.WithTableID("7") })
		wantInvalid(t, err, "table id")
	})
}

func TestCreate(t *testing.T) {
	over(t, "PC017 table id in the request", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me", func(x *ContextBuilder) { x.UseRESTCatalogCommit(true).WithTableID("seven") })
		if err := c.Commit(t.Context(), msgs(b.add(1, 0, b.file(1, 0, "a", 1))), nil); err != nil {
			t.Fatal(err)
		}
		r, err := c.LastCommitTableRequest()
		if err != nil || !strings.Contains(string(r), `"tableId": "seven"`) {
			t.Fatalf("%s %v", r, err)
		}
	})
	over(t, "PC018 store, memory and executor", "", nil, func(t *testing.T, b *bench) {
		work := 0
		c := b.committer("me", func(x *ContextBuilder) {
			x.WithMemoryPool(memory.New(nil, "test", 0)).WithExecutor(func(_ context.Context, n int, f func(int) error) error {
				for i := range n {
					work++
					if err := f(i); err != nil {
						return err
					}
				}
				return nil
			})
		})
		if _, err := c.FilterAndCommit(t.Context(), []Committable{{Identifier: 1, Messages: msgs(b.add(1, 0, b.file(1, 0, "a", 1)))}}); err != nil {
			t.Fatal(err)
		}
		if work == 0 {
			t.Error("the executor was not used")
		}
		var kinds []string
		for _, p := range b.store.puts {
			kinds = append(kinds, strings.Split(filepath.Base(p), "-")[0])
		}
		same(t, "files through the store", kinds, []string{"manifest", "manifest", "manifest", "snapshot", "LATEST"})
	})
	for _, x := range []struct{ id, option string }{
		{"PC019", "commit.strict-mode.last-safe-snapshot"}, {"PC020", "sequence.snapshot-ordering"}, {"PC021", "pk-clustering-override"},
	} {
		over(t, x.id+" "+x.option, "key", nil, func(t *testing.T, b *bench) {
			_, err := b.open("me", option(x.option, "1"))
			wantInvalid(t, err, x.option, "not supported by this commit path")
		})
	}
	t.Run("PC022 an object store without conditional put", func(t *testing.T) {
		_, err := remoteTable(t, func(*ContextBuilder) {})
		if !cherr.Is(err, cherr.NotImplemented) {
			t.Fatal(err)
		}
	})
	t.Run("PC023 an object store and requests", func(t *testing.T) {
		if _, err := remoteTable(t, func(b *ContextBuilder) { b.UseRESTCatalogCommit(true) }); err != nil {
			t.Fatal(err)
		}
	})
	over(t, "PC024 no schema", "", nil, func(t *testing.T, b *bench) {
		if err := os.RemoveAll(b.root + "schema"); err != nil {
			t.Fatal(err)
		}
		_, err := b.open("me")
		wantError(t, err, "not found latest schema")
	})
	over(t, "PC025 a system table", "", nil, func(t *testing.T, b *bench) {
		b.root = strings.TrimSuffix(b.root, "/") + "$snapshots"
		_, err := b.open("me")
		wantError(t, err, "Cannot 'commit' for system table")
	})
	over(t, "PC026 a catalog that does not manage versions", "", nil, func(t *testing.T, b *bench) {
		k := &catalogOf{}
		b.commit(b.committer("me", catalogs(k, "t")), nil, b.add(1, 0, b.file(1, 0, "a", 1)))
		if len(k.sent) != 0 || !b.exists("snapshot/snapshot-1") {
			t.Error("the snapshot is not published by its file")
		}
	})
	over(t, "PC027 the table's own file system", "", nil, func(t *testing.T, b *bench) {
		own := &hooked{Store: b.store.Store}
		ctx, err := NewContextBuilder(b.root, "me").WithCatalog(&catalogOf{store: own}, &Identifier{"db", "t"}).Finish()
		if err != nil {
			t.Fatal(err)
		}
		c, err := Create(t.Context(), ctx)
		if err != nil {
			t.Fatal(err)
		}
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 1)))
		if len(own.puts) == 0 || len(b.store.puts) != 0 {
			t.Error("the catalog's store was not used")
		}
	})
	over(t, "PC028 a primary-key table of fixed buckets", "key", nil, func(t *testing.T, b *bench) {
		s := b.commit(b.committer("me"), nil, b.add(1, 0, b.file(1, 0, "a", 3, keys(1, 9, 0))))
		same(t, "rows", *s.TotalRecordCount, 3)
	})
}

// remoteTable opens a table at an address that no local store has.
func remoteTable(t *testing.T, change func(*ContextBuilder)) (*Committer, error) {
	b := newTable(t, "")
	x := NewContextBuilder("oss://bucket/t", "me").WithFileSystem(&elsewhere{b.store, b.root})
	change(x)
	ctx, err := x.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return Create(t.Context(), ctx)
}

// elsewhere shows a local folder under another address.
type elsewhere struct {
	objstore.Store
	root string
}

func (e *elsewhere) path(p string) string { return e.root + strings.TrimPrefix(p, "oss://bucket/t/") }

func (e *elsewhere) Read(ctx context.Context, p string) ([]byte, error) {
	return e.Store.Read(ctx, e.path(p))
}

func (e *elsewhere) List(ctx context.Context, p string, deep bool) ([]objstore.Object, error) {
	return e.Store.List(ctx, e.path(p), deep)
}

func TestFormatTable(t *testing.T) {
	open := func(t *testing.T, change ...func(*ContextBuilder)) (*Committer, string, error) {
		root := filepath.Join(t.TempDir(), "f") + "/"
		if err := os.MkdirAll(root+"_temporary", 0o755); err != nil {
			t.Fatal(err)
		}
		b := NewContextBuilder(root, "").FormatTable()
		for _, c := range change {
			c(b)
		}
		ctx, err := b.Finish()
		if err != nil {
			return nil, root, err
		}
		c, err := Create(t.Context(), ctx)
		return c, root, err
	}
	stage := func(t *testing.T, root, target string) *FormatFile {
		f := &FormatFile{Staged: root + "_temporary/" + strings.ReplaceAll(target, "/", "_"), Target: target}
		if err := os.WriteFile(f.Staged, []byte(target), 0o644); err != nil {
			t.Fatal(err)
		}
		return f
	}
	list := func(root string) (out []string) {
		_ = filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				out = append(out, strings.TrimPrefix(p, root))
			}
			return nil
		})
		return out
	}
	t.Run("PC029 no commit user", func(t *testing.T) {
		if _, _, err := open(t); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("PC030 a branch", func(t *testing.T) {
		_, _, err := open(t, option("branch", "dev"))
		wantInvalid(t, err, "branch")
		_, _, err = open(t, catalogs(&catalogOf{}, "t$branch_dev"))
		wantInvalid(t, err, "branch")
	})
	t.Run("PC031 IgnoreEmptyCommit", func(t *testing.T) {
		_, _, err := open(t, func(b *ContextBuilder) { b.IgnoreEmptyCommit(false) })
		wantInvalid(t, err, "IgnoreEmptyCommit")
	})
	t.Run("PC032 what else it does not have", func(t *testing.T) {
		for name, change := range map[string]func(*ContextBuilder){
			"UseRESTCatalogCommit":      func(b *ContextBuilder) { b.UseRESTCatalogCommit(true) },
			"AppendCommitCheckConflict": func(b *ContextBuilder) { b.AppendCommitCheckConflict(true) },
			"file system":               func(b *ContextBuilder) { b.WithFileSystem(objstore.NewUnrestricted("/")) },
		} {
			_, _, err := open(t, change)
			wantInvalid(t, err, name)
		}
	})
	t.Run("PC033 staged files appear", func(t *testing.T) {
		c, root, err := open(t)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Commit(t.Context(), []any{stage(t, root, "p=1/a.csv"), stage(t, root, "p=2/b.csv")}, nil); err != nil {
			t.Fatal(err)
		}
		same(t, "files", list(root), []string{"p=1/a.csv", "p=2/b.csv"})
	})
	t.Run("PC034 overwriting a partition", func(t *testing.T) {
		c, root, err := open(t)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Commit(t.Context(), []any{stage(t, root, "p=1/a.csv"), stage(t, root, "p=2/b.csv")}, nil); err != nil {
			t.Fatal(err)
		}
		if err := c.Overwrite(t.Context(), Spec{"p": "1"}, []any{stage(t, root, "p=1/c.csv")}, nil); err != nil {
			t.Fatal(err)
		}
		same(t, "files", list(root), []string{"p=1/c.csv", "p=2/b.csv"})
	})
	t.Run("PC035 abort", func(t *testing.T) {
		c, root, err := open(t)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Abort(t.Context(), []any{stage(t, root, "p=1/a.csv")}); err != nil {
			t.Fatal(err)
		}
		same(t, "files", list(root), nil)
	})
}

var errDisk = errors.New("the disk is on fire")
