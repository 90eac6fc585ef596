package system

import (
	"strings"

	"lakeserver/functions"
)

func fillFunctions(src *Source, _ *functions.Env, r *rows) error {
	add := func(family, name string, aliases []string, insensitive, aggregate bool, doc functions.Doc) {
		for _, n := range append([]string{name}, aliases...) {
			r.next()
			r.set("name", n)
			r.set("is_aggregate", aggregate)
			r.set("case_insensitive", insensitive)
			r.set("origin", "System")
			r.set("description", doc.Summary)
			r.set("syntax", doc.Syntax)
			r.set("examples", strings.Join(doc.Examples, "\n"))
			r.set("introduced_in", doc.Since)
			r.set("categories", family)
			if n != name {
				r.set("alias_to", name)
			}
		}
	}
	for _, s := range src.Registry.Sets() {
		for _, f := range s.Scalars {
			add(s.Family, f.Name, f.Aliases, f.CaseInsensitive, false, f.Doc)
		}
		for _, f := range s.Aggregates {
			add(s.Family, f.Name, f.Aliases, f.CaseInsensitive, true, f.Doc)
		}
		for _, f := range s.Windows {
			add(s.Family, f.Name, f.Aliases, f.CaseInsensitive, true, f.Doc)
		}
	}
	return nil
}

func fillTableFunctions(src *Source, _ *functions.Env, r *rows) error {
	for _, s := range src.Registry.Sets() {
		for _, f := range s.Tables {
			for _, n := range append([]string{f.Name}, f.Aliases...) {
				r.next()
				r.set("name", n)
				r.set("description", f.Doc.Summary)
				r.set("syntax", f.Doc.Syntax)
			}
		}
	}
	return nil
}

func fillCombinators(src *Source, _ *functions.Env, r *rows) error {
	for _, s := range src.Registry.Sets() {
		for _, c := range s.Combinators {
			r.next()
			r.set("name", c.Suffix)
			r.set("description", c.Doc.Summary)
		}
	}
	return nil
}

// fillCompletions gives the words that a client offers while one types.
func fillCompletions(src *Source, _ *functions.Env, r *rows) error {
	add := func(word, context string, belongs any) {
		r.next()
		r.set("word", word)
		r.set("context", context)
		r.set("belongs", belongs)
	}
	for _, db := range src.Catalog.Databases() {
		add(db.Name, "database", nil)
		for _, e := range src.Catalog.Tables(db.Name) {
			add(e.Name, "table", db.Name)
			for _, c := range e.Columns {
				add(c.Name, "column", e.Name)
			}
		}
	}
	for _, s := range src.Registry.Sets() {
		for _, f := range s.Scalars {
			add(f.Name, "function", nil)
		}
		for _, f := range s.Aggregates {
			add(f.Name, "aggregate function", nil)
		}
		for _, f := range s.Tables {
			add(f.Name, "table function", nil)
		}
		for _, e := range s.Engines {
			add(e.Name, "table engine", nil)
		}
	}
	if src.Keywords != nil {
		for _, k := range src.Keywords() {
			add(k, "keyword", nil)
		}
	}
	return nil
}
