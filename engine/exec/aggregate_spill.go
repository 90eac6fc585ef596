package exec

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// An aggregation that outgrows max_bytes_before_external_group_by writes whole
// partitions to files, keys and serialised states side by side, and begins
// them anew. A group may so be in a file several times; its states are joined
// when the partition's turn comes in the output, one partition a stream at a time.

// maySpill tells whether the result can be made a partition at a time.
func (a *aggregation) maySpill() bool {
	return a.spillAt > 0 && a.node.Sets == nil && !a.node.Totals && len(a.node.Keys) > 0 && a.rules.max == 0
}

// spillHeader is the header of a partition's file.
func (a *aggregation) spillHeader() column.Header {
	h := make(column.Header, 0, len(a.keyTypes)+len(a.node.Calls))
	for _, t := range a.keyTypes {
		h = append(h, column.Field{Type: t})
	}
	for range a.node.Calls {
		h = append(h, column.Field{Type: types.String})
	}
	return h
}

// relieve writes partitions until what is held is well below the limit.
func (w *groupWorker) relieve() error {
	a := w.a
	if !a.maySpill() || a.held.Load() < a.spillAt || w.shared[0] == nil {
		return nil
	}
	if !w.spread[0] {
		if err := w.flush(0); err != nil {
			return err
		}
		if err := w.reserve(); err != nil {
			return err
		}
	}
	for _, at := range w.tour() {
		if a.held.Load() < a.spillAt/2 {
			break
		}
		if err := w.spill(w.shared[0][at]); err != nil {
			return err
		}
	}
	return nil
}

func (w *groupWorker) spill(p *partition) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.table.groups == 0 {
		return nil
	}
	if p.file == nil {
		f, err := newSpillFile(w.a.opt.TempDir, w.a.spillHeader())
		if err != nil {
			return err
		}
		p.file = f
		w.a.keepFile(f)
	}
	if err := p.table.writeTo(p.file); err != nil {
		return err
	}
	p.table = w.a.newTable(w.sets[0])
	return w.a.hold(p.held, 0)
}

// spilledGroups is how many groups are serialised at once.
const spilledGroups = 8192

func (t *groupTable) writeTo(f *spillFile) error {
	for from := 0; from < t.groups; from += spilledGroups {
		to := min(from+spilledGroups, t.groups)
		b := &column.Block{Rows: to - from, Columns: t.keys.keys(from, to)}
		for i := range b.Columns {
			b.Columns[i] = asField(f.header[i].Type, b.Columns[i])
		}
		for _, acc := range t.accs {
			s := &column.Str{}
			for g := from; g < to; g++ {
				at := len(s.Data)
				s.Data = acc.Encode(g, s.Data)
				s.Seal(at)
			}
			b.Columns = append(b.Columns, s)
		}
		if err := f.write(b); err != nil {
			return err
		}
	}
	return nil
}

// restore joins what a partition has in its file with what it holds.
func (a *aggregation) restore(ctx context.Context, p *partition) error {
	t := p.table
	for {
		b, err := p.file.Next(ctx)
		if err != nil {
			return err
		}
		if b == nil {
			break
		}
		keys := len(a.node.Keys)
		groups := make([]uint32, b.Rows)
		t.keys.assign(b.Columns[:keys], b.Rows, groups)
		t.grow(t.keys.count())
		for i, acc := range t.accs {
			s := b.Columns[keys+i].(*column.Str)
			for r, g := range groups {
				v := s.At(r)
				if n, err := acc.Decode(int(g), v); err != nil || n != len(v) {
					return cherr.New(cherr.IncorrectData, "A state of %s in a temporary file is damaged", a.node.Calls[i].Fn.Name)
				}
			}
		}
		if err := a.hold(p.held, t.size()); err != nil {
			return err
		}
	}
	return p.file.Close()
}
