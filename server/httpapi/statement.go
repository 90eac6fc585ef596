package httpapi

import (
	"bytes"
	"io"
	"strings"

	"lakeserver/cherr"
)

// statement is the text of a query and the data behind it.
type statement struct {
	text string
	data io.Reader // rows of an INSERT; nil when the statement carries none
}

// assemble joins the query parameter and the body: the text ends where an
// INSERT's data begins. max is max_query_size: only that much is held as text.
func assemble(param string, body io.Reader, max int) (*statement, error) {
	head := []byte(param)
	if param != "" {
		if end := dataStart(head, true); end >= 0 {
			return &statement{text: string(head[:end]), data: io.MultiReader(bytes.NewReader(head[end:]), body)}, nil
		}
		head = append(head, '\n')
	}
	for {
		n, err := io.ReadFull(body, grow(&head, 1<<15))
		head = head[:len(head)-1<<15+n]
		if end := dataStart(head, err != nil); end >= 0 {
			return &statement{text: string(head[:end]), data: io.MultiReader(bytes.NewReader(head[end:]), body)}, nil
		}
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return &statement{text: string(head)}, nil
		case err != nil:
			return nil, err
		case len(head) > max+1<<15:
			return nil, cherr.New(cherr.SyntaxError, "Max query size exceeded (can be increased with the `max_query_size` setting)")
		}
	}
}

func grow(b *[]byte, n int) []byte {
	from := len(*b)
	*b = append(*b, make([]byte, n)...)
	return (*b)[from:]
}

// dataStart finds where the data of an INSERT begins, -1 when the text is no
// INSERT with data or is cut before that place; final says that no more text
// comes. It only looks at words outside
// of quotes, comments and brackets; what the statement means is the parser's
// business.
func dataStart(text []byte, final bool) int {
	s := scanner{text: text}
	if !strings.EqualFold(s.word(), "insert") {
		return -1
	}
	for {
		w := s.word()
		switch {
		case w == "" || s.pos >= len(text) && !final:
			return -1
		case strings.EqualFold(w, "select"), strings.EqualFold(w, "with"), strings.EqualFold(w, "watch"), strings.EqualFold(w, "from"):
			return -1
		case strings.EqualFold(w, "values"):
			return s.pos
		case strings.EqualFold(w, "format"):
			name := s.word()
			if name == "" || s.pos >= len(text) && !final {
				return -1
			}
			if strings.EqualFold(name, "values") {
				return s.pos
			}
			if start := s.afterFormat(); start < len(text) || final {
				return start
			}
			return -1
		}
	}
}

// scanner walks over words.
type scanner struct {
	text []byte
	pos  int
}

// word gives the next word outside quotes and brackets, "" at the end.
func (s *scanner) word() string { // long: one case a sign
	depth := 0
	for s.pos < len(s.text) {
		c := s.text[s.pos]
		switch {
		case c == '\'' || c == '"' || c == '`':
			if !s.quoted(c) {
				return ""
			}
			if depth == 0 {
				return "''" // a quoted name is a word that is no keyword
			}
		case c == '-' && s.at(1) == '-', c == '#' && (s.at(1) == ' ' || s.at(1) == '!'):
			i := bytes.IndexByte(s.text[s.pos:], '\n')
			if i < 0 {
				s.pos = len(s.text)
				return ""
			}
			s.pos += i + 1
		case c == '/' && s.at(1) == '*':
			i := bytes.Index(s.text[s.pos+2:], []byte("*/"))
			if i < 0 {
				s.pos = len(s.text)
				return ""
			}
			s.pos += i + 4
		case c == '(' || c == '[' || c == '{':
			depth++
			s.pos++
		case c == ')' || c == ']' || c == '}':
			depth--
			s.pos++
		case depth == 0 && letter(c):
			from := s.pos
			for s.pos < len(s.text) && letter(s.text[s.pos]) {
				s.pos++
			}
			w := string(s.text[from:s.pos])
			if from > 0 && s.text[from-1] == '.' || s.pos < len(s.text) && s.text[s.pos] == '.' {
				continue // part of a name
			}
			return w
		default:
			s.pos++
		}
	}
	return ""
}

func (s *scanner) at(i int) byte {
	if s.pos+i < len(s.text) {
		return s.text[s.pos+i]
	}
	return 0
}

func (s *scanner) quoted(q byte) bool {
	for s.pos++; s.pos < len(s.text); s.pos++ {
		switch s.text[s.pos] {
		case '\\':
			s.pos++
		case q:
			s.pos++
			return true
		}
	}
	return false
}

func letter(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// afterFormat: data begins behind the line's end if only spaces stand before
// it, else at the first sign that is no space.
func (s *scanner) afterFormat() int {
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case ' ', '\t', '\f', '\r', ';':
			s.pos++
		case '\n':
			return s.pos + 1
		default:
			return s.pos
		}
	}
	return s.pos
}
