package mysql

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/engine/ast"
)

// prepared is a statement with places for values.
type prepared struct {
	text  string
	marks []int          // places of the question marks
	types []byte         // of the values: type and sign, as sent last
	long  map[int][]byte // values that came ahead in pieces
}

// maxPrepared is how many statements a connection may keep.
const maxPrepared = 10000

// maxParams is how many values the protocol can count.
const maxParams = 1<<16 - 1

func statementID(b []byte) uint32 {
	if len(b) < 4 {
		return 0
	}
	return binary.LittleEndian.Uint32(b)
}

func unknownStatement(id uint32) error {
	return cherr.New(cherr.BadArguments, "Unknown prepared statement handler (%d)", id)
}

// prepare keeps a statement. What columns it gives is told when it is
// executed, as ClickHouse does.
func (c *conn) prepare(text string) error {
	if len(c.stmts) >= maxPrepared {
		return cherr.New(cherr.LimitExceeded, "Too many prepared statements")
	}
	s := &prepared{text: text, marks: placeholders(text)}
	if len(s.marks) > maxParams {
		return cherr.New(cherr.LimitExceeded, "Prepared statement contains too many placeholders")
	}
	c.lastStmt++
	c.stmts[c.lastStmt] = s
	b := binary.LittleEndian.AppendUint32([]byte{0}, c.lastStmt)
	b = append(b, 0, 0) // columns
	b = binary.LittleEndian.AppendUint16(b, uint16(len(s.marks)))
	if err := c.send(append(b, 0, 0, 0)); err != nil {
		return err
	}
	for range s.marks {
		if err := c.send(appendDefinition(nil, "", "", "?", "", definition{kind: typeString, charset: binaryCharset, flags: flagBinary})); err != nil {
			return err
		}
	}
	if len(s.marks) > 0 && c.caps&capDeprecateEOF == 0 {
		return c.eof(0)
	}
	return c.flush()
}

// longData keeps a piece of a value; errors show when it is executed.
func (c *conn) longData(b []byte) {
	s := c.stmts[statementID(b)]
	if s == nil || len(b) < 6 {
		return
	}
	n := int(binary.LittleEndian.Uint16(b[4:]))
	if s.long == nil {
		s.long = map[int][]byte{}
	}
	if len(s.long[n])+len(b) <= c.p.max {
		s.long[n] = append(s.long[n], b[6:]...)
	}
}

// execute runs a prepared statement with its values.
func (c *conn) execute(ctx context.Context, b []byte) error {
	s := c.stmts[statementID(b)]
	if s == nil {
		return unknownStatement(statementID(b))
	}
	f := &fields{rest: b}
	f.take(4 + 1 + 4) // id, cursor, iterations
	values, err := s.values(f)
	s.long = nil
	if err != nil {
		return err
	}
	return c.statement(ctx, s.fill(values), true, 0)
}

// fill puts values in the places of the question marks.
func (s *prepared) fill(values []string) string {
	var b strings.Builder
	from := 0
	for i, at := range s.marks {
		b.WriteString(s.text[from:at])
		b.WriteString(values[i])
		from = at + 1
	}
	b.WriteString(s.text[from:])
	return b.String()
}

// values reads the values of an execution as literals.
func (s *prepared) values(f *fields) ([]string, error) {
	n := len(s.marks)
	if n == 0 {
		return nil, f.err
	}
	null := f.take((n + 7) / 8)
	if f.uint(1) == 1 {
		s.types = append([]byte(nil), f.take(2*n)...)
	}
	if f.err != nil {
		return nil, f.err
	}
	if len(s.types) != 2*n {
		return nil, cherr.New(cherr.UnexpectedPacketFromClient, "The types of the parameters were not sent")
	}
	out := make([]string, n)
	for i := range out {
		long, isLong := s.long[i]
		switch {
		case null[i/8]&(1<<(i%8)) != 0:
			out[i] = "NULL"
		case isLong:
			out[i] = ast.QuoteString(string(long))
		default:
			var err error
			if out[i], err = literal(f, s.types[2*i], s.types[2*i+1]&0x80 != 0); err != nil {
				return nil, err
			}
		}
	}
	return out, f.err
}

// literal reads one value as SQL text.
func literal(f *fields, kind byte, unsigned bool) (string, error) { // long: one case a type
	integer := func(bytes int) string {
		v := f.uint(bytes)
		if unsigned {
			return strconv.FormatUint(v, 10)
		}
		shift := 64 - 8*bytes
		signed := int64(v<<shift) >> shift
		if signed < 0 {
			return "(" + strconv.FormatInt(signed, 10) + ")"
		}
		return strconv.FormatInt(signed, 10)
	}
	switch kind {
	case typeNull:
		return "NULL", nil
	case typeTiny:
		return integer(1), f.err
	case typeShort, typeYear:
		return integer(2), f.err
	case typeLong, 0x09: // INT24
		return integer(4), f.err
	case typeLongLong:
		return integer(8), f.err
	case typeFloat:
		return float(float64(math.Float32frombits(uint32(f.uint(4)))), 32), f.err
	case typeDouble:
		return float(math.Float64frombits(f.uint(8)), 64), f.err
	case typeDate, typeDateTime, 0x07: // TIMESTAMP
		return ast.QuoteString(moment(f.take(int(f.uint(1))))), f.err
	case typeTime:
		return ast.QuoteString(timeOfDay(f.take(int(f.uint(1))))), f.err
	case typeDecimal, 0x0f, 0x10, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, typeString:
		return ast.QuoteString(string(f.text())), f.err
	}
	return "", cherr.New(cherr.NotImplemented, "Parameters of type %d are not supported", kind)
}

// float is a number's text; infinities and NaN are words in ClickHouse.
func float(v float64, bits int) string {
	switch {
	case math.IsNaN(v):
		return "nan"
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "(-inf)"
	}
	s := strconv.FormatFloat(v, 'g', -1, bits)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	if v < 0 {
		return "(" + s + ")"
	}
	return s
}

// moment reads a date or time of the binary protocol.
func moment(b []byte) string {
	b = append(append([]byte(nil), b...), make([]byte, 11)...)[:max(11, len(b))]
	g := &fields{rest: b}
	year, month, day := g.uint(2), g.uint(1), g.uint(1)
	hour, minute, second, micro := g.uint(1), g.uint(1), g.uint(1), g.uint(4)
	s := fmt.Sprintf("%04d-%02d-%02d", year, month, day)
	if hour|minute|second|micro != 0 {
		s += fmt.Sprintf(" %02d:%02d:%02d", hour, minute, second)
	}
	if micro != 0 {
		s += fmt.Sprintf(".%06d", micro)
	}
	return s
}

// timeOfDay reads a TIME of the binary protocol.
func timeOfDay(b []byte) string {
	b = append(append([]byte(nil), b...), make([]byte, 12)...)[:max(12, len(b))]
	g := &fields{rest: b}
	negative, days, hour, minute, second, micro := g.uint(1), g.uint(4), g.uint(1), g.uint(1), g.uint(1), g.uint(4)
	s := fmt.Sprintf("%02d:%02d:%02d", days*24+hour, minute, second)
	if micro != 0 {
		s += fmt.Sprintf(".%06d", micro)
	}
	if negative == 1 {
		s = "-" + s
	}
	return s
}
