package iceberg

import "context"

var rewriteManifests = &procedure{
	name: "rewrite_manifests",
	run: func(ctx context.Context, t *Table, _ *arguments) ([]metric, error) {
		branch, err := t.branch()
		if err != nil {
			return nil, err
		}
		rewritten, added, err := t.rewriteManifests(ctx, branch, 2)
		if err != nil {
			return nil, err
		}
		return []metric{{"rewritten_manifests_count", int64(rewritten)}, {"added_manifests_count", int64(added)}}, nil
	},
}
