package system

import (
	"strings"

	"lakeserver/engine/database"
	"lakeserver/functions"
	"lakeserver/types"
)

// informationTables are the tables of information_schema that have rows. Each
// column is there in lower and in upper case; both sets both.
var informationTables = map[string]fill{
	"schemata": infoSchemata, "tables": infoTables, "columns": infoColumns, "views": infoViews,
	"engines": infoEngines, "character_sets": infoCharacterSets, "collations": infoCollations,
}

func both(r *rows, name string, v any) {
	r.set(name, v)
	r.set(strings.ToUpper(name), v)
}

func infoSchemata(src *Source, env *functions.Env, r *rows) error {
	for _, db := range src.Catalog.Databases() {
		r.next()
		both(r, "catalog_name", db.Name)
		both(r, "schema_name", db.Name)
		both(r, "schema_owner", "default")
		both(r, "default_collation_name", "utf8mb4_0900_ai_ci")
		both(r, "default_encryption", "NO")
	}
	return nil
}

func infoTables(src *Source, env *functions.Env, r *rows) error {
	entries(src, env, func(e *database.Entry) {
		r.next()
		both(r, "table_catalog", e.Database)
		both(r, "table_schema", e.Database)
		both(r, "table_name", e.Name)
		both(r, "table_collation", "utf8mb4_0900_ai_ci")
		both(r, "table_comment", e.Comment)
		kind := "BASE TABLE"
		switch {
		case e.Temporary:
			kind = "LOCAL TEMPORARY"
		case e.View != nil:
			kind = "VIEW"
		case e.Builtin != nil:
			kind = "SYSTEM VIEW"
		}
		both(r, "table_type", kind)
		if kind == "BASE TABLE" {
			both(r, "engine", e.EngineName())
			if r.wants("table_rows") || r.wants("TABLE_ROWS") {
				if n, ok := countRows(e, env); ok {
					both(r, "table_rows", n)
				}
			}
		}
	})
	return nil
}

func infoColumns(src *Source, env *functions.Env, r *rows) error {
	entries(src, env, func(e *database.Entry) {
		for i, c := range columnsOf(src, e, env) {
			r.next()
			both(r, "table_catalog", e.Database)
			both(r, "table_schema", e.Database)
			both(r, "table_name", e.Name)
			both(r, "column_name", c.Name)
			both(r, "ordinal_position", i+1)
			both(r, "column_default", c.DefaultExpr)
			nullable := "0"
			if c.Type.Kind() == types.KindNullable {
				nullable = "1"
			}
			both(r, "is_nullable", nullable)
			both(r, "data_type", c.Type.String())
			both(r, "column_type", c.Type.String())
			both(r, "column_comment", c.Comment)
			both(r, "extra", "")
			t := types.Unwrap(c.Type)
			if t.Kind() == types.KindFixedString {
				both(r, "character_maximum_length", t.Length())
			}
			setNumeric(func(name string, v any) { both(r, name, v) }, t)
		}
	})
	return nil
}

func infoViews(src *Source, env *functions.Env, r *rows) error {
	entries(src, env, func(e *database.Entry) {
		if e.View == nil {
			return
		}
		r.next()
		both(r, "table_catalog", e.Database)
		both(r, "table_schema", e.Database)
		both(r, "table_name", e.Name)
		both(r, "check_option", "NONE")
		if src.CreateText != nil {
			if _, q, ok := strings.Cut(src.CreateText(e), " AS "); ok {
				both(r, "view_definition", q)
			}
		}
	})
	return nil
}

func infoEngines(src *Source, env *functions.Env, r *rows) error {
	for _, s := range src.Registry.Sets() {
		for _, e := range s.Engines {
			r.next()
			both(r, "engine", e.Name)
			both(r, "support", "YES")
		}
	}
	return nil
}

func infoCharacterSets(_ *Source, _ *functions.Env, r *rows) error {
	for _, n := range []string{"utf8", "utf8mb4", "ascii", "binary"} {
		r.next()
		both(r, "character_set_name", n)
	}
	return nil
}

func infoCollations(_ *Source, _ *functions.Env, r *rows) error {
	for _, n := range []string{"utf8mb4_0900_ai_ci", "binary"} {
		r.next()
		both(r, "collation_name", n)
		both(r, "is_default", "Yes")
		both(r, "is_compiled", "Yes")
	}
	return nil
}
