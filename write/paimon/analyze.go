package paimon

import (
	"context"

	"lakeserver/metadata/paimon"
)

// Analyze publishes a statistics file, which is in the folder statistics
// already, in a snapshot without changes.
func (c *Committer) Analyze(ctx context.Context, statistics string, o *CommitOptions) error {
	_, err := c.measured(func(m *measure) (int64, error) {
		p := &plan{kind: paimon.CommitAnalyze, identifier: o.identifier(), statistics: statistics, changes: fixed(changes{})}
		return c.try(ctx, p, m)
	})
	return err
}
