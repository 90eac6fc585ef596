package strings

import (
	"bytes"
	"unicode/utf8"

	"lakeserver/cherr"
)

// likePattern is a LIKE pattern taken apart at its % signs.
type likePattern struct {
	pieces     []likePiece
	open, tail bool // a % stands at the start, at the end
}

// likePiece is what stands between two % signs. Without wild it is text alone.
type likePiece struct {
	text []byte
	wild []bool // which bytes of text stand for _, nil when none does
}

// parseLike: a backslash takes the meaning from %, _ and itself, and before
// anything else is just a backslash.
func parseLike(pattern []byte) (*likePattern, error) {
	p := &likePattern{}
	var text []byte
	var wild []bool
	hasWild := false
	flush := func() {
		if len(text) > 0 {
			piece := likePiece{text: text}
			if hasWild {
				piece.wild = wild
			}
			p.pieces = append(p.pieces, piece)
		}
		text, wild, hasWild = nil, nil, false
	}
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case c == '%':
			flush()
			p.open = p.open || len(p.pieces) == 0
			p.tail = true
			continue
		case c == '_':
			text, wild, hasWild = append(text, '_'), append(wild, true), true
			p.tail = false
			continue
		case c == '\\':
			if i+1 == len(pattern) {
				return nil, cherr.New(cherr.CannotParseEscapeSequence, "Invalid escape sequence at the end of LIKE pattern '%s'", pattern)
			}
			if n := pattern[i+1]; n == '%' || n == '_' || n == '\\' {
				c = n
				i++
			}
		}
		text, wild = append(text, c), append(wild, false)
		p.tail = false
	}
	flush()
	return p, nil
}

// contains gives the text x of the pattern %x%.
func (p *likePattern) contains() ([]byte, bool) {
	if len(p.pieces) == 1 && p.open && p.tail && p.pieces[0].wild == nil {
		return p.pieces[0].text, true
	}
	return nil, false
}

// match tells whether all of s fits.
func (p *likePattern) match(s []byte) bool {
	if len(p.pieces) == 0 {
		return p.tail || len(s) == 0
	}
	for i := range p.pieces {
		piece := &p.pieces[i]
		first, last := i == 0 && !p.open, i == len(p.pieces)-1 && !p.tail
		switch {
		case first && last:
			n, ok := piece.at(s)
			return ok && n == len(s)
		case first:
			n, ok := piece.at(s)
			if !ok {
				return false
			}
			s = s[n:]
		case last:
			return piece.ends(s)
		default:
			end := piece.find(s)
			if end < 0 {
				return false
			}
			s = s[end:]
		}
	}
	return true
}

// at gives how many bytes at the start of s the piece takes.
func (p *likePiece) at(s []byte) (int, bool) {
	if p.wild == nil {
		return len(p.text), bytes.HasPrefix(s, p.text)
	}
	n := 0
	for i, c := range p.text {
		if n >= len(s) {
			return 0, false
		}
		switch {
		case p.wild[i]:
			_, size := utf8.DecodeRune(s[n:])
			n += size
		case s[n] != c:
			return 0, false
		default:
			n++
		}
	}
	return n, true
}

// find gives the end of the piece's first occurrence in s, -1 for none.
func (p *likePiece) find(s []byte) int {
	if p.wild == nil {
		i := bytes.Index(s, p.text)
		if i < 0 {
			return -1
		}
		return i + len(p.text)
	}
	for i := 0; i <= len(s); i++ {
		if i < len(s) && !utf8.RuneStart(s[i]) {
			continue
		}
		if n, ok := p.at(s[i:]); ok {
			return i + n
		}
	}
	return -1
}

// ends tells whether s ends with the piece.
func (p *likePiece) ends(s []byte) bool {
	if p.wild == nil {
		return bytes.HasSuffix(s, p.text)
	}
	for i := len(s) - 1; i >= 0; i-- {
		if !utf8.RuneStart(s[i]) {
			continue
		}
		if n, ok := p.at(s[i:]); ok && i+n == len(s) {
			return true
		}
	}
	return false
}
