package paimon

import (
	"context"

	"lakeserver/column"
	"lakeserver/metadata/paimon"
)

// Spec names partitions by the text of some or all of their columns, as folder
// names hold it.
type Spec map[string]string

// Overwrite puts the messages' files in the place of those that are live: of
// the partitions that the files are in (dynamic-partition-overwrite, the
// default of partitioned tables), else of the partitions of spec, else of the
// whole table.
func (c *Committer) Overwrite(ctx context.Context, spec Spec, messages []any, o *CommitOptions) error {
	_, err := c.measured(func(m *measure) (int64, error) { return c.overwrite(ctx, spec, messages, o, m) })
	return err
}

// FilterAndOverwrite overwrites unless this user has committed the identifier
// already, and gives how often it did: once or not at all.
func (c *Committer) FilterAndOverwrite(ctx context.Context, spec Spec, x Committable) (int, error) {
	pending, err := c.filter(ctx, []Committable{x})
	if err != nil {
		return 0, err
	}
	if len(pending) == 0 {
		_, err := c.measured(func(m *measure) (int64, error) {
			m.attempts = 1
			return 0, nil
		})
		return 0, err
	}
	missing, err := c.missing(ctx, x.Messages)
	if err != nil {
		return 0, err
	}
	if len(missing) > 0 {
		return 0, gone(missing)
	}
	err = c.Overwrite(ctx, spec, x.Messages, &CommitOptions{Identifier: &x.Identifier, Watermark: x.Watermark, Properties: x.Properties})
	if err != nil {
		return 0, err
	}
	return 1, nil
}

func (c *Committer) overwrite(ctx context.Context, spec Spec, messages []any, o *CommitOptions, m *measure) (last int64, err error) {
	if c.ctx.FormatTable {
		return 0, c.overwriteFiles(ctx, spec, messages)
	}
	if o == nil {
		o = &CommitOptions{}
	}
	data, compact, err := c.collect(messages)
	if err != nil {
		return 0, err
	}
	if len(data.changelog)+len(compact.changelog) > 0 {
		c.warn("overwriting Paimon table " + c.ctx.Root + ": changelog files are ignored, an overwrite makes none")
		data.changelog, compact.changelog = nil, nil
	}
	m.data, m.compact = data, compact
	match, skip, err := c.target(spec, &data)
	if err != nil {
		return 0, err
	}
	if !skip {
		if compact.empty() {
			if data.table, err = c.upgrade(data.table); err != nil {
				return 0, err
			}
		}
		whole := len(c.schema.PartitionKeys) == 0 || match == nil
		p := &plan{
			kind: paimon.CommitOverwrite, identifier: o.identifier(), watermark: o.Watermark, properties: o.Properties, operation: o.Operation,
			check: true, changes: c.replacing(match, data), offsets: removeOffsets{match, whole},
		}
		if last, err = c.try(ctx, p, m); err != nil {
			return 0, err
		}
	}
	if !compact.empty() {
		p := &plan{kind: paimon.CommitCompact, identifier: o.identifier(), watermark: o.Watermark, properties: o.Properties, check: true, changes: fixed(compact), operation: o.Operation}
		last, err = c.try(ctx, p, m)
	}
	return last, err
}

// matcher tells whether a partition is meant; nil: all are.
type matcher func(partition []byte) bool

// target finds the partitions to replace; skip says that there are none.
func (c *Committer) target(spec Spec, data *changes) (match matcher, skip bool, err error) {
	partitioned := len(c.schema.PartitionKeys) > 0
	if partitioned && c.options.flag("dynamic-partition-overwrite", true) {
		set := map[string]bool{}
		for i := range data.table {
			set[string(data.table[i].Partition)] = true
		}
		return func(p []byte) bool { return set[string(p)] }, len(set) == 0, nil
	}
	if !partitioned || len(spec) == 0 {
		return nil, false, nil
	}
	if match, err = c.matching([]Spec{spec}); err != nil {
		return nil, false, err
	}
	for i := range data.table {
		if !match(data.table[i].Partition) {
			return nil, false, invalid("Trying to overwrite partition %v, but the changes in %s does not belong to this partition", spec, c.partitionText(data.table[i].Partition))
		}
	}
	return match, false, nil
}

// matching makes a matcher of partial specs.
func (c *Committer) matching(specs []Spec) (matcher, error) {
	names := c.schema.PartitionNames()
	ts := paimon.TypesOf(names.Fields)
	known := map[string]bool{}
	for _, f := range names.Fields {
		known[f.Name] = true
	}
	for _, s := range specs {
		for k := range s {
			if !known[k] {
				return nil, invalid("`%s` is not a partition column of Paimon table %s", k, c.ctx.Root)
			}
		}
	}
	return func(raw []byte) bool {
		row, err := paimon.DecodeRow(raw, ts)
		return err == nil && anySpec(specs, names, row)
	}, nil
}

func anySpec(specs []Spec, names paimon.PartitionNames, row column.Row) bool {
	for _, s := range specs {
		all := true
		for i, f := range names.Fields {
			want, asked := s[f.Name]
			all = all && (!asked || names.Text(i, row[i]) == want)
		}
		if all {
			return true
		}
	}
	return false
}

// replacing deletes what is live in the partitions at each attempt, and adds
// the new files.
func (c *Committer) replacing(match matcher, data changes) func(context.Context, *paimon.Snapshot) (changes, error) {
	return func(ctx context.Context, latest *paimon.Snapshot) (out changes, err error) {
		l, err := c.readLists(ctx, latest)
		if err != nil {
			return out, err
		}
		live, err := c.live(ctx, l, nil)
		if err != nil {
			return out, err
		}
		for i := range live {
			if match == nil || match(live[i].Partition) {
				e := live[i]
				e.Kind = paimon.Delete
				out.table = append(out.table, e)
			}
		}
		out.table = append(out.table, data.table...)
		if latest != nil {
			index, err := c.readIndex(ctx, latest.IndexManifest)
			if err != nil {
				return out, err
			}
			for _, x := range index {
				if match == nil || match(x.Partition) {
					x.Kind = paimon.Delete
					out.index = append(out.index, x)
				}
			}
		}
		out.index = append(out.index, data.index...)
		return out, c.twice(live, data.table)
	}
}

// twice refuses new files that are live already: they would be deleted and
// added in one snapshot.
func (c *Committer) twice(live, now []paimon.Entry) error {
	have := map[string]bool{}
	for i := range live {
		have[live[i].Identity()] = true
	}
	for i := range now {
		if now[i].Kind == paimon.Add && have[now[i].Identity()] {
			return conflict("Trying to add file %s which is already added", now[i].File.Name)
		}
	}
	return nil
}

// upgrade lists level-0 files of a primary-key table at the highest level, where
// a bucket's files do not overlap: then they need no compaction.
func (c *Committer) upgrade(entries []paimon.Entry) ([]paimon.Entry, error) {
	if !c.schema.HasPrimaryKey() || !c.options.flag("overwrite-upgrade", true) {
		return entries, nil
	}
	ts := paimon.TypesOf(c.schema.TrimmedKeys())
	ranges, keep := map[bucketKey][]keyRange{}, map[bucketKey]bool{}
	for i := range entries {
		e := &entries[i]
		k := bucketKey{string(e.Partition), e.Bucket}
		if e.Kind != paimon.Add || e.File.Level != 0 || e.Bucket < 0 {
			keep[k] = true
			continue
		}
		r, err := rangeOf(e, ts)
		if err != nil {
			return nil, err
		}
		ranges[k] = append(ranges[k], r)
	}
	for k, files := range ranges {
		if _, _, ok := overlapping(files); ok {
			keep[k] = true
		}
	}
	levels := c.options.number("num-levels", c.options.number("num-sorted-run.compaction-trigger", 5)+1)
	out := append([]paimon.Entry(nil), entries...)
	for i := range out {
		if e := &out[i]; e.Kind == paimon.Add && !keep[bucketKey{string(e.Partition), e.Bucket}] {
			e.File.Level = int(levels) - 1
		}
	}
	return out, nil
}

// DropPartition deletes all rows of the partitions that match any of the specs.
func (c *Committer) DropPartition(ctx context.Context, specs []Spec, o *CommitOptions) error {
	if len(specs) == 0 {
		return invalid("partitions list cannot be empty")
	}
	match, err := c.matching(specs)
	if err != nil {
		return err
	}
	return c.clear(ctx, match, o, "")
}

// TruncateTable deletes all rows; it makes a snapshot also of an empty table.
func (c *Committer) TruncateTable(ctx context.Context, o *CommitOptions) error {
	return c.clear(ctx, nil, o, "TRUNCATE")
}

func (c *Committer) clear(ctx context.Context, match matcher, o *CommitOptions, operation string) error {
	if o == nil {
		o = &CommitOptions{}
	}
	_, err := c.measured(func(m *measure) (int64, error) {
		remove := c.replacing(match, changes{})
		p := &plan{
			kind: paimon.CommitOverwrite, identifier: o.identifier(), watermark: o.Watermark, properties: o.Properties, check: true, operation: operation,
			offsets: removeOffsets{match, match == nil},
			changes: func(ctx context.Context, latest *paimon.Snapshot) (changes, error) {
				ch, err := remove(ctx, latest)
				m.data = ch
				return ch, err
			},
		}
		return c.try(ctx, p, m)
	})
	return err
}
