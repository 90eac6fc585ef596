package read

import (
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata/paimon"
)

// state is the row of a key that is being folded record by record.
type state struct {
	row  column.Row
	seen []bool // column → its function has taken a first value
}

// fold makes the row of one key of its records, rows [from, to) of the chunk;
// alive is false when the row is removed, or never was there.
func (w *folded) fold(from, to int) (row column.Row, alive bool, err error) {
	s := &state{row: make(column.Row, len(w.e.fields)), seen: make([]bool, len(w.e.fields))}
	if w.e.partial {
		alive, err = w.update(s, from, to)
	} else {
		alive, err = w.aggregate(s, from, to)
	}
	return s.row, alive, err
}

// value boxes a value of a row of the chunk.
func (w *folded) value(at, i int) column.Value { return column.At(w.of(at), i) }

// restart begins a row anew with the values that a delete holds.
func (w *folded) restart(s *state, i int) {
	for at := range w.e.fields {
		f := &w.e.fields[at]
		s.row[at], s.seen[at] = nil, false
		if f.field != nil {
			s.row[at] = w.value(at, i)
		}
	}
}

func (w *folded) aggregate(s *state, from, to int) (alive bool, err error) {
	for i := from; i < to; i++ {
		kind := w.kinds[i]
		if alive = !(w.e.removeOnDel && kind == kindDelete); !alive {
			w.restart(s, i)
			continue
		}
		for at := range w.e.fields {
			f := &w.e.fields[at]
			switch {
			case f.field == nil:
			case f.key:
				s.row[at] = w.value(at, i)
			default:
				if err := w.take(s, at, i, kind&1 != 0); err != nil {
					return false, err
				}
			}
		}
	}
	return alive, nil
}

// take gives a record's value to a column's function.
func (w *folded) take(s *state, at, i int, retract bool) (err error) {
	f := &w.e.fields[at]
	v := w.value(at, i)
	if retract {
		s.row[at], err = f.fn.retract(s.row[at], v)
	} else {
		s.row[at], err = f.fn.add(s, at, s.row[at], v)
	}
	return cherr.Wrap(err, "merging column `%s` of Paimon table %s", f.field.Name, w.e.m.src.Dir.Root)
}

func (w *folded) update(s *state, from, to int) (alive bool, err error) {
	inserted, removed := false, false
	for i := from; i < to; i++ {
		if w.kinds[i]&1 == 0 {
			inserted, removed = true, false
			if err := w.overwrite(s, i); err != nil {
				return false, err
			}
			continue
		}
		removed = false
		switch {
		case w.e.ignoreDelete:
		case len(w.e.groups) > 0:
			if removed, err = w.takeBack(s, i); err != nil {
				return false, err
			}
		case w.e.removeOnDel:
			if w.kinds[i] == kindDelete {
				removed = true
				w.restart(s, i)
			}
		default:
			return false, cherr.New(cherr.IncorrectData, "By default, Partial update can not accept delete records: Paimon table %s has some, and neither ignore-delete, "+
				"partial-update.remove-record-on-delete nor a sequence group", w.e.m.src.Dir.Root)
		}
	}
	return inserted && !removed, nil
}

// overwrite applies a record that adds: what is not NULL replaces; of sequence
// groups all, if the record is not older.
func (w *folded) overwrite(s *state, i int) error {
	newer := map[*sequenceGroup]int{}
	for _, g := range w.e.groups {
		newer[g] = w.compare(s, g, i)
	}
	for at := range w.e.fields {
		f := &w.e.fields[at]
		if f.field == nil {
			continue
		}
		v := w.value(at, i)
		cmp := newer[f.group]
		var err error
		switch {
		case f.key:
			s.row[at] = v
		case f.group == nil && f.fn == nil:
			if v != nil {
				s.row[at] = v
			}
		case f.group == nil:
			err = w.take(s, at, i, false)
		case cmp == unseen:
		case cmp >= 0 && f.fn == nil:
			s.row[at] = v
		case cmp >= 0:
			err = w.take(s, at, i, false)
		case f.fn != nil: // an older record: as if it had come first
			s.row[at], err = f.fn.add(s, at, v, s.row[at])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

const unseen = -2 // a group whose ordering columns are all NULL

// compare says how a record stands to the row in a sequence group: -1 older, 0
// or 1 not, or unseen.
func (w *folded) compare(s *state, g *sequenceGroup, i int) int {
	empty := true
	for _, at := range g.order {
		empty = empty && w.value(at, i) == nil
	}
	if empty {
		return unseen
	}
	for _, at := range g.order {
		if c := paimon.CompareValues(w.value(at, i), s.row[at]); c != 0 {
			if w.e.m.desc {
				return -c
			}
			return c
		}
	}
	return 0
}

// takeBack applies a record that takes away, group by group.
func (w *folded) takeBack(s *state, i int) (removed bool, err error) {
	for _, g := range w.e.groups {
		cmp := w.compare(s, g, i)
		if cmp == unseen {
			continue
		}
		if cmp >= 0 && w.kinds[i] == kindDelete && w.e.removeOnGroup[g.order[0]] {
			w.restart(s, i)
			return true, nil
		}
		for at := range w.e.fields {
			f := &w.e.fields[at]
			if f.group != g {
				continue
			}
			switch {
			case f.order && cmp >= 0:
				s.row[at] = w.value(at, i)
			case f.order:
			case f.fn != nil:
				if err := w.take(s, at, i, true); err != nil {
					return false, err
				}
			case cmp >= 0:
				s.row[at] = nil
			}
		}
	}
	return false, nil
}
