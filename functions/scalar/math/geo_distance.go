package math

import (
	"math"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

// earth is the globe's mean radius by its surface, in metres.
const earth = 6371007.180918475

// geoMethod is how a distance is measured.
type geoMethod uint8

const (
	sphereDegrees geoMethod = iota
	sphereMeters
	ellipsoidMeters
)

var (
	_ = addGeoDistance("greatCircleAngle", sphereDegrees, "The angle in degrees between two points on a sphere.")
	_ = addGeoDistance("greatCircleDistance", sphereMeters, "The distance in metres between two points on a sphere of the earth's size.")
	_ = addGeoDistance("geoDistance", ellipsoidMeters, "The distance in metres between two points on the earth's ellipsoid.")
)

func addGeoDistance(name string, m geoMethod, summary string) bool {
	return add(functions.Scalar{
		Name: name, MinArgs: 4, MaxArgs: 4,
		Doc: functions.Doc{Syntax: name + "(lon1, lat1, lon2, lat2)", Summary: summary, Examples: []string{"SELECT " + name + "(0., 0., 0., 1.)"}},
		Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
			if err := kernel.Check(name, "n", args); err != nil {
				return nil, err
			}
			ts := make([]*types.Type, len(args))
			wide := false
			for i, a := range args {
				ts[i] = a.Type
				wide = wide || a.Type.Kind() == types.KindFloat64
			}
			if wide && env.Settings.Bool("geo_distance_returns_float64_on_float64_arguments") {
				return kernel.Fn(types.Float64, geoKernel(newGeoTables[float64](), m, ts)), nil
			}
			return kernel.Fn(types.Float32, geoKernel(newGeoTables[float32](), m, ts)), nil
		},
	})
}

func geoKernel[T float32 | float64](g *geoTables[T], m geoMethod, ts []*types.Type) kernel.Kernel {
	return func(args []column.Column, rows int) (column.Column, error) {
		var in [4]kernel.Nums[float64]
		for i := range in {
			in[i] = kernel.Floats(args[i], ts[i])
		}
		return kernel.Each(rows, func(i int) T {
			return g.distance(m, T(in[0].At(i)), T(in[1].At(i)), T(in[2].At(i)), T(in[3].At(i)))
		}), nil
	}
}

// Sizes of the tables between whose entries is interpolated: results have to
// agree with ClickHouse's to the last digit, and so have its tables.
const (
	cosSteps    = 1024
	asinSteps   = 512
	metricSteps = 1024
)

// geoTables are the curves by which distances are computed quickly: cosine,
// arcsine of a root, and by latitude the squared lengths of a degree.
type geoTables[T float32 | float64] struct {
	cos                       [cosSteps + 1]T
	asin                      [asinSteps + 1]T
	sphere, meters, lat, long [metricSteps + 1]T
}

func square[T float32 | float64](x T) T { return x * x }

func newGeoTables[T float32 | float64]() *geoTables[T] {
	g := &geoTables[T]{}
	for i := range g.cos {
		g.cos[i] = T(math.Cos(2 * math.Pi * float64(i) / cosSteps))
	}
	for i := range g.asin {
		g.asin[i] = T(math.Asin(math.Sqrt(float64(i) / asinSteps)))
	}
	for i := range g.sphere {
		l := float64(i)*(math.Pi/metricSteps) - math.Pi*0.5
		g.lat[i] = T(square(111132.09 - 566.05*math.Cos(2*l) + 1.20*math.Cos(4*l)))
		g.long[i] = T(square(111415.13*math.Cos(l) - 94.55*math.Cos(3*l) + 0.12*math.Cos(5*l)))
		g.meters[i] = T(square(2 * earth * math.Pi / 360 * math.Cos(l)))
		g.sphere[i] = T(square(math.Cos(l)))
	}
	return g
}

func degrees[T float32 | float64](d T) T {
	if d < 0 {
		d = -d
	}
	if d > 180 {
		d = 360 - d
	}
	return d
}

// wave reads the cosine, shifted by some steps.
func (g *geoTables[T]) wave(x T, shift int) T {
	if x < 0 {
		x = -x
	}
	y := x * (T(cosSteps) / T(math.Pi) / T(2))
	i := int(y)
	y -= T(i)
	i = (i - shift) & (cosSteps - 1)
	return g.cos[i] + T((g.cos[i+1]-g.cos[i])*y)
}

func (g *geoTables[T]) sin(x T) T { return g.wave(x, cosSteps/4) }

func (g *geoTables[T]) asinRoot(x T) T {
	switch {
	case x < T(0.122):
		y := T(math.Sqrt(float64(x)))
		return y + T(x*y*T(0.166666666666666)) + T(x*x*y*T(0.075)) + T(x*x*x*y*T(0.044642857142857))
	case x < T(0.948):
		x *= asinSteps
		i := int(x)
		return g.asin[i] + T((g.asin[i+1]-g.asin[i])*(x-T(i)))
	}
	return T(math.Asin(math.Sqrt(float64(x))))
}

// distance measures points that are close in longitude on a plane, all others
// by haversines.
func (g *geoTables[T]) distance(m geoMethod, lon1, lat1, lon2, lat2 T) T {
	dLat, dLon := degrees(lat1-lat2), degrees(lon1-lon2)
	if dLon < 13 {
		middle := (lat1 + lat2 + 180) * metricSteps / 360
		i := int(middle) & (metricSteps - 1)
		at := func(table *[metricSteps + 1]T) T {
			return table[i] + T((table[i+1]-table[i])*(middle-T(i)))
		}
		kLat := T(1)
		var kLon T
		switch m {
		case sphereDegrees:
			kLon = at(&g.sphere)
		case sphereMeters:
			kLat, kLon = square(T(2*earth)*T(math.Pi)/T(360)), at(&g.meters)
		default:
			kLat, kLon = at(&g.lat), at(&g.long)
		}
		return T(math.Sqrt(float64(T(kLat*dLat*dLat) + T(kLon*dLon*dLon))))
	}
	const rad, half = math.Pi / 180, math.Pi / 360
	a := square(g.sin(dLat*T(half))) + T(g.wave(lat1*T(rad), 0)*g.wave(lat2*T(rad), 0)*square(g.sin(dLon*T(half))))
	if m == sphereDegrees {
		return T(360) / T(math.Pi) * g.asinRoot(a)
	}
	return T(2*earth) * g.asinRoot(a)
}
