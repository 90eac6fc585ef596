package paimon

import (
	"context"

	"lakeserver/metadata/catalog"
	"lakeserver/metadata/paimon"
	write "lakeserver/write/paimon"
)

func (k *keptHere) identifier() *write.Identifier {
	return &write.Identifier{Database: k.id.Namespace[0], Table: k.id.Name}
}

// LoadTable implements write.Catalog.
func (k *keptHere) LoadTable(context.Context, write.Identifier) (*write.CatalogTable, error) {
	return &write.CatalogTable{ManagesVersions: true, UUID: k.table.ID, SchemaID: k.table.SchemaID}, nil
}

// LatestSnapshot implements write.Catalog.
func (k *keptHere) LatestSnapshot(ctx context.Context, id write.Identifier) (*paimon.Snapshot, error) {
	return k.versions.Latest(ctx, idOf(id))
}

// CommitSnapshot implements write.Catalog.
func (k *keptHere) CommitSnapshot(ctx context.Context, id write.Identifier, request []byte) (bool, error) {
	return k.versions.CommitSnapshot(ctx, idOf(id), request)
}

func idOf(id write.Identifier) catalog.Identifier {
	return catalog.Identifier{Namespace: []string{id.Database}, Name: id.Table}
}
