package exec

import (
	"slices"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"

	"lakeserver/engine/plan"
)

// checkCollations refuses a COLLATE over what is no text, and unknown locales.
func checkCollations(h column.Header, keys []plan.SortKey) error {
	for _, k := range keys {
		if k.Collate == "" {
			continue
		}
		if !collatable(h[k.Column].Type) {
			return cherr.New(cherr.BadCollation, "Collations could be specified only for String, LowCardinality(String), Nullable(String) or for Array or Tuple, containing them")
		}
		if _, ok := localeOf(k.Collate); !ok {
			return cherr.New(cherr.UnsupportedCollationLocale, "Unsupported collation locale: %s", k.Collate)
		}
	}
	return nil
}

func collatable(t *types.Type) bool {
	t = types.Unwrap(t)
	switch t.Kind() {
	case types.KindArray:
		return collatable(t.Elem())
	case types.KindTuple:
		return slices.ContainsFunc(t.Elems(), collatable)
	}
	return t.Kind() == types.KindString
}

func localeOf(name string) (language.Tag, bool) {
	tag, err := language.Parse(name)
	if err != nil {
		return tag, false
	}
	_, _, fit := language.NewMatcher(collate.Supported()).Match(tag)
	return tag, fit != language.No
}

// collated gives a column whose strings, compared as bytes, are in the order
// of a locale.
func collated(locale string, c column.Column) column.Column {
	tag, _ := localeOf(locale)
	return collateKeys(&collation{by: collate.New(tag)}, c)
}

type collation struct {
	by  *collate.Collator
	buf collate.Buffer
}

func collateKeys(l *collation, c column.Column) column.Column {
	switch c := c.(type) {
	case *column.Const:
		return &column.Const{Value: collateKeys(l, c.Value), N: c.N}
	case *column.Dict:
		return &column.Dict{Codes: c.Codes, Values: collateKeys(l, c.Values)}
	case *column.Nullable:
		return &column.Nullable{Values: collateKeys(l, c.Values), Null: c.Null}
	case *column.Array:
		return &column.Array{Offsets: c.Offsets, Elems: collateKeys(l, c.Elems)}
	case *column.Tuple:
		out := &column.Tuple{N: c.N, Elems: make([]column.Column, len(c.Elems))}
		for i, e := range c.Elems {
			out.Elems[i] = collateKeys(l, e)
		}
		return out
	case *column.Str:
		out := &column.Str{}
		for i := range c.Start {
			out.Append(l.by.Key(&l.buf, c.At(i)))
			l.buf.Reset()
		}
		return out
	}
	return c
}
