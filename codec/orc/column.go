package orc

import (
	"time"

	"lakeserver/cherr"
)

// Kinds of streams.
const (
	streamPresent = iota
	streamData
	streamLength
	streamDictionary
	_
	streamSecondary
)

type streamKey struct{ column, kind uint64 }

// decoder decodes one stripe.
type decoder struct {
	f         *file
	zone      *time.Location // in which timestamps were written
	streams   map[streamKey][]byte
	encodings []encoding
}

type encoding struct{ kind, dictionary uint64 }

// footer finds the stripe's streams, which lie one behind the other.
func (d *decoder) footer(raw []byte, s *stripe) error {
	m := message{data: raw}
	at, end := s.offset, s.offset+s.index+s.data
	for {
		field, _, data := m.next()
		if field == 0 {
			break
		}
		switch field {
		case 1:
			var kind, column, length uint64
			if err := fields(data, map[int]*uint64{1: &kind, 2: &column, 3: &length}); err != nil {
				return err
			}
			if length > end-at {
				return damaged("a stream reaches behind its stripe")
			}
			if kind <= streamSecondary {
				plain, err := d.f.plain(d.f.data[at : at+length])
				if err != nil {
					return err
				}
				d.streams[streamKey{column, kind}] = plain
			}
			at += length
		case 2:
			var e encoding
			if err := fields(data, map[int]*uint64{1: &e.kind, 2: &e.dictionary}); err != nil {
				return err
			}
			d.encodings = append(d.encodings, e)
		case 3:
			if z, err := time.LoadLocation(string(data)); err == nil {
				d.zone = z
			}
		}
	}
	if m.bad || len(d.encodings) != len(d.f.types) {
		return damaged("the footer of a stripe makes no sense")
	}
	return nil
}

// column gives n values of a column, nil for NULL.
func (d *decoder) column(c uint64, n int) ([]any, error) {
	present, err := d.present(c, n)
	if err != nil {
		return nil, err
	}
	some := n
	if present != nil {
		some = 0
		for _, p := range present {
			if p {
				some++
			}
		}
	}
	values, err := d.values(c, some)
	if err != nil || present == nil {
		return values, err
	}
	out := make([]any, n)
	at := 0
	for i, p := range present {
		if p {
			out[i] = values[at]
			at++
		}
	}
	return out, nil
}

func (d *decoder) present(c uint64, n int) ([]bool, error) {
	data, ok := d.streams[streamKey{c, streamPresent}]
	if !ok {
		// Every value takes something in a stream, so that a count cannot be more
		// than what damage may claim; structs alone take nothing.
		if n < 0 || n > maxRows {
			return nil, damaged("a stripe has more rows than stripes have")
		}
		return nil, nil
	}
	return bools(data, n)
}

// maxRows bounds the rows of a stripe, and the elements of its lists.
const maxRows = 1 << 26

func (d *decoder) values(c uint64, n int) ([]any, error) { // long: one case a type
	t := &d.f.types[c]
	data := d.streams[streamKey{c, streamData}]
	switch t.kind {
	case kindBoolean:
		v, err := bools(data, n)
		return anys(v, err)
	case kindByte:
		v, err := byteRuns(data, n)
		out := make([]any, len(v))
		for i, b := range v {
			out[i] = int64(int8(b))
		}
		return out, err
	case kindShort, kindInt, kindLong, kindDate:
		v, err := d.integers(c, data, n, true)
		return anys(v, err)
	case kindString, kindBinary, kindVarchar, kindChar:
		v, err := d.texts(c, data, n)
		return anys(v, err)
	case kindTimestamp, kindInstant:
		return d.timestamps(c, data, n)
	case kindStruct:
		return d.structs(t, n)
	case kindList:
		return d.lists(c, t, n)
	}
	return nil, cherr.New(cherr.NotImplemented, "ORC columns of kind %d cannot be read", t.kind)
}

func anys[T any](values []T, err error) ([]any, error) {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out, err
}

func (d *decoder) structs(t *node, n int) ([]any, error) {
	parts := make([][]any, len(t.children))
	for i, child := range t.children {
		var err error
		if parts[i], err = d.column(child, n); err != nil {
			return nil, err
		}
	}
	out := make([]any, n)
	for r := range out {
		rec := make(Record, len(parts))
		for i, p := range parts {
			rec[t.names[i]] = p[r]
		}
		out[r] = rec
	}
	return out, nil
}

func (d *decoder) lists(c uint64, t *node, n int) ([]any, error) {
	lengths, err := d.integers(c, d.streams[streamKey{c, streamLength}], n, false)
	if err != nil {
		return nil, err
	}
	total := int64(0)
	for _, l := range lengths {
		if total += l; l < 0 || total > maxRows {
			return nil, damaged("a list has more elements than lists have")
		}
	}
	elems, err := d.column(t.children[0], int(total))
	if err != nil {
		return nil, err
	}
	out := make([]any, n)
	for i, l := range lengths {
		out[i] = elems[:l:l]
		elems = elems[l:]
	}
	return out, nil
}

func (d *decoder) texts(c uint64, data []byte, n int) ([]string, error) {
	e := d.encodings[c]
	lengths := d.streams[streamKey{c, streamLength}]
	if e.kind == 0 || e.kind == 2 { // direct
		return d.split(c, data, lengths, n)
	}
	if e.dictionary > maxRows {
		return nil, damaged("a dictionary is larger than dictionaries are")
	}
	words, err := d.split(c, d.streams[streamKey{c, streamDictionary}], lengths, int(e.dictionary))
	if err != nil {
		return nil, err
	}
	index, err := d.integers(c, data, n, false)
	if err != nil {
		return nil, err
	}
	out := make([]string, n)
	for i, at := range index {
		if at < 0 || at >= int64(len(words)) {
			return nil, damaged("a word is not in its dictionary")
		}
		out[i] = words[at]
	}
	return out, nil
}

// split cuts bytes into n texts of the lengths given.
func (d *decoder) split(c uint64, data, lengths []byte, n int) ([]string, error) {
	ls, err := d.integers(c, lengths, n, false)
	if err != nil {
		return nil, err
	}
	out := make([]string, n)
	for i, l := range ls {
		if l < 0 || l > int64(len(data)) {
			return nil, damaged("a text is cut")
		}
		out[i] = string(data[:l])
		data = data[l:]
	}
	return out, nil
}

// timestamps gives the wall clock as milliseconds. Seconds are counted from the
// beginning of 2015 in the zone of the writer; the last digits of the second
// part say how many zeros were cut off.
func (d *decoder) timestamps(c uint64, data []byte, n int) ([]any, error) {
	seconds, err := d.integers(c, data, n, true)
	if err != nil {
		return nil, err
	}
	parts, err := d.integers(c, d.streams[streamKey{c, streamSecondary}], n, false)
	if err != nil {
		return nil, err
	}
	epoch := time.Date(2015, 1, 1, 0, 0, 0, 0, d.zone).Unix()
	out := make([]any, n)
	for i, s := range seconds {
		nanos := parts[i] >> 3
		if zeros := parts[i] & 7; zeros != 0 {
			for range zeros + 1 {
				nanos *= 10
			}
		}
		s += epoch
		if s < 0 && nanos > 999999 {
			s--
		}
		_, offset := time.Unix(s, 0).In(d.zone).Zone()
		if d.f.types[c].kind == kindInstant {
			offset = 0
		}
		out[i] = (s+int64(offset))*1000 + nanos/1e6
	}
	return out, nil
}
