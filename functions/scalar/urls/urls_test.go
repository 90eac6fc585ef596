package urls_test

import (
	"testing"

	"lakeserver/functions/scalar/arrays"
	"lakeserver/functions/scalar/urls"
	"lakeserver/internal/exprtest"
)

func TestAnswers(t *testing.T) { exprtest.Run(t, "testdata/answers.tsv", urls.Set(), arrays.Set()) }
