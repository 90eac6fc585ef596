package table

import (
	"sync/atomic"

	"lakeserver/column"
)

// KeyFilter tells a scan, while the query runs, which values of a column a join
// above can match. Rows with other values, and NULLs, may be left out.
type KeyFilter struct {
	Column int // index in the table's columns
	keys   atomic.Pointer[KeySet]
}

// KeySet is values to look for. It is safe for concurrent use.
type KeySet interface {
	// Keep gives the rows whose value may be among the keys; all says that every
	// row is kept. ok is false for a column of a form that it cannot judge.
	Keep(c column.Column) (rows []uint32, all, ok bool)
}

// Publish sets the keys; from now on the scan may leave rows out.
func (f *KeyFilter) Publish(s KeySet) { f.keys.Store(&s) }

// Keys gives the keys, nil while they are not known.
func (f *KeyFilter) Keys() KeySet {
	if s := f.keys.Load(); s != nil {
		return *s
	}
	return nil
}
