package math

import (
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

// h3Resolutions are 0 … 15.
const h3Resolutions = 16

// The average sizes of H3's hexagons, by resolution.
var (
	h3EdgeKm = [h3Resolutions]float64{
		1281.256011, 483.0568391, 182.5129565, 68.97922179, 26.07175968, 9.85409099, 3.724532667, 1.406475763,
		0.53141401, 0.200786148, 0.075863783, 0.028663897, 0.010830188, 0.00409201, 0.0015461, 0.000584169,
	}
	h3EdgeM = [h3Resolutions]float64{
		1281256.011, 483056.8391, 182512.9565, 68979.22179, 26071.75968, 9854.09099, 3724.532667, 1406.475763,
		531.4140101, 200.7861476, 75.86378287, 28.66389748, 10.83018784, 4.092010473, 1.546099657, 0.58416863,
	}
	h3EdgeDegrees = [h3Resolutions]float64{
		11.52259914663668, 4.3442296264010825, 1.6413766013676383, 0.6203443459459533, 0.23446870356972288, 0.08861986945421964,
		0.033495489240202, 0.012648726161963718, 0.0047791156230439225, 0.0018057111717950226, 0.0006822586214258879,
		0.0002577803325851708, 0.00009739810942678102, 0.000036800292821586735, 0.000013904392592436754, 0.000005253548783179069,
	}
	h3AreaKm2 = [h3Resolutions]float64{
		4357449.416078383, 609788.4417941332, 86801.7803989972, 12393.43465508816, 1770.347654491307, 252.9038581819449,
		36.12906216441245, 5.161293359717191, 0.7373275975944177, 0.1053325134272067, 0.01504750190766435, 0.002149643129451879,
		0.000307091875631606, 0.00004387026794728296, 0.000006267181135324313, 8.95311590760579e-7,
	}
	h3AreaM2 = [h3Resolutions]float64{
		4357449416078.39, 609788441794.1339, 86801780398.99731, 12393434655.08818, 1770347654.491309, 252903858.1819452,
		36129062.1644125, 5161293.359717198, 737327.5975944188, 105332.5134272069, 15047.50190766437, 2149.643129451882,
		307.0918756316063, 43.87026794728301, 6.267181135324322, 0.8953115907605802,
	}
)

var _ = addH3Sizes()

func addH3Sizes() bool {
	for _, f := range []struct {
		name, summary string
		table         *[h3Resolutions]float64
	}{
		{"h3EdgeLengthKm", "The average length of an H3 hexagon's edge of a resolution in kilometres.", &h3EdgeKm},
		{"h3EdgeLengthM", "The average length of an H3 hexagon's edge of a resolution in metres.", &h3EdgeM},
		{"h3EdgeAngle", "The average length of an H3 hexagon's edge of a resolution in degrees.", &h3EdgeDegrees},
		{"h3HexAreaKm2", "The average area of an H3 hexagon of a resolution in square kilometres.", &h3AreaKm2},
		{"h3HexAreaM2", "The average area of an H3 hexagon of a resolution in square metres.", &h3AreaM2},
	} {
		addH3Size(f.name, f.summary, types.Float64, func(res []uint8) column.Column {
			return kernel.Each(len(res), func(i int) float64 { return f.table[res[i]] })
		})
	}
	addH3Size("h3NumHexagons", "The number of H3 cells of a resolution.", types.Int64, func(res []uint8) column.Column {
		return kernel.Each(len(res), func(i int) int64 {
			n := int64(120)
			for range res[i] {
				n *= 7
			}
			return n + 2
		})
	})
	addH3Size("h3GetPentagonIndexes", "The H3 cells of a resolution that are pentagons.", types.Array(types.UInt64), func(res []uint8) column.Column {
		out := kernel.NewNumArray[uint64](len(res))
		for _, r := range res {
			for _, base := range h3Pentagons {
				out.Elems = append(out.Elems, uint64(h3Center(base, int(r))))
			}
			out.End()
		}
		return out.Column()
	})
	return add(functions.Scalar{
		Name: "h3GetRes0Indexes",
		Doc:  functions.Doc{Syntax: "h3GetRes0Indexes()", Summary: "The H3 cells of resolution 0.", Examples: []string{"SELECT length(h3GetRes0Indexes())"}},
		Bind: kernel.Typed("h3GetRes0Indexes", "x", types.Array(types.UInt64), func(_ []column.Column, rows int) (column.Column, error) {
			out := kernel.NewNumArray[uint64](1)
			for base := range h3BaseCells {
				out.Elems = append(out.Elems, uint64(h3Center(base, 0)))
			}
			out.End()
			return column.NewConst(out.Column(), rows), nil
		}),
	})
}

func addH3Size(name, summary string, result *types.Type, of func(res []uint8) column.Column) bool {
	return add(functions.Scalar{
		Name: name, MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: name + "(resolution)", Summary: summary, Examples: []string{"SELECT " + name + "(5)"}},
		Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
			if args[0].Type.Kind() != types.KindUInt8 {
				return nil, kernel.WrongType(name, 0, args[0].Type)
			}
			return kernel.Fn(result, func(args []column.Column, _ int) (column.Column, error) {
				res := column.Values[uint8](column.Full(args[0]))
				for _, r := range res {
					if err := h3CheckRes(name, r); err != nil {
						return nil, err
					}
				}
				return of(res), nil
			}), nil
		},
	})
}

func h3CheckRes(name string, res uint8) error {
	if res >= h3Resolutions {
		return cherr.New(cherr.ArgumentOutOfBound, "The argument 'resolution' (%d) of function %s is out of bounds because the maximum resolution in H3 library is %d", res, name, h3Resolutions-1)
	}
	return nil
}
