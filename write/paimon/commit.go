package paimon

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"lakeserver/cherr"
	"lakeserver/metadata/paimon"
	"lakeserver/objstore"
)

// Committer publishes snapshots of one table. Its methods are for one
// goroutine at a time; many committers, here and elsewhere, may commit at once.
type Committer struct {
	ctx     *Context
	dir     paimon.Dir
	schema  *paimon.Schema // as it was when the committer was made
	options options
	buckets int
	publish publisher
	metrics metrics
	now     func() time.Time
	sleep   func(ctx context.Context, d time.Duration) error
	warn    func(text string) // what is ignored, told to whoever logs
}

// Create opens a table for commits. Errors: BAD_ARGUMENTS where the table's
// options ask for what commits do not do, NOT_IMPLEMENTED for a store that
// cannot publish atomically.
func Create(ctx context.Context, c *Context) (*Committer, error) {
	store := c.Store
	var known *CatalogTable
	if c.Catalog != nil {
		t, err := c.Catalog.LoadTable(ctx, *c.Identifier)
		if err != nil {
			return nil, cherr.Wrap(err, "loading Paimon table %s", c.Identifier)
		}
		if known = t; t.Store != nil && !c.storeGiven {
			store = t.Store
		}
	}
	if name := c.Root[strings.LastIndexByte(strings.TrimSuffix(c.Root, "/"), '/')+1:]; strings.Contains(name, "$") {
		return nil, invalid("Cannot 'commit' for system table %s", strings.TrimSuffix(name, "/"))
	}
	out := &Committer{
		ctx: c, dir: paimon.Dir{Store: store, Root: c.Root, Branch: c.Branch}, now: time.Now, sleep: sleep, warn: func(string) {},
	}
	if c.FormatTable {
		return out, nil
	}
	schema, err := out.dir.LatestSchema(ctx)
	if err != nil {
		return nil, cherr.Wrap(err, "not found latest schema of Paimon table %s", c.Root)
	}
	out.schema = schema
	out.options = optionsOf(schema, c.Options)
	if err := out.options.supported(); err != nil {
		return nil, err
	}
	out.buckets = int(out.options.number("bucket", -1))
	return out, out.choosePublisher(known)
}

// WithWarnings gives where warnings go.
func (c *Committer) WithWarnings(warn func(text string)) *Committer {
	c.warn = warn
	return c
}

func (c *Committer) choosePublisher(known *CatalogTable) error {
	files := &filePublisher{dir: c.dir}
	switch {
	case c.ctx.UseRESTCommit:
		c.publish = &requestPublisher{files: files, stored: &stored{}}
	case known != nil && known.ManagesVersions:
		c.publish = &catalogPublisher{files: files, catalog: c.ctx.Catalog, id: *c.ctx.Identifier, table: known, stored: &stored{}}
	case !conditional(c.ctx.Root, c.dir.Store):
		return cherr.New(cherr.NotImplemented, "commits to the object store of `%s` need a catalog that manages versions", c.ctx.Root)
	default:
		c.publish = files
	}
	return nil
}

// conditional tells whether a store can refuse to overwrite. Local ones can;
// others say so themselves.
func conditional(root string, s objstore.Store) bool {
	scheme, _, ok := strings.Cut(root, "://")
	if !ok || scheme == "file" {
		return true
	}
	p, ok := s.(interface{ ConditionalPut() bool })
	return ok && p.ConditionalPut()
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// plan is one snapshot to make; what it changes is asked anew for each attempt.
type plan struct {
	kind       paimon.CommitKind
	identifier int64
	watermark  *int64
	properties map[string]string
	statistics string // a new statistics file
	operation  string
	check      bool // against the live files
	// changes gives the entries over the latest snapshot, which may be nil.
	changes func(ctx context.Context, latest *paimon.Snapshot) (changes, error)
	// offsets changes the progress that the snapshot carries.
	offsets offsetsChange
	rowIDs  *rowIDCheck
}

func fixed(ch changes) func(context.Context, *paimon.Snapshot) (changes, error) {
	return func(context.Context, *paimon.Snapshot) (changes, error) { return ch, nil }
}

// CommitOptions are the parts of a commit that have defaults.
type CommitOptions struct {
	Identifier *int64 // nil: that of batch jobs
	Watermark  *int64 // milliseconds
	Properties map[string]string
	// RowIDCheckConflict names the snapshot that the changes were computed on;
	// other commits since then must not have written the same columns of the
	// same rows. nil: not checked.
	RowIDCheckConflict *int64
	// RowIDCheckForVectors is RowIDCheckConflict for compactions that number
	// rows anew: any file over the same rows is a conflict.
	RowIDCheckForVectors *int64
	Operation            string
}

func (o *CommitOptions) identifier() int64 {
	if o == nil || o.Identifier == nil {
		return paimon.BatchIdentifier
	}
	return *o.Identifier
}

// Commit makes the messages' changes visible: what writers added in one
// snapshot, what compactions changed in a second one of the same identifier.
func (c *Committer) Commit(ctx context.Context, messages []any, o *CommitOptions) error {
	_, err := c.measured(func(m *measure) (int64, error) { return c.commit(ctx, messages, o, m, c.ctx.AppendCheckConflict, nil) })
	return err
}

func (c *Committer) measured(f func(m *measure) (int64, error)) (int64, error) {
	m := &measure{started: c.now()}
	last, err := f(m)
	c.metrics.report(m, c.now().Sub(m.started))
	return last, err
}

func (c *Committer) commit(ctx context.Context, messages []any, o *CommitOptions, m *measure, check bool, progress offsetsChange) (last int64, err error) {
	if c.ctx.FormatTable {
		return 0, c.publishFiles(ctx, messages)
	}
	if o == nil {
		o = &CommitOptions{}
	}
	data, compact, err := c.collect(messages)
	if err != nil {
		return 0, err
	}
	m.data, m.compact = data, compact
	rows := rowIDCheckOf(o)
	if !c.ctx.IgnoreEmptyCommit || !data.empty() || progress != nil {
		p := &plan{
			kind: paimon.CommitAppend, identifier: o.identifier(), watermark: o.Watermark, properties: o.Properties, operation: o.Operation,
			changes: fixed(data), offsets: progress, rowIDs: rows,
		}
		if data.overwrites() {
			p.kind = paimon.CommitOverwrite
		}
		p.check = check || p.kind == paimon.CommitOverwrite || rows != nil || data.globalIndexes()
		if last, err = c.try(ctx, p, m); err != nil {
			return 0, err
		}
	}
	if !compact.empty() {
		p := &plan{
			kind: paimon.CommitCompact, identifier: o.identifier(), watermark: o.Watermark, properties: o.Properties, operation: o.Operation,
			changes: fixed(compact), check: true, rowIDs: rows,
		}
		if last, err = c.try(ctx, p, m); err != nil {
			return 0, err
		}
	}
	return last, nil
}

// try repeats attempts until one wins the race for the next snapshot id.
func (c *Committer) try(ctx context.Context, p *plan, m *measure) (int64, error) {
	started := c.now()
	retries := c.options.number("commit.max-retries", 10)
	timeout := c.options.duration("commit.timeout", 0)
	wait := c.options.duration("commit.min-retry-wait", 10*time.Millisecond)
	most := c.options.duration("commit.max-retry-wait", 10*time.Second)
	attempts, before := 0, m.attempts
	for retry := int64(0); ; retry++ {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		attempts++
		id, outcome, err := c.once(ctx, p)
		switch {
		case outcome == unclear && c.landed(ctx, id):
			m.attempts, m.last = before+attempts+1, id.ID
			m.snapshots++
			return id.ID, nil
		case outcome == unclear:
			return 0, cherr.WithCode(cherr.CodeOf(err), errors.Join(errUnclear, err), "it is not known whether snapshot %d of Paimon table %s was published. You need to call FilterAndCommit to retry commit", id.ID, c.ctx.Root)
		case err != nil:
			return 0, err
		case outcome == won:
			m.attempts, m.last = before+attempts, id.ID
			m.snapshots++
			return id.ID, nil
		}
		m.attempts = before + attempts
		if retry >= retries || timeout > 0 && c.now().Sub(started) > timeout {
			return 0, cherr.New(cherr.NotImplemented, "snapshot %d of Paimon table %s was published by others after %d attempts in %s: there maybe exist commit conflicts between multiple jobs",
				id.ID, c.ctx.Root, attempts, c.now().Sub(started).Round(time.Millisecond))
		}
		if err := c.sleep(ctx, wait/2+rand.N(wait/2+1)); err != nil {
			return 0, err
		}
		wait = min(2*wait, most)
	}
}

var errUnclear = cherr.New(cherr.Unfinished, "the outcome is not known")

// IsUnclear tells errors after which nobody knows whether the commit is
// published: then none of its files may be deleted.
func IsUnclear(err error) bool { return errors.Is(err, errUnclear) }

type outcome uint8

const (
	lost outcome = iota
	won
	unclear
)

// once makes one attempt. Whatever it wrote is deleted again unless it won, or
// nobody knows.
func (c *Committer) once(ctx context.Context, p *plan) (*paimon.Snapshot, outcome, error) {
	latest, err := c.publish.latest(ctx)
	if err != nil {
		return nil, lost, err
	}
	a := &attempt{c: c, plan: p, latest: latest}
	if err := a.prepare(ctx); err != nil {
		a.clean(ctx)
		return a.snapshot, lost, err
	}
	if err := ctx.Err(); err != nil {
		a.clean(ctx)
		return a.snapshot, lost, err
	}
	// A request to stop must not leave open whether the snapshot is there.
	ok, err := c.publish.publish(context.WithoutCancel(ctx), latest, a.snapshot, a.requestStatistics, c.ctx.TableID)
	switch {
	case err != nil:
		return a.snapshot, unclear, err
	case !ok:
		a.clean(ctx)
		return a.snapshot, lost, nil
	}
	return a.snapshot, won, nil
}

// landed tells whether an attempt that gave an error is published after all.
func (c *Committer) landed(ctx context.Context, s *paimon.Snapshot) bool {
	found, err := c.publish.find(context.WithoutCancel(ctx), s.ID)
	return err == nil && found != nil && found.UUID == s.UUID
}

// put writes a file of an attempt.
func (c *Committer) put(ctx context.Context, path string, data []byte) error {
	_, err := c.dir.Store.Put(ctx, path, bytes.NewReader(data), objstore.PutOptions{IfAbsent: true})
	return err
}

func newUUID() string { return uuid.NewString() }

// publisher is where the newest snapshot is and how the next one takes its place.
type publisher interface {
	latest(ctx context.Context) (*paimon.Snapshot, error)
	// publish gives false when another snapshot took the place; after an error
	// nobody knows.
	publish(ctx context.Context, base, next *paimon.Snapshot, stats func() []PartitionStatistics, tableID *string) (bool, error)
	// find gives a published snapshot, nil when it is not there.
	find(ctx context.Context, id int64) (*paimon.Snapshot, error)
}

// filePublisher publishes by creating the snapshot's file.
type filePublisher struct{ dir paimon.Dir }

func (p *filePublisher) latest(ctx context.Context) (*paimon.Snapshot, error) {
	return p.dir.LatestSnapshot(ctx)
}

func (p *filePublisher) publish(ctx context.Context, _, next *paimon.Snapshot, _ func() []PartitionStatistics, _ *string) (bool, error) {
	data, err := next.MarshalJSON()
	if err != nil {
		return false, err
	}
	_, err = p.dir.Store.Put(ctx, p.dir.SnapshotPath(next.ID), bytes.NewReader(paimon.Indent(data)), objstore.PutOptions{IfAbsent: true})
	switch {
	case errors.Is(err, objstore.ErrExists):
		return false, nil
	case err != nil:
		return false, err
	}
	// LATEST is a hint: readers who find it stale list the folder.
	_ = putHint(ctx, p.dir, "LATEST", next.ID)
	return true, nil
}

func (p *filePublisher) find(ctx context.Context, id int64) (*paimon.Snapshot, error) {
	s, err := p.dir.Snapshot(ctx, id)
	if cherr.Is(err, cherr.FileDoesntExist) {
		return nil, nil
	}
	return s, err
}

func putHint(ctx context.Context, d paimon.Dir, name string, id int64) error {
	_, err := d.Store.Put(ctx, d.Meta()+"snapshot/"+name, strings.NewReader(strconv.FormatInt(id, 10)), objstore.PutOptions{})
	return err
}

// sortedPartitions gives the keys of a set in order.
func sortedPartitions(set map[string]bool) []string {
	out := make([]string, 0, len(set))
	for p := range set {
		out = append(out, p)
	}
	sort.Strings(out)
	return out
}
