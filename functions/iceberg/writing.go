package iceberg

import (
	"lakeserver/cherr"
	"lakeserver/metadata"
	"lakeserver/metadata/iceberg"
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
	return &write.Table{Meta: t.src.Meta, Loader: t.src.Loader, Paths: t.src.Paths, Swapper: t.folder, Line: t.folder.Line}
}

// folder gives where a table's versions stand.
func (o *opener) folder(path string, c iceberg.Choice, codec string) *write.Folder {
	f := &write.Folder{
		Loader: &metadata.Loader{Store: o.store}, Root: path, Choice: iceberg.Choice{File: c.File, UUID: c.UUID, Newest: c.Newest},
		Codec: codec, Hint: c.UseHint,
	}
	if o.lines != nil {
		key := path
		if a, ok := o.store.(interface{ Absolute(string) string }); ok {
			key = a.Absolute(path)
		}
		f.Line = o.lines.Of(key)
	}
	return f
}
