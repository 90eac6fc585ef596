package strings

import (
	"bytes"
	"regexp"
	"regexp/syntax"

	"lakeserver/cherr"
)

// pattern is a compiled regular expression with what can be known without
// running it. ClickHouse's are RE2's with the dot matching line ends.
type pattern struct {
	re       *regexp.Regexp
	required []byte    // text that every match contains, nil if none is known
	plain    bool      // the expression is that text and nothing else
	empty    bool      // the expression is written as nothing
	line     *anchored // the same as re, for expressions of its form
}

func compile(text string, fold bool) (*pattern, error) {
	flags := "(?s)"
	if fold {
		flags = "(?is)"
	}
	re, err := regexp.Compile(flags + text)
	if err != nil {
		return nil, cherr.New(cherr.CannotCompileRegexp, "OptimizedRegularExpression: cannot compile re2: %s, error: %v", text, err)
	}
	p := &pattern{re: re, empty: text == ""}
	if tree, err := syntax.Parse(flags+text, syntax.Perl); err == nil {
		tree = tree.Simplify()
		p.required, p.line = requiredText(tree), newAnchored(tree)
		p.plain = tree.Op == syntax.OpLiteral && p.required != nil
	}
	return p, nil
}

// requiredText gives the longest literal that every match must contain.
func requiredText(tree *syntax.Regexp) []byte {
	switch tree.Op {
	case syntax.OpLiteral:
		if tree.Flags&syntax.FoldCase != 0 {
			return nil
		}
		return []byte(string(tree.Rune))
	case syntax.OpCapture, syntax.OpPlus:
		return requiredText(tree.Sub[0])
	case syntax.OpConcat:
		var best []byte
		for _, sub := range tree.Sub {
			if t := requiredText(sub); len(t) > len(best) {
				best = t
			}
		}
		return best
	}
	return nil
}

// match tells whether the expression occurs in s.
func (p *pattern) match(s []byte) bool {
	if p.required != nil {
		if !bytes.Contains(s, p.required) {
			return false
		}
		if p.plain {
			return true
		}
	}
	return p.re.Match(s)
}

// mayMatch is false only when the expression does not occur in s.
func (p *pattern) mayMatch(s []byte) bool {
	return p.required == nil || bytes.Contains(s, p.required)
}

// patterns compiles a pattern a row, keeping those seen.
type patterns struct {
	fold bool
	seen map[string]*pattern
	last *pattern
	text string
}

func (c *patterns) get(text string) (*pattern, error) {
	if c.last != nil && c.text == text {
		return c.last, nil
	}
	p, ok := c.seen[text]
	if !ok {
		var err error
		if p, err = compile(text, c.fold); err != nil {
			return nil, err
		}
		if c.seen == nil {
			c.seen = map[string]*pattern{}
		}
		c.seen[string(append([]byte(nil), text...))] = p
	}
	c.last, c.text = p, text
	return p, nil
}
