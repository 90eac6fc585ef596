package avro

import (
	"bytes"
	"compress/bzip2"
	"encoding/binary"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"

	"lakeserver/cherr"
)

// File is an open container: its schema, its header's keys, and its blocks one
// after the other. It is used by one goroutine.
type File struct {
	Schema *Schema
	Meta   map[string][]byte
	// Reuse says that a block's bytes are only used until the next one is asked
	// for: its memory is then taken again.
	Reuse bool

	path  string
	r     io.ReaderAt
	size  int64
	pos   int64 // of the next block
	codec string
	sync  [16]byte
	buf   []byte // bytes of the file from bufAt on
	bufAt int64
	whole bool // buf is the whole file
	flate io.ReadCloser
	zstd  *zstd.Decoder
	plain []byte // the last block, when it may be reused
}

// maxBlock bounds a decompressed block: a few kilobytes can claim gigabytes.
const maxBlock = 512 << 20

// OpenBytes reads the header of a container held in memory; blocks without
// compression point into data.
func OpenBytes(path string, data []byte) (*File, error) {
	f := &File{path: path, size: int64(len(data)), buf: data, whole: true}
	return f, f.readHeader()
}

// Open reads the header of a container of size bytes.
func Open(path string, r io.ReaderAt, size int64) (*File, error) {
	f := &File{path: path, r: r, size: size}
	return f, f.readHeader()
}

// Close frees the decompressor.
func (f *File) Close() {
	if f.zstd != nil {
		f.zstd.Close()
		f.zstd = nil
	}
}

func (f *File) fail(format string, args ...any) error {
	return cherr.Wrap(cherr.New(cherr.IncorrectData, format, args...), "reading Avro file %s at byte %d", f.path, f.pos)
}

// bytes gives up to n bytes of the file at an offset: fewer at its end.
func (f *File) bytes(off int64, n int) ([]byte, error) {
	if left := f.size - off; int64(n) > left {
		n = int(max(left, 0))
	}
	if !f.whole && (off < f.bufAt || off+int64(n) > f.bufAt+int64(len(f.buf))) {
		want := min(max(int64(n), 1<<18), f.size-off)
		// A new buffer each time: blocks handed out may point into the old one.
		buf := make([]byte, want)
		if got, err := f.r.ReadAt(buf, off); err != nil && int64(got) < want {
			return nil, cherr.WithCode(cherr.CannotReadAllData, err, "reading Avro file %s at byte %d", f.path, off)
		}
		f.buf, f.bufAt = buf, off
	}
	at := int(off - f.bufAt)
	return f.buf[at : at+n : at+n], nil
}

func (f *File) readHeader() error {
	n := 1 << 16
	for {
		b, err := f.bytes(0, n)
		if err != nil {
			return err
		}
		if len(b) < 4 || string(b[:4]) != "Obj\x01" {
			return cherr.Wrap(cherr.New(cherr.IncorrectData, "it is not an Avro container file"), "reading %s", f.path)
		}
		c := NewCursor(b[4:])
		meta := map[string][]byte{}
		for c.err == nil {
			items := c.Items()
			if items == 0 {
				break
			}
			for ; items > 0 && c.err == nil; items-- {
				key := string(c.Bytes())
				meta[key] = bytes.Clone(c.Bytes())
			}
		}
		sync := c.take(16)
		if c.err != nil && int64(len(b)) < f.size { // a header longer than the first piece
			n *= 4
			continue
		}
		if c.err != nil {
			return cherr.Wrap(c.err, "reading the header of Avro file %s", f.path)
		}
		f.Meta, f.pos = meta, int64(4+c.pos)
		copy(f.sync[:], sync)
		break
	}
	f.codec = string(f.Meta["avro.codec"])
	s, err := ParseSchema(f.Meta["avro.schema"])
	if err != nil {
		return cherr.Wrap(err, "reading the header of Avro file %s", f.path)
	}
	f.Schema = s
	return nil
}

// Next gives the next block's number of values and decompressed bytes; nil,
// without an error, at the end of the file.
func (f *File) Next() (rows int64, data []byte, err error) {
	for {
		if f.pos == f.size {
			return 0, nil, nil
		}
		head, err := f.bytes(f.pos, 20)
		if err != nil {
			return 0, nil, err
		}
		c := NewCursor(head)
		count, size := c.Long(), c.Long()
		if c.err != nil || count < 0 || size < 0 || size > f.size-f.pos-int64(c.pos)-16 {
			return 0, nil, f.fail("block of %d values and %d bytes does not fit the file of %d bytes", count, size, f.size)
		}
		body, err := f.bytes(f.pos+int64(c.pos), int(size)+16)
		if err != nil {
			return 0, nil, err
		}
		if len(body) != int(size)+16 || !bytes.Equal(body[size:], f.sync[:]) {
			return 0, nil, f.fail("block does not end with the file's sync marker")
		}
		plain, err := f.decompress(body[:size])
		if err != nil {
			return 0, nil, cherr.WithCode(cherr.CannotDecompress, err, "reading Avro file %s at byte %d", f.path, f.pos)
		}
		if count > int64(len(plain)) && count > maxEmpty {
			return 0, nil, f.fail("block of %d bytes cannot hold %d values", len(plain), count)
		}
		f.pos += int64(c.pos) + size + 16
		if count > 0 {
			return count, plain, nil
		}
	}
}

func (f *File) decompress(b []byte) ([]byte, error) {
	switch f.codec {
	case "", "null":
		return b, nil
	case "deflate":
		if f.flate == nil {
			f.flate = flate.NewReader(bytes.NewReader(b))
		} else if err := f.flate.(flate.Resetter).Reset(bytes.NewReader(b), nil); err != nil {
			return nil, err
		}
		return f.keep(readBounded(f.flate, f.room(6*len(b))))
	case "snappy":
		return unsnappy(b)
	case "zstandard":
		if f.zstd == nil {
			d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBlock))
			if err != nil {
				return nil, err
			}
			f.zstd = d
		}
		return f.keep(f.zstd.DecodeAll(b, f.room(0)))
	case "bzip2":
		return f.keep(readBounded(bzip2.NewReader(bytes.NewReader(b)), f.room(6*len(b))))
	}
	return nil, cherr.New(cherr.NotImplemented, "Avro codec '%s' is not supported", f.codec)
}

// readBounded is io.ReadAll with a first guess and a limit.
// room gives empty memory for a block of about n bytes.
func (f *File) room(n int) []byte {
	if f.Reuse && f.plain != nil {
		return f.plain[:0]
	}
	return make([]byte, 0, n+512)
}

func (f *File) keep(b []byte, err error) ([]byte, error) {
	f.plain = b
	return b, err
}

func readBounded(r io.Reader, out []byte) ([]byte, error) {
	for {
		if len(out) == cap(out) {
			out = append(out, 0)[:len(out)]
		}
		n, err := r.Read(out[len(out):cap(out)])
		out = out[:len(out)+n]
		switch {
		case err == io.EOF:
			return out, nil
		case err != nil:
			return nil, err
		case len(out) > maxBlock:
			return nil, cherr.New(cherr.TooLargeSizeCompressed, "block is larger than %d bytes", maxBlock)
		}
	}
}

// unsnappy undoes Avro's snappy: the checksum of the plain bytes follows.
func unsnappy(b []byte) ([]byte, error) {
	if len(b) < 4 {
		return nil, cherr.New(cherr.CannotDecompress, "snappy block of %d bytes", len(b))
	}
	body := b[:len(b)-4]
	n, err := snappy.DecodedLen(body)
	if err != nil || n > maxBlock || n > 64*len(body)+64 {
		return nil, cherr.New(cherr.CannotDecompress, "snappy block claims %d bytes", n)
	}
	plain, err := snappy.Decode(nil, body)
	if err != nil {
		return nil, err
	}
	if crc32.ChecksumIEEE(plain) != binary.BigEndian.Uint32(b[len(b)-4:]) {
		return nil, cherr.New(cherr.ChecksumDoesntMatch, "snappy block's checksum does not match")
	}
	return plain, nil
}
