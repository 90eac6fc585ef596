package types

import (
	"strconv"
	"strings"
	"time"

	"lakeserver/cherr"
)

// maxDepth bounds the nesting of a type's text.
const maxDepth = 200

// Parse reads a type's name as ClickHouse and its SQL aliases spell it.
// Errors: UNKNOWN_TYPE, SYNTAX_ERROR and what the type's own rules say.
func Parse(text string) (*Type, error) {
	p := &typeParser{text: text}
	t, err := p.parse(0)
	if err != nil {
		return nil, err
	}
	if p.skip(); p.pos < len(p.text) {
		return nil, p.syntax()
	}
	return t, nil
}

type typeParser struct {
	text string
	pos  int
}

func (p *typeParser) syntax() error {
	return cherr.New(cherr.SyntaxError, "Cannot parse data type `%s` at position %d", p.text, p.pos+1)
}

func (p *typeParser) skip() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
}

// eat takes a sign if it comes next.
func (p *typeParser) eat(c byte) bool {
	p.skip()
	if p.pos < len(p.text) && p.text[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

func (p *typeParser) peek() byte {
	p.skip()
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

// word takes a bare word, "" if none.
func (p *typeParser) word() string {
	p.skip()
	from := p.pos
	for p.pos < len(p.text) && isWord(p.text[p.pos]) {
		p.pos++
	}
	return p.text[from:p.pos]
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// name takes a word or a backquoted or double-quoted identifier.
func (p *typeParser) name() (string, error) {
	if c := p.peek(); c == '`' || c == '"' {
		return p.quoted(c)
	}
	return p.word(), nil
}

// quoted takes text between quotes c with backslash escapes and doubling.
func (p *typeParser) quoted(c byte) (string, error) {
	var b strings.Builder
	p.pos++
	for p.pos < len(p.text) {
		ch := p.text[p.pos]
		p.pos++
		switch {
		case ch == '\\' && p.pos < len(p.text):
			b.WriteByte(unescape(p.text[p.pos]))
			p.pos++
		case ch == c && p.pos < len(p.text) && p.text[p.pos] == c:
			b.WriteByte(c)
			p.pos++
		case ch == c:
			return b.String(), nil
		default:
			b.WriteByte(ch)
		}
	}
	return "", p.syntax()
}

func unescape(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case '0':
		return 0
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	}
	return c
}

func (p *typeParser) parse(depth int) (*Type, error) {
	if depth > maxDepth {
		return nil, cherr.New(cherr.TooDeepRecursion, "Data type is too deep")
	}
	name := p.word()
	if name == "" {
		return nil, p.syntax()
	}
	for words := p.pos; ; words = p.pos { // DOUBLE PRECISION, INT UNSIGNED, …
		next := p.word()
		if next == "" || !isAliasPrefix(name+" "+next) {
			p.pos = words
			break
		}
		name += " " + next
	}
	canonical, ok := canonicalName(name)
	if !ok {
		return nil, cherr.New(cherr.UnknownType, "Unknown data type family: %s", name)
	}
	make, ok := makers[canonical]
	if !ok {
		return nil, cherr.New(cherr.UnknownType, "Unknown data type family: %s", name)
	}
	if !p.eat('(') {
		return make(p, depth, false, name)
	}
	t, err := make(p, depth, true, name)
	if err != nil {
		return nil, err
	}
	if !p.eat(')') {
		return nil, p.syntax()
	}
	if next := p.pos; strings.HasPrefix(canonical, "Int") { // TINYINT(1) UNSIGNED
		if strings.EqualFold(p.word(), "UNSIGNED") {
			if u, ok := byName["U"+canonical]; ok {
				return u, nil
			}
		}
		p.pos = next
	}
	return t, nil
}

// integer takes an unsigned number.
func (p *typeParser) integer() (int, error) {
	n, err := strconv.Atoi(p.word())
	if err != nil {
		return 0, p.syntax()
	}
	return n, nil
}

// list takes types separated by commas up to the closing parenthesis.
func (p *typeParser) list(depth int) (out []*Type, err error) {
	for p.peek() != ')' {
		if len(out) > 0 && !p.eat(',') {
			return nil, p.syntax()
		}
		t, err := p.parse(depth + 1)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// one takes exactly one type.
func (p *typeParser) one(depth int, family string) (*Type, error) {
	ts, err := p.list(depth)
	if err != nil {
		return nil, err
	}
	if len(ts) != 1 {
		return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "%s data type family must have exactly one argument - nested type", family)
	}
	return ts[0], nil
}

// named takes elements "name Type" or "Type" of a Tuple or Nested.
func (p *typeParser) named(depth int) (ts []*Type, names []string, err error) {
	for p.peek() != ')' {
		if len(ts) > 0 && !p.eat(',') {
			return nil, nil, p.syntax()
		}
		start := p.pos
		name, err := p.name()
		if err != nil {
			return nil, nil, err
		}
		if c := p.peek(); c == ',' || c == ')' || c == '(' || isAliasPrefix(name+" "+p.ahead()) {
			p.pos, name = start, ""
		}
		t, err := p.parse(depth + 1)
		if err != nil {
			return nil, nil, err
		}
		ts, names = append(ts, t), append(names, name)
	}
	for _, n := range names {
		if n == "" {
			return ts, nil, nil
		}
	}
	return ts, names, nil
}

// ahead is the next word without taking it.
func (p *typeParser) ahead() string {
	at := p.pos
	w := p.word()
	p.pos = at
	return w
}

// LoadZone loads a time zone, with ClickHouse's error for a bad one.
func LoadZone(zone string) (*time.Location, error) { return location(zone) }

func location(zone string) (*time.Location, error) {
	loc, err := time.LoadLocation(zone)
	if err != nil || zone == "Local" {
		return nil, cherr.New(cherr.BadArguments, "Cannot load time zone %s", zone)
	}
	return loc, nil
}
