package format

import (
	"testing"

	"lakeserver/column"
)

// Documents as ClickHouse (chdb) writes and reads them by these templates.
func TestTemplate(t *testing.T) {
	h, b := table(t, []string{"a: UInt64", "b: String"}, column.Row{uint64(0), "x\ty"}, column.Row{uint64(1), "<z>"})
	for _, x := range []struct{ row, whole, between, want string }{
		{"row: ${a:CSV} and ${b:JSON}", "", ";\n", "row: 0 and \"x\\ty\";\nrow: 1 and \"<z>\""},
		{"$$${a:CSV} and ${b:Escaped}", "<${data}> rows ${rows:XML}\n", ";", "<$0 and x\\ty;$1 and <z>> rows 2\n"},
		{"${b:XML}", "${data}", "|", "x\ty|&lt;z>"},
		{"${b:Quoted}${a:Raw}", "", "\n", "'x\\ty'0\n'<z>'1"},
	} {
		o := options(t, "format_template_row_format", x.row, "format_template_resultset_format", x.whole, "format_template_rows_between_delimiter", x.between)
		if got := string(render(t, "Template", sample{h: h, data: b}, o)); got != x.want {
			t.Errorf("%s: %q, want %q", x.row, got, x.want)
		}
	}
	o := options(t, "format_template_row_format", "${a:CSV}: ${b:JSON}", "format_template_resultset_format", "<${data}>", "format_template_rows_between_delimiter", ", ")
	doc := render(t, "Template", sample{h: h, data: b}, o)
	blocks, _, err := readAll(t, "Template", string(doc), h, o)
	if err != nil || len(blocks) != 1 || show(blocks[0]) != show(b) {
		t.Errorf("%s was read as %v, %v", doc, blocks, err)
	}
	if _, err := rowTemplate(options(t)); err == nil {
		t.Error("no template was named")
	}
}
