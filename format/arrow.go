package format

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"lakeserver/cherr"
	"lakeserver/column"
)

var (
	_ = add(Format{
		Name: "Arrow", ContentType: bytesType, Closed: true, SubsetOfColumns: true,
		NewWriter: func(w io.Writer, h column.Header, o *Options) (Writer, error) {
			return newArrowWriter(w, h, o, func(w io.Writer, opt ...ipc.Option) (arrowSink, error) { return ipc.NewFileWriter(w, opt...) })
		},
		NewReader: func(r *bufio.Reader, h column.Header, o *Options) (Reader, error) {
			return &arrowReader{r: r, fit: newFitter(h, o), file: true}, nil
		},
		Infer: func(_ context.Context, r *bufio.Reader, o *Options) (column.Header, error) {
			a := &arrowReader{r: r, file: true}
			defer a.Close()
			return a.header()
		},
	})
	_ = add(Format{
		Name: "ArrowStream", ContentType: bytesType, Closed: true, SubsetOfColumns: true,
		NewWriter: func(w io.Writer, h column.Header, o *Options) (Writer, error) {
			return newArrowWriter(w, h, o, func(w io.Writer, opt ...ipc.Option) (arrowSink, error) {
				return ipc.NewWriter(w, opt...), nil
			})
		},
		NewReader: func(r *bufio.Reader, h column.Header, o *Options) (Reader, error) {
			return &arrowReader{r: r, fit: newFitter(h, o)}, nil
		},
		Infer: func(_ context.Context, r *bufio.Reader, o *Options) (column.Header, error) {
			a := &arrowReader{r: r}
			defer a.Close()
			return a.header()
		},
	})
)

type arrowSink interface {
	Write(rec arrow.RecordBatch) error
	Close() error
}

type arrowWriter struct {
	h      column.Header
	schema *arrow.Schema
	out    arrowSink
}

func newArrowWriter(w io.Writer, h column.Header, o *Options, open func(io.Writer, ...ipc.Option) (arrowSink, error)) (Writer, error) {
	schema, err := arrowSchema(h, o)
	if err != nil {
		return nil, err
	}
	opt := []ipc.Option{ipc.WithSchema(schema)}
	switch m := o.Settings.Get("output_format_arrow_compression_method"); m {
	case "", "none":
	case "lz4_frame":
		opt = append(opt, ipc.WithLZ4())
	case "zstd":
		opt = append(opt, ipc.WithZstd())
	default:
		return nil, cherr.New(cherr.BadArguments, "Unexpected value of ArrowCompression: '%s'. Must be one of ['none', 'lz4_frame', 'zstd']", m)
	}
	out, err := open(w, opt...)
	if err != nil {
		return nil, arrowFailed(err)
	}
	return &arrowWriter{h: h, schema: schema, out: out}, nil
}

func arrowFailed(err error) error {
	return cherr.WithCode(cherr.UnknownException, err, "Error in Arrow data")
}

func (a *arrowWriter) Write(b *column.Block) error {
	cols := make([]arrow.Array, len(a.h))
	for i, f := range a.h {
		d, err := toArrow(f.Type, a.schema.Field(i).Type, b.Columns[i])
		if err != nil {
			return cherr.Wrap(err, "writing column %s", f.Name)
		}
		cols[i] = array.MakeFromData(d)
	}
	return arrowFailed(a.out.Write(array.NewRecordBatch(a.schema, cols, int64(b.Rows))))
}

func (a *arrowWriter) Totals(*column.Block) error   { return nil }
func (a *arrowWriter) Extremes(*column.Block) error { return nil }
func (a *arrowWriter) Finish(Statistics) error      { return arrowFailed(a.out.Close()) }

// arrowReader reads record batches of a stream or, held in memory, of a file.
type arrowReader struct {
	r      *bufio.Reader
	fit    *fitter
	file   bool
	stream *ipc.Reader
	whole  *ipc.FileReader
	next   int
	h      column.Header
}

func (a *arrowReader) header() (column.Header, error) {
	if a.h != nil {
		return a.h, nil
	}
	var schema *arrow.Schema
	if a.file {
		data, err := io.ReadAll(a.r)
		if err != nil {
			return nil, err
		}
		if a.whole, err = ipc.NewFileReader(bytes.NewReader(data)); err != nil {
			return nil, badArrow(err)
		}
		schema = a.whole.Schema()
	} else {
		var err error
		if a.stream, err = ipc.NewReader(a.r, ipc.WithDelayReadSchema(false)); err != nil {
			return nil, badArrow(err)
		}
		schema = a.stream.Schema()
	}
	for _, f := range schema.Fields() {
		t, err := typeOfArrow(f)
		if err != nil {
			return nil, err
		}
		a.h = append(a.h, column.Field{Name: f.Name, Type: t})
	}
	return a.h, nil
}

func badArrow(err error) error {
	return cherr.WithCode(cherr.IncorrectData, err, "Error while reading Arrow data")
}

// record gives the next batch, nil at the end. Arrow's decoder panics at some
// damaged inputs.
func (a *arrowReader) record() (rec arrow.RecordBatch, err error) {
	defer func() {
		if v := recover(); v != nil {
			rec, err = nil, cherr.New(cherr.IncorrectData, "Error while reading Arrow data: %v", v)
		}
	}()
	if a.file {
		if a.next >= a.whole.NumRecords() {
			return nil, nil
		}
		a.next++
		rec, err = a.whole.RecordBatch(a.next - 1)
		return rec, badArrow(err)
	}
	if a.stream.Next() {
		return a.stream.RecordBatch(), nil
	}
	if err := a.stream.Err(); err != nil && !errors.Is(err, io.EOF) {
		return nil, badArrow(err)
	}
	return nil, nil
}

func (a *arrowReader) Next(ctx context.Context) (*column.Block, error) {
	if _, err := a.r.Peek(1); err == io.EOF && a.h == nil {
		return nil, nil
	}
	h, err := a.header()
	if err != nil {
		return nil, err
	}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rec, err := a.record()
		if err != nil || rec == nil {
			return nil, err
		}
		b := &column.Block{Rows: int(rec.NumRows())}
		for i := range h {
			c, err := fromArrow(rec.Column(i), rec.Schema().Field(i).Nullable)
			if err != nil {
				return nil, cherr.Wrap(err, "reading Arrow column '%s'", h[i].Name)
			}
			b.Columns = append(b.Columns, c)
		}
		if b.Rows > 0 {
			return a.fit.block(h, b)
		}
	}
}

func (a *arrowReader) Missing() [][]uint8 { return a.fit.missing }

// Close frees the decoder.
func (a *arrowReader) Close() error {
	if a.stream != nil {
		a.stream.Release()
	}
	if a.whole != nil {
		return a.whole.Close()
	}
	return nil
}
