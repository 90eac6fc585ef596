package iceberg

import (
	"fmt"
	"strings"
	"testing"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/table"
	"lakeserver/types"
)

// run executes a procedure and gives its metrics as text.
func run(t *testing.T, tab *Table, name string, args ...table.Argument) (string, error) {
	t.Helper()
	header, stream, err := tab.Execute(t.Context(), name, args)
	if err != nil {
		return "", err
	}
	if len(header) != 2 || header[0].Name != "metric_name" || header[1].Type != types.Int64 {
		t.Errorf("%s: header %v", name, header)
	}
	blocks, err := column.ReadAll(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, b := range blocks {
		for i := range b.Rows {
			out = append(out, fmt.Sprintf("%v=%v", column.At(b.Columns[0], i), column.At(b.Columns[1], i)))
		}
	}
	return strings.Join(out, " "), nil
}

func arg(name string, v any) table.Argument {
	a := table.Argument{Name: name, Value: v, Type: types.UInt8}
	if b, ok := v.(bool); ok {
		a.Type, a.Value = types.Bool, uint8(0)
		if b {
			a.Value = uint8(1)
		}
	}
	return a
}

// TestExecuteArguments: the words of the reference for wrong arguments.
func TestExecuteArguments(t *testing.T) {
	open := madeTable(t, 2)
	on := []string{writable, "1", "allow_experimental_expire_snapshots", "1", "allow_iceberg_remove_orphan_files", "1"}
	for _, c := range []struct {
		name string
		args []table.Argument
		code cherr.Code
		want string
	}{
		{"nosuch", nil, cherr.BadArguments, "Unknown EXECUTE command 'nosuch' for Iceberg table."},
		{"expire_snapshots", []table.Argument{arg("", "a"), arg("", "b")}, cherr.BadArguments, "expire_snapshots accepts at most 1 positional argument(s)."},
		{"expire_snapshots", []table.Argument{arg("retain_last", int8(-1))}, cherr.BadArguments, "expire_snapshots expects 'retain_last' to be positive."},
		{"expire_snapshots", []table.Argument{arg("retain_last", "x")}, cherr.BadArguments, "expire_snapshots expects 'retain_last' to be an integer literal."},
		{"expire_snapshots", []table.Argument{arg("retain_last", uint8(0))}, cherr.BadArguments, "expire_snapshots expects 'retain_last' to be positive."},
		{"expire_snapshots", []table.Argument{arg("dry_run", "x")}, cherr.BadArguments, "expire_snapshots expects 'dry_run' to be a boolean or integer literal."},
		{"expire_snapshots", []table.Argument{arg("snapshot_ids", column.Row{uint8(1)})}, cherr.BadArguments, "expire_snapshots snapshot id 1 does not exist."},
		{"expire_snapshots", []table.Argument{arg("snapshot_ids", column.Row{"x"})}, cherr.BadArguments, "expire_snapshots expects 'snapshot_ids' to be an integer literal."},
		{"expire_snapshots", []table.Argument{arg("snapshot_ids", uint8(5))}, cherr.BadArguments, "expire_snapshots expects 'snapshot_ids' to be an array literal."},
		{"expire_snapshots", []table.Argument{arg("", "no time")}, cherr.CannotParseDatetime, "Cannot parse datetime"},
		{"expire_snapshots", []table.Argument{arg("retention_period", "")}, cherr.BadArguments, "expire_snapshots 'retention_period' cannot be empty."},
		{"expire_snapshots", []table.Argument{arg("retention_period", "3x")}, cherr.BadArguments, "expire_snapshots: invalid duration '3x' for 'retention_period'."},
		{"expire_snapshots", []table.Argument{arg("retention_period", uint8(5))}, cherr.BadArguments, "expire_snapshots expects 'retention_period' to be a duration string like '3d', '12h', '30m', '15s' or '250ms'."},
		{"expire_snapshots", []table.Argument{arg("retention_period", "1d 2h")}, cherr.BadArguments, "expire_snapshots: invalid duration '1d 2h' for 'retention_period'."},
		{"expire_snapshots", []table.Argument{arg("retention_period", "99999999999999999y")}, cherr.BadArguments, "invalid duration"},
		{"expire_snapshots", []table.Argument{arg("snapshot_ids", column.Row{uint8(1)}), arg("retain_last", uint8(1))}, cherr.BadArguments, "expire_snapshots argument 'snapshot_ids' cannot be combined with 'retention_period' or 'retain_last'."},
		{"expire_snapshots", []table.Argument{arg("", nil)}, cherr.BadArguments, "Parameter 'expire_before' for expire_snapshots has wrong type (got Null, expected String)"},
		{"expire_snapshots", []table.Argument{arg("", uint8(1))}, cherr.BadArguments, "Parameter 'expire_before' for expire_snapshots has wrong type (got UInt64, expected String)"},
		{"expire_snapshots", []table.Argument{arg("expire_before", true)}, cherr.BadArguments, "(got Bool, expected String)"},
		{"expire_snapshots", []table.Argument{arg("expire_before", "2024-01-01 00:00:00"), arg("", "2024-01-01 00:00:00")}, cherr.BadArguments, "Positional arguments must precede named arguments in expire_snapshots()."},
		{"expire_snapshots", []table.Argument{arg("", "2024-01-01 00:00:00"), arg("expire_before", "2024-01-01 00:00:00")}, cherr.BadArguments, "Duplicate parameter 'expire_before' for expire_snapshots()."},
		{"expire_snapshots", []table.Argument{arg("foo", uint8(1))}, cherr.BadArguments, "Unknown parameter 'foo' for expire_snapshots."},
		{"remove_orphan_files", []table.Argument{arg("", "x")}, cherr.CannotParseDatetime, "Cannot parse datetime"},
		{"remove_orphan_files", []table.Argument{arg("", "2099-01-01 00:00:00")}, cherr.BadArguments, "older_than must not be in the future; a future value would bypass the in-progress-write safety window."},
		{"remove_orphan_files", []table.Argument{arg("location", "/etc")}, cherr.BadArguments, "location must be a relative path under the table root, got '/etc'"},
		{"remove_orphan_files", []table.Argument{arg("location", "../x")}, cherr.BadArguments, "location must be a relative path under the table root, got '../x'"},
		{"remove_orphan_files", []table.Argument{arg("location", uint8(5))}, cherr.BadArguments, "Parameter 'location' for remove_orphan_files has wrong type (got UInt64, expected String)"},
		{"remove_orphan_files", []table.Argument{arg("location", "nosuch/")}, cherr.BadArguments, "Scan path 't/nosuch/' does not exist."},
		{"rollback_to_snapshot", nil, cherr.BadArguments, "'snapshot_id'"},
		{"rollback_to_snapshot", []table.Argument{arg("", "x")}, cherr.BadArguments, "integer literal"},
		{"create_branch", []table.Argument{arg("", "x"), arg("name", "x")}, cherr.BadArguments, "Duplicate parameter 'name'"},
		{"create_tag", []table.Argument{arg("", "x"), arg("max_snapshot_age", "1d")}, cherr.BadArguments, "Unknown parameter 'max_snapshot_age'"},
		{"fast_forward", []table.Argument{arg("", "main")}, cherr.BadArguments, "'to'"},
		{"set_current_snapshot", nil, cherr.BadArguments, "either"},
	} {
		if _, err := run(t, open(on...), c.name, c.args...); !cherr.Is(err, c.code) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s(%v): %v\nwant %s", c.name, c.args, err, c.want)
		}
	}
	for _, name := range []string{"nosuch", "expire_snapshots", "create_branch"} {
		if _, err := run(t, open(), name); !cherr.Is(err, cherr.SupportIsDisabled) || !strings.Contains(err.Error(), executeGate) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, gate := range map[string]string{"expire_snapshots": "allow_experimental_expire_snapshots", "remove_orphan_files": "allow_iceberg_remove_orphan_files"} {
		if _, err := run(t, open(writable, "1"), name, arg("foo", "x")); !cherr.Is(err, cherr.SupportIsDisabled) || !strings.Contains(err.Error(), "enable setting "+gate) {
			t.Errorf("%s: %v", name, err)
		}
	}
	old := madeTable(t, 1)
	if _, err := run(t, old(on...), "expire_snapshots"); !cherr.Is(err, cherr.BadArguments) || !strings.Contains(err.Error(), "expire_snapshots is supported only for the second version of iceberg format.") {
		t.Errorf("%v", err)
	}
	if _, err := run(t, old(on...), "remove_orphan_files"); !cherr.Is(err, cherr.BadArguments) || !strings.Contains(err.Error(), "remove_orphan_files requires Iceberg format version >= 2, but this table uses format version 1.") {
		t.Errorf("%v", err)
	}
}

// TestExecuteMetrics: names and order of what the two procedures of the
// reference answer.
func TestExecuteMetrics(t *testing.T) {
	open := madeTable(t, 2)
	on := []string{writable, "1", "allow_experimental_expire_snapshots", "1", "allow_iceberg_remove_orphan_files", "1"}
	got, err := run(t, open(on...), "expire_snapshots", arg("dry_run", uint8(7)))
	if want := "deleted_data_files_count=0 deleted_position_delete_files_count=0 deleted_equality_delete_files_count=0 deleted_manifest_files_count=0 deleted_manifest_lists_count=0 deleted_statistics_files_count=0 dry_run=1"; err != nil || got != want {
		t.Errorf("%v, %s", err, got)
	}
	got, err = run(t, open(on...), "remove_orphan_files")
	if want := "deleted_data_files_count=0 deleted_position_delete_files_count=0 deleted_equality_delete_files_count=0 deleted_manifest_files_count=0 deleted_manifest_lists_count=0 deleted_metadata_files_count=0 deleted_statistics_files_count=0 skipped_missing_metadata_count=0 failed_deletions_count=0"; err != nil || got != want {
		t.Errorf("%v, %s", err, got)
	}
	if _, err := run(t, open(on...), "remove_orphan_files", arg("older_than", "2024-01-01 00:00:00")); err != nil {
		t.Error(err)
	}
}

func TestDuration(t *testing.T) {
	for text, want := range map[string]int64{"3d": 259_200_000, "12h": 43_200_000, "1d12h30m": 131_400_000, "250ms": 250, "1y1w1s": 365*86_400_000 + 7*86_400_000 + 1000} {
		if ms, err := parseDuration("p", "x", text); err != nil || ms != want {
			t.Errorf("%s: %d, %v", text, ms, err)
		}
	}
}
