package info

import (
	"math"
	"slices"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var _ = add(functions.Scalar{
	Name: "formatReadableTimeDelta", MinArgs: 1, MaxArgs: 3,
	Doc:  functions.Doc{Syntax: "formatReadableTimeDelta(x[, maximum_unit[, minimum_unit]])", Summary: "A number of seconds in years, months, days and so on.", Examples: []string{"SELECT formatReadableTimeDelta(123456)", "SELECT formatReadableTimeDelta(5200, 'minutes')"}},
	Bind: bindTimeDelta,
})

// deltaUnit has its length in seconds, or, below the second, how many
// nanoseconds it is.
type deltaUnit struct {
	name    string
	seconds float64
	nanos   int64
}

// deltaUnits: a month is counted as 30.5 days, a year as 365.
var deltaUnits = []deltaUnit{
	{"year", 31536000, 0},
	{"month", 2635200, 0},
	{"day", 86400, 0},
	{"hour", 3600, 0},
	{"minute", 60, 0},
	{"second", 1, 0},
	{"millisecond", 1e-3, 1e6},
	{"microsecond", 1e-6, 1e3},
	{"nanosecond", 1e-9, 1},
}

const deltaSecond = 5

func bindTimeDelta(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	const name = "formatReadableTimeDelta"
	t := args[0].Type
	if !t.IsNumber() && t.Kind() != types.KindInterval {
		return nil, kernel.WrongType(name, 0, t)
	}
	first, last := 0, deltaSecond
	for i, a := range args[1:] {
		if !a.Type.IsString() {
			return nil, kernel.WrongType(name, i+1, a.Type)
		}
		unit, ok := a.ConstString()
		if !ok {
			return nil, kernel.NotConst(name, i+1)
		}
		at := slices.IndexFunc(deltaUnits, func(u deltaUnit) bool { return u.name+"s" == unit })
		if at < 0 {
			return nil, cherr.New(cherr.BadArguments, "Unexpected value of %s unit argument (%s) for function %s, the only allowed values are: 'nanoseconds', 'microseconds', 'milliseconds', 'seconds', 'minutes', 'hours', 'days', 'months', 'years'", [...]string{"maximum", "minimum"}[i], unit, name)
		}
		if i == 0 {
			if first = at; first > deltaSecond {
				last = len(deltaUnits) - 1
			}
			continue
		}
		if last = at; last < first {
			return nil, cherr.New(cherr.BadArguments, "Explicitly specified value of minimum unit argument (%s) for function %s must not be greater than maximum unit value", unit, name)
		}
	}
	return kernel.Fn(types.String, func(args []column.Column, rows int) (column.Column, error) {
		in := kernel.Floats(args[0], t)
		return kernel.EachStr(rows, func(dst []byte, i int) []byte { return appendDelta(dst, in.At(i), first, last) }), nil
	}), nil
}

// appendDelta writes seconds in the units from first to last.
func appendDelta(dst []byte, v float64, first, last int) []byte {
	if v-v != 0 {
		return text.AppendFloat64(dst, v)
	}
	if v < 0 {
		dst, v = append(dst, '-'), -v
	}
	var words []string
	add := func(n float64, unit string) {
		if n != 1 {
			unit += "s"
		}
		words = append(words, string(text.AppendFloat64(nil, n))+" "+unit)
	}
	if v+1 == v { // so much that no smaller unit could be told
		add(math.Floor(v/deltaUnits[first].seconds), deltaUnits[first].name)
		return append(dst, words[0]...)
	}
	whole := math.Floor(v)
	nanos := int64((v - whole) * 1e9)
	if first > deltaSecond {
		nanos, whole = nanos+int64(whole)*1e9, 0
	}
	for _, u := range deltaUnits[first : last+1] {
		var n float64
		if u.nanos == 0 {
			n = math.Floor(whole / u.seconds)
			whole -= n * u.seconds
		} else {
			n = float64(nanos / u.nanos)
			nanos %= u.nanos
		}
		if n != 0 || u.name == "second" && len(words) == 0 && (last == deltaSecond || nanos/deltaUnits[last].nanos == 0) {
			add(n, u.name)
		}
	}
	if len(words) == 0 {
		return dst
	}
	if n := len(words) - 1; n > 0 {
		return append(dst, strings.Join(words[:n], ", ")+" and "+words[n]...)
	}
	return append(dst, words[0]...)
}
