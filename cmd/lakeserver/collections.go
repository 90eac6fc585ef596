package main

import (
	"path/filepath"
	"strings"

	"lakeserver/collections"
	"lakeserver/engine/ast"
	"lakeserver/engine/system"
	"lakeserver/functions"
)

// openCollections reads the named collections of the configuration and of the
// data folder.
func openCollections(cfg Config) (*collections.Store, error) {
	dir := ""
	if cfg.DataDir != "" {
		dir = filepath.Join(cfg.DataDir, "named_collections")
	}
	return collections.Open(dir, cfg.NamedCollections)
}

// describeCollections gives what system.named_collections shows. Values are
// hidden, all of them as in ClickHouse, unless the server and the query agree
// to show secrets.
func describeCollections(cfg Config, s *collections.Store) func(*functions.Env) []system.Collection {
	return func(env *functions.Env) []system.Collection {
		show := cfg.DisplaySecrets && env.Settings.Bool("format_display_secrets_in_show_and_select")
		var out []system.Collection
		for _, c := range s.All() {
			d := system.Collection{Name: c.Name, Source: "SQL", Values: map[string]string{}}
			if c.Config {
				d.Source = "CONFIG"
			}
			var keys []string
			for _, k := range c.Keys {
				v := "[HIDDEN]"
				if show {
					v = k.Value
				}
				d.Values[k.Name] = v
				text := ast.QuoteName(k.Name) + " = " + ast.QuoteString(v)
				if k.Overridable != nil {
					if !*k.Overridable {
						text += " NOT"
					}
					text += " OVERRIDABLE"
				}
				keys = append(keys, text)
			}
			if !c.Config {
				d.CreateText = "CREATE NAMED COLLECTION " + ast.QuoteName(c.Name) + " AS " + strings.Join(keys, ", ")
			}
			out = append(out, d)
		}
		return out
	}
}
