package math

import (
	"math"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

// Geohash: a place as letters of 32, each five more bits of longitude and
// latitude in turn.
const (
	geohashLetters = "0123456789bcdefghjkmnpqrstuvwxyz"
	maxGeohash     = 12
	maxGeohashes   = 10_000_000
)

var _ = add(functions.Scalar{
	Name: "geohashEncode", MinArgs: 2, MaxArgs: 3,
	Doc:  functions.Doc{Syntax: "geohashEncode(longitude, latitude[, precision])", Summary: "A place as a geohash of up to 12 letters.", Examples: []string{"SELECT geohashEncode(-5.6, 42.6, 5)"}},
	Bind: bindGeohashEncode,
})

// geoFloats checks the coordinates.
func geoFloats(name string, args []functions.Arg, n int) error {
	for i, a := range args {
		if i < n && !types.Unwrap(a.Type).IsFloat() || i >= n && !types.Unwrap(a.Type).IsInteger() {
			return cherr.New(cherr.IllegalTypeOfArgument, "A value of illegal type was provided as argument %d to function '%s', got: %s", i+1, name, a.Type)
		}
	}
	return nil
}

func geohashPrecision(n int64) int {
	if n <= 0 || n > maxGeohash {
		return maxGeohash
	}
	return int(n)
}

func bindGeohashEncode(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := geoFloats("geohashEncode", args, 2); err != nil {
		return nil, err
	}
	lonType, latType := args[0].Type, args[1].Type
	return kernel.Fn(types.String, func(args []column.Column, rows int) (column.Column, error) {
		lon, lat := kernel.Floats(args[0], lonType), kernel.Floats(args[1], latType)
		precision := func(int) int { return maxGeohash }
		if len(args) > 2 {
			p := kernel.Integers(args[2])
			precision = func(i int) int { return geohashPrecision(p.At(i)) }
		}
		return kernel.EachStr(rows, func(dst []byte, i int) []byte {
			return appendGeohash(dst, lon.At(i), lat.At(i), precision(i))
		}), nil
	}), nil
}

// appendGeohash halves the ranges, longitude first.
func appendGeohash(dst []byte, lon, lat float64, precision int) []byte {
	lo, hi := [2]float64{-180, -90}, [2]float64{180, 90}
	at := [2]float64{lon, lat}
	axis := 0
	for range precision {
		letter := 0
		for range 5 {
			letter <<= 1
			if mid := (lo[axis] + hi[axis]) / 2; at[axis] >= mid {
				letter |= 1
				lo[axis] = mid
			} else {
				hi[axis] = mid
			}
			axis ^= 1
		}
		dst = append(dst, geohashLetters[letter])
	}
	return dst
}

var _ = add(functions.Scalar{
	Name: "geohashDecode", MinArgs: 1, MaxArgs: 1,
	Doc:  functions.Doc{Syntax: "geohashDecode(hash)", Summary: "The longitude and latitude of a geohash's middle.", Examples: []string{"SELECT geohashDecode('ezs42')"}},
	Bind: bindGeohashDecode,
})

func bindGeohashDecode(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("geohashDecode", "s", args); err != nil {
		return nil, err
	}
	result := types.Tuple([]*types.Type{types.Float64, types.Float64}, []string{"longitude", "latitude"})
	return kernel.Fn(result, func(args []column.Column, rows int) (column.Column, error) {
		in := kernel.Strings(args[0])
		lon, lat := make([]float64, rows), make([]float64, rows)
		for i := range rows {
			lon[i], lat[i] = geohashMiddle(in.At(i))
		}
		return column.NewTuple(column.NewFixed(lon), column.NewFixed(lat)), nil
	}), nil
}

func geohashMiddle(s []byte) (lon, lat float64) {
	lo, hi := [2]float64{-180, -90}, [2]float64{180, 90}
	axis := 0
	for _, c := range s[:min(len(s), maxGeohash)] {
		letter := strings.IndexByte(geohashLetters, c)
		if letter < 0 {
			letter = len(geohashLetters) - 1 // as in ClickHouse
		}
		for bit := 4; bit >= 0; bit-- {
			if mid := (lo[axis] + hi[axis]) / 2; letter>>bit&1 != 0 {
				lo[axis] = mid
			} else {
				hi[axis] = mid
			}
			axis ^= 1
		}
	}
	return (lo[0] + hi[0]) / 2, (lo[1] + hi[1]) / 2
}

var _ = add(functions.Scalar{
	Name: "geohashesInBox", MinArgs: 5, MaxArgs: 5,
	Doc:  functions.Doc{Syntax: "geohashesInBox(lon_min, lat_min, lon_max, lat_max, precision)", Summary: "All geohashes of a precision that a box touches.", Examples: []string{"SELECT geohashesInBox(24.48, 40.56, 24.785, 40.81, 4)"}},
	Bind: bindGeohashes,
})

func bindGeohashes(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := geoFloats("geohashesInBox", args, 4); err != nil {
		return nil, err
	}
	for _, a := range args[1:4] {
		if !types.Unwrap(a.Type).Equal(types.Unwrap(args[0].Type)) {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of an argument of function geohashesInBox: all coordinates must have the same type", a.Type)
		}
	}
	t := args[0].Type
	return kernel.Fn(types.Array(types.String), func(args []column.Column, rows int) (column.Column, error) {
		var box [4]kernel.Nums[float64]
		for i := range box {
			box[i] = kernel.Floats(args[i], t)
		}
		precision, out := kernel.Integers(args[4]), kernel.NewStrArray(rows)
		for i := range rows {
			g := newGeohashGrid(box[0].At(i), box[1].At(i), box[2].At(i), box[3].At(i), geohashPrecision(precision.At(i)))
			if n := g.nLon * g.nLat; n > maxGeohashes {
				return nil, cherr.New(cherr.TooLargeArraySize, "geohashesInBox would produce %.0f array elements, which is bigger than the allowed maximum of %d", n, maxGeohashes)
			}
			g.each(func(lon, lat float64) {
				from := len(out.Elems.Data)
				out.Elems.Data = appendGeohash(out.Elems.Data, lon, lat, g.precision)
				out.Elems.Seal(from)
			})
			out.End()
		}
		return out.Column(), nil
	}), nil
}

// geohashGrid is the cells that a box touches.
type geohashGrid struct {
	lon, lat, dLon, dLat, nLon, nLat float64
	precision                        int
}

func newGeohashGrid(lonMin, latMin, lonMax, latMax float64, precision int) *geohashGrid {
	g := &geohashGrid{precision: precision}
	if !(lonMin <= lonMax && latMin <= latMax) {
		return g
	}
	lonMin, lonMax = max(lonMin, -180), min(lonMax, 180)
	latMin, latMax = max(latMin, -90), min(latMax, 90)
	bits := precision * 5
	g.dLon, g.dLat = 360/math.Exp2(float64((bits+1)/2)), 180/math.Exp2(float64(bits/2))
	g.lon, g.lat = math.Floor(lonMin/g.dLon)*g.dLon, math.Floor(latMin/g.dLat)*g.dLat
	g.nLon = max(1, math.Ceil((math.Ceil(lonMax/g.dLon)*g.dLon-g.lon)/g.dLon))
	g.nLat = max(1, math.Ceil((math.Ceil(latMax/g.dLat)*g.dLat-g.lat)/g.dLat))
	return g
}

func (g *geohashGrid) each(f func(lon, lat float64)) {
	for x := range int(g.nLon) {
		for y := range int(g.nLat) {
			f(g.lon+float64(x)*g.dLon, g.lat+float64(y)*g.dLat)
		}
	}
}
