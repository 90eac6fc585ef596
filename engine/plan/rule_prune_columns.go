package plan

import (
	"sort"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
)

// pruneColumns computes and reads only what is needed above.
//
//	SELECT a FROM (SELECT a, f(b) AS x FROM t)   -- neither f nor b
//
// What decides about rows is needed always: DISTINCT, the arrays of ARRAY
// JOIN, the columns of UNION DISTINCT.
func pruneColumns(n Node) Node {
	out, at := prune(n, all(n))
	return arranged(out, at, n.Header(), all(n))
}

type columnSet map[int]bool

func all(n Node) columnSet {
	s := columnSet{}
	for i := range n.Header() {
		s[i] = true
	}
	return s
}

func (s columnSet) add(cols ...int) columnSet {
	for _, c := range cols {
		s[c] = true
	}
	return s
}

func (s columnSet) addExprs(exprs ...expr.Expr) columnSet {
	for _, e := range exprs {
		s.add(expr.Columns(e)...)
	}
	return s
}

func (s columnSet) clone() columnSet {
	out := make(columnSet, len(s))
	for c := range s {
		out[c] = true
	}
	return out
}

func (s columnSet) sorted() []int {
	out := make([]int, 0, len(s))
	for c := range s {
		out = append(out, c)
	}
	sort.Ints(out)
	return out
}

// arranged gives exactly the wanted columns of the old header, in their order.
func arranged(n Node, at map[int]int, old column.Header, want columnSet) Node {
	cols := want.sorted()
	p := &Project{Input: n}
	h := n.Header()
	for _, c := range cols {
		i, ok := at[c]
		if !ok {
			cherr.Bug("column %d was pruned but is needed", c)
		}
		p.Exprs = append(p.Exprs, &expr.Column{Index: i, Name: h[i].Name, T: h[i].Type})
		p.Fields = append(p.Fields, old[c])
	}
	if identity(p) {
		return n
	}
	return p
}

func sameColumns(n Node) map[int]int {
	at := map[int]int{}
	for i := range n.Header() {
		at[i] = i
	}
	return at
}

func remapExprs(exprs []expr.Expr, at map[int]int) []expr.Expr {
	out := make([]expr.Expr, len(exprs))
	for i, e := range exprs {
		out[i] = expr.Remap(e, func(c int) int { return at[c] })
	}
	return out
}

func remapInts(cols []int, at map[int]int) []int {
	if cols == nil {
		return nil
	}
	out := make([]int, len(cols))
	for i, c := range cols {
		out[i] = at[c]
	}
	return out
}

func remapKeys(keys []SortKey, at map[int]int) []SortKey {
	out := append([]SortKey(nil), keys...)
	for i := range out {
		out[i].Column = at[out[i].Column]
	}
	return out
}

// prune gives a node that has at least the needed columns, and where each of
// them is now.
func prune(n Node, need columnSet) (Node, map[int]int) { // long: one case a node
	switch n := n.(type) {
	case *Scan:
		return pruneScan(n, need)
	case *Project:
		return pruneProject(n, need)
	case *Filter:
		in, at := prune(n.Input, need.clone().addExprs(n.Conditions...))
		return &Filter{Input: in, Conditions: remapExprs(n.Conditions, at), Having: n.Having}, at
	case *Aggregate:
		return pruneAggregate(n, need)
	case *Window:
		return pruneWindow(n, need)
	case *Join:
		return pruneJoin(n, need)
	case *ArrayJoin:
		in, at := prune(n.Input, need.clone().add(n.Columns...))
		out := *n
		out.Input, out.Columns = in, remapInts(n.Columns, at)
		out.Fields = append(column.Header(nil), in.Header()...)
		for i, c := range n.Columns {
			out.Fields[out.Columns[i]] = n.Fields[c]
		}
		return &out, at
	case *Sort:
		s := need.clone()
		for _, k := range n.Keys {
			s.add(k.Column)
		}
		in, at := prune(n.Input, s)
		return &Sort{Input: in, Keys: remapKeys(n.Keys, at), Limit: n.Limit}, at
	case *Limit:
		s := need.clone()
		for _, k := range n.WithTies {
			s.add(k.Column)
		}
		in, at := prune(n.Input, s)
		out := *n
		out.Input = in
		if n.WithTies != nil {
			out.WithTies = remapKeys(n.WithTies, at)
		}
		return &out, at
	case *LimitBy:
		in, at := prune(n.Input, need.clone().add(n.Columns...))
		return &LimitBy{Input: in, Columns: remapInts(n.Columns, at), Limit: n.Limit, Offset: n.Offset}, at
	case *Distinct:
		s := need.clone().add(n.Columns...)
		if n.Columns == nil {
			s = all(n)
		}
		in, at := prune(n.Input, s)
		cols := n.Columns
		if cols == nil {
			cols = all(n).sorted()
		}
		return &Distinct{Input: in, Columns: remapInts(cols, at)}, at
	case *SetOp:
		return pruneSetOp(n, need)
	case *BuildSets:
		in := n.Inputs()
		var at map[int]int
		in[0], at = prune(n.Input, need)
		for i := range n.Sets {
			in[i+1] = pruneColumns(n.Sets[i].Plan)
		}
		return n.WithInputs(in), at
	}
	in := append([]Node(nil), n.Inputs()...)
	for i := range in {
		in[i] = pruneColumns(in[i])
	}
	if len(in) > 0 {
		n = n.WithInputs(in)
	}
	return n, sameColumns(n)
}

func pruneScan(n *Scan, need columnSet) (Node, map[int]int) {
	s := need.clone()
	for _, f := range n.Filter {
		for _, c := range expr.Columns(f) {
			for i, have := range n.Columns {
				if have == c {
					s.add(i)
				}
			}
		}
	}
	out := *n
	out.Columns, out.Fields = nil, nil
	at := map[int]int{}
	for _, i := range s.sorted() {
		at[i] = len(out.Columns)
		out.Columns = append(out.Columns, n.Columns[i])
		out.Fields = append(out.Fields, n.Fields[i])
	}
	return &out, at
}

func pruneProject(n *Project, need columnSet) (Node, map[int]int) {
	below := columnSet{}
	out := &Project{}
	at := map[int]int{}
	var exprs []expr.Expr
	for _, i := range need.sorted() {
		at[i] = len(exprs)
		exprs = append(exprs, n.Exprs[i])
		out.Fields = append(out.Fields, n.Fields[i])
	}
	in, to := prune(n.Input, below.addExprs(exprs...))
	out.Input, out.Exprs = in, remapExprs(exprs, to)
	return out, at
}

func pruneAggregate(n *Aggregate, need columnSet) (Node, map[int]int) {
	below := columnSet{}.add(n.Keys...)
	out := *n
	out.Calls, out.Fields = nil, append(column.Header(nil), n.Fields[:len(n.Keys)]...)
	at := map[int]int{}
	for i := range n.Keys {
		at[i] = i
	}
	for k, c := range n.Calls {
		i := len(n.Keys) + k
		// Without keys and calls nothing would say that there is a row.
		if !need[i] && (len(n.Keys) > 0 || k < len(n.Calls)-1 || len(out.Calls) > 0) {
			continue
		}
		at[i] = len(out.Fields)
		out.Calls = append(out.Calls, c)
		out.Fields = append(out.Fields, n.Fields[i])
		below.add(c.Args...)
	}
	if n.Sets != nil {
		last := len(n.Fields) - 1
		at[last] = len(out.Fields)
		out.Fields = append(out.Fields, n.Fields[last])
	}
	in, to := prune(n.Input, below)
	out.Input, out.Keys = in, remapInts(n.Keys, to)
	for i := range out.Calls {
		out.Calls[i].Args = remapInts(out.Calls[i].Args, to)
	}
	return &out, at
}

func pruneWindow(n *Window, need columnSet) (Node, map[int]int) {
	width := len(n.Input.Header())
	below := columnSet{}
	var calls []int
	for i := range need {
		if i < width {
			below.add(i)
		} else {
			calls = append(calls, i-width)
		}
	}
	if len(calls) == 0 {
		return prune(n.Input, below)
	}
	sort.Ints(calls)
	below.add(n.PartitionBy...)
	for _, k := range n.OrderBy {
		below.add(k.Column)
	}
	for _, c := range calls {
		below.add(n.Calls[c].Args...)
	}
	in, to := prune(n.Input, below)
	out := *n
	out.Input, out.PartitionBy, out.OrderBy = in, remapInts(n.PartitionBy, to), remapKeys(n.OrderBy, to)
	out.Calls, out.Fields = nil, append(column.Header(nil), in.Header()...)
	at := map[int]int{}
	for k, v := range to {
		at[k] = v
	}
	for _, c := range calls {
		call := n.Calls[c]
		call.Args = remapInts(call.Args, to)
		at[width+c] = len(out.Fields)
		out.Calls = append(out.Calls, call)
		out.Fields = append(out.Fields, n.Fields[width+c])
	}
	return &out, at
}

func pruneJoin(n *Join, need columnSet) (Node, map[int]int) {
	width := len(n.Left.Header())
	left, right := columnSet{}.add(n.LeftKeys...), columnSet{}.add(n.RightKeys...)
	for i := range need.clone().addExprs(n.Residual...) {
		if i < width {
			left.add(i)
		} else {
			right.add(i - width)
		}
	}
	out := *n
	var la, ra map[int]int
	out.Left, la = prune(n.Left, left)
	out.Right, ra = prune(n.Right, right)
	out.LeftKeys, out.RightKeys = remapInts(n.LeftKeys, la), remapInts(n.RightKeys, ra)
	lw, rw := len(out.Left.Header()), len(out.Right.Header())
	at := map[int]int{}
	out.Fields = make(column.Header, lw+rw)
	for i := range out.Fields {
		if i < lw {
			out.Fields[i] = out.Left.Header()[i]
		} else {
			out.Fields[i] = out.Right.Header()[i-lw]
		}
	}
	for old, i := range la {
		at[old] = i
		out.Fields[i] = n.Fields[old]
	}
	for old, i := range ra {
		at[width+old] = lw + i
		out.Fields[lw+i] = n.Fields[width+old]
	}
	out.Residual = remapExprs(n.Residual, at)
	return &out, at
}

func pruneSetOp(n *SetOp, need columnSet) (Node, map[int]int) {
	if n.Kind != UnionAll {
		need = all(n)
	}
	out := &SetOp{Kind: n.Kind}
	at := map[int]int{}
	for _, i := range need.sorted() {
		at[i] = len(out.Fields)
		out.Fields = append(out.Fields, n.Fields[i])
	}
	for _, p := range n.Parts {
		in, to := prune(p, need)
		out.Parts = append(out.Parts, arranged(in, to, p.Header(), need))
	}
	return out, at
}
