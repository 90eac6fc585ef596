package hashes

import (
	"bytes"

	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = addNormalize("normalizeQuery", "normalizedQueryHash", false, "complex names")
	_ = addNormalize("normalizeQueryKeepNames", "normalizedQueryHashKeepNames", true, "nothing else")
)

func addNormalize(text, hash string, keepNames bool, what string) bool {
	add(functions.Scalar{
		Name: text, MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: text + "(query)", Summary: "The text of a query with ? for literals and lists of them, and for " + what + ".", Examples: []string{"SELECT " + text + "('SELECT 1, 2 FROM t')"}},
		Bind: kernel.StrToStr(text, func(dst, s []byte) []byte {
			return normalizeQuery(dst, s, keepNames)
		}),
	})
	return add(functions.Scalar{
		Name: hash, MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: hash + "(query)", Summary: "A hash that is the same for queries that differ in literals only.", Examples: []string{"SELECT " + hash + "('SELECT 1')"}},
		Bind: kernel.StrToFixed(hash, types.UInt64, func(s []byte) uint64 {
			return sip64(0, 0, queryKey(s, keepNames))
		}),
	})
}

// tokenKind is what the normaliser has to tell apart.
type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenSpace
	tokenLiteral
	tokenComma
	tokenSign
	tokenName
	tokenOther
)

// nextToken takes a token off the front of a query's text; before is the one
// before it: t.1 holds no number.
func nextToken(s []byte, before tokenKind) (tokenKind, int) { // long: one case a kind
	if len(s) == 0 {
		return tokenEnd, 0
	}
	until := func(mark string, from int) int {
		if i := bytes.Index(s[min(from, len(s)):], []byte(mark)); i >= 0 {
			return from + i + len(mark)
		}
		return len(s)
	}
	word := func(from int) int {
		for from < len(s) && isQueryWord(s[from]) {
			from++
		}
		return from
	}
	switch c := s[0]; {
	case c == ' ' || c >= '\t' && c <= '\r':
		n := 1
		for n < len(s) && (s[n] == ' ' || s[n] >= '\t' && s[n] <= '\r') {
			n++
		}
		return tokenSpace, n
	case bytes.HasPrefix(s, []byte("--")), bytes.HasPrefix(s, []byte("#!")), bytes.HasPrefix(s, []byte("# ")):
		return tokenSpace, until("\n", 0)
	case bytes.HasPrefix(s, []byte("/*")):
		return tokenSpace, until("*/", 2)
	case c == '\'':
		return tokenLiteral, quotedToken(s)
	case c == '"' || c == '`':
		return tokenName, quotedToken(s)
	case c == '$':
		if i := bytes.IndexByte(s[1:], '$'); i >= 0 && word(1) >= i+1 {
			return tokenLiteral, until(string(s[:i+2]), i+2)
		}
		return tokenName, word(1)
	case c >= '0' && c <= '9' || c == '.' && before != tokenName && len(s) > 1 && s[1] >= '0' && s[1] <= '9':
		return numberToken(s, word)
	case c == ',':
		return tokenComma, 1
	case c == '+' || c == '-' && !bytes.HasPrefix(s, []byte("->")):
		return tokenSign, 1
	case isQueryWord(c):
		return tokenName, word(0)
	}
	return tokenOther, 1
}

func isQueryWord(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// quotedToken goes over a text in quotes with its escapes.
func quotedToken(s []byte) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			if i+1 < len(s) && s[i+1] == s[0] {
				i++
				continue
			}
			return i + 1
		}
	}
	return len(s)
}

// numberToken goes over a number; with letters behind it, it is a name.
func numberToken(s []byte, word func(int) int) (tokenKind, int) {
	n := 0
	digits := func() {
		for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == '_' && n > 0) {
			n++
		}
	}
	if len(s) > 2 && s[0] == '0' && (s[1]|0x20 == 'x' || s[1]|0x20 == 'b') {
		return tokenLiteral, word(2)
	}
	digits()
	if n < len(s) && s[n] == '.' {
		n++
		digits()
	}
	if n+1 < len(s) && s[n]|0x20 == 'e' && (s[n+1] >= '0' && s[n+1] <= '9' || s[n+1] == '-' || s[n+1] == '+') {
		n += 2
		digits()
	}
	if n < len(s) && isQueryWord(s[n]) {
		return tokenName, word(n)
	}
	return tokenLiteral, n
}

// isComplexName: long names, and names with spaces or more than two digits,
// are taken for made ones.
func isComplexName(s []byte) bool {
	digits := 0
	for _, c := range s {
		switch {
		case c == ' ' || c >= '\t' && c <= '\r':
			return true
		case c >= '0' && c <= '9':
			digits++
		}
	}
	return len(s) >= 36 || digits > 2
}

// isColumnName tells a name from a function's, behind which a bracket stands.
func isColumnName(kind tokenKind, s []byte, n int) bool {
	return kind == tokenName && (s[0] == '"' || s[0] == '`' || n >= len(s) || s[n] != '(')
}

func normalizeQuery(dst, s []byte, keepNames bool) []byte {
	literals, comma, space, afterSpace := 0, false, false, false
	kind := tokenSpace
	for at := 0; ; {
		var n int
		kind, n = nextToken(s[at:], kind)
		token := s[at : at+n]
		rest := s[at:]
		at += n
		if kind == tokenSpace {
			switch {
			case afterSpace:
			case literals > 0:
				space = true
			case at > n:
				dst = append(dst, ' ')
			}
			afterSpace = true
			continue
		}
		afterSpace = false
		switch {
		case kind == tokenLiteral:
			if literals == 0 {
				dst = append(dst, '?')
			}
			literals++
			space, comma = false, false
			continue
		case kind == tokenComma && literals > 0:
			comma = true
			continue
		case kind == tokenComma:
		case comma && kind == tokenSign:
			continue
		default:
			if literals > 1 {
				dst = append(dst, ".."...)
			}
			if comma {
				dst = append(dst, ',')
			}
			if space {
				dst = append(dst, ' ')
			}
			literals, comma, space = 0, false, false
		}
		if kind == tokenEnd {
			return dst
		}
		if isColumnName(kind, rest, n) && !keepNames && isComplexName(token) {
			dst = append(dst, "`?`"...)
		} else {
			dst = append(dst, token...)
		}
	}
}

// queryKey gives what normalizedQueryHash hashes.
func queryKey(s []byte, keepNames bool) []byte {
	var dst []byte
	literals, comma := 0, false
	kind := tokenSpace
	for at := 0; ; {
		var n int
		kind, n = nextToken(s[at:], kind)
		token, rest := s[at:at+n], s[at:]
		at += n
		switch {
		case kind == tokenSpace:
			continue
		case kind == tokenLiteral:
			if literals == 0 {
				dst = append(dst, 0)
			}
			literals++
			comma = false
			continue
		case kind == tokenComma && literals > 0:
			comma = true
			continue
		case kind == tokenComma:
		default:
			if literals > 1 {
				dst = append(dst, 0)
			}
			if comma {
				dst = append(dst, ',')
			}
			literals, comma = 0, false
		}
		switch {
		case kind == tokenEnd:
			return dst
		case isColumnName(kind, rest, n) && !keepNames && isComplexName(token):
			dst = append(dst, 1)
		default:
			dst = append(dst, token...)
		}
	}
}
