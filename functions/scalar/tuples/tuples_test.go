package tuples_test

import (
	"testing"

	"lakeserver/functions/scalar/arith"
	"lakeserver/functions/scalar/compare"

	"lakeserver/functions/scalar/arrays"
	"lakeserver/functions/scalar/tuples"
	"lakeserver/internal/exprtest"
)

func TestAnswers(t *testing.T) {
	exprtest.Run(t, "testdata/answers.tsv", arith.Set(), compare.Set(), tuples.Set(), arrays.Set())
}
