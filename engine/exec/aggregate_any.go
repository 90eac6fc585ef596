package exec

import (
	"sync"

	"lakeserver/column"
)

// anyGroups chooses the groups of an aggregation of which only some are wanted,
// whichever they are: the first that come. Rows of all other groups are left
// out before they cost anything.
//
// A row whose group is one of the chosen is kept in every block, also in those
// that came before the last was chosen: so the chosen groups are complete.
type anyGroups struct {
	most int

	mu     sync.Mutex // guards known until it is full
	known  *grouping
	full   bool
	chosen chan struct{} // closed when full: known is only read from then on
}

func (a *aggregation) newAnyGroups() *anyGroups {
	if a.node.AnyGroups == 0 || a.rules.max > 0 || a.node.Sets != nil {
		return nil
	}
	return &anyGroups{
		most: int(a.node.AnyGroups), chosen: make(chan struct{}),
		known: &grouping{grouper: newGrouper(bareTypes(a.keyTypes), false)},
	}
}

// keep gives the rows whose group is chosen; all says that every row is.
func (c *anyGroups) keep(keys []column.Column, rows int) (keep []uint32, all bool) {
	groups := make([]uint32, rows)
	if !c.choose(keys, rows, groups) {
		c.known.find(keys, rows, groups)
	}
	for i, g := range groups {
		if g < uint32(c.most) {
			keep = append(keep, uint32(i))
		}
	}
	return keep, len(keep) == rows
}

// choose numbers the groups while there are too few; false when there are
// enough already.
func (c *anyGroups) choose(keys []column.Column, rows int, out []uint32) bool {
	select {
	case <-c.chosen:
		return false
	default:
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.full {
		return false
	}
	c.known.assign(keys, rows, out)
	if c.known.count() >= c.most {
		c.full = true
		close(c.chosen)
	}
	return true
}
