package math

import (
	"testing"

	"lakeserver/functions/scalar/arrays"
	"lakeserver/internal/exprtest"
)

func TestAnswers(t *testing.T) { exprtest.Run(t, "testdata/answers.tsv", Set(), arrays.Set()) }
