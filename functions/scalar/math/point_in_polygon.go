package math

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var _ = add(functions.Scalar{
	Name: "pointInPolygon", MinArgs: 2, MaxArgs: -1,
	Doc:  functions.Doc{Syntax: "pointInPolygon((x, y), [(x1, y1), …][, [hole], …])", Summary: "Whether a point is in a polygon or on its border, and in none of the holes.", Examples: []string{"SELECT pointInPolygon((1, 1), [(0, 0), (3, 0), (0, 3)])"}},
	Bind: bindPointInPolygon,
})

type point struct{ x, y float64 }

// isPoint tells whether a type is a pair of numbers.
func isPoint(t *types.Type) bool {
	return t.Kind() == types.KindTuple && len(t.Elems()) == 2 && t.Elems()[0].IsNativeNumber() && t.Elems()[1].IsNativeNumber()
}

func bindPointInPolygon(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	const name = "pointInPolygon"
	if !isPoint(args[0].Type) {
		return nil, kernel.WrongType(name, 0, args[0].Type)
	}
	ts := kernel.Types(args)
	depth := 0
	for i, t := range ts[1:] {
		d := 0
		for ; t.Kind() == types.KindArray; d++ {
			t = t.Elem()
		}
		if !isPoint(t) || d == 0 || d > 3 || len(args) > 2 && d != 1 {
			return nil, kernel.WrongType(name, i+1, ts[i+1])
		}
		depth = d
	}
	validate := env.Settings.Bool("validate_polygons")
	return &expr.Function{Result: types.UInt8, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		at := pointsOf(ts[0], args[0])
		constant := true
		shapes := make([]func(row int) [][]point, len(args)-1)
		for i, a := range args[1:] {
			_, isConst := a.(*column.Const)
			constant = constant && isConst
			shapes[i] = ringsOf(ts[i+1], depth, a)
		}
		out := make([]uint8, rows)
		var polygons [][][]point
		for i := range out {
			if i == 0 || !constant {
				polygons = polygonsOf(shapes, depth, args, i)
				if err := checkPolygons(polygons, validate && constant); err != nil {
					return nil, err
				}
			}
			for _, p := range polygons {
				out[i] |= kernel.Bool(inside(p, at[i]))
			}
		}
		return column.NewFixed(out), nil
	}}, nil
}

func pointsOf(t *types.Type, c column.Column) []point {
	tuple := kernel.FullTuple(c)
	x, y := kernel.ToFloats(tuple.Elems[0], t.Elems()[0]), kernel.ToFloats(tuple.Elems[1], t.Elems()[1])
	out := make([]point, len(x))
	for i := range out {
		out[i] = point{x[i], y[i]}
	}
	return out
}

// ringsOf gives the rings of a row; those of a multipolygon in one list.
func ringsOf(t *types.Type, depth int, c column.Column) func(row int) [][]point {
	arr := kernel.Arrays(c)
	if depth == 1 {
		points := pointsOf(t.Elem(), arr.Elems)
		return func(row int) [][]point {
			from, to := arr.Bounds(row)
			return [][]point{points[from:to]}
		}
	}
	inner := ringsOf(t.Elem(), depth-1, column.Full(arr.Elems))
	return func(row int) [][]point {
		var out [][]point
		for e, to := arr.Bounds(row); e < to; e++ {
			out = append(out, inner(e)...)
		}
		return out
	}
}

// polygonsOf puts a row's rings together: the first of each polygon is its
// border, the others are holes.
func polygonsOf(shapes []func(row int) [][]point, depth int, args []column.Column, row int) [][][]point {
	var rings [][]point
	for _, s := range shapes {
		rings = append(rings, s(row)...)
	}
	if depth < 3 {
		return [][][]point{rings}
	}
	arr := kernel.Arrays(args[1])
	nested := kernel.Arrays(column.Full(arr.Elems))
	var out [][][]point
	for e, to := arr.Bounds(row); e < to; e++ {
		a, b := nested.Bounds(e)
		out, rings = append(out, rings[:b-a]), rings[b-a:]
	}
	return out
}

// checkPolygons refuses borders that cross themselves, if asked to.
func checkPolygons(polygons [][][]point, validate bool) error {
	for _, p := range polygons {
		for _, ring := range p {
			n := len(ring)
			if n > 0 && ring[0] == ring[n-1] {
				n--
			}
			if n < 3 && validate {
				return cherr.New(cherr.BadArguments, "Polygon is not valid: geometry has too few points")
			}
			if validate && crossesItself(ring[:n]) {
				return cherr.New(cherr.BadArguments, "Polygon is not valid: geometry has invalid self-intersections")
			}
		}
	}
	return nil
}

func crossesItself(r []point) bool {
	n := len(r)
	for i := range n {
		for j := i + 1; j < n; j++ {
			if j == i+1 || i == 0 && j == n-1 {
				continue // neighbours share a corner
			}
			if segmentsMeet(r[i], r[(i+1)%n], r[j], r[(j+1)%n]) {
				return true
			}
		}
	}
	return false
}

// turn is positive when c is to the left of a→b.
func turn(a, b, c point) float64 { return (b.x-a.x)*(c.y-a.y) - (b.y-a.y)*(c.x-a.x) }

func segmentsMeet(a, b, c, d point) bool {
	d1, d2, d3, d4 := turn(c, d, a), turn(c, d, b), turn(a, b, c), turn(a, b, d)
	if (d1 > 0) != (d2 > 0) && (d3 > 0) != (d4 > 0) && d1*d2 != 0 && d3*d4 != 0 {
		return true
	}
	return onSegment(c, d, a) || onSegment(c, d, b) || onSegment(a, b, c) || onSegment(a, b, d)
}

func onSegment(a, b, p point) bool {
	return turn(a, b, p) == 0 && p.x >= min(a.x, b.x) && p.x <= max(a.x, b.x) && p.y >= min(a.y, b.y) && p.y <= max(a.y, b.y)
}

// inside: the border belongs to the polygon. Of a hole's border, the sides to
// the left belong to the hole and those to the right do not, as ClickHouse has it.
func inside(rings [][]point, p point) bool {
	if len(rings) == 0 || flat(rings[0]) || !around(rings[0], p) && !onBorder(rings[0], p) {
		return false
	}
	for _, hole := range rings[1:] {
		if around(hole, p) {
			return false
		}
	}
	return true
}

// flat tells whether a ring bounds no area at all.
func flat(r []point) bool {
	for _, p := range r {
		if p.x != r[0].x {
			for _, q := range r {
				if q.y != r[0].y {
					return false
				}
			}
			return true
		}
	}
	return true
}

func onBorder(r []point, p point) bool {
	for i := range r {
		if onSegment(r[i], r[(i+1)%len(r)], p) {
			return true
		}
	}
	return false
}

// around tells whether a ray to the right crosses the ring an odd number of
// times.
func around(r []point, p point) bool {
	in := false
	for i := range r {
		a, b := r[i], r[(i+1)%len(r)]
		if (a.y > p.y) != (b.y > p.y) && p.x < (b.x-a.x)*(p.y-a.y)/(b.y-a.y)+a.x {
			in = !in
		}
	}
	return in
}
