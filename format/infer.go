package format

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"math"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/settings"
	"lakeserver/types"
	"lakeserver/types/civil"
)

// inference finds the types of columns in the first rows of a text document.
type inference struct {
	names []string
	found []*guess
	fixed column.Header // columns whose type is known before
	merge merger
	text  bool // columns of unlike values are text
	row   int
	o     *Options
}

func newInference(o *Options) *inference { return &inference{o: o} }

// ofJSON takes what the settings say of JSON's values.
func (f *inference) ofJSON() *inference {
	s := f.o.Settings
	f.merge = merger{
		json: true, noBools: !s.Bool("input_format_json_read_bools_as_numbers"),
		ambiguous: s.Bool("input_format_json_use_string_type_for_ambiguous_paths_in_named_tuples_inference_from_objects"),
	}
	return f
}

// rowsRead is how many rows are looked at.
func rowsRead(o *Options) int {
	return int(max(1, min(o.Settings.Uint("input_format_max_rows_to_read_for_schema_inference"), 1<<20)))
}

// add takes one value's guess.
func (f *inference) add(name string, g *guess) error {
	for i, n := range f.names {
		if n != name {
			continue
		}
		old := f.found[i]
		both, err := f.merge.merge(old, g)
		if err != nil {
			return err
		}
		if both == nil && f.text {
			both = leaf(guessString)
		}
		if both == nil {
			return cherr.New(cherr.TypeMismatch, "Automatically defined type %s for column '%s' in row %d differs from type defined by previous rows: %s. You can specify the type for this column using setting schema_inference_hints", g.typ(nil), name, f.row, old.typ(nil))
		}
		f.found[i] = both
		return nil
	}
	f.names, f.found = append(f.names, name), append(f.found, g)
	return nil
}

// header gives the structure. Every column may be NULL unless a setting says
// otherwise.
func (f *inference) header() (column.Header, error) {
	if len(f.names) == 0 && len(f.fixed) == 0 {
		return nil, cherr.New(cherr.CannotExtractTableStructure, "The table structure cannot be extracted from the data: it has no rows. You can specify the structure manually")
	}
	hints, err := f.hints()
	if err != nil {
		return nil, err
	}
	wrap := func(_ *guess, t *types.Type) *types.Type { return nullableIf(t) }
	switch f.o.Settings.Get("schema_inference_make_columns_nullable") {
	case "0":
		wrap = nil
	case "auto", "2":
		wrap = func(g *guess, t *types.Type) *types.Type {
			if g.null || g.kind == guessNull {
				return nullableIf(t)
			}
			return t
		}
	}
	h := append(column.Header(nil), f.fixed...)
	for i, n := range f.names {
		field := column.Field{Name: n}
		if at := hints.Index(n); at >= 0 {
			field.Type = hints[at].Type
		} else {
			field.Type = f.found[i].typ(wrap)
		}
		h = append(h, field)
	}
	return h, nil
}

// hints are types that the user gives beforehand.
func (f *inference) hints() (column.Header, error) {
	text := f.o.Settings.Get("schema_inference_hints")
	if text == "" {
		return nil, nil
	}
	return ParseStructure(text)
}

func nullableIf(t *types.Type) *types.Type {
	if t.CanBeNullable() || t.Kind() == types.KindTuple {
		return types.Nullable(t)
	}
	return t
}

// columnName gives the name of the i-th column of a document without names.
func columnName(o *Options, i int) string {
	if names := splitStructure(o.Settings.Get("column_names_for_schema_inference")); i < len(names) {
		return string(bytes.TrimSpace([]byte(names[i])))
	}
	return "c" + tupleIndex(i)
}

// lineInference is what a format of lines says for its inference.
type lineInference struct {
	split            splitter
	words            func([]byte) []string
	field            func(string) *guess
	name             func(string) string // a name's or type's own text, nil: as it stands
	names, types     bool
	detect, skipRows string // settings
}

// inferLines looks at lines of words; the first may hold the columns' names.
func inferLines(k lineInference, r *bufio.Reader, o *Options) (column.Header, error) {
	w := &window{r: r}
	if err := w.skipBOM(); err != nil {
		return nil, err
	}
	skip := 0
	if k.skipRows != "" {
		skip = int(o.Settings.Uint(k.skipRows))
	}
	var lines [][]string
	for range rowsRead(o) + skip {
		line, err := w.next(k.split)
		if err != nil {
			return nil, err
		}
		if line == nil {
			break
		}
		lines = append(lines, k.words(line))
	}
	lines = lines[min(skip, len(lines)):]
	f := newInference(o)
	f.text = true
	return k.header(lines, f)
}

func (k lineInference) header(lines [][]string, f *inference) (column.Header, error) {
	if k.types && len(lines) > 1 {
		return typedHeader(k.plain(lines[0]), k.plain(lines[1]))
	}
	field, names := k.field, k.names
	if !names && len(lines) > 1 && k.detect != "" && f.o.Settings.Bool(k.detect) && looksLikeNames(lines[0], field) {
		if typeNames := k.plain(lines[1]); allTypes(typeNames, len(lines[0])) {
			return typedHeader(k.plain(lines[0]), typeNames)
		}
		names = !looksLikeNames(lines[1], field)
	}
	var head []string
	if names && len(lines) > 0 {
		head, lines = k.plain(lines[0]), lines[1:]
		if len(lines) == 0 {
			return nil, cherr.New(cherr.CannotExtractTableStructure, "The table structure cannot be extracted: Cannot read rows from the data. You can specify the structure manually")
		}
	}
	for _, line := range lines {
		for i, word := range line {
			name := columnName(f.o, i)
			if i < len(head) {
				name = head[i]
			} else if head != nil {
				break // values without a name
			}
			if err := f.add(name, field(word)); err != nil {
				return nil, err
			}
		}
		f.row++
	}
	return f.header()
}

// plain gives words without the quotes that they are kept with.
func (k lineInference) plain(words []string) []string {
	if k.name == nil {
		return words
	}
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = k.name(w)
	}
	return out
}

func typedHeader(names, typeNames []string) (column.Header, error) {
	var h column.Header
	for i, n := range names {
		t, err := types.Parse(typeNames[min(i, len(typeNames)-1)])
		if err != nil {
			return nil, err
		}
		h = append(h, column.Field{Name: n, Type: t})
	}
	return h, nil
}

// looksLikeNames: all words of a line are text.
func looksLikeNames(words []string, field func(string) *guess) bool {
	for _, w := range words {
		if field(w).kind != guessString {
			return false
		}
	}
	return true
}

// bestEffort guesses values, unless a setting makes them all text.
func bestEffort(o *Options, setting string, by func(*settings.Settings, string) *guess) func(string) *guess {
	if !o.Settings.Bool(setting) {
		return func(string) *guess { return leaf(guessString) }
	}
	return func(w string) *guess { return by(o.Settings, w) }
}

func inferTSV(k tsvKind) func(context.Context, *bufio.Reader, *Options) (column.Header, error) {
	p := &tsvParser{kind: k}
	return func(_ context.Context, r *bufio.Reader, o *Options) (column.Header, error) {
		l := lineInference{
			split: splitLine, words: p.words, names: k.names, types: k.types,
			detect: "input_format_tsv_detect_header", skipRows: "input_format_tsv_skip_first_lines",
		}
		l.field = bestEffort(o, "input_format_tsv_use_best_effort_in_schema_inference", guessField)
		return inferLines(l, r, o)
	}
}

func inferCSV(names, withTypes bool) func(context.Context, *bufio.Reader, *Options) (column.Header, error) {
	return func(_ context.Context, r *bufio.Reader, o *Options) (column.Header, error) {
		p := &csvParser{delimiter: ',', quotes: `"`, keepQuotes: true}
		if o.Text.Delimiter != 0 {
			p.delimiter = o.Text.Delimiter
		}
		if o.Settings.Bool("format_csv_allow_single_quotes") {
			p.quotes += "'"
		}
		l := lineInference{
			split: p.split, names: names, types: withTypes,
			detect: "input_format_csv_detect_header", skipRows: "input_format_csv_skip_first_lines",
		}
		l.words = p.words
		bare := *p
		bare.keepQuotes = false
		l.name = func(w string) string { return bare.words([]byte(w))[0] }
		l.field = bestEffort(o, "input_format_csv_use_best_effort_in_schema_inference", guessCSV)
		return inferLines(l, r, o)
	}
}

func inferTSKV(_ context.Context, r *bufio.Reader, o *Options) (column.Header, error) {
	f := newInference(o)
	f.text = true
	w := &window{r: r}
	for range rowsRead(o) {
		line, err := w.next(splitLine)
		if err != nil {
			return nil, err
		}
		if line == nil {
			break
		}
		for _, pair := range bytes.Split(trimLine(line), []byte("\t")) {
			name, value, _ := bytes.Cut(pair, []byte("="))
			if err := f.add(string(name), guessField(o.Settings, string(value))); err != nil {
				return nil, err
			}
		}
		f.row++
	}
	return f.header()
}

func inferValues(_ context.Context, r *bufio.Reader, o *Options) (column.Header, error) {
	f := newInference(o)
	rows := &rows{in: &window{r: r}, o: o}
	p := &valuesParser{}
	for range rowsRead(o) {
		src, err := p.next(rows)
		if err == io.EOF || src == nil && err == nil {
			break
		}
		if err != nil {
			return nil, err
		}
		n := 1
		for i := 0; ; i++ {
			g, used := guessLiteral(o.Settings, src[n:])
			if g == nil {
				return nil, cherr.New(cherr.CannotExtractTableStructure, "The table structure cannot be extracted from a Values format file: a literal is expected before '%s'. You can specify the structure manually", src[n:min(n+40, len(src))])
			}
			if err := f.add(columnName(o, i), g); err != nil {
				return nil, err
			}
			if n = skipSpaces(src, n+used); n >= len(src) || src[n] != ',' {
				break
			}
			n = skipSpaces(src, n+1)
		}
		f.row++
	}
	for i, g := range f.found {
		if !g.settled() {
			return nil, cherr.New(cherr.CannotExtractTableStructure, "The table structure cannot be extracted: Cannot determine type for column '%s' by first %d rows of data, most likely this column contains only Nulls or empty Arrays/Maps", f.names[i], f.row)
		}
	}
	return f.header()
}

// timeGuess finds a date or a time in a text that is none of the other things.
func timeGuess(s *settings.Settings, w []byte) *guess {
	if len(w) < 8 || len(w) > 64 || w[0] == ' ' {
		return nil
	}
	digits, marks, date := 0, 0, false
	for _, c := range w {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c == ':' || c == 'T':
			marks++
		case c == '-' || c == '/' || c == ' ':
			marks++
			date = true
		}
	}
	if digits < 4 || !date {
		return nil
	}
	if len(w) <= 10 && s.Bool("input_format_try_infer_dates") && isDate(w) {
		if days, _, _ := text.ParseDate(w); days >= 0 && days <= math.MaxUint16 {
			return leaf(guessDate)
		} else if !ticksFit(text.Moment{Unix: int64(days) * civil.Day}) {
			return nil
		}
		return leaf(guessDateTime64)
	}
	if !s.Bool("input_format_try_infer_datetimes") {
		return nil
	}
	m, err := text.BestEffort{Zone: civil.NewZone(nil)}.Parse(w)
	if err != nil || marks < 2 {
		return nil
	}
	if m.Unix < 0 || m.Unix > math.MaxUint32 {
		if !ticksFit(m) {
			return nil
		}
		return leaf(guessDateTime64)
	}
	if bytes.IndexByte(w, '.') > 0 || s.Bool("input_format_try_infer_datetimes_only_datetime64") {
		return leaf(guessDateTime64)
	}
	return leaf(guessDateTime)
}

// ticksFit tells whether DateTime64(9) reaches as far.
func ticksFit(m text.Moment) bool {
	_, ok := m.Ticks(9)
	return ok
}

// isDate: YYYY-MM-DD with marks of one kind and without leading zeros if so wished.
func isDate(w []byte) bool {
	if len(w) < 8 || w[4] != '-' && w[4] != '/' {
		return false
	}
	_, n, err := text.ParseDate(w)
	return err == nil && n == len(w)
}
