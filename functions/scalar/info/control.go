package info

import (
	"context"
	"time"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Scalar{
	Name: "throwIf", MinArgs: 1, MaxArgs: 3,
	Doc: functions.Doc{Syntax: "throwIf(x[, message[, code]])", Summary: "Ends the query with an error where x is not 0, else gives 0.", Examples: []string{"SELECT throwIf(0)"}},
	Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if !args[0].Type.IsNativeNumber() {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "First argument of function throwIf must be a number (passed: %s)", args[0].Type)
		}
		message, code := "Value passed to 'throwIf' function is non-zero", cherr.FunctionThrowIfValueIsNonZero
		if len(args) > 1 {
			s, ok := args[1].ConstString()
			if !ok {
				return nil, cherr.New(cherr.IllegalTypeOfArgument, "Second argument of function throwIf must be a constant string")
			}
			message = s
		}
		if len(args) > 2 {
			c, ok := args[2].ConstInt()
			if !ok {
				return nil, cherr.New(cherr.IllegalTypeOfArgument, "Third argument of function throwIf must be a constant number")
			}
			code = cherr.Code(c)
		}
		return &expr.Function{Result: types.UInt8, Volatile: true, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
			for _, v := range cast.NonZero(column.Full(args[0])) {
				if v != 0 {
					return nil, cherr.New(code, "%s", message)
				}
			}
			return column.NewFixed(make([]uint8, rows)), nil
		}}, nil
	},
})

var (
	_ = add(sleep("sleep", false))
	_ = add(sleep("sleepEachRow", true))
)

// sleep waits for seconds a block, or a row; at most three seconds at once, as
// ClickHouse allows.
func sleep(name string, each bool) functions.Scalar {
	return functions.Scalar{
		Name: name, MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: name + "(seconds)", Summary: "Waits.", Examples: []string{"SELECT " + name + "(0)"}},
		Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
			if args[0].Const == nil || !args[0].Type.IsNativeNumber() {
				return nil, cherr.New(cherr.IllegalTypeOfArgument, "The argument of function %s must be a constant number", name)
			}
			seconds := cast.Floats(column.Full(args[0].Const), args[0].Type)[0]
			if !(seconds >= 0) {
				return nil, cherr.New(cherr.BadArguments, "Cannot sleep infinite or negative time (not implemented)")
			}
			return &expr.Function{Result: types.UInt8, Volatile: true, Kernel: func(ctx context.Context, _ []column.Column, rows int) (column.Column, error) {
				total := seconds
				if each {
					total *= float64(rows)
				}
				if total > 3 {
					return nil, cherr.New(cherr.TooSlow, "The maximum sleep time is 3 seconds. Requested: %v seconds per block", total)
				}
				if rows > 0 {
					timer := time.NewTimer(time.Duration(total * float64(time.Second)))
					defer timer.Stop()
					select {
					case <-ctx.Done():
						return nil, ctx.Err()
					case <-timer.C:
					}
				}
				return column.NewFixed(make([]uint8, rows)), nil
			}}, nil
		},
	}
}
