package format

import (
	"bufio"
	"context"
	"io"
	"strings"
	"time"

	"lakeserver/cherr"
	"lakeserver/column"
)

// Writer turns blocks into one document. Write may be called any number of
// times, then Totals and Extremes once each where the query has them, then
// Finish. Bytes reach the io.Writer during these calls. One goroutine at a time.
type Writer interface {
	Write(b *column.Block) error
	Totals(b *column.Block) error   // one row
	Extremes(b *column.Block) error // two rows: least and greatest
	Finish(s Statistics) error
}

// Statistics is what formats print about the query.
type Statistics struct {
	Elapsed             time.Duration
	RowsRead, BytesRead uint64
	// RowsBeforeLimit counts rows that were there before LIMIT cut; it is
	// printed when HasRowsBeforeLimit.
	RowsBeforeLimit    uint64
	HasRowsBeforeLimit bool
}

// Progress is what formats "WithProgress" print while a query runs.
type Progress struct {
	ReadRows, ReadBytes, TotalRows uint64
	Elapsed                        time.Duration
}

// ProgressWriter is a Writer that also shows progress.
type ProgressWriter interface {
	Progress(p Progress) error
}

// Reader turns a document into blocks of the header that it was made with. It
// is a column.Stream.
type Reader interface {
	column.Stream
	// Missing gives for each column of the block that Next gave last a byte a
	// row: 1 where the document had no value and the column's default is to
	// stand. nil: none was missing.
	Missing() [][]uint8
}

// Format is one entry of the registry.
type Format struct {
	Name        string
	Aliases     []string
	ContentType string
	// NewWriter makes a writer; nil when the format is for input only.
	NewWriter func(w io.Writer, h column.Header, o *Options) (Writer, error)
	// Closed documents have an end: rows cannot be written behind it.
	Closed bool
	// NewReader makes a reader of blocks with header h; nil when the format is
	// for output only.
	NewReader func(r *bufio.Reader, h column.Header, o *Options) (Reader, error)
	// Infer finds the header in a document's beginning; nil when a structure
	// must be given.
	Infer func(ctx context.Context, r *bufio.Reader, o *Options) (column.Header, error)
	// SubsetOfColumns tells that a reader takes columns by name and passes
	// over those that its header does not name.
	SubsetOfColumns bool
}

// Content types that several formats share.
const (
	plainText = "text/plain; charset=UTF-8"
	tsvText   = "text/tab-separated-values; charset=UTF-8"
	csvText   = "text/csv; charset=UTF-8; header="
	jsonText  = "application/json; charset=UTF-8"
	ndjson    = "application/x-ndjson; charset=UTF-8"
	bytesType = "application/octet-stream"
)

// registered is filled while the package's variables are made, one call of add
// a format, and never written to afterwards.
var registered []*Format

func add(f Format) *Format {
	if infer := f.Infer; infer != nil {
		f.Infer = func(ctx context.Context, r *bufio.Reader, o *Options) (column.Header, error) {
			h, err := infer(ctx, r, o)
			if c := cherr.CodeOf(err); err != nil && ctx.Err() == nil && c != cherr.NotImplemented && c != cherr.CannotExtractTableStructure {
				err = cherr.New(cherr.CannotExtractTableStructure, "The table structure cannot be extracted from a %s format file. Error: %s. You can specify the structure manually", f.Name, err)
			}
			return h, err
		}
	}
	registered = append(registered, &f)
	return &f
}

// All gives every format; not to be written to.
func All() []*Format { return registered }

// Lookup finds a format by name or alias, in any case. Error: UNKNOWN_FORMAT.
func Lookup(name string) (*Format, error) {
	for _, f := range registered {
		if strings.EqualFold(f.Name, name) {
			return f, nil
		}
		for _, a := range f.Aliases {
			if strings.EqualFold(a, name) {
				return f, nil
			}
		}
	}
	return nil, cherr.New(cherr.UnknownFormat, "Unknown format %s", name)
}

// OpenWriter makes a writer of the named format.
func OpenWriter(name string, w io.Writer, h column.Header, o *Options) (Writer, error) {
	f, err := Lookup(name)
	if err != nil {
		return nil, err
	}
	if f.NewWriter == nil {
		return nil, cherr.New(cherr.FormatIsNotSuitableForOutput, "Format %s is not suitable for output", f.Name)
	}
	return f.NewWriter(w, h, o)
}

// OpenReader makes a reader of the named format.
func OpenReader(name string, r io.Reader, h column.Header, o *Options) (Reader, error) {
	f, err := Lookup(name)
	if err != nil {
		return nil, err
	}
	if f.NewReader == nil {
		return nil, cherr.New(cherr.FormatIsNotSuitableForInput, "Format %s is not suitable for input", f.Name)
	}
	return f.NewReader(buffered(r), h, o)
}

func buffered(r io.Reader) *bufio.Reader {
	if b, ok := r.(*bufio.Reader); ok {
		return b
	}
	return bufio.NewReaderSize(r, 1<<16)
}
