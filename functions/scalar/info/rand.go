package info

import (
	"context"
	"math"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

// random describes a function that draws a value a row.
func random(name string, aliases []string, least, most int, result *types.Type, summary, example string, draw func(env *functions.Env, p []float64, rows int) (column.Column, error)) functions.Scalar {
	return functions.Scalar{
		Name: name, Aliases: aliases, CaseInsensitive: len(aliases) > 0, MinArgs: least, MaxArgs: most, KeepNulls: true,
		Doc: functions.Doc{Syntax: name + "(…)", Summary: summary, Examples: []string{example}},
		Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
			var p []float64
			if least > 0 {
				for _, a := range args[:least] {
					if a.Const == nil || !types.Unwrap(a.Type).IsNumber() {
						return nil, cherr.New(cherr.IllegalTypeOfArgument, "Parameters of function %s must be constant numbers", name)
					}
					p = append(p, cast.Floats(column.Full(a.Const), types.Unwrap(a.Type))[0])
				}
			}
			return &expr.Function{Result: result, Volatile: true, KeepForms: true, Kernel: func(ctx context.Context, _ []column.Column, rows int) (column.Column, error) {
				if result == types.String {
					if err := expr.Room(ctx, int64(min(p[0], maxRandomBytes))*int64(rows)); err != nil {
						return nil, err
					}
				}
				return draw(env, p, rows)
			}}, nil
		},
	}
}

func uniform(env *functions.Env) float64 { return float64(env.Random()>>11) / (1 << 53) }

func draw32(env *functions.Env, _ []float64, rows int) (column.Column, error) {
	out := make([]uint32, rows)
	for i := range out {
		out[i] = uint32(env.Random())
	}
	return column.NewFixed(out), nil
}

func draw64(env *functions.Env, _ []float64, rows int) (column.Column, error) {
	out := make([]uint64, rows)
	for i := range out {
		out[i] = env.Random()
	}
	return column.NewFixed(out), nil
}

func floats(f func(env *functions.Env, p []float64) float64) func(*functions.Env, []float64, int) (column.Column, error) {
	return func(env *functions.Env, p []float64, rows int) (column.Column, error) {
		out := make([]float64, rows)
		for i := range out {
			out[i] = f(env, p)
		}
		return column.NewFixed(out), nil
	}
}

func normal(env *functions.Env) float64 {
	return math.Sqrt(-2*math.Log(1-uniform(env))) * math.Cos(2*math.Pi*uniform(env))
}

var (
	_ = add(random("rand", []string{"rand32"}, 0, 1, types.UInt32, "A random number a row.", "SELECT rand() >= 0", draw32))
	_ = add(random("rand64", nil, 0, 1, types.UInt64, "A random number a row.", "SELECT rand64() >= 0", draw64))
	_ = add(random("randCanonical", nil, 0, 1, types.Float64, "A random number in [0, 1) a row.", "SELECT randCanonical() < 1", floats(func(e *functions.Env, _ []float64) float64 { return uniform(e) })))
	_ = add(random("randUniform", nil, 2, 3, types.Float64, "A random number between two.", "SELECT randUniform(1, 2) < 3", floats(func(e *functions.Env, p []float64) float64 { return p[0] + uniform(e)*(p[1]-p[0]) })))
	_ = add(random("randNormal", nil, 2, 3, types.Float64, "A random number of a normal distribution.", "SELECT randNormal(0, 1) < 100", floats(func(e *functions.Env, p []float64) float64 { return p[0] + normal(e)*p[1] })))
	_ = add(random("randLogNormal", nil, 2, 3, types.Float64, "A random number whose logarithm is normal.", "SELECT randLogNormal(0, 1) > 0", floats(func(e *functions.Env, p []float64) float64 { return math.Exp(p[0] + normal(e)*p[1]) })))
	_ = add(random("randExponential", nil, 1, 2, types.Float64, "A random number of an exponential distribution.", "SELECT randExponential(1) >= 0", floats(func(e *functions.Env, p []float64) float64 { return -math.Log(1-uniform(e)) / p[0] })))
	_ = add(random("randBernoulli", nil, 1, 2, types.UInt64, "1 with a probability, else 0.", "SELECT randBernoulli(0.5) < 2", func(e *functions.Env, p []float64, rows int) (column.Column, error) {
		out := make([]uint64, rows)
		for i := range out {
			if uniform(e) < p[0] {
				out[i] = 1
			}
		}
		return column.NewFixed(out), nil
	}))
	_ = add(random("randomString", nil, 1, 2, types.String, "Random bytes.", "SELECT length(randomString(5))", randomBytes(func(r uint64) byte { return byte(r) })))
	_ = add(random("randomPrintableASCII", nil, 1, 2, types.String, "Random printable characters.", "SELECT length(randomPrintableASCII(5))", randomBytes(func(r uint64) byte { return byte(32 + r%95) })))
	_ = add(random("generateUUIDv4", nil, 0, 1, types.UUID, "A random UUID a row.", "SELECT generateUUIDv4() != generateUUIDv4()", func(e *functions.Env, _ []float64, rows int) (column.Column, error) {
		out := make([]types.U128, rows)
		for i := range out {
			out[i] = types.U128{Hi: e.Random()&^0xf000 | 0x4000, Lo: e.Random()&^(3<<62) | 1<<63}
		}
		return column.NewFixed(out), nil
	}))
	_ = add(random("generateUUIDv7", nil, 0, 1, types.UUID, "A UUID a row that begins with the time.", "SELECT generateUUIDv7() != generateUUIDv4()", func(e *functions.Env, _ []float64, rows int) (column.Column, error) {
		out := make([]types.U128, rows)
		at := uint64(e.Now.UnixMilli()) << 16
		for i := range out {
			out[i] = types.U128{Hi: at | 0x7000 | e.Random()&0xfff, Lo: e.Random()&^(3<<62) | 1<<63}
		}
		return column.NewFixed(out), nil
	}))
)

// maxRandomBytes bounds the length of one random string.
const maxRandomBytes = 1 << 24

func randomBytes(of func(r uint64) byte) func(*functions.Env, []float64, int) (column.Column, error) {
	return func(env *functions.Env, p []float64, rows int) (column.Column, error) {
		if p[0] < 0 || p[0] > maxRandomBytes {
			return nil, cherr.New(cherr.TooLargeStringSize, "Too large string size in function randomString")
		}
		out := &column.Str{Data: make([]byte, 0, min(rows*int(p[0]), 1<<30))}
		for range rows {
			from := len(out.Data)
			for range int(p[0]) {
				out.Data = append(out.Data, of(env.Random()))
			}
			out.Seal(from)
		}
		return out, nil
	}
}

var _ = add(functions.Scalar{
	Name: "randConstant", MaxArgs: 1, KeepNulls: true,
	Doc: functions.Doc{Syntax: "randConstant()", Summary: "A random number, one for the whole query.", Examples: []string{"SELECT randConstant() >= 0"}},
	Bind: func(env *functions.Env, _ []functions.Arg) (*expr.Function, error) {
		one := column.NewFixed([]uint32{uint32(env.Random())})
		return &expr.Function{Result: types.UInt32, KeepForms: true, Kernel: func(_ context.Context, _ []column.Column, rows int) (column.Column, error) {
			return column.NewConst(one, rows), nil
		}}, nil
	},
})
