package iceberg

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"lakeserver/functions/storage"

	"lakeserver/cherr"
	"lakeserver/metadata"
	"lakeserver/metadata/iceberg"
	"lakeserver/objstore"
	"lakeserver/table"
	"lakeserver/types"
	write "lakeserver/write/iceberg"
)

// madeTable makes an empty table t(id Int64, s Nullable(String), ts
// DateTime64(6)) partitioned by bucket[4](id) and gives how to open it.
func madeTable(t *testing.T, version int) func(set ...string) *Table {
	t.Helper()
	dir := t.TempDir()
	o := &opener{sources: &storage.Sources{Local: objstore.NewLocal(dir)}, form: storage.Local, cache: metadata.NewCache(1 << 20), lines: write.NewLines()}
	var fields []iceberg.Field
	for _, c := range []table.Column{{Name: "id", Type: types.Int64}, {Name: "s", Type: types.Nullable(types.String)}, {Name: "ts", Type: types.DateTime64(6, "", nil)}} {
		f, err := iceberg.FieldFromClickHouse(c.Name, c.Type, version)
		if err != nil {
			t.Fatal(err)
		}
		fields = append(fields, f)
	}
	m, err := iceberg.NewTableMetadata(iceberg.NewTable{
		FormatVersion: version, Location: filepath.Join(dir, "t"), Fields: fields,
		Partition: []iceberg.NewPartitionField{{Source: "id", Transform: iceberg.Transform{Kind: iceberg.Bucket, N: 4}}},
	})
	if err == nil {
		_, err = (&write.Folder{Loader: &metadata.Loader{Store: o.sources.Local}, Root: "t/"}).Create(t.Context(), m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func(set ...string) *Table {
		tab, err := opened(t.Context(), o, "t/", nil, set...)
		if err != nil {
			t.Fatal(err)
		}
		return tab
	}
}

const writable = "allow_insert_into_iceberg"

func text(s string) *string { return &s }

// TestAlter: each command over the real layers, down to the file, and back.
func TestAlter(t *testing.T) {
	open := madeTable(t, 3)
	term := func(f, c string, args ...any) *table.Term {
		return &table.Term{Text: f, Function: f, Path: []string{c}, Args: args}
	}
	for _, c := range []struct {
		name     string
		commands []table.AlterCommand
		code     cherr.Code
		want     string
	}{
		{"several at once", []table.AlterCommand{
			{Kind: table.AddColumn, Path: []string{"n"}, Type: types.Nullable(types.Int32), Comment: text("number"), After: []string{"id"}},
			{Kind: table.RenameColumn, Path: []string{"s"}, To: []string{"txt"}},
			{Kind: table.AddColumn, Path: []string{"arr"}, Type: types.Array(types.Tuple([]*types.Type{types.Int32}, []string{"k"}))},
		}, 0, "id Int64, n Nullable(Int32), txt Nullable(String), ts DateTime64(6), arr Array(Tuple(k Int32))"},
		{
			"what is there",
			[]table.AlterCommand{{Kind: table.AddColumn, Path: []string{"n"}, IfNotExists: true, Type: types.Int8}, {Kind: table.DropColumn, Path: []string{"no"}, IfExists: true}},
			0,
			"id Int64, n Nullable(Int32), txt Nullable(String), ts DateTime64(6), arr Array(Tuple(k Int32))",
		},
		{"defaults", []table.AlterCommand{
			{Kind: table.AddColumn, Path: []string{"r"}, Type: types.UInt16, Default: &table.ColumnDefault{Kind: "DEFAULT", Constant: true, Value: uint16(7)}},
			{Kind: table.AddColumn, Path: []string{"d"}, Type: types.Date, Default: &table.ColumnDefault{Kind: "DEFAULT", Constant: true, Value: uint16(1)}},
			{Kind: table.DropColumn, Path: []string{"arr"}},
			{Kind: table.DropColumn, Path: []string{"n"}},
		}, 0, "id Int64, txt Nullable(String), ts DateTime64(6), r Int32, d Date32"},
		{
			"widen and move",
			[]table.AlterCommand{{Kind: table.ModifyColumn, Path: []string{"r"}, Type: types.Int64, First: true}, {Kind: table.ModifyColumn, Path: []string{"ts"}, Type: types.Nullable(types.DateTime64(6, "", nil))}},
			0,
			"r Int64, id Int64, txt Nullable(String), ts Nullable(DateTime64(6)), d Date32",
		},
		{"all or none", []table.AlterCommand{{Kind: table.DropColumn, Path: []string{"d"}}, {Kind: table.DropColumn, Path: []string{"nosuch"}}}, cherr.NotFoundColumnInBlock, ""},
		{"partition source", []table.AlterCommand{{Kind: table.DropColumn, Path: []string{"id"}}}, cherr.BadArguments, "partition field"},
		{"narrow", []table.AlterCommand{{Kind: table.ModifyColumn, Path: []string{"r"}, Type: types.Int32}}, cherr.BadArguments, "schema evolution"},
		{"required", []table.AlterCommand{{Kind: table.ModifyColumn, Path: []string{"txt"}, Type: types.String}}, cherr.BadArguments, "non-nullable"},
		{"add required", []table.AlterCommand{{Kind: table.AddColumn, Path: []string{"q"}, Type: types.String}}, cherr.BadArguments, "non-nullable"},
		{"not a constant", []table.AlterCommand{{Kind: table.AddColumn, Path: []string{"q"}, Type: types.String, Default: &table.ColumnDefault{Kind: "DEFAULT", Expr: "now()"}}}, cherr.BadArguments, "constant"},
		{"clear", []table.AlterCommand{{Kind: table.ClearColumn, Path: []string{"d"}}}, cherr.BadArguments, "UPDATE"},
		{"down", []table.AlterCommand{{Kind: table.ModifySetting, Settings: []table.Argument{{Name: "iceberg_format_version", Text: "2"}}}}, cherr.BadArguments, "cannot become"},
		{"unknown function", []table.AlterCommand{{Kind: table.AddPartitionField, Term: term("modulo", "id", uint8(4))}}, cherr.BadArguments, "Unsupported function"},
		{"unknown source", []table.AlterCommand{{Kind: table.AddPartitionField, Term: term("", "nosuch")}}, cherr.UnknownIdentifier, "nosuch"},
		{"misfit", []table.AlterCommand{{Kind: table.AddPartitionField, Term: term("toYearNumSinceEpoch", "txt")}}, cherr.BadArguments, "does not fit"},
		{"no such field", []table.AlterCommand{{Kind: table.DropPartitionField, Term: term("", "txt")}}, cherr.BadArguments, "no partition field"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := open(writable, "1").Alter(t.Context(), c.commands)
			if c.code != 0 {
				if !cherr.Is(err, c.code) || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, col := range open().Columns() {
				got = append(got, col.Name+" "+col.Type.String())
			}
			if s := strings.Join(got, ", "); s != c.want {
				t.Errorf("%s\nwant %s", s, c.want)
			}
		})
	}
	m := open().src.Meta
	if f := m.CurrentSchema().Column("d"); string(f.InitialDefault) != `"1970-01-02"` || string(f.WriteDefault) != `"1970-01-02"` {
		t.Errorf("default %s, %s", f.InitialDefault, f.WriteDefault)
	}
	if f := m.CurrentSchema().Column("r"); string(f.InitialDefault) != "7" {
		t.Errorf("default %s", f.InitialDefault)
	}
	change(t, open, table.AlterCommand{Kind: table.ModifyColumn, Path: []string{"r"}, Default: &table.ColumnDefault{Kind: "DEFAULT", Constant: true, Value: int64(8)}})
	change(t, open, table.AlterCommand{Kind: table.ReplacePartitionField, Term: term("icebergBucket", "id", uint8(4)), NewTerm: term("toRelativeDayNum", "ts")},
		table.AlterCommand{Kind: table.ModifyOrderBy, Order: []table.OrderTerm{{Term: *term("", "txt"), Desc: true}, {Term: *term("icebergTruncate", "id", uint8(10)), NullsSaid: true}}},
		table.AlterCommand{Kind: table.ModifySetting, Settings: []table.Argument{{Name: "a.b", Text: "1"}, {Name: "c", Text: "2"}}},
		table.AlterCommand{Kind: table.ModifyComment, Comment: text("about")}, table.AlterCommand{Kind: table.SetIdentifierFields, Paths: [][]string{{"id"}}})
	change(t, open, table.AlterCommand{Kind: table.ResetSetting, Names: []string{"c", "nosuch"}})
	m = open().src.Meta
	if f := m.CurrentSchema().Column("r"); string(f.InitialDefault) != "7" || string(f.WriteDefault) != "8" {
		t.Errorf("default %s, %s", f.InitialDefault, f.WriteDefault)
	}
	f, o := m.DefaultSpec().Fields, m.SortOrder(m.DefaultSortOrderID).Fields
	if len(f) != 1 || f[0].Name != "ts_day" || f[0].FieldID != 1001 || f[0].Transform.Name != "" && f[0].Transform.Name != "day" {
		t.Errorf("%+v", f)
	}
	if len(o) != 2 || o[0].Direction != "desc" || o[0].NullOrder != "nulls-first" || o[1].Transform != "truncate[10]" || o[1].NullOrder != "nulls-last" {
		t.Errorf("%+v", o)
	}
	if m.Properties["a.b"] != "1" || m.Properties["comment"] != "about" || len(m.Properties) != 2 || len(m.CurrentSchema().IdentifierIDs) != 1 {
		t.Errorf("%+v", m.Properties)
	}
}

func change(t *testing.T, open func(set ...string) *Table, commands ...table.AlterCommand) {
	t.Helper()
	if err := open(writable, "1").Alter(t.Context(), commands); err != nil {
		t.Fatal(err)
	}
}

// TestAlterGate: without the setting nothing changes, and nothing is written.
func TestAlterGate(t *testing.T) {
	open := madeTable(t, 1)
	if err := open().Alter(context.Background(), []table.AlterCommand{{Kind: table.DropColumn, Path: []string{"s"}}}); !cherr.Is(err, cherr.SupportIsDisabled) {
		t.Errorf("%v", err)
	}
	before := open()
	change(t, open, table.AlterCommand{Kind: table.ModifySetting, Settings: []table.Argument{{Name: "iceberg_format_version", Text: "3"}}})
	after := open()
	if before.src.Meta.FormatVersion != 1 || after.src.Meta.FormatVersion != 3 || before.src.Meta.UUID != after.src.Meta.UUID {
		t.Errorf("version %d, %d", before.src.Meta.FormatVersion, after.src.Meta.FormatVersion)
	}
	change(t, open, table.AlterCommand{Kind: table.AddColumn, IfNotExists: true, Path: []string{"s"}, Type: types.Int64})
	if was, is := after.src.Meta.File, open().src.Meta.File; was != is {
		t.Errorf("a version was made for nothing: %s, %s", was, is)
	}
}
