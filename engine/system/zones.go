package system

import (
	_ "embed"
	"strings"
)

// zonesText is the names of the IANA time zone database, one a line.
//
//go:embed zones.txt
var zonesText string

func zones() []string { return strings.Fields(zonesText) }
