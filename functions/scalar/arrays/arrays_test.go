package arrays_test

import (
	"testing"

	"lakeserver/functions/scalar/math"

	"lakeserver/functions/aggregate"
	"lakeserver/functions/scalar/arrays"
	"lakeserver/functions/scalar/strings"
	"lakeserver/functions/scalar/tuples"
	"lakeserver/internal/exprtest"
)

func TestAnswers(t *testing.T) {
	exprtest.Run(t, "testdata/answers.tsv", math.Set(), arrays.Set(), strings.Set(), tuples.Set(), aggregate.Set())
}
