package tuples_test

import (
	"testing"

	"lakeserver/functions/scalar/arrays"
	"lakeserver/functions/scalar/tuples"
	"lakeserver/internal/exprtest"
)

func TestAnswers(t *testing.T) { exprtest.Run(t, "testdata/answers.tsv", tuples.Set(), arrays.Set()) }
