package hashes

import (
	"testing"

	"lakeserver/functions/scalar/arrays"
	"lakeserver/functions/scalar/strings"
	"lakeserver/internal/exprtest"
)

func TestAnswers(t *testing.T) {
	exprtest.Run(t, "testdata/answers.tsv", Set(), arrays.Set(), strings.Set(), exprtest.Tuples())
}
