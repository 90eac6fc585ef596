package paimon

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/functions"
	"lakeserver/table"
)

func isSystemTable(string) bool { return false }

func (o *opener) openSystem(context.Context, *functions.Env, location, *functions.OpenRequest, map[string]string) (table.Table, error) {
	return nil, cherr.New(cherr.NotImplemented, "system tables")
}
