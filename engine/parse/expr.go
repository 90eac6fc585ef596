package parse

import (
	"strings"

	"lakeserver/engine/ast"
)

// The strength of operators, weakest first; a binary operator takes a right
// operand of greater strength than its own, so all associate to the left.
const (
	bindAny = iota
	bindLambda
	bindTernary
	bindOr
	bindAnd
	bindNot
	bindIs
	bindBetween
	_
	bindCompare
	bindConcat
	bindAdd
	bindMultiply
	bindNegate
	bindAccess
)

// exprAlias reads an expression and its alias; bare allows one without AS.
func (p *parser) exprAlias(bare bool) ast.Expr {
	at := p.place()
	e := p.expr()
	if p.word("AS") {
		if v, ok := e.(*ast.Aliased); ok && strings.HasPrefix(v.Alias, "@@") {
			e = v.Expr // @@x is only named so where nothing else names it
		}
		a := &ast.Aliased{At: at, Expr: e}
		a.Alias, a.Param = p.identParam()
		return a
	}
	if bare && p.bareAlias() {
		return &ast.Aliased{At: at, Expr: e, Alias: p.ident()}
	}
	return e
}

// exprAs is an expression with AS alias allowed.
func (p *parser) exprAs() ast.Expr { return p.exprAlias(false) }

// expr reads an expression without alias.
func (p *parser) expr() ast.Expr { return p.binary(bindAny) }

// exprs reads a list with aliases by AS allowed.
func (p *parser) exprs() []ast.Expr { return list(p, p.exprAs) }

// notAlias are the words that cannot be an alias without AS.
func notAlias(w string) bool {
	var b [12]byte
	if len(w) > len(b) {
		return false
	}
	for i := range len(w) {
		c := w[i]
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		b[i] = c
	}
	switch string(b[:len(w)]) {
	case "ALL", "ANTI", "ANY", "ARRAY", "AS", "ASOF", "BETWEEN", "CROSS", "ELSE", "EXCEPT", "FINAL", "FORMAT", "FROM",
		"FULL", "GLOBAL", "GROUP", "HAVING", "ILIKE", "INNER", "INTERSECT", "INTO", "JOIN", "LEFT", "LIKE", "LIMIT",
		"NATURAL", "NOT", "OFFSET", "ON", "ONLY", "ORDER", "PARALLEL", "PASTE", "PREWHERE", "QUALIFY", "RIGHT", "SAMPLE",
		"SEMI", "SETTINGS", "UNION", "USING", "WHERE", "WINDOW", "WITH":
		return true
	}
	return false
}

func (p *parser) bareAlias() bool {
	t := p.cur()
	return t.kind == tQuoted || t.kind == tWord && !notAlias(p.raw(t))
}

// binary reads an expression whose operators all bind stronger than min.
func (p *parser) binary(min int) ast.Expr {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	left := p.prefix()
	// chain is the and, or or concat that this very loop made: one in brackets
	// is not continued.
	var chain *ast.Function
	for !p.failed {
		at := p.place()
		op, ok := p.operator(min)
		if !ok {
			return left
		}
		if op.form == formMerge {
			chain = p.chain(chain, left, op, at)
			left = chain
			continue
		}
		chain, left = nil, p.apply(left, op, at)
	}
	return left
}

// chain adds the next operand to the chain, or begins one.
func (p *parser) chain(chain *ast.Function, left ast.Expr, op operator, at ast.At) *ast.Function {
	right := p.binary(op.bind)
	if chain != nil && chain.Name == op.name {
		chain.Args = append(chain.Args, right)
		return chain
	}
	return &ast.Function{At: at, Name: op.name, Args: []ast.Expr{left, right}, Operator: true}
}

func (p *parser) prefix() ast.Expr {
	at := p.place()
	t := p.cur()
	switch {
	case t.kind == tWord && t.end-t.start == 3 && p.isWord(0, "NOT") && (p.peek(1).kind == tWord || !p.notOperand(1)):
		p.pos++
		return &ast.Function{At: at, Name: "not", Args: []ast.Expr{p.binary(bindNot - 1)}, Operator: true}
	case t.kind == '-':
		p.pos++
		if l := p.negativeNumber(at); l != nil {
			return p.postfix(l, t)
		}
		return &ast.Function{At: at, Name: "negate", Args: []ast.Expr{p.binary(bindNegate - 1)}, Operator: true}
	case t.kind == '+' && p.peek(1).kind != '+':
		p.pos++
		return p.binary(bindNegate - 1)
	}
	return p.postfix(p.primary(), t)
}

// negativeNumber reads digits after a minus sign as one literal.
func (p *parser) negativeNumber(at ast.At) *ast.Literal {
	t := p.cur()
	switch {
	case t.kind == tNumber:
		l, ok := number(p.raw(t), true)
		if !ok {
			p.fail("number")
			return nil
		}
		p.pos++
		l.At = at
		return l
	case t.kind == tWord && p.peek(1).kind != '(' && p.peek(1).kind != '.':
		if f, ok := p.specialFloat(t); ok {
			p.pos++
			return &ast.Literal{At: at, Kind: ast.Float, Float: -f, Text: "-" + floatWord(f)}
		}
	}
	return nil
}

// operator is a binary or postfix operator that was read.
type operator struct {
	name string
	bind int
	form opForm
}

type opForm uint8

const (
	formBinary  opForm = iota
	formMerge          // and, or, concat: a chain is one call
	formPostfix        // IS NULL
	formBetween
	formNotBetween
	formTernary
	formLike // may have ESCAPE
	formIn
	formCompare // may have ANY or ALL before a subquery
)

// signs are the operators that are no words.
func signOperator(k kind) (operator, bool) {
	switch k {
	case '+':
		return operator{"plus", bindAdd, formBinary}, true
	case '-':
		return operator{"minus", bindAdd, formBinary}, true
	case '*':
		return operator{"multiply", bindMultiply, formBinary}, true
	case '/':
		return operator{"divide", bindMultiply, formBinary}, true
	case '%':
		return operator{"modulo", bindMultiply, formBinary}, true
	case '?':
		return operator{"if", bindTernary, formTernary}, true
	case tConcat:
		return operator{"concat", bindConcat, formMerge}, true
	case tEquals:
		return operator{"equals", bindCompare, formCompare}, true
	case tNotEquals:
		return operator{"notEquals", bindCompare, formCompare}, true
	case '<':
		return operator{"less", bindCompare, formCompare}, true
	case '>':
		return operator{"greater", bindCompare, formCompare}, true
	case tLessEq:
		return operator{"lessOrEquals", bindCompare, formCompare}, true
	case tGreaterEq:
		return operator{"greaterOrEquals", bindCompare, formCompare}, true
	case tNullSafe:
		return operator{"isNotDistinctFrom", bindCompare, formBinary}, true
	}
	return operator{}, false
}

// wordOperator looks up an operator of words: how many words, and which.
func (p *parser) wordOperator() (operator, int) {
	t := p.cur()
	switch p.text[t.start] | 0x20 {
	case 'a':
		if p.isWord(0, "AND") {
			return operator{"and", bindAnd, formMerge}, 1
		}
	case 'o':
		if p.isWord(0, "OR") {
			return operator{"or", bindOr, formMerge}, 1
		}
	case 'd':
		if p.isWord(0, "DIV") {
			return operator{"intDiv", bindMultiply, formBinary}, 1
		}
	case 'm':
		if p.isWord(0, "MOD") {
			return operator{"modulo", bindMultiply, formBinary}, 1
		}
	case 'l':
		if p.isWord(0, "LIKE") {
			return operator{"like", bindCompare, formLike}, 1
		}
	case 'r':
		if p.isWord(0, "REGEXP") {
			return operator{"match", bindCompare, formBinary}, 1
		}
	case 'b':
		if p.isWord(0, "BETWEEN") {
			return operator{"", bindBetween, formBetween}, 1
		}
	case 'i':
		return p.wordOperatorI()
	case 'n':
		return p.wordOperatorNot()
	case 'g':
		if p.isWords("GLOBAL", "IN") {
			return operator{"globalIn", bindCompare, formIn}, 2
		}
		if p.isWords("GLOBAL", "NOT", "IN") {
			return operator{"globalNotIn", bindCompare, formIn}, 3
		}
	}
	return operator{}, 0
}

func (p *parser) wordOperatorI() (operator, int) {
	switch {
	case p.isWords("IN", "PARTITION") && !p.notOperand(2): // UPDATE a = 1 IN PARTITION 2
		return operator{}, 0
	case p.isWord(0, "IN"):
		return operator{"in", bindCompare, formIn}, 1
	case p.isWord(0, "ILIKE"):
		return operator{"ilike", bindCompare, formLike}, 1
	case p.isWords("IS", "NULL"):
		return operator{"isNull", bindIs, formPostfix}, 2
	case p.isWords("IS", "NOT", "NULL"):
		return operator{"isNotNull", bindIs, formPostfix}, 3
	case p.isWords("IS", "DISTINCT", "FROM"):
		return operator{"isDistinctFrom", bindIs, formBinary}, 3
	case p.isWords("IS", "NOT", "DISTINCT", "FROM"):
		return operator{"isNotDistinctFrom", bindIs, formBinary}, 4
	}
	return operator{}, 0
}

func (p *parser) wordOperatorNot() (operator, int) {
	switch {
	case !p.isWord(0, "NOT"):
		return operator{}, 0
	case p.isWord(1, "IN"):
		return operator{"notIn", bindCompare, formIn}, 2
	case p.isWord(1, "LIKE"):
		return operator{"notLike", bindCompare, formLike}, 2
	case p.isWord(1, "ILIKE"):
		return operator{"notILike", bindCompare, formLike}, 2
	case p.isWord(1, "BETWEEN"):
		return operator{"", bindBetween, formNotBetween}, 2
	}
	return operator{}, 0
}

// operator takes the next operator if it binds stronger than min.
func (p *parser) operator(min int) (operator, bool) {
	t := p.cur()
	op, n := operator{}, 0
	if t.kind == tWord {
		op, n = p.wordOperator()
	} else if o, ok := signOperator(t.kind); ok {
		op, n = o, 1
	}
	if n == 0 {
		p.want(0, "operator")
		return op, false
	}
	if op.bind <= min {
		return op, false
	}
	p.pos += n
	return op, true
}

// apply reads what follows the operator and makes the call.
func (p *parser) apply(left ast.Expr, op operator, at ast.At) ast.Expr {
	call := func(name string, args ...ast.Expr) *ast.Function {
		return &ast.Function{At: at, Name: name, Args: args, Operator: true}
	}
	switch op.form {
	case formPostfix:
		return call(op.name, left)
	case formBetween, formNotBetween:
		lo := p.binary(bindBetween)
		p.mustWord("AND")
		return between(call, op.form == formNotBetween, left, lo, p.binary(bindBetween))
	case formTernary:
		then := p.binary(bindTernary)
		if !p.expect(':') {
			return nil
		}
		return call("if", left, then, p.binary(bindTernary-1))
	case formLike:
		f := call(op.name, left, p.binary(op.bind))
		if p.word("ESCAPE") {
			f.Args = append(f.Args, p.strLiteral())
		}
		return f
	case formIn:
		return call(op.name, left, p.binary(op.bind))
	case formCompare:
		if e := p.quantified(left, op.name, at); e != nil {
			return e
		}
	}
	return call(op.name, left, p.binary(op.bind))
}

func between(call func(string, ...ast.Expr) *ast.Function, not bool, x, lo, hi ast.Expr) ast.Expr {
	if x == nil {
		return nil
	}
	if not {
		return call("or", call("less", x, lo), call("greater", ast.Clone(x), hi))
	}
	return call("and", call("greaterOrEquals", x, lo), call("lessOrEquals", ast.Clone(x), hi))
}
