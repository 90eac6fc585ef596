package read

import (
	"context"
	"sort"

	"lakeserver/cherr"
	"lakeserver/metadata/iceberg"
)

// What a change of an Iceberg table's rows needs to know of its files.

// Deleted gives the positions of a task's file that are deleted by position;
// nil for none.
func (src *Source) Deleted(ctx context.Context, t *Task) (*iceberg.Positions, error) {
	return src.positionsOf(ctx, t)
}

// Vector gives the entry of the task's deletion vector, nil without one.
func (t *Task) Vector() *iceberg.DataFile {
	if t.vector == nil {
		return nil
	}
	return t.vector.file
}

// PositionFile is a position delete file with the data files that it is about.
type PositionFile struct {
	File    *iceberg.DataFile
	Targets []string // where the data files are stored
}

// PositionFiles gives the position delete files of a task.
func (src *Source) PositionFiles(ctx context.Context, t *Task) ([]PositionFile, error) {
	out := make([]PositionFile, len(t.positions))
	for i, d := range t.positions {
		byFile, err := d.load.get(func() (map[string]*iceberg.Positions, error) { return src.loadPositions(ctx, d) })
		if err != nil {
			return nil, cherr.Wrap(err, "reading position delete file %s", d.path)
		}
		out[i].File = d.file
		for path := range byFile {
			out[i].Targets = append(out[i].Targets, path)
		}
		sort.Strings(out[i].Targets)
	}
	return out, nil
}

// Without gives the task with exactly these positions deleted, besides what is
// deleted by value.
func (t *Task) Without(gone *iceberg.Positions) *Task {
	out := *t
	out.positions = nil
	out.vector = &deleteFile{file: &iceberg.DataFile{}, path: t.Path, seq: t.SequenceNumber, spec: t.Spec}
	out.vector.vector.v, out.vector.vector.done = gone, true
	return &out
}

// DeleteFiles gives how many delete files are about a task's file, and how
// many of its rows those that are about it alone delete.
func (t *Task) DeleteFiles() (files int, rows int64) {
	if t.vector != nil {
		return 1 + len(t.equality), t.vector.file.Records
	}
	for _, d := range t.positions {
		if d.file.Referenced != "" {
			rows += d.file.Records
		}
	}
	return len(t.positions) + len(t.equality), rows
}
