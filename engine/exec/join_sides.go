package exec

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"lakeserver/cherr"
	"lakeserver/column"
)

// Estimates of how many rows are left behind filters are often wrong, and a
// hash table over the larger side costs memory and time, and hides from the
// other scan which keys matter. So the inputs of an inner join are read in
// turns until one of them ends: that one is the build side. Small inputs keep
// the side that the plan has chosen, and with it the order of their rows.

const (
	// firstTurn is how many rows of the planned build side are read at first; an
	// input that ends within is built whatever the other.
	firstTurn = 1 << 16
	// lastTurn is the turn after which the planned side is read to its end.
	lastTurn = 1 << 22
)

// joinSide is one input of a join while it is read.
type joinSide struct {
	in     *port
	blocks [][]*column.Block // by stream
	ended  []bool
	rows   atomic.Int64
	bytes  atomic.Int64
}

func newJoinSide(p *port) *joinSide {
	return &joinSide{in: p, blocks: make([][]*column.Block, len(p.streams)), ended: make([]bool, len(p.streams))}
}

func (s *joinSide) done() bool {
	for _, e := range s.ended {
		if !e {
			return false
		}
	}
	return true
}

// read reads until the side has so many rows or bytes, or ends.
func (s *joinSide) read(ctx context.Context, rows, bytes int64, took func(b *column.Block) error) error {
	return consume(ctx, s.in, func(ctx context.Context, i int, in column.Stream) error {
		for !s.ended[i] && s.rows.Load() < rows && s.bytes.Load() < bytes {
			if err := ctx.Err(); err != nil {
				return err
			}
			b, err := in.Next(ctx)
			if err != nil {
				return err
			}
			if b == nil {
				s.ended[i] = true
				break
			}
			if b.Rows == 0 {
				continue
			}
			s.blocks[i] = append(s.blocks[i], b)
			s.rows.Add(int64(b.Rows))
			s.bytes.Add(b.Size())
			if err := took(b); err != nil {
				return err
			}
		}
		return nil
	})
}

// adaptive tells whether either side may be built.
func (j *hashJoin) adaptive() bool {
	limits := newJoinLimits(j.opt)
	return j.node.Symmetric() && len(j.node.LeftKeys) > 0 && limits == joinLimits{}
}

// chooseSides reads both sides in turns and swaps them when the one to be
// probed ends first. It gives the build side, read to its end.
func (j *hashJoin) chooseSides(ctx context.Context) (*joinSide, error) {
	build, probe := newJoinSide(j.build), newJoinSide(j.probe)
	limits := newJoinLimits(j.opt)
	var mu sync.Mutex
	took := func(*column.Block) error {
		mu.Lock()
		defer mu.Unlock()
		rows, bytes := uint64(build.rows.Load()), build.bytes.Load()
		if _, err := overflow("JOIN", limits.maxRows, rows, limits.maxBytes, uint64(bytes), false); err != nil {
			return cherr.New(cherr.SetSizeLimitExceeded, "%s", err.Error())
		}
		return j.held.Resize(bytes + probe.bytes.Load())
	}
	most := int64(math.MaxInt64)
	if j.mayPart() {
		most = j.partAt
	}
	for turn := int64(firstTurn); ; turn *= 4 {
		if turn > lastTurn || !j.adaptive() {
			turn = math.MaxInt64 / 4
		}
		if err := build.read(ctx, turn, most, took); err != nil {
			return nil, err
		}
		if build.done() {
			break
		}
		if build.bytes.Load() >= most && (!j.adaptive() || probe.bytes.Load() >= most) {
			_, err := j.newGraceJoin(ctx, build, probe)
			return nil, err
		}
		if !j.adaptive() {
			continue
		}
		if err := probe.read(ctx, turn, most, took); err != nil {
			return nil, err
		}
		if probe.done() {
			build, probe = probe, build
			j.swap()
			break
		}
	}
	j.early.put(probe.blocks)
	return build, nil
}

// swap builds the table over the other side.
func (j *hashJoin) swap() {
	j.buildLeft = !j.buildLeft
	j.rule = ruleOf(j.node, j.buildLeft)
	j.probe, j.build = j.build, j.probe
	j.probeKeys, j.buildKeys = j.buildKeys, j.probeKeys
	j.probeAt, j.buildAt = j.buildAt, j.probeAt
	j.probeFilters, j.buildFilters = j.buildFilters, j.probeFilters
}

// earlyBlocks are blocks of the probe side that were read before it was known
// to be that; whoever probes takes them first.
type earlyBlocks struct {
	mu     sync.Mutex
	blocks []*column.Block
}

func (e *earlyBlocks) put(parts [][]*column.Block) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range parts {
		e.blocks = append(e.blocks, p...)
	}
}

func (e *earlyBlocks) take() *column.Block {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.blocks) == 0 {
		return nil
	}
	b := e.blocks[0]
	e.blocks[0] = nil
	e.blocks = e.blocks[1:]
	return b
}
