package tablefunc

import (
	"context"
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/format"
	"lakeserver/functions/storage"
	"lakeserver/objstore"
	"lakeserver/table"
)

// forRows makes the table one that rows of a header are written to: the
// structure is theirs unless the arguments give one, and no file need be there.
func (t *fileTable) forRows(ctx context.Context, src *storage.Source, h column.Header) (err error) {
	if t.header = h; src.Structure != "" {
		if t.header, err = format.ParseStructure(src.Structure); err != nil {
			return err
		}
	}
	name := src.Format
	if name == "" {
		name = formatOf(src.Path)
	}
	if name != "" {
		t.format, err = format.Lookup(name)
		return err
	}
	if err := t.find(ctx, src); err != nil {
		return err
	}
	return t.choose(ctx, src.Path, "")
}

// partitionID stands in a path for the value of PARTITION BY.
const partitionID = "{_partition_id}"

// Append implements table.Appender: one file, visible once Commit is done.
func (t *fileTable) Append(ctx context.Context, columns []string) (table.Sink, error) {
	return t.newSink(ctx, t.path, columns)
}

func (t *fileTable) newSink(ctx context.Context, p string, columns []string) (*fileSink, error) {
	switch {
	case t.format.NewWriter == nil:
		return nil, cherr.New(cherr.FormatIsNotSuitableForOutput, "Format %s is not suitable for output", t.format.Name)
	case strings.ContainsAny(p, "*?{"):
		return nil, cherr.New(cherr.DatabaseAccessDenied, "Path '%s' contains globs, so the table is in readonly mode", p)
	}
	s := &fileSink{t: t}
	for _, f := range t.header {
		s.from = append(s.from, slices.Index(columns, f.Name))
	}
	var err error
	s.place, err = t.vacant(ctx, p)
	return s, err
}

// place is where a file is written, and how.
type place struct {
	path  string
	put   objstore.PutOptions
	prior objstore.Object // whose bytes stand before the new ones; Size 0: none
}

// vacant says where rows for a path go: to a new file, behind or in the place
// of what there is, as the settings say.
func (t *fileTable) vacant(ctx context.Context, p string) (place, error) {
	truncate, several := "engine_file_truncate_on_insert", "engine_file_allow_create_multiple_files"
	far := objstore.Identity(t.store) != ""
	if far {
		truncate, several = "s3_truncate_on_insert", "s3_create_new_file_on_insert"
	}
	o, err := t.store.Stat(ctx, p)
	switch {
	case cherr.Is(err, cherr.FileDoesntExist):
		return place{path: p, put: objstore.PutOptions{IfAbsent: true}}, nil
	case err != nil:
		return place{}, err
	case t.options.Settings.Bool(truncate):
		return place{path: p}, nil
	case !far && (o.Size == 0 || !t.format.Closed):
		return place{path: p, put: objstore.PutOptions{IfMatch: o.ETag}, prior: o}, nil
	case t.options.Settings.Bool(several):
		p, err := t.next(ctx, p)
		return place{path: p, put: objstore.PutOptions{IfAbsent: true}}, err
	case far:
		return place{}, cherr.New(cherr.BadArguments, "Object %s already exists. If you want to overwrite it, enable setting %s, if you want to create a new file on each insert, enable setting %s", p, truncate, several)
	}
	return place{}, cherr.New(cherr.CannotAppendToFile, "File %s already exists and data cannot be appended to this file as the %s format doesn't support appends. You can enable truncate on insertion with the `%s` setting, or you can configure ClickHouse to create a new file on each insert by enabling the setting `%s`.",
		absolute(t.store, p), t.format.Name, truncate, several)
}

// next gives the first of x.1.ext, x.2.ext … that is not there.
func (t *fileTable) next(ctx context.Context, p string) (string, error) {
	dir, base := path.Split(p)
	stem, ext := base, ""
	if dot := strings.IndexByte(base, '.'); dot >= 0 {
		stem, ext = base[:dot], base[dot:]
	}
	for n := 1; ; n++ {
		p := dir + stem + "." + strconv.Itoa(n) + ext
		_, err := t.store.Stat(ctx, p)
		if cherr.Is(err, cherr.FileDoesntExist) {
			return p, nil
		}
		if err != nil {
			return "", err
		}
	}
}

// fileSink writes one file.
type fileSink struct {
	t     *fileTable
	from  []int // column of the structure → place in the blocks, -1: not given
	place place
	out   *outFile // nil until there is a row, or none is to come
	done  bool
}

// Write implements table.Sink.
func (s *fileSink) Write(ctx context.Context, b *column.Block) (err error) {
	if s.out == nil {
		if s.out, err = s.t.create(ctx, s.place); err != nil {
			return err
		}
	}
	out := &column.Block{Rows: b.Rows, Columns: make([]column.Column, len(s.from))}
	for i, at := range s.from {
		if at < 0 {
			out.Columns[i] = column.NewConst(column.Default(s.t.header[i].Type, 1), b.Rows)
		} else {
			out.Columns[i] = b.Columns[at]
		}
	}
	return s.where(s.out.rows.Write(column.FullBlock(out)))
}

func (s *fileSink) where(err error) error {
	return cherr.Wrap(err, "writing %s", absolute(s.t.store, s.place.path))
}

// Commit implements table.Sink. Without a row there is a file all the same.
func (s *fileSink) Commit(ctx context.Context) (err error) {
	if s.done {
		return nil
	}
	s.done = true
	if s.out == nil {
		if s.out, err = s.t.create(ctx, s.place); err != nil {
			return err
		}
	}
	err = s.out.finish()
	if errors.Is(err, objstore.ErrExists) || errors.Is(err, objstore.ErrChanged) {
		err = cherr.WithCode(cherr.CannotAppendToFile, err, "another insert was first")
	}
	return s.where(err)
}

// Abort implements table.Sink.
func (s *fileSink) Abort(context.Context) error {
	if s.out != nil && !s.done {
		s.out.abort(context.Canceled)
	}
	s.done = true
	return nil
}
