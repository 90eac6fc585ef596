package engine

import (
	"lakeserver/engine/ast"
	"lakeserver/engine/database"
)

// hasParams tells whether a query has {name:Type} in it: such a view is bound
// when it is used.
func hasParams(q ast.Query) bool {
	found := false
	ast.Walk(q, func(n ast.Node) bool {
		if _, ok := n.(*ast.QueryParam); ok {
			found = true
		}
		return !found
	})
	return found
}

func dumpAST(s ast.Statement) string { return ast.Dump(s) }

// CreateText is the statement that made a table, as system.tables shows it.
func CreateText(e *database.Entry) string { return ast.Redact(e.Create) }

// createPretty is the same over several lines, as SHOW CREATE shows it; with
// secrets it stays on one.
func createPretty(e *database.Entry) string {
	if hidden := ast.Redact(e.Create); hidden != ast.Format(e.Create) {
		return hidden
	}
	return ast.FormatPretty(e.Create)
}
