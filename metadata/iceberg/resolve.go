package iceberg

import (
	"context"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/metadata"
	"lakeserver/objstore"
)

// Choice says how a table's metadata file is found. The zero Choice takes the
// file of the highest version.
type Choice struct {
	File    string // relative to the table; "" for none
	UUID    string // only files of this table
	Newest  bool   // by last-updated-ms, not by version
	UseHint bool   // by version-hint.text
}

// metadataName: vN, NNNNN-uuid and vN-uuid, a codec before or after the ending.
var metadataName = regexp.MustCompile(`^v?(\d{1,18})(-[^/]*?)?(\.(gz|gzip|zst|zstd|snappy|lz4|br|xz|bz2|deflate))?\.metadata\.json(\.gz|\.zst)?$`)

// candidate is one metadata file by name.
type candidate struct {
	version int64
	obj     objstore.Object
}

func parseName(path string) (version int64, ok bool) {
	m := metadataName.FindStringSubmatch(base(path))
	if m == nil {
		return 0, false
	}
	v, err := strconv.ParseInt(m[1], 10, 64)
	return v, err == nil
}

func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

func badName(name string) error {
	return cherr.New(cherr.BadArguments, "Bad metadata file name: '%s'. Expected `vN.metadata.json` or `vN-<uuid>.metadata.json` or `N-<uuid>.metadata.json` where N is a version number.", name)
}

// Load finds and reads the metadata file of the table at root, a folder.
// hinted says that version-hint.text decided.
func Load(ctx context.Context, l *metadata.Loader, root string, c Choice) (m *TableMetadata, hinted bool, err error) {
	root = withSlash(root)
	if c.File != "" {
		m, err = loadNamed(ctx, l, root, c.File)
		return m, false, err
	}
	if c.UseHint {
		m, err = loadHinted(ctx, l, root)
		if m != nil || err != nil {
			return m, true, err
		}
	}
	found, err := candidates(ctx, l, root)
	if err != nil {
		return nil, false, err
	}
	if len(found) == 0 {
		return nil, false, cherr.New(cherr.FileDoesntExist, "The metadata file for Iceberg table with path %s doesn't exist", root)
	}
	if c.UUID == "" && !c.Newest {
		m, err = loadFile(ctx, l, found[0].obj)
		return m, false, err
	}
	m, err = choose(ctx, l, found, c)
	if err == nil && m == nil {
		err = cherr.New(cherr.FileDoesntExist, "The metadata file for Iceberg table with path %s and table UUID %s doesn't exist", root, plainUUID(c.UUID))
	}
	return m, false, err
}

func loadNamed(ctx context.Context, l *metadata.Loader, root, file string) (*TableMetadata, error) {
	switch {
	case strings.HasPrefix(file, "/"):
		return nil, cherr.New(cherr.PathAccessDenied, "Data lake path `%s` should be inside the table directory `%s`", file, root)
	case strings.Contains(file, "./"), strings.IndexByte(file, 0) >= 0:
		return nil, cherr.New(cherr.BadArguments, "Relative paths are not allowed.")
	}
	if _, ok := parseName(file); !ok {
		return nil, badName(base(file))
	}
	obj, err := l.Store.Stat(ctx, root+file)
	if err != nil {
		return nil, err
	}
	return loadFile(ctx, l, obj)
}

// loadHinted gives nil, nil when the hint names no file that is there: then
// the folder is listed.
func loadHinted(ctx context.Context, l *metadata.Loader, root string) (*TableMetadata, error) {
	text, err := l.Store.Read(ctx, root+"metadata/version-hint.text")
	if err != nil {
		return nil, err
	}
	hint := strings.TrimSpace(string(text))
	if hint == "" {
		return nil, nil
	}
	for _, name := range hintNames(hint) {
		if obj, err := l.Store.Stat(ctx, root+"metadata/"+name); err == nil {
			return loadFile(ctx, l, obj)
		} else if !cherr.Is(err, cherr.FileDoesntExist) {
			return nil, err
		}
	}
	_, plain := parseName(hint)
	_, short := parseName(hint + ".metadata.json")
	if !plain && !short {
		return nil, badName(hint)
	}
	return nil, nil
}

// hintNames gives the file names that a hint may mean, the likeliest first.
func hintNames(hint string) []string {
	if strings.Contains(hint, "/") {
		hint = base(hint)
	}
	if strings.Contains(hint, ".metadata.json") {
		return []string{hint}
	}
	stem := hint
	if _, err := strconv.ParseUint(hint, 10, 63); err == nil {
		stem = "v" + hint
	}
	return []string{stem + ".metadata.json", stem + ".gz.metadata.json", stem + ".metadata.json.gz", stem + ".zstd.metadata.json", stem + ".zst.metadata.json"}
}

// candidates lists the metadata files, the highest version first; names that
// do not look like one are not candidates.
func candidates(ctx context.Context, l *metadata.Loader, root string) ([]candidate, error) {
	objs, err := l.Store.List(ctx, root+"metadata/", false)
	if err != nil {
		return nil, err
	}
	var out []candidate
	for _, o := range objs {
		if v, ok := parseName(o.Path); ok {
			out = append(out, candidate{v, o})
		}
	}
	// Two files of one version: which is right nobody can say; the first by
	// name, as ClickHouse does.
	sort.SliceStable(out, func(i, j int) bool { return out[i].version > out[j].version })
	return out, nil
}

// choose picks by table UUID and time among the candidates. A file that cannot
// be read is no candidate while others can.
func choose(ctx context.Context, l *metadata.Loader, found []candidate, c Choice) (best *TableMetadata, err error) {
	var firstErr error
	for _, f := range found {
		m, err := loadFile(ctx, l, f.obj)
		if err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			if firstErr == nil {
				firstErr = err
			}
			continue
		}
		if c.UUID != "" && plainUUID(m.UUID) != plainUUID(c.UUID) {
			continue
		}
		if !c.Newest {
			return m, nil
		}
		if best == nil || m.LastUpdatedMs > best.LastUpdatedMs {
			best = m
		}
	}
	if best == nil && c.UUID == "" {
		return nil, firstErr
	}
	return best, nil
}

func plainUUID(s string) string { return strings.ToLower(strings.ReplaceAll(s, "-", "")) }

// loadFile reads one metadata file. Its content is told by the etag: engines
// have written old names anew.
func loadFile(ctx context.Context, l *metadata.Loader, obj objstore.Object) (*TableMetadata, error) {
	return metadata.LoadObject(ctx, l, "metadata", obj.Path, obj.ETag, func(data []byte) (*TableMetadata, int64, error) {
		m, err := ParseMetadata(obj.Path, data)
		if err != nil {
			return nil, 0, err
		}
		return m, m.size(len(data)), nil
	})
}
