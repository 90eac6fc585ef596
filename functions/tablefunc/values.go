package tablefunc

import (
	"context"
	"fmt"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/table"
	"lakeserver/types"
)

var _ = add(functions.TableFunction{
	Name: "values", CaseInsensitive: true,
	Doc: functions.Doc{
		Syntax: "values(['structure', ]row, …)", Summary: "The rows given, a tuple a row where there are several columns.",
		Examples: []string{"SELECT * FROM values('a UInt8, b String', (1, 'x'), (2, 'y'))"},
	},
	Open: openValues,
})

// VALUES (1, 'a'), (2, 'b') in the place of a query has no structure.
var _ = add(functions.TableFunction{
	Name: "SQLStandardValues",
	Doc: functions.Doc{
		Syntax: "(VALUES row, …)", Summary: "The rows given, under the names c1, c2 ….",
		Examples: []string{"SELECT * FROM (VALUES (1, 'x'), (2, 'y'))"},
	},
	Open: openValues,
})

var _ = add(functions.TableFunction{
	Name: "null",
	Doc: functions.Doc{
		Syntax: "null('structure')", Summary: "An empty table of the structure.",
		Examples: []string{"SELECT * FROM null('x UInt8')"},
	},
	Open: func(_ context.Context, _ *functions.Env, req *functions.OpenRequest) (table.Table, error) {
		if len(req.Args) != 1 {
			return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Table function 'null' requires 'structure' argument")
		}
		text, ok := req.Args[0].Value.(string)
		if !ok {
			return nil, cherr.New(cherr.BadArguments, "The structure of table function 'null' must be a constant string")
		}
		cols, err := structure(text)
		return &Rows{Cols: cols}, err
	},
})

// structure reads "a UInt8, b String".
func structure(text string) ([]table.Column, error) {
	t, err := types.Parse("Tuple(" + text + ")")
	if err != nil {
		return nil, err
	}
	if t.Names() == nil {
		return nil, cherr.New(cherr.SyntaxError, "Cannot parse the structure '%s': columns need names", text)
	}
	out := make([]table.Column, len(t.Elems()))
	for i, e := range t.Elems() {
		out[i] = table.Column{Name: t.Names()[i], Type: e}
	}
	return out, nil
}

func openValues(ctx context.Context, env *functions.Env, req *functions.OpenRequest) (table.Table, error) {
	if len(req.Args) == 0 {
		return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Table function 'values' requires at least one argument")
	}
	for _, a := range req.Args {
		if !a.Const {
			return nil, cherr.New(cherr.BadArguments, "Arguments of table function 'values' must be constants")
		}
	}
	rows := req.Args
	var cols []table.Column
	var err error
	if text, ok := rows[0].Value.(string); ok && len(rows) > 1 && req.Name != "SQLStandardValues" && rows[0].Type.Kind() == types.KindString {
		if declared, e := structure(text); e == nil {
			cols, rows = declared, rows[1:]
		}
	}
	if cols == nil {
		if cols, err = inferred(rows); err != nil {
			return nil, err
		}
	}
	builders := make([]column.Builder, len(cols))
	for i, c := range cols {
		builders[i] = column.NewBuilder(c.Type, len(rows))
	}
	for _, r := range rows {
		vs, ts, err := cells(r, len(cols))
		if err != nil {
			return nil, err
		}
		for i := range cols {
			v, err := convert(ctx, env, vs[i], ts[i], cols[i])
			if err != nil {
				return nil, err
			}
			builders[i].AppendValue(v)
		}
	}
	block := &column.Block{Rows: len(rows)}
	for _, b := range builders {
		block.Columns = append(block.Columns, b.Finish())
	}
	return &Rows{Cols: cols, Blocks: []*column.Block{block}}, nil
}

// cells takes a row apart; a row of one column may be a bare value.
func cells(r functions.TableArg, n int) ([]column.Value, []*types.Type, error) {
	row, ok := r.Value.(column.Row)
	if r.Type.Kind() == types.KindTuple && ok && (n > 1 || len(row) == 1) {
		if len(row) != n {
			return nil, nil, cherr.New(cherr.BadArguments, "Values table function requires all rows to have %d columns, got %d", n, len(row))
		}
		return row, r.Type.Elems(), nil
	}
	if n != 1 {
		return nil, nil, cherr.New(cherr.BadArguments, "Values table function requires all rows to have %d columns", n)
	}
	return []column.Value{r.Value}, []*types.Type{r.Type}, nil
}

// inferred gives columns c1, c2 … of the least types that hold the values.
func inferred(rows []functions.TableArg) ([]table.Column, error) {
	n := 1
	if rows[0].Type.Kind() == types.KindTuple {
		n = len(rows[0].Type.Elems())
	}
	out := make([]table.Column, n)
	for i := range out {
		var ts []*types.Type
		for _, r := range rows {
			_, rt, err := cells(r, n)
			if err != nil {
				return nil, err
			}
			ts = append(ts, rt[i])
		}
		t, err := types.Super(ts...)
		if err != nil {
			return nil, err
		}
		out[i] = table.Column{Name: fmt.Sprintf("c%d", i+1), Type: t}
	}
	return out, nil
}

func convert(ctx context.Context, env *functions.Env, v column.Value, from *types.Type, to table.Column) (column.Value, error) {
	if from.Equal(to.Type) {
		return v, nil
	}
	if v == nil {
		if !to.Type.IsNullable() {
			return nil, cherr.New(cherr.CannotInsertNullInOrdinaryColumn, "Cannot insert NULL value into column %s of type %s", to.Name, to.Type)
		}
		return nil, nil
	}
	if err := functions.FitsDecimal(column.FromValue(from, v, 1), types.Unwrap(from), types.Unwrap(to.Type)); err != nil {
		return nil, err
	}
	c, err := env.Registry.Call(env, "CAST", expr.NewLiteral(from, v), expr.NewLiteral(types.String, to.Type.String()))
	if err != nil {
		return nil, err
	}
	out, err := c.Eval(ctx, &column.Block{Rows: 1})
	if err != nil {
		return nil, err
	}
	return column.At(out, 0), nil
}
