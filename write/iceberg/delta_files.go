package iceberg

import (
	"bytes"
	"context"
	"sort"

	"github.com/google/uuid"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata/iceberg"
	"lakeserver/objstore"
	"lakeserver/read"
	"lakeserver/write"
)

// rewrite is copy-on-write: what is left of the files is written anew, row ids
// and the numbers of the last change with it.
func (c *deltaCommit) rewrite(ctx context.Context, some []left) error {
	if len(some) == 0 {
		return nil
	}
	if err := c.d.writer(); err != nil {
		return err
	}
	src := *c.d.opt.Source
	src.Schema = c.d.meta.CurrentSchema()
	req := &read.Request{Source: &src, Streams: 1, Memory: c.d.opt.Rows.Memory, KeepNulls: true}
	var err error
	if req.Columns, err = storedColumns(src.Schema, c.d.Lineage()); err != nil {
		return err
	}
	for i := range req.Columns {
		req.Output = append(req.Output, i)
	}
	plan := &read.Plan{}
	for _, l := range some {
		plan.Tasks = append(plan.Tasks, l.task.Without(l.gone))
		c.removal.Paths[l.task.Name] = true
		c.guarded[l.task.Name] = l.task
	}
	_, streams := read.Start(req, plan)
	defer streams[0].Close()
	for {
		b, err := streams[0].Next(ctx)
		if err != nil || b == nil {
			return err
		}
		if err := c.d.rows.Write(ctx, b); err != nil {
			return err
		}
	}
}

// defaultDeleteBytes is how long a file with deletes gets before the next is
// begun.
const defaultDeleteBytes = 64 << 20

func (c *deltaCommit) target() int64 {
	return intProperty(c.d.meta.Properties, "write.delete.target-file-size-bytes", defaultDeleteBytes)
}

// vectorise writes one deletion vector a file, in place of all that deleted its
// rows by position before (spec, §Deletion vectors).
func (c *deltaCommit) vectorise(ctx context.Context, some []left) error {
	c.vectors, c.deletes = map[string]bool{}, map[string]bool{}
	w := iceberg.NewPuffinWriter()
	var here []NewFile
	flush := func() error {
		if len(here) == 0 {
			return nil
		}
		data, _, err := w.Finish("lakeserver")
		if err != nil {
			return err
		}
		path := DataFolder(c.d.meta) + uuid.NewString() + "-deletes.puffin"
		for i := range here {
			here[i].Path, here[i].Size = path, int64(len(data))
		}
		c.d.added = append(c.d.added, here...)
		here, w = nil, iceberg.NewPuffinWriter()
		_, err = c.d.t.Store().Put(ctx, c.d.t.Paths.Map(path), bytes.NewReader(data), objstore.PutOptions{})
		return cherr.Wrap(err, "writing deletion vectors %s", path)
	}
	for _, l := range some {
		c.guarded[l.task.Name] = l.task
		if l.task.Vector() != nil {
			c.vectors[l.task.Name] = true
		}
		blob, err := iceberg.EncodeDeletionVector(l.gone)
		if err != nil {
			return err
		}
		at, size := w.Add(iceberg.DeletionVectorBlob(l.task.Name, l.gone.Len()), blob)
		here = append(here, NewFile{SpecID: l.task.Spec.ID, Sequence: -1, DataFile: iceberg.DataFile{
			Content: iceberg.PositionDeletes, Format: "PUFFIN", Records: l.gone.Len(), Partition: l.task.File.Partition, SortOrderID: -1,
			FirstRowID: -1, Referenced: l.task.Name, ContentOffset: at, ContentSize: size,
		}})
		if int64(w.Len()) >= c.target() {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	return c.supersede(ctx, some)
}

// supersede takes out the position delete files of a table that was upgraded
// where each file they are about has a vector now, or is gone.
func (c *deltaCommit) supersede(ctx context.Context, some []left) error {
	alive := map[string]bool{} // data files that need the old deletes, by where they are stored
	for _, t := range c.d.opt.Plan.Tasks {
		alive[t.Path] = !c.removal.Paths[t.Name]
	}
	for _, l := range some {
		alive[l.task.Path] = false
	}
	for _, l := range some {
		files, err := c.d.opt.Source.PositionFiles(ctx, l.task)
		if err != nil {
			return err
		}
		for _, f := range files {
			all := true
			for _, path := range f.Targets {
				all = all && !alive[path]
			}
			if all {
				c.deletes[f.File.Path] = true
			}
		}
	}
	return nil
}

// positionDeletes writes position delete files: sorted by file and position,
// of one partition each, and of one data file each where the table wants that.
func (c *deltaCommit) positionDeletes(ctx context.Context, some []left) error {
	byFile := c.d.meta.Properties["write.delete.granularity"] == "file"
	groups, order := map[string][]left{}, []string(nil)
	for _, l := range some {
		key := PartitionKey(l.task.Spec.ID, l.task.File)
		if byFile {
			key = l.task.Name
		}
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], l)
	}
	layout, err := c.deleteLayout()
	if err != nil {
		return err
	}
	for _, key := range order {
		group := groups[key]
		sort.Slice(group, func(i, j int) bool { return group[i].task.Name < group[j].task.Name })
		for len(group) > 0 {
			n, err := c.positionFile(ctx, layout, group)
			if err != nil {
				return err
			}
			group = group[n:]
		}
	}
	return nil
}

// deleteLayout is how the rows of position delete files lie: they are the
// table's format's, unless it says otherwise.
func (c *deltaCommit) deleteLayout() (*Layout, error) {
	l := &Layout{kinds: map[int]*iceberg.Field{}, modes: map[int]metricsMode{}}
	if err := l.formatOf(c.d.meta, c.d.meta.Properties["write.delete.format.default"], 0); err != nil {
		return nil, err
	}
	l.opt.Store = c.d.t.Store()
	for _, f := range []*iceberg.Field{
		{ID: iceberg.DeleteFilePathID, Name: "file_path", Required: true, Type: iceberg.ParseType("string")},
		{ID: iceberg.DeletePosID, Name: "pos", Required: true, Type: iceberg.ParseType("long")},
	} {
		t, err := iceberg.ClickHouseType(f)
		if err != nil {
			return nil, err
		}
		l.kinds[f.ID] = f // bounds are whole: they find the data file
		l.store(len(l.Header), f.Name, t, write.Field{ID: f.ID})
		l.Header = append(l.Header, column.Field{Name: f.Name, Type: t})
	}
	return l, nil
}

// positionFile writes the deletes of the first files of a group and gives how
// many they are.
func (c *deltaCommit) positionFile(ctx context.Context, layout *Layout, group []left) (n int, err error) {
	path := DataFolder(c.d.meta) + uuid.NewString() + "-deletes" + layout.end
	w, err := write.Create(ctx, &layout.opt, c.d.t.Paths.Map(path))
	if err != nil {
		return 0, err
	}
	for n < len(group) && (n == 0 || w.Bytes() < c.target()) {
		l := group[n]
		n++
		name := column.NewStr(l.task.Name)
		err := l.fresh.Each(func(pos []int64) error {
			b := &column.Block{Rows: len(pos), Columns: []column.Column{
				column.NewConst(name, len(pos)), column.NewFixed(append([]int64(nil), pos...)),
			}}
			return w.Write(ctx, b)
		})
		if err != nil {
			w.Abort(err)
			return 0, err
		}
	}
	f, err := w.Close()
	if err != nil {
		return 0, err
	}
	out := layout.dataFile(f, path, group[0].task.Spec, group[0].task.File.Partition, -1)
	out.Content = iceberg.PositionDeletes
	if n == 1 {
		out.Referenced = group[0].task.Name
	}
	c.d.added = append(c.d.added, out)
	return n, nil
}
