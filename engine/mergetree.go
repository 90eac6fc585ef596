package engine

import (
	"context"
	"strings"

	"lakeserver/cherr"
	"lakeserver/engine/analyze"
	"lakeserver/engine/ast"
	"lakeserver/functions"
	"lakeserver/table"
)

// mergeTreeKind is what MergeTree's engine does besides: "Replacing" of
// ReplicatedReplacingMergeTree, "" of MergeTree; ok is false for other engines.
func mergeTreeKind(engine string) (kind string, ok bool) {
	kind, ok = strings.CutSuffix(engine, "MergeTree")
	return strings.TrimPrefix(strings.TrimPrefix(kind, "Shared"), "Replicated"), ok
}

// mergeTreeEngine gives the engine that stands for a MergeTree one.
func (r *run) mergeTreeEngine(name string) (string, error) {
	kind, _ := mergeTreeKind(name)
	if r.s.engine.cfg.MergeTreeAs != "memory" {
		return "", cherr.New(cherr.UnknownStorage, "Table engine %s is not provided: tables are kept in lakes. "+
			"With mergetree_as: iceberg in the configuration such a table becomes an Iceberg table, with mergetree_as: memory one in memory", name)
	}
	if kind == "" {
		return "Memory", nil
	}
	if e, ok := r.s.engine.cfg.Registry.Engine(kind + "MergeTree"); ok && e.Merging {
		return e.Name, nil
	}
	return "Memory", nil
}

// sortingKey binds ORDER BY for an engine that merges rows by it.
func (r *run) sortingKey(ctx context.Context, n *ast.CreateTable, cols []table.Column) ([]functions.SortingTerm, error) {
	if n.Storage == nil {
		return nil, nil
	}
	key := n.Storage.OrderBy
	if key == nil {
		key = n.Storage.PrimaryKey
	}
	if key == nil {
		return nil, nil
	}
	var out []functions.SortingTerm
	for _, e := range tupleElements(key) {
		t := functions.SortingTerm{}
		if item, ok := e.(*ast.OrderItem); ok {
			t.Desc, e = item.Desc, item.Expr
		}
		ast.Walk(e, func(x ast.Node) bool {
			if id, ok := x.(*ast.Identifier); ok {
				t.Names = append(t.Names, id.Parts[0])
			}
			return true
		})
		var err error
		if t.Expr, err = analyze.BindOver(ctx, r.env, headerOfColumns(cols), e); err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// asIceberg rewrites a CREATE TABLE with an engine of MergeTree as one of an
// Iceberg table in the warehouse: ORDER BY is its sort order, PARTITION BY its
// partition spec. What has no home there is refused by name, or left out under
// mergetree_ignore_unsupported. Settings of MergeTree and codecs say how it
// stores bytes and are passed over.
func (r *run) asIceberg(n *ast.CreateTable) (*ast.CreateTable, error) {
	if r.s.engine.cfg.MergeTreeAs != "iceberg" || n.Storage == nil || n.Storage.Engine == nil || n.Temporary {
		return n, nil
	}
	kind, ok := mergeTreeKind(n.Storage.Engine.Name)
	if !ok {
		return n, nil
	}
	out := ast.Clone(n)
	if out.Storage.OrderBy == nil {
		out.Storage.OrderBy = out.Storage.PrimaryKey
	}
	if out.Storage.OrderBy == nil {
		out.Storage.OrderBy = out.PrimaryKey
	}
	lost := r.homeless(out, kind)
	if len(lost) > 0 && !r.set.Bool("mergetree_ignore_unsupported") {
		return nil, cherr.New(cherr.SupportIsDisabled, "An Iceberg table has no %s; the setting mergetree_ignore_unsupported = 1 leaves that out", strings.Join(lost, ", no "))
	}
	s := out.Storage
	s.Engine = nil
	s.PrimaryKey, s.SampleBy, s.UniqueKey, s.TTL, out.PrimaryKey = nil, nil, nil, nil, nil
	out.Indexes, out.Projections, out.Constraints = nil, nil, nil
	kept := s.Settings[:0]
	for _, set := range s.Settings {
		if strings.Contains(set.Name, ".") || strings.HasPrefix(set.Name, "iceberg_") {
			kept = append(kept, set)
		}
	}
	s.Settings = kept
	for _, c := range out.Columns {
		c.Codec, c.Statistics, c.TTL, c.Settings, c.PrimaryKey = nil, nil, nil, nil, false
	}
	return out, nil
}

// homeless names what of a MergeTree definition an Iceberg table cannot hold,
// and takes terms of keys that it cannot hold away.
func (r *run) homeless(n *ast.CreateTable, kind string) (lost []string) {
	s := n.Storage
	for _, x := range []struct {
		is   bool
		name string
	}{
		{kind != "", kind + "MergeTree's merging of rows"},
		{len(s.TTL) > 0, "TTL"},
		{s.SampleBy != nil, "SAMPLE BY"},
		{s.UniqueKey != nil, "UNIQUE KEY"},
		{len(n.Indexes) > 0, "skip indices"},
		{len(n.Projections) > 0, "projections"},
		{len(n.Constraints) > 0, "constraints"},
	} {
		if x.is {
			lost = append(lost, x.name)
		}
	}
	for _, c := range n.Columns {
		if c.TTL != nil {
			lost = append(lost, "TTL of column "+c.Name)
		}
	}
	for _, key := range []struct {
		of   *ast.Expr
		name string
	}{{&s.PartitionBy, "partition by "}, {&s.OrderBy, "order by "}} {
		if *key.of == nil {
			continue
		}
		var kept []ast.Expr
		for _, e := range tupleElements(*key.of) {
			if t := unordered(e); hasTransform(t) {
				kept = append(kept, e)
			} else {
				lost = append(lost, key.name+ast.Format(t))
			}
		}
		*key.of = nil
		if len(kept) > 0 {
			*key.of = &ast.Function{Name: "tuple", Args: kept}
		}
	}
	return lost
}

func unordered(e ast.Expr) ast.Expr {
	if item, ok := e.(*ast.OrderItem); ok {
		return item.Expr
	}
	return e
}

// transforms are the functions of one column that Iceberg's keys know.
var transforms = map[string]bool{
	"identity": true, "toYearNumSinceEpoch": true, "toMonthNumSinceEpoch": true, "toRelativeDayNum": true, "toRelativeHourNum": true,
	"icebergBucket": true, "icebergTruncate": true, "year": true, "years": true, "month": true, "months": true, "day": true, "days": true, "hour": true, "hours": true,
	"bucket": true, "truncate": true,
}

// asTransforms are the functions of MergeTree's partition keys that part rows
// as a transform does.
var asTransforms = map[string]string{
	"toYear": "toYearNumSinceEpoch", "toStartOfYear": "toYearNumSinceEpoch", "toYYYYMM": "toMonthNumSinceEpoch", "toStartOfMonth": "toMonthNumSinceEpoch",
	"toDate": "toRelativeDayNum", "toYYYYMMDD": "toRelativeDayNum", "toStartOfDay": "toRelativeDayNum", "toStartOfHour": "toRelativeHourNum",
}

// hasTransform tells whether a term of a key can be one of Iceberg's, and
// gives its function the name that it has there.
func hasTransform(e ast.Expr) bool {
	f, ok := e.(*ast.Function)
	if !ok {
		_, ok = e.(*ast.Identifier)
		return ok
	}
	if to := asTransforms[f.Name]; to != "" && len(f.Args) == 1 {
		f.Name = to
	}
	return transforms[f.Name]
}
