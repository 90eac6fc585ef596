package exprtest

import (
	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/types"
)

// Print gives row i as ClickHouse's TabSeparated does.
func Print(t *types.Type, c column.Column, i int) string {
	return string(text.Print(t, text.Escaped, nil, c)(nil, i))
}
