package tablefunc

import (
	"context"
	"math"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/table"
)

var _ = add(numbers("numbers", false))

var _ = add(numbers("numbers_mt", true))

var _ = add(zeros("zeros", false))

var _ = add(zeros("zeros_mt", true))

var _ = add(functions.TableFunction{
	Name: "generate_series", Aliases: []string{"generateSeries"},
	Doc: functions.Doc{
		Syntax: "generate_series(start, stop[, step])", Summary: "The numbers from start to stop, both included.",
		Examples: []string{"SELECT * FROM generate_series(1, 10, 3)"},
	},
	Open: func(_ context.Context, _ *functions.Env, req *functions.OpenRequest) (table.Table, error) {
		v, err := unsignedArgs(req)
		if err != nil {
			return nil, err
		}
		if len(v) < 2 || len(v) > 3 {
			return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Table function '%s' requires two or three arguments", req.Name)
		}
		s := &Sequence{Name: "generate_series", Start: v[0], Step: 1}
		if len(v) == 3 {
			s.Step = v[2]
		}
		if s.Step == 0 {
			return nil, cherr.New(cherr.InvalidSettingValue, "Table function '%s' requires step to be a positive number", req.Name)
		}
		if v[1] >= v[0] {
			s.Count = (v[1]-v[0])/s.Step + 1
		}
		return s, nil
	},
})

func numbers(name string, parallel bool) functions.TableFunction {
	return functions.TableFunction{
		Name: name,
		Doc: functions.Doc{
			Syntax: name + "([start, ]count[, step])", Summary: "A column number of integers from start (0).",
			Examples: []string{"SELECT * FROM " + name + "(3)"},
		},
		Open: func(_ context.Context, _ *functions.Env, req *functions.OpenRequest) (table.Table, error) {
			v, err := unsignedArgs(req)
			if err != nil {
				return nil, err
			}
			s := &Sequence{Name: "number", Step: 1, Parallel: parallel}
			switch len(v) {
			case 0:
				s.Endless = true
			case 1:
				s.Count = v[0]
			case 2:
				s.Start, s.Count = v[0], v[1]
			case 3:
				s.Start, s.Step = v[0], v[2]
				if s.Step == 0 {
					return nil, cherr.New(cherr.BadArguments, "Table function %s requires step to be a positive number", req.Name)
				}
				s.Count = v[1] / s.Step
				if v[1]%s.Step != 0 {
					s.Count++
				}
			default:
				return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Table function '%s' cannot have more than three params", req.Name)
			}
			return s, nil
		},
	}
}

func zeros(name string, parallel bool) functions.TableFunction {
	return functions.TableFunction{
		Name: name,
		Doc: functions.Doc{
			Syntax: name + "(count)", Summary: "A column zero of as many zeros.",
			Examples: []string{"SELECT * FROM " + name + "(3)"},
		},
		Open: func(_ context.Context, _ *functions.Env, req *functions.OpenRequest) (table.Table, error) {
			v, err := unsignedArgs(req)
			if err != nil {
				return nil, err
			}
			if len(v) > 1 {
				return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Table function '%s' requires 'limit' argument", req.Name)
			}
			s := &Sequence{Name: "zero", Zero: true, Parallel: parallel, Endless: len(v) == 0}
			if len(v) == 1 {
				s.Count = v[0]
			}
			return s, nil
		},
	}
}

// unsignedArgs reads constant numbers that fit UInt64.
func unsignedArgs(req *functions.OpenRequest) ([]uint64, error) {
	out := make([]uint64, len(req.Args))
	for i, a := range req.Args {
		if !a.Const {
			return nil, cherr.New(cherr.BadArguments, "Argument %d of table function %s must be a constant", i+1, req.Name)
		}
		if !a.Type.IsNumber() {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s expression, must be numeric type", a.Type)
		}
		v, ok := asUint(a.Value)
		if !ok {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "The value %v is not representable as UInt64", a.Value)
		}
		out[i] = v
	}
	return out, nil
}

func asUint(v column.Value) (uint64, bool) {
	var n int64
	switch v := v.(type) {
	case uint8:
		return uint64(v), true
	case uint16:
		return uint64(v), true
	case uint32:
		return uint64(v), true
	case uint64:
		return v, true
	case int8:
		n = int64(v)
	case int16:
		n = int64(v)
	case int32:
		n = int64(v)
	case int64:
		n = v
	case float64:
		if v != math.Trunc(v) || v < 0 || v >= 1<<64 {
			return 0, false
		}
		return uint64(v), true
	default:
		return 0, false
	}
	return uint64(n), n >= 0
}
