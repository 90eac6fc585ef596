package server

import (
	"fmt"
	"strings"

	"lakeserver/cherr"
)

// Message gives an error's whole text as clients match it:
// "Code: 47. DB::Exception: … (UNKNOWN_IDENTIFIER) (version …)".
func Message(err error, version string) string {
	code, text := cherr.CodeOf(err), err.Error()
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return fmt.Sprintf("Code: %d. DB::Exception: %s (%s) (version %s (official build))", int(code), text, code, version)
}
