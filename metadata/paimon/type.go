package paimon

import (
	"fmt"
	"strconv"
	"strings"

	"lakeserver/cherr"
)

// Kind is the family of a Paimon type.
type Kind uint8

// Paimon's types.
const (
	Unsupported Kind = iota // a name that is not known
	Boolean
	TinyInt
	SmallInt
	Int
	BigInt
	Float
	Double
	Decimal
	Char
	VarChar // STRING is the longest
	Binary
	VarBinary // BYTES is the longest
	Date
	Time
	Timestamp
	TimestampLTZ // WITH LOCAL TIME ZONE
	Variant
	Blob
	Array
	Multiset
	Map
	Row
	Vector
)

// MaxLength is the length of STRING and BYTES.
const MaxLength = 1<<31 - 1

// Type is one Paimon type. It is immutable.
type Type struct {
	Kind      Kind
	NotNull   bool
	Length    int // Char, VarChar, Binary, VarBinary, Vector
	Precision int // Decimal, Time, Timestamp, TimestampLTZ
	Scale     int // Decimal
	Key, Elem *Type
	Fields    []Field // Row
	name      string  // as written, of Unsupported
}

// Field is a column, or a field of a ROW.
type Field struct {
	ID          int
	Name        string
	Type        *Type
	Description string
	Default     *string // text of the default value, of writes alone
}

// Nested tells whether the type has parts.
func (t *Type) Nested() bool { return t.Kind >= Array }

// Nullable gives the type without NOT NULL.
func (t *Type) Nullable() *Type {
	if !t.NotNull {
		return t
	}
	out := *t
	out.NotNull = false
	return &out
}

// Equal tells whether two types are the same, NOT NULL and field ids left out.
func (t *Type) Equal(o *Type) bool { return t.Nullable().String() == o.Nullable().String() }

// IsText tells whether values are characters.
func (t *Type) IsText() bool { return t.Kind == Char || t.Kind == VarChar }

// IsBytes tells whether values are bytes.
func (t *Type) IsBytes() bool { return t.Kind == Binary || t.Kind == VarBinary || t.Kind == Blob }

// String gives the type as SQL spells it, NOT NULL with it.
func (t *Type) String() string {
	s := t.plain()
	if t.NotNull {
		s += " NOT NULL"
	}
	return s
}

var simpleNames = map[Kind]string{
	Boolean: "BOOLEAN", TinyInt: "TINYINT", SmallInt: "SMALLINT", Int: "INT", BigInt: "BIGINT", Float: "FLOAT",
	Double: "DOUBLE", Date: "DATE", Variant: "VARIANT", Blob: "BLOB",
}

func (t *Type) plain() string { // long: one case a type
	if n, ok := simpleNames[t.Kind]; ok {
		return n
	}
	switch t.Kind {
	case Decimal:
		return fmt.Sprintf("DECIMAL(%d, %d)", t.Precision, t.Scale)
	case Char:
		return fmt.Sprintf("CHAR(%d)", t.Length)
	case VarChar:
		if t.Length == MaxLength {
			return "STRING"
		}
		return fmt.Sprintf("VARCHAR(%d)", t.Length)
	case Binary:
		return fmt.Sprintf("BINARY(%d)", t.Length)
	case VarBinary:
		if t.Length == MaxLength {
			return "BYTES"
		}
		return fmt.Sprintf("VARBINARY(%d)", t.Length)
	case Time:
		return fmt.Sprintf("TIME(%d)", t.Precision)
	case Timestamp:
		return fmt.Sprintf("TIMESTAMP(%d)", t.Precision)
	case TimestampLTZ:
		return fmt.Sprintf("TIMESTAMP(%d) WITH LOCAL TIME ZONE", t.Precision)
	case Array:
		return "ARRAY<" + t.Elem.String() + ">"
	case Multiset:
		return "MULTISET<" + t.Elem.String() + ">"
	case Map:
		return "MAP<" + t.Key.String() + ", " + t.Elem.String() + ">"
	case Vector:
		return fmt.Sprintf("VECTOR<%s, %d>", t.Elem, t.Length)
	case Row:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = "`" + strings.ReplaceAll(f.Name, "`", "``") + "` " + f.Type.String()
			if f.Description != "" {
				parts[i] += " COMMENT '" + strings.ReplaceAll(f.Description, "'", "''") + "'"
			}
		}
		return "ROW<" + strings.Join(parts, ", ") + ">"
	}
	return t.name
}

// ParseType reads a type as SQL spells it; a name that is not known gives
// Unsupported, so that other columns can be read.
func ParseType(text string) (*Type, error) {
	p := &typeParser{text: text}
	t, err := p.parse(0)
	if err == nil && p.peek() != 0 {
		err = p.bad()
	}
	return t, err
}

type typeParser struct {
	text string
	at   int
}

// maxDepth bounds nesting of types.
const maxDepth = 100

func (p *typeParser) bad() error {
	return cherr.New(cherr.IncorrectData, "type '%s' is not well-formed at character %d", p.text, p.at)
}

func (p *typeParser) peek() byte {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t' || p.text[p.at] == '\n') {
		p.at++
	}
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

func (p *typeParser) eat(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.at++
	return true
}

// word gives the next word in upper case, "" when something else stands there.
func (p *typeParser) word() string {
	p.peek()
	from := p.at
	for p.at < len(p.text) && (p.text[p.at] == '_' || p.text[p.at] >= '0' && p.text[p.at] <= '9' || p.text[p.at]|0x20 >= 'a' && p.text[p.at]|0x20 <= 'z') {
		p.at++
	}
	return strings.ToUpper(p.text[from:p.at])
}

// words eats the words when all of them follow.
func (p *typeParser) words(ws ...string) bool {
	from := p.at
	for _, w := range ws {
		if p.word() != w {
			p.at = from
			return false
		}
	}
	return true
}

func (p *typeParser) numbers() ([]int, error) {
	if !p.eat('(') {
		return nil, nil
	}
	var out []int
	for {
		n, err := strconv.Atoi(p.word())
		if err != nil {
			return nil, p.bad()
		}
		out = append(out, n)
		if p.eat(')') {
			return out, nil
		}
		if !p.eat(',') {
			return nil, p.bad()
		}
	}
}

func (p *typeParser) parse(depth int) (*Type, error) {
	if depth > maxDepth {
		return nil, cherr.New(cherr.IncorrectData, "a type is nested too deep")
	}
	from := p.at
	name := p.word()
	if name == "" {
		return nil, p.bad()
	}
	t := &Type{}
	var err error
	if p.peek() == '<' {
		err = p.nested(t, name, depth)
	} else {
		var args []int
		if args, err = p.numbers(); err == nil {
			p.simple(t, name, args)
		}
	}
	if err != nil {
		return nil, err
	}
	if t.Kind == Unsupported {
		t.name = strings.TrimSpace(p.text[from:p.at])
	}
	if p.words("NOT", "NULL") {
		t.NotNull = true
	} else {
		p.words("NULL")
	}
	return t, nil
}

func arg(args []int, i, def int) int {
	if i < len(args) {
		return args[i]
	}
	return def
}

var simpleKinds = map[string]Kind{
	"BOOLEAN": Boolean, "TINYINT": TinyInt, "SMALLINT": SmallInt, "INT": Int, "INTEGER": Int, "BIGINT": BigInt, "FLOAT": Float,
	"DOUBLE": Double, "DATE": Date, "VARIANT": Variant, "BLOB": Blob, "DECIMAL": Decimal, "NUMERIC": Decimal, "DEC": Decimal,
	"CHAR": Char, "VARCHAR": VarChar, "STRING": VarChar, "BINARY": Binary, "VARBINARY": VarBinary, "BYTES": VarBinary,
	"TIME": Time, "TIMESTAMP": Timestamp, "TIMESTAMP_LTZ": TimestampLTZ,
}

func (p *typeParser) simple(t *Type, name string, args []int) {
	t.Kind = simpleKinds[name]
	switch t.Kind {
	case Double:
		p.words("PRECISION")
	case Decimal:
		t.Precision, t.Scale = arg(args, 0, 10), arg(args, 1, 0)
		if t.Precision < 1 || t.Precision > 38 || t.Scale < 0 || t.Scale > t.Precision {
			t.Kind = Unsupported
		}
	case Char, VarChar, Binary, VarBinary:
		t.Length = arg(args, 0, 1)
		if name == "STRING" || name == "BYTES" {
			t.Length = MaxLength
		}
	case Time:
		t.Precision = arg(args, 0, 0)
		p.words("WITHOUT", "TIME", "ZONE")
	case Timestamp, TimestampLTZ:
		t.Precision = arg(args, 0, 6)
		if !p.words("WITHOUT", "TIME", "ZONE") && p.words("WITH", "LOCAL", "TIME", "ZONE") {
			t.Kind = TimestampLTZ
		}
	}
	if (t.Kind == Time || t.Kind == Timestamp || t.Kind == TimestampLTZ) && (t.Precision < 0 || t.Precision > 9) {
		t.Kind = Unsupported
	}
}

var nestedKinds = map[string]Kind{"ARRAY": Array, "MULTISET": Multiset, "MAP": Map, "ROW": Row, "VECTOR": Vector}

func (p *typeParser) nested(t *Type, name string, depth int) (err error) {
	t.Kind = nestedKinds[name]
	p.eat('<')
	switch t.Kind {
	case Map:
		if t.Key, err = p.parse(depth + 1); err == nil && !p.eat(',') {
			err = p.bad()
		}
	case Row:
		if p.eat('>') {
			return nil
		}
		return p.fields(t, depth)
	}
	if err != nil {
		return err
	}
	if t.Elem, err = p.parse(depth + 1); err != nil {
		return err
	}
	if t.Kind == Vector {
		if !p.eat(',') {
			return p.bad()
		}
		if t.Length, err = strconv.Atoi(p.word()); err != nil {
			return p.bad()
		}
	}
	if !p.eat('>') {
		return p.bad()
	}
	return nil
}

// fields reads the fields of a ROW; the text has no ids, so they are counted.
func (p *typeParser) fields(t *Type, depth int) error {
	for {
		name, err := p.fieldName()
		if err != nil {
			return err
		}
		ft, err := p.parse(depth + 1)
		if err != nil {
			return err
		}
		f := Field{ID: len(t.Fields), Name: name, Type: ft}
		if p.words("COMMENT"); p.peek() == '\'' {
			if f.Description, err = p.quoted('\''); err != nil {
				return err
			}
		}
		t.Fields = append(t.Fields, f)
		if p.eat('>') {
			return nil
		}
		if !p.eat(',') {
			return p.bad()
		}
	}
}

func (p *typeParser) fieldName() (string, error) {
	if p.peek() == '`' {
		return p.quoted('`')
	}
	from := p.at
	if p.word() == "" {
		return "", p.bad()
	}
	return p.text[from:p.at], nil
}

func (p *typeParser) quoted(q byte) (string, error) {
	p.at++
	var b strings.Builder
	for p.at < len(p.text) {
		c := p.text[p.at]
		p.at++
		if c != q {
			b.WriteByte(c)
			continue
		}
		if p.at == len(p.text) || p.text[p.at] != q {
			return b.String(), nil
		}
		b.WriteByte(q)
		p.at++
	}
	return "", p.bad()
}
