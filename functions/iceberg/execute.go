package iceberg

import (
	"context"
	"math"
	"strconv"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/table"
	"lakeserver/timetravel"
	"lakeserver/types"
)

// procedure is one command of ALTER TABLE … EXECUTE.
type procedure struct {
	name string
	// gate is the setting that allows it besides the one for all writing.
	gate, gateText string
	// params are in the order of positional arguments; only the first
	// positional of them may be given so.
	params     []param
	positional int
	run        func(ctx context.Context, t *Table, a *arguments) ([]metric, error)
}

// param is one parameter of a procedure.
type param struct {
	name     string
	kind     paramKind
	required bool
}

// paramKind says what a parameter takes.
type paramKind uint8

const (
	textParam paramKind = iota
	numberParam
	flagParam
	numbersParam
	textsParam
	durationParam
)

// metric is one row of what a procedure answers.
type metric struct {
	name  string
	value int64
}

// procedures are all commands, each in its own file.
var procedures = []*procedure{
	expireSnapshots, removeOrphanFiles,
	createBranch, createTag, replaceBranch, replaceTag, dropBranch, dropTag,
	rollbackToSnapshot, rollbackToTimestamp, setCurrentSnapshot, cherrypickSnapshot, fastForward, publishChanges,
	computeTableStats, registerTable, addFiles, migrateFolder,
	rewriteDataFiles, rewritePositionDeleteFiles, rewriteManifests,
}

const executeGate = "Iceberg EXECUTE commands are experimental. To allow their usage, enable setting allow_insert_into_iceberg"

// Execute runs one procedure; its answer is rows of metric_name, metric_value.
func (t *Table) Execute(ctx context.Context, name string, args []table.Argument) (column.Header, column.Stream, error) {
	if err := t.gate(executeGate); err != nil {
		return nil, nil, err
	}
	p := procedureNamed(name)
	if p == nil {
		return nil, nil, cherr.New(cherr.BadArguments, "Unknown EXECUTE command '%s' for Iceberg table.", name)
	}
	if p.gate != "" && !t.settings.Bool(p.gate) {
		return nil, nil, cherr.New(cherr.SupportIsDisabled, "%s", p.gateText)
	}
	a, err := p.bind(args)
	if err != nil {
		return nil, nil, err
	}
	metrics, err := p.run(ctx, t, a)
	if err != nil {
		return nil, nil, err
	}
	header := column.Header{{Name: "metric_name", Type: types.String}, {Name: "metric_value", Type: types.Int64}}
	names, values := column.NewBuilder(types.String, len(metrics)), column.NewBuilder(types.Int64, len(metrics))
	for _, m := range metrics {
		names.AppendValue(m.name)
		values.AppendValue(m.value)
	}
	return header, column.Blocks(&column.Block{Columns: []column.Column{names.Finish(), values.Finish()}, Rows: len(metrics)}), nil
}

func procedureNamed(name string) *procedure {
	for _, p := range procedures {
		if p.name == name {
			return p
		}
	}
	return nil
}

// arguments are those of one call, by the names of the parameters.
type arguments struct {
	procedure string
	values    map[string]table.Argument
}

// bind gives positional arguments their names and checks names and types, with
// ClickHouse's words.
func (p *procedure) bind(args []table.Argument) (*arguments, error) {
	a := &arguments{procedure: p.name, values: map[string]table.Argument{}}
	named, positional := false, 0
	for _, arg := range args {
		if arg.Name == "" {
			if named {
				return nil, cherr.New(cherr.BadArguments, "Positional arguments must precede named arguments in %s().", p.name)
			}
			if positional++; positional > p.positional {
				return nil, cherr.New(cherr.BadArguments, "%s accepts at most %d positional argument(s).", p.name, p.positional)
			}
			arg.Name = p.params[positional-1].name
		} else {
			named = true
		}
		def := p.param(arg.Name)
		if def == nil {
			return nil, cherr.New(cherr.BadArguments, "Unknown parameter '%s' for %s.", arg.Name, p.name)
		}
		if _, twice := a.values[arg.Name]; twice {
			return nil, cherr.New(cherr.BadArguments, "Duplicate parameter '%s' for %s().", arg.Name, p.name)
		}
		if err := a.check(def, arg); err != nil {
			return nil, err
		}
		a.values[arg.Name] = arg
	}
	for i := range p.params {
		if _, ok := a.values[p.params[i].name]; !ok && p.params[i].required {
			return nil, cherr.New(cherr.BadArguments, "%s requires the parameter '%s'.", p.name, p.params[i].name)
		}
	}
	return a, nil
}

func (p *procedure) param(name string) *param {
	for i := range p.params {
		if p.params[i].name == name {
			return &p.params[i]
		}
	}
	return nil
}

func (a *arguments) check(p *param, arg table.Argument) error {
	expects := func(what string) error {
		return cherr.New(cherr.BadArguments, "%s expects '%s' to be %s.", a.procedure, p.name, what)
	}
	switch p.kind {
	case textParam:
		if _, ok := arg.Value.(string); !ok {
			return cherr.New(cherr.BadArguments, "Parameter '%s' for %s has wrong type (got %s, expected String)", p.name, a.procedure, literalType(arg))
		}
	case numberParam:
		if _, ok := timetravel.Integer(arg.Value); !ok {
			return expects("an integer literal")
		}
	case flagParam:
		if _, ok := timetravel.Integer(arg.Value); !ok {
			return expects("a boolean or integer literal")
		}
	case durationParam:
		s, ok := arg.Value.(string)
		if !ok {
			return expects("a duration string like '3d', '12h', '30m', '15s' or '250ms'")
		}
		_, err := parseDuration(a.procedure, p.name, s)
		return err
	case numbersParam, textsParam:
		row, ok := arg.Value.(column.Row)
		if !ok {
			return expects("an array literal")
		}
		for _, v := range row {
			_, isNumber := timetravel.Integer(v)
			if _, isText := v.(string); p.kind == numbersParam && !isNumber || p.kind == textsParam && !isText {
				return expects(map[paramKind]string{numbersParam: "an integer literal", textsParam: "an array of strings"}[p.kind])
			}
		}
	}
	return nil
}

// literalType names a literal's type as ClickHouse's parser sees it.
func literalType(arg table.Argument) string {
	switch v := arg.Value.(type) {
	case nil:
		return "Null"
	case string:
		return "String"
	case column.Row:
		return "Array"
	case float32, float64:
		return "Float64"
	default:
		if n, ok := timetravel.Integer(v); ok && n < 0 {
			return "Int64"
		}
	}
	if arg.Type != nil && arg.Type.Kind() == types.KindBool {
		return "Bool"
	}
	return "UInt64"
}

func (a *arguments) has(name string) bool {
	_, ok := a.values[name]
	return ok
}

// text gives a text, "" when it is not given.
func (a *arguments) text(name string) string {
	s, _ := a.values[name].Value.(string)
	return s
}

// number gives a number, nil when it is not given.
func (a *arguments) number(name string) *int64 {
	arg, ok := a.values[name]
	if !ok {
		return nil
	}
	n, _ := timetravel.Integer(arg.Value)
	return &n
}

func (a *arguments) flag(name string) bool {
	n := a.number(name)
	return n != nil && *n != 0
}

// numbers gives a list, nil when it is not given.
func (a *arguments) numbers(name string) []int64 {
	row, ok := a.values[name].Value.(column.Row)
	if !ok {
		return nil
	}
	out := make([]int64, len(row))
	for i, v := range row {
		out[i], _ = timetravel.Integer(v)
	}
	return out
}

// texts gives a list, nil when it is not given.
func (a *arguments) texts(name string) []string {
	row, ok := a.values[name].Value.(column.Row)
	if !ok {
		return nil
	}
	out := []string{}
	for _, v := range row {
		s, _ := v.(string)
		out = append(out, s)
	}
	return out
}

// positive gives a number that must be above 0, nil when it is not given.
func (a *arguments) positive(name string) (*int64, error) {
	n := a.number(name)
	if n != nil && *n <= 0 {
		return nil, cherr.New(cherr.BadArguments, "%s expects '%s' to be positive.", a.procedure, name)
	}
	return n, nil
}

// duration gives milliseconds, nil when it is not given.
func (a *arguments) duration(name string) (*int64, error) {
	if !a.has(name) {
		return nil, nil
	}
	ms, err := parseDuration(a.procedure, name, a.text(name))
	return &ms, err
}

var durationUnits = map[string]int64{"y": 365 * 86_400_000, "w": 7 * 86_400_000, "d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1000, "ms": 1}

// parseDuration reads numbers with units, one after the other: 1d12h30m.
func parseDuration(procedure, name, text string) (ms int64, err error) {
	if text == "" {
		return 0, cherr.New(cherr.BadArguments, "%s '%s' cannot be empty.", procedure, name)
	}
	bad := cherr.New(cherr.BadArguments, "%s: invalid duration '%s' for '%s'.", procedure, text, name)
	for rest := text; rest != ""; {
		digits := 0
		for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
			digits++
		}
		unit := digits
		for unit < len(rest) && (rest[unit] < '0' || rest[unit] > '9') {
			unit++
		}
		n, err := strconv.ParseInt(rest[:digits], 10, 64)
		size, ok := durationUnits[rest[digits:unit]]
		if err != nil || !ok || n > (math.MaxInt64-ms)/size {
			return 0, bad
		}
		ms += n * size
		rest = rest[unit:]
	}
	return ms, nil
}
