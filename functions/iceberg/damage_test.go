package iceberg

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lakeserver/functions/storage"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/objstore"
	"lakeserver/table"
)

// A damaged metadata file gives an error with a code of its own, or rows; never
// a panic, and from a manifest whose bytes a checksum covers never other rows.
func TestDamagedMetadata(t *testing.T) {
	root := fixtureRoot(t)
	for _, name := range []string{"pos_deletes", "v3_dv", "eq_parquet", "py_manifest_snappy", "part_multi"} {
		t.Run(name, func(t *testing.T) { damage(t, filepath.Join(root, "iceberg", name)) })
	}
}

func damage(t *testing.T, src string) {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "t"), os.DirFS(src)); err != nil {
		t.Fatal(err)
	}
	// No cache: every read must see the damage.
	o := &opener{sources: &storage.Sources{Local: objstore.NewLocal(dir)}, form: storage.Local}
	whole, err := tableText(o)
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "t", "metadata", "*"))
	puffins, _ := filepath.Glob(filepath.Join(dir, "t", "data", "*.puffin"))
	newest := ""
	for _, f := range files {
		if strings.HasSuffix(f, ".metadata.json") && (len(f) > len(newest) || len(f) == len(newest) && f > newest) {
			newest = f
		}
	}
	errors, same, other := 0, 0, 0
	for _, f := range append(files, puffins...) {
		if strings.HasSuffix(f, ".json") && f != newest || strings.HasSuffix(f, ".text") {
			continue
		}
		good, _ := os.ReadFile(f)
		step := max(1, len(good)/10)
		for at := 0; at < len(good); at += step {
			for _, bad := range [][]byte{flipped(good, at), good[:at]} {
				if err := os.WriteFile(f, bad, 0o644); err != nil {
					t.Fatal(err)
				}
				got, err := tableText(o)
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
					if strings.Contains(src, "snappy") && strings.HasSuffix(f, ".avro") && at > len(good)/2 || strings.HasSuffix(f, ".puffin") {
						t.Errorf("%s at %d: other rows", filepath.Base(f), at)
					}
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

func flipped(b []byte, at int) []byte {
	out := slices.Clone(b)
	out[at] ^= 0x11
	return out
}

// tableText gives the table's rows and column names, sorted.
func tableText(o *opener) ([]string, error) {
	ctx := context.Background()
	tab, err := opened(ctx, o, "t", nil)
	if err != nil {
		return nil, err
	}
	req := &table.ScanRequest{Streams: 1}
	header := ""
	for i, c := range tab.columns {
		req.Columns = append(req.Columns, i)
		header += c.Name + " " + c.Type.String() + ","
	}
	streams, err := tab.Scan(ctx, req)
	if err != nil {
		return nil, err
	}
	out := []string{header}
	for _, s := range streams {
		blocks, err := column.ReadAll(ctx, s)
		if err != nil {
			return nil, err
		}
		for _, b := range blocks {
			for r := range b.Rows {
				row := ""
				for i, c := range b.Columns {
					row += canon(tab.all[i].Field.Type, column.At(c, r)) + "|"
				}
				out = append(out, row)
			}
		}
	}
	slices.Sort(out)
	return out, nil
}
