package strings

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// searchMode says how needles are compared and positions counted.
type searchMode struct {
	suffix string
	fold   func(dst, s []byte) []byte // nil: bytes as they are
	utf8   bool                       // positions count code points
}

var searchModes = []searchMode{
	{suffix: ""},
	{suffix: "CaseInsensitive", fold: appendLowerASCII},
	{suffix: "UTF8", utf8: true},
	{suffix: "CaseInsensitiveUTF8", fold: appendSimpleLower, utf8: true},
}

func appendLowerASCII(dst, s []byte) []byte {
	for _, c := range s {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		dst = append(dst, c)
	}
	return dst
}

// appendSimpleLower lowers code point by code point, so that their count stays.
func appendSimpleLower(dst, s []byte) []byte {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= 'A' && c <= 'Z' {
				c |= 0x20
			}
			dst = append(dst, c)
			i++
			continue
		}
		r, n := utf8.DecodeRune(s[i:])
		if r == utf8.RuneError && n == 1 {
			dst = append(dst, c)
		} else {
			dst = utf8.AppendRune(dst, unicode.ToLower(r))
		}
		i += n
	}
	return dst
}

// searcher holds the scratch of one pass over a block.
type searcher struct {
	searchMode
	hay, needle []byte
	last        []byte // the needle that needle was folded from
}

func (m *searcher) foldHay(s []byte) []byte {
	if m.fold == nil {
		return s
	}
	m.hay = m.fold(m.hay[:0], s)
	return m.hay
}

func (m *searcher) foldNeedle(s []byte) []byte {
	if m.fold == nil {
		return s
	}
	if m.last == nil || !bytes.Equal(s, m.last) {
		m.last = append(m.last[:0], s...)
		m.needle = m.fold(m.needle[:0], s)
	}
	return m.needle
}

// size counts the units of s.
func (m *searcher) size(s []byte) int {
	if m.utf8 {
		return countCodePoints(s)
	}
	return len(s)
}

func (m *searcher) offset(s []byte, n int) int {
	if m.utf8 {
		return codePointOffset(s, int64(n))
	}
	return min(n, len(s))
}

// index gives the position, from 1, of a folded needle in a folded haystack,
// looking from unit from on; 0 when there is none.
func (m *searcher) index(hay, needle []byte, from int) int {
	if from > m.size(hay) {
		return 0
	}
	skip := m.offset(hay, from)
	at := bytes.Index(hay[skip:], needle)
	if at < 0 {
		return 0
	}
	return from + m.size(hay[skip:skip+at]) + 1
}
