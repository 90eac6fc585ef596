package paimon

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"time"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata/paimon"
	"lakeserver/objstore"
)

// ExpirePartitions drops the partitions whose time is further back than the
// option partition.expiration-time, and gives their number. The time is what
// the values say (partition.expiration-strategy values-time) or when a file was
// last added (update-time).
func (c *Committer) ExpirePartitions(ctx context.Context) (int, error) {
	if len(c.schema.PartitionKeys) == 0 {
		return 0, invalid("Paimon table %s is not partitioned: it has no partitions to expire", c.ctx.Root)
	}
	age := c.options.duration("partition.expiration-time", 0)
	if age <= 0 {
		return 0, invalid("how long partitions of Paimon table %s are kept is not known: neither expiration_time nor the option partition.expiration-time is set", c.ctx.Root)
	}
	timeOf, err := c.partitionTime()
	if err != nil {
		return 0, err
	}
	parts, err := c.partitions(ctx)
	if err != nil {
		return 0, err
	}
	before := c.now().Add(-age)
	names := c.schema.PartitionNames()
	var specs []Spec
	for _, p := range parts {
		at, ok := timeOf(p)
		if !ok || !at.Before(before) || len(specs) == int(c.options.number("partition.expiration-max-num", 100)) {
			continue
		}
		s := Spec{}
		for i, f := range names.Fields {
			s[f.Name] = names.Text(i, p.row[i])
		}
		specs = append(specs, s)
	}
	if len(specs) == 0 {
		return 0, nil
	}
	return len(specs), c.DropPartition(ctx, specs, nil)
}

// livePartition is a partition that has files.
type livePartition struct {
	row     column.Row
	updated int64 // the writer's clock as if it were UTC, milliseconds
}

func (c *Committer) partitions(ctx context.Context) ([]livePartition, error) {
	latest, err := c.publish.latest(ctx)
	if err != nil || latest == nil {
		return nil, err
	}
	live, err := c.liveOf(ctx, latest)
	if err != nil {
		return nil, err
	}
	ts := paimon.TypesOf(c.schema.PartitionFields())
	at := map[string]int{}
	var out []livePartition
	for i := range live {
		e := &live[i]
		n, ok := at[string(e.Partition)]
		if !ok {
			row, err := paimon.DecodeRow(e.Partition, ts)
			if err != nil {
				return nil, err
			}
			n = len(out)
			at[string(e.Partition)] = n
			out = append(out, livePartition{row: row})
		}
		if e.File.CreationTime != nil {
			out[n].updated = max(out[n].updated, *e.File.CreationTime)
		}
	}
	return out, nil
}

// partitionTime gives how the time of a partition is found; one that has none
// never expires.
func (c *Committer) partitionTime() (func(livePartition) (time.Time, bool), error) {
	switch s := c.options.text("partition.expiration-strategy", "values-time"); s {
	case "update-time":
		return func(p livePartition) (time.Time, bool) { return time.UnixMilli(p.updated), p.updated > 0 }, nil
	case "values-time":
	default:
		return nil, cherr.New(cherr.NotImplemented, "partition.expiration-strategy '%s' is not supported; values-time and update-time are", s)
	}
	layouts := []string{"2006-01-02 15:04:05", "2006-01-02"}
	if f := c.options["partition.timestamp-formatter"]; f != "" {
		layouts = []string{goLayout(f)}
	}
	fields := c.schema.PartitionFields()
	pattern := c.options.text("partition.timestamp-pattern", "$"+fields[0].Name)
	return func(p livePartition) (time.Time, bool) {
		text := pattern
		for i, f := range fields {
			if p.row[i] == nil {
				if strings.Contains(text, "$"+f.Name) {
					return time.Time{}, false
				}
				continue
			}
			text = strings.ReplaceAll(text, "$"+f.Name, paimon.ValueText(f.Type, p.row[i]))
		}
		for _, l := range layouts {
			if t, err := time.ParseInLocation(l, text, time.Local); err == nil {
				return t, true
			}
		}
		return time.Time{}, false
	}, nil
}

// goLayout turns a pattern such as yyyy-MM-dd into a layout.
func goLayout(pattern string) string {
	return strings.NewReplacer("yyyy", "2006", "MM", "01", "dd", "02", "HH", "15", "mm", "04", "ss", "05", "'", "").Replace(pattern)
}

// MarkPartitionsDone puts a file _SUCCESS into the folders of the partitions
// that match, and gives their number.
func (c *Committer) MarkPartitionsDone(ctx context.Context, specs []Spec) (int, error) {
	if a := c.options.text("partition.mark-done-action", "success-file"); a != "success-file" {
		return 0, cherr.New(cherr.NotImplemented, "partition.mark-done-action '%s' is not supported; success-file is", a)
	}
	if _, err := c.matching(specs); err != nil {
		return 0, err
	}
	parts, err := c.partitions(ctx)
	if err != nil {
		return 0, err
	}
	names := c.schema.PartitionNames()
	n := 0
	for _, p := range parts {
		if !anySpec(specs, names, p.row) {
			continue
		}
		now := strconv.FormatInt(c.now().UnixMilli(), 10)
		body := []byte("{\n  \"creationTime\" : " + now + ",\n  \"modificationTime\" : " + now + "\n}")
		root := c.ctx.Root
		if sub := c.options["data-file.path-directory"]; sub != "" {
			root += sub + "/"
		}
		if _, err := c.dir.Store.Put(ctx, root+names.Path(p.row)+"_SUCCESS", bytes.NewReader(body), objstore.PutOptions{}); err != nil {
			return n, err
		}
		n++
	}
	if n == 0 {
		return 0, invalid("Paimon table %s has no partition %v", c.ctx.Root, specs)
	}
	return n, nil
}

// ParseSpecs reads partitions such as "dt=2024-01-01,h=3;dt=2024-01-02".
func ParseSpecs(text string) ([]Spec, error) {
	var out []Spec
	for _, part := range strings.Split(text, ";") {
		s := Spec{}
		for _, pair := range strings.FieldsFunc(part, func(r rune) bool { return r == ',' || r == '/' }) {
			k, v, ok := strings.Cut(pair, "=")
			if !ok {
				return nil, invalid("'%s' is no partition: name=value is", strings.TrimSpace(pair))
			}
			s[strings.TrimSpace(k)] = strings.Trim(strings.TrimSpace(v), `'"`)
		}
		if len(s) == 0 {
			return nil, invalid("'%s' names no partition", text)
		}
		out = append(out, s)
	}
	return out, nil
}

// Matching tells the partitions of specs by their values.
func (c *Committer) Matching(specs []Spec) (func(column.Row) bool, error) {
	if _, err := c.matching(specs); err != nil {
		return nil, err
	}
	names := c.schema.PartitionNames()
	return func(row column.Row) bool { return anySpec(specs, names, row) }, nil
}
