package format

import (
	"bufio"
	"context"
	encoding "encoding/json"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// inferJSONMeta takes the header from the member "meta" of a document's
// beginning.
func inferJSONMeta(_ context.Context, r *bufio.Reader, _ *Options) (column.Header, error) {
	d := encoding.NewDecoder(r)
	if t, err := d.Token(); err != nil || t != encoding.Delim('{') {
		return nil, cherr.New(cherr.CannotExtractTableStructure, "The table structure cannot be extracted: the document is not a JSON object")
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, cherr.WithCode(cherr.CannotExtractTableStructure, err, "reading JSON")
		}
		if key != "meta" {
			var skipped encoding.RawMessage
			if err := d.Decode(&skipped); err != nil {
				return nil, cherr.WithCode(cherr.CannotExtractTableStructure, err, "reading JSON")
			}
			continue
		}
		var meta []struct{ Name, Type string }
		if err := d.Decode(&meta); err != nil {
			return nil, cherr.WithCode(cherr.CannotExtractTableStructure, err, "reading the metadata of JSON")
		}
		var h column.Header
		for _, c := range meta {
			t, err := types.Parse(c.Type)
			if err != nil {
				return nil, err
			}
			h = append(h, column.Field{Name: c.Name, Type: t})
		}
		return h, nil
	}
	return nil, cherr.New(cherr.CannotExtractTableStructure, "The table structure cannot be extracted: the JSON document has no metadata")
}
