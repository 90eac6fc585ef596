package mysql

import (
	"context"
	"encoding/binary"
	"errors"
	"time"

	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/server"
	"lakeserver/types"
)

// The types of columns.
const (
	typeDecimal  = 0x00
	typeTiny     = 0x01
	typeShort    = 0x02
	typeLong     = 0x03
	typeFloat    = 0x04
	typeDouble   = 0x05
	typeNull     = 0x06
	typeLongLong = 0x08
	typeDate     = 0x0a
	typeTime     = 0x0b
	typeDateTime = 0x0c
	typeYear     = 0x0d
	typeString   = 0xfe
)

// The flags of columns.
const (
	flagUnsigned = 0x20
	flagBinary   = 0x80
)

// binaryCharset is the character set of what is no text.
const binaryCharset = 63

// definition is a column as clients see it.
type definition struct {
	kind     byte
	flags    uint16
	charset  uint16
	decimals byte
}

// describe gives a type's definition, as ClickHouse does, but for the
// decimals of DateTime64: with ClickHouse's 0 some drivers cut the fraction.
func describe(t *types.Type) definition { // long: one case a kind
	num := func(kind byte, flags uint16) definition {
		return definition{kind: kind, flags: flags | flagBinary, charset: binaryCharset}
	}
	switch t = types.Unwrap(t); t.Kind() {
	case types.KindUInt8, types.KindBool:
		return num(typeTiny, flagUnsigned)
	case types.KindUInt16:
		return num(typeShort, flagUnsigned)
	case types.KindUInt32:
		return num(typeLong, flagUnsigned)
	case types.KindUInt64:
		return num(typeLongLong, flagUnsigned)
	case types.KindInt8:
		return num(typeTiny, 0)
	case types.KindInt16:
		return num(typeShort, 0)
	case types.KindInt32:
		return num(typeLong, 0)
	case types.KindInt64:
		return num(typeLongLong, 0)
	case types.KindFloat32, types.KindFloat64:
		d := num(typeFloat, 0)
		if t.Kind() == types.KindFloat64 {
			d.kind = typeDouble
		}
		d.decimals = 31
		return d
	case types.KindDate, types.KindDate32:
		return num(typeDate, 0)
	case types.KindDateTime:
		return num(typeDateTime, 0)
	case types.KindDateTime64:
		d := num(typeDateTime, 0)
		d.decimals = 6
		return d
	}
	// MySQL's Decimal has at most 65 digits, 30 of them behind the point.
	if t.IsDecimal() && t.Precision() <= 65 && t.Scale() <= 30 {
		return num(typeDecimal, 0)
	}
	return definition{kind: typeString, charset: utf8mb4}
}

// appendDefinition appends a column's definition packet.
func appendDefinition(b []byte, schema, table, name, orgName string, d definition) []byte {
	b = appendText(b, "def")
	b = appendText(b, schema)
	b = appendText(b, table)
	b = appendText(b, table)
	b = appendText(b, name)
	b = appendText(b, orgName)
	b = append(b, 12)
	b = binary.LittleEndian.AppendUint16(b, d.charset)
	b = append(b, 0, 0, 0, 0, d.kind)
	b = binary.LittleEndian.AppendUint16(b, d.flags)
	return append(b, d.decimals, 0, 0)
}

// errEnough ends a result that SQL_SELECT_LIMIT cuts.
var errEnough = errors.New("enough rows")

// rows sends a result. Up to the first block nothing is sent, so that errors
// until then come alone.
func (c *conn) rows(ctx context.Context, r *server.Result, binary bool, status uint16) error {
	o := &text.Options{Zone: zoneOf(r, c.session), True: "1", False: "0"}
	began, left := false, c.limit
	begin := func() error {
		if began {
			return nil
		}
		began = true
		return c.header(r.Header)
	}
	var buf []byte
	err := server.Drain(ctx, r.Stream, func(b *column.Block) error {
		if err := begin(); err != nil {
			return err
		}
		if c.limit > 0 { // SQL_SELECT_LIMIT
			if left == 0 {
				return errEnough
			}
			b = b.Slice(0, int(min(left, uint64(b.Rows))))
			left -= uint64(b.Rows)
		}
		_ = c.raw.SetWriteDeadline(time.Now().Add(writeTime))
		return c.block(b, r.Header, o, binary, &buf)
	}, time.Minute, nil)
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	if b := totals(r); b != nil {
		if err := begin(); err != nil {
			return err
		}
		if err := c.block(b, r.Header, o, binary, &buf); err != nil {
			return err
		}
	}
	if err := begin(); err != nil {
		return err
	}
	return c.eof(status)
}

func totals(r *server.Result) *column.Block {
	if r.Totals == nil {
		return nil
	}
	return r.Totals()
}

func zoneOf(r *server.Result, s server.Session) *time.Location {
	if name := r.Settings.Get("session_timezone"); name != "" {
		if loc, err := time.LoadLocation(name); err == nil {
			return loc
		}
	}
	return s.Zone()
}

func (c *conn) header(h column.Header) error {
	if err := c.send(appendLength(nil, uint64(len(h)))); err != nil {
		return err
	}
	var b []byte
	for _, f := range h {
		b = appendDefinition(b[:0], "", "", f.Name, "", describe(f.Type))
		if err := c.send(b); err != nil {
			return err
		}
	}
	if c.caps&capDeprecateEOF != 0 {
		return nil
	}
	return c.send([]byte{0xfe, 0, 0, statusAutocommit, 0})
}

// block sends a block's rows.
func (c *conn) block(b *column.Block, h column.Header, o *text.Options, binary bool, buf *[]byte) error {
	cells := make([]cell, len(b.Columns))
	for i, col := range b.Columns {
		cells[i] = textCell(h[i].Type, col, o)
		if binary {
			cells[i].put = binaryPut(h[i].Type, cells[i], col)
		}
	}
	for row := range b.Rows {
		*buf = (*buf)[:0]
		if binary {
			*buf = appendBinaryRow(*buf, cells, row)
		} else {
			for i := range cells {
				if cells[i].null(row) {
					*buf = append(*buf, 0xfb)
					continue
				}
				*buf = cells[i].put(*buf, row)
			}
		}
		if err := c.send(*buf); err != nil {
			return err
		}
	}
	return nil
}

// cell writes one row of a column.
type cell struct {
	null  func(row int) bool
	print text.Cell
	put   func(dst []byte, row int) []byte
}

// textCell writes values as length-encoded text.
func textCell(t *types.Type, col column.Column, o *text.Options) cell {
	print := text.Print(t, text.Plain, o, col)
	if types.Unwrap(t).Kind() == types.KindDateTime64 {
		print = micros(print)
	}
	x := cell{null: nulls(col), print: print}
	var one []byte
	x.put = func(dst []byte, row int) []byte {
		one = print(one[:0], row)
		return appendText(dst, one)
	}
	return x
}

// micros brings a time's fraction to the six digits that MySQL's have.
func micros(print text.Cell) text.Cell {
	const whole, point = len("2006-01-02 15:04:05"), len("2006-01-02 15:04:05.")
	return func(dst []byte, row int) []byte {
		from := len(dst)
		dst = print(dst, row)
		if len(dst)-from == whole {
			dst = append(dst, '.')
		}
		for len(dst)-from < point+6 {
			dst = append(dst, '0')
		}
		return dst[:from+point+6]
	}
}

// nulls tells which rows of a column are NULL.
func nulls(c column.Column) func(row int) bool {
	switch x := c.(type) {
	case *column.Const:
		one := nulls(x.Value)(0)
		return func(int) bool { return one }
	case *column.Dict:
		entry := nulls(x.Values)
		return func(row int) bool { return entry(int(x.Codes[row])) }
	case *column.Nullable:
		return x.IsNull
	case *column.Nothing:
		return func(int) bool { return true }
	}
	return func(row int) bool { return column.IsNullAt(c, row) }
}

// discard reads a result to its end.
func discard(ctx context.Context, r *server.Result) error {
	for {
		b, err := r.Stream.Next(ctx)
		if err != nil || b == nil {
			r.Close(err)
			return err
		}
	}
}
