package tablefunc

import (
	"context"
	"io"
	"sync/atomic"

	"lakeserver/cherr"
	"lakeserver/codec/parquet"
	"lakeserver/column"
	"lakeserver/format"
	"lakeserver/objstore"
	"lakeserver/table"
)

// Scan opens streams that take turns at the pieces there are: row groups of
// Parquet files, whole files of all other formats.
func (t *fileTable) Scan(ctx context.Context, req *table.ScanRequest) ([]column.Stream, error) {
	if req.Report == nil {
		req.Report = &table.Report{}
	}
	q := &fileScan{t: t, report: req.Report}
	for i, c := range req.Columns {
		if c >= len(t.header) {
			q.virtual = append(q.virtual, [2]int{i, c - len(t.header)})
			continue
		}
		q.places = append(q.places, i)
		q.columns = append(q.columns, c)
	}
	q.width = len(req.Columns)
	if err := t.readFooters(ctx); err != nil {
		return nil, err
	}
	for _, o := range t.objects {
		if !t.isParquet(o.Path) {
			q.pieces = append(q.pieces, piece{object: o})
			continue
		}
		r, err := t.footer(ctx, o)
		if err != nil {
			return nil, err
		}
		for g := range r.RowGroups() {
			q.pieces = append(q.pieces, piece{o, r, g})
		}
	}
	n := 1
	if !req.PreserveOrder {
		n = max(1, min(req.Streams, len(q.pieces)))
	}
	out := make([]column.Stream, n)
	for i := range out {
		out[i] = &fileStream{fileScan: q}
	}
	return out, nil
}

// piece is what one stream reads at a time.
type piece struct {
	object objstore.Object
	file   *parquet.Reader // nil for other formats
	group  int
}

// fileScan is what the streams of a scan share.
type fileScan struct {
	t       *fileTable
	report  *table.Report
	columns []int    // those of the files
	places  []int    // theirs in the blocks
	virtual [][2]int // place in the blocks, number of the virtual column
	width   int
	pieces  []piece
	next    atomic.Int64
}

// fileStream reads piece after piece.
type fileStream struct {
	*fileScan
	piece piece
	in    column.Stream // of the piece, with the columns of the file; nil between pieces
}

// Next gives the next block, virtual columns filled in.
func (s *fileStream) Next(ctx context.Context) (*column.Block, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if s.in == nil {
			i := s.next.Add(1) - 1
			if i >= int64(len(s.pieces)) {
				return nil, nil
			}
			s.piece = s.pieces[i]
			var err error
			if s.in, err = s.openPiece(ctx); err != nil {
				return nil, s.where(err)
			}
		}
		b, err := s.in.Next(ctx)
		if err != nil {
			return nil, s.where(err)
		}
		if b != nil {
			return s.finish(b), nil
		}
		if err := s.Close(); err != nil {
			return nil, err
		}
	}
}

func (s *fileStream) where(err error) error {
	return cherr.Wrap(err, "(in file/uri %s)", absolute(s.t.store, s.piece.object.Path))
}

func (s *fileStream) finish(b *column.Block) *column.Block {
	s.report.RowsRead.Add(int64(b.Rows))
	s.report.BytesRead.Add(b.Size())
	out := &column.Block{Rows: b.Rows, Columns: make([]column.Column, s.width)}
	for i, p := range s.places {
		out.Columns[p] = b.Columns[i]
	}
	for _, v := range s.virtual {
		out.Columns[v[0]] = s.t.virtual(v[1], s.piece.object, b.Rows)
	}
	return out
}

// Close ends the piece at hand.
func (s *fileStream) Close() error {
	if s.in == nil {
		return nil
	}
	err := s.in.Close()
	s.in = nil
	return err
}

func (s *fileStream) openPiece(ctx context.Context) (column.Stream, error) {
	if s.piece.file != nil {
		return s.openGroup(ctx)
	}
	d, err := s.t.reader(ctx, s.piece.object)
	if err != nil {
		return nil, err
	}
	if _, err := d.Peek(1); err == io.EOF {
		d.Close()
		return column.Blocks(), nil
	}
	h, keep := s.t.header, s.columns
	if s.t.format.SubsetOfColumns && len(s.columns) > 0 {
		h, keep = nil, nil
		for i, c := range s.columns {
			h, keep = append(h, s.t.header[c]), append(keep, i)
		}
	}
	r, err := s.t.format.NewReader(d.Reader, h, s.t.options)
	if err != nil {
		d.Close()
		return nil, err
	}
	return &documentStream{r, keep, d}, nil
}

// documentStream hands out some of a document's columns and closes its file.
type documentStream struct {
	format.Reader
	columns []int
	file    *openDocument
}

// Next gives the next block with the columns asked for.
func (d *documentStream) Next(ctx context.Context) (*column.Block, error) {
	b, err := d.Reader.Next(ctx)
	if b == nil || err != nil {
		return nil, err
	}
	out := &column.Block{Rows: b.Rows}
	for _, i := range d.columns {
		out.Columns = append(out.Columns, b.Columns[i])
	}
	return out, nil
}

// Close ends the reading.
func (d *documentStream) Close() error {
	err := d.Reader.Close()
	d.file.Close()
	return err
}
