package maps_test

import (
	"testing"

	"lakeserver/functions/scalar/arrays"
	"lakeserver/functions/scalar/maps"
	"lakeserver/functions/scalar/strings"
	"lakeserver/functions/scalar/tuples"
	"lakeserver/internal/exprtest"
)

func TestAnswers(t *testing.T) {
	exprtest.Run(t, "testdata/answers.tsv", maps.Set(), arrays.Set(), tuples.Set(), strings.Set())
}
