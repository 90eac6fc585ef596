package json_test

import (
	"testing"

	"lakeserver/functions/scalar/arrays"
	"lakeserver/functions/scalar/json"
	"lakeserver/functions/scalar/maps"
	"lakeserver/functions/scalar/tuples"
	"lakeserver/internal/exprtest"
)

func TestAnswers(t *testing.T) {
	exprtest.Run(t, "testdata/answers.tsv", json.Set(), arrays.Set(), tuples.Set(), maps.Set())
}
