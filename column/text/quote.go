package text

import "unicode/utf8"

const upperDigits = "0123456789ABCDEF"

// escapes gives the letter after a backslash for the bytes that the escaped
// and quoted forms write so.
var escapes = [256]byte{'\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't', 0: '0', '\\': '\\', '\'': '\''}

// AppendEscaped writes bytes with backslash escapes, without quotes.
func AppendEscaped(dst, v []byte) []byte {
	from := 0
	for i, b := range v {
		if e := escapes[b]; e != 0 {
			dst = append(dst, v[from:i]...)
			dst = append(dst, '\\', e)
			from = i + 1
		}
	}
	return append(dst, v[from:]...)
}

// AppendQuoted writes a string as an SQL literal.
func AppendQuoted(dst, v []byte) []byte {
	return append(AppendEscaped(append(dst, '\''), v), '\'')
}

// AppendCSV writes a string in double quotes, its own doubled.
func AppendCSV(dst, v []byte) []byte {
	dst = append(dst, '"')
	from := 0
	for i, b := range v {
		if b == '"' {
			dst = append(dst, v[from:i+1]...)
			from = i
		}
	}
	return append(append(dst, v[from:]...), '"')
}

// AppendJSON writes a JSON string; slashes escapes "/" as ClickHouse does by
// default. Bytes that are not UTF-8 stay as they are.
func AppendJSON(dst, v []byte, slashes bool) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(v); i++ {
		b := v[i]
		if b >= 0x20 && b != '"' && b != '\\' && b != '/' && b != 0xe2 {
			continue
		}
		var e []byte
		switch {
		case b == '/':
			if !slashes {
				continue
			}
			e = []byte(`\/`)
		case b == '"' || b == '\\':
			e = []byte{'\\', b}
		case b == 0xe2: // U+2028 and U+2029 end lines in JavaScript
			r, n := utf8.DecodeRune(v[i:])
			if r != 0x2028 && r != 0x2029 {
				continue
			}
			dst = append(dst, v[from:i]...)
			dst = append(dst, `\u202`...)
			dst = append(dst, hexDigits[r&15])
			i += n - 1
			from = i + 1
			continue
		case b == '\b' || b == '\f' || b == '\n' || b == '\r' || b == '\t':
			e = []byte{'\\', escapes[b]}
		default:
			e = []byte{'\\', 'u', '0', '0', upperDigits[b>>4], upperDigits[b&15]}
		}
		dst = append(dst, v[from:i]...)
		dst = append(dst, e...)
		from = i + 1
	}
	return append(append(dst, v[from:]...), '"')
}
