package math

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

// h3Cell is an index of the hierarchical grid H3: from the highest bit down a
// reserved bit, the mode (4 bits), three reserved bits, the resolution (4), the
// base cell (7) and a digit of three bits for each of the 15 resolutions, 7
// where there is none.
type h3Cell uint64

const (
	h3BaseCells = 122
	h3ModeCell  = 1
	h3ModeEdge  = 2
	h3NoDigit   = 7
)

// h3Pentagons are the base cells that are no hexagons.
var h3Pentagons = []int{4, 14, 24, 38, 49, 58, 63, 72, 83, 97, 107, 117}

func (c h3Cell) mode() int     { return int(c >> 59 & 15) }
func (c h3Cell) reserved() int { return int(c >> 56 & 7) }
func (c h3Cell) res() int      { return int(c >> 52 & 15) }
func (c h3Cell) base() int     { return int(c >> 45 & 127) }

// digit is that of a resolution from 1 on.
func (c h3Cell) digit(res int) int { return int(c >> (3 * (15 - res)) & 7) }

func (c h3Cell) withRes(res int) h3Cell { return c&^(15<<52) | h3Cell(res)<<52 }

func (c h3Cell) withDigit(res, digit int) h3Cell {
	shift := 3 * (15 - res)
	return c&^(7<<shift) | h3Cell(digit)<<shift
}

// h3Center is the cell in the middle of a base cell.
func h3Center(base, res int) h3Cell {
	c := (h3Cell(h3ModeCell)<<59 | h3Cell(base)<<45).withRes(res)
	for r := res + 1; r < h3Resolutions; r++ {
		c = c.withDigit(r, h3NoDigit)
	}
	return c
}

func (c h3Cell) onPentagon() bool { return slices.Contains(h3Pentagons, c.base()) }

// leading is the first digit that is not 0.
func (c h3Cell) leading() int {
	for r := 1; r <= c.res(); r++ {
		if d := c.digit(r); d != 0 {
			return d
		}
	}
	return 0
}

func (c h3Cell) pentagon() bool { return c.onPentagon() && c.leading() == 0 }

func (c h3Cell) valid() bool {
	if c>>63 != 0 || c.mode() != h3ModeCell || c.reserved() != 0 || c.base() >= h3BaseCells {
		return false
	}
	for r := 1; r < h3Resolutions; r++ {
		if (c.digit(r) == h3NoDigit) != (r > c.res()) {
			return false
		}
	}
	return !c.onPentagon() || c.leading() != 1 // a pentagon lacks the first direction
}

// origin is the cell from which a directed edge goes.
func (c h3Cell) origin() h3Cell { return c&^(127<<56) | h3ModeCell<<59 }

func (c h3Cell) validEdge() bool {
	if c>>63 != 0 || c.mode() != h3ModeEdge || c.reserved() < 1 || c.reserved() > 6 {
		return false
	}
	o := c.origin()
	return o.valid() && !(o.pentagon() && c.reserved() == 1)
}

// parent is 0 where c is no finer than res.
func (c h3Cell) parent(res int) h3Cell {
	if res > c.res() {
		return 0
	}
	for r := res + 1; r <= c.res(); r++ {
		c = c.withDigit(r, h3NoDigit)
	}
	return c.withRes(res)
}

// centerChild is 0 where c is finer than res.
func (c h3Cell) centerChild(res int) h3Cell {
	if res < c.res() {
		return 0
	}
	for r := c.res() + 1; r <= res; r++ {
		c = c.withDigit(r, 0)
	}
	return c.withRes(res)
}

// children appends all cells of a finer resolution within c.
func (c h3Cell) children(dst []uint64, res int) []uint64 {
	if c.res() >= res {
		if c.res() == res {
			dst = append(dst, uint64(c))
		}
		return dst
	}
	next := c.res() + 1
	for d := range h3NoDigit {
		if d == 1 && c.pentagon() {
			continue
		}
		dst = c.withRes(next).withDigit(next, d).children(dst, res)
	}
	return dst
}

func h3Invalid(c h3Cell) error {
	return cherr.New(cherr.IncorrectData, "Invalid H3 index: %d", uint64(c))
}

// bindH3 binds a function of a cell; check refuses those that it cannot take.
func bindH3[T column.Element](name string, result *types.Type, check func(h3Cell) bool, of func(h3Cell) T) kernel.Bind {
	return func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if args[0].Type.Kind() != types.KindUInt64 {
			return nil, kernel.WrongType(name, 0, args[0].Type)
		}
		return kernel.Fn(result, func(args []column.Column, rows int) (column.Column, error) {
			cells := column.Values[uint64](column.Full(args[0]))
			out := make([]T, rows)
			for i, v := range cells {
				if check != nil && !check(h3Cell(v)) {
					return nil, h3Invalid(h3Cell(v))
				}
				out[i] = of(h3Cell(v))
			}
			return column.NewFixed(out), nil
		}), nil
	}
}

func addH3Cell(name, summary string, bind kernel.Bind) bool {
	example := "SELECT " + name + "(599405990164561919)"
	if strings.Contains(name, "Edge") {
		example = "SELECT " + name + "(1248204388774707199)"
	}
	return add(functions.Scalar{
		Name: name, MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: name + "(index)", Summary: summary, Examples: []string{example}}, Bind: bind,
	})
}

var (
	_ = addH3Cell("h3IsValid", "Whether a number is an H3 cell.", bindH3("h3IsValid", types.UInt8, nil, func(c h3Cell) uint8 { return kernel.Bool(c.valid()) }))
	_ = addH3Cell("h3GetResolution", "The resolution of an H3 cell.", bindH3("h3GetResolution", types.UInt8, h3Cell.valid, func(c h3Cell) uint8 { return uint8(c.res()) }))
	_ = addH3Cell("h3GetBaseCell", "The number of the cell of resolution 0 that an H3 cell lies in.", bindH3("h3GetBaseCell", types.UInt8, h3Cell.valid, func(c h3Cell) uint8 { return uint8(c.base()) }))
	_ = addH3Cell("h3IsResClassIII", "Whether an H3 cell's resolution is turned against that of the icosahedron's faces.", bindH3("h3IsResClassIII", types.UInt8, h3Cell.valid, func(c h3Cell) uint8 { return uint8(c.res() & 1) }))
	_ = addH3Cell("h3IsPentagon", "Whether an H3 cell is one of the pentagons.", bindH3("h3IsPentagon", types.UInt8, h3Cell.valid, func(c h3Cell) uint8 { return kernel.Bool(c.pentagon()) }))
	_ = addH3Cell("h3UnidirectionalEdgeIsValid", "Whether a number is a directed edge of H3.", bindH3("h3UnidirectionalEdgeIsValid", types.UInt8, nil, func(c h3Cell) uint8 { return kernel.Bool(c.validEdge()) }))
	_ = addH3Cell("h3GetOriginIndexFromUnidirectionalEdge", "The H3 cell from which a directed edge goes.", bindH3("h3GetOriginIndexFromUnidirectionalEdge", types.UInt64, h3Cell.validEdge, func(c h3Cell) uint64 { return uint64(c.origin()) }))
	_ = addH3Cell("h3ToString", "An H3 cell as hexadecimal digits.", bindH3ToString)
	_ = add(functions.Scalar{
		Name: "stringToH3", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "stringToH3(s)", Summary: "The H3 cell written as hexadecimal digits.", Examples: []string{"SELECT stringToH3('89184926cc3ffff')"}},
		Bind: bindStringToH3,
	})
)

func bindH3ToString(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if args[0].Type.Kind() != types.KindUInt64 {
		return nil, kernel.WrongType("h3ToString", 0, args[0].Type)
	}
	return kernel.Fn(types.String, func(args []column.Column, rows int) (column.Column, error) {
		cells := column.Values[uint64](column.Full(args[0]))
		for _, v := range cells {
			if !h3Cell(v).valid() {
				return nil, cherr.New(cherr.IllegalTypeOfArgument, "Invalid H3 index: %d in function h3ToString", v)
			}
		}
		return kernel.EachStr(rows, func(dst []byte, i int) []byte { return strconv.AppendUint(dst, cells[i], 16) }), nil
	}), nil
}

func bindStringToH3(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("stringToH3", "s", args); err != nil {
		return nil, err
	}
	return kernel.Fn(types.UInt64, func(args []column.Column, rows int) (column.Column, error) {
		in := kernel.Strings(args[0])
		out := make([]uint64, rows)
		for i := range out {
			s := strings.TrimPrefix(in.Str(i), "0x")
			n := 0
			for n < len(s) && n < 16 && strings.IndexByte("0123456789abcdefABCDEF", s[n]) >= 0 {
				n++
			}
			v, err := strconv.ParseUint(s[:n], 16, 64)
			if err != nil || v == 0 {
				return nil, cherr.New(cherr.IllegalTypeOfArgument, "Invalid H3 index: %s in function stringToH3", in.Str(i))
			}
			out[i] = v
		}
		return column.NewFixed(out), nil
	}), nil
}

var _ = addH3Levels()

// addH3Levels adds the functions from one resolution to another.
func addH3Levels() bool {
	for _, f := range []struct {
		name, summary string
		result        *types.Type
		up            bool
		of            func(cells []uint64, res []uint8) column.Column
	}{
		{"h3ToParent", "The coarser H3 cell that contains a cell.", types.UInt64, true, func(cells []uint64, res []uint8) column.Column {
			return kernel.Each(len(cells), func(i int) uint64 { return uint64(h3Cell(cells[i]).parent(int(res[i]))) })
		}},
		{"h3ToCenterChild", "The finer H3 cell in the middle of a cell.", types.UInt64, false, func(cells []uint64, res []uint8) column.Column {
			return kernel.Each(len(cells), func(i int) uint64 { return uint64(h3Cell(cells[i]).centerChild(int(res[i]))) })
		}},
		{"h3ToChildren", "The finer H3 cells within a cell.", types.Array(types.UInt64), false, func(cells []uint64, res []uint8) column.Column {
			out := kernel.NewNumArray[uint64](len(cells))
			for i, c := range cells {
				out.Elems = h3Cell(c).children(out.Elems, int(res[i]))
				out.End()
			}
			return out.Column()
		}},
	} {
		example := "SELECT " + f.name + "(599405990164561919, 6)"
		if f.up {
			example = "SELECT " + f.name + "(599405990164561919, 3)"
		}
		add(functions.Scalar{
			Name: f.name, MinArgs: 2, MaxArgs: 2,
			Doc: functions.Doc{Syntax: f.name + "(index, resolution)", Summary: f.summary, Examples: []string{example}},
			Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
				if args[0].Type.Kind() != types.KindUInt64 {
					return nil, kernel.WrongType(f.name, 0, args[0].Type)
				}
				if args[1].Type.Kind() != types.KindUInt8 {
					return nil, kernel.WrongType(f.name, 1, args[1].Type)
				}
				return &expr.Function{Result: f.result, Kernel: func(ctx context.Context, args []column.Column, _ int) (column.Column, error) {
					cells, res := column.Values[uint64](column.Full(args[0])), column.Values[uint8](column.Full(args[1]))
					if err := h3CheckLevels(ctx, f.name, cells, res, f.result.Kind() == types.KindArray); err != nil {
						return nil, err
					}
					return f.of(cells, res), nil
				}}, nil
			},
		})
	}
	return true
}

// maxH3Children bounds the cells of one row of h3ToChildren: those of nine
// resolutions further down.
const maxH3Children = 9

func h3CheckLevels(ctx context.Context, name string, cells []uint64, res []uint8, all bool) error {
	for i, c := range cells {
		if err := h3CheckRes(name, res[i]); err != nil {
			return err
		}
		if !h3Cell(c).valid() {
			return h3Invalid(h3Cell(c))
		}
		if !all {
			continue
		}
		n := int(res[i]) - h3Cell(c).res()
		if n > maxH3Children {
			return cherr.New(cherr.TooLargeArraySize, "The result of function %s (array of the children of one index) will be too large", name)
		}
		if err := expr.Room(ctx, int64(8*math.Pow(7, float64(n)))); err != nil {
			return err
		}
	}
	return nil
}
