package json

import "bytes"

// skipSpace gives the first position from i on that is no white space.
func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// maxDepth bounds the nesting, so that a hostile text cannot exhaust the stack.
const maxDepth = 1024

// skipValue gives the end of the value at i, -1 when it is not valid.
func skipValue(b []byte, i, depth int) int {
	if i >= len(b) || depth > maxDepth {
		return -1
	}
	switch c := b[i]; {
	case c == '"':
		return skipString(b, i)
	case c == '{':
		return skipObject(b, i, depth)
	case c == '[':
		return skipArray(b, i, depth)
	case c == '-' || c >= '0' && c <= '9':
		return skipNumber(b, i)
	}
	for _, word := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(b[i:], []byte(word)) {
			return i + len(word)
		}
	}
	return -1
}

func skipString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c < 0x20:
			return -1
		case c == '\\':
			i++
			if i >= len(b) || bytes.IndexByte([]byte(`"\/bfnrtu`), b[i]) < 0 {
				return -1
			}
			if b[i] == 'u' {
				if i+4 >= len(b) {
					return -1
				}
				for _, h := range b[i+1 : i+5] {
					if hexDigit(h) < 0 {
						return -1
					}
				}
				i += 4
			}
		}
	}
	return -1
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

func skipDigits(b []byte, i int) int {
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	return i
}

func skipNumber(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	from := i
	i = skipDigits(b, i)
	if i == from || b[from] == '0' && i > from+1 {
		return -1
	}
	if i < len(b) && b[i] == '.' {
		from = i + 1
		if i = skipDigits(b, from); i == from {
			return -1
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		from = i
		if i = skipDigits(b, from); i == from {
			return -1
		}
	}
	return i
}

func skipArray(b []byte, i, depth int) int {
	if i = skipSpace(b, i+1); i < len(b) && b[i] == ']' {
		return i + 1
	}
	for {
		if i = skipValue(b, skipSpace(b, i), depth+1); i < 0 {
			return -1
		}
		i = skipSpace(b, i)
		switch {
		case i < len(b) && b[i] == ',':
			i++
		case i < len(b) && b[i] == ']':
			return i + 1
		default:
			return -1
		}
	}
}

func skipObject(b []byte, i, depth int) int {
	if i = skipSpace(b, i+1); i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		if i = skipSpace(b, i); i >= len(b) || b[i] != '"' {
			return -1
		}
		if i = skipString(b, i); i < 0 {
			return -1
		}
		if i = skipSpace(b, i); i >= len(b) || b[i] != ':' {
			return -1
		}
		if i = skipValue(b, skipSpace(b, i+1), depth+1); i < 0 {
			return -1
		}
		i = skipSpace(b, i)
		switch {
		case i < len(b) && b[i] == ',':
			i++
		case i < len(b) && b[i] == '}':
			return i + 1
		default:
			return -1
		}
	}
}

// document gives the one value of a text; false when it is not valid JSON.
func document(b []byte) ([]byte, bool) {
	from := skipSpace(b, 0)
	to := skipValue(b, from, 0)
	if to < 0 || skipSpace(b, to) != len(b) {
		return nil, false
	}
	return b[from:to], true
}

// each calls f for the elements of an array or the members of an object, whose
// text is valid, until f says stop. key is the member's name with its quotes.
func each(node []byte, f func(key, value []byte) bool) {
	if len(node) == 0 || node[0] != '[' && node[0] != '{' {
		return
	}
	object := node[0] == '{'
	i := skipSpace(node, 1)
	for i < len(node)-1 {
		var key []byte
		if object {
			end := skipString(node, i)
			key = node[i:end]
			i = skipSpace(node, skipSpace(node, end)+1)
		}
		end := skipValue(node, i, 0)
		if !f(key, node[i:end]) {
			return
		}
		i = skipSpace(node, end)
		if node[i] == ',' {
			i = skipSpace(node, i+1)
		}
	}
}
