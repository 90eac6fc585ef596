package parquet

import "lakeserver/column"

// deltaLength is DELTA_LENGTH_BYTE_ARRAY: all lengths, then all bytes.
type deltaLength struct {
	ints deltaReader
	lens []uint32
	i    int
	data []byte
	at   int
}

func (d *deltaLength) reset(data []byte, n int) (err error) {
	d.i, d.at = 0, 0
	d.lens, d.data, err = d.ints.lengths(d.lens, data, n)
	return err
}

func (d *deltaLength) read(v *vec, n int) (bool, error) {
	if n > len(d.lens)-d.i {
		return false, errPageShort
	}
	start, lns := v.places(n)
	at := d.at
	for i, l := range d.lens[d.i : d.i+n] {
		if int(l) > len(d.data)-at {
			return false, errPageShort
		}
		start[i], lns[i] = uint32(at), l
		at += int(l)
	}
	d.i, d.at = d.i+n, at
	return v.adopt(d.data, n)
}

func (d *deltaLength) skip(n int) error {
	if n > len(d.lens)-d.i {
		return errPageShort
	}
	for _, l := range d.lens[d.i : d.i+n] {
		if int(l) > len(d.data)-d.at {
			return errPageShort
		}
		d.at += int(l)
	}
	d.i += n
	return nil
}

// deltaBytes is DELTA_BYTE_ARRAY: how much of the value before is kept, then
// what follows it. fixed is the length of FIXED_LEN_BYTE_ARRAY values, else 0.
type deltaBytes struct {
	ints     deltaReader
	prefixes []uint32
	suffixes deltaLength
	i        int
	last     []byte
	fixed    int
}

func (d *deltaBytes) reset(data []byte, n int) error {
	prefixes, rest, err := d.ints.lengths(d.prefixes, data, n)
	if err != nil {
		return err
	}
	d.prefixes, d.i, d.last = prefixes, 0, d.last[:0]
	if err := d.suffixes.reset(rest, n); err != nil {
		return err
	}
	if len(d.suffixes.lens) != len(prefixes) {
		return errDelta
	}
	return nil
}

// next gives the next value; it is valid until the next call.
func (d *deltaBytes) next() ([]byte, error) {
	if d.i >= len(d.prefixes) {
		return nil, errPageShort
	}
	p := int(d.prefixes[d.i])
	n := int(d.suffixes.lens[d.i])
	if p > len(d.last) || n > len(d.suffixes.data)-d.suffixes.at {
		return nil, errDelta
	}
	d.last = append(d.last[:p], d.suffixes.data[d.suffixes.at:d.suffixes.at+n]...)
	d.suffixes.at += n
	d.i++
	return d.last, nil
}

func (d *deltaBytes) read(v *vec, n int) (bool, error) {
	if d.fixed > 0 {
		return false, d.readFixed(v, n)
	}
	var s column.Str
	s.Start, s.Lns = make([]uint32, 0, n), make([]uint32, 0, n)
	for range n {
		b, err := d.next()
		if err != nil {
			return false, err
		}
		s.Append(b)
		if len(s.Data) > maxStrBytes {
			return false, errStrBytes
		}
	}
	start, lns := v.places(n)
	copy(start, s.Start)
	copy(lns, s.Lns)
	_, err := v.adopt(s.Data, n)
	return false, err
}

func (d *deltaBytes) readFixed(v *vec, n int) error {
	dst := v.extend(n)
	for i := range n {
		b, err := d.next()
		if err != nil {
			return err
		}
		if len(b) != d.fixed {
			return errDelta
		}
		copy(dst[i*d.fixed:], b)
	}
	return nil
}

func (d *deltaBytes) skip(n int) error {
	for range n {
		if _, err := d.next(); err != nil {
			return err
		}
	}
	return nil
}

// byteSplit is BYTE_STREAM_SPLIT: first all first bytes, then all second ones …
type byteSplit struct {
	data  []byte
	width int
	n     int // values in the page
	at    int
}

func (d *byteSplit) reset(data []byte, _ int) error {
	d.data, d.at, d.n = data, 0, 0
	if d.width > 0 {
		d.n = len(data) / d.width
	}
	return nil
}

func (d *byteSplit) read(v *vec, n int) (bool, error) {
	if n > d.n-d.at {
		return false, errPageShort
	}
	if n == 0 {
		return false, nil
	}
	dst := v.extend(n)
	for k := range d.width {
		src := d.data[k*d.n+d.at : k*d.n+d.at+n]
		to := dst[k:]
		for i, b := range src {
			to[i*d.width] = b
		}
	}
	d.at += n
	return false, nil
}

func (d *byteSplit) skip(n int) error {
	if n > d.n-d.at {
		return errPageShort
	}
	d.at += n
	return nil
}
