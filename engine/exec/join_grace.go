package exec

import (
	"context"
	"sync"

	"lakeserver/column"
)

// A join whose build side outgrows max_bytes_before_external_join is made in
// parts (a grace hash join): rows of both sides go to files by a hash of their
// keys, then each pair of files is joined on its own. Rows with a NULL key meet
// no other row, and so may be in any part.

// joinParts is how many pairs of files there are.
const joinParts = 64

// mayPart tells whether the join can be made in parts: its rows must be found
// by equal keys.
func (j *hashJoin) mayPart() bool { return j.partAt > 0 && j.equalKeys() > 0 }

// graceJoin is a join in parts. Its streams take a pair of files each at a time.
type graceJoin struct {
	j           *hashJoin
	left, right []*spillFile
	mu          sync.Mutex // guards next
	next        int
}

// newGraceJoin writes both sides to their files.
func (j *hashJoin) newGraceJoin(ctx context.Context, build, probe *joinSide) (*graceJoin, error) {
	g := &graceJoin{j: j}
	j.grace = g // so that the files are closed whatever happens
	sides := [2]*joinSide{build, probe}
	keys := [2][]int{j.buildKeys, j.probeKeys}
	for i, side := range sides {
		files, err := g.part(ctx, side, keys[i])
		if isLeft := (i == 0) == j.buildLeft; isLeft {
			g.left = files
		} else {
			g.right = files
		}
		if err != nil {
			return nil, err
		}
	}
	return g, nil
}

// part writes a side's rows, those read already and those to come.
func (g *graceJoin) part(ctx context.Context, side *joinSide, keys []int) ([]*spillFile, error) {
	files := make([]*spillFile, joinParts)
	for p := range files {
		f, err := newSpillFile(g.j.opt.TempDir, side.in.header)
		if err != nil {
			return files, err
		}
		files[p] = f
	}
	locks := make([]sync.Mutex, joinParts)
	hasher := newGrouper(g.j.keyTypes(), false)
	write := func(b *column.Block) error {
		cols, _ := g.j.keyColumns(b, keys)
		order, ends := joinOrder(hasher, cols, b.Rows)
		sorted := b.Gather(order)
		from := 0
		for p, end := range ends {
			if from == end {
				continue
			}
			locks[p].Lock()
			err := files[p].write(sorted.Slice(from, end))
			locks[p].Unlock()
			if err != nil {
				return err
			}
			from = end
		}
		return nil
	}
	for i, blocks := range side.blocks {
		for k, b := range blocks {
			if err := write(b); err != nil {
				return files, err
			}
			blocks[k] = nil
		}
		side.blocks[i] = nil
	}
	if err := g.j.held.Resize(0); err != nil {
		return files, err
	}
	return files, consume(ctx, side.in, func(ctx context.Context, i int, in column.Stream) error {
		if side.ended[i] {
			return nil
		}
		return drain(ctx, in, write)
	})
}

// joinOrder puts rows in the order of their parts.
func joinOrder(g grouper, keys []column.Column, rows int) (order []uint32, ends []int) {
	order, fine := scatterOrder(g, keys, rows)
	ends = make([]int, joinParts)
	for p, end := range fine {
		ends[p*joinParts/partitions] = end
	}
	return order, ends
}

// take gives the next pair of files as a join of its own; nil at the end.
func (g *graceJoin) take() *joinStream {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.next < joinParts {
		p := g.next
		g.next++
		l, r := g.left[p], g.right[p]
		if l.rows == 0 && r.rows == 0 {
			continue
		}
		left := &port{header: l.header, streams: []column.Stream{l}}
		right := &port{header: r.header, streams: []column.Stream{r}}
		n := *g.j.node
		n.BuildLeft = n.Symmetric() && l.rows < r.rows
		j := newHashJoin(&n, left, right, g.j.opt, joinFilters{})
		j.partAt = 0 // a part is joined in memory
		j.open.Store(1)
		j.probing.Store(1)
		return &joinStream{j: j}
	}
	return nil
}

func (g *graceJoin) close() error {
	var first error
	for _, files := range [2][]*spillFile{g.left, g.right} {
		for _, f := range files {
			if f == nil {
				continue
			}
			if err := f.Close(); first == nil {
				first = err
			}
		}
	}
	return first
}

// nextPart gives the next rows of a join in parts.
func (s *joinStream) nextPart(ctx context.Context) (*column.Block, error) {
	for {
		if s.part == nil {
			if s.part = s.j.grace.take(); s.part == nil {
				return nil, nil
			}
		}
		b, err := s.part.Next(ctx)
		if err != nil || b != nil {
			return b, err
		}
		err = s.part.Close()
		s.part = nil
		if err != nil {
			return nil, err
		}
	}
}
