package arrays_test

import (
	"testing"

	"lakeserver/functions/aggregate"
	"lakeserver/functions/scalar/arith"
	"lakeserver/functions/scalar/arrays"
	"lakeserver/functions/scalar/convert"
	"lakeserver/functions/scalar/math"
	"lakeserver/functions/scalar/strings"
	"lakeserver/functions/scalar/tuples"
	"lakeserver/internal/exprtest"
)

func TestAnswers(t *testing.T) {
	exprtest.Run(t, "testdata/answers.tsv", math.Set(), arith.Set(), convert.Set(), arrays.Set(), strings.Set(), tuples.Set(), aggregate.Set())
}
