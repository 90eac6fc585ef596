package encrypt_test

import (
	"testing"

	"lakeserver/functions/scalar/encrypt"
	"lakeserver/functions/scalar/strings"
	"lakeserver/internal/exprtest"
)

func TestAnswers(t *testing.T) {
	exprtest.Run(t, "testdata/answers.tsv", encrypt.Set(), strings.Set())
}
