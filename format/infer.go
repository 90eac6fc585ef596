package format

import (
	"bufio"
	"bytes"
	"context"
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/types"
)

// inference finds the types of columns in the first rows of a text document.
type inference struct {
	names []string
	found []*types.Type // nil: only NULL so far
	o     *Options
}

func newInference(o *Options) *inference { return &inference{o: o} }

// rowsRead is how many rows are looked at.
func rowsRead(o *Options) int {
	return int(max(1, min(o.Settings.Uint("input_format_max_rows_to_read_for_schema_inference"), 1<<20)))
}

func (f *inference) add(name string, t *types.Type) {
	for i, n := range f.names {
		if n == name {
			f.merge(i, t)
			return
		}
	}
	f.names, f.found = append(f.names, name), append(f.found, t)
}

// merge widens a column's type; what has nothing in common is a String.
func (f *inference) merge(i int, t *types.Type) {
	switch old := f.found[i]; {
	case old == nil:
		f.found[i] = t
	case t != nil:
		f.found[i] = widen(old, t)
	}
}

func widen(a, b *types.Type) *types.Type {
	if a.Equal(b) {
		return a
	}
	if a.Kind() == types.KindArray && b.Kind() == types.KindArray {
		ae, be := types.WithoutNullable(a.Elem()), types.WithoutNullable(b.Elem())
		return types.Array(nullableIf(widenKnown(ae, be)))
	}
	if a.IsNativeNumber() && b.IsNativeNumber() && a.Kind() != types.KindBool && b.Kind() != types.KindBool {
		return types.Float64
	}
	if a.IsDateOrTime() && b.IsDateOrTime() {
		return types.DateTime64(9, "", nil)
	}
	return types.String
}

func widenKnown(a, b *types.Type) *types.Type {
	switch {
	case a.Kind() == types.KindNothing:
		return b
	case b.Kind() == types.KindNothing:
		return a
	}
	return widen(a, b)
}

func nullableIf(t *types.Type) *types.Type {
	if t.CanBeNullable() {
		return types.Nullable(t)
	}
	return t
}

// header gives the structure: every column may be NULL, as in ClickHouse.
func (f *inference) header() (column.Header, error) {
	if len(f.names) == 0 {
		return nil, cherr.New(cherr.CannotExtractTableStructure, "Cannot extract table structure from the data: it has no rows")
	}
	h := make(column.Header, len(f.names))
	for i, n := range f.names {
		t := f.found[i]
		if t == nil {
			t = types.String
		}
		if f.o.Settings.Get("schema_inference_make_columns_nullable") != "0" {
			t = nullableIf(t)
		}
		h[i] = column.Field{Name: n, Type: t}
	}
	return h, nil
}

// wordType guesses the type of a bare word; nil is NULL.
func wordType(w string) *types.Type {
	switch {
	case w == `\N` || strings.EqualFold(w, "null"):
		return nil
	case strings.EqualFold(w, "true") || strings.EqualFold(w, "false"):
		return types.Bool
	}
	if _, err := strconv.ParseInt(w, 10, 64); err == nil {
		return types.Int64
	}
	if _, err := strconv.ParseUint(w, 10, 64); err == nil {
		return types.UInt64
	}
	if _, err := strconv.ParseFloat(w, 64); err == nil && !strings.ContainsAny(w, "xX_pP") {
		return types.Float64
	}
	return timeWord(w)
}

func timeWord(w string) *types.Type {
	read := func(t *types.Type, f text.Form) bool {
		r := text.NewReader(t, f, &text.Options{BasicTimes: true})
		n, err := r.Read([]byte(w))
		return err == nil && n == len(w)
	}
	switch {
	case len(w) == 10 && w[4] == '-' && w[7] == '-' && read(types.Date32, text.Plain):
		return types.Date
	case len(w) == 19 && w[4] == '-' && w[13] == ':' && read(types.DateTime, text.Plain):
		return types.DateTime
	case len(w) > 20 && w[4] == '-' && w[13] == ':' && w[19] == '.' && read(types.DateTime64(9, "", nil), text.Plain):
		return types.DateTime64(9, "", nil)
	}
	return types.String
}

// jsonType guesses the type of a JSON value; nil is null.
func jsonType(v []byte) *types.Type {
	v = bytes.TrimSpace(v)
	switch {
	case len(v) == 0 || string(v) == "null":
		return nil
	case v[0] == '"':
		s, _, err := text.UnquoteJSON(v, nil)
		if err != nil {
			return types.String
		}
		return timeWord(string(s))
	case v[0] == '[':
		elem := types.Nothing
		for _, e := range jsonElements(v) {
			if t := jsonType(e); t != nil {
				elem = widenKnown(elem, types.WithoutNullable(t))
			}
		}
		return types.Array(nullableIf(elem))
	case v[0] == '{':
		return types.String
	}
	return wordType(string(v))
}

// jsonElements cuts an array into its elements.
func jsonElements(v []byte) [][]byte {
	var out [][]byte
	for n := 1; n < len(v); {
		n = skipSpaces(v, n)
		if n >= len(v) || v[n] == ']' {
			break
		}
		used, err := text.SkipJSON(v[n:])
		if err != nil {
			break
		}
		out = append(out, v[n:n+used])
		if n = skipSpaces(v, n+used); n < len(v) && v[n] == ',' {
			n++
		}
	}
	return out
}

// inferJSON looks at objects, or at arrays whose elements are named c1, c2 ….
func inferJSON(k eachRowKind) func(context.Context, *bufio.Reader, *Options) (column.Header, error) {
	return func(_ context.Context, r *bufio.Reader, o *Options) (column.Header, error) {
		f := newInference(o)
		rows := &rows{in: &window{r: r}, o: o}
		p := &jsonObjectParser{}
		if !k.compact {
			if err := p.open(rows); err != nil {
				return nil, err
			}
		}
		for range rowsRead(o) {
			src, err := nextJSON(rows, p.inList)
			if err != nil {
				return nil, err
			}
			if src == nil {
				break
			}
			if k.compact {
				for i, e := range jsonElements(bytes.TrimSpace(src)) {
					f.add("c"+tupleIndex(i), jsonType(e))
				}
				continue
			}
			if err := f.object(src); err != nil {
				return nil, err
			}
		}
		return f.header()
	}
}

func (f *inference) object(src []byte) error {
	for n := skipSpaces(src, 0) + 1; n < len(src); {
		n = skipSpaces(src, n)
		if n >= len(src) || src[n] == '}' {
			return nil
		}
		key, used, err := text.UnquoteJSON(src[n:], nil)
		if err != nil {
			return err
		}
		if n = skipSpaces(src, n+used); n >= len(src) || src[n] != ':' {
			return expected(":", src[min(n, len(src)):])
		}
		n = skipSpaces(src, n+1)
		if used, err = text.SkipJSON(src[n:]); err != nil {
			return err
		}
		f.add(string(key), jsonType(src[n:n+used]))
		if n = skipSpaces(src, n+used); n < len(src) && src[n] == ',' {
			n++
		}
	}
	return nil
}

// inferLines looks at lines of words; the first may hold the columns' names.
func inferLines(split splitter, words func([]byte) []string, withNames, withTypes bool, detect string) func(*bufio.Reader, *Options) (column.Header, error) {
	return func(r *bufio.Reader, o *Options) (column.Header, error) {
		w := &window{r: r}
		if err := w.skipBOM(); err != nil {
			return nil, err
		}
		var lines [][]string
		for range rowsRead(o) {
			line, err := w.next(split)
			if err != nil {
				return nil, err
			}
			if line == nil {
				break
			}
			lines = append(lines, words(line))
		}
		if withTypes && len(lines) > 1 {
			var h column.Header
			for i, n := range lines[0] {
				t, err := types.Parse(lines[1][min(i, len(lines[1])-1)])
				if err != nil {
					return nil, err
				}
				h = append(h, column.Field{Name: n, Type: t})
			}
			return h, nil
		}
		f := newInference(o)
		names := withNames || len(lines) > 1 && o.Settings.Bool(detect) && looksLikeNames(lines[0], lines[1])
		first := 0
		if names {
			first = 1
		}
		for _, line := range lines[min(first, len(lines)):] {
			for i, word := range line {
				name := "c" + tupleIndex(i)
				if names && i < len(lines[0]) {
					name = lines[0][i]
				}
				f.add(name, wordType(word))
			}
		}
		return f.header()
	}
}

// looksLikeNames: all words of the first line are text, not all of the second.
func looksLikeNames(first, second []string) bool {
	for _, w := range first {
		if t := wordType(w); t == nil || t.Kind() != types.KindString {
			return false
		}
	}
	for _, w := range second {
		if t := wordType(w); t != nil && t.Kind() != types.KindString {
			return true
		}
	}
	return false
}

func inferTSV(k tsvKind) func(context.Context, *bufio.Reader, *Options) (column.Header, error) {
	p := &tsvParser{kind: k}
	infer := inferLines(splitLine, p.words, k.names, k.types, "input_format_tsv_detect_header")
	return func(_ context.Context, r *bufio.Reader, o *Options) (column.Header, error) { return infer(r, o) }
}

func inferCSV(names, withTypes bool) func(context.Context, *bufio.Reader, *Options) (column.Header, error) {
	return func(_ context.Context, r *bufio.Reader, o *Options) (column.Header, error) {
		p := &csvParser{delimiter: ',', quotes: `"`}
		if o.Text.Delimiter != 0 {
			p.delimiter = o.Text.Delimiter
		}
		return inferLines(p.split, p.words, names, withTypes, "input_format_csv_detect_header")(r, o)
	}
}
