package tablefunc

import (
	"bufio"
	"context"
	"io"
	"path"
	"regexp"
	"strings"

	"lakeserver/cherr"
	"lakeserver/codec/parquet"
	"lakeserver/column"
	"lakeserver/format"
	"lakeserver/functions"
	"lakeserver/objstore"
	"lakeserver/table"
	"lakeserver/types"
)

// files opens tables over the files of a store.
type files struct {
	store   objstore.Store
	scratch *parquet.Scratch
}

func (f *files) function() functions.TableFunction {
	return functions.TableFunction{
		Name: "file", Open: f.open,
		Doc: functions.Doc{
			Syntax:  "file(path[, format[, structure[, compression]]])",
			Summary: "The rows of the files that a path or pattern names, within the folder of user files.",
		},
	}
}

// fileArgs gives the words of file(…); "auto" becomes "".
func fileArgs(req *functions.OpenRequest) (words [4]string, err error) {
	if len(req.Args) == 0 || len(req.Args) > len(words) {
		return words, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "The signature of table function file shall be one of: (filename), (filename, format), (filename, format, structure), (filename, format, structure, compression_method)")
	}
	for i, a := range req.Args {
		text, ok := a.Value.(string)
		if a.Ident != "" && a.Key == "" {
			text, ok = a.Ident, true
		}
		if !ok || a.Key != "" {
			return words, cherr.New(cherr.BadArguments, "Argument %d of table function file must be a constant string", i+1)
		}
		if i > 0 && strings.EqualFold(text, "auto") {
			text = ""
		}
		words[i] = text
	}
	return words, nil
}

func (f *files) open(ctx context.Context, env *functions.Env, req *functions.OpenRequest) (table.Table, error) {
	words, err := fileArgs(req)
	if err != nil {
		return nil, err
	}
	t := &fileTable{files: f}
	if t.options, err = format.NewOptions(env.Settings, env.Zone); err != nil {
		return nil, err
	}
	if t.method, err = compression(words[3]); err != nil {
		return nil, err
	}
	objects, glob, err := expand(ctx, f.store, words[0])
	if err != nil {
		return nil, err
	}
	t.objects = objects
	if !glob && words[2] == "" {
		// what is to be looked into must be there; else reading says it
		if t.objects[0], err = f.store.Stat(ctx, words[0]); err != nil {
			if cherr.Is(err, cherr.FileDoesntExist) {
				err = cherr.New(cherr.CannotStat, "Cannot stat file %s: No such file or directory. The table structure cannot be extracted", absolute(f.store, words[0]))
			}
			return nil, err
		}
	} else if !glob {
		if o, err := f.store.Stat(ctx, words[0]); err == nil {
			t.objects[0] = o
		} else if !cherr.Is(err, cherr.FileDoesntExist) {
			return nil, err
		}
	}
	if err := t.choose(ctx, words[0], words[1]); err != nil {
		return nil, err
	}
	if words[2] != "" {
		t.header, err = format.ParseStructure(words[2])
	} else {
		t.header, err = t.infer(ctx)
	}
	return t, err
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
	if f, err := format.Lookup(ext); err == nil && f.NewReader != nil {
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
		r, err := t.reader(ctx, o.Path)
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
		r, err := t.reader(ctx, o.Path)
		if err != nil {
			return nil, err
		}
		if _, err := r.Peek(1); err == io.EOF {
			r.Close()
			last = cherr.New(cherr.CannotExtractTableStructure, "The table structure cannot be extracted from a %s format file: the file is empty. You can specify the structure manually: (in file/uri %s)", t.format.Name, absolute(t.files.store, o.Path))
			continue
		}
		h, err := t.format.Infer(ctx, r.Reader, t.options)
		r.Close()
		if err != nil {
			return nil, cherr.Wrap(err, "(in file/uri %s)", absolute(t.files.store, o.Path))
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
	files   *files
	format  *format.Format
	options *format.Options
	method  string // of compression, "" by each file's ending
	objects []objstore.Object
	header  column.Header
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
		return column.FromValue(v.Type, absolute(t.files.store, o.Path), n)
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
func (t *fileTable) reader(ctx context.Context, p string) (*openDocument, error) {
	f, err := t.files.store.Open(ctx, p)
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
