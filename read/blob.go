package read

import (
	"context"
	"encoding/binary"
	"hash/crc32"

	"lakeserver/cherr"
	"lakeserver/column"
)

// A file of large objects holds one column of a Paimon table: entries of
// magic, bytes, length and checksum; behind them the entries' lengths as
// differences of variable length, and the length of that list.
const (
	blobMagic       = 1481511375
	blobFooter      = 5  // length of the list, version
	blobFrame       = 16 // magic, length and checksum of an entry
	blobVersion     = 1
	blobNull        = -1
	blobPlaceholder = -2 // the row's value is in an older file
	blobWindow      = 8 << 20
)

// blobFormat reads a file of large objects, which is one unit.
type blobFormat struct {
	f       *fileUnits
	lengths []int64
	offsets []int64
}

func (f *fileUnits) openBlob() error {
	p := &blobFormat{f: f}
	if err := p.index(); err != nil {
		return cherr.Wrap(err, "reading data file %s", f.task.Path)
	}
	src, ok := f.s.req.Source.(*Paimon)
	if !ok {
		return cherr.New(cherr.NotImplemented, "Data file %s has format blob, which only tables of Paimon know", f.task.Path)
	}
	m := paimonColumns{src, f.task.Paimon}
	for slot := range f.s.slots {
		c := &f.s.slots[slot]
		place, stored := m.place(c)
		switch {
		case !stored:
		case place.from != nil && !place.fixed && c.Paimon != nil:
			f.bind[slot].from = 0
		case c.Virtual == VirtualRowID || c.Virtual == VirtualSequence:
		case c.Virtual == VirtualKind: // such tables have no primary key
			f.bind[slot].value = f.absent(c.Type, "+I")
		default:
			f.bind[slot].value = f.absent(c.Type, place.value)
		}
	}
	f.format = p
	f.groups = []rowRange{{rows: int64(len(p.lengths))}}
	return nil
}

func (f *fileUnits) readAt(n int, off int64) ([]byte, error) {
	b := make([]byte, n)
	if got, err := f.file.ReadAt(b, off); got < n {
		return nil, cherr.WithCode(cherr.CannotReadAllData, err, "reading %d bytes at byte %d", n, off)
	}
	return b, nil
}

// index reads the list of lengths.
func (p *blobFormat) index() error {
	size := p.f.obj.Size
	if size < blobFooter {
		return cherr.New(cherr.IncorrectData, "%d bytes are no file of large objects", size)
	}
	foot, err := p.f.readAt(blobFooter, size-blobFooter)
	if err != nil {
		return err
	}
	n := int64(int32(binary.LittleEndian.Uint32(foot)))
	if foot[4] != blobVersion {
		return cherr.New(cherr.NotImplemented, "its version %d is not known", foot[4])
	}
	if n < 0 || n > size-blobFooter {
		return cherr.New(cherr.IncorrectData, "a list of %d bytes does not fit a file of %d", n, size)
	}
	start := size - blobFooter - n
	list, err := p.f.readAt(int(n), start)
	if err != nil {
		return err
	}
	last, at := int64(0), int64(0)
	for len(list) > 0 {
		d, k := binary.Varint(list)
		if k <= 0 {
			return cherr.New(cherr.IncorrectData, "the list of lengths is cut short")
		}
		list = list[k:]
		last += d
		if last != blobNull && last != blobPlaceholder && (last < blobFrame || last > start-at) {
			return cherr.New(cherr.IncorrectData, "entry %d has a length of %d", len(p.lengths), last)
		}
		p.lengths, p.offsets = append(p.lengths, last), append(p.offsets, at)
		at += max(last, 0)
	}
	if at != start || int64(len(p.lengths)) != p.f.task.Records {
		return cherr.New(cherr.IncorrectData, "%d entries take %d of %d bytes, the manifest says %d rows", len(p.lengths), at, start, p.f.task.Records)
	}
	return nil
}

func (p *blobFormat) start(context.Context, *fileUnits, rowRange) (source, error) {
	return &blobSource{p: p}, nil
}

// blobSource gives as many entries at a time as fit a bounded piece of memory.
type blobSource struct {
	p        *blobFormat
	from, to int
}

func (s *blobSource) next(_ context.Context, n int) (int, int64, error) {
	s.from = s.to
	bytes := int64(0)
	for s.to < len(s.p.lengths) && s.to-s.from < n && (s.to == s.from || bytes < blobWindow) {
		bytes += max(s.p.lengths[s.to], 0)
		s.to++
	}
	return s.to - s.from, int64(s.from), nil
}

func (s *blobSource) read(_ context.Context, _ int, sel []uint32) (column.Column, error) {
	rows := sel
	if rows == nil {
		for i := range s.to - s.from {
			rows = append(rows, uint32(i))
		}
	}
	values := make([]string, len(rows))
	null := make([]uint8, len(rows))
	for i, r := range rows {
		at := s.from + int(r)
		switch s.p.lengths[at] {
		case blobNull:
			null[i] = 1
			continue
		case blobPlaceholder:
			return nil, cherr.New(cherr.NotImplemented, "Row %d of data file %s stands for a value in an older file, which is not supported", at, s.p.f.task.Path)
		}
		v, err := s.p.entry(at)
		if err != nil {
			return nil, cherr.Wrap(err, "reading entry %d of data file %s", at, s.p.f.task.Path)
		}
		values[i] = string(v)
	}
	return &column.Nullable{Values: column.NewStr(values...), Null: null}, nil
}

// entry reads one object.
func (p *blobFormat) entry(i int) ([]byte, error) {
	b, err := p.f.readAt(int(p.lengths[i]), p.offsets[i])
	if err != nil {
		return nil, err
	}
	n := len(b)
	switch {
	case binary.LittleEndian.Uint32(b) != blobMagic:
		return nil, cherr.New(cherr.IncorrectData, "it does not begin as a large object")
	case int64(binary.LittleEndian.Uint64(b[n-12:])) != p.lengths[i]:
		return nil, cherr.New(cherr.IncorrectData, "it says that it has %d bytes, the list %d", binary.LittleEndian.Uint64(b[n-12:]), p.lengths[i])
	case p.f.s.req.Options.VerifyChecksums && crc32.ChecksumIEEE(b[:n-4]) != binary.LittleEndian.Uint32(b[n-4:]):
		return nil, cherr.New(cherr.ChecksumDoesntMatch, "its checksum is another")
	}
	return b[4 : n-12], nil
}

func (s *blobSource) close() {}
