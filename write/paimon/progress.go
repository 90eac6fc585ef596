package paimon

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	"lakeserver/cherr"
	"lakeserver/metadata/paimon"
)

// offsetsProperty is the snapshot property that names the file of progress.
const offsetsProperty = "realtime.offsets"

// Progress is one message with the offsets of the source that its rows came
// from.
type Progress struct {
	Message    *Message
	Partition  map[string]string
	Bucket     int
	Begin, End int64 // the end is excluded
}

// place is a bucket of a partition named by texts, in a form that sorts.
type place struct {
	partition string
	bucket    int
}

func placeOf(partition map[string]string, bucket int) place {
	keys := make([]string, 0, len(partition))
	for k := range partition {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	var b strings.Builder
	for _, k := range keys {
		fmt.Fprintf(&b, "%q=%q,", k, partition[k])
	}
	return place{b.String(), bucket}
}

func (p place) before(o place) bool {
	return p.partition < o.partition || p.partition == o.partition && p.bucket < o.bucket
}

// span is the offsets of one bucket, from the first begin to the last end.
type span struct {
	place      place
	partition  map[string]string
	begin, end int64
}

// offset is one line of an offsets file.
type offset struct {
	Partition map[string]string `json:"partition"`
	Bucket    int               `json:"bucket"`
	Offset    int64             `json:"offset"` // committed up to here, excluded
}

type offsetsFile struct {
	Version int      `json:"version"`
	Offsets []offset `json:"offsets"`
}

// CommitWithProgress commits messages together with how far their source is
// read: rows and offsets appear in one snapshot. It is safe to repeat with the
// same identifier; it gives the id of the last snapshot that has the rows.
// After an error the caller must read the offsets of the latest snapshot and
// send everything from there again, also what it takes for skipped: a gap in
// the offsets is accepted.
func (c *Committer) CommitWithProgress(ctx context.Context, list []Progress, o *CommitOptions) (int64, error) {
	if c.ctx.FormatTable || !c.options.flag("realtime.enabled", false) {
		return 0, invalid("CommitWithProgress requires realtime.enabled to be true")
	}
	spans, err := c.spans(list)
	if err != nil {
		return 0, err
	}
	if o == nil {
		o = &CommitOptions{}
	}
	p := &progress{c: c, spans: spans, identifier: o.identifier()}
	latest, err := c.publish.latest(ctx)
	if err != nil {
		return 0, err
	}
	_, done, err := p.resolve(ctx, latest)
	if err != nil {
		return 0, err
	}
	if done {
		return latest.ID, nil
	}
	messages := make([]any, len(list))
	for i := range list {
		messages[i] = list[i].Message
	}
	missing, err := c.missing(ctx, messages)
	if err != nil {
		return 0, err
	}
	if len(missing) > 0 {
		return 0, gone(missing)
	}
	return c.measured(func(m *measure) (int64, error) { return c.commit(ctx, messages, o, m, c.ctx.AppendCheckConflict, p) })
}

// spans joins the ranges of each bucket, in order of partition and bucket.
func (c *Committer) spans(list []Progress) ([]span, error) {
	if len(list) == 0 {
		return nil, invalid("there is nothing to commit: the list of progress is empty")
	}
	parts := make([]span, len(list))
	for i, p := range list {
		switch {
		case p.Message == nil:
			return nil, invalid("progress %d has no commit message", i)
		case p.Bucket < 0 || p.Begin < 0 || p.Begin >= p.End:
			return nil, invalid("progress [%d, %d) of bucket %d is not a range of offsets", p.Begin, p.End, p.Bucket)
		}
		if err := c.samePlace(&p); err != nil {
			return nil, err
		}
		parts[i] = span{placeOf(p.Partition, p.Bucket), p.Partition, p.Begin, p.End}
	}
	sort.SliceStable(parts, func(i, j int) bool {
		if parts[i].place != parts[j].place {
			return parts[i].place.before(parts[j].place)
		}
		return parts[i].begin < parts[j].begin
	})
	var out []span
	for _, s := range parts {
		if n := len(out); n > 0 && out[n-1].place == s.place {
			if s.begin < out[n-1].end {
				return nil, invalid("ranges of bucket %d overlap: [%d, %d) begins before %d", s.place.bucket, s.begin, s.end, out[n-1].end)
			}
			out[n-1].end = s.end
			continue
		}
		out = append(out, s)
	}
	return out, nil
}

func (c *Committer) samePlace(p *Progress) error {
	names := c.schema.PartitionNames()
	row, err := paimon.DecodeRow(p.Message.Partition, paimon.TypesOf(names.Fields))
	if err != nil {
		return cherr.Wrap(err, "reading the partition of a commit message")
	}
	same := p.Message.Bucket == p.Bucket && len(p.Partition) == len(names.Fields)
	for i, f := range names.Fields {
		same = same && p.Partition[f.Name] == names.Text(i, row[i])
	}
	if !same {
		return invalid("progress of partition %v, bucket %d has a commit message of partition %s, bucket %d", p.Partition, p.Bucket, c.partitionText(p.Message.Partition), p.Message.Bucket)
	}
	return nil
}

// offsetsChange changes the progress that an attempt's snapshot carries.
type offsetsChange interface {
	// offsets gives what the new snapshot knows, and whether that differs.
	offsets(ctx context.Context, a *attempt) (list []offset, changed bool, err error)
}

// carryOffsets sets the property of the snapshot: the latest's, or a new file's.
func (a *attempt) carryOffsets(ctx context.Context, props map[string]string) error {
	if a.latest != nil && a.latest.Properties[offsetsProperty] != "" {
		props[offsetsProperty] = a.latest.Properties[offsetsProperty]
	}
	if a.plan.offsets == nil {
		return nil
	}
	list, changed, err := a.plan.offsets.offsets(ctx, a)
	if err != nil || !changed {
		return err
	}
	if len(list) == 0 {
		delete(props, offsetsProperty)
		return nil
	}
	data, err := encodeOffsets(list)
	if err != nil {
		return err
	}
	name := "metadata/" + newUUID() + ".offsets"
	props[offsetsProperty] = name
	return a.put(ctx, a.c.dir.Meta()+name, data)
}

// progress adds the committed spans.
type progress struct {
	c          *Committer
	spans      []span
	identifier int64
}

func (p *progress) offsets(ctx context.Context, a *attempt) ([]offset, bool, error) {
	before, done, err := p.resolve(ctx, a.latest)
	if err != nil {
		return nil, false, err
	}
	if done {
		return nil, false, invalid("the requested offsets were committed by another commit user or identifier meanwhile")
	}
	for _, s := range p.spans {
		before[s.place] = offset{s.partition, s.place.bucket, s.end}
	}
	list := make([]offset, 0, len(before))
	for _, o := range before {
		list = append(list, o)
	}
	return list, true, nil
}

// resolve compares the spans with what is committed; done says that all of it
// is, by this very identifier.
func (p *progress) resolve(ctx context.Context, latest *paimon.Snapshot) (known map[place]offset, done bool, err error) {
	own, err := p.c.latestOfUser(ctx)
	if err != nil {
		return nil, false, err
	}
	committed := own != nil && p.identifier <= own.CommitIdentifier
	from := latest
	if committed {
		from = own
	}
	if known, err = p.c.readOffsets(ctx, from); err != nil {
		return nil, false, err
	}
	covered, pending := 0, 0
	for _, s := range p.spans {
		switch end := known[s.place].Offset; {
		case s.end <= end:
			covered++
		case s.begin < end:
			return nil, false, invalid("range [%d, %d) of bucket %d partially overlaps what is committed up to %d", s.begin, s.end, s.place.bucket, end)
		default:
			pending++
		}
	}
	switch {
	case covered > 0 && pending > 0:
		return nil, false, invalid("the requested offset ranges are only partially covered by what is committed")
	case committed && pending > 0:
		return nil, false, invalid("identifier %d was committed without the requested offset ranges", p.identifier)
	case !committed && covered > 0:
		return nil, false, invalid("the requested offset ranges were committed by another commit user or identifier")
	}
	return known, covered > 0, nil
}

// removeOffsets forgets the progress of partitions whose rows go.
type removeOffsets struct {
	match matcher
	whole bool
}

func (r removeOffsets) offsets(ctx context.Context, a *attempt) ([]offset, bool, error) {
	if a.latest == nil || a.latest.Properties[offsetsProperty] == "" {
		return nil, false, nil
	}
	if r.whole {
		return nil, true, nil
	}
	known, err := a.c.readOffsets(ctx, a.latest)
	if err != nil {
		return nil, false, err
	}
	changed := false
	var kept []offset
	touched := a.touchedPartitions()
	for at, o := range known {
		if touched[at.partition] {
			changed = true
			continue
		}
		kept = append(kept, o)
	}
	return kept, changed, nil
}

// touchedPartitions gives those of the changed files, named as in offsets.
func (a *attempt) touchedPartitions() map[string]bool {
	names := a.c.schema.PartitionNames()
	ts := paimon.TypesOf(names.Fields)
	out := map[string]bool{}
	for raw := range a.changes.changed() {
		row, err := paimon.DecodeRow([]byte(raw), ts)
		if err != nil {
			continue
		}
		spec := map[string]string{}
		for i, f := range names.Fields {
			spec[f.Name] = names.Text(i, row[i])
		}
		out[placeOf(spec, 0).partition] = true
	}
	return out
}

func (c *Committer) readOffsets(ctx context.Context, s *paimon.Snapshot) (map[place]offset, error) {
	out := map[place]offset{}
	if s == nil || s.Properties[offsetsProperty] == "" {
		return out, nil
	}
	path := c.dir.Meta() + s.Properties[offsetsProperty]
	data, err := c.dir.Store.Read(ctx, path)
	if err != nil {
		return nil, cherr.Wrap(err, "reading the offsets of snapshot %d", s.ID)
	}
	list, err := parseOffsets(data)
	if err != nil {
		return nil, cherr.Wrap(err, "reading offsets %s", path)
	}
	for _, o := range list {
		at := placeOf(o.Partition, o.Bucket)
		if _, ok := out[at]; ok {
			return nil, invalid("reading offsets %s: partition %v, bucket %d is there twice", path, o.Partition, o.Bucket)
		}
		out[at] = o
	}
	return out, nil
}

func parseOffsets(data []byte) ([]offset, error) {
	var file struct {
		Version *int `json:"version"`
		Offsets *[]struct {
			Partition *map[string]any `json:"partition"`
			Bucket    *int            `json:"bucket"`
			Offset    *int64          `json:"offset"`
		} `json:"offsets"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, invalid("it is not well-formed: %s", err)
	}
	if file.Version == nil || *file.Version != 1 || file.Offsets == nil {
		return nil, invalid("its version is not 1, or it has no offsets")
	}
	out := make([]offset, 0, len(*file.Offsets))
	for _, o := range *file.Offsets {
		if o.Partition == nil || o.Bucket == nil || o.Offset == nil || *o.Bucket < 0 || *o.Offset < 0 {
			return nil, invalid("an entry lacks partition, bucket or offset, or has a negative one")
		}
		spec := map[string]string{}
		for k, v := range *o.Partition {
			text, ok := v.(string)
			if !ok {
				return nil, invalid("partition value %v is not a string", v)
			}
			spec[k] = text
		}
		out = append(out, offset{spec, *o.Bucket, *o.Offset})
	}
	return out, nil
}

func encodeOffsets(list []offset) ([]byte, error) {
	sort.Slice(list, func(i, j int) bool {
		return placeOf(list[i].Partition, list[i].Bucket).before(placeOf(list[j].Partition, list[j].Bucket))
	})
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "    ")
	err := e.Encode(offsetsFile{1, list})
	return bytes.TrimRight(b.Bytes(), "\n"), err
}
