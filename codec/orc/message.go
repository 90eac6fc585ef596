package orc

import (
	"encoding/binary"

	"lakeserver/cherr"
)

// message takes a Protocol Buffers message apart, in which ORC keeps what it
// says about a file.
type message struct {
	data []byte
	bad  bool
}

func (m *message) varint() uint64 {
	v, n := binary.Uvarint(m.data)
	if n <= 0 {
		m.bad, m.data = true, nil
		return 0
	}
	m.data = m.data[n:]
	return v
}

// next gives the number of the next field with its value, a number or bytes;
// 0 at the end.
func (m *message) next() (field int, number uint64, data []byte) {
	if len(m.data) == 0 {
		return 0, 0, nil
	}
	tag := m.varint()
	take := func(n uint64) []byte {
		if n > uint64(len(m.data)) {
			m.bad, m.data = true, nil
			return nil
		}
		out := m.data[:n]
		m.data = m.data[n:]
		return out
	}
	switch tag & 7 {
	case 0:
		number = m.varint()
	case 1:
		take(8)
	case 2:
		data = take(m.varint())
	case 5:
		take(4)
	default:
		m.bad, m.data = true, nil
	}
	if m.bad {
		return 0, 0, nil
	}
	return int(tag >> 3), number, data
}

// numbers gives a repeated number, packed or single.
func numbers(number uint64, data []byte, to []uint64) []uint64 {
	if data == nil {
		return append(to, number)
	}
	m := message{data: data}
	for len(m.data) > 0 {
		to = append(to, m.varint())
	}
	return to
}

func damaged(what string) error {
	return cherr.New(cherr.IncorrectData, "the ORC file is damaged: %s", what)
}
