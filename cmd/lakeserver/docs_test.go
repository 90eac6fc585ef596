package main

import (
	"flag"
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"

	"lakeserver/format"
	"lakeserver/functions"
	"lakeserver/settings"
)

var writeDocs = flag.Bool("docs", false, "write docs/settings.md, docs/functions.md and docs/formats.md again")

// TestDocs: the generated pages say what the registries say.
func TestDocs(t *testing.T) {
	reg, err := registry(defaultConfig(), newCaches(defaultConfig()), nil)
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		"../../docs/settings.md": settingsPage(), "../../docs/functions.md": functionsPage(reg), "../../docs/formats.md": formatsPage(),
	} {
		if *writeDocs {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		have, err := os.ReadFile(path)
		if err != nil || string(have) != text {
			t.Errorf("%s is not what the registry says: go test ./cmd/lakeserver -run TestDocs -docs", path)
		}
	}
}

func settingsPage() string {
	var b strings.Builder
	all := settings.All()
	honored := 0
	for _, d := range all {
		if d.Honored {
			honored++
		}
	}
	fmt.Fprintf(&b, "# Settings\n\nGenerated from the registry. The server knows %d settings; %d of them change something and are listed here. "+
		"The others are accepted, so that a client's defaults do no harm, and have no effect. A name that is not known is an error (115).\n\n", len(all), honored)
	b.WriteString("| setting | type | default | what it does |\n|---|---|---|---|\n")
	for _, d := range all {
		if d.Honored {
			fmt.Fprintf(&b, "| `%s` | %s | `%s` | %s |\n", d.Name, d.Type, cell(d.Default), cell(d.Doc))
		}
	}
	return b.String()
}

func cell(s string) string { return strings.NewReplacer("|", "\\|", "\n", " ").Replace(s) }

func functionsPage(reg *functions.Registry) string {
	var b strings.Builder
	scalars, aggregates, tables := 0, 0, 0
	var body strings.Builder
	sets := append([]functions.Set(nil), reg.Sets()...)
	sort.SliceStable(sets, func(i, j int) bool { return sets[i].Family < sets[j].Family })
	for _, s := range sets {
		rows := map[string]string{}
		add := func(name string, aliases []string, doc functions.Doc) {
			text := cell(doc.Summary)
			if len(aliases) > 0 {
				text += " Also: `" + strings.Join(aliases, "`, `") + "`."
			}
			rows[name] = text
		}
		for _, f := range s.Scalars {
			scalars++
			add(f.Name, f.Aliases, f.Doc)
		}
		for _, f := range s.Aggregates {
			aggregates++
			add(f.Name, f.Aliases, f.Doc)
		}
		for _, f := range s.Windows {
			add(f.Name, f.Aliases, f.Doc)
		}
		for _, f := range s.Tables {
			tables++
			add(f.Name, f.Aliases, f.Doc)
		}
		if len(rows) == 0 {
			continue
		}
		fmt.Fprintf(&body, "\n## %s\n\n| name | what it does |\n|---|---|\n", s.Family)
		names := make([]string, 0, len(rows))
		for n := range rows {
			names = append(names, n)
		}
		sort.Strings(names)
		for _, n := range names {
			fmt.Fprintf(&body, "| `%s` | %s |\n", n, rows[n])
		}
	}
	fmt.Fprintf(&b, "# Functions\n\nGenerated from the registry: %d scalar functions, %d aggregate functions, %d table functions. "+
		"Semantics are ClickHouse's.\n", scalars, aggregates, tables)
	return b.String() + body.String()
}

func formatsPage() string {
	var b strings.Builder
	b.WriteString("# Formats\n\nGenerated from the registry.\n\n| format | in | out | also |\n|---|---|---|---|\n")
	all := append([]*format.Format(nil), format.All()...)
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	yes := map[bool]string{true: "✓"}
	for _, f := range all {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.Name, yes[f.NewReader != nil], yes[f.NewWriter != nil], strings.Join(f.Aliases, ", "))
	}
	return b.String()
}
