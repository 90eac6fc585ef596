package exec

import (
	"context"

	"lakeserver/column"

	"lakeserver/engine/plan"
)

// joinPairs is about how many candidate pairs are looked at at once.
const joinPairs = 1 << 16

// joinStream probes the table with one stream.
type joinStream struct {
	j      *hashJoin
	number int
	in     column.Stream // of the probe side; nil when it has fewer streams
	table  *joinTable
	part   *joinStream // of a join in parts, the part at hand
	closed bool
	ended  bool

	block  *column.Block // being probed
	groups []uint32
	asof   column.Column
	row    int  // the next row
	within int  // how many of its candidates were looked at already
	hit    bool // and whether one matched

	unused []uint32 // build rows to give out at the end
}

func (s *joinStream) Next(ctx context.Context) (*column.Block, error) {
	if s.closed {
		return nil, nil
	}
	if s.table == nil {
		var err error
		if s.table, err = s.j.hashTable(ctx); err != nil {
			return nil, err
		}
		if s.j.grace != nil {
			return s.nextPart(ctx)
		}
		if s.number < len(s.j.probe.streams) {
			s.in = s.j.probe.streams[s.number]
		}
		if s.table.rows == 0 && !s.j.rule.probeOuter && !s.ended {
			s.finish() // nothing can match
		}
	}
	if s.j.grace != nil {
		return s.nextPart(ctx)
	}
	for !s.ended {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if s.block == nil {
			b, err := s.nextBlock(ctx)
			if err != nil {
				return nil, err
			}
			if b == nil {
				s.finish()
				break
			}
			s.take(b)
		}
		out, err := s.match(ctx)
		if err != nil {
			return nil, err
		}
		if out != nil && out.Rows > 0 {
			return out, nil
		}
	}
	if len(s.unused) == 0 {
		return nil, nil
	}
	n := min(len(s.unused), column.MaxBlockRows)
	rows := s.unused[:n]
	s.unused = s.unused[n:]
	return s.emitUnused(rows), nil
}

// nextBlock gives the next block to probe.
func (s *joinStream) nextBlock(ctx context.Context) (*column.Block, error) {
	if b := s.j.early.take(); b != nil || s.in == nil {
		return b, nil
	}
	return s.in.Next(ctx)
}

// finish ends a stream; the last one gives out the build rows without a match.
func (s *joinStream) finish() {
	s.ended = true
	if s.j.probing.Add(-1) == 0 && s.j.rule.buildOuter {
		s.unused = s.table.unused()
	}
}

// take begins with a block.
func (s *joinStream) take(b *column.Block) {
	s.block, s.row, s.within, s.hit = b, 0, 0, false
	if cap(s.groups) < b.Rows {
		s.groups = make([]uint32, b.Rows)
	}
	s.groups = s.groups[:b.Rows]
	keys, dead := s.j.keyColumns(b, s.j.probeKeys)
	switch {
	case s.table.direct != nil:
		s.table.direct.number(keys[0], s.groups)
	case s.table.keys == nil:
		clear(s.groups)
	default:
		s.table.keys.find(keys, b.Rows, s.groups)
	}
	for i, d := range dead {
		if d != 0 {
			s.groups[i] = noGroup
		}
	}
	if s.j.node.Strictness == plan.AsofStrictness {
		s.asof, _ = column.SplitNulls(column.Full(b.Columns[s.j.probeKeys[len(s.j.probeKeys)-1]]))
	}
}

// match makes the rows out of the next candidates of the block at hand.
func (s *joinStream) match(ctx context.Context) (*column.Block, error) {
	if s.plain() {
		b := s.block
		probe, build := s.matches()
		s.block = nil
		if len(probe) == 0 {
			return nil, nil
		}
		return s.emit(b, probe, build), nil
	}
	probe, build, whole := s.candidates()
	pass, err := s.residual(ctx, probe, build)
	if err != nil {
		return nil, err
	}
	b := s.block
	probe, build = s.settle(probe, build, pass, whole)
	if s.row >= b.Rows {
		s.block = nil
	}
	if len(probe) == 0 {
		return nil, nil
	}
	return s.emit(b, probe, build), nil
}

// plain tells whether every pair of equal keys comes out, nothing else does,
// and a probe row has at most one.
func (s *joinStream) plain() bool {
	r := &s.j.rule
	return s.table.single && s.asof == nil && len(s.j.node.Residual) == 0 && s.row == 0 &&
		r.pairs && !r.probeOuter && !r.buildOuter && !r.buildOnce && !r.keyOnce
}

// matches gives the pairs of a whole block of a plain join.
func (s *joinStream) matches() (probe, build []uint32) {
	t := s.table
	probe, build = make([]uint32, 0, s.block.Rows), make([]uint32, 0, s.block.Rows)
	for row, g := range s.groups {
		if g == noGroup {
			continue
		}
		if from := t.starts[g]; from < t.starts[g+1] {
			probe, build = append(probe, uint32(row)), append(build, t.order[from])
		}
	}
	return probe, build
}

// candidates lists pairs of equal keys from the present row on. A probe row
// without candidates is listed with noGroup. whole tells that the last row's
// candidates are all there.
func (s *joinStream) candidates() (probe, build []uint32, whole bool) {
	t := s.table
	probe = make([]uint32, 0, s.block.Rows-s.row)
	build = make([]uint32, 0, s.block.Rows-s.row)
	first := len(s.j.node.Residual) == 0 && s.j.rule.probeOnce && !s.j.rule.buildOnce && !s.j.rule.keyOnce
	anti := len(s.j.node.Residual) == 0 && !s.j.rule.pairs && !s.j.rule.buildOuter
	for s.row < s.block.Rows && len(probe) < joinPairs {
		g := s.groups[s.row]
		var rows []uint32
		if g != noGroup {
			if s.asof != nil {
				if r := t.closest(g, s.asof, s.row, s.j.node.AsofOp); r != noGroup {
					rows = []uint32{r}
				}
			} else {
				rows = t.order[t.starts[g]:t.starts[g+1]]
			}
		}
		if (first || anti) && len(rows) > 1 {
			rows = rows[:1]
		}
		if len(rows) == 0 {
			probe, build = append(probe, uint32(s.row)), append(build, noGroup)
			s.row++
			continue
		}
		rows = rows[s.within:]
		if len(rows) > joinPairs {
			rows = rows[:joinPairs]
			s.within += joinPairs
			for _, r := range rows {
				probe, build = append(probe, uint32(s.row)), append(build, r)
			}
			return probe, build, false
		}
		for _, r := range rows {
			probe, build = append(probe, uint32(s.row)), append(build, r)
		}
		s.within = 0
		s.row++
	}
	return probe, build, true
}

// residual evaluates the further conditions of ON; nil when there are none.
func (s *joinStream) residual(ctx context.Context, probe, build []uint32) ([]uint8, error) {
	if len(s.j.node.Residual) == 0 || len(probe) == 0 {
		return nil, nil
	}
	var real []uint32 // candidates that are pairs
	for i, r := range build {
		if r != noGroup {
			real = append(real, uint32(i))
		}
	}
	pass := make([]uint8, len(probe))
	if len(real) == 0 {
		return pass, nil
	}
	p, q := pickRows(probe, real), pickRows(build, real)
	width := len(s.j.probe.header) + len(s.j.build.header)
	b := &column.Block{Rows: len(real), Columns: make([]column.Column, width+1)}
	for _, c := range s.j.needed {
		if b.Columns[c] != nil {
			continue
		}
		if k := c - s.j.probeAt; k >= 0 && k < len(s.j.probe.header) {
			b.Columns[c] = s.block.Columns[k].Gather(p)
		} else {
			b.Columns[c] = s.table.columns[c-s.j.buildAt].Gather(q)
		}
	}
	// A last column carries the places of the rows through the filter.
	b.Columns[width] = column.NewFixed(real)
	for i, c := range b.Columns {
		if c == nil {
			b.Columns[i] = &column.Nothing{N: b.Rows}
		}
	}
	b, err := filterBlock(ctx, b, s.j.node.Residual)
	if err != nil {
		return nil, err
	}
	for _, i := range b.Columns[width].(*column.Fixed[uint32]).Values {
		pass[i] = 1
	}
	return pass, nil
}

func pickRows(rows, at []uint32) []uint32 {
	out := make([]uint32, len(at))
	for i, k := range at {
		out[i] = rows[k]
	}
	return out
}

// settle applies the join's rule to candidates: it gives the pairs that come
// out, noGroup for a missing build row.
func (s *joinStream) settle(probe, build []uint32, pass []uint8, whole bool) (p, q []uint32) {
	r := &s.j.rule
	if pass == nil && r.pairs && r.probeOuter && !r.buildOuter && !r.buildOnce && whole && s.within == 0 && !s.hit {
		return probe, build // an ALL or ANY left join: candidates are the rows
	}
	p, q = probe[:0:len(probe)], build[:0:len(build)]
	for i := 0; i < len(probe); {
		row := probe[i]
		end := i
		for end < len(probe) && probe[end] == row {
			end++
		}
		for ; i < end; i++ {
			b := build[i]
			if b == noGroup || pass != nil && pass[i] == 0 || r.probeOnce && s.hit {
				continue
			}
			fresh := true
			if s.table.used != nil {
				fresh = s.table.mark(s.keyRow(b, row))
			}
			s.hit = s.hit || !r.buildOnce && !r.keyOnce || fresh
			if r.pairs && (fresh || !r.buildOnce && !r.keyOnce) {
				p, q = append(p, row), append(q, b)
			}
			if r.keyOnce {
				s.hit = true
			}
		}
		if i == len(probe) && !whole {
			break // more candidates of this row follow
		}
		if !s.hit && r.probeOuter {
			p, q = append(p, row), append(q, noGroup)
		}
		s.hit = false
	}
	return p, q
}

// keyRow gives the row whose mark stands for a match: with keyOnce the first
// row of the key, for all of them.
func (s *joinStream) keyRow(build, probe uint32) uint32 {
	if !s.j.rule.keyOnce {
		return build
	}
	return s.table.order[s.table.starts[s.groups[probe]]]
}

// emit makes the rows of pairs.
func (s *joinStream) emit(b *column.Block, probe, build []uint32) *column.Block {
	j := s.j
	out := &column.Block{Rows: len(probe), Columns: make([]column.Column, len(j.node.Fields))}
	same := len(probe) == b.Rows && isSequence(probe)
	for c, col := range b.Columns {
		if !same {
			col = col.Gather(probe)
		}
		out.Columns[j.probeAt+c] = asField(j.node.Fields[j.probeAt+c].Type, col)
	}
	for i, r := range build {
		if r == noGroup {
			build[i] = uint32(s.table.rows)
		}
	}
	for c, col := range s.table.columns {
		out.Columns[j.buildAt+c] = col.Gather(build)
	}
	return out
}

func isSequence(rows []uint32) bool {
	for i, r := range rows {
		if r != uint32(i) {
			return false
		}
	}
	return true
}

// emitUnused makes rows of the build side alone.
func (s *joinStream) emitUnused(rows []uint32) *column.Block {
	j := s.j
	out := &column.Block{Rows: len(rows), Columns: make([]column.Column, len(j.node.Fields))}
	for c := range j.probe.header {
		out.Columns[j.probeAt+c] = column.NewConst(column.Default(j.node.Fields[j.probeAt+c].Type, 1), len(rows))
	}
	for c, col := range s.table.columns {
		out.Columns[j.buildAt+c] = col.Gather(rows)
	}
	return out
}

func (s *joinStream) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	s.block, s.table, s.unused = nil, nil, nil
	var err error
	if s.part != nil {
		err = s.part.Close()
	}
	if e := s.j.close(); err == nil {
		err = e
	}
	return err
}
