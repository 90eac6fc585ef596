package iceberg

import (
	"context"
	"sort"
	"strconv"

	"lakeserver/metadata/iceberg"
	"lakeserver/pruning"
	"lakeserver/read"
	"lakeserver/types"
)

// RewriteOptions say which data files are written anew, and how.
type RewriteOptions struct {
	Branch string
	Filter *pruning.Iceberg // partitions whose files can hold no such row stay; nil: all are taken
	// Match chooses files by their partition; nil: all.
	Match func(spec *iceberg.PartitionSpec, f *iceberg.Live) (bool, error)
	// All takes every file; else those of a wrong size or with many deletes.
	All           bool
	MinInputFiles int   // of a group that is worth it
	Target        int64 // bytes of a file, 0: what the table says
	DeleteFiles   int   // a file with so many is taken, 0: never for that
	Commits       int   // groups are spread over at most so many; 0 or 1: one
	Sort          []iceberg.NewSortField
	ZOrder        []string // columns; in place of Sort
	Shared        *read.Shared
	Rows          RowOptions
}

// RewriteResult counts what a rewrite did.
type RewriteResult struct {
	RewrittenFiles, AddedFiles, RewrittenBytes, FailedFiles, RemovedDeletes int64
}

// Shares of the target size outside of which a file is worth rewriting, and of
// a file's rows that are deleted, as the reference has them.
const (
	smallShare   = 0.75
	largeShare   = 1.80
	deletedShare = 0.3
	staleTries   = 5
)

// RewriteDataFiles writes data files anew: small ones together, without the
// rows that are deleted, sorted if asked. Rows keep their age and, from
// version 3 on, their ids and the numbers of their last change.
func (t *Table) RewriteDataFiles(ctx context.Context, opt RewriteOptions) (res RewriteResult, err error) {
	for try := 0; ; try++ {
		done, err := t.rewriteOnce(ctx, &opt, &res)
		if done || err != nil && (!IsStale(err) || try >= staleTries) {
			return res, err
		}
	}
}

// rewriteOnce plans and does a rewrite; done is false when others changed the
// files meanwhile.
func (t *Table) rewriteOnce(ctx context.Context, opt *RewriteOptions, res *RewriteResult) (done bool, err error) {
	r, err := t.newRewrite(ctx, opt)
	if err != nil || r == nil {
		return err == nil, err
	}
	groups, err := r.groups()
	if err != nil || len(groups) == 0 {
		return err == nil, err
	}
	for _, batch := range batches(groups, max(1, opt.Commits)) {
		err := r.batch(ctx, batch, res)
		if err != nil && opt.Commits > 1 && IsStale(err) { // what landed stays
			for _, g := range batch {
				res.FailedFiles += int64(len(g.tasks))
			}
			continue
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// rewrite is one attempt over one version.
type rewrite struct {
	t    *Table
	opt  *RewriteOptions
	base *iceberg.TableMetadata
	head *iceberg.Snapshot
	src  *read.Source
	plan *read.Plan // of the whole table
	gone map[string]bool
}

type rewriteGroup struct {
	tasks []*read.Task
	bytes int64
}

func (t *Table) newRewrite(ctx context.Context, opt *RewriteOptions) (*rewrite, error) {
	base, err := t.Swapper.Load(ctx)
	if err != nil {
		return nil, err
	}
	head, err := (&Producer{Table: t, Branch: orMain(opt.Branch)}).parent(base)
	if err != nil || head == nil {
		return nil, err
	}
	r := &rewrite{t: t, opt: opt, base: base, head: head, gone: map[string]bool{}}
	r.src = &read.Source{Loader: t.Loader, Meta: base, Snapshot: head, Paths: t.Paths, Schema: base.CurrentSchema(), Shared: opt.Shared}
	r.plan, err = read.PlanIceberg(ctx, r.src, nil)
	return r, err
}

func orMain(branch string) string {
	if branch == "" {
		return iceberg.MainBranch
	}
	return branch
}

func (r *rewrite) target() int64 {
	if r.opt.Target > 0 {
		return r.opt.Target
	}
	return intProperty(r.base.Properties, "write.target-file-size-bytes", 512<<20)
}

// groups chooses files and puts those of one partition together; files of
// older specs make a group of their own, which is partitioned anew.
func (r *rewrite) groups() ([]*rewriteGroup, error) {
	byKey, order := map[string]*rewriteGroup{}, []*rewriteGroup(nil)
	wanted := r.wanted()
	for _, task := range r.plan.Tasks {
		if !wanted(task) {
			continue
		}
		take, err := r.takes(task)
		if err != nil {
			return nil, err
		}
		if !take {
			continue
		}
		key := r.key(task)
		g := byKey[key]
		if g == nil {
			g = &rewriteGroup{}
			byKey[key] = g
			order = append(order, g)
		}
		g.tasks, g.bytes = append(g.tasks, task), g.bytes+task.Size
	}
	out := order[:0]
	for _, g := range order {
		if r.opt.All || len(g.tasks) >= max(2, r.opt.MinInputFiles) || r.heavy(g) {
			out = append(out, g)
		}
	}
	return out, nil
}

// key tells the groups apart; "" is the one that is partitioned anew.
func (r *rewrite) key(task *read.Task) string {
	if task.Spec.ID != r.base.DefaultSpecID || task.Spec.Unpartitioned() {
		return ""
	}
	return PartitionKey(task.Spec.ID, task.File)
}

// wanted applies the filter: it chooses partitions by their files, so that a
// file is not left alone because its neighbour holds other rows.
func (r *rewrite) wanted() func(*read.Task) bool {
	might := func(t *read.Task) bool {
		is, _ := r.opt.Filter.ForSpec(r.base, t.Spec).FileMightMatch(t.File)
		return is
	}
	keys := map[string]bool{}
	for _, t := range r.plan.Tasks {
		if might(t) {
			keys[r.key(t)] = true
		}
	}
	return func(t *read.Task) bool {
		if key := r.key(t); key != "" {
			return keys[key]
		}
		return might(t)
	}
}

// heavy tells of a group that is worth it for one of its files alone.
func (r *rewrite) heavy(g *rewriteGroup) bool {
	for _, t := range g.tasks {
		if r.deletes(t) || t.Spec.ID != r.base.DefaultSpecID || float64(t.Size) > largeShare*float64(r.target()) {
			return true
		}
	}
	return false
}

func (r *rewrite) takes(task *read.Task) (bool, error) {
	if r.opt.Match != nil {
		l := &iceberg.Live{DataFile: task.File, SequenceNumber: task.SequenceNumber}
		if is, err := r.opt.Match(task.Spec, l); !is || err != nil {
			return false, err
		}
	}
	size, target := float64(task.Size), float64(r.target())
	return r.opt.All || size < smallShare*target || size > largeShare*target || task.Spec.ID != r.base.DefaultSpecID || r.deletes(task), nil
}

// deletes tells whether enough rows of a file are deleted.
func (r *rewrite) deletes(task *read.Task) bool {
	files, rows := task.DeleteFiles()
	return r.opt.DeleteFiles > 0 && files >= r.opt.DeleteFiles || rows > 0 && float64(rows) >= deletedShare*float64(task.Records)
}

// batches spreads groups over commits.
func batches(groups []*rewriteGroup, most int) [][]*rewriteGroup {
	n := min(most, len(groups))
	out := make([][]*rewriteGroup, n)
	for i, g := range groups {
		out[i%n] = append(out[i%n], g)
	}
	return out
}

// batch rewrites groups and commits them together.
func (r *rewrite) batch(ctx context.Context, groups []*rewriteGroup, res *RewriteResult) error {
	p := &Producer{Table: r.t, Branch: r.opt.Branch, Operation: "replace"}
	inputs := map[string]bool{}
	bytes, files := int64(0), 0
	for _, g := range groups {
		added, err := r.write(ctx, g)
		if err != nil {
			p.Finish(ctx, nil)
			return err
		}
		p.Added = append(p.Added, added...)
		bytes, files = bytes+g.bytes, files+len(g.tasks)
		for _, t := range g.tasks {
			inputs[t.Name], r.gone[t.Name] = true, true
		}
	}
	dead, err := r.deadDeletes(ctx)
	if err != nil {
		p.Finish(ctx, nil)
		return err
	}
	touched := map[string]bool{}
	for _, g := range groups {
		for _, t := range g.tasks {
			touched[PartitionKey(t.Spec.ID, t.File)] = true
		}
	}
	p.Removed = []Removal{{Paths: inputs, Is: func(_ *iceberg.PartitionSpec, f *iceberg.Live) (bool, error) {
		return f.Content != iceberg.DataContent && dead[deleteKey(f.DataFile)], nil
	}}}
	p.Validate = func(ctx context.Context, v *Validation) error {
		// Newer equality deletes apply to the new files as well: they keep the
		// age of the old ones.
		return v.NoNewDeletes(ctx, r.head.ID, func(spec *iceberg.PartitionSpec, f *iceberg.DataFile) bool {
			if f.Content == iceberg.EqualityDeletes {
				return false
			}
			return f.Referenced != "" && inputs[f.Referenced] || f.Referenced == "" && touched[PartitionKey(spec.ID, f)]
		})
	}
	next, err := r.t.Commit(ctx, p)
	if err != nil {
		return err
	}
	res.RewrittenFiles, res.AddedFiles, res.RewrittenBytes = res.RewrittenFiles+int64(files), res.AddedFiles+int64(len(p.Added)), res.RewrittenBytes+bytes
	if s := next.Snapshot(p.SnapshotID()); s != nil {
		n, _ := strconv.ParseInt(s.Summary["removed-delete-files"], 10, 64)
		res.RemovedDeletes += n
	}
	return nil
}

// deleteKey tells delete files apart: vectors share files.
func deleteKey(f *iceberg.DataFile) string {
	return f.Path + "\x00" + strconv.FormatInt(f.ContentOffset, 10)
}

// deadDeletes gives the delete files that delete nothing any more once the
// rewritten files are gone.
func (r *rewrite) deadDeletes(ctx context.Context) (map[string]bool, error) {
	live, oldest, all := map[string]bool{}, map[string]int64{}, int64(-1)
	for _, t := range r.plan.Tasks {
		if r.gone[t.Name] {
			continue
		}
		key := PartitionKey(t.Spec.ID, t.File)
		live[t.Name], live[key] = true, true
		if seq, ok := oldest[key]; !ok || t.SequenceNumber < seq {
			oldest[key] = t.SequenceNumber
		}
		if all < 0 || t.SequenceNumber < all {
			all = t.SequenceNumber
		}
	}
	dead := map[string]bool{}
	lines, err := r.head.LoadManifests(ctx, r.t.Loader, r.t.Paths.Map)
	if err != nil {
		return nil, err
	}
	for i := range lines {
		if !lines[i].Deletes || !lines[i].Live() {
			continue
		}
		m, err := iceberg.LoadManifest(ctx, r.t.Loader, r.base, &lines[i], r.t.Paths.Map(lines[i].Path))
		if err != nil {
			return nil, err
		}
		err = m.Walk(&lines[i], func(f iceberg.Live) error {
			key := PartitionKey(m.Spec.ID, f.DataFile)
			seq, some := oldest[key]
			switch {
			case f.Content == iceberg.PositionDeletes && f.Referenced != "":
				dead[deleteKey(f.DataFile)] = !live[f.Referenced]
			case f.Content == iceberg.PositionDeletes:
				dead[deleteKey(f.DataFile)] = !some || f.SequenceNumber < seq
			case m.Spec.Unpartitioned():
				dead[deleteKey(f.DataFile)] = all < 0 || f.SequenceNumber <= all
			default:
				dead[deleteKey(f.DataFile)] = !some || f.SequenceNumber <= seq
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return dead, nil
}

// write makes the new files of a group.
func (r *rewrite) write(ctx context.Context, g *rewriteGroup) (files []NewFile, err error) {
	opt := r.opt.Rows
	opt.Lineage, opt.SpecID, opt.MaxRows, opt.MaxPartitions, opt.KeepNulls = r.base.FormatVersion > 2, -1, 0, 0, true
	opt.MaxBytes = r.target()
	w, err := NewRowWriter(r.t, r.base, opt)
	if err != nil {
		return nil, err
	}
	if err := r.order(w); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			w.Abort(ctx, err)
		}
	}()
	req := &read.Request{Source: r.src, Streams: 1, Memory: opt.Memory, KeepNulls: true}
	if req.Columns, err = storedColumns(r.base.CurrentSchema(), opt.Lineage); err != nil {
		return nil, err
	}
	for i := range req.Columns {
		req.Output = append(req.Output, i)
	}
	tasks := append([]*read.Task(nil), g.tasks...)
	sort.SliceStable(tasks, func(i, j int) bool { return tasks[i].SequenceNumber < tasks[j].SequenceNumber })
	_, streams := read.Start(req, &read.Plan{Tasks: tasks})
	defer streams[0].Close()
	for {
		b, err := streams[0].Next(ctx)
		if err != nil {
			return nil, err
		}
		if b == nil {
			break
		}
		if err := w.Write(ctx, b); err != nil {
			return nil, err
		}
	}
	if files, err = w.Close(ctx); err != nil {
		return nil, err
	}
	if r.base.FormatVersion > 1 {
		for i := range files { // the rows are as old as what was read
			files[i].Sequence = r.head.SequenceNumber
		}
	}
	return files, nil
}

// storedColumns are the columns of a schema as a rewrite reads them.
func storedColumns(schema *iceberg.Schema, lineage bool) ([]read.Column, error) {
	var out []read.Column
	for i := range schema.Fields {
		f := &schema.Fields[i]
		t, err := iceberg.ClickHouseType(f)
		if err != nil {
			return nil, err
		}
		out = append(out, read.Column{Name: f.Name, Type: t, Field: f})
	}
	if lineage {
		long := types.Nullable(types.Int64)
		out = append(out, read.Column{Name: "_row_id", Type: long, Virtual: read.VirtualRowID},
			read.Column{Name: "_last_updated_sequence_number", Type: long, Virtual: read.VirtualLast})
	}
	return out, nil
}

// order sorts by what the rewrite asks for, in place of the table's order.
func (r *rewrite) order(w *RowWriter) error {
	schema := r.base.CurrentSchema()
	switch {
	case len(r.opt.ZOrder) > 0:
		keys, err := zOrder(schema, r.opt.ZOrder)
		w.keys, w.order = keys, -1
		return err
	case len(r.opt.Sort) > 0:
		order, err := schema.SortOrder(r.opt.Sort)
		if err != nil {
			return err
		}
		w.keys, err = sortKeys(schema, order.Fields)
		w.order = -1
		return err
	}
	return nil
}
