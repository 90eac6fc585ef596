package format

import (
	"bufio"
	"context"
	"io"

	"lakeserver/column"
)

var _ = add(Format{
	Name: "Null", ContentType: plainText,
	NewWriter: func(io.Writer, column.Header, *Options) (Writer, error) { return nothing{}, nil },
	NewReader: func(*bufio.Reader, column.Header, *Options) (Reader, error) { return nothing{}, nil },
})

// nothing writes and reads no rows.
type nothing struct{}

func (nothing) Write(*column.Block) error                   { return nil }
func (nothing) Totals(*column.Block) error                  { return nil }
func (nothing) Extremes(*column.Block) error                { return nil }
func (nothing) Finish(Statistics) error                     { return nil }
func (nothing) Next(context.Context) (*column.Block, error) { return nil, nil }
func (nothing) Missing() [][]uint8                          { return nil }
func (nothing) Close() error                                { return nil }
