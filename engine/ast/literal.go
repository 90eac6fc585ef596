package ast

import "strconv"

// LiteralKind says which field of a Literal holds its value.
type LiteralKind uint8

// The kinds of literals.
const (
	Null   LiteralKind = iota
	Bool               // Uint is 0 or 1
	Uint               // Uint: an unsigned number up to 64 bits
	Int                // Int: a negative number down to -2^63
	Float              // Float; Text keeps the digits as they were written
	String             // Text: the bytes, escapes undone
)

// Literal is a constant as ClickHouse's parser understands it: a minus sign
// before digits belongs to the number, and an integer beyond 64 bits is a Float. Arrays and tuples of literals are
// Function nodes array and tuple with Operator set.
type Literal struct {
	At
	Kind  LiteralKind
	Uint  uint64
	Int   int64
	Float float64
	// Text is a String's value; for numbers the digits as written (without
	// underscores), which a cast to Decimal needs exactly.
	Text string
}

func (*Literal) expr()                {}
func (*Literal) edit(func(Node) Node) {}

// NewString makes a string literal without a place.
func NewString(s string) *Literal { return &Literal{Kind: String, Text: s} }

// NewUint makes an unsigned literal without a place.
func NewUint(v uint64) *Literal {
	return &Literal{Kind: Uint, Uint: v, Text: strconv.FormatUint(v, 10)}
}

// IsNumber tells whether the literal is a number (not a Bool).
func (l *Literal) IsNumber() bool { return l.Kind >= Uint && l.Kind <= Float }
