package read

import (
	"context"
	"slices"
	"strings"
	"sync"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata"
	"lakeserver/metadata/paimon"
	"lakeserver/pruning"
	"lakeserver/types"
)

// Paimon is a pinned Paimon table.
type Paimon struct {
	Loader   *metadata.Loader
	Shared   *Shared // nil: nothing is kept
	Dir      paimon.Dir
	Snapshot *paimon.Snapshot // nil: no rows
	Schema   *paimon.Schema   // to read with
	Range    *PaimonRange     // nil: the whole state of the snapshot
	Instead  *Paimon          // whose partitions are read from there and not here; nil: none

	AsClickHouse  bool // columns have ClickHouse's types
	KeepDeletes   bool // rows of kind -D and -U are given too
	ReadOptimized bool // only what needs no merging
	MergeLevel0   bool // of tables whose level 0 is else not read
	Unmerged      bool // every row of every file, as it lies there

	mu      sync.Mutex
	schemas map[int64]*paimon.Schema
}

// PaimonRange is what came between two snapshots.
type PaimonRange struct {
	Changelog bool               // the changelog files of the snapshots; else the data files that they added
	Snapshots []*paimon.Snapshot // ascending
	Diff      bool               // the rows of the table's snapshot that Before did not have like that
	Before    *paimon.Snapshot   // nil: there were none
}

// PaimonFile is what a task of a Paimon table has more.
type PaimonFile struct {
	Entry     *paimon.Entry
	Partition column.Row
	Schema    *paimon.Schema // of the file
	fields    []paimon.Field // that the file holds
	keys      [2]column.Row  // least and greatest key, of primary-key tables

	vector     *paimon.VectorRange // nil: no deletion vector
	vectorPath string
	kinds      bool // rows of kind -D and -U must be dropped while reading
}

func (src *Paimon) loader() *metadata.Loader { return src.Loader }
func (src *Paimon) shared() *Shared          { return src.Shared }

// schema gives a schema by its id, read once.
func (src *Paimon) schema(ctx context.Context, id int64) (*paimon.Schema, error) {
	if id == src.Schema.ID {
		return src.Schema, nil
	}
	src.mu.Lock()
	s := src.schemas[id]
	src.mu.Unlock()
	if s != nil {
		return s, nil
	}
	s, err := src.Dir.Schema(ctx, id)
	if err != nil && src.Dir.Branch != "" && cherr.Is(err, cherr.FileDoesntExist) {
		s, err = src.Dir.On("").Schema(ctx, id) // files that a branch took over from main
	}
	if err != nil {
		return nil, err
	}
	src.mu.Lock()
	defer src.mu.Unlock()
	if src.schemas == nil {
		src.schemas = map[int64]*paimon.Schema{}
	}
	src.schemas[id] = s
	return s, nil
}

// option gives a table option in lower case.
func (src *Paimon) option(name string) string { return strings.ToLower(src.Schema.Options[name]) }

func (src *Paimon) isSet(name string) bool { return src.option(name) == "true" }

// vectors tells whether rows are deleted by vectors and not by merging.
func (src *Paimon) vectors() bool { return src.isSet("deletion-vectors.enabled") }

// hidesLevel0: what lies at level 0 shows only once it is compacted.
func (src *Paimon) hidesLevel0() bool {
	return src.Schema.HasPrimaryKey() && !src.MergeLevel0 && (src.vectors() || src.MergeEngine() == "first-row")
}

// MergeEngine gives the name of the table's merge engine.
func (src *Paimon) MergeEngine() string {
	if e := src.option("merge-engine"); e != "" {
		return e
	}
	return "deduplicate"
}

func (src *Paimon) loadDeletes(ctx context.Context, f *fileUnits) error {
	p := f.task.Paimon
	if p.vector != nil {
		v, err := src.loadVector(ctx, p)
		if err != nil {
			return err
		}
		f.positions = v
		f.s.Metrics.DeleteFiles.Add(1)
	}
	if p.kinds {
		f.kind = len(f.s.slots)
	}
	return nil
}

// loadVector reads the index file, which holds the vectors of many files, once.
func (src *Paimon) loadVector(ctx context.Context, p *PaimonFile) (*paimon.Positions, error) {
	data, err := metadata.Load(ctx, src.Loader, "paimon index", p.vectorPath, func(data []byte) ([]byte, int64, error) {
		return data, int64(len(data)), nil
	})
	if err != nil {
		return nil, err
	}
	v, err := paimon.ReadVector(data, *p.vector)
	return v, cherr.Wrap(err, "reading Paimon index file %s", p.vectorPath)
}

// rowsLeft gives how many rows of the file are not deleted.
func (src *Paimon) rowsLeft(ctx context.Context, t *Task) (int64, error) {
	p := t.Paimon
	switch {
	case p.vector == nil:
		return t.Records, nil
	case p.vector.Cardinality != nil:
		return t.Records - *p.vector.Cardinality, nil
	}
	v, err := src.loadVector(ctx, p)
	if err != nil {
		return 0, err
	}
	return t.Records - v.CountWithin(0, t.Records), nil
}

// refuse asks the indexes beside a data file.
func (src *Paimon) refuse(ctx context.Context, s *Scan, t *Task) (bool, error) {
	p := t.Paimon
	if s.req.Prune == nil || src.AsClickHouse || src.option("file-index.read.enabled") == "false" {
		return false, nil
	}
	name := t.Name + ".index"
	if !slices.Contains(p.Entry.File.ExtraFiles, name) {
		return false, nil
	}
	path := t.Path[:strings.LastIndexByte(t.Path, '/')+1] + name
	data, err := src.Loader.Store.Read(ctx, path)
	if err != nil {
		if cherr.Is(err, cherr.FileDoesntExist) {
			return false, nil // an index only helps
		}
		return false, err
	}
	x, err := paimon.ParseFileIndex(data, p.Schema.Fields)
	return err == nil && !s.req.Prune.MightMatchIndex(x, p.Schema, src.Schema), nil
}

func (src *Paimon) fileRange(t *Task, id int) pruning.Range {
	if src.AsClickHouse {
		return pruning.Range{}
	}
	return pruning.PaimonRanges(t.Paimon.Entry, t.Paimon.Schema, src.Schema).Range(id)
}

// kindColumn is read where rows of kind -D and -U must be dropped.
var kindColumn = Column{Name: paimon.ValueKindField, Type: types.Int8, Virtual: virtualKindCode}

// dropDeletes keeps the rows that are there: kinds +I and +U.
func (u *unit) dropDeletes(ctx context.Context) (int, error) {
	c, err := u.column(ctx, u.f.kind)
	if err != nil {
		return 0, err
	}
	kinds := column.Values[int8](column.Full(c))
	n := 0
	for _, k := range kinds {
		n += int(^k & 1) // +I is 0, +U is 2
	}
	if n == len(kinds) {
		return n, nil
	}
	rel := make([]uint32, 0, n)
	for i, k := range kinds {
		if k&1 == 0 {
			rel = append(rel, uint32(i))
		}
	}
	u.keep(rel)
	return len(rel), nil
}

// Row kinds, as _VALUE_KIND stores them.
const (
	kindInsert       = 0
	kindUpdateBefore = 1
	kindUpdateAfter  = 2
	kindDelete       = 3
)
