package format

import (
	"io"
	"strconv"

	"lakeserver/column"
	"lakeserver/column/text"
)

var _ = add(Format{Name: "JSONObjectEachRow", ContentType: jsonText, Closed: true, NewWriter: newJSONObject, NewReader: newJSONObjectReader, Infer: inferJSONObject, SubsetOfColumns: true})

// jsonObjectWriter writes one object with a member a row.
type jsonObjectWriter struct {
	*eachRowWriter
	name int // column that names the rows, -1: they are counted
}

func newJSONObject(w io.Writer, h column.Header, o *Options) (Writer, error) {
	e := newEachRow(w, h, o, eachRowKind{})
	e.list = false
	e.buf = append(e.buf[:0], "{\n"...)
	j := &jsonObjectWriter{e, h.Index(o.Settings.Get(objectName))}
	if j.name >= 0 {
		e.keys = append(append([][]byte{}, e.keys[:j.name]...), e.keys[j.name+1:]...)
	}
	return j, nil
}

func (j *jsonObjectWriter) Write(b *column.Block) error {
	cs := j.cells(b)
	var name text.Cell
	if j.name >= 0 {
		name = text.Print(j.h[j.name].Type, text.Plain, &j.o.Text, b.Columns[j.name])
		cs = append(append([]text.Cell{}, cs[:j.name]...), cs[j.name+1:]...)
	}
	for row := range b.Rows {
		if j.rows > 0 {
			j.buffer.text(",\n")
		}
		j.rows++
		j.buffer.text("\t")
		if name != nil {
			j.buf = text.AppendJSON(j.buf, name(nil, row), !j.o.Text.PlainSlashes)
		} else {
			j.buffer.text(`"row_` + strconv.FormatUint(j.rows, 10) + `"`)
		}
		j.buffer.text(": ")
		j.object(cs, row)
	}
	return j.send()
}

func (j *jsonObjectWriter) Finish(Statistics) error {
	j.buffer.text("\n}\n")
	return j.send()
}
