package format

import (
	"bufio"
	"bytes"
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
)

// jsonColumnsKind tells the three formats apart whose values stand column by
// column.
type jsonColumnsKind struct{ compact, meta bool }

func newJSONColumnsReader(r *bufio.Reader, h column.Header, o *Options, k jsonColumnsKind) (Reader, error) {
	out := &jsonColumnsReader{rows: newRows(r, h, o, text.JSON, &o.Text, nil), kind: k}
	return out, nil
}

// jsonColumnsReader gives a block a document: an array of values a column.
type jsonColumnsReader struct {
	rows   *rows
	kind   jsonColumnsKind
	opened bool
	given  []bool
}

// Next reads the next document.
func (j *jsonColumnsReader) Next(ctx context.Context) (*column.Block, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !j.opened {
		j.opened = true
		if err := j.rows.in.skipBOM(); err != nil {
			return nil, err
		}
	}
	for {
		doc, err := nextJSON(j.rows, false)
		if err != nil || doc == nil {
			return nil, err
		}
		j.rows.n, j.rows.missing, j.given = 0, nil, make([]bool, len(j.rows.h))
		if err := j.document(doc); err != nil {
			return nil, err
		}
		if j.rows.n > 0 {
			return j.rows.block(), nil
		}
	}
}

func (j *jsonColumnsReader) document(doc []byte) (err error) {
	if j.kind.meta {
		if doc, err = j.data(doc); err != nil || doc == nil {
			return err
		}
	}
	if err := eachColumn(doc, j.kind.compact, j.column); err != nil {
		return err
	}
	n := 0
	for i, c := range j.rows.cells {
		if j.given[i] {
			n = c.Len()
			break
		}
	}
	for i, c := range j.rows.cells {
		if j.given[i] && c.Len() != n {
			return cherr.New(cherr.IncorrectData, "Number of rows differs in different columns: %d != %d", n, c.Len())
		}
		for j.rows.n = c.Len(); j.rows.n < n; j.rows.n++ {
			j.rows.omit(i)
		}
	}
	j.rows.n = n
	return nil
}

// data compares the document's metadata with the header and gives its data.
func (j *jsonColumnsReader) data(doc []byte) ([]byte, error) {
	if !j.rows.o.Settings.Bool("input_format_json_validate_types_from_metadata") {
		return jsonMember(doc, "data")
	}
	first := ""
	if key := skipSpaces(doc, 0) + 1; key < len(doc) {
		if word, _, err := text.UnquoteJSON(doc[skipSpaces(doc, key):], nil); err == nil {
			first = string(word)
		}
	}
	if first != "meta" {
		return nil, cherr.New(cherr.IncorrectData, "Expected field \"meta\" with columns names and types, found field %s", first)
	}
	meta, err := inferJSONMeta(context.Background(), bufio.NewReader(bytes.NewReader(doc)), j.rows.o)
	if err != nil {
		return nil, err
	}
	for _, f := range meta {
		if i := j.rows.h.Index(f.Name); i >= 0 && !j.rows.h[i].Type.Equal(f.Type) {
			return nil, cherr.New(cherr.IncorrectData, "Type %s of column '%s' from metadata is not the same as type in header %s", f.Type, f.Name, j.rows.h[i].Type)
		}
	}
	return jsonMember(doc, "data")
}

// eachColumn calls f with the number, the name and the array of each column.
func eachColumn(doc []byte, compact bool, f func(i int, name, array []byte) error) error {
	open, end := byte('{'), byte('}')
	if compact {
		open, end = '[', ']'
	}
	n := skipSpaces(doc, 0)
	if n >= len(doc) || doc[n] != open {
		return expected(string(open), doc[min(n, len(doc)):])
	}
	n++
	for i := 0; ; i++ {
		if n = skipSpaces(doc, n); n >= len(doc) {
			return cherr.New(cherr.CannotReadAllData, "Unexpected end of a JSON document")
		}
		if doc[n] == end {
			return nil
		}
		var name []byte
		if !compact {
			key, used, err := text.UnquoteJSON(doc[n:], nil)
			if err != nil {
				return err
			}
			if n = skipSpaces(doc, n+used); n >= len(doc) || doc[n] != ':' {
				return expected(":", doc[min(n, len(doc)):])
			}
			n, name = skipSpaces(doc, n+1), key
		}
		used, err := text.SkipJSON(doc[n:])
		if err != nil {
			return err
		}
		if err := f(i, name, doc[n:n+used]); err != nil {
			return err
		}
		if n = skipSpaces(doc, n+used); n < len(doc) && doc[n] == ',' {
			n++
		}
	}
}

func (j *jsonColumnsReader) column(i int, name, array []byte) error {
	if j.kind.compact {
		if i >= len(j.rows.h) {
			return cherr.New(cherr.IncorrectData, "Input data has too many columns, expected %d columns", len(j.rows.h))
		}
	} else if i = j.rows.h.Index(string(name)); i < 0 {
		if !j.rows.o.SkipUnknownFields {
			return cherr.New(cherr.IncorrectData, "Unknown column found in input data: %s", name)
		}
		return nil
	}
	if j.given[i] {
		return cherr.New(cherr.IncorrectData, "Repeated field (`%s`) when processing data", j.rows.h[i].Name)
	}
	j.given[i] = true
	n := skipSpaces(array, 0)
	if n >= len(array) || array[n] != '[' {
		return expected("[", array[min(n, len(array)):])
	}
	n++
	for j.rows.n = 0; ; j.rows.n++ {
		if n = skipSpaces(array, n); n < len(array) && array[n] == ']' && j.rows.n == 0 {
			return nil
		}
		used, err := j.rows.value(i, array[n:])
		if err != nil {
			return cherr.Wrap(err, "while reading the value of key %s", j.rows.h[i].Name)
		}
		if n = skipSpaces(array, n+used); n < len(array) && array[n] == ']' {
			return nil
		}
		if n >= len(array) || array[n] != ',' {
			return expected(",", array[min(n, len(array)):])
		}
		n++
	}
}

// Missing gives the columns that the document left out.
func (j *jsonColumnsReader) Missing() [][]uint8 { return j.rows.missing }

// Close has nothing to free.
func (j *jsonColumnsReader) Close() error { return nil }

// inferJSONColumns looks at the first values of each column.
func inferJSONColumns(compact bool) func(context.Context, *bufio.Reader, *Options) (column.Header, error) {
	return func(_ context.Context, r *bufio.Reader, o *Options) (column.Header, error) {
		f := newInference(o).ofJSON()
		doc, err := (&window{r: r}).whole()
		if err != nil {
			return nil, err
		}
		err = eachColumn(doc, compact, func(i int, name, array []byte) error {
			if compact {
				name = []byte("c" + tupleIndex(i))
			}
			found := false
			for row, e := range jsonElements(array) {
				if row >= rowsRead(o) {
					break
				}
				if err := f.add(string(name), f.json(e)); err != nil {
					return err
				}
				found = true
			}
			if !found {
				return f.add(string(name), leaf(guessNull))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		return f.header()
	}
}
