package iceberg

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"time"

	"lakeserver/cherr"
	"lakeserver/metadata"
	"lakeserver/metadata/iceberg"
	"lakeserver/objstore"
)

// ErrConflict says that someone else changed the table first: the change may
// be planned anew over the newer version.
var ErrConflict = errors.New("the table was changed meanwhile")

// ErrUnknown says that nobody can tell whether the change landed: nothing of
// it may be deleted.
var ErrUnknown = errors.New("it is not known whether the change landed")

// Swapper is where a table's present version stands and how the next one takes
// its place. It is safe for concurrent use.
type Swapper interface {
	// Load gives the present version, never one from a cache that may be old.
	Load(ctx context.Context) (*iceberg.TableMetadata, error)
	// Swap replaces base by what the updates make of it. ErrConflict: someone
	// was first, or a requirement does not hold; ErrUnknown: nobody can tell.
	// Any other error means that nothing has changed.
	Swap(ctx context.Context, base *iceberg.TableMetadata, reqs []iceberg.Requirement, ups []iceberg.Update) (*iceberg.TableMetadata, error)
}

// Table is an open table that can be written. It is safe for concurrent use.
type Table struct {
	Meta    *iceberg.TableMetadata // as it was opened
	Loader  *metadata.Loader
	Paths   *iceberg.PathMapper
	Swapper Swapper
	Line    *Line // commits of this process, one at a time; nil: none waits
	Now     func() time.Time
}

// Store gives where the table's files are.
func (t *Table) Store() objstore.Store { return t.Loader.Store }

// Change is what one attempt wants to commit.
type Change struct {
	Requirements []iceberg.Requirement
	Updates      []iceberg.Update
	// Written are files that serve this attempt alone, by their paths in the
	// metadata; they are deleted when it is lost.
	Written []string
	// Obsolete are files that nothing needs any more once it has landed.
	Obsolete []string
}

// Operation is a change that can be attempted again. Plan is called with the
// newer version after each lost race, so it must rebase manifests, never data.
// A nil Change says that there is nothing to do.
type Operation interface {
	Plan(ctx context.Context, base *iceberg.TableMetadata) (*Change, error)
}

// Finisher is an operation that keeps files between attempts and is told how
// it ended: next is the version that has it, nil when it did not land. It is
// not called when nobody knows.
type Finisher interface {
	Finish(ctx context.Context, next *iceberg.TableMetadata)
}

// Preparer is an operation with work that no version of the table decides: it
// is done before the commit's turn comes.
type Preparer interface {
	Prepare(ctx context.Context, seen *iceberg.TableMetadata) error
}

// Property defaults of the commit loop. A server commits for many clients at
// once, so it tries more often and waits less than the reference does.
const (
	defaultRetries = 40
	defaultMinWait = 10 * time.Millisecond
	defaultMaxWait = 5 * time.Second
	defaultTotal   = 30 * time.Minute
	swapTimeout    = 2 * time.Minute
)

// Commit makes the operation's change visible, or nothing of it. After a lost
// race it plans again, as often as the table's properties allow. An error that
// is ErrUnknown leaves all files where they are.
func (t *Table) Commit(ctx context.Context, op Operation) (*iceberg.TableMetadata, error) {
	if p, ok := op.(Preparer); ok {
		if err := p.Prepare(ctx, t.Meta); err != nil {
			t.finish(ctx, op, nil)
			return nil, err
		}
	}
	leave, err := t.Line.enter(ctx)
	if err != nil {
		t.finish(ctx, op, nil)
		return nil, err
	}
	defer leave()
	next, err := t.commit(ctx, op)
	if !errors.Is(err, ErrUnknown) {
		t.finish(ctx, op, next)
	}
	return next, err
}

func (t *Table) finish(ctx context.Context, op Operation, next *iceberg.TableMetadata) {
	if f, ok := op.(Finisher); ok {
		f.Finish(context.WithoutCancel(ctx), next)
	}
}

func (t *Table) commit(ctx context.Context, op Operation) (*iceberg.TableMetadata, error) {
	started := time.Now()
	for attempt := 0; ; attempt++ {
		base, err := t.Swapper.Load(ctx)
		if err != nil {
			return nil, err
		}
		if t.Meta != nil && t.Meta.UUID != "" && base.UUID != t.Meta.UUID {
			return nil, cherr.New(cherr.Unfinished, "Iceberg table %s was replaced by another one", t.Meta.Location)
		}
		change, err := op.Plan(ctx, base)
		if err != nil {
			return nil, err
		}
		if change == nil || len(change.Updates) == 0 {
			return base, nil
		}
		next, err := t.swap(ctx, base, change)
		switch {
		case err == nil:
			t.Delete(context.WithoutCancel(ctx), change.Obsolete...)
			return next, nil
		case errors.Is(err, ErrUnknown):
			return nil, err
		}
		t.Delete(context.WithoutCancel(ctx), change.Written...)
		if !errors.Is(err, ErrConflict) {
			return nil, err
		}
		if err := t.pause(ctx, base, attempt, started); err != nil {
			return nil, err
		}
	}
}

// swap runs apart from the request's own end: a query cancelled half way must
// not leave open whether its change landed.
func (t *Table) swap(ctx context.Context, base *iceberg.TableMetadata, c *Change) (*iceberg.TableMetadata, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), swapTimeout)
	defer cancel()
	return t.Swapper.Swap(ctx, base, c.Requirements, c.Updates)
}

// pause waits before the next attempt, longer each time, and not in step with
// other writers.
func (t *Table) pause(ctx context.Context, base *iceberg.TableMetadata, attempt int, started time.Time) error {
	p := base.Properties
	retries := intProperty(p, "commit.retry.num-retries", defaultRetries)
	total := time.Duration(intProperty(p, "commit.retry.total-timeout-ms", int64(defaultTotal/time.Millisecond))) * time.Millisecond
	if int64(attempt) >= retries || time.Since(started) > total {
		return cherr.WithCode(cherr.NotImplemented, ErrConflict, "Metadata changed during write operation, try again: Iceberg table %s, %d attempts", base.Location, attempt+1)
	}
	wait := time.Duration(intProperty(p, "commit.retry.min-wait-ms", int64(defaultMinWait/time.Millisecond))) * time.Millisecond
	most := time.Duration(intProperty(p, "commit.retry.max-wait-ms", int64(defaultMaxWait/time.Millisecond))) * time.Millisecond
	wait = max(time.Millisecond, min(wait<<min(attempt, 20), most))
	if !sleep(ctx, wait/2+rand.N(wait)) {
		return ctx.Err()
	}
	return nil
}

func intProperty(p map[string]string, name string, def int64) int64 {
	if v, err := strconv.ParseInt(p[name], 10, 64); err == nil && v >= 0 {
		return v
	}
	return def
}

func boolProperty(p map[string]string, name string, def bool) bool {
	if v, err := strconv.ParseBool(p[name]); err == nil {
		return v
	}
	return def
}

const deleteTries = 3

// Delete removes files by their paths in the metadata. What cannot be deleted
// stays as an orphan: the change itself is done, so nobody is told.
func (t *Table) Delete(ctx context.Context, paths ...string) {
	for _, p := range paths {
		for range deleteTries {
			if err := t.Store().Delete(ctx, t.Paths.Map(p)); err == nil || cherr.Is(err, cherr.FileDoesntExist) {
				break
			}
		}
	}
}
