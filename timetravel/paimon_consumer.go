package timetravel

import (
	"context"
	"strings"

	"lakeserver/cherr"
	"lakeserver/metadata/paimon"
)

// consume gives what a consumer has not read yet: of one that is new the whole
// table, of others what came since (paimon.md §1.5, §2.6).
func (p *paimonPick) consume(ctx context.Context, w PaimonWhen, v PaimonVersion) (PaimonVersion, error) {
	if strings.ContainsAny(w.Consumer, "/\\\x00") || w.Consumer == "." || w.Consumer == ".." {
		return v, cherr.New(cherr.BadArguments, "'%s' is no name of a consumer", w.Consumer)
	}
	latest, err := p.d.LatestSnapshot(ctx)
	if err != nil {
		return v, err
	}
	// The file is described before it is read: what comes in between is seen as
	// a change when the consumer moves on.
	obj, err := p.d.Store.Stat(ctx, p.d.ConsumerPath(w.Consumer))
	if cherr.Is(err, cherr.FileDoesntExist) {
		if v.Snapshot = latest; latest != nil {
			v.Progress = &PaimonProgress{Consumer: w.Consumer, Next: latest.ID + 1}
		}
		return v, nil
	}
	if err != nil {
		return v, err
	}
	c, err := p.d.Consumer(ctx, w.Consumer)
	if err != nil {
		return v, err
	}
	v.Range, v.Snapshot = &PaimonRange{}, latest
	if v.Range.Mode, err = modeOf(w.Mode, v.Schema, false); err != nil {
		return v, err
	}
	if v.Range.Mode == "diff" {
		return v, cherr.New(cherr.BadArguments, "A consumer reads a delta or a changelog, not the mode diff")
	}
	if latest == nil || latest.ID < c.NextSnapshot {
		return v, nil
	}
	v.Progress = &PaimonProgress{Consumer: w.Consumer, Next: latest.ID + 1, ETag: obj.ETag}
	_, err = p.changes(ctx, v.Range, max(c.NextSnapshot, 1)-1, latest.ID)
	return v, err
}

// Move writes where the consumer comes to next. When somebody else has moved
// it, nothing is written: these rows were read twice.
func (p *PaimonProgress) Move(ctx context.Context, d paimon.Dir) error {
	done, err := d.PutConsumer(ctx, paimon.Consumer{ID: p.Consumer, NextSnapshot: p.Next}, p.ETag)
	if err == nil && !done {
		return cherr.New(cherr.BadArguments, "Consumer '%s' of Paimon table %s was moved by another reader meanwhile: what this query gave must be read again", p.Consumer, d.Root)
	}
	return err
}
