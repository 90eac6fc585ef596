package analyze

import (
	"strconv"

	"lakeserver/functions"
	"lakeserver/functions/aggregate"
	"lakeserver/functions/scalar/arrays"
	"lakeserver/functions/scalar/math"
	"lakeserver/functions/scalar/strings"
	"lakeserver/functions/tablefunc"
)

func testSets() []functions.Set {
	return []functions.Set{arrays.Set(), math.Set(), strings.Set(), aggregate.Set(), tablefunc.Set()}
}

func itoa(n int) string { return strconv.Itoa(n) }
