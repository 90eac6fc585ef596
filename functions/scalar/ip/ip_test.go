package ip_test

import (
	"testing"

	"lakeserver/functions/scalar/ip"
	"lakeserver/functions/scalar/strings"
	"lakeserver/functions/scalar/tuples"
	"lakeserver/internal/exprtest"
)

func TestAnswers(t *testing.T) {
	exprtest.Run(t, "testdata/answers.tsv", ip.Set(), strings.Set(), tuples.Set())
}
