package strings

import (
	"testing"

	"lakeserver/internal/exprtest"
)

func TestAnswers(t *testing.T) { exprtest.Run(t, "testdata/answers.tsv", Set()) }
