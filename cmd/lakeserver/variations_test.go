package main

import (
	"flag"
	"sort"
	"strings"
	"testing"

	"lakeserver/engine/ast"
	"lakeserver/engine/parse"
	"lakeserver/internal/sqltest"
	"lakeserver/server"
)

var night = flag.Bool("night", false, "run tests/queries under every variation, not under a few")

// variation is one condition that must not change an answer.
type variation struct {
	name     string
	settings []server.Setting
	reparse  bool // the statement is run as it prints
	nightly  bool
}

func set(pairs ...string) []server.Setting {
	var out []server.Setting
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, server.Setting{Name: pairs[i], Value: pairs[i+1]})
	}
	return out
}

var variations = []variation{
	{name: "blocks of 7 rows", settings: set("max_block_size", "7")},
	{name: "as it prints", reparse: true},
	{name: "one thread", settings: set("max_threads", "1"), nightly: true},
	{name: "four threads", settings: set("max_threads", "4"), nightly: true},
	{name: "blocks of one row", settings: set("max_block_size", "1"), nightly: true},
	{name: "blocks of 65409 rows", settings: set("max_block_size", "65409"), nightly: true},
	{name: "no pruning", nightly: true, settings: set("use_iceberg_partition_pruning", "0",
		"input_format_parquet_filter_push_down", "0", "input_format_parquet_bloom_filter_push_down", "0",
		"input_format_parquet_page_filter_push_down", "0")},
	{name: "no page cache", settings: set("use_decompressed_page_cache", "0"), nightly: true},
	{name: "no metadata cache", settings: set("use_iceberg_metadata_files_cache", "0"), nightly: true},
}

// ofCondition lists words of queries whose answers depend on the condition by their meaning: how blocks are
// cut, which threads there are, what a setting is.
var ofCondition = []string{
	"blockSize", "blockNumber", "rowNumberInBlock", "rowNumberInAllBlocks", "runningDifference", "runningAccumulate", "neighbor",
	"max_block_size", "max_threads", "getSetting", "EXPLAIN", "query_log", "system.settings", "max_rows_to_read", "max_memory_usage", "timeSeries", "_in_block",
}

// TestVariations runs the files of tests/queries again under other conditions;
// the answers are the same. Rows are compared in any order, for only ORDER BY
// promises one, and that is what TestQueries looks at.
func TestVariations(t *testing.T) {
	for _, v := range variations {
		if v.nightly && !*night {
			continue
		}
		t.Run(v.name, func(t *testing.T) {
			for _, f := range testFiles(t) {
				cases, err := sqltest.Read(f)
				if err != nil {
					t.Fatal(err)
				}
				s := testSession(t)
				for _, c := range cases {
					v.run(t, s, f, c)
				}
			}
		})
	}
}

func (v *variation) run(t *testing.T, s server.Session, file string, c sqltest.Case) {
	t.Helper()
	for _, word := range ofCondition {
		if c.Kind != "statement" && strings.Contains(c.SQL, word) {
			return
		}
	}
	if v.reparse {
		c.SQL = printed(c.SQL)
	}
	for _, x := range v.settings { // the case's own settings stand over these
		c.Settings = append([]string{x.Name + "=" + x.Value}, c.Settings...)
	}
	c.Rowsort = true
	if from := 0; c.Types && len(c.Answer) > 0 {
		from = 1
		sort.Strings(c.Answer[from:])
	} else {
		sort.Strings(c.Answer)
	}
	runCase(t, s, file, c)
}

// printed gives a statement as it prints; as it is what does not parse, and
// inserts with their data behind them.
func printed(sql string) string {
	st, err := parse.Parse(sql)
	if err != nil {
		return sql
	}
	if in, ok := st.(*ast.Insert); ok && in.Query == nil {
		return sql
	}
	return ast.Format(st)
}
