package read

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/codec/avro"
	"lakeserver/column"
)

// avroFormat reads an Avro file, which is one unit.
type avroFormat struct {
	f     *fileUnits
	wants []avro.Want
}

func (f *fileUnits) openAvro(context.Context) error {
	head, err := avro.Open(f.task.Path, f.file, f.obj.Size)
	if err != nil {
		return err
	}
	defer head.Close()
	if head.Schema.Kind != avro.Record {
		return cherr.New(cherr.IncorrectData, "Data file %s has no records", f.task.Path)
	}
	m, err := f.s.req.Source.avroColumns(f.task, head.Schema)
	if err != nil {
		return err
	}
	p := &avroFormat{f: f}
	for slot := range f.s.slots {
		if err := p.bind(m, &f.s.slots[slot], &f.bind[slot]); err != nil {
			return cherr.Wrap(err, "reading column `%s` of data file %s", f.s.slots[slot].Name, f.task.Path)
		}
	}
	if f.kind >= 0 {
		if err := p.bind(m, &kindColumn, &f.bind[f.kind]); err != nil {
			return cherr.Wrap(err, "reading the row kinds of data file %s", f.task.Path)
		}
	}
	for i := range f.extra {
		if err := p.bindExtra(m.(*icebergAvro), &f.extra[i]); err != nil {
			return cherr.Wrap(err, "reading the key of an equality delete in data file %s", f.task.Path)
		}
	}
	f.format = p
	f.groups = []rowRange{{rows: -1}}
	return nil
}

func (p *avroFormat) bind(m avroColumns, c *Column, b *binding) error {
	w, fin, stored, err := m.column(c)
	if err != nil || !stored {
		return err
	}
	if w.Field < 0 {
		b.value = p.f.absent(c.Type, w.Value)
		return nil
	}
	if p.f.s.req.KeepNulls && isNested(c.Type) {
		w.Nulls, fin = true, aroundNulls(fin)
	}
	b.from, b.fin = len(p.wants), fin
	p.wants = append(p.wants, w)
	return nil
}

func (p *avroFormat) bindExtra(m *icebergAvro, x *extraColumn) error {
	b := &p.f.bind[x.slot]
	chain, t := structChain(x.path, x.t)
	w, fin, err := m.want(m.root, chain, t)
	if err != nil {
		return err
	}
	if w.Field < 0 {
		v := w.Value
		if len(x.path) > 1 {
			v = nil
		} else if pv, ok := p.f.task.identity(chain.ID); ok {
			v = pv
		}
		b.value = column.FromValue(x.t, v, 1).Value
		return nil
	}
	b.from, b.fin = p.want(w), fin
	if len(x.path) > 1 {
		unwrap := unwrapTuple(len(x.path)-1, nil)
		b.fin = func(c column.Column) (column.Column, error) {
			if fin != nil {
				var err error
				if c, err = fin(c); err != nil {
					return nil, err
				}
			}
			return unwrap(c)
		}
	}
	return nil
}

// want adds a column to read.
func (p *avroFormat) want(w avro.Want) int {
	p.wants = append(p.wants, w)
	return len(p.wants) - 1
}

// start opens the file anew, for its reader is used by one goroutine. Wants of
// one field go to readers of their own.
func (p *avroFormat) start(context.Context, *fileUnits, rowRange) (source, error) {
	s := &avroSource{records: p.f.task.Records, path: p.f.task.Path}
	s.place = make([][2]int, len(p.wants))
	var sets [][]avro.Want
	for i, w := range p.wants {
		at := 0
		for ; at < len(sets); at++ {
			taken := false
			for _, o := range sets[at] {
				taken = taken || o.Field == w.Field
			}
			if !taken {
				break
			}
		}
		if at == len(sets) {
			sets = append(sets, nil)
		}
		s.place[i] = [2]int{at, len(sets[at])}
		sets[at] = append(sets[at], w)
	}
	if sets == nil {
		sets = [][]avro.Want{nil}
	}
	for _, wants := range sets {
		file, err := avro.Open(p.f.task.Path, p.f.file, p.f.obj.Size)
		if err != nil {
			return nil, err
		}
		s.files = append(s.files, file)
		r, err := file.NewReader(wants)
		if err != nil {
			s.close()
			return nil, err
		}
		s.readers = append(s.readers, r)
	}
	return s, nil
}

type avroSource struct {
	files   []*avro.File
	readers []*avro.Reader
	place   [][2]int // want → reader, column
	cols    [][]column.Column
	records int64
	seen    int64
	path    string
}

func (s *avroSource) next(ctx context.Context, n int) (rows int, first int64, err error) {
	s.cols = s.cols[:0]
	for i, r := range s.readers {
		cols, f, got, err := r.Next(ctx, n)
		if err != nil {
			return 0, 0, err
		}
		if i > 0 && got != rows {
			return 0, 0, cherr.New(cherr.LogicalError, "two readers of Avro file %s disagree", s.path)
		}
		rows, first = got, f
		s.cols = append(s.cols, cols)
	}
	s.seen += int64(rows)
	if rows == 0 && s.seen != s.records {
		return 0, 0, cherr.New(cherr.IncorrectData, "Data file %s has %d rows, its manifest says %d", s.path, s.seen, s.records)
	}
	return rows, first, nil
}

func (s *avroSource) read(_ context.Context, want int, sel []uint32) (column.Column, error) {
	at := s.place[want]
	c := s.cols[at[0]][at[1]]
	if sel != nil {
		c = c.Gather(sel)
	}
	return c, nil
}

func (s *avroSource) close() {
	for _, f := range s.files {
		f.Close()
	}
}
