package exec

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"os"

	"lakeserver/cherr"
	"lakeserver/codec/native"
	"lakeserver/column"
)

// spillLimit is from how many bytes on an operator puts what it holds into
// temporary files: the setting named, or a share of what the query may use;
// 0 is never.
func spillLimit(opt Options, bytes, ratio string) int64 {
	if opt.TempDir == "" {
		return 0
	}
	limit := int64(min(opt.Settings.Uint(bytes), 1<<62))
	if r := opt.Settings.Float(ratio); r > 0 {
		if most := opt.Memory.LeastLimit(); most > 0 {
			if share := int64(r * float64(most)); limit == 0 || share < limit {
				limit = share
			}
		}
	}
	return limit
}

// spillFile is blocks of one header on disk: first written, then read. The file
// has no name: it is gone with its handle, however the server ends.
type spillFile struct {
	header column.Header
	f      *os.File
	r      *bufio.Reader
	blocks int // not read yet
	rows   int64
}

const spillBuffer = 1 << 16

func newSpillFile(dir string, h column.Header) (*spillFile, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, cherr.WithCode(cherr.CannotOpenFile, err, "making the folder of temporary files")
	}
	f, err := os.CreateTemp(dir, "spill-")
	if err != nil {
		return nil, cherr.WithCode(cherr.CannotOpenFile, err, "making a temporary file")
	}
	if err := os.Remove(f.Name()); err != nil {
		_ = f.Close() // the first error is the one to tell
		return nil, cherr.WithCode(cherr.CannotOpenFile, err, "making a temporary file")
	}
	return &spillFile{header: h, f: f}, nil
}

// write appends a block, in parts that are read back one at a time.
func (s *spillFile) write(b *column.Block) error {
	for from := 0; from < b.Rows; from += column.MaxBlockRows {
		part := b.Slice(from, min(from+column.MaxBlockRows, b.Rows))
		buf := binary.AppendUvarint(nil, uint64(part.Rows))
		for i, c := range part.Columns {
			var err error
			if buf, err = native.AppendColumn(buf, s.header[i].Type, c); err != nil {
				return cherr.Wrap(err, "writing a temporary file")
			}
		}
		if _, err := s.f.Write(buf); err != nil {
			return cherr.WithCode(cherr.CannotWriteToFileDescriptor, err, "writing a temporary file")
		}
		s.blocks++
		s.rows += int64(part.Rows)
	}
	return nil
}

// rewind ends writing and begins reading.
func (s *spillFile) rewind() error {
	if _, err := s.f.Seek(0, io.SeekStart); err != nil {
		return cherr.WithCode(cherr.CannotReadFromFileDescriptor, err, "reading a temporary file")
	}
	s.r = bufio.NewReaderSize(s.f, spillBuffer)
	return nil
}

// Next gives the blocks in the order in which they were written.
func (s *spillFile) Next(ctx context.Context) (*column.Block, error) {
	if s.blocks == 0 {
		return nil, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.r == nil {
		if err := s.rewind(); err != nil {
			return nil, err
		}
	}
	s.blocks--
	rows, err := binary.ReadUvarint(s.r)
	if err != nil {
		return nil, cherr.WithCode(cherr.CannotReadFromFileDescriptor, err, "reading a temporary file")
	}
	b := &column.Block{Rows: int(rows), Columns: make([]column.Column, len(s.header))}
	for i, f := range s.header {
		if b.Columns[i], err = native.ReadColumn(s.r, f.Type, b.Rows); err != nil {
			return nil, cherr.Wrap(err, "reading a temporary file")
		}
	}
	return b, nil
}

// Close lets the file go; it may be called again.
func (s *spillFile) Close() error {
	if s.f == nil {
		return nil
	}
	err := s.f.Close()
	s.f, s.r, s.blocks = nil, nil, 0
	return err
}
