package format

import (
	"bufio"
	"context"
	"errors"
	"io"

	"lakeserver/codec/native"
	"lakeserver/column"
)

var _ = add(Format{
	Name: "Native", ContentType: bytesType, SubsetOfColumns: true,
	NewWriter: func(w io.Writer, h column.Header, o *Options) (Writer, error) {
		return &nativeWriter{buffer{w: w}, h, o.NativeRevision}, nil
	},
	NewReader: func(r *bufio.Reader, h column.Header, o *Options) (Reader, error) {
		return &nativeReader{r: r, fit: newFitter(h, o)}, nil
	},
	Infer: func(_ context.Context, r *bufio.Reader, _ *Options) (column.Header, error) {
		h, _, err := native.ReadBlock(r, 0)
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return h, err
	},
})

type nativeWriter struct {
	buffer
	h   column.Header
	rev int
}

func (n *nativeWriter) Write(b *column.Block) error {
	if b.Rows == 0 {
		return nil
	}
	var err error
	if n.buf, err = native.AppendBlock(n.buf, n.rev, n.h, b); err != nil {
		return err
	}
	return n.send()
}

func (n *nativeWriter) Totals(*column.Block) error   { return nil }
func (n *nativeWriter) Extremes(*column.Block) error { return nil }
func (n *nativeWriter) Finish(Statistics) error      { return n.send() }

type nativeReader struct {
	r   *bufio.Reader
	fit *fitter
}

func (n *nativeReader) Next(ctx context.Context) (*column.Block, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		h, b, err := native.ReadBlock(n.r, 0)
		switch {
		case errors.Is(err, io.EOF):
			return nil, nil
		case err != nil:
			return nil, err
		case b.Rows == 0:
			continue
		}
		return n.fit.block(h, b)
	}
}

func (n *nativeReader) Missing() [][]uint8 { return n.fit.missing }
func (n *nativeReader) Close() error       { return nil }
