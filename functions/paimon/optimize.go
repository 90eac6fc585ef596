package paimon

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata/paimon"
	"lakeserver/table"
	write "lakeserver/write/paimon"
)

// Optimize compacts: small files of append tables become larger ones, without
// the rows that deletion vectors take away; the runs of a primary-key bucket
// become one. FINAL does so whenever something can be gained, else only where
// it is worth it (paimon.md §3.13).
func (t *Table) Optimize(ctx context.Context, req *table.OptimizeRequest) error {
	if err := t.gate(); err != nil {
		return err
	}
	if len(req.Where) > 0 || req.Manifest || req.Deduplicate {
		return cherr.New(cherr.NotImplemented, "OPTIMIZE of Paimon tables takes only PARTITION and FINAL")
	}
	o := write.CompactOptions{Full: req.Final || req.Force}
	if req.Partition != nil && !req.Partition.All {
		values, err := t.partitionValues(*req.Partition)
		if err != nil {
			return err
		}
		o.Partition = t.matching(values)
	}
	_, err := t.compact(ctx, o)
	return err
}

func (t *Table) compact(ctx context.Context, o write.CompactOptions) (int64, error) {
	c, err := t.committer(ctx, nil)
	if err != nil {
		return 0, err
	}
	n, err := c.Compact(ctx, o)
	return n, cherr.Wrap(err, "compacting Paimon table %s", t.path)
}

// matching tells partitions that have the values.
func (t *Table) matching(values map[string]column.Value) func(column.Row) bool {
	fields := t.src.Schema.PartitionFields()
	return func(row column.Row) bool {
		for i, f := range fields {
			if v, ok := values[f.Name]; ok && paimon.CompareValues(v, row[i]) != 0 {
				return false
			}
		}
		return true
	}
}
