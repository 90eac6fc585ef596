package arrays

import (
	"context"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "arrayIntersect", MinArgs: 1, MaxArgs: -1,
		Doc:  functions.Doc{Syntax: "arrayIntersect(a, b, …)", Summary: "The different elements that all arrays have.", Examples: []string{"SELECT arrayIntersect([1, 2], [2, 3])"}},
		Bind: bindSets("arrayIntersect", func(in, arrays int) bool { return in == arrays }),
	})
	_ = add(functions.Scalar{
		Name: "arrayUnion", MinArgs: 1, MaxArgs: -1,
		Doc:  functions.Doc{Syntax: "arrayUnion(a, b, …)", Summary: "The different elements that any array has.", Examples: []string{"SELECT arraySort(arrayUnion([1, 2], [2, 3]))"}},
		Bind: bindSets("arrayUnion", func(in, _ int) bool { return in > 0 }),
	})
	_ = add(functions.Scalar{
		Name: "arraySymmetricDifference", MinArgs: 1, MaxArgs: -1,
		Doc:  functions.Doc{Syntax: "arraySymmetricDifference(a, b, …)", Summary: "The different elements that some but not all arrays have.", Examples: []string{"SELECT arraySort(arraySymmetricDifference([1, 2], [2, 3]))"}},
		Bind: bindSets("arraySymmetricDifference", func(in, arrays int) bool { return in < arrays }),
	})
	_ = add(functions.Scalar{
		Name: "arrayExcept", MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "arrayExcept(a, b)", Summary: "The elements of a that b does not have.", Examples: []string{"SELECT arrayExcept([1, 2, 1], [2])"}},
		Bind: bindExcept,
	})
	_ = add(functions.Scalar{
		Name: "arrayJaccardIndex", MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "arrayJaccardIndex(a, b)", Summary: "Common different elements by all different elements.", Examples: []string{"SELECT arrayJaccardIndex([1, 2], [2, 3])"}},
		Bind: bindJaccard,
	})
)

// setRows walks rows of several arrays laid end to end, numbering elements and
// counting in how many arrays each occurs.
type setRows struct {
	in    []kernel.Arrs
	base  []int
	elems column.Column
	n     *numbering
	count []int // by number
	seen  []int // by number: last array that had it, +1
}

func openSets(ctx context.Context, elem *types.Type, casters []*kernel.Caster, args []column.Column) (*setRows, error) {
	in, err := castArrays(ctx, casters, args)
	if err != nil {
		return nil, err
	}
	s := &setRows{in: in}
	parts, n := make([]column.Column, len(in)), 0
	for k, a := range in {
		parts[k] = a.Elems
		s.base = append(s.base, n)
		n += a.Elems.Len()
	}
	s.elems = column.Full(column.Concat(elem, parts))
	s.n = newNumbering(s.elems)
	return s, nil
}

func (s *setRows) row(i int) {
	size := 0
	for _, a := range s.in {
		from, to := a.Bounds(i)
		size += to - from
	}
	s.n.reset(size)
	s.count, s.seen = s.count[:0], s.seen[:0]
	for k, a := range s.in {
		from, to := a.Bounds(i)
		for e := from; e < to; e++ {
			id, isNew := s.n.number(s.base[k] + e)
			if isNew {
				s.count, s.seen = append(s.count, 0), append(s.seen, 0)
			}
			if s.seen[id] != k+1 {
				s.seen[id] = k + 1
				s.count[id]++
			}
		}
	}
}

func bindSets(name string, keep func(in, arrays int) bool) kernel.Bind {
	return func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		elem, casters, err := commonArrays(env, name, args)
		if err != nil {
			return nil, err
		}
		result := types.Array(elem)
		if name == "arrayIntersect" { // what all have fits the narrowest of them
			if result, err = types.Sub(kernel.Types(args)...); err != nil {
				return nil, err
			}
		}
		narrow, err := narrowing(env, elem, result.Elem())
		if err != nil {
			return nil, err
		}
		return &expr.Function{Result: result, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
			s, err := openSets(ctx, elem, casters, args)
			if err != nil {
				return nil, err
			}
			p := newPicker(rows, 0)
			for i := range rows {
				s.row(i)
				for id, e := range s.n.first {
					if keep(s.count[id], len(s.in)) {
						p.add(int(e))
					}
				}
				p.end()
			}
			out := p.column(s.elems).(*column.Array)
			if out.Elems, err = narrow(ctx, out.Elems); err != nil {
				return nil, err
			}
			return out, nil
		}}, nil
	}
}

// narrowing converts elements to a type that holds them all; of Nothing there
// are none.
func narrowing(env *functions.Env, from, to *types.Type) (func(context.Context, column.Column) (column.Column, error), error) {
	if to.Kind() == types.KindNothing {
		return func(_ context.Context, c column.Column) (column.Column, error) {
			return &column.Nothing{N: c.Len()}, nil
		}, nil
	}
	c, err := kernel.Cast(env, from, to)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, elems column.Column) (column.Column, error) {
		out, err := c.Apply(ctx, elems)
		if err != nil {
			return nil, err
		}
		return column.Full(out), nil
	}, nil
}

func bindExcept(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	elem, casters, err := commonArrays(env, "arrayExcept", args)
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: args[0].Type, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		s, err := openSets(ctx, elem, casters, args)
		if err != nil {
			return nil, err
		}
		original := kernel.Arrays(args[0])
		p := newPicker(rows, 0)
		for i := range rows {
			s.n.reset(s.elems.Len())
			for e, to := s.in[1].Bounds(i); e < to; e++ {
				s.n.number(s.base[1] + e)
			}
			for e, to := s.in[0].Bounds(i); e < to; e++ {
				if id, _ := s.n.find(e); id < 0 {
					p.add(e)
				}
			}
			p.end()
		}
		return p.column(original.Elems), nil
	}}, nil
}

func bindJaccard(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	elem, casters, err := commonArrays(env, "arrayJaccardIndex", args)
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: types.Float64, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		s, err := openSets(ctx, elem, casters, args)
		if err != nil {
			return nil, err
		}
		return kernel.Each(rows, func(i int) float64 {
			s.row(i)
			both := 0
			for _, c := range s.count {
				both += int(kernel.Bool(c == 2))
			}
			return float64(both) / float64(len(s.count))
		}), nil
	}}, nil
}
