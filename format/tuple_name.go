package format

import (
	"strconv"

	"lakeserver/types"
)

// tupleElement gives the name by which a tuple's element is shown.
func tupleElement(t *types.Type, i int) string {
	if n := t.Names(); n != nil {
		return n[i]
	}
	return tupleIndex(i)
}

// tupleIndex gives the number by which the i-th element is named.
func tupleIndex(i int) string { return strconv.Itoa(i + 1) }
