package cherr

import (
	_ "embed"
	"strconv"
	"strings"
)

// Code is a ClickHouse error code, as in its system.errors.
type Code int32

// The codes that the server uses.
const (
	ParametersToAggregateFunctionsMustBeLiterals Code = 134
)

// codesTSV is every code of ClickHouse 26.9 with its name.
//
//go:embed codes.tsv
var codesTSV string

var names = parseCodes(codesTSV)

func parseCodes(tsv string) map[Code]string {
	m := make(map[Code]string, 1400)
	for line := range strings.Lines(tsv) {
		code, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if n, err := strconv.Atoi(code); err == nil {
			m[Code(n)] = name
		}
	}
	return m
}

// String gives the code's name in system.errors.
func (c Code) String() string {
	if s, ok := names[c]; ok {
		return s
	}
	return "ERROR_" + strconv.Itoa(int(c))
}

// All gives every code with its name; not to be written to.
func All() map[Code]string { return names }
