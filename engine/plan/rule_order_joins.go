package plan

import (
	"context"

	"lakeserver/column"
	"lakeserver/expr"
)

const (
	// maxOrdered bounds the inputs of a group of joins that is ordered.
	maxOrdered = 16
	// minOrdered is how many rows the largest input must have: small joins keep
	// the order in which they were written, and with it that of their rows.
	minOrdered = 10_000
)

// orderJoins joins the inputs of inner and cross joins that stand directly upon
// each other in an order of its own: each step takes what is connected by keys
// and leaves the fewest rows. It begins once with each input and keeps the
// cheapest order. Written order would make of
//
//	SELECT … FROM part, supplier, lineitem WHERE l_partkey = p_partkey AND l_suppkey = s_suppkey
//
// a product of part and supplier. Outer, ANY, SEMI and ANTI joins are not
// touched: which rows they give depends on their sides.
func orderJoins(ctx context.Context, n Node, opt *Options) (Node, error) {
	if g, ok := joinGroupOf(n); ok && len(g.inputs) > 2 && len(g.inputs) <= maxOrdered {
		for i := range g.inputs {
			in, err := orderJoins(ctx, g.inputs[i], opt)
			if err != nil {
				return nil, err
			}
			g.inputs[i] = in
		}
		if err := g.measure(ctx, opt); err != nil {
			return nil, err
		}
		return g.ordered(), nil
	}
	in := n.Inputs()
	var changed []Node
	for i, c := range in {
		r, err := orderJoins(ctx, c, opt)
		if err != nil {
			return nil, err
		}
		if r != c {
			if changed == nil {
				changed = append([]Node(nil), in...)
			}
			changed[i] = r
		}
	}
	if changed != nil {
		n = n.WithInputs(changed)
	}
	return n, nil
}

// joinGroup is joins taken apart. Columns are numbered over all inputs in the
// order written.
type joinGroup struct {
	root   Node
	inputs []Node
	first  []int // number of each input's first column
	header column.Header
	owner  []int // of each column
	conds  []expr.Expr
	class  []int // of each column: equal ones by keys share the lowest number

	base, rows []float64 // of each input, before and after its conditions
}

// joinGroupOf takes the joins under n apart; ok is false when n is no join
// that may be ordered.
func joinGroupOf(n Node) (*joinGroup, bool) {
	j, isJoin := n.(*Join)
	if !isJoin || !orderable(j) {
		return nil, false
	}
	g := &joinGroup{root: n}
	var keys [][2]int
	var add func(n Node)
	add = func(n Node) {
		at := len(g.header)
		shift := func(i int) int { return at + i }
		switch n := n.(type) {
		case *Join:
			if !orderable(n) {
				break
			}
			add(n.Left)
			right := len(g.header)
			add(n.Right)
			for i := range n.LeftKeys {
				keys = append(keys, [2]int{at + n.LeftKeys[i], right + n.RightKeys[i]})
			}
			for _, c := range n.Residual {
				g.conds = append(g.conds, expr.Remap(c, shift))
			}
			return
		case *Filter:
			if j, ok := n.Input.(*Join); !ok || n.Having || !orderable(j) {
				break
			}
			add(n.Input)
			for _, c := range n.Conditions {
				g.conds = append(g.conds, expr.Remap(c, shift))
			}
			return
		}
		g.first = append(g.first, at)
		for range n.Header() {
			g.owner = append(g.owner, len(g.inputs))
		}
		g.inputs = append(g.inputs, n)
		g.header = append(g.header, n.Header()...)
	}
	add(n)
	return g, g.classify(keys) && g.sound()
}

func orderable(j *Join) bool {
	return (j.Kind == InnerJoin || j.Kind == CrossJoin) && j.Strictness == AllStrictness && j.NullSafe == nil
}

// classify puts columns that keys make equal into classes. Two columns of one
// input in a class would need a condition more; such joins stay as they are.
func (g *joinGroup) classify(keys [][2]int) bool {
	g.class = make([]int, len(g.header))
	for i := range g.class {
		g.class[i] = i
	}
	for _, k := range keys {
		a, b := g.class[k[0]], g.class[k[1]]
		if !g.header[k[0]].Type.Equal(g.header[k[1]].Type) {
			return false
		}
		for i, c := range g.class {
			if c == a || c == b {
				g.class[i] = min(a, b)
			}
		}
	}
	seen := map[[2]int]bool{}
	for i, c := range g.class {
		at := [2]int{g.owner[i], c}
		if seen[at] {
			return false
		}
		seen[at] = true
	}
	return true
}

func (g *joinGroup) sound() bool {
	for _, c := range g.conds {
		if !expr.Deterministic(c) {
			return false
		}
	}
	h := g.root.Header()
	for i, f := range g.header {
		if !f.Type.Equal(h[i].Type) {
			return false
		}
	}
	return true
}

func (g *joinGroup) measure(ctx context.Context, opt *Options) error {
	g.base, g.rows = make([]float64, len(g.inputs)), make([]float64, len(g.inputs))
	for i, in := range g.inputs {
		all, left, err := guess(ctx, in, opt)
		if err != nil {
			return err
		}
		g.base[i], g.rows[i] = max(all, 1), max(left, 1)
	}
	return nil
}

// joinStep is one input in an order, with the rows that come before and after it.
type joinStep struct {
	input         int
	before, after float64
}

// ordered builds the cheapest order found.
func (g *joinGroup) ordered() Node {
	largest := 0.0
	for _, n := range g.base {
		largest = max(largest, n)
	}
	var best []joinStep
	lowest := 0.0
	for start := range g.inputs {
		steps, cost := g.greedy(start)
		if best == nil || cost < lowest {
			best, lowest = steps, cost
		}
	}
	if largest < minOrdered {
		return g.root
	}
	return g.build(best)
}

func (g *joinGroup) greedy(start int) (steps []joinStep, cost float64) {
	in := make([]bool, len(g.inputs))
	in[start] = true
	rows := g.rows[start]
	steps = []joinStep{{input: start, after: rows}}
	for len(steps) < len(g.inputs) {
		next, connected, fewest := -1, false, 0.0
		for i := range g.inputs {
			if in[i] {
				continue
			}
			after, keys := g.joined(in, rows, i)
			if next < 0 || keys && !connected || keys == connected && after < fewest {
				next, connected, fewest = i, keys, after
			}
		}
		in[next] = true
		steps = append(steps, joinStep{next, rows, fewest})
		cost += fewest + 2*min(rows, g.rows[next]) + max(rows, g.rows[next])
		rows = fewest
	}
	return steps, cost
}

// joined guesses the rows of a join with an input; keys tells whether it has any.
//
// A class of equal columns has as many values as its smallest input has rows
// (the side on which it is unique); several together at most as many as the
// input that is joined has rows.
func (g *joinGroup) joined(in []bool, rows float64, i int) (after float64, keys bool) {
	values := 1.0
	partner, one := -1, true
	for k := range g.inputs[i].Header() {
		class, met, distinct := g.class[g.first[i]+k], -1, g.base[i]
		for c, x := range g.class {
			if x == class {
				distinct = min(distinct, g.base[g.owner[c]])
				if in[g.owner[c]] {
					met = g.owner[c]
				}
			}
		}
		if met < 0 {
			continue
		}
		one = one && (partner < 0 || partner == met)
		partner, keys = met, true
		values *= distinct
	}
	if keys {
		values = min(values, g.base[i])
		if one {
			values = min(values, g.base[partner])
		}
	}
	return max(rows*g.rows[i]/values, 1), keys
}

// build makes the joins; columns come out as they were numbered.
func (g *joinGroup) build(steps []joinStep) Node {
	place := make([]int, len(g.header)) // of each column in the joins so far
	for i := range place {
		place[i] = -1
	}
	var out Node
	for at, s := range steps {
		in := g.inputs[s.input]
		h := in.Header()
		if at == 0 {
			out = in
		} else {
			out = g.step(out, s, place)
		}
		before := len(out.Header()) - len(h)
		for k := range h {
			place[g.first[s.input]+k] = before + k
		}
	}
	top := &Project{Input: out, Fields: g.root.Header()}
	for i, f := range g.header {
		top.Exprs = append(top.Exprs, &expr.Column{Index: place[i], Name: f.Name, T: f.Type})
	}
	return sink(top, g.conds)
}

func (g *joinGroup) step(left Node, s joinStep, place []int) Node {
	in := g.inputs[s.input]
	j := &Join{Left: left, Right: in, Kind: CrossJoin, BuildLeft: s.before < g.rows[s.input]}
	j.Fields = append(append(column.Header(nil), left.Header()...), in.Header()...)
	for k := range in.Header() {
		for c, class := range g.class {
			if class == g.class[g.first[s.input]+k] && place[c] >= 0 {
				j.LeftKeys, j.RightKeys = append(j.LeftKeys, place[c]), append(j.RightKeys, k)
				j.Kind = InnerJoin
				break
			}
		}
	}
	if j.Kind == CrossJoin {
		j.BuildLeft = false
	}
	return j
}

// guess gives how many rows a node has to look at and how many it may give,
// by rules of thumb about its conditions.
func guess(ctx context.Context, n Node, opt *Options) (all, left float64, err error) {
	switch n := n.(type) {
	case *Scan:
		rows, ok, err := estimate(ctx, n, opt)
		if err != nil || !ok {
			return unknownRows, unknownRows, err
		}
		return float64(rows), float64(rows) * selectivity(n.Filter), nil
	case *Values:
		rows, _, err := estimate(ctx, n, opt)
		return float64(rows), float64(rows), err
	case *Filter:
		all, left, err := guess(ctx, n.Input, opt)
		return all, left * selectivity(n.Conditions), err
	}
	in := n.Inputs()
	if len(in) == 0 {
		return unknownRows, unknownRows, nil
	}
	if j, ok := n.(*Join); ok && orderable(j) && len(j.LeftKeys) > 0 {
		return guessJoin(ctx, j, opt)
	}
	if _, ok := n.(*BuildSets); ok {
		in = in[:1]
	}
	for _, c := range in {
		a, l, err := guess(ctx, c, opt)
		if err != nil {
			return 0, 0, err
		}
		all, left = max(all, a), max(left, l)
	}
	return all, left, nil
}

// guessJoin takes a join for one by a key of the smaller side: of the larger
// side's rows there remains the part that remains of the smaller.
func guessJoin(ctx context.Context, j *Join, opt *Options) (all, left float64, err error) {
	la, ll, err := guess(ctx, j.Left, opt)
	if err != nil {
		return 0, 0, err
	}
	ra, rl, err := guess(ctx, j.Right, opt)
	if ra > la {
		la, ll, ra, rl = ra, rl, la, ll
	}
	return la, ll * rl / max(ra, 1), err
}

// unknownRows stands for an input whose size cannot be told.
const unknownRows = 100_000

// selectivity guesses which part of rows passes all conditions.
func selectivity(conds []expr.Expr) float64 {
	part := 1.0
	for _, c := range conds {
		call, ok := c.(*expr.Call)
		if !ok {
			continue
		}
		switch call.Fn.Name {
		case "equals":
			part *= 0.05
		case "like", "ilike", "match", "startsWith", "endsWith":
			part *= 0.1
		case "in":
			part *= 0.2
		case "less", "greater", "lessOrEquals", "greaterOrEquals", "or":
			part *= 0.4
		}
	}
	return part
}
