package server

import (
	"fmt"
	"regexp"
	"strings"

	"lakeserver/cherr"
)

// lookalike is a word in brackets that clients would take for the code's name:
// they search for the first capitals in brackets.
var lookalike = regexp.MustCompile(`\(([A-Z0-9_]*[A-Z]{3}[A-Z0-9_]*)\)`)

// Message gives an error's whole text as clients match it:
// "Code: 47. DB::Exception: … (UNKNOWN_IDENTIFIER) (version …)".
func Message(err error, version string) string {
	code, text := cherr.CodeOf(err), lookalike.ReplaceAllString(err.Error(), "('$1')")
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return fmt.Sprintf("Code: %d. DB::Exception: %s (%s) (version %s (official build))", int(code), text, code, version)
}
