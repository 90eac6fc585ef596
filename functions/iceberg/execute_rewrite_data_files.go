package iceberg

import (
	"context"
	"strings"

	"lakeserver/cherr"
	"lakeserver/expr"
	"lakeserver/metadata/iceberg"
	write "lakeserver/write/iceberg"
)

var rewriteDataFiles = &procedure{
	name: "rewrite_data_files",
	params: []param{
		{name: "strategy", kind: textParam},
		{name: "sort_order", kind: textParam},
		{name: "where", kind: textParam},
		{name: "rewrite_all", kind: flagParam},
		{name: "min_input_files", kind: numberParam},
		{name: "target_file_size_bytes", kind: numberParam},
		{name: "delete_file_threshold", kind: numberParam},
		{name: "partial_progress", kind: flagParam},
		{name: "max_commits", kind: numberParam},
		{name: "remove_dangling_deletes", kind: flagParam},
	},
	run: func(ctx context.Context, t *Table, a *arguments) ([]metric, error) {
		opt, err := t.rewriteArguments(ctx, a)
		if err != nil {
			return nil, err
		}
		res, err := t.writer().RewriteDataFiles(ctx, opt)
		if err != nil {
			return nil, cherr.Wrap(err, "rewriting the data files of Iceberg table %s", t.path)
		}
		return []metric{
			{"rewritten_data_files_count", res.RewrittenFiles},
			{"added_data_files_count", res.AddedFiles},
			{"rewritten_bytes_count", res.RewrittenBytes},
			{"failed_data_files_count", res.FailedFiles},
			{"removed_delete_files_count", res.RemovedDeletes},
		}, nil
	},
}

// Defaults of the reference implementation.
const (
	defaultMinInputFiles = 5
	defaultMaxCommits    = 10
)

func (t *Table) rewriteArguments(ctx context.Context, a *arguments) (opt write.RewriteOptions, err error) {
	branch, err := t.branch()
	if err != nil {
		return opt, err
	}
	var where []expr.Expr
	if text := a.text("where"); text != "" {
		if t.bind == nil {
			return opt, cherr.New(cherr.NotImplemented, "rewrite_data_files cannot read a filter here")
		}
		if where, err = t.bind(ctx, t.columns, text); err != nil {
			return opt, err
		}
	}
	opt = t.rewriteOptions(branch, where)
	opt.All, opt.MinInputFiles, opt.Commits = a.flag("rewrite_all"), defaultMinInputFiles, 1
	commits := int64(defaultMaxCommits)
	for name, set := range map[string]func(n int64){
		"min_input_files":        func(n int64) { opt.MinInputFiles = int(n) },
		"target_file_size_bytes": func(n int64) { opt.Target = n },
		"delete_file_threshold":  func(n int64) { opt.DeleteFiles = int(n) },
		"max_commits":            func(n int64) { commits = n },
	} {
		n, err := a.positive(name)
		if err != nil {
			return opt, err
		}
		if n != nil {
			set(*n)
		}
	}
	if a.flag("partial_progress") {
		opt.Commits = int(commits)
	}
	return opt, t.rewriteStrategy(a, &opt)
}

// rewriteStrategy reads strategy and sort_order: binpack, or sort by the given
// order, zorder(a, b), or the table's own.
func (t *Table) rewriteStrategy(a *arguments, opt *write.RewriteOptions) error {
	order := strings.TrimSpace(a.text("sort_order"))
	switch strategy := strings.ToLower(a.text("strategy")); strategy {
	case "", "binpack":
		if order != "" && strategy != "" {
			return cherr.New(cherr.BadArguments, "rewrite_data_files: 'sort_order' needs strategy 'sort', not '%s'.", strategy)
		}
	case "sort", "zorder":
		if order == "" && t.src.Meta.DefaultSortOrderID == 0 {
			return cherr.New(cherr.BadArguments, "rewrite_data_files: strategy '%s' needs 'sort_order', the table has none.", strategy)
		}
	default:
		return cherr.New(cherr.BadArguments, "rewrite_data_files: unknown strategy '%s', 'binpack' and 'sort' are known.", strategy)
	}
	if order == "" {
		return nil
	}
	if inner, ok := strings.CutPrefix(strings.ToLower(order), "zorder("); ok {
		inner = order[len("zorder(") : len("zorder(")+len(inner)]
		for _, c := range strings.Split(strings.TrimSuffix(strings.TrimSpace(inner), ")"), ",") {
			opt.ZOrder = append(opt.ZOrder, strings.Trim(strings.TrimSpace(c), "`"))
		}
		return nil
	}
	for _, term := range strings.Split(order, ",") {
		f, err := sortTerm(term)
		if err != nil {
			return err
		}
		opt.Sort = append(opt.Sort, f)
	}
	return nil
}

// sortTerm reads `column [ASC|DESC] [NULLS FIRST|LAST]`.
func sortTerm(text string) (iceberg.NewSortField, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return iceberg.NewSortField{}, cherr.New(cherr.BadArguments, "rewrite_data_files: 'sort_order' has an empty term.")
	}
	f := iceberg.NewSortField{Source: strings.Trim(words[0], "`"), Transform: "identity", Direction: iceberg.Ascending, NullOrder: iceberg.NullsFirst}
	rest := strings.ToUpper(strings.Join(words[1:], " "))
	if tail, ok := strings.CutPrefix(rest, "DESC"); ok {
		f.Direction, f.NullOrder, rest = iceberg.Descending, iceberg.NullsLast, strings.TrimSpace(tail)
	} else {
		rest = strings.TrimSpace(strings.TrimPrefix(rest, "ASC"))
	}
	switch rest {
	case "":
	case "NULLS FIRST":
		f.NullOrder = iceberg.NullsFirst
	case "NULLS LAST":
		f.NullOrder = iceberg.NullsLast
	default:
		return f, cherr.New(cherr.BadArguments, "rewrite_data_files: '%s' is no term of a sort order.", strings.TrimSpace(text))
	}
	return f, nil
}
