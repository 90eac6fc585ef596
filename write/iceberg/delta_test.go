package iceberg_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sort"
	"testing"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/metadata/iceberg"
	"lakeserver/pruning"
	"lakeserver/read"
	"lakeserver/types"
	write "lakeserver/write/iceberg"
)

// row is a row as a reader sees it.
type row struct {
	id, g          int64
	file           string
	pos, rid, last int64 // -1: none
}

// source is the table's present version for reading.
func source(t *testing.T, tab *write.Table) *read.Source {
	t.Helper()
	m, err := tab.Swapper.Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	src := &read.Source{Loader: tab.Loader, Meta: m, Paths: tab.Paths, Schema: m.CurrentSchema()}
	if ref, ok := m.Refs["main"]; ok {
		src.Snapshot = m.Snapshot(ref.SnapshotID)
	}
	return src
}

func planOf(t *testing.T, src *read.Source) *read.Plan {
	t.Helper()
	p, err := read.PlanIceberg(context.Background(), src, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// rowsOf reads all rows, by id.
func rowsOf(t *testing.T, src *read.Source) []row {
	t.Helper()
	long := types.Nullable(types.Int64)
	req := &read.Request{Source: src, Streams: 1, Output: []int{0, 1, 2, 3, 4, 5}, Columns: []read.Column{
		{Name: "id", Type: types.Int64, Field: &src.Schema.Fields[0]},
		{Name: "g", Type: types.Nullable(types.Int32), Field: &src.Schema.Fields[1]},
		{Name: "file", Type: types.String, Virtual: read.VirtualMeta},
		{Name: "pos", Type: long, Virtual: read.VirtualRow},
		{Name: "rid", Type: long, Virtual: read.VirtualRowID},
		{Name: "last", Type: long, Virtual: read.VirtualLast},
	}}
	_, streams := read.Start(req, planOf(t, src))
	blocks, err := column.ReadAll(context.Background(), streams[0])
	if err != nil {
		t.Fatal(err)
	}
	var out []row
	for _, b := range blocks {
		for i := range b.Rows {
			n := func(c int) int64 {
				switch v := column.At(column.Full(b.Columns[c]), i).(type) {
				case int64:
					return v
				case int32:
					return int64(v)
				}
				return -1
			}
			name, _ := column.At(column.Full(b.Columns[2]), i).(string)
			out = append(out, row{n(0), n(1), name, n(3), n(4), n(5)})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].id < out[j].id })
	return out
}

// rowBlock makes rows of ids in partitions.
func rowBlock(ids []int64, g func(id int64) int32) *column.Block {
	part := make([]int32, len(ids))
	for i, id := range ids {
		part[i] = g(id)
	}
	return column.NewBlock(column.NewFixed(ids), &column.Nullable{Values: column.NewFixed(part), Null: make([]uint8, len(ids))})
}

func appendRows(t *testing.T, tab *write.Table, ids ...int64) {
	t.Helper()
	w, err := write.NewRowWriter(tab, source(t, tab).Meta, write.RowOptions{SpecID: -1})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if err := w.Write(ctx, rowBlock(ids, func(id int64) int32 { return int32(id % 3) })); err != nil {
		t.Fatal(err)
	}
	files, err := w.Close(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tab.Commit(ctx, &write.Producer{Table: tab, Added: files}); err != nil {
		t.Fatal(err)
	}
}

// begin begins a change over the present version.
func begin(t *testing.T, tab *write.Table, kind string, filter *pruning.Iceberg) *write.RowDelta {
	t.Helper()
	src := source(t, tab)
	d, err := write.NewRowDelta(tab, write.DeltaOptions{Source: src, Plan: planOf(t, src), Kind: kind, Filter: filter})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// modes of one kind's writing, as properties.
func modes(version int) []map[string]string {
	out := []map[string]string{{}}
	of := func(granularity string) map[string]string {
		p := map[string]string{"write.delete.granularity": granularity}
		for _, k := range []string{"delete", "update", "merge"} {
			p["write."+k+".mode"] = "merge-on-read"
		}
		return p
	}
	out = append(out, of("partition"))
	if version == 2 {
		out = append(out, of("file"))
	}
	return out
}

// Rows are deleted, changed and added at random, in all modes: a reader sees
// what a model has, ids of rows stay, and no file is left over.
func TestDelta(t *testing.T) {
	for _, format := range []string{"parquet", "avro"} {
		for _, version := range []int{2, 3} {
			for _, p := range modes(version) {
				p["write.format.default"] = format
				t.Run(fmt.Sprint(version, p), func(t *testing.T) { testDelta(t, newTable(t, version, p, nil)) })
			}
		}
	}
}

func testDelta(t *testing.T, tab *write.Table) {
	rnd := rand.New(rand.NewPCG(1, 2))
	model := map[int64]int64{} // id → partition
	ids := map[int64]int64{}   // id → row id
	next := int64(0)
	for step := range 15 {
		if step%5 == 0 {
			var fresh []int64
			for range 30 {
				fresh = append(fresh, next)
				model[next] = next % 3
				next++
			}
			appendRows(t, tab, fresh...)
		}
		ctx := context.Background()
		d := begin(t, tab, []string{"delete", "update", "merge"}[step%3], nil)
		for _, r := range rowsOf(t, source(t, tab)) {
			if rnd.IntN(6) > 0 && step != 13 {
				continue
			}
			if err := d.Delete(r.file, []int64{r.pos}); err != nil {
				t.Fatal(err)
			}
			if step%3 == 0 || step == 13 {
				delete(model, r.id)
				continue
			}
			model[r.id] = rnd.Int64N(3)
			id := column.FromValue(types.Nullable(types.Int64), r.rid, 1)
			if r.rid < 0 {
				id = nil
			}
			if err := d.Insert(ctx, rowBlock([]int64{r.id}, func(id int64) int32 { return int32(model[id]) }), column.NewConst(nonNil(id), 1)); err != nil {
				t.Fatal(err)
			}
		}
		if step%3 == 2 {
			model[next] = 1
			if err := d.Insert(ctx, rowBlock([]int64{next}, func(int64) int32 { return 1 }), nil); err != nil {
				t.Fatal(err)
			}
			next++
		}
		m, err := d.Commit(ctx)
		if err != nil {
			t.Fatal(err)
		}
		compareRows(t, rowsOf(t, source(t, tab)), model, ids, m)
		checkVectors(t, tab, m)
		leftovers(t, tab, m)
		if t.Failed() {
			t.Fatalf("after step %d", step)
		}
	}
}

func nonNil(c *column.Const) column.Column {
	if c == nil {
		return column.FromValue(types.Nullable(types.Int64), nil, 1).Value
	}
	return c.Value
}

func compareRows(t *testing.T, got []row, model, ids map[int64]int64, m *iceberg.TableMetadata) {
	t.Helper()
	if len(got) != len(model) {
		t.Errorf("%d rows, want %d", len(got), len(model))
	}
	owner := map[int64]int64{}
	for _, r := range got {
		if g, ok := model[r.id]; !ok || g != r.g {
			t.Errorf("row %d in partition %d, want %d (%v)", r.id, r.g, g, ok)
		}
		if m.FormatVersion < 3 {
			continue
		}
		if was, ok := ids[r.id]; ok && was != r.rid {
			t.Errorf("row %d has id %d, had %d", r.id, r.rid, was)
		}
		if other, ok := owner[r.rid]; ok {
			t.Errorf("rows %d and %d have one id %d", other, r.id, r.rid)
		}
		owner[r.rid], ids[r.id] = r.id, r.rid
		if r.rid < 0 || r.rid >= m.NextRowID || r.last < 0 || r.last > m.LastSequenceNumber {
			t.Errorf("row %d has id %d of %d, was changed in %d of %d", r.id, r.rid, m.NextRowID, r.last, m.LastSequenceNumber)
		}
	}
}

// checkVectors: one vector a data file, of a file that is there (spec, §Deletion vectors).
func checkVectors(t *testing.T, tab *write.Table, m *iceberg.TableMetadata) {
	t.Helper()
	ref, ok := m.Refs["main"]
	if !ok {
		return
	}
	lines, err := m.Snapshot(ref.SnapshotID).LoadManifests(context.Background(), tab.Loader, tab.Paths.Map)
	if err != nil {
		t.Fatal(err)
	}
	data, vectors := map[string]bool{}, map[string]int{}
	for i := range lines {
		man, err := iceberg.LoadManifest(context.Background(), tab.Loader, m, &lines[i], tab.Paths.Map(lines[i].Path))
		if err != nil {
			t.Fatal(err)
		}
		err = man.Walk(&lines[i], func(l iceberg.Live) error {
			switch {
			case l.Content == iceberg.DataContent:
				data[l.Path] = true
			case l.IsDeletionVector():
				vectors[l.Referenced]++
			case m.FormatVersion > 2:
				t.Errorf("a version 3 table got position deletes %s", l.Path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for path, n := range vectors {
		if n > 1 || !data[path] {
			t.Errorf("%d vectors for %s (there: %v)", n, path, data[path])
		}
	}
}

// leftovers fails for data files that no manifest of any snapshot names.
func leftovers(t *testing.T, tab *write.Table, m *iceberg.TableMetadata) {
	t.Helper()
	used := map[string]bool{}
	for _, s := range m.Snapshots {
		lines, err := s.LoadManifests(context.Background(), tab.Loader, tab.Paths.Map)
		if err != nil {
			t.Fatal(err)
		}
		for i := range lines {
			man, err := iceberg.LoadManifest(context.Background(), tab.Loader, m, &lines[i], tab.Paths.Map(lines[i].Path))
			if err != nil {
				t.Fatal(err)
			}
			for k := range man.Entries {
				used[tab.Paths.Map(man.Entries[k].File.Path)] = true
			}
		}
	}
	all, err := tab.Store().List(context.Background(), "tab/data/", true)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range all {
		if !used[o.Path] {
			t.Errorf("nothing refers to %s", o.Path)
		}
	}
}

// What others commit between a statement's reading and its commit.
func TestDeltaConflicts(t *testing.T) { // long: one case a line
	mor := map[string]string{"write.delete.mode": "merge-on-read", "write.update.mode": "merge-on-read"}
	snapshot := map[string]string{
		"write.delete.mode": "merge-on-read", "write.delete.isolation-level": "snapshot",
		"write.update.mode": "merge-on-read", "write.update.isolation-level": "snapshot",
	}
	first := func(t *testing.T, d *write.RowDelta, r row) {
		t.Helper()
		if err := d.Delete(r.file, []int64{r.pos}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name    string
		version int
		p       map[string]string
		kind    string
		mine    int64 // the row that is changed
		other   func(t *testing.T, tab *write.Table, rows []row)
		stale   bool
	}{
		{"vector for the same file", 3, mor, "delete", 0, deleteOf(3), true},
		{"vector for another file", 3, mor, "delete", 0, deleteOf(1), false},
		{"position deletes for the same file", 2, mor, "delete", 0, deleteOf(3), false},
		{"position deletes, and an update", 2, mor, "update", 0, deleteOf(3), true},
		{"position deletes elsewhere, and an update", 2, mor, "update", 0, deleteOf(1), false},
		{"rewritten twice", 2, nil, "delete", 0, deleteOf(3), true},
		{"rewritten apart", 2, nil, "delete", 0, deleteOf(1), false},
		{"new rows that match", 2, mor, "delete", 0, func(t *testing.T, tab *write.Table, _ []row) { appendRows(t, tab, 300) }, true},
		{"new rows that do not match", 2, mor, "delete", 0, func(t *testing.T, tab *write.Table, _ []row) { appendRows(t, tab, 301) }, false},
		{"new rows that match, snapshot isolation", 2, snapshot, "delete", 0, func(t *testing.T, tab *write.Table, _ []row) { appendRows(t, tab, 300) }, false},
		{"the file is gone", 2, snapshot, "delete", 0, deleteOf(0, 3, 6), true},
		{"the file is gone, and an update", 3, snapshot, "update", 0, deleteOf(0, 3, 6), true},
		{"new rows that match, a rewrite", 3, nil, "update", 0, func(t *testing.T, tab *write.Table, _ []row) { appendRows(t, tab, 300) }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			tab := newTable(t, c.version, c.p, nil)
			appendRows(t, tab, 0, 1, 2, 3, 4, 5, 6, 7, 8)
			src := source(t, tab)
			rows := rowsOf(t, src)
			// Rows of partition 0 alone are looked for.
			fn := &expr.Function{Name: "equals", Result: types.UInt8}
			cond := &expr.Call{Fn: fn, Args: []expr.Expr{&expr.Column{Index: 1, Name: "g", T: types.Nullable(types.Int32)}, expr.NewLiteral(types.Int32, int32(0))}}
			f := pruning.New([]expr.Expr{cond}, func(i int) pruning.Column {
				return pruning.Column{Field: src.Schema.Fields[i].ID, Type: []*types.Type{types.Int64, types.Nullable(types.Int32)}[i]}
			}, nil)
			d := begin(t, tab, c.kind, pruning.NewIceberg(f, src.Schema))
			first(t, d, rows[c.mine])
			if c.kind == "update" {
				if err := d.Insert(context.Background(), rowBlock([]int64{1000}, func(int64) int32 { return 0 }), nil); err != nil {
					t.Fatal(err)
				}
			}
			c.other(t, tab, rows)
			_, err := d.Commit(context.Background())
			if write.IsStale(err) != c.stale || !c.stale && err != nil {
				t.Fatalf("stale %v, want %v: %v", write.IsStale(err), c.stale, err)
			}
			after := source(t, tab)
			leftovers(t, tab, after.Meta)
			checkVectors(t, tab, after.Meta)
			there := map[int64]bool{}
			for _, r := range rowsOf(t, after) {
				there[r.id] = true
			}
			if there[1000] != (c.kind == "update" && !c.stale) || !c.stale && there[c.mine] {
				t.Errorf("rows after it: %v", there)
			}
		})
	}
}

// deleteOf deletes rows of ids by a change of its own.
func deleteOf(ids ...int) func(t *testing.T, tab *write.Table, rows []row) {
	return func(t *testing.T, tab *write.Table, rows []row) {
		t.Helper()
		d := begin(t, tab, "delete", nil)
		for _, id := range ids {
			if err := d.Delete(rows[id].file, []int64{rows[id].pos}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := d.Commit(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}
