package urls

import (
	"bytes"
	"strconv"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

// part gives the place of a part of a URL.
type part func(url []byte) (from, to int)

var _ = addParts()

func addParts() bool { // long: a table
	for _, p := range []struct {
		name, summary string
		f             part
	}{
		{"protocol", "The scheme.", protocol},
		{"domain", "The host.", domain},
		{"domainRFC", "The host, as RFC 3986 has it.", domainRFC},
		{"domainWithoutWWW", "The host without www. at its start.", withoutWWW},
		{"domainWithoutWWWRFC", "The host without www. at its start.", withoutWWW},
		{"topLevelDomain", "The last label of the host.", topLevel},
		{"topLevelDomainRFC", "The last label of the host.", topLevel},
		{"firstSignificantSubdomain", "The label before the public suffix.", func(u []byte) (int, int) { from, to, _ := significant(u); return from, to }},
		{"firstSignificantSubdomainRFC", "The label before the public suffix.", func(u []byte) (int, int) { from, to, _ := significant(u); return from, to }},
		{"cutToFirstSignificantSubdomain", "The host from the label before the public suffix on.", func(u []byte) (int, int) { return cutToSignificant(u, false) }},
		{"cutToFirstSignificantSubdomainRFC", "The host from the label before the public suffix on.", func(u []byte) (int, int) { return cutToSignificant(u, false) }},
		{"cutToFirstSignificantSubdomainWithWWW", "The same, keeping www.", func(u []byte) (int, int) { return cutToSignificant(u, true) }},
		{"cutToFirstSignificantSubdomainWithWWWRFC", "The same, keeping www.", func(u []byte) (int, int) { return cutToSignificant(u, true) }},
		{"path", "The path, without the query.", path},
		{"pathFull", "The path with query and fragment.", pathFull},
		{"queryString", "The query, without its question mark.", queryString},
		{"fragment", "The fragment, without its number sign.", fragment},
		{"queryStringAndFragment", "The query and the fragment.", queryAndFragment},
		{"netloc", "User, host and port.", netloc},
	} {
		add(functions.Scalar{
			Name: p.name, MinArgs: 1, MaxArgs: 1,
			Doc: functions.Doc{Syntax: p.name + "(url)", Summary: p.summary, Examples: []string{"SELECT " + p.name + "('https://www.example.com:80/a?b=1#c')"}},
			Bind: kernel.Typed(p.name, "S", types.String, func(args []column.Column, rows int) (column.Column, error) {
				return kernel.Parts(kernel.Strings(args[0]), rows, func(_ int, s []byte) (int, int) { return p.f(s) }), nil
			}),
		})
	}
	return true
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// scheme gives the length of the scheme in front of a colon, 0 for none.
func scheme(u []byte) int {
	if len(u) == 0 || !isLetter(u[0]) {
		return 0
	}
	for i, c := range u {
		switch {
		case c == ':':
			return i
		case !isLetter(c) && !isDigit(c) && c != '+' && c != '-' && c != '.':
			return 0
		}
	}
	return 0
}

func protocol(u []byte) (int, int) {
	n := scheme(u)
	if string(u[n:]) == "://" { // nothing follows
		return 0, 0
	}
	return 0, n
}

// hostStart gives where user, host and port begin, and whether // said so.
func hostStart(u []byte) (int, bool) {
	if bytes.HasPrefix(u, []byte("//")) {
		return 2, true
	}
	if n := scheme(u); n > 0 && bytes.HasPrefix(u[n:], []byte("://")) {
		return n + 3, true
	}
	return 0, false
}

func domain(u []byte) (int, int)    { return host(u, false) }
func domainRFC(u []byte) (int, int) { return host(u, true) }

// host reads the host. There must be a dot in it. Only with rfc may a password
// stand before it.
func host(u []byte, rfc bool) (int, int) {
	from, sure := hostStart(u)
	if rfc {
		if start, end, ok := bracketed(u, from, sure); ok {
			return start, end
		}
	}
	start, dot, colon := from, -1, -1
	i := from
scan:
	for ; i < len(u); i++ {
		switch c := u[i]; c {
		case '.':
			if i == start || i+1 < len(u) && u[i+1] == '.' {
				return 0, 0
			}
			dot = i
		case ':':
			if !rfc || colon >= 0 || i == start {
				break scan
			}
			colon = i
			if !sure && !(i+1 < len(u) && isDigit(u[i+1])) && bytes.IndexByte(u[i:], '@') < 0 {
				break scan
			}
		case '/', '?', '#':
			break scan
		case '@': // what came before was user and password
			start, dot, colon, sure = i+1, -1, -1, true
		case ' ', '\t', '<', '>', '%', '{', '}', '|', '\\', '^', '~', '[', ']', ';', '=', '&':
			return 0, 0
		}
	}
	end := i
	if colon >= 0 {
		end = colon
	}
	if dot < 0 || dot >= end || end <= start {
		return 0, 0
	}
	return start, end
}

// bracketed finds [address] behind user and password: letters, digits and
// colons, of which there is one unless // says that here is a host.
func bracketed(u []byte, from int, sure bool) (start, end int, ok bool) {
	if at := bytes.IndexAny(u[from:], "@/?#["); at >= 0 && u[from+at] == '@' {
		from += at + 1
	}
	if from >= len(u) || u[from] != '[' {
		return 0, 0, false
	}
	n := bytes.IndexByte(u[from:], ']')
	if n < 0 {
		return 0, 0, true
	}
	for _, c := range u[from+1 : from+n] {
		if !isLetter(c) && !isDigit(c) && c != ':' {
			return 0, 0, true
		}
		sure = sure || c == ':'
	}
	if !sure {
		return 0, 0, true
	}
	return from + 1, from + n, true
}

func withoutWWW(u []byte) (int, int) {
	from, to := domain(u)
	if bytes.HasPrefix(u[from:to], []byte("www.")) {
		from += 4
	}
	return from, to
}

func topLevel(u []byte) (int, int) {
	from, to := domain(u)
	host := u[from:to]
	if len(host) == 0 {
		return 0, 0
	}
	dot := bytes.LastIndexByte(host, '.')
	if dot < 0 || dot+1 < len(host) && isDigit(host[dot+1]) || dot == len(host)-1 { // an address has none
		return 0, 0
	}
	return from + dot + 1, to
}

// secondLevel are the labels that count with the top level as one suffix.
func secondLevel(label []byte) bool {
	switch string(label) {
	case "com", "net", "org", "co", "biz", "gov", "mil", "edu":
		return true
	}
	return false
}

// significant gives the label before the public suffix and the host's end.
func significant(u []byte) (from, to, end int) {
	start, end := withoutWWW(u)
	host := u[start:end]
	last := bytes.LastIndexByte(host, '.')
	if last < 0 {
		return start, end, end
	}
	second := bytes.LastIndexByte(host[:last], '.')
	if second < 0 {
		return start, start + last, end
	}
	if !secondLevel(host[second+1 : last]) {
		return start + second + 1, start + last, end
	}
	third := bytes.LastIndexByte(host[:second], '.')
	return start + third + 1, start + second, end
}

func cutToSignificant(u []byte, www bool) (int, int) {
	from, _, end := significant(u)
	start, hostEnd := domain(u)
	if www && bytes.IndexByte(u[from:end], '.') < 0 {
		return start, hostEnd
	}
	return from, end
}

func pathStart(u []byte) int {
	from := 0
	if at := bytes.Index(u, []byte("://")); at >= 0 && !bytes.ContainsAny(u[:at], "/?#") {
		from = at + 3
	} else if bytes.HasPrefix(u, []byte("//")) {
		from = 2
	}
	at := bytes.IndexAny(u[from:], "/?#")
	if at < 0 || u[from+at] != '/' {
		return -1
	}
	return from + at
}

func path(u []byte) (int, int) {
	from := pathStart(u)
	if from < 0 {
		return 0, 0
	}
	to := bytes.IndexAny(u[from:], "?#")
	if to < 0 {
		return from, len(u)
	}
	return from, from + to
}

func pathFull(u []byte) (int, int) {
	if from := pathStart(u); from >= 0 {
		return from, len(u)
	}
	return 0, 0
}

func queryString(u []byte) (int, int) {
	at := bytes.IndexAny(u, "?#")
	if at < 0 || u[at] == '#' {
		return 0, 0
	}
	if end := bytes.IndexByte(u[at:], '#'); end >= 0 {
		return at + 1, at + end
	}
	return at + 1, len(u)
}

func fragment(u []byte) (int, int) {
	if at := bytes.IndexByte(u, '#'); at >= 0 {
		return at + 1, len(u)
	}
	return 0, 0
}

func queryAndFragment(u []byte) (int, int) {
	at := bytes.IndexAny(u, "?#")
	switch {
	case at < 0:
		return 0, 0
	case u[at] == '#': // here the sign stays
		return at, len(u)
	}
	return at + 1, len(u)
}

// netloc ends at a fragment before it ends at a path, as in
// netloc('http://a/b#c') = 'a/b', but not behind a user or a space.
func netloc(u []byte) (int, int) {
	from, _ := hostStart(u)
	to := bytes.IndexByte(u[from:], '#')
	if to < 0 || bytes.ContainsAny(u[from:from+to], " @") {
		to = bytes.IndexAny(u[from:], "/?#")
	}
	if to < 0 {
		return from, len(u)
	}
	return from, from + to
}

var (
	_ = addPort("port")
	_ = addPort("portRFC")
)

func addPort(name string) bool {
	return add(functions.Scalar{
		Name: name, MinArgs: 1, MaxArgs: 2,
		Doc: functions.Doc{Syntax: name + "(url[, default])", Summary: "The port, else a default or 0.", Examples: []string{"SELECT " + name + "('http://example.com:80/')"}},
		Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
			if err := kernel.Check(name, "Si", args); err != nil {
				return nil, err
			}
			if len(args) == 2 && args[1].Type.Kind() != types.KindUInt16 {
				return nil, kernel.WrongType(name, 1, args[1].Type)
			}
			return kernel.Fn(types.UInt16, func(args []column.Column, rows int) (column.Column, error) {
				in := kernel.Strings(args[0])
				other := kernel.Integers(column.NewConst(column.NewFixed([]uint16{0}), rows))
				if len(args) == 2 {
					other = kernel.Integers(args[1])
				}
				return kernel.Each(rows, func(i int) uint16 { return port(in.At(i), uint16(other.At(i))) }), nil
			}), nil
		},
	})
}

func port(u []byte, other uint16) uint16 {
	_, end := domain(u)
	if end == 0 || end >= len(u) || u[end] != ':' {
		return other
	}
	digits := u[end+1:]
	n := 0
	for n < len(digits) && isDigit(digits[n]) {
		n++
	}
	v, err := strconv.ParseUint(string(digits[:n]), 10, 16)
	if err != nil {
		return other
	}
	return uint16(v)
}
