package exprtest

import (
	"math"
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// node is an expression before binding.
type node struct {
	call   string   // function name
	name   string   // identifier
	params []string // of a lambda, whose body is args[0]
	args   []*node
	lit    column.Value
	typ    *types.Type // of lit
}

type parser struct {
	s   string
	pos int
}

// parse reads an expression. The cases are our own: a slip in one is a bug.
func parse(s string) *node {
	p := &parser{s: s}
	n := p.expr(0)
	p.space()
	if p.pos != len(p.s) {
		p.fail("unexpected " + p.s[p.pos:])
	}
	return n
}

func (p *parser) fail(msg string) { cherr.Bug("case %s: %s", p.s, msg) }

func (p *parser) space() {
	for p.pos < len(p.s) && p.s[p.pos] == ' ' {
		p.pos++
	}
}

func (p *parser) peek(t string) bool {
	p.space()
	return strings.HasPrefix(p.s[p.pos:], t)
}

func (p *parser) take(t string) bool {
	if p.peek(t) {
		p.pos += len(t)
		return true
	}
	return false
}

func (p *parser) want(t string) {
	if !p.take(t) {
		p.fail("expected " + t + " at " + p.s[p.pos:])
	}
}

type operator struct {
	text, fn string
	prec     int
}

var operators = []operator{
	{"||", "concat", 4},
	{"!=", "notEquals", 3},
	{"<=", "lessOrEquals", 3},
	{">=", "greaterOrEquals", 3},
	{"==", "equals", 3},
	{"=", "equals", 3},
	{"<", "less", 3},
	{">", "greater", 3},
	{"AND ", "and", 1},
	{"OR ", "or", 1},
	{"+", "plus", 5},
	{"-", "minus", 5},
	{"*", "multiply", 6},
	{"/", "divide", 6},
	{"%", "modulo", 6},
}

func (p *parser) expr(min int) *node {
	left := p.postfix()
next:
	for {
		if p.peek("->") {
			return left
		}
		for _, o := range operators {
			if o.prec > min && p.take(o.text) {
				left = &node{call: o.fn, args: []*node{left, p.expr(o.prec)}}
				continue next
			}
		}
		return left
	}
}

func (p *parser) postfix() *node {
	n := p.primary()
	for {
		switch {
		case p.pos < len(p.s) && p.s[p.pos] == '[':
			p.want("[")
			n = &node{call: "arrayElement", args: append([]*node{n}, p.list("]")...)}
		case p.pos+1 < len(p.s) && p.s[p.pos] == '.' && p.s[p.pos+1] >= '1' && p.s[p.pos+1] <= '9':
			p.pos++
			n = &node{call: "tupleElement", args: []*node{n, p.number()}}
		case p.take("::"):
			from := p.pos
			p.typeName()
			n = &node{call: "CAST", args: []*node{n, {lit: p.s[from:p.pos], typ: types.String}}}
		default:
			return n
		}
	}
}

func (p *parser) typeName() {
	p.ident()
	if p.take("(") {
		for depth := 1; depth > 0; p.pos++ {
			switch p.s[p.pos] {
			case '(':
				depth++
			case ')':
				depth--
			}
		}
	}
}

func (p *parser) list(end string) []*node {
	var out []*node
	for !p.take(end) {
		if len(out) > 0 {
			p.want(",")
		}
		out = append(out, p.lambda())
	}
	return out
}

func (p *parser) lambda() *node {
	n := p.expr(0)
	if !p.take("->") {
		return n
	}
	var params []string
	switch {
	case n.name != "":
		params = []string{n.name}
	case n.call == "tuple":
		for _, a := range n.args {
			params = append(params, a.name)
		}
	default:
		p.fail("bad lambda")
	}
	return &node{params: params, args: []*node{p.expr(0)}}
}

func (p *parser) primary() *node {
	p.space()
	if p.pos >= len(p.s) {
		p.fail("unexpected end")
	}
	switch c := p.s[p.pos]; {
	case c == '\'':
		return &node{lit: p.str(), typ: types.String}
	case c >= '0' && c <= '9':
		return p.number()
	case c == '-':
		p.pos++
		n := p.primary()
		if n.typ == nil {
			return &node{call: "negate", args: []*node{n}}
		}
		return negative(n)
	case p.take("["):
		return &node{call: "array", args: p.list("]")}
	case p.take("("):
		l := p.list(")")
		if len(l) == 1 && !p.peek("->") {
			return l[0]
		}
		return &node{call: "tuple", args: l}
	}
	id := p.ident()
	switch strings.ToLower(id) {
	case "null":
		return &node{typ: types.NullableNothing}
	case "true":
		return &node{lit: uint8(1), typ: types.Bool}
	case "false":
		return &node{lit: uint8(0), typ: types.Bool}
	case "inf":
		return &node{lit: math.Inf(1), typ: types.Float64}
	case "nan":
		return &node{lit: math.NaN(), typ: types.Float64}
	}
	if p.pos < len(p.s) && p.s[p.pos] == '(' {
		p.pos++
		return &node{call: id, args: p.list(")")}
	}
	return &node{name: id}
}

func (p *parser) ident() string {
	p.space()
	from := p.pos
	for p.pos < len(p.s) {
		c := p.s[p.pos]
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			break
		}
		p.pos++
	}
	if from == p.pos {
		p.fail("expected a name at " + p.s[from:])
	}
	return p.s[from:p.pos]
}

func (p *parser) str() string {
	var b strings.Builder
	p.pos++
	for {
		c := p.s[p.pos]
		p.pos++
		switch c {
		case '\'':
			if p.pos < len(p.s) && p.s[p.pos] == '\'' {
				p.pos++
				b.WriteByte('\'')
				continue
			}
			return b.String()
		case '\\':
			p.escape(&b)
		default:
			b.WriteByte(c)
		}
	}
}

func (p *parser) escape(b *strings.Builder) {
	e := p.s[p.pos]
	p.pos++
	switch e {
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case 'r':
		b.WriteByte('\r')
	case '0':
		b.WriteByte(0)
	case 'x':
		v, err := strconv.ParseUint(p.s[p.pos:p.pos+2], 16, 8)
		if err != nil {
			p.fail("bad escape")
		}
		p.pos += 2
		b.WriteByte(byte(v))
	case '\\', '\'':
		b.WriteByte(e)
	default:
		b.WriteByte('\\')
		b.WriteByte(e)
	}
}

func (p *parser) number() *node {
	p.space()
	from := p.pos
	isFloat := false
	for p.pos < len(p.s) {
		c := p.s[p.pos]
		switch {
		case c >= '0' && c <= '9':
		case c == '.' && p.pos+1 < len(p.s) && p.s[p.pos+1] >= '0' && p.s[p.pos+1] <= '9', c == 'e':
			isFloat = true
		case c == '-' && p.s[p.pos-1] == 'e':
		default:
			return p.numeral(p.s[from:p.pos], isFloat)
		}
		p.pos++
	}
	return p.numeral(p.s[from:p.pos], isFloat)
}

func (p *parser) numeral(s string, isFloat bool) *node {
	if isFloat {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			p.fail(err.Error())
		}
		return &node{lit: f, typ: types.Float64}
	}
	u, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		p.fail(err.Error())
	}
	switch {
	case u < 1<<8:
		return &node{lit: uint8(u), typ: types.UInt8}
	case u < 1<<16:
		return &node{lit: uint16(u), typ: types.UInt16}
	case u < 1<<32:
		return &node{lit: uint32(u), typ: types.UInt32}
	}
	return &node{lit: u, typ: types.UInt64}
}

func negative(n *node) *node {
	var v int64
	switch x := n.lit.(type) {
	case float64:
		return &node{lit: -x, typ: types.Float64}
	case uint8:
		v = -int64(x)
	case uint16:
		v = -int64(x)
	case uint32:
		v = -int64(x)
	case uint64:
		v = -int64(x)
	}
	switch {
	case v >= math.MinInt8:
		return &node{lit: int8(v), typ: types.Int8}
	case v >= math.MinInt16:
		return &node{lit: int16(v), typ: types.Int16}
	case v >= math.MinInt32:
		return &node{lit: int32(v), typ: types.Int32}
	}
	return &node{lit: v, typ: types.Int64}
}
