package math

import (
	"testing"

	"lakeserver/functions/scalar/arrays"
	"lakeserver/functions/scalar/tuples"
	"lakeserver/internal/exprtest"
)

func TestAnswers(t *testing.T) {
	exprtest.Run(t, "testdata/answers.tsv", Set(), arrays.Set(), tuples.Set())
}
