package read

import (
	"context"

	"lakeserver/column"
	"lakeserver/metadata/paimon"
)

// difference gives the rows of a later state of a bucket that an earlier one
// did not have, or had otherwise. It merges both and compares key by key.
type difference struct {
	m             *merging
	engine        mergeEngine
	earlier, late merger
	rows          *keyed
	begun         bool
}

// keyed is merged rows of one state, a chunk at a time.
type keyed struct {
	from   merger
	m      *merging
	engine mergeEngine
	c      *chunk
	r      *merged
	at     int
	keys   []string
}

func newDifference(m *merging, t *mergeTask, e mergeEngine) *difference {
	return &difference{m: m, engine: e, earlier: m.openRuns(t.before), late: m.openRuns(t.runs)}
}

func (d *difference) close() {
	d.earlier.close()
	d.late.close()
}

// load moves to the next chunk with rows; ok is false at the end.
func (k *keyed) load(ctx context.Context) (ok bool, err error) {
	for k.keys == nil || k.at == len(k.keys) {
		if k.c, err = k.from.next(ctx); err != nil || k.c == nil {
			return false, err
		}
		if k.r, err = k.engine.merge(k.c.newest()); err != nil {
			return false, err
		}
		cols := make([]column.Column, len(k.m.keys))
		for i, at := range k.m.keys {
			if cols[i], err = k.r.column(at); err != nil {
				return false, err
			}
			cols[i] = column.Full(cols[i])
		}
		k.keys, k.at = textKeys(cols, k.r.rows(), false), 0
	}
	return true, nil
}

func (d *difference) next(ctx context.Context) (*chunk, error) {
	if !d.begun {
		d.begun = true
		d.rows = &keyed{from: d.earlier, m: d.m, engine: d.engine.fork()}
	}
	late := &keyed{from: d.late, m: d.m, engine: d.engine}
	for {
		ok, err := late.load(ctx)
		if err != nil || !ok {
			return nil, err
		}
		var keep []uint32
		for i, key := range late.keys {
			same, err := d.same(ctx, late, i, key)
			if err != nil {
				return nil, err
			}
			if !same {
				keep = append(keep, uint32(i))
			}
		}
		if len(keep) == 0 {
			late.keys = nil
			continue
		}
		late.r.keep(keep)
		return late.c.replaced(late.r), nil
	}
}

// same tells whether the earlier state had a row as it is now.
func (d *difference) same(ctx context.Context, late *keyed, i int, key string) (bool, error) {
	for {
		ok, err := d.rows.load(ctx)
		if err != nil || !ok {
			return false, err
		}
		if have := d.rows.keys[d.rows.at]; have >= key {
			if have > key {
				return false, nil
			}
			break
		}
		d.rows.at++
	}
	was, is := d.rows.r.kinds[d.rows.at]&1 == 0, late.r.kinds[i]&1 == 0
	if was != is {
		return false, nil
	}
	for at := range d.m.columns {
		if d.m.columns[at].Paimon == nil {
			continue
		}
		a, err := d.rows.r.column(at)
		if err != nil {
			return false, err
		}
		b, err := late.r.column(at)
		if err != nil {
			return false, err
		}
		if !equalValues(column.At(a, d.rows.at), column.At(b, i)) {
			return false, nil
		}
	}
	return true, nil
}

// replaced hands on rows that are merged already.
func (c *chunk) replaced(r *merged) *chunk {
	c.done = r
	return c
}

// SetRange makes the table one of what came between two snapshots.
func (src *Paimon) SetRange(mode string, snapshots []*paimon.Snapshot, before *paimon.Snapshot) {
	if mode == "diff" {
		src.Range = &PaimonRange{Diff: true, Before: before}
		return
	}
	src.Range = &PaimonRange{Changelog: mode == "changelog", Snapshots: snapshots}
	src.KeepDeletes = true
}
