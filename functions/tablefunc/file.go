package tablefunc

import (
	"bufio"
	"context"
	"io"
	"path"
	"regexp"
	"strings"
	"sync"

	"lakeserver/cherr"
	"lakeserver/codec/parquet"
	"lakeserver/column"
	"lakeserver/format"
	"lakeserver/functions"
	"lakeserver/functions/storage"
	"lakeserver/objstore"
	"lakeserver/table"
	"lakeserver/types"
)

// files opens tables over the files that one form of arguments names.
type files struct {
	sources *storage.Sources
	form    *storage.Form
	scratch *parquet.Scratch
}

const s3Syntax = "(url[, NOSIGN | access_key_id, secret_access_key[, session_token]][, format[, structure[, compression_method]]][, headers(…)][, extra_credentials(…)])"

// fileFunctions are the functions over files, all of them one opener's.
func fileFunctions(sources *storage.Sources) []functions.TableFunction {
	scratch := parquet.NewScratch()
	var out []functions.TableFunction
	for _, n := range []struct {
		name   string
		form   *storage.Form
		syntax string
		where  string
	}{
		{"file", storage.Local, "(path[, format[, structure[, compression]]])", "within the folder of user files"},
		{"s3", storage.S3, s3Syntax, "in S3 or a store that speaks it"},
		{"gcs", storage.S3, s3Syntax, "in Google Cloud Storage"},
		{"oss", storage.S3, s3Syntax, "in Alibaba's OSS"},
		{"cosn", storage.S3, s3Syntax, "in Tencent's COS"},
		{"azureBlobStorage", storage.Azure, "(connection_string|storage_account_url, container_name, blobpath[, account_name, account_key][, format[, compression[, structure]]])", "in Azure Blob Storage"},
		{"hdfs", storage.HDFS, "(uri[, format[, structure[, compression]]])", "in HDFS"},
	} {
		f := &files{sources: sources, form: n.form, scratch: scratch}
		out = append(out, functions.TableFunction{
			Name: n.name, Open: f.open,
			Doc: functions.Doc{Syntax: n.name + n.syntax, Summary: "The rows of the files that a path or pattern names, " + n.where + "."},
		})
		switch n.name {
		case "gcs", "oss", "cosn":
			continue // they have no form for clusters
		}
		out = append(out, functions.TableFunction{
			Name: n.name + "Cluster", Open: sources.OnCluster(f.open),
			Doc: functions.Doc{
				Syntax:  n.name + "Cluster(cluster, " + strings.TrimPrefix(n.syntax, "("),
				Summary: "As " + n.name + ", for a cluster of the configuration whose only node is this server.",
			},
		})
	}
	return out
}

func (f *files) open(ctx context.Context, env *functions.Env, req *functions.OpenRequest) (table.Table, error) {
	src, err := f.sources.Open(ctx, env, f.form, req)
	if err != nil {
		return nil, err
	}
	t := &fileTable{store: src.Store, path: src.Path, scratch: f.scratch}
	if t.options, err = format.NewOptions(env.Settings, env.Zone); err != nil {
		return nil, err
	}
	if t.method, err = compression(src.Compression); err != nil {
		return nil, err
	}
	if req.Incoming != nil {
		return t, t.forRows(ctx, src, req.Incoming)
	}
	if err := t.find(ctx, src); err != nil {
		return nil, err
	}
	if err := t.choose(ctx, src.Path, src.Format); err != nil {
		return nil, err
	}
	if src.Structure != "" {
		t.header, err = format.ParseStructure(src.Structure)
	} else {
		t.header, err = t.infer(ctx)
	}
	return t, err
}

// find gives the objects of a path or pattern.
func (t *fileTable) find(ctx context.Context, src *storage.Source) error {
	objects, glob, err := expand(ctx, t.store, src.Path)
	if err != nil {
		return err
	}
	t.objects = objects
	if glob || objects[0].ETag != "" {
		return nil
	}
	o, err := t.store.Stat(ctx, src.Path)
	switch {
	case err == nil:
		t.objects[0] = o
	case cherr.Is(err, cherr.FileDoesntExist) && src.Structure != "": // reading says it
	case cherr.Is(err, cherr.FileDoesntExist) && objstore.Identity(t.store) == "":
		return cherr.New(cherr.CannotStat, "Cannot stat file %s: No such file or directory. The table structure cannot be extracted", absolute(t.store, src.Path))
	default:
		return err
	}
	return nil
}

// choose finds the format: the one named, else by the files' ending, else by
// their beginning.
func (t *fileTable) choose(ctx context.Context, pattern, name string) (err error) {
	if name == "" {
		name = formatOf(pattern)
		for _, o := range t.objects {
			if name == "" {
				name = formatOf(o.Path)
			}
		}
	}
	if name == "" {
		if name, err = t.detect(ctx); err != nil {
			return err
		}
	}
	if name == "JSON" { // of which any document of rows may bear the ending
		if name, err = t.detect(ctx); err != nil {
			return err
		}
	}
	if t.format, err = format.Lookup(name); err != nil {
		return err
	}
	if t.format.NewReader == nil {
		return cherr.New(cherr.FormatIsNotSuitableForInput, "Format %s is not suitable for input", t.format.Name)
	}
	return nil
}

// endings are those that are not a format's own name.
var endings = map[string]string{
	"tsv": "TSV", "jsonl": "JSONEachRow", "ndjson": "JSONEachRow", "arrows": "ArrowStream", "feather": "Arrow", "bin": "RowBinary", "pq": "Parquet",
}

// formatOf gives the format that a name's ending stands for, "" if none.
func formatOf(name string) string {
	name = strings.ToLower(path.Base(name))
	ext := strings.TrimPrefix(path.Ext(name), ".")
	if methods[ext] != "" {
		name = strings.TrimSuffix(name, "."+ext)
		ext = strings.TrimPrefix(path.Ext(name), ".")
	}
	if f := endings[ext]; f != "" {
		return f
	}
	if f, err := format.Lookup(ext); err == nil {
		return f.Name
	}
	return ""
}

// detect looks into the first file that is not empty.
func (t *fileTable) detect(ctx context.Context) (string, error) {
	if len(t.objects) == 0 {
		return "", cherr.New(cherr.CannotExtractTableStructure, "The data format cannot be detected by the contents of the files, because there are no files with provided path. You can specify the format manually")
	}
	for _, o := range t.objects {
		r, err := t.reader(ctx, o)
		if err != nil {
			return "", err
		}
		start, err := r.Peek(4096)
		r.Close()
		if err != nil && err != io.EOF {
			return "", err
		}
		if len(start) > 0 {
			return kindOf(string(start)), nil
		}
	}
	return "", cherr.New(cherr.CannotDetectFormat, "The data format cannot be detected by the contents of the files. You can specify the format manually")
}

var documentWithMeta = regexp.MustCompile(`^\{\s*"meta"\s*:`)

// kindOf guesses the format of a document's beginning.
func kindOf(start string) string {
	line, _, _ := strings.Cut(start, "\n")
	text := strings.TrimSpace(start)
	switch {
	case strings.HasPrefix(start, "PAR1"):
		return "Parquet"
	case strings.HasPrefix(start, "ARROW1"):
		return "Arrow"
	case documentWithMeta.MatchString(text):
		return "JSON"
	case strings.HasPrefix(text, "{"), strings.HasPrefix(text, "[{"):
		return "JSONEachRow"
	case strings.HasPrefix(text, "["):
		return "JSONCompactEachRow"
	case !strings.Contains(line, "\t") && strings.Contains(line, ","):
		return "CSV"
	}
	return "TSV"
}

// infer takes the structure of the first file that has one.
func (t *fileTable) infer(ctx context.Context) (column.Header, error) {
	if len(t.objects) == 0 {
		return nil, cherr.New(cherr.CannotExtractTableStructure, "The table structure cannot be extracted from a %s format file, because there are no files with provided path. You can specify the structure manually", t.format.Name)
	}
	var last error
	for _, o := range t.objects {
		if t.isParquet(o.Path) {
			return t.inferParquet(ctx, o)
		}
		if t.format.Infer == nil {
			break
		}
		r, err := t.reader(ctx, o)
		if err != nil {
			return nil, err
		}
		if _, err := r.Peek(1); err == io.EOF {
			r.Close()
			last = cherr.New(cherr.CannotExtractTableStructure, "The table structure cannot be extracted from a %s format file: the file is empty. You can specify the structure manually: (in file/uri %s)", t.format.Name, absolute(t.store, o.Path))
			continue
		}
		h, err := t.format.Infer(ctx, r.Reader, t.options)
		r.Close()
		if err != nil {
			return nil, cherr.Wrap(err, "(in file/uri %s)", absolute(t.store, o.Path))
		}
		return h, nil
	}
	if last == nil {
		last = cherr.New(cherr.BadArguments, "The structure of format %s cannot be inferred; it must be given", t.format.Name)
	}
	return nil, last
}

// fileTable is the files that a call of file() names.
type fileTable struct {
	store   objstore.Store
	path    string // as asked for, perhaps a pattern
	scratch *parquet.Scratch
	format  *format.Format
	options *format.Options
	method  string // of compression, "" by each file's ending
	objects []objstore.Object
	header  column.Header

	mu      sync.Mutex
	footers map[string]*parquet.Reader // by path, those read so far
}

// Columns gives the structure.
func (t *fileTable) Columns() []table.Column {
	out := make([]table.Column, len(t.header))
	for i, f := range t.header {
		out[i] = table.Column{Name: f.Name, Type: f.Type}
	}
	return out
}

// virtuals are the columns that tell of a row's file.
var virtuals = []table.Column{
	{Name: "_path", Type: types.LowCardinality(types.String)},
	{Name: "_file", Type: types.LowCardinality(types.String)},
	{Name: "_size", Type: types.Nullable(types.UInt64)},
	{Name: "_time", Type: types.Nullable(types.DateTime)},
}

// VirtualColumns gives _path, _file, _size and _time.
func (t *fileTable) VirtualColumns() []table.Column { return virtuals }

// virtual gives a virtual column for n rows of a file.
func (t *fileTable) virtual(i int, o objstore.Object, n int) column.Column {
	v := virtuals[i]
	switch v.Name {
	case "_path":
		return column.FromValue(v.Type, absolute(t.store, o.Path), n)
	case "_file":
		return column.FromValue(v.Type, path.Base(o.Path), n)
	case "_size":
		return column.FromValue(v.Type, uint64(o.Size), n)
	}
	return column.FromValue(v.Type, uint32(o.Modified.Unix()), n)
}

// absolute gives a path as the store's own place, where it has such.
func absolute(s objstore.Store, p string) string {
	if a, ok := s.(interface{ Absolute(string) string }); ok {
		return a.Absolute(p)
	}
	return p
}

// openDocument is an open file, decompressed.
type openDocument struct {
	*bufio.Reader
	close func()
}

// Close gives the file back.
func (d *openDocument) Close() { d.close() }

// reader opens a file and decompresses it.
func (t *fileTable) reader(ctx context.Context, o objstore.Object) (*openDocument, error) {
	p := o.Path
	f, err := objstore.OpenObject(ctx, t.store, o)
	if err != nil {
		return nil, err
	}
	plain, done, err := decompressed(io.NewSectionReader(f, 0, f.Object().Size), t.methodOf(p))
	if err != nil {
		f.Close()
		return nil, cherr.Wrap(err, "(in file/uri %s)", p)
	}
	return &openDocument{bufio.NewReaderSize(plain, 1<<18), func() {
		if done != nil {
			done()
		}
		f.Close()
	}}, nil
}

func (t *fileTable) methodOf(p string) string {
	if t.method != "" {
		return t.method
	}
	return methods[strings.ToLower(strings.TrimPrefix(path.Ext(p), "."))]
}
