package native

import (
	"bufio"
	"encoding/binary"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// maxColumns and maxName bound what a block may claim before any of it arrived.
const (
	maxColumns = 1 << 20
	maxName    = 1 << 20
	maxRows    = 1 << 40
)

// AppendBlock adds a block's bytes to dst: BlockInfo from its revision on, the
// counts, then every column. b nil writes the header's columns without rows. A
// header and block without columns give the empty block that ends streams.
func AppendBlock(dst []byte, rev int, h column.Header, b *column.Block) ([]byte, error) {
	if rev >= RevBlockInfo {
		dst = append(dst, 1, 0, 2, 0xff, 0xff, 0xff, 0xff, 0)
	}
	rows := 0
	if b != nil {
		rows = b.Rows
	}
	dst = binary.AppendUvarint(dst, uint64(len(h)))
	dst = binary.AppendUvarint(dst, uint64(rows))
	var err error
	for i, f := range h {
		t := wireType(f.Type, rev)
		dst = appendString(dst, f.Name)
		dst = appendString(dst, typeText(t, rev))
		if rev >= RevCustomSerialization {
			dst = append(dst, 0)
		}
		if rows == 0 {
			continue
		}
		if dst, err = AppendColumn(dst, t, b.Columns[i]); err != nil {
			return dst, cherr.Wrap(err, "writing column %s", f.Name)
		}
	}
	return dst, nil
}

// AppendColumn adds prefix and data of a column that has rows.
func AppendColumn(dst []byte, t *types.Type, c column.Column) ([]byte, error) {
	dst = appendPrefix(dst, t, c)
	return appendData(dst, t, c)
}

func appendString(dst []byte, s string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(s)))
	return append(dst, s...)
}

// ReadBlock reads a block. A block without columns has a nil header. At the
// clean end of the input (no byte of a block) it gives io.EOF.
func ReadBlock(r *bufio.Reader, rev int) (column.Header, *column.Block, error) {
	if _, err := r.Peek(1); err != nil {
		return nil, nil, err // the one place where an end is an end
	}
	if rev >= RevBlockInfo {
		if err := readBlockInfo(r); err != nil {
			return nil, nil, err
		}
	}
	cols, err := uvarint(r)
	if err != nil {
		return nil, nil, err
	}
	rows, err := uvarint(r)
	if err != nil {
		return nil, nil, err
	}
	if cols > maxColumns || rows > maxRows {
		return nil, nil, cherr.New(cherr.IncorrectData, "Suspicious size of a block: %d columns, %d rows", cols, rows)
	}
	b := &column.Block{Rows: int(rows)}
	var h column.Header
	for range cols {
		f, c, err := readNamed(r, rev, int(rows))
		if err != nil {
			return nil, nil, err
		}
		h, b.Columns = append(h, f), append(b.Columns, c)
	}
	return h, b, nil
}

func readNamed(r *bufio.Reader, rev, rows int) (column.Field, column.Column, error) {
	name, err := readString(r, maxName)
	if err != nil {
		return column.Field{}, nil, err
	}
	text, err := readString(r, maxName)
	if err != nil {
		return column.Field{}, nil, err
	}
	t, err := types.Parse(text)
	if err != nil {
		return column.Field{}, nil, cherr.Wrap(err, "reading column %s", name)
	}
	k := kinds{}
	if rev >= RevCustomSerialization {
		if k, err = readKinds(r, t); err != nil {
			return column.Field{}, nil, cherr.Wrap(err, "reading column %s", name)
		}
	}
	c := column.Default(t, 0)
	if rows > 0 {
		if c, err = readColumn(r, t, k, rows); err != nil {
			return column.Field{}, nil, cherr.Wrap(err, "reading column %s of type %s", name, text)
		}
	}
	return column.Field{Name: name, Type: t}, c, nil
}

// ReadColumn reads prefix and data of rows > 0 values in default serialisation.
func ReadColumn(r *bufio.Reader, t *types.Type, rows int) (column.Column, error) {
	return readColumn(r, t, kinds{}, rows)
}

func readColumn(r *bufio.Reader, t *types.Type, k kinds, rows int) (column.Column, error) {
	if err := readPrefix(r, t); err != nil {
		return nil, err
	}
	return readData(r, t, k, rows, true)
}

func readBlockInfo(r *bufio.Reader) error {
	for {
		field, err := uvarint(r)
		if err != nil {
			return err
		}
		switch field {
		case 0:
			return nil
		case 1:
			_, err = r.ReadByte()
		case 2:
			_, err = r.Discard(4)
		case 3:
			var n uint64
			if n, err = uvarint(r); err == nil {
				_, err = r.Discard(int(min(n, maxColumns)) * 4)
			}
		default:
			return cherr.New(cherr.UnknownBlockInfoField, "Unknown BlockInfo field number: %d", field)
		}
		if err != nil {
			return torn(err)
		}
	}
}
