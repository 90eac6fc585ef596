package paimon

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata/paimon"
)

// PartitionStatistics is what a commit changes in one partition; what goes away
// is negative.
type PartitionStatistics struct {
	Spec                 map[string]string `json:"spec"`
	RecordCount          int64             `json:"recordCount"`
	FileSizeInBytes      int64             `json:"fileSizeInBytes"`
	FileCount            int64             `json:"fileCount"`
	LastFileCreationTime int64             `json:"lastFileCreationTime"` // milliseconds
	TotalBuckets         int               `json:"totalBuckets"`
}

// CommitTableRequest is what a REST catalog takes to publish a snapshot.
type CommitTableRequest struct {
	TableID          *string               `json:"tableId"`
	BaseSnapshotUUID *string               `json:"baseSnapshotUuid"`
	Snapshot         *paimon.Snapshot      `json:"snapshot"`
	Statistics       []PartitionStatistics `json:"statistics"`
}

// requestStatistics sums the attempt's changes by partition, in the order in
// which they come.
func (a *attempt) requestStatistics() []PartitionStatistics {
	out := []PartitionStatistics{}
	at := map[string]int{}
	names := a.schema.PartitionNames()
	ts := paimon.TypesOf(names.Fields)
	for i := range a.changes.table {
		e := &a.changes.table[i]
		n, ok := at[string(e.Partition)]
		if !ok {
			n = len(out)
			at[string(e.Partition)] = n
			row, err := paimon.DecodeRow(e.Partition, ts)
			if err != nil {
				row = make(column.Row, len(ts))
			}
			spec := map[string]string{}
			for j, f := range names.Fields {
				spec[f.Name] = names.Text(j, row[j])
			}
			out = append(out, PartitionStatistics{Spec: spec, TotalBuckets: e.TotalBuckets})
		}
		p, sign := &out[n], int64(1)
		if e.Kind == paimon.Delete {
			sign = -1
		}
		p.RecordCount += sign * e.File.Rows
		p.FileSizeInBytes += sign * e.File.Size
		p.FileCount += sign
		p.TotalBuckets = e.TotalBuckets
		if e.File.CreationTime != nil {
			p.LastFileCreationTime = max(p.LastFileCreationTime, *e.File.CreationTime)
		}
	}
	return out
}

func requestOf(base, next *paimon.Snapshot, stats func() []PartitionStatistics, tableID *string) ([]byte, error) {
	r := CommitTableRequest{TableID: tableID, Snapshot: next, Statistics: stats()}
	if base != nil && base.UUID != "" {
		r.BaseSnapshotUUID = &base.UUID
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "    ")
	err := e.Encode(r)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

// stored keeps the last request.
type stored struct {
	mu      sync.Mutex
	request []byte
}

func (s *stored) set(request []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.request = request
}

func (s *stored) get() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.request
}

// requestPublisher only prepares requests; whoever asked sends them.
type requestPublisher struct {
	files  *filePublisher
	stored *stored
}

func (p *requestPublisher) latest(ctx context.Context) (*paimon.Snapshot, error) {
	return p.files.latest(ctx)
}

func (p *requestPublisher) find(context.Context, int64) (*paimon.Snapshot, error) { return nil, nil }

func (p *requestPublisher) publish(_ context.Context, base, next *paimon.Snapshot, stats func() []PartitionStatistics, tableID *string) (bool, error) {
	p.stored.set(nil)
	request, err := requestOf(base, next, stats, tableID)
	if err != nil {
		return false, err
	}
	p.stored.set(request)
	return true, nil
}

// catalogPublisher lets a catalog publish.
type catalogPublisher struct {
	files   *filePublisher
	catalog Catalog
	id      Identifier
	table   *CatalogTable
	stored  *stored
}

func (p *catalogPublisher) latest(ctx context.Context) (*paimon.Snapshot, error) {
	s, err := p.catalog.LatestSnapshot(ctx, p.id)
	return s, cherr.Wrap(err, "asking the catalog for the latest snapshot of %s", p.id)
}

func (p *catalogPublisher) find(ctx context.Context, id int64) (*paimon.Snapshot, error) {
	s, err := p.catalog.LatestSnapshot(ctx, p.id)
	if err != nil || s == nil || s.ID < id {
		return nil, err
	}
	if s.ID == id {
		return s, nil
	}
	return p.files.find(ctx, id)
}

func (p *catalogPublisher) publish(ctx context.Context, base, next *paimon.Snapshot, stats func() []PartitionStatistics, tableID *string) (bool, error) {
	p.stored.set(nil)
	if tableID == nil && p.table.UUID != "" {
		tableID = &p.table.UUID
	}
	request, err := requestOf(base, next, stats, tableID)
	if err != nil {
		return false, err
	}
	p.stored.set(request)
	return p.catalog.CommitSnapshot(ctx, p.id, request)
}

// LastCommitTableRequest gives the request of the last attempt, as JSON.
func (c *Committer) LastCommitTableRequest() ([]byte, error) {
	var s *stored
	switch p := c.publish.(type) {
	case *requestPublisher:
		s = p.stored
	case *catalogPublisher:
		s = p.stored
	default:
		return nil, cherr.New(cherr.NotImplemented, "commits through files do not support get last commit table request")
	}
	if r := s.get(); r != nil {
		return r, nil
	}
	return nil, invalid("there is no request yet: Should call Commit first")
}
