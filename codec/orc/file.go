package orc

import (
	"bytes"
	"io"
	"time"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"lakeserver/cherr"
)

// Record is the values of a struct by name: bool, int64, string (text and
// bytes), []any of a list, Record of a struct, nil for NULL. A timestamp is
// milliseconds of the wall clock that was written.
type Record map[string]any

type file struct {
	data        []byte
	compression uint64
	block       uint64 // bytes that a compressed chunk may grow to
	types       []node
	stripes     []stripe
}

type node struct {
	kind     uint64
	children []uint64
	names    []string
}

type stripe struct {
	offset, index, data, footer, rows uint64
}

// Kinds of types.
const (
	kindBoolean = iota
	kindByte
	kindShort
	kindInt
	kindLong
	kindFloat
	kindDouble
	kindString
	kindBinary
	kindTimestamp
	kindList
	kindMap
	kindStruct
	kindUnion
	kindDecimal
	kindDate
	kindVarchar
	kindChar
	kindInstant
)

// maxBlock bounds a compressed chunk, by the format itself.
const maxBlock = 1 << 23

// Each gives the rows of a file.
func Each(data []byte, row func(Record) error) error {
	f, err := open(data)
	if err != nil {
		return err
	}
	for i := range f.stripes {
		if err := f.stripe(&f.stripes[i], row); err != nil {
			return err
		}
	}
	return nil
}

func open(data []byte) (*file, error) {
	if len(data) < 4 || !bytes.HasPrefix(data, []byte("ORC")) {
		return nil, damaged("it does not begin as one")
	}
	f := &file{data: data}
	end := len(data) - 1
	size := int(data[end])
	if size > end {
		return nil, damaged("the postscript is cut")
	}
	var footer uint64
	m := message{data: data[end-size : end]}
	for {
		field, n, _ := m.next()
		if field == 0 {
			break
		}
		switch field {
		case 1:
			footer = n
		case 2:
			f.compression = n
		case 3:
			f.block = n
		}
	}
	if m.bad || footer > uint64(end-size) || f.block > maxBlock {
		return nil, damaged("the postscript makes no sense")
	}
	raw, err := f.plain(data[end-size-int(footer) : end-size])
	if err != nil {
		return nil, err
	}
	return f, f.readFooter(raw)
}

func (f *file) readFooter(raw []byte) error {
	m := message{data: raw}
	for {
		field, _, data := m.next()
		if field == 0 {
			break
		}
		switch field {
		case 3:
			var s stripe
			if err := fields(data, map[int]*uint64{1: &s.offset, 2: &s.index, 3: &s.data, 4: &s.footer, 5: &s.rows}); err != nil {
				return err
			}
			f.stripes = append(f.stripes, s)
		case 4:
			t := message{data: data}
			var n node
			for {
				field, number, data := t.next()
				if field == 0 {
					break
				}
				switch field {
				case 1:
					n.kind = number
				case 2:
					n.children = numbers(number, data, n.children)
				case 3:
					n.names = append(n.names, string(data))
				}
			}
			m.bad = m.bad || t.bad
			f.types = append(f.types, n)
		}
	}
	if m.bad || len(f.types) == 0 || f.types[0].kind != kindStruct {
		return damaged("the footer makes no sense")
	}
	for i, n := range f.types {
		for _, c := range n.children { // children follow their parent
			if c <= uint64(i) || c >= uint64(len(f.types)) {
				return damaged("a type is its own part")
			}
		}
		if n.kind == kindStruct && len(n.names) != len(n.children) || n.kind == kindList && len(n.children) != 1 {
			return damaged("a type lacks a part")
		}
	}
	return nil
}

// fields reads a message of numbers.
func fields(data []byte, to map[int]*uint64) error {
	m := message{data: data}
	for {
		field, n, _ := m.next()
		if field == 0 {
			break
		}
		if p := to[field]; p != nil {
			*p = n
		}
	}
	if m.bad {
		return damaged("a message is cut")
	}
	return nil
}

// plain undoes the compression of a stream: chunks behind a head of 3 bytes.
func (f *file) plain(data []byte) ([]byte, error) {
	if f.compression == 0 {
		return data, nil
	}
	var out []byte
	for len(data) > 0 {
		if len(data) < 3 {
			return nil, damaged("a chunk is cut")
		}
		head := uint32(data[0]) | uint32(data[1])<<8 | uint32(data[2])<<16
		n := int(head >> 1)
		if n > len(data)-3 {
			return nil, damaged("a chunk is cut")
		}
		chunk := data[3 : 3+n]
		data = data[3+n:]
		if head&1 == 0 {
			var err error
			if chunk, err = f.decompress(chunk); err != nil {
				return nil, err
			}
		}
		out = append(out, chunk...)
	}
	return out, nil
}

func (f *file) decompress(chunk []byte) (out []byte, err error) {
	limit := int64(max(f.block, 1))
	switch f.compression {
	case 1:
		out, err = io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(chunk)), limit+1))
	case 2:
		if n, bad := snappy.DecodedLen(chunk); bad != nil || int64(n) > limit {
			return nil, damaged("a chunk is larger than chunks are")
		}
		out, err = snappy.Decode(nil, chunk)
	case 4:
		out = make([]byte, limit)
		var n int
		n, err = lz4.UncompressBlock(chunk, out)
		out = out[:max(n, 0)]
	case 5:
		var d *zstd.Decoder
		if d, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(limit))); err == nil {
			out, err = d.DecodeAll(chunk, nil)
			d.Close()
		}
	default:
		return nil, cherr.New(cherr.NotImplemented, "ORC files of compression %d cannot be read", f.compression)
	}
	if err != nil || int64(len(out)) > limit {
		return nil, damaged("a chunk cannot be decompressed")
	}
	return out, nil
}

// stripe gives the rows of one stripe.
func (f *file) stripe(s *stripe, row func(Record) error) error {
	n := uint64(len(f.data))
	if s.offset > n || s.index > n || s.data > n || s.footer > n || s.offset+s.index+s.data+s.footer > n {
		return damaged("a stripe reaches behind the end")
	}
	raw, err := f.plain(f.data[s.offset+s.index+s.data : s.offset+s.index+s.data+s.footer])
	if err != nil {
		return err
	}
	d := &decoder{f: f, zone: time.UTC, streams: map[streamKey][]byte{}}
	if err := d.footer(raw, s); err != nil {
		return err
	}
	rows, err := d.column(0, int(s.rows))
	if err != nil {
		return err
	}
	for _, r := range rows {
		rec, ok := r.(Record)
		if !ok {
			return damaged("a row is NULL")
		}
		if err := row(rec); err != nil {
			return err
		}
	}
	return nil
}
