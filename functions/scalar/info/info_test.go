package info_test

import (
	"testing"

	"lakeserver/functions/scalar/arrays"
	"lakeserver/functions/scalar/conditional"
	"lakeserver/functions/scalar/convert"
	"lakeserver/functions/scalar/info"
	"lakeserver/internal/exprtest"
)

func TestAnswers(t *testing.T) {
	exprtest.Run(t, "testdata/answers.tsv", info.Set(), arrays.Set(), convert.Set(), conditional.Set())
}
