package tableengine

import (
	"context"

	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/table"
)

// nullEngine forgets what is inserted and is always empty.
func nullEngine() functions.Engine {
	return functions.Engine{
		Name: "Null",
		Doc:  functions.Doc{Syntax: "ENGINE = Null", Summary: "Takes rows and forgets them."},
		Open: func(_ context.Context, _ *functions.Env, req *functions.OpenRequest) (table.Table, error) {
			return nullTable(req.Columns), nil
		},
	}
}

type nullTable []table.Column

// Columns implements table.Table.
func (t nullTable) Columns() []table.Column { return t }

// Scan implements table.Table.
func (t nullTable) Scan(_ context.Context, req *table.ScanRequest) ([]column.Stream, error) {
	req.Report = &table.Report{}
	return []column.Stream{column.Blocks()}, nil
}

// Append implements table.Appender.
func (t nullTable) Append(context.Context, []string) (table.Sink, error) { return nullSink{}, nil }

// Truncate implements table.Truncater.
func (t nullTable) Truncate(context.Context) error { return nil }

type nullSink struct{}

// Write implements table.Sink.
func (nullSink) Write(context.Context, *column.Block) error { return nil }

// Commit implements table.Sink.
func (nullSink) Commit(context.Context) error { return nil }

// Abort implements table.Sink.
func (nullSink) Abort(context.Context) error { return nil }
