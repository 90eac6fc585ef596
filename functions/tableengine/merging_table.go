package tableengine

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/table"
)

// mergingTable is a version of a table whose rows merge by key.
type mergingTable struct {
	*memoryTable
	merging *merging
}

// Final implements table.Merging.
func (t *mergingTable) Final(ctx context.Context) (table.Table, error) {
	blocks, err := t.merging.final(ctx, t.blocks, true)
	if err != nil {
		return nil, err
	}
	return &memoryTable{store: t.store, columns: t.columns, blocks: blocks, altered: -1}, nil
}

// Append implements table.Appender: equal keys of one insert merge at once.
func (t *mergingTable) Append(ctx context.Context, names []string) (table.Sink, error) {
	s, err := t.memoryTable.Append(ctx, names)
	if err != nil || !t.merging.env.Settings.Bool("optimize_on_insert") {
		return s, err
	}
	ms, ok := s.(*memorySink)
	if !ok {
		cherr.Bug("a table in memory appends by %T", s)
	}
	return &mergingSink{ms, t.merging}, nil
}

type mergingSink struct {
	*memorySink
	merging *merging
}

// Commit implements table.Sink.
func (s *mergingSink) Commit(ctx context.Context) error {
	blocks, err := s.merging.final(ctx, s.blocks, false)
	if err != nil {
		return err
	}
	s.blocks = blocks
	return s.memorySink.Commit(ctx)
}

// Optimize implements table.Optimizer.
func (t *mergingTable) Optimize(ctx context.Context, req *table.OptimizeRequest) error {
	if req.Where != nil || req.DryRun {
		return cherr.New(cherr.NotImplemented, "OPTIMIZE of a table in memory takes neither WHERE nor DRY RUN")
	}
	blocks, err := t.merging.final(ctx, t.blocks, req.Cleanup)
	if err != nil {
		return err
	}
	return t.store.replace(t.memoryTable, blocks, nil)
}

var _ interface {
	table.Merging
	table.Optimizer
	table.Appender
} = (*mergingTable)(nil)
