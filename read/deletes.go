package read

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata/iceberg"
)

// deleteFile is a position delete file or deletion vector; it is read once,
// by the first task that needs it.
type deleteFile struct {
	file *iceberg.DataFile
	path string // where it is stored
	seq  int64
	spec *iceberg.PartitionSpec

	load   onceValue[map[string]*iceberg.Positions] // by stored path of the data file
	vector onceValue[*iceberg.Positions]
}

// equalityGroup is the equality delete files with one key and one scope. They
// make one table: key → greatest sequence number that deletes it.
type equalityGroup struct {
	ids   []int
	files []*equalityFile
	load  onceValue[*keyTable]
}

type equalityFile struct {
	file *iceberg.DataFile
	path string
	seq  int64
	spec *iceberg.PartitionSpec
}

// onceValue is computed by the first who asks; the others wait.
type onceValue[T any] struct {
	mu   sync.Mutex
	done bool
	v    T
}

// get computes the value unless it is there; an error is not kept, since it may
// be the first asker's own (a cancel).
func (o *onceValue[T]) get(f func() (T, error)) (T, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.done {
		return o.v, nil
	}
	v, err := f()
	if err == nil {
		o.v, o.done = v, true
	}
	return v, err
}

// deleteIndex finds the deletes of a data file by scope and sequence number.
type deleteIndex struct {
	src       *Source
	vectors   map[string]*deleteFile   // by stored path of the data file
	byPath    map[string][]*deleteFile // position deletes of one data file
	positions map[string][]*deleteFile // position deletes by partition
	equality  map[string][]*equalityGroup
	global    []*equalityGroup
}

func newDeleteIndex(src *Source, entries []liveEntry) (*deleteIndex, error) {
	x := &deleteIndex{
		src: src, vectors: map[string]*deleteFile{}, byPath: map[string][]*deleteFile{},
		positions: map[string][]*deleteFile{}, equality: map[string][]*equalityGroup{},
	}
	for i := range entries {
		e := &entries[i]
		if e.Encrypted {
			return nil, cherr.New(cherr.NotImplemented, "Delete file %s is encrypted, which is not supported", e.Path)
		}
		path := src.Paths.Map(e.Path)
		if e.Content == iceberg.EqualityDeletes {
			x.addEquality(&equalityFile{file: e.DataFile, path: path, seq: e.SequenceNumber, spec: e.spec})
			continue
		}
		d := &deleteFile{file: e.DataFile, path: path, seq: e.SequenceNumber, spec: e.spec}
		target := ""
		if e.Referenced != "" {
			target = src.Paths.Map(e.Referenced)
		}
		switch {
		case e.IsDeletionVector():
			if target == "" {
				return nil, cherr.New(cherr.IcebergSpecificationViolation, "deletion vector in %s names no data file", e.Path)
			}
			if old := x.vectors[target]; old != nil {
				return nil, cherr.New(cherr.IcebergSpecificationViolation, "data file %s has two deletion vectors, in %s and %s", target, old.file.Path, e.Path)
			}
			x.vectors[target] = d
		case target != "":
			x.byPath[target] = append(x.byPath[target], d)
		default:
			key := partitionKey(e.spec, e.DataFile)
			x.positions[key] = append(x.positions[key], d)
		}
	}
	return x, nil
}

func (x *deleteIndex) addEquality(f *equalityFile) {
	ids := slices.Clone(f.file.EqualityIDs)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	// A delete of an unpartitioned spec is for every partition of every spec.
	global := len(f.spec.Fields) == 0
	groups := x.global
	key := ""
	if !global {
		key = partitionKey(f.spec, f.file)
		groups = x.equality[key]
	}
	for _, g := range groups {
		if slices.Equal(g.ids, ids) {
			g.files = append(g.files, f)
			return
		}
	}
	groups = append(groups, &equalityGroup{ids: ids, files: []*equalityFile{f}})
	if global {
		x.global = groups
	} else {
		x.equality[key] = groups
	}
}

// assign finds a task's deletes. Position deletes hold for data of their own
// commit too, equality deletes only for older data.
func (x *deleteIndex) assign(t *Task) error {
	if v := x.vectors[t.Path]; v != nil {
		if v.seq < t.SequenceNumber {
			return cherr.New(cherr.IcebergSpecificationViolation, "deletion vector of sequence number %d is older than its data file %s of %d", v.seq, t.Path, t.SequenceNumber)
		}
		t.vector = v
	}
	key := partitionKey(t.Spec, t.File)
	if t.vector == nil { // older position deletes are folded into the vector
		for _, list := range [][]*deleteFile{x.byPath[t.Path], x.positions[key]} {
			for _, d := range list {
				if d.seq >= t.SequenceNumber && pathWithin(t.File, d.file) {
					t.positions = append(t.positions, d)
				}
			}
		}
	}
	for _, groups := range [][]*equalityGroup{x.global, x.equality[key]} {
		for _, g := range groups {
			if slices.ContainsFunc(g.files, func(f *equalityFile) bool { return f.seq > t.SequenceNumber }) {
				t.equality = append(t.equality, g)
			}
		}
	}
	return nil
}

// pathWithin: the delete file's bounds of file_path tell whether it can be
// about a data file. Inverted bounds say nothing.
func pathWithin(data, del *iceberg.DataFile) bool {
	st := del.Stat(iceberg.DeleteFilePathID)
	if st == nil || st.Lower == nil || st.Upper == nil || bytes.Compare(st.Lower, st.Upper) > 0 {
		return true
	}
	p := []byte(data.Path)
	if bytes.Compare(p, st.Lower) < 0 {
		return false
	}
	// An upper bound may be cut short: what it begins lies not behind it.
	return bytes.Compare(p, st.Upper) <= 0 || bytes.HasPrefix(p, st.Upper)
}

// partitionKey is equal for files of one spec and partition.
func partitionKey(spec *iceberg.PartitionSpec, f *iceberg.DataFile) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d", spec.ID)
	for _, v := range f.Partition {
		switch x := v.(type) {
		case nil:
			b.WriteString("|N")
		case string:
			fmt.Fprintf(&b, "|%q", x)
		case float32, float64:
			fmt.Fprintf(&b, "|%x", x)
		default:
			fmt.Fprintf(&b, "|%v", x)
		}
	}
	return b.String()
}

// defaultOf gives the value that files without the field have.
func defaultOf(f *iceberg.Field) (column.Value, error) {
	if f.InitialDefault != nil && bytes.Equal(f.InitialDefault, json.RawMessage("null")) {
		return nil, nil
	}
	return f.DefaultValue()
}
