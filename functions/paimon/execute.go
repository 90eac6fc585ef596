package paimon

import (
	"context"
	"strconv"
	"strings"
	"time"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/table"
	"lakeserver/timetravel"
	"lakeserver/types"
	write "lakeserver/write/paimon"
)

// procedure is one command of ALTER TABLE … EXECUTE. Its parameters are in the
// order of positional arguments; those with a * are required.
type procedure struct {
	params []string
	run    func(ctx context.Context, t *Table, c *write.Committer, a arguments) (int64, error)
}

var procedures = map[string]procedure{
	"create_tag": {[]string{"*tag", "snapshot", "time_retained"}, func(ctx context.Context, _ *Table, c *write.Committer, a arguments) (int64, error) {
		id, err := a.number("snapshot")
		if err != nil {
			return 0, err
		}
		keep, err := a.duration("time_retained")
		if err != nil {
			return 0, err
		}
		return 1, c.CreateTag(ctx, a.text("tag"), id, keep)
	}},
	"delete_tag": {[]string{"*tag"}, func(ctx context.Context, _ *Table, c *write.Committer, a arguments) (int64, error) {
		return 1, c.DeleteTag(ctx, a.text("tag"))
	}},
	"create_branch": {[]string{"*branch", "tag"}, func(ctx context.Context, _ *Table, c *write.Committer, a arguments) (int64, error) {
		return 1, c.CreateBranch(ctx, a.text("branch"), a.text("tag"))
	}},
	"delete_branch": {[]string{"*branch"}, func(ctx context.Context, _ *Table, c *write.Committer, a arguments) (int64, error) {
		return 1, c.DeleteBranch(ctx, a.text("branch"))
	}},
	"fast_forward": {[]string{"*branch"}, func(ctx context.Context, _ *Table, c *write.Committer, a arguments) (int64, error) {
		return 1, c.FastForward(ctx, a.text("branch"))
	}},
	"rollback_to": {[]string{"snapshot", "tag"}, func(ctx context.Context, _ *Table, c *write.Committer, a arguments) (int64, error) {
		id, err := a.number("snapshot")
		if err != nil {
			return 0, err
		}
		return 1, c.RollbackTo(ctx, id, a.text("tag"))
	}},
	"rollback_to_as_latest": {[]string{"*snapshot"}, func(ctx context.Context, t *Table, c *write.Committer, a arguments) (int64, error) {
		id, err := a.number("snapshot")
		if err != nil {
			return 0, err
		}
		for range 10 {
			if done, err := c.RollbackToAsLatest(ctx, id); done || err != nil {
				return 1, err
			}
		}
		return 0, cherr.New(cherr.NotImplemented, "Paimon table %s is committed to by others all the time: it was not rolled back", t.path)
	}},
	"expire_snapshots": {[]string{"retain_max", "retain_min", "older_than", "max_deletes"}, expireSnapshots},
	"reset_consumer": {[]string{"*id", "next_snapshot"}, func(ctx context.Context, _ *Table, c *write.Committer, a arguments) (int64, error) {
		if !a.has("next_snapshot") {
			return 1, c.ResetConsumer(ctx, a.text("id"), nil)
		}
		n, err := a.number("next_snapshot")
		if err != nil {
			return 0, err
		}
		return 1, c.ResetConsumer(ctx, a.text("id"), &n)
	}},
}

// expireSnapshots keeps at most retain_max snapshots whatever their age, and
// between retain_min and that what is younger than older_than.
func expireSnapshots(ctx context.Context, t *Table, _ *write.Committer, a arguments) (int64, error) {
	options := map[string]string{}
	for param, option := range map[string]string{"retain_max": "snapshot.num-retained.max", "retain_min": "snapshot.num-retained.min", "max_deletes": "snapshot.expire.limit"} {
		if !a.has(param) {
			continue
		}
		n, err := a.number(param)
		if err != nil {
			return 0, err
		}
		options[option] = strconv.FormatInt(n, 10)
	}
	if a.has("retain_max") && !a.has("retain_min") { // the default of ten may be above it
		options["snapshot.num-retained.min"] = "1"
	}
	if a.has("older_than") {
		at, ok := timetravel.Milliseconds(a["older_than"].Type, a["older_than"].Value, t.zone)
		if !ok {
			return 0, cherr.New(cherr.BadArguments, "Argument older_than wants a date and time, not %s", a["older_than"].Text)
		}
		age := max(0, time.Since(time.UnixMilli(at)))
		options["snapshot.time-retained"] = strconv.FormatInt(age.Milliseconds(), 10) + " ms"
	}
	c, err := t.committer(ctx, options)
	if err != nil {
		return 0, err
	}
	n, err := c.Expire(ctx)
	return int64(n), err
}

// Execute runs one procedure; its answer is one row of metric_name, metric_value.
func (t *Table) Execute(ctx context.Context, name string, args []table.Argument) (column.Header, column.Stream, error) {
	if err := t.gate(); err != nil {
		return nil, nil, err
	}
	p, ok := procedures[name]
	if !ok {
		p, ok = maintenance[name]
	}
	if !ok {
		return nil, nil, cherr.New(cherr.BadArguments, "Unknown EXECUTE command '%s' for Paimon table.", name)
	}
	a, err := p.bind(name, args)
	if err != nil {
		return nil, nil, err
	}
	c, err := t.committer(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	n, err := p.run(ctx, t, c, a)
	if err != nil {
		return nil, nil, cherr.Wrap(err, "executing %s of Paimon table %s", name, t.path)
	}
	header := column.Header{{Name: "metric_name", Type: types.String}, {Name: "metric_value", Type: types.Int64}}
	names := column.NewBuilder(types.String, 1)
	names.AppendValue(name)
	return header, column.Blocks(&column.Block{Columns: []column.Column{names.Finish(), column.NewFixed([]int64{n})}, Rows: 1}), nil
}

// arguments are those of one call, by the names of the parameters.
type arguments map[string]table.Argument

func (p *procedure) bind(name string, args []table.Argument) (arguments, error) {
	a := arguments{}
	required := map[string]bool{}
	var names []string
	for _, param := range p.params {
		if param[0] == '*' {
			param = param[1:]
			required[param] = true
		}
		names = append(names, param)
	}
	named := false
	for i, arg := range args {
		switch {
		case arg.Name != "":
			named = true
		case named:
			return nil, cherr.New(cherr.BadArguments, "Positional arguments must precede named arguments in %s().", name)
		case i >= len(names):
			return nil, cherr.New(cherr.BadArguments, "%s accepts at most %d positional argument(s).", name, len(names))
		default:
			arg.Name = names[i]
		}
		known := false
		for _, n := range names {
			known = known || n == arg.Name
		}
		if _, twice := a[arg.Name]; twice || !known {
			return nil, cherr.New(cherr.BadArguments, "Unknown or duplicate parameter '%s' for %s().", arg.Name, name)
		}
		if arg.Value == nil {
			return nil, cherr.New(cherr.BadArguments, "Parameter '%s' of %s() cannot be NULL.", arg.Name, name)
		}
		a[arg.Name] = arg
	}
	for n := range required {
		if _, ok := a[n]; !ok {
			return nil, cherr.New(cherr.BadArguments, "%s requires the parameter '%s'.", name, n)
		}
	}
	return a, a.check()
}

// texts are the parameters that take text; the others take numbers or times.
var texts = map[string]bool{
	"tag": true, "branch": true, "id": true, "time_retained": true, "compact_strategy": true, "order_strategy": true, "order_by": true, "partitions": true, "where": true,
	"expiration_time": true, "timestamp_formatter": true, "timestamp_pattern": true, "expire_strategy": true,
}

func (a arguments) check() error {
	for name, arg := range a {
		_, text := arg.Value.(string)
		if texts[name] != text && name != "older_than" && name != "dry_run" {
			return cherr.New(cherr.BadArguments, "Parameter '%s' has the wrong type %s.", name, arg.Type)
		}
	}
	return nil
}

func (a arguments) has(name string) bool {
	_, ok := a[name]
	return ok
}

func (a arguments) text(name string) string {
	s, _ := a[name].Value.(string)
	return s
}

func (a arguments) number(name string) (int64, error) {
	if !a.has(name) {
		return 0, nil
	}
	n, ok := timetravel.Integer(a[name].Value)
	if !ok || n < 0 {
		return 0, cherr.New(cherr.BadArguments, "Parameter '%s' wants a number, not %s", name, a[name].Text)
	}
	return n, nil
}

func (a arguments) flag(name string) (bool, error) {
	if !a.has(name) {
		return false, nil
	}
	switch v := a[name].Value.(type) {
	case uint8:
		return v != 0, nil
	case bool:
		return v, nil
	case string:
		if b, err := strconv.ParseBool(strings.ToLower(v)); err == nil {
			return b, nil
		}
	}
	return false, cherr.New(cherr.BadArguments, "Parameter '%s' wants true or false, not %s", name, a[name].Text)
}

func (a arguments) duration(name string) (time.Duration, error) {
	if !a.has(name) {
		return 0, nil
	}
	d, ok := write.ParseDuration(a.text(name))
	if !ok {
		return 0, cherr.New(cherr.BadArguments, "Parameter '%s' wants a duration such as '1 d', not %s", name, a[name].Text)
	}
	return d, nil
}
