package mysql

import (
	"strconv"
	"strings"
)

// skip gives the end of the string, name or comment that begins at i, and i
// where none does.
func skip(s string, i int) int {
	switch c := s[i]; {
	case c == '\'' || c == '"' || c == '`':
		return skipQuoted(s, i)
	case c == '#', strings.HasPrefix(s[i:], "-- "), strings.HasPrefix(s[i:], "--\n"), strings.HasPrefix(s[i:], "--\t"):
		if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
			return i + n + 1
		}
		return len(s)
	case strings.HasPrefix(s[i:], "/*"):
		if n := strings.Index(s[i+2:], "*/"); n >= 0 {
			return i + 2 + n + 2
		}
		return len(s)
	}
	return i
}

// skipQuoted gives the place behind a quoted text: the quote is doubled in it
// or behind a backslash.
func skipQuoted(s string, i int) int {
	quote := s[i]
	for i++; i < len(s); i++ {
		switch {
		case s[i] == '\\' && quote != '`':
			i++
		case s[i] == quote && i+1 < len(s) && s[i+1] == quote:
			i++
		case s[i] == quote:
			return i + 1
		}
	}
	return len(s)
}

// plain calls f for each byte that is in no string, name or comment, until it
// gives false.
func plain(s string, f func(i int) bool) {
	for i := 0; i < len(s); {
		if n := skip(s, i); n > i {
			i = n
			continue
		}
		if !f(i) {
			return
		}
		i++
	}
}

// split gives the statements of a text, those with nothing in them left out.
func split(s string) []string {
	var out []string
	from := 0
	add := func(to int) {
		if t := trim(s[from:to]); t != "" {
			out = append(out, t)
		}
		from = to + 1
	}
	plain(s, func(i int) bool {
		if s[i] == ';' {
			add(i)
		}
		return true
	})
	if from < len(s) {
		add(len(s))
	}
	return out
}

// trim takes blanks and comments off both ends. The inside of /*! … */, which
// MySQL runs, is left where it is the whole text.
func trim(s string) string {
	for {
		s = strings.TrimRight(strings.TrimSpace(s), "; \t\r\n")
		switch {
		case strings.HasPrefix(s, "/*!") && strings.HasSuffix(s, "*/") && strings.Index(s, "*/") == len(s)-2:
			s = strings.TrimLeft(s[3:len(s)-2], "0123456789")
		case s != "" && s[0] != '\'' && s[0] != '"' && s[0] != '`' && skip(s, 0) > 0:
			s = s[skip(s, 0):]
		default:
			return s
		}
	}
}

// placeholders gives the places of the question marks of a statement.
func placeholders(s string) []int {
	var out []int
	plain(s, func(i int) bool {
		if s[i] == '?' {
			out = append(out, i)
		}
		return true
	})
	return out
}

// has tells whether a sign stands outside of strings, names and comments.
func has(s, sign string) bool {
	found := false
	plain(s, func(i int) bool {
		found = strings.HasPrefix(s[i:], sign)
		return !found
	})
	return found
}

// hasDoubleQuotes tells whether there is a string in MySQL's second form.
func hasDoubleQuotes(s string) bool {
	for i := 0; i < len(s); {
		if s[i] == '"' {
			return true
		}
		if n := skip(s, i); n > i {
			i = n
			continue
		}
		i++
	}
	return false
}

// firstWord gives a statement's first word in upper case.
func firstWord(s string) string {
	s = strings.TrimLeft(s, "( \t\r\n")
	end := strings.IndexFunc(s, func(r rune) bool { return (r|0x20 < 'a' || r|0x20 > 'z') && r != '_' })
	if end < 0 {
		end = len(s)
	}
	return strings.ToUpper(s[:end])
}

// plainStrings writes all strings of a statement anew, with no escapes but
// those that sqlparser knows. What a backslash means is ClickHouse's: \x41 is
// a byte, and before a sign that it does not concern it stays, as MySQL has it
// for \% and \_ alone.
func plainStrings(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		end := max(skip(s, i), i+1)
		if s[i] == '\'' || s[i] == '"' {
			appendPlain(&b, s[i:end])
		} else {
			b.WriteString(s[i:end])
		}
		i = end
	}
	return b.String()
}

// escapes are what ClickHouse's letters behind a backslash mean.
var escapes = map[byte]byte{
	'n': '\n', 't': '\t', 'r': '\r', '0': 0, 'b': '\b', 'a': '\a', 'v': '\v', 'f': '\f', 'e': 0x1b,
	'\\': '\\', '\'': '\'', '"': '"', '`': '`', '/': '/',
}

func appendPlain(b *strings.Builder, s string) {
	put := func(c byte) {
		if c == '\\' || c == '\'' {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	quote, closed := s[0], len(s) > 1 && s[len(s)-1] == s[0]
	b.WriteByte('\'')
	if closed {
		s = s[:len(s)-1]
	}
	for i := 1; i < len(s); i++ {
		c := s[i]
		switch {
		case c == quote: // the first of two
			put(c)
			i++
			continue
		case c != '\\' || i+1 == len(s):
			put(c)
			continue
		}
		i++
		if v, ok := escapes[s[i]]; ok {
			put(v)
			continue
		}
		if s[i] == 'x' && i+2 < len(s) {
			if v, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				put(byte(v))
				i += 2
				continue
			}
		}
		put('\\')
		put(s[i])
	}
	if closed {
		b.WriteByte('\'')
	}
}
