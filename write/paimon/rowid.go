package paimon

import (
	"context"
	"sort"
	"strings"

	"lakeserver/cherr"
	"lakeserver/metadata/paimon"
)

// dedicated tells files that hold some columns of the rows of another file:
// blobs and vectors.
func dedicated(f *paimon.DataFile) bool {
	return strings.HasSuffix(f.Name, ".blob") || strings.Contains(f.Name, ".vector.")
}

// assignRowIDs gives new files of a row-tracking table their row ids and the
// snapshot's id as sequence number; it works on a copy of the entries.
func (a *attempt) assignRowIDs() error {
	if a.latest != nil && a.latest.NextRowID != nil {
		a.nextRow = *a.latest.NextRowID
	}
	if !a.c.options.flag("row-tracking.enabled", false) {
		return nil
	}
	entries := append([]paimon.Entry(nil), a.changes.table...)
	if a.c.options.flag("row-tracking.partition-group-on-commit", false) {
		sort.SliceStable(entries, func(i, j int) bool { return string(entries[i].Partition) < string(entries[j].Partition) })
	}
	id := a.snapshot.ID
	first := a.nextRow           // of the normal file just met
	beside := map[string]int64{} // next row id of each dedicated column
	for i := range entries {
		f := &entries[i].File
		if entries[i].Kind != paimon.Add {
			continue
		}
		if f.MaxSequence == 0 {
			if f.MinSequence == 0 {
				f.MinSequence = id
			}
			f.MaxSequence = id
		}
		if f.FirstRowID != nil || f.Source != nil && *f.Source == paimon.SourceCompact {
			continue
		}
		if !dedicated(f) {
			at := a.nextRow
			f.FirstRowID, first = &at, at
			a.nextRow += f.Rows
			clear(beside)
			continue
		}
		column := strings.Join(f.WriteCols, "\x00")
		at, ok := beside[column]
		if !ok {
			at = first
		}
		if at+f.Rows > a.nextRow {
			return conflict("file %s has rows %d to %d, beyond those of the data file before it, which end at %d", f.Name, at, at+f.Rows-1, a.nextRow-1)
		}
		f.FirstRowID = &at
		beside[column] = at + f.Rows
	}
	a.changes.table = entries
	return nil
}

// rowRange is row ids, the end excluded.
type rowRange struct{ from, to int64 }

func rowsOf(f *paimon.DataFile) rowRange {
	return rowRange{*f.FirstRowID, *f.FirstRowID + f.Rows}
}

func (r rowRange) meets(o rowRange) bool { return r.from < o.to && o.from < r.to }
func (r rowRange) holds(o rowRange) bool { return r.from <= o.from && o.to <= r.to }

// rowIDs: column files of data evolution belong to rows that are there, and
// ranges are equal or disjoint.
func (d *detection) rowIDs() error {
	if !d.a.c.options.flag("data-evolution.enabled", false) {
		return nil
	}
	if d.a.latest != nil && d.a.latest.NextRowID != nil {
		if err := d.rowsExist(*d.a.latest.NextRowID); err != nil {
			return err
		}
	}
	return d.rowRanges()
}

func (d *detection) rowsExist(next int64) error {
	for i := range d.a.changes.table {
		e := &d.a.changes.table[i]
		f := &e.File
		if e.Kind != paimon.Add || f.FirstRowID == nil || *f.FirstRowID >= next {
			continue
		}
		want := rowsOf(f)
		found := false
		switch {
		case d.a.plan.kind == paimon.CommitCompact:
			found = d.covered(e, want)
		default:
			for j := range d.live {
				l := &d.live[j]
				if l.File.FirstRowID == nil || dedicated(&l.File) || string(l.Partition) != string(e.Partition) || l.Bucket != e.Bucket {
					continue
				}
				have := rowsOf(&l.File)
				found = found || have == want || dedicated(f) && have.holds(want)
			}
		}
		if !found {
			return d.fail("Row ID existence conflict: rows [%d, %d) of file %s are not those of a live file", want.from, want.to, f.Name)
		}
	}
	return nil
}

// covered tells whether live files of the entry's bucket have all rows without
// a gap.
func (d *detection) covered(e *paimon.Entry, want rowRange) bool {
	var have []rowRange
	for j := range d.live {
		l := &d.live[j]
		if l.File.FirstRowID != nil && !dedicated(&l.File) && string(l.Partition) == string(e.Partition) && l.Bucket == e.Bucket {
			have = append(have, rowsOf(&l.File))
		}
	}
	return coveredBy(have, want)
}

func coveredBy(have []rowRange, want rowRange) bool {
	sort.Slice(have, func(i, j int) bool { return have[i].from < have[j].from })
	at := want.from
	for _, r := range have {
		if r.from <= at && r.to > at {
			at = r.to
		}
	}
	return at >= want.to
}

func (d *detection) rowRanges() error {
	var normal []rowRange
	names := map[rowRange]string{}
	for i := range d.merged {
		if f := &d.merged[i].File; f.FirstRowID != nil && !dedicated(f) {
			r := rowsOf(f)
			if _, ok := names[r]; !ok {
				normal, names[r] = append(normal, r), f.Name
			}
		}
	}
	sort.Slice(normal, func(i, j int) bool { return normal[i].from < normal[j].from })
	for i := 1; i < len(normal); i++ {
		if normal[i-1].meets(normal[i]) {
			return d.fail("For Data Evolution table, multiple 'MERGE INTO' and 'COMPACT' operations have encountered conflicts: rows of files %s and %s overlap", names[normal[i-1]], names[normal[i]])
		}
	}
	for i := range d.a.changes.table {
		f := &d.a.changes.table[i].File
		if d.a.changes.table[i].Kind != paimon.Add || f.FirstRowID == nil || !dedicated(f) {
			continue
		}
		want := rowsOf(f)
		at := sort.Search(len(normal), func(i int) bool { return normal[i].to > want.from })
		switch {
		case at == len(normal) || !normal[at].meets(want):
			return d.fail("File %s with rows [%d, %d) is not covered by one data file range", f.Name, want.from, want.to)
		case !normal[at].holds(want):
			return d.fail("File %s with rows [%d, %d) spans multiple data file ranges", f.Name, want.from, want.to)
		}
	}
	return nil
}

// globalIndexes: an index over row ids is of rows that are live in its bucket.
func (d *detection) globalIndexes() error {
	for i := range d.a.changes.index {
		x := &d.a.changes.index[i]
		if x.Global == nil || x.Kind != paimon.Add {
			continue
		}
		var have []rowRange
		for j := range d.merged {
			l := &d.merged[j]
			if l.File.FirstRowID != nil && string(l.Partition) == string(x.Partition) && l.Bucket == x.Bucket {
				have = append(have, rowsOf(&l.File))
			}
		}
		if want := (rowRange{x.Global.RowRangeStart, x.Global.RowRangeEnd + 1}); !coveredBy(have, want) {
			return d.fail("Global index row ID existence conflict: rows [%d, %d] of index file %s are not all live", x.Global.RowRangeStart, x.Global.RowRangeEnd, x.Name)
		}
	}
	return nil
}

// rowIDCheck compares with what others wrote since a snapshot.
type rowIDCheck struct {
	from int64
	any  bool // whatever columns were written
}

func rowIDCheckOf(o *CommitOptions) *rowIDCheck {
	switch {
	case o.RowIDCheckForVectors != nil:
		return &rowIDCheck{*o.RowIDCheckForVectors, true}
	case o.RowIDCheckConflict != nil:
		return &rowIDCheck{from: *o.RowIDCheckConflict}
	}
	return nil
}

// rowIDConflicts looks at the snapshots since the one that the changes were
// computed on: did another commit write the same columns of the same rows?
func (a *attempt) rowIDConflicts(ctx context.Context) error {
	check := a.plan.rowIDs
	if check == nil || a.latest == nil {
		return nil
	}
	from, err := a.c.dir.Snapshot(ctx, check.from)
	if err != nil {
		return err
	}
	if from.NextRowID == nil {
		return invalid("Next row id cannot be null for snapshot %d", check.from)
	}
	schemas := &schemaColumns{c: a.c, byID: map[int64]*paimon.Schema{}}
	partitions := a.changes.changed()
	for id := check.from + 1; id <= a.latest.ID; id++ {
		s, err := a.c.dir.Snapshot(ctx, id)
		if err != nil {
			return err
		}
		if s.CommitKind == paimon.CommitCompact {
			continue
		}
		others, err := a.c.readList(ctx, s.DeltaManifestList)
		if err != nil {
			return err
		}
		read, err := a.c.readManifests(ctx, others)
		if err != nil {
			return err
		}
		for _, entries := range read {
			for i := range entries {
				e := &entries[i]
				if e.Kind != paimon.Add || e.File.FirstRowID == nil || *e.File.FirstRowID >= *from.NextRowID || !partitions[string(e.Partition)] {
					continue
				}
				if err := a.rowIDConflict(ctx, schemas, e, id, check.any); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (a *attempt) rowIDConflict(ctx context.Context, schemas *schemaColumns, other *paimon.Entry, id int64, any bool) error {
	for i := range a.changes.table {
		e := &a.changes.table[i]
		if e.Kind != paimon.Add || e.File.FirstRowID == nil || string(e.Partition) != string(other.Partition) || !rowsOf(&e.File).meets(rowsOf(&other.File)) {
			continue
		}
		same, err := schemas.share(ctx, &e.File, &other.File)
		if err != nil {
			return err
		}
		if same || any {
			return conflict("For Data Evolution table, multiple 'MERGE INTO' operations have encountered conflicts: file %s and file %s of snapshot %d write the same rows", e.File.Name, other.File.Name, id)
		}
	}
	return nil
}

// schemaColumns finds the columns that files write, by field id.
type schemaColumns struct {
	c    *Committer
	byID map[int64]*paimon.Schema
}

// share tells whether two files write a column in common; a file without write
// columns has all of them.
func (s *schemaColumns) share(ctx context.Context, x, y *paimon.DataFile) (bool, error) {
	one, err := s.columns(ctx, x)
	if err != nil {
		return false, err
	}
	two, err := s.columns(ctx, y)
	if err != nil {
		return false, err
	}
	if one == nil || two == nil {
		return true, nil
	}
	for id := range one {
		if two[id] {
			return true, nil
		}
	}
	return false, nil
}

func (s *schemaColumns) columns(ctx context.Context, f *paimon.DataFile) (map[int]bool, error) {
	if f.WriteCols == nil {
		return nil, nil
	}
	schema, ok := s.byID[f.SchemaID]
	if !ok {
		var err error
		if schema, err = s.c.dir.Schema(ctx, f.SchemaID); err != nil {
			return nil, err
		}
		s.byID[f.SchemaID] = schema
	}
	fields, err := schema.FileFields(f)
	if err != nil {
		return nil, cherr.Wrap(err, "reading the columns of file %s", f.Name)
	}
	out := map[int]bool{}
	for _, field := range fields {
		if field.Name != paimon.RowIDField && field.Name != paimon.SequenceField {
			out[field.ID] = true
		}
	}
	return out, nil
}
