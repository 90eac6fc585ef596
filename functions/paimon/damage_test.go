package paimon

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lakeserver/cherr"
	"lakeserver/functions/storage"
	"lakeserver/objstore"
)

// A damaged metadata file gives an error with a code of its own, or rows; never
// a panic, and behind a checksum never other rows.
func TestDamagedMetadata(t *testing.T) {
	root := fixtureRoot(t)
	for _, name := range []string{"pk.dedup", "pk.partial_update_agg", "app.dv", "pk.dv", "app.file_index", "app.data_evolution_parquet"} {
		files, _ := filepath.Glob(filepath.Join(root, "expected-paimon", name+"*.json"))
		for _, file := range files {
			f := loadFixture(t, file)
			if hasORC(root, f) {
				continue
			}
			t.Run(f.Name, func(t *testing.T) { damage(t, filepath.Join(root, f.Path)) })
			break
		}
	}
}

func damage(t *testing.T, src string) { // long: one walk
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "t"), os.DirFS(src)); err != nil {
		t.Fatal(err)
	}
	// No cache: every read must see the damage.
	o := &opener{sources: &storage.Sources{Local: objstore.NewLocal(dir)}, form: storage.Local}
	whole, err := tableText(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	_ = filepath.WalkDir(filepath.Join(dir, "t"), func(p string, e fs.DirEntry, _ error) error {
		folder := filepath.Base(filepath.Dir(p))
		if !e.IsDir() && slices.Contains([]string{"snapshot", "schema", "manifest", "index"}, folder) || strings.HasSuffix(p, ".index") {
			files = append(files, p)
		}
		return nil
	})
	errors, same, other := 0, 0, 0
	for _, f := range files {
		good, _ := os.ReadFile(f)
		step := max(1, len(good)/8)
		for at := 0; at < len(good); at += step {
			flipped := slices.Clone(good)
			flipped[at] ^= 0x11
			for _, bad := range [][]byte{flipped, good[:at]} {
				if err := os.WriteFile(f, bad, 0o644); err != nil {
					t.Fatal(err)
				}
				got, err := tableText(t.Context(), o)
				switch {
				case err != nil:
					errors++
					if c := cherr.CodeOf(err); c == cherr.LogicalError || c == cherr.UnknownException {
						t.Errorf("%s at %d: code %d: %v", filepath.Base(f), at, c, err)
					}
				case slices.Equal(got, whole):
					same++
				default:
					other++
				}
			}
		}
		if err := os.WriteFile(f, good, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d errors, %d right, %d other rows", errors, same, other)
	if errors == 0 || other*10 > errors+same+other {
		t.Errorf("%d errors, %d right, %d other rows", errors, same, other)
	}
}

// tableText gives the table's rows and column names, sorted.
func tableText(ctx context.Context, o *opener) ([]string, error) {
	tab, err := opened(ctx, o, "t")
	if err != nil {
		return nil, err
	}
	var names []string
	header := ""
	for _, c := range tab.columns {
		names = append(names, c.Name)
		header += c.Name + " " + c.Type.String() + ","
	}
	rows, _, err := rowsOf(ctx, tab, names, nil)
	return append(rows, header), err
}
