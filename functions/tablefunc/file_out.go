package tablefunc

import (
	"context"
	"io"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/format"
	"lakeserver/objstore"
)

// outFile is one that is being written: rows become a format's bytes, are
// compressed and go to the store as they come.
type outFile struct {
	rows    format.Writer
	packed  io.WriteCloser
	pipe    *io.PipeWriter
	put     *cherr.Group
	release func()
}

// create begins a file.
func (t *fileTable) create(ctx context.Context, at place) (*outFile, error) {
	var before objstore.File
	release := func() {}
	if at.prior.Size > 0 {
		f, err := objstore.OpenObject(ctx, t.store, at.prior)
		if err != nil {
			return nil, err
		}
		before, release = f, func() { f.Close() }
	}
	r, w := io.Pipe()
	d := &outFile{pipe: w, release: release}
	d.put, ctx = cherr.NewGroup(ctx)
	d.put.Go(func() error { // ends with the pipe, which finish or abort closes
		body := io.Reader(r)
		if before != nil {
			body = io.MultiReader(io.NewSectionReader(before, 0, at.prior.Size), r)
		}
		_, err := t.store.Put(ctx, at.path, body, at.put)
		r.CloseWithError(err)
		return err
	})
	err := d.open(t, at)
	if err != nil {
		d.abort(err)
		return nil, err
	}
	return d, nil
}

func (d *outFile) open(t *fileTable, at place) (err error) {
	if d.packed, err = compressed(d.pipe, t.methodOf(at.path), t.options.Settings); err != nil {
		return err
	}
	behind := &tail{w: d.packed, quiet: at.prior.Size > 0}
	if d.rows, err = t.format.NewWriter(behind, t.header, t.options); err != nil || !behind.quiet {
		return err
	}
	// The names that some formats begin with are there already.
	none := &column.Block{}
	for _, f := range t.header {
		none.Columns = append(none.Columns, column.Default(f.Type, 0))
	}
	err = d.rows.Write(none)
	behind.quiet = false
	return err
}

// tail passes on what is written once it is not quiet any more.
type tail struct {
	w     io.Writer
	quiet bool
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	if t.quiet {
		return len(p), nil
	}
	return t.w.Write(p)
}

// finish makes the file visible.
func (d *outFile) finish() error {
	err := d.rows.Finish(format.Statistics{})
	if err == nil {
		err = d.packed.Close()
	}
	if err != nil {
		d.abort(err)
		return err
	}
	d.pipe.Close()
	err = d.put.Wait()
	d.release()
	return err
}

// abort gives the file up; cause is why.
func (d *outFile) abort(cause error) {
	d.pipe.CloseWithError(cause)
	_ = d.put.Wait() // it fails with the cause
	d.release()
}
