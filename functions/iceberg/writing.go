package iceberg

import (
	"lakeserver/cherr"
	"lakeserver/metadata"
	"lakeserver/metadata/iceberg"
	"lakeserver/objstore"
	write "lakeserver/write/iceberg"
)

// gate fails when the query may not change Iceberg tables; text is
// ClickHouse's.
func (t *Table) gate(text string) error {
	if !t.open && !t.settings.Bool("allow_insert_into_iceberg") {
		return cherr.New(cherr.SupportIsDisabled, "%s", text)
	}
	return nil
}

// writer gives the table to be committed to: its newest version, whichever
// this one is pinned to.
func (t *Table) writer() *write.Table {
	return &write.Table{Meta: t.src.Meta, Loader: t.src.Loader, Paths: t.src.Paths, Swapper: t.swapper, Line: t.line}
}

// folder gives where a table's versions stand.
func (o *opener) folder(at *spot, c iceberg.Choice, codec string) *write.Folder {
	f := &write.Folder{
		Loader: &metadata.Loader{Store: at.store}, Root: at.path, Choice: iceberg.Choice{File: c.File, UUID: c.UUID, Newest: c.Newest},
		Codec: codec, Hint: c.UseHint,
	}
	if o.lines != nil {
		key := objstore.Identity(at.store) + objstore.Location(at.store, at.path)
		f.Line = o.lines.Of(key)
	}
	return f
}
