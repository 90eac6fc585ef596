package plan

import (
	"context"

	"lakeserver/memory"
	"lakeserver/settings"
)

// Options is what rules may know of the query.
type Options struct {
	Settings *settings.Settings
	Memory   *memory.Tracker
	// Guard sees the plan before the rules: it refuses what the user may not
	// read and hides what he may not see. nil: all is allowed.
	Guard func(ctx context.Context, n Node) (Node, error)
	// Disabled names rules that must not run; tests use it.
	Disabled map[string]bool
}

// Rule rewrites a plan into an equivalent one; it gives the same node when it
// finds nothing to do.
type Rule struct {
	Name  string
	Apply func(ctx context.Context, n Node, opt *Options) (Node, error)
}

// rules in their order, which is meaning: filters sink before columns are
// pruned, because a filter that sank needs fewer columns above; limits go last,
// when nothing stands between them and the scans any more.
var rules = []Rule{
	{"MergeProjects", pure(mergeProjects)},
	{"FactorOr", pure(factorOr)},
	{"PushFilters", pure(pushFilters)},
	{"OrderFilters", pure(orderFilters)},
	{"ExistsJoins", pure(existsJoins)},
	{"RemoveRedundant", pure(removeRedundant)},
	{"OrderJoins", orderJoins},
	{"DropKeys", pure(dropKeys)},
	{"PruneColumns", pure(pruneColumns)},
	{"MergeProjects", pure(mergeProjects)},
	{"AnswerFromMetadata", answerFromMetadata},
	{"PushLimits", pure(pushLimits)},
	{"TopN", pure(topN)},
	{"SwapJoin", swapJoins},
	{"ShareExpressions", pure(shareExpressions)},
}

// Rules gives the rules in their order.
func Rules() []Rule { return rules }

func pure(f func(Node) Node) func(context.Context, Node, *Options) (Node, error) {
	return func(_ context.Context, n Node, _ *Options) (Node, error) { return f(n), nil }
}

// Optimize rewrites a plan by all rules. The header stays as it is.
func Optimize(ctx context.Context, n Node, opt *Options) (Node, error) {
	if opt == nil {
		opt = &Options{}
	}
	if opt.Guard != nil {
		var err error
		if n, err = opt.Guard(ctx, n); err != nil {
			return nil, err
		}
	}
	for _, r := range rules {
		if opt.Disabled[r.Name] {
			continue
		}
		var err error
		if n, err = r.Apply(ctx, n, opt); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// rewrite rebuilds a plan from its leaves up.
func rewrite(n Node, f func(Node) Node) Node {
	in := n.Inputs()
	var changed []Node
	for i, c := range in {
		if r := rewrite(c, f); r != c {
			if changed == nil {
				changed = append([]Node(nil), in...)
			}
			changed[i] = r
		}
	}
	if changed != nil {
		n = n.WithInputs(changed)
	}
	return f(n)
}
