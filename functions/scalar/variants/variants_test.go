package variants_test

import (
	"testing"

	"lakeserver/functions/scalar/arrays"
	"lakeserver/functions/scalar/convert"
	"lakeserver/functions/scalar/maps"
	"lakeserver/functions/scalar/tuples"
	"lakeserver/functions/scalar/variants"
	"lakeserver/internal/exprtest"
)

func TestAnswers(t *testing.T) {
	exprtest.Run(t, "testdata/answers.tsv", variants.Set(), arrays.Set(), convert.Set(), maps.Set(), tuples.Set())
}
