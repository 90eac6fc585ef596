package format

import (
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// ParseStructure reads "a UInt8, `b c` String"; columns given by type alone
// are named _1, _2 and so on.
func ParseStructure(text string) (column.Header, error) {
	var h column.Header
	for i, part := range splitStructure(text) {
		name, rest := structureName(strings.TrimSpace(part))
		t, err := types.Parse(rest)
		if err != nil {
			if t, whole := types.Parse(strings.TrimSpace(part)); whole == nil {
				h = append(h, column.Field{Name: "_" + tupleIndex(i), Type: t})
				continue
			}
			return nil, cherr.Wrap(err, "parsing the structure '%s'", text)
		}
		h = append(h, column.Field{Name: name, Type: t})
	}
	return h, nil
}

// splitStructure cuts at commas outside of brackets and quotes.
func splitStructure(text string) []string {
	var out []string
	depth, from := 0, 0
	var quote byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			out = append(out, text[from:i])
			from = i + 1
		}
	}
	if strings.TrimSpace(text[from:]) != "" {
		out = append(out, text[from:])
	}
	return out
}

func structureName(part string) (name, rest string) {
	if part != "" && (part[0] == '`' || part[0] == '"') {
		if end := strings.IndexByte(part[1:], part[0]); end >= 0 {
			return part[1 : end+1], strings.TrimSpace(part[end+2:])
		}
	}
	if i := strings.IndexAny(part, " \t\n"); i >= 0 {
		return part[:i], strings.TrimSpace(part[i+1:])
	}
	return "", part
}
