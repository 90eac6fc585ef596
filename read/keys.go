package read

import (
	"context"
	"sync/atomic"

	"lakeserver/column"
)

// keyFilter applies a KeyFilter as long as it pays: one that keeps nearly all
// rows is left alone.
type keyFilter struct {
	slot       int
	keep       func(c column.Column) (rows []uint32, all, ok bool)
	seen, kept *atomic.Int64
}

const (
	// judgedRows is how many rows a key filter is tried with before it is judged.
	judgedRows = 1 << 18
	// worthPercent is the share of rows that a filter may keep and still pay.
	worthPercent = 85
)

func (k *keyFilter) pays() bool {
	seen := k.seen.Load()
	return seen < judgedRows || k.kept.Load()*100 < seen*worthPercent
}

// filterKeys leaves out rows that no join above can match; it gives how many
// are left.
func (u *unit) filterKeys(ctx context.Context) (int, error) {
	for i := range u.s.keys {
		k := &u.s.keys[i]
		if !k.pays() {
			continue
		}
		c, err := u.column(ctx, k.slot)
		if err != nil {
			return 0, err
		}
		n := u.left()
		rows, all, ok := k.keep(c)
		if !ok {
			continue
		}
		k.seen.Add(int64(n))
		if all {
			k.kept.Add(int64(n))
			continue
		}
		k.kept.Add(int64(len(rows)))
		u.keep(rows)
		if len(rows) == 0 {
			return 0, nil
		}
	}
	return u.left(), nil
}
