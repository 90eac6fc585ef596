package analyze

import (
	"strconv"

	"lakeserver/functions"
	"lakeserver/functions/aggregate"
	"lakeserver/functions/scalar/arith"
	"lakeserver/functions/scalar/arrays"
	"lakeserver/functions/scalar/compare"
	"lakeserver/functions/scalar/conditional"
	"lakeserver/functions/scalar/convert"
	"lakeserver/functions/scalar/info"
	"lakeserver/functions/scalar/logic"
	"lakeserver/functions/scalar/maps"
	"lakeserver/functions/scalar/math"
	"lakeserver/functions/scalar/strings"
	"lakeserver/functions/scalar/tuples"
	"lakeserver/functions/tablefunc"
	windowfuncs "lakeserver/functions/window"
)

func testSets() []functions.Set {
	return []functions.Set{
		arith.Set(), arrays.Set(), compare.Set(), conditional.Set(), convert.Set(), info.Set(), logic.Set(), maps.Set(), math.Set(), strings.Set(), tuples.Set(),
		aggregate.Set(), tablefunc.Set(), windowfuncs.Set(),
	}
}

func itoa(n int) string { return strconv.Itoa(n) }
