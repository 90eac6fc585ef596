package parse

import "strings"

// kind is the kind of a token; punctuation of one byte is that byte.
type kind uint8

const (
	tEOF kind = 0
	// Kinds from 128 up are no ASCII bytes.
	tWord kind = iota + 128
	tQuoted
	tNumber
	tString
	tHeredoc
	tHexString
	tBinString
	tArrow       // ->
	tDoubleColon // ::
	tConcat      // ||
	tEquals      // = and ==
	tNotEquals   // != and <>
	tLessEq
	tGreaterEq
	tNullSafe // <=>
	tAtAt     // @@
	tError
)

// token is a piece of the text; line and col are 1-based, col in bytes.
type token struct {
	kind       kind
	start, end int32
	line, col  int32
}

// lexer reads tokens one by one. It never fails: what it cannot read is tError.
type lexer struct {
	text      string
	pos       int
	line      int32
	lineStart int
	prev      kind
}

func (l *lexer) next() token {
	if open, ok := l.skipSpace(); !ok {
		l.prev = tError
		return open
	}
	t := token{start: int32(l.pos), line: l.line, col: int32(l.pos-l.lineStart) + 1}
	switch {
	case l.pos < len(l.text):
		t.kind = l.scan()
	}
	if l.pos > len(l.text) {
		l.pos = len(l.text)
	}
	t.end = int32(l.pos)
	l.prev = t.kind
	return t
}

// skipSpace passes over blanks and comments; false is a comment without end,
// given as an error token.
func (l *lexer) skipSpace() (token, bool) {
	for l.pos < len(l.text) {
		switch c := l.text[l.pos]; {
		case c == '\n':
			l.pos++
			l.newline()
		case c == ' ' || c >= '\t' && c <= '\r' || c == 0:
			l.pos++
		case c == '-' && l.at(1) == '-', c == '#', c == '/' && l.at(1) == '/':
			l.skipLine()
		case c == '/' && l.at(1) == '*':
			open := token{kind: tError, start: int32(l.pos), line: l.line, col: int32(l.pos-l.lineStart) + 1}
			if !l.skipComment() {
				open.end = int32(l.pos)
				return open, false
			}
		case c >= 0x80:
			n := wideSpace(l.text[l.pos:])
			if n == 0 {
				return token{}, true
			}
			l.pos += n
		default:
			return token{}, true
		}
	}
	return token{}, true
}

func (l *lexer) newline() {
	l.line++
	l.lineStart = l.pos
}

func (l *lexer) at(i int) byte {
	if l.pos+i < len(l.text) {
		return l.text[l.pos+i]
	}
	return 0
}

func (l *lexer) skipLine() {
	i := strings.IndexByte(l.text[l.pos:], '\n')
	if i < 0 {
		l.pos = len(l.text)
		return
	}
	l.pos += i
}

// skipComment passes over /* … */, which nest.
func (l *lexer) skipComment() bool {
	depth := 0
	for l.pos < len(l.text) {
		switch c := l.text[l.pos]; {
		case c == '/' && l.at(1) == '*':
			depth++
			l.pos += 2
		case c == '*' && l.at(1) == '/':
			depth--
			l.pos += 2
			if depth == 0 {
				return true
			}
		default:
			l.pos++
			if c == '\n' {
				l.newline()
			}
		}
	}
	return false
}

// wideSpace gives the length of a blank outside ASCII at the start of s, or 0.
func wideSpace(s string) int {
	switch {
	case strings.HasPrefix(s, "\u00a0"), strings.HasPrefix(s, "\u0085"):
		return 2
	case len(s) < 3:
		return 0
	}
	switch s[:3] {
	case "\u3000", "\ufeff", "\u2060", "\u202f", "\u205f", "\u180e", "\u2028", "\u2029":
		return 3
	}
	if s[0] == 0xe2 && s[1] == 0x80 && s[2] >= 0x80 && s[2] <= 0x8d { // U+2000 … U+200D
		return 3
	}
	return 0
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isHex(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func (l *lexer) scan() kind {
	c := l.text[l.pos]
	switch {
	case isDigit(c), c == '.' && isDigit(l.at(1)) && l.dotIsPoint():
		return l.number()
	case c == '$':
		if l.heredoc() {
			return tHeredoc
		}
		return l.word()
	case (c == 'x' || c == 'X') && l.at(1) == '\'':
		l.pos++
		return l.quoted('\'', tHexString)
	case (c == 'b' || c == 'B') && l.at(1) == '\'':
		l.pos++
		return l.quoted('\'', tBinString)
	case isWordByte(c):
		return l.word()
	case c == '\'':
		return l.quoted(c, tString)
	case c == '"' || c == '`':
		return l.quoted(c, tQuoted)
	case c >= 0x80:
		return l.wide()
	}
	return l.sign(c)
}

// dotIsPoint tells .5 from an access: it is a number only where no operand
// ends before it.
func (l *lexer) dotIsPoint() bool {
	switch l.prev {
	case '.', ')', ']', tWord, tQuoted, tNumber:
		return false
	}
	return true
}

func (l *lexer) word() kind {
	for l.pos < len(l.text) && isWordByte(l.text[l.pos]) {
		l.pos++
	}
	return tWord
}

// heredoc reads $tag$ … $tag$.
func (l *lexer) heredoc() bool {
	i := l.pos + 1
	for i < len(l.text) && isWordByte(l.text[i]) && l.text[i] != '$' {
		i++
	}
	if i >= len(l.text) || l.text[i] != '$' {
		return false
	}
	tag := l.text[l.pos : i+1]
	n := strings.Index(l.text[i+1:], tag)
	if n < 0 {
		return false
	}
	l.advance(i + 1 + n + len(tag))
	return true
}

// advance moves to the place end, counting lines on the way.
func (l *lexer) advance(end int) {
	for l.pos < end {
		i := strings.IndexByte(l.text[l.pos:end], '\n')
		if i < 0 {
			l.pos = end
			return
		}
		l.pos += i + 1
		l.newline()
	}
}

// quoted reads to the closing quote; a doubled quote and what follows a
// backslash belong to the text.
func (l *lexer) quoted(q byte, k kind) kind {
	l.pos++
	for l.pos < len(l.text) {
		c := l.text[l.pos]
		l.pos++
		switch c {
		case '\\':
			if l.at(0) == '\n' {
				l.pos++
				l.newline()
				continue
			}
			l.pos++
		case '\n':
			l.newline()
		case q:
			if l.at(0) != q {
				return k
			}
			l.pos++
		}
	}
	return tError
}

// number reads a number, or a word that begins with digits. After a dot there
// are only digits: t.1.2 is two accesses.
func (l *lexer) number() kind {
	start := l.pos
	if l.prev == '.' && l.at(0) != '.' {
		l.digits(isDigit)
		return l.numberOrWord(start)
	}
	if l.at(0) == '0' && (l.at(1)|0x20 == 'x' && isHex(l.at(2)) || l.at(1)|0x20 == 'b' && (l.at(2) == '0' || l.at(2) == '1')) {
		hex := l.at(1)|0x20 == 'x'
		l.pos += 2
		if !hex {
			l.digits(func(c byte) bool { return c == '0' || c == '1' })
			return l.numberOrWord(start)
		}
		l.digits(isHex)
		if l.at(0) == '.' && isHex(l.at(1)) {
			l.pos++
			l.digits(isHex)
		}
		l.exponent('p')
		return l.numberOrWord(start)
	}
	l.digits(isDigit)
	if l.at(0) == '.' {
		l.pos++
		l.digits(isDigit)
	}
	l.exponent('e')
	return l.numberOrWord(start)
}

func (l *lexer) numberOrWord(start int) kind {
	if l.pos < len(l.text) && isWordByte(l.text[l.pos]) {
		if strings.IndexByte(l.text[start:l.pos], '.') >= 0 {
			return tNumber // 1.5x: the word is the next token
		}
		return l.word()
	}
	return tNumber
}

// digits reads digits, single underscores between them included.
func (l *lexer) digits(is func(byte) bool) {
	for is(l.at(0)) || l.at(0) == '_' && is(l.at(1)) {
		l.pos++
	}
}

func (l *lexer) exponent(mark byte) {
	if l.at(0)|0x20 != mark {
		return
	}
	i := 1
	if l.at(1) == '+' || l.at(1) == '-' {
		i = 2
	}
	if isDigit(l.at(i)) {
		l.pos += i
		l.digits(isDigit)
	}
}

// wide reads the quotes and the minus sign that word processors put in.
func (l *lexer) wide() kind {
	s := l.text[l.pos:]
	switch {
	case strings.HasPrefix(s, "\u2212"):
		l.pos += 3
		return '-'
	case strings.HasPrefix(s, "\u2018"):
		return l.typographic("\u2019", tString)
	case strings.HasPrefix(s, "\u201c"):
		return l.typographic("\u201d", tQuoted)
	}
	l.pos++
	for l.pos < len(l.text) && l.text[l.pos]&0xc0 == 0x80 {
		l.pos++
	}
	return tError
}

func (l *lexer) typographic(end string, k kind) kind {
	i := strings.Index(l.text[l.pos:], end)
	if i < 0 {
		l.pos = len(l.text)
		return tError
	}
	l.advance(l.pos + i + len(end))
	return k
}

func (l *lexer) sign(c byte) kind {
	l.pos++
	two := func(second byte, k kind) kind {
		if l.at(0) == second {
			l.pos++
			return k
		}
		return kind(c)
	}
	switch c {
	case '-':
		return two('>', tArrow)
	case ':':
		return two(':', tDoubleColon)
	case '|':
		if two('|', tConcat) == tConcat {
			return tConcat
		}
		return tError
	case '=':
		two('=', tEquals)
		return tEquals
	case '!':
		if two('=', tNotEquals) == tNotEquals {
			return tNotEquals
		}
		return tError
	case '>':
		return two('=', tGreaterEq)
	case '<':
		if two('>', tNotEquals) == tNotEquals {
			return tNotEquals
		}
		if l.at(0) == '=' && l.at(1) == '>' {
			l.pos += 2
			return tNullSafe
		}
		return two('=', tLessEq)
	case '@':
		if two('@', tAtAt) == tAtAt {
			return tAtAt
		}
		return kind(c)
	case '(', ')', '[', ']', '{', '}', ',', '.', ';', '+', '*', '/', '%', '?', '^', '~', '&':
		return kind(c)
	}
	return tError
}
