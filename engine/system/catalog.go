package system

import (
	"context"
	"strings"
	"time"

	"lakeserver/engine/database"
	"lakeserver/functions"
	"lakeserver/table"
	"lakeserver/types"
)

func fillDatabases(src *Source, _ *functions.Env, r *rows) error {
	for _, db := range src.Catalog.Databases() {
		r.next()
		r.set("name", db.Name)
		r.set("engine", db.Engine)
		r.set("engine_full", db.Engine)
		r.set("data_path", src.DataDir)
		r.set("uuid", db.UUID)
		r.set("comment", db.Comment)
	}
	return nil
}

// externalTime bounds the listing of one catalog elsewhere.
const externalTime = time.Minute

// entries calls f for every table of every database.
func entries(src *Source, env *functions.Env, f func(e *database.Entry)) {
	for _, db := range src.Catalog.Databases() {
		if db.External != nil && env.Settings.Bool("show_data_lake_catalogs_in_system_tables") {
			// One catalog that does not answer must not hide the others' tables.
			ctx, cancel := context.WithTimeout(context.Background(), externalTime)
			list, _ := src.Catalog.ExternalTables(ctx, db.Name)
			cancel()
			for _, e := range list {
				f(e)
			}
		}
		for _, e := range src.Catalog.Tables(db.Name) {
			f(e)
		}
	}
}

func fillTables(src *Source, env *functions.Env, r *rows) error {
	entries(src, env, func(e *database.Entry) {
		r.next()
		r.set("database", e.Database)
		r.set("name", e.Name)
		r.set("uuid", e.UUID)
		r.set("engine", e.EngineName())
		r.set("is_temporary", e.Temporary)
		r.set("has_own_data", e.View == nil && e.Builtin == nil)
		if r.wants("create_table_query") || r.wants("engine_full") || r.wants("comment") {
			e = src.present(env, e)
		}
		r.set("comment", e.Comment)
		if src.CreateText != nil && e.Create != nil {
			text := src.CreateText(e)
			r.set("create_table_query", text)
			if at := strings.Index(text, "ENGINE = "); at >= 0 && r.wants("engine_full") {
				r.set("engine_full", text[at+len("ENGINE = "):])
			}
			if e.View != nil && r.wants("as_select") {
				if _, q, ok := strings.Cut(text, " AS "); ok {
					r.set("as_select", q)
				}
			}
		}
		if r.wants("total_rows") && e.Engine != nil && !e.Engine.Durable {
			if n, ok := countRows(e, env); ok {
				r.set("total_rows", n)
			}
		}
	})
	return nil
}

// countRows asks tables that know without reading.
func countRows(e *database.Entry, env *functions.Env) (int64, bool) {
	t, err := e.Open(context.Background(), env, nil)
	if err != nil {
		return 0, false // one bad table must not hide the others
	}
	c, ok := t.(table.Counter)
	if !ok {
		return 0, false
	}
	n, ok, err := c.CountRows(context.Background(), &table.ScanRequest{Settings: env.Settings})
	return n, ok && err == nil
}

func (src *Source) present(env *functions.Env, e *database.Entry) *database.Entry {
	if src.Present == nil {
		return e
	}
	return src.Present(context.Background(), env, e)
}

// columnsOf gives the columns of an entry, opening it if they are not declared.
func columnsOf(src *Source, e *database.Entry, env *functions.Env) []table.Column {
	e = src.present(env, e)
	if len(e.Columns) > 0 || e.Engine == nil {
		return e.Columns
	}
	t, err := e.Open(context.Background(), env, nil)
	if err != nil {
		return nil // one bad table must not hide the others
	}
	return t.Columns()
}

func fillColumns(src *Source, env *functions.Env, r *rows) error {
	entries(src, env, func(e *database.Entry) {
		for i, c := range columnsOf(src, e, env) {
			r.next()
			r.set("database", e.Database)
			r.set("table", e.Name)
			r.set("name", c.Name)
			r.set("type", c.Type.String())
			r.set("position", i+1)
			r.set("default_kind", c.DefaultKind)
			r.set("default_expression", c.DefaultExpr)
			r.set("comment", c.Comment)
			setNumeric(r.set, types.Unwrap(c.Type))
		}
	})
	return nil
}

// setNumeric gives the precision columns that drivers read, by set: one spelling
// of a name for system.columns, two for information_schema.
func setNumeric(set func(name string, v any), t *types.Type) {
	switch {
	case t.Kind() == types.KindFixedString:
		set("character_octet_length", t.Length())
	case t.IsInteger() || t.IsFloat():
		set("numeric_precision", t.Bytes()*8)
		set("numeric_precision_radix", 2)
		if t.IsInteger() {
			set("numeric_scale", 0)
		}
	case t.IsDecimal():
		set("numeric_precision", t.Precision())
		set("numeric_precision_radix", 10)
		set("numeric_scale", t.Scale())
	case t.Kind() == types.KindDateTime64:
		set("datetime_precision", t.Scale())
	}
}

func fillTableEngines(src *Source, _ *functions.Env, r *rows) error {
	seen := map[string]bool{}
	add := func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		r.next()
		r.set("name", name)
	}
	for _, s := range src.Registry.Sets() {
		for _, e := range s.Engines {
			add(e.Name)
		}
	}
	add("View")
	return nil
}

func fillDatabaseEngines(_ *Source, _ *functions.Env, r *rows) error {
	for _, n := range []string{"Atomic", "Memory"} {
		r.next()
		r.set("name", n)
	}
	return nil
}
