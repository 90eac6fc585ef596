package read

import (
	"context"
	"strings"
	"sync/atomic"

	"lakeserver/cherr"
	"lakeserver/column"
)

// zipTask is rows whose columns lie in several files of a data evolution table,
// the newest file first.
type zipTask struct {
	files       []*Task
	first, rows int64       // the first row's id, and how many there are
	vector      *PaimonFile // whose deletion vector counts, nil: none
}

// isVectorFile tells files that hold nothing but a column of vectors.
func isVectorFile(name string) bool { return strings.Contains(name, ".vector.") }

// zipping is what the zips of one scan have in common.
type zipping struct {
	s     *Scan
	src   *Paimon
	tasks []*zipTask
	next  atomic.Int64
}

func newZipping(s *Scan, src *Paimon, plan *Plan) *zipping {
	if len(plan.zips) == 0 {
		return nil
	}
	return &zipping{s: s, src: src, tasks: plan.zips}
}

// zipStream gives the rows of the tasks that it takes.
type zipStream struct {
	z    *zipping
	work *zip
	shut bool
}

func (zs *zipStream) Next(ctx context.Context) (*column.Block, error) {
	for !zs.shut {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if zs.z.s.enough() {
			return nil, zs.Close()
		}
		if zs.work == nil {
			i := zs.z.next.Add(1) - 1
			if i >= int64(len(zs.z.tasks)) {
				return nil, nil
			}
			var err error
			if zs.work, err = zs.z.open(ctx, zs.z.tasks[i]); err != nil {
				return nil, err
			}
		}
		b, err := zs.work.next(ctx)
		if err != nil {
			return nil, err
		}
		if b == nil {
			zs.work.close()
			zs.work = nil
			continue
		}
		if b, err = zs.z.filter(ctx, b); err != nil {
			return nil, err
		}
		if b.Rows > 0 {
			return (&stream{s: zs.z.s}).limited(b), nil
		}
	}
	return nil, nil
}

func (zs *zipStream) Close() error {
	if !zs.shut {
		zs.shut = true
		if zs.work != nil {
			zs.work.close()
			zs.work = nil
		}
	}
	return nil
}

// filter applies the conditions to a block of slots and gives the output.
func (z *zipping) filter(ctx context.Context, b *column.Block) (*column.Block, error) {
	for i := range z.s.conds {
		if b.Rows == 0 {
			break
		}
		rel, all, err := z.s.conds[i].test(ctx, b)
		if err != nil {
			return nil, err
		}
		if !all {
			b = b.Gather(rel)
		}
	}
	out := &column.Block{Columns: make([]column.Column, len(z.s.out)), Rows: b.Rows}
	for i, slot := range z.s.out {
		out.Columns[i] = b.Columns[slot]
	}
	return out, nil
}

// zip reads one task: sources with some of the columns each, cut to blocks of
// the same rows.
type zip struct {
	z       *zipping
	t       *zipTask
	sources []*zipSource
	place   [][2]int // slot → source and its column; source -1: computed
	gone    positions
	at      int64
}

// zipSource is files that hold a set of columns, one after the other.
type zipSource struct {
	slots  []int
	tasks  []*Task
	stream column.Stream
	block  *column.Block
	used   int
}

func (z *zipping) open(ctx context.Context, t *zipTask) (*zip, error) {
	w := &zip{z: z, t: t, place: make([][2]int, len(z.s.slots))}
	if t.vector != nil {
		v, err := z.src.loadVector(ctx, t.vector)
		if err != nil {
			return nil, err
		}
		w.gone = v
	}
	for slot := range z.s.slots {
		w.assign(slot)
	}
	for _, src := range w.sources {
		if err := src.check(t); err != nil {
			return nil, err
		}
		req := &Request{Source: z.src, Streams: 1, Memory: z.s.req.Memory, Options: z.s.req.Options, Progress: z.s.req.Progress, Done: z.s.Metrics.join}
		for i, slot := range src.slots {
			req.Columns = append(req.Columns, z.s.slots[slot])
			req.Output = append(req.Output, i)
		}
		_, streams := Start(req, &Plan{Tasks: src.tasks})
		src.stream = streams[0]
	}
	return w, nil
}

// assign finds the file that a slot is read from: the newest that has it. What
// no file has is NULL in every row, as the anchor tells; virtual columns are
// the anchor's as well.
func (w *zip) assign(slot int) {
	c := &w.z.s.slots[slot]
	if c.Virtual == VirtualRowID || c.Virtual == VirtualRow {
		w.place[slot] = [2]int{-1, 0}
		return
	}
	var found []*Task
	for _, t := range w.t.files {
		if c.Paimon == nil {
			if t.FirstRowID == w.t.first && t.Records == w.t.rows {
				found = []*Task{t}
				break
			}
			continue
		}
		if fieldByID(t.Paimon.fields, c.Paimon.ID) != nil {
			found = append(found, t)
			if t.Records == w.t.rows {
				break
			}
		}
	}
	if len(found) == 0 {
		found = w.t.files[:1]
	} else if last := found[len(found)-1]; last.Records == w.t.rows && len(found) > 1 {
		found = found[:1] // the newest has them all
		if found[0].Records != w.t.rows {
			found = []*Task{last}
		}
	}
	for i, src := range w.sources {
		if len(src.tasks) == len(found) && src.tasks[0] == found[0] {
			w.place[slot] = [2]int{i, len(src.slots)}
			src.slots = append(src.slots, slot)
			return
		}
	}
	w.place[slot] = [2]int{len(w.sources), 0}
	w.sources = append(w.sources, &zipSource{slots: []int{slot}, tasks: found})
}

// check puts a source's files in order and sees that they have all the rows.
func (src *zipSource) check(t *zipTask) error {
	sortByRowID(src.tasks)
	at := t.first
	for _, f := range src.tasks {
		if f.FirstRowID != at {
			return cherr.New(cherr.NotImplemented, "Data file %s begins at row id %d where %d is expected: files that overlap in part cannot be read", f.Path, f.FirstRowID, at)
		}
		at += f.Records
	}
	if at != t.first+t.rows {
		return cherr.New(cherr.IncorrectData, "row ids %d to %d are in no file of a column", at, t.first+t.rows-1)
	}
	return nil
}

func sortByRowID(tasks []*Task) {
	for i := 1; i < len(tasks); i++ {
		for j := i; j > 0 && tasks[j].FirstRowID < tasks[j-1].FirstRowID; j-- {
			tasks[j], tasks[j-1] = tasks[j-1], tasks[j]
		}
	}
}

// next gives the next rows as a block of slots; nil at the end.
func (w *zip) next(ctx context.Context) (*column.Block, error) {
	n := int(min(w.t.rows-w.at, defaultBlockRows))
	if n == 0 {
		return nil, nil
	}
	for _, src := range w.sources {
		if src.block == nil || src.used == src.block.Rows {
			b, err := src.stream.Next(ctx)
			if err != nil {
				return nil, err
			}
			if b == nil {
				return nil, cherr.New(cherr.IncorrectData, "Data file %s has fewer rows than the others of the same row ids", src.tasks[len(src.tasks)-1].Path)
			}
			src.block, src.used = b, 0
		}
		n = min(n, src.block.Rows-src.used)
	}
	out := &column.Block{Columns: make([]column.Column, len(w.place)), Rows: n}
	for slot, p := range w.place {
		if p[0] >= 0 {
			src := w.sources[p[0]]
			out.Columns[slot] = src.block.Columns[p[1]].Slice(src.used, src.used+n)
			continue
		}
		base := w.at
		if w.z.s.slots[slot].Virtual == VirtualRowID {
			base += w.t.first
		}
		ids := make([]int64, n)
		for i := range ids {
			ids[i] = base + int64(i)
		}
		out.Columns[slot] = &column.Nullable{Values: column.NewFixed(ids)}
	}
	for _, src := range w.sources {
		src.used += n
	}
	from := w.at
	w.at += int64(n)
	if w.gone == nil {
		return out, nil
	}
	return out.Gather(rest(w.gone.Within(from, from+int64(n), nil), n)), nil
}

// rest gives the positions below n that are not among some ascending ones.
func rest(gone []uint32, n int) []uint32 {
	out := make([]uint32, 0, n-len(gone))
	at := uint32(0)
	for _, g := range gone {
		for ; at < g; at++ {
			out = append(out, at)
		}
		at = g + 1
	}
	for ; int(at) < n; at++ {
		out = append(out, at)
	}
	return out
}

func (w *zip) close() {
	for _, src := range w.sources {
		if src.stream != nil {
			_ = src.stream.Close() // nothing is written
		}
	}
}
