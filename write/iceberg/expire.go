package iceberg

import (
	"context"
	"math"
	"strconv"

	"lakeserver/cherr"
	"lakeserver/metadata/iceberg"
)

// ExpireOptions say which snapshots go.
type ExpireOptions struct {
	NowMs int64
	// FuseMs protects every snapshot of that time and after it; nil: none.
	FuseMs *int64
	// MaxAgeMs and RetainLast stand before the table's properties, never
	// before what a branch says itself; nil: the table's.
	MaxAgeMs   *int64
	RetainLast *int
	// IDs are the only ones that go; nil: by age and number.
	IDs []int64
	// What holds where neither call nor table says anything.
	DefaultMaxAgeMs, DefaultMaxRefAgeMs int64
	DefaultRetainLast                   int
}

// Expiry is what goes.
type Expiry struct {
	Snapshots []int64  // in the order of the metadata
	Refs      []string // by name: those too old
	Dangling  []string // by name: those whose snapshot is not there
}

// PlanExpiry chooses the snapshots and refs that go (iceberg.md §3.1).
func PlanExpiry(m *iceberg.TableMetadata, o ExpireOptions) (*Expiry, error) {
	if !boolProperty(m.Properties, "gc.enabled", true) {
		return nil, cherr.New(cherr.BadArguments, "Cannot expire snapshots of Iceberg table %s: gc.enabled is false", m.Location)
	}
	p := &expiryPlan{m: m, o: o, byID: make(map[int64]*iceberg.Snapshot, len(m.Snapshots)), keep: make(map[int64]bool, len(m.Snapshots))}
	for _, s := range m.Snapshots {
		p.byID[s.ID] = s
	}
	return p.run()
}

type expiryPlan struct {
	m    *iceberg.TableMetadata
	o    ExpireOptions
	byID map[int64]*iceberg.Snapshot
	keep map[int64]bool
	out  Expiry
}

func (p *expiryPlan) run() (*Expiry, error) {
	maxAge := p.age("history.expire.max-snapshot-age-ms", p.o.DefaultMaxAgeMs, p.o.MaxAgeMs)
	minKeep := int(p.property("history.expire.min-snapshots-to-keep", int64(p.o.DefaultRetainLast)))
	if p.o.RetainLast != nil {
		minKeep = *p.o.RetainLast
	}
	p.dropRefs()
	switch {
	case p.o.IDs != nil:
		if err := p.only(); err != nil {
			return nil, err
		}
	default:
		p.keepRefs(maxAge, max(minKeep, 1))
		p.keepLoose(maxAge)
	}
	for _, s := range p.m.Snapshots {
		fused := p.o.FuseMs != nil && s.TimestampMs >= *p.o.FuseMs
		if !p.keep[s.ID] && !fused && s.ID != p.m.CurrentSnapshotID {
			p.out.Snapshots = append(p.out.Snapshots, s.ID)
		}
	}
	return &p.out, nil
}

func (p *expiryPlan) property(name string, def int64) int64 {
	if v, err := strconv.ParseInt(p.m.Properties[name], 10, 64); err == nil {
		return v
	}
	return def
}

func (p *expiryPlan) age(name string, def int64, own *int64) int64 {
	if own != nil {
		return *own
	}
	return p.property(name, def)
}

// older tells whether a snapshot is older than an age, which may be for ever.
func (p *expiryPlan) older(s *iceberg.Snapshot, age int64) bool {
	return age != math.MaxInt64 && p.o.NowMs-s.TimestampMs > age
}

// dropRefs finds refs that are too old, or whose snapshot is not there.
func (p *expiryPlan) dropRefs() {
	for _, name := range sortedRefs(p.m) {
		r := p.m.Refs[name]
		s := p.byID[r.SnapshotID]
		switch {
		case name == iceberg.MainBranch:
		case s == nil:
			p.out.Dangling = append(p.out.Dangling, name)
		case p.o.IDs == nil && p.older(s, p.age("history.expire.max-ref-age-ms", p.o.DefaultMaxRefAgeMs, r.MaxRefAgeMs)):
			if p.o.FuseMs == nil || s.TimestampMs < *p.o.FuseMs {
				p.out.Refs = append(p.out.Refs, name)
			}
		}
	}
}

// gone tells whether a ref is dropped.
func (p *expiryPlan) gone(name string) bool {
	for _, list := range [][]string{p.out.Refs, p.out.Dangling} {
		for _, n := range list {
			if n == name {
				return true
			}
		}
	}
	return false
}

// keepRefs keeps what branches and tags hold: the snapshot of a tag, the head
// of a branch and of its ancestors the first few and the young ones.
func (p *expiryPlan) keepRefs(maxAge int64, minKeep int) {
	for name, r := range p.m.Refs {
		if p.gone(name) {
			continue
		}
		if refKind(r) == iceberg.TagRef {
			p.keep[r.SnapshotID] = true
			continue
		}
		age, least := maxAge, minKeep
		if r.MaxSnapshotAgeMs != nil {
			age = *r.MaxSnapshotAgeMs
		}
		if r.MinSnapshotsToKeep != nil {
			least = *r.MinSnapshotsToKeep
		}
		n := 0
		walkAncestors(p.byID, r.SnapshotID, func(s *iceberg.Snapshot) bool {
			if n >= max(least, 1) && p.older(s, age) {
				return false
			}
			n++
			p.keep[s.ID] = true
			return true
		})
	}
}

// keepLoose keeps young snapshots that no ref reaches: staged ones.
func (p *expiryPlan) keepLoose(maxAge int64) {
	reached := make(map[int64]bool, len(p.byID))
	for name, r := range p.m.Refs {
		if p.gone(name) {
			continue
		}
		walkAncestors(p.byID, r.SnapshotID, func(s *iceberg.Snapshot) bool {
			if reached[s.ID] {
				return false
			}
			reached[s.ID] = true
			return refKind(r) != iceberg.TagRef
		})
	}
	for id, s := range p.byID {
		if !reached[id] && !p.older(s, maxAge) {
			p.keep[id] = true
		}
	}
}

// only keeps all but the snapshots that were named.
func (p *expiryPlan) only() error {
	named := map[int64]bool{}
	for _, id := range p.o.IDs {
		if p.byID[id] == nil {
			return cherr.New(cherr.BadArguments, "expire_snapshots snapshot id %d does not exist.", id)
		}
		named[id] = true
	}
	for _, name := range sortedRefs(p.m) {
		if r := p.m.Refs[name]; named[r.SnapshotID] && !p.gone(name) {
			return cherr.New(cherr.BadArguments, "cannot expire snapshot %d: %s `%s` points to it", r.SnapshotID, refKind(r), name)
		}
	}
	if named[p.m.CurrentSnapshotID] {
		return cherr.New(cherr.BadArguments, "cannot expire snapshot %d: it is the current one", p.m.CurrentSnapshotID)
	}
	for id := range p.byID {
		if !named[id] {
			p.keep[id] = true
		}
	}
	return nil
}

// change gives the expiry as updates. Every ref that stays must stay where it
// is: one that moves to a snapshot that goes would be left without it.
func (x *Expiry) change(base *iceberg.TableMetadata) *Change {
	c := &Change{Requirements: []iceberg.Requirement{iceberg.AssertUUID{UUID: base.UUID}}}
	for _, name := range sortedRefs(base) {
		c.Requirements = append(c.Requirements, refStays(base, name))
	}
	for _, list := range [][]string{x.Refs, x.Dangling} {
		for _, name := range list {
			c.Updates = append(c.Updates, iceberg.RemoveSnapshotRef{Name: name})
		}
	}
	if len(x.Snapshots) > 0 {
		c.Updates = append(c.Updates, iceberg.RemoveSnapshots{SnapshotIDs: x.Snapshots})
	}
	return c
}

// Expired is what an expiry did, or would do.
type Expired struct {
	Expiry
	Files FileCounts
}

// ExpireSnapshots lets snapshots go and then deletes the files that no
// snapshot needs any more. A dry run only counts.
func (t *Table) ExpireSnapshots(ctx context.Context, o ExpireOptions, dryRun bool) (*Expired, error) {
	var plan *Expiry
	var base *iceberg.TableMetadata
	op := Plan(func(_ context.Context, b *iceberg.TableMetadata) (*Change, error) {
		var err error
		if plan, err = PlanExpiry(b, o); err != nil {
			return nil, err
		}
		base = b
		return plan.change(b), nil
	})
	next, err := t.expire(ctx, op, dryRun)
	if err != nil {
		return nil, err
	}
	out := &Expired{Expiry: *plan}
	if len(plan.Snapshots) == 0 {
		return out, nil
	}
	dead, err := t.deadFiles(ctx, base, next, plan.Snapshots)
	if err != nil {
		if dryRun {
			return nil, err
		}
		return nil, cherr.Wrap(err, "finding the files of %d expired snapshots of Iceberg table %s: the snapshots are gone, their files were left", len(plan.Snapshots), base.Location)
	}
	if dryRun {
		out.Files = dead.counts()
		return out, nil
	}
	out.Files, _ = t.deleteDead(ctx, dead)
	return out, nil
}

// expire commits, or gives what a commit would make.
func (t *Table) expire(ctx context.Context, op Operation, dryRun bool) (*iceberg.TableMetadata, error) {
	if !dryRun {
		return t.Commit(ctx, op)
	}
	base, err := t.Swapper.Load(ctx)
	if err != nil {
		return nil, err
	}
	c, err := op.Plan(ctx, base)
	if err != nil {
		return nil, err
	}
	b := iceberg.NewBuilder(base)
	if err := b.Apply(c.Updates...); err != nil {
		return nil, err
	}
	return b.Build()
}
