package sqlfuzz

import (
	"math/rand/v2"
	"strings"
)

// Generator makes queries from a seed; the same seed makes the same queries.
type Generator struct {
	p                              picker
	scalars, aggregated, windowing map[string][]rule
}

// NewGenerator starts at a seed.
func NewGenerator(seed uint64) *Generator {
	return &Generator{
		p:       picker{rand.New(rand.NewPCG(seed, seed^0x9e3779b97f4a7c15))},
		scalars: rules(grammar), aggregated: rules(aggregates), windowing: rules(windows),
	}
}

// scope is what an expression may name.
type scope struct {
	columns map[string][]string // by class
	classes []string            // in the order of the columns
}

func (s *scope) add(class, name string) {
	s.columns[class] = append(s.columns[class], name)
	s.classes = append(s.classes, class)
}

func (s *scope) with(class, name string) *scope {
	out := &scope{columns: map[string][]string{}, classes: s.classes}
	for c, names := range s.columns {
		out.columns[c] = names
	}
	out.columns[class] = append([]string{name, name, name}, out.columns[class]...)
	return out
}

// expr makes an expression of a class, at most depth calls deep.
func (g *Generator) expr(s *scope, class string, depth int) *Node {
	class = g.p.class(class)
	rs := g.scalars[class]
	if depth <= 0 || len(rs) == 0 || g.p.chance(15) {
		return g.leaf(s, class)
	}
	return g.apply(s, rs[g.p.IntN(len(rs))], depth, g.expr)
}

func (g *Generator) leaf(s *scope, class string) *Node {
	if names := s.columns[class]; len(names) > 0 && g.p.chance(70) {
		return text(class, g.p.of(names))
	}
	if w := wide[class]; len(w) > 0 && g.p.chance(70) {
		return text(class, g.p.of(w))
	}
	if v := values[class]; len(v) > 0 && g.p.chance(50) && (class == "int" || class == "str" || class == "ints" || class == "strs" || class == "float" || class == "tup" || class == "bool") {
		return text(class, g.p.of(v))
	}
	return text(class, g.p.of(simple[class]))
}

// apply fills a rule's form.
func (g *Generator) apply(s *scope, r rule, depth int, arg func(*scope, string, int) *Node) *Node {
	n := &Node{Class: r.class}
	var form strings.Builder
	rest := r.form
	for {
		before, after, found := strings.Cut(rest, "{")
		form.WriteString(before)
		if !found {
			break
		}
		inside, tail, _ := strings.Cut(after, "}")
		rest = tail
		switch {
		case inside == "": // a literal pair of braces
			form.WriteString("{}")
		case inside[0] == '=':
			options := strings.Split(inside[1:], "|")
			form.WriteString(g.p.of(options))
		default:
			sub := s
			class, variable, bound := strings.Cut(inside, "@")
			if bound {
				name, of, _ := strings.Cut(variable, ":")
				sub = s.with(of, name)
			}
			form.WriteString(hole)
			n.Args = append(n.Args, arg(sub, class, depth-1))
		}
	}
	n.Form = form.String()
	if infix := strings.HasPrefix(r.form, "{") || strings.HasPrefix(r.form, "NOT "); infix {
		n.Form = "(" + n.Form + ")"
	}
	return n
}

// aggregate makes a call of an aggregate function, sometimes inside of an
// expression.
func (g *Generator) aggregate(s *scope, depth int) *Node {
	class := g.p.of([]string{"int", "int", "int", "float", "str", "date", "dt", "dt64", "dec", "ints", "strs", "map"})
	rs := g.aggregated[class]
	return g.apply(s, rs[g.p.IntN(len(rs))], depth, g.expr)
}

// tableOf makes a table of random rows.
func (g *Generator) tableOf(prefix string) (*Node, *scope) {
	s := &scope{columns: map[string][]string{}}
	var structure []string
	classes := []string{"int", "str"} // a key to join by, and something to group by
	for n := g.p.IntN(5); n > 0; n-- {
		classes = append(classes, g.p.class("any"))
	}
	var types []string
	for i, c := range classes {
		name := prefix + string(rune('a'+i))
		typ := g.p.of(columnTypes[c])
		s.add(c, name)
		types = append(types, typ)
		structure = append(structure, name+" "+typ)
	}
	rows := list("", ", ", 1)
	for n := 1 + g.p.IntN(12); n > 0; n-- {
		var row []string
		for i, c := range classes {
			if strings.Contains(types[i], "Nullable(") && !strings.HasPrefix(types[i], "Array") && g.p.chance(25) {
				row = append(row, "NULL")
			} else {
				row = append(row, g.p.of(values[c]))
			}
		}
		rows.Args = append(rows.Args, text("", "("+strings.Join(row, ", ")+")"))
	}
	quoted := strings.ReplaceAll(strings.Join(structure, ", "), "'", "\\'")
	return &Node{Form: "values('" + quoted + "', " + hole + ")", Args: []*Node{rows}}, s
}
