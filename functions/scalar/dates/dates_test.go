package dates_test

import (
	"testing"
	_ "time/tzdata"

	"lakeserver/functions/scalar/arith"
	"lakeserver/functions/scalar/arrays"
	"lakeserver/functions/scalar/conditional"
	"lakeserver/functions/scalar/convert"
	"lakeserver/functions/scalar/dates"
	"lakeserver/internal/exprtest"
)

func TestAnswers(t *testing.T) {
	exprtest.Run(t, "testdata/answers.tsv", dates.Set(), arith.Set(), convert.Set(), conditional.Set(), arrays.Set(), exprtest.Tuples())
}
