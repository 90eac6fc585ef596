package paimon

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lakeserver/column"
	"lakeserver/functions/storage"
	"lakeserver/internal/faultstore"
	"lakeserver/objstore"
	"lakeserver/table"
	"lakeserver/types"
)

// faultTables are the tables that statements run on: rows (p, k, v), two
// partitions, several files each.
var faultTables = map[string]string{
	"append":  `"primaryKeys":[],"options":{"bucket":"-1"}`,
	"vectors": `"primaryKeys":[],"options":{"bucket":"-1","deletion-vectors.enabled":"true"}`,
	"tracked": `"primaryKeys":[],"options":{"bucket":"-1","row-tracking.enabled":"true"}`,
	"keyed":   `"primaryKeys":["p","k"],"options":{"bucket":"1","num-sorted-run.compaction-trigger":"3"}`,
	"lookup":  `"primaryKeys":["p","k"],"options":{"bucket":"1","changelog-producer":"lookup"}`,
	"merged":  `"primaryKeys":["p","k"],"options":{"bucket":"1","deletion-vectors.enabled":"true"}`,
	"dynamic": `"primaryKeys":["p","k"],"options":{"bucket":"-1"}`,
}

// statements change a table whose rows are (p, k, v).
var statements = map[string]func(ctx context.Context, t *Table) error{
	"insert": func(ctx context.Context, t *Table) error {
		return insertRows(ctx, t, [3]int32{1, 2, 20}, [3]int32{2, 9, 90})
	},
	"overwrite": func(ctx context.Context, t *Table) error {
		s, err := t.Overwrite(ctx, &table.OverwriteRequest{Columns: []string{"p", "k", "v"}})
		if err != nil {
			return err
		}
		return feed(ctx, s, [3]int32{1, 7, 70})
	},
	"delete":   func(ctx context.Context, t *Table) error { return changeRows(ctx, t, table.ChangeDelete) },
	"update":   func(ctx context.Context, t *Table) error { return changeRows(ctx, t, table.ChangeUpdate) },
	"truncate": func(ctx context.Context, t *Table) error { return t.Truncate(ctx) },
	"optimize": func(ctx context.Context, t *Table) error { return t.Optimize(ctx, &table.OptimizeRequest{Final: true}) },
	"drop partition": func(ctx context.Context, t *Table) error {
		return t.DropPartitions(ctx, []table.Partition{{Values: []table.Argument{{Type: types.Int32, Value: int32(1), Text: "1"}}}})
	},
	"analyze": func(ctx context.Context, t *Table) error { return execute(ctx, t, "analyze") },
	"expire": func(ctx context.Context, t *Table) error {
		return execute(ctx, t, "expire_snapshots", "retain_max", int64(1))
	},
	"rollback": func(ctx context.Context, t *Table) error {
		return execute(ctx, t, "rollback_to_as_latest", "snapshot", int64(1))
	},
	"tag":     func(ctx context.Context, t *Table) error { return execute(ctx, t, "create_tag", "tag", "x") },
	"orphans": func(ctx context.Context, t *Table) error { return execute(ctx, t, "remove_orphan_files") },
}

var allFaults = flag.Bool("faults.all", false, "let operations go wrong on tables of every kind")

// TestFaultyStatements lets every operation of every statement go wrong, in
// every way: the table shows the rows of before or those of after, after when
// no error was told, and the statement can be given again.
func TestFaultyStatements(t *testing.T) {
	for kind, options := range faultTables {
		for name, run := range statements {
			t.Run(kind+" "+name, func(t *testing.T) {
				if !*allFaults && kind != "append" && kind != "lookup" {
					t.Skip("-faults.all")
				}
				for _, mode := range []faultstore.Mode{faultstore.Fail, faultstore.Lose, faultstore.Cut} {
					faulty(t, options, run, mode)
				}
			})
		}
	}
}

func faulty(t *testing.T, options string, run func(context.Context, *Table) error, mode faultstore.Mode) {
	start := t.TempDir()
	o := localOpener(objstore.NewLocal(start))
	makeFaultTable(t, start, options, o)
	before := shown(t, o)
	whole := t.TempDir()
	copyTable(t, start, whole)
	good := localOpener(objstore.NewLocal(whole))
	if err := run(t.Context(), openFault(t, good)); err != nil {
		t.Fatalf("without a fault: %v", err)
	}
	after := shown(t, good)
	for k := 1; ; k++ {
		dir := t.TempDir()
		copyTable(t, start, dir)
		plain := objstore.NewLocal(dir)
		f := faultstore.New(plain)
		f.Spoil(k, mode, mode == faultstore.Fail) // a read has one way to go wrong
		tab, err := openFaultErr(t.Context(), localOpener(f))
		if err == nil {
			err = run(t.Context(), tab)
		}
		got := shown(t, localOpener(plain))
		switch {
		case err == nil && !slices.Equal(got, after):
			t.Fatalf("%s of operation %d: no error, and rows %v where %v are due", mode, k, got, after)
		case !slices.Equal(got, before) && !slices.Equal(got, after):
			t.Fatalf("%s of operation %d (%v): rows %v, which are neither %v nor %v", mode, k, err, got, before, after)
		}
		if slices.Equal(got, before) && !slices.Equal(before, after) {
			if err := run(t.Context(), openFault(t, localOpener(plain))); err != nil {
				t.Fatalf("%s of operation %d: given again: %v", mode, k, err)
			}
			if again := shown(t, localOpener(plain)); !slices.Equal(again, after) {
				t.Fatalf("%s of operation %d: given again, rows %v where %v are due", mode, k, again, after)
			}
		}
		if !f.Hit() {
			return
		}
	}
}

func localOpener(s objstore.Store) *opener {
	return &opener{sources: &storage.Sources{Local: s}, form: storage.Local}
}

func makeFaultTable(t *testing.T, dir, options string, o *opener) {
	t.Helper()
	schema := `{"version":3,"id":0,"fields":[{"id":0,"name":"p","type":"INT NOT NULL"},{"id":1,"name":"k","type":"INT NOT NULL"},{"id":2,"name":"v","type":"INT"}],` +
		`"highestFieldId":2,"partitionKeys":["p"],` + options + `,"timeMillis":1}`
	if err := os.MkdirAll(filepath.Join(dir, "t", "schema"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "t", "schema", "schema-0"), []byte(schema), 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range int32(2) {
		if err := insertRows(t.Context(), openFault(t, o), [3]int32{1, 1, i}, [3]int32{1, 2, i}, [3]int32{2, 1, i}); err != nil {
			t.Fatal(err)
		}
	}
}

func copyTable(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(filepath.Join(to, "t"), os.DirFS(filepath.Join(from, "t"))); err != nil {
		t.Fatal(err)
	}
}

func openFaultErr(ctx context.Context, o *opener) (*Table, error) {
	return opened(ctx, o, "t", "allow_insert_into_paimon", "1")
}

func openFault(t *testing.T, o *opener) *Table {
	t.Helper()
	tab, err := openFaultErr(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

func shown(t *testing.T, o *opener) []string {
	t.Helper()
	rows, _, err := rowsOf(t.Context(), openFault(t, o), []string{"p", "k", "v"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(rows)
	return rows
}

func insertRows(ctx context.Context, t *Table, rows ...[3]int32) error {
	s, err := t.Append(ctx, []string{"p", "k", "v"})
	if err != nil {
		return err
	}
	return feed(ctx, s, rows...)
}

func feed(ctx context.Context, s table.Sink, rows ...[3]int32) error {
	b := &column.Block{Rows: len(rows)}
	for at := range 3 {
		values := make([]int32, len(rows))
		for i, r := range rows {
			values[i] = r[at]
		}
		b.Columns = append(b.Columns, column.NewFixed(values))
	}
	b.Columns[2] = &column.Nullable{Values: b.Columns[2]}
	if err := s.Write(ctx, b); err != nil {
		_ = s.Abort(ctx)
		return err
	}
	return s.Commit(ctx)
}

// changeRows deletes the rows with k = 1, or adds 100 to their v.
func changeRows(ctx context.Context, t *Table, kind table.ChangeKind) error {
	ch, err := t.Change(ctx, &table.ChangeRequest{Kind: kind})
	if err != nil {
		return err
	}
	if err := changeEach(ctx, ch, kind); err != nil {
		_ = ch.Sink.Abort(ctx)
		return err
	}
	return ch.Sink.Commit(ctx)
}

func changeEach(ctx context.Context, ch *table.Change, kind table.ChangeKind) (err error) {
	req := &table.ScanRequest{Streams: 1, Columns: append(slices.Clone(ch.RowID), 0, 1, 2)}
	streams, err := ch.Rows.Scan(ctx, req)
	if err != nil {
		return err
	}
	n := len(ch.RowID)
	for _, s := range streams {
		defer s.Close()
		for {
			b, err := s.Next(ctx)
			if err != nil {
				return err
			}
			if b == nil {
				break
			}
			b = column.FullBlock(b)
			var rows []uint32
			for i := range b.Rows {
				if column.At(b.Columns[n+1], i) == int32(1) {
					rows = append(rows, uint32(i))
				}
			}
			if len(rows) == 0 {
				continue
			}
			b = b.Gather(rows)
			if kind == table.ChangeDelete {
				if err := ch.Sink.Write(ctx, table.DeleteRows, &column.Block{Columns: b.Columns[:n], Rows: b.Rows}); err != nil {
					return err
				}
				continue
			}
			more := make([]int32, b.Rows)
			for i := range more {
				more[i] = column.At(b.Columns[n+2], i).(int32) + 100
			}
			b.Columns[n+2] = &column.Nullable{Values: column.NewFixed(more)}
			if err := ch.Sink.Write(ctx, table.UpdateRows, b); err != nil {
				return err
			}
		}
	}
	return nil
}

func execute(ctx context.Context, t *Table, name string, args ...any) error {
	var list []table.Argument
	for i := 0; i < len(args); i += 2 {
		a := table.Argument{Name: args[i].(string), Value: args[i+1], Text: fmt.Sprint(args[i+1]), Type: types.Int64}
		if _, ok := a.Value.(string); ok {
			a.Type = types.String
		}
		list = append(list, a)
	}
	_, _, err := t.Execute(ctx, name, list)
	if err != nil && strings.Contains(err.Error(), "already exists") {
		return nil // a tag whose answer was lost
	}
	return err
}
