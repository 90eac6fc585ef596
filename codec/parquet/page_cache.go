package parquet

import (
	"container/list"
	"hash/maphash"
	"sync"
	"sync/atomic"
)

// PageCache keeps decompressed pages of files, the least recently used ones
// dropped when the bytes are more than the limit. What it holds is never
// written to: columns may be views into it. It is safe for concurrent use.
type PageCache struct {
	seed   maphash.Seed
	shards [pageShards]pageShard

	hits, misses atomic.Int64
}

// pageShards keeps threads that scan from waiting for each other.
const pageShards = 32

type pageShard struct {
	mu    sync.Mutex
	limit int64
	used  int64
	order *list.List // of *keptPage, most recent first
	items map[pageKey]*list.Element
}

// pageKey names a page: the file with its content's mark, and where the page's
// header is in it.
type pageKey struct {
	file string
	at   int64
}

// keptPage is a page with its header, whose length is n.
type keptPage struct {
	key pageKey
	hdr pageHeader
	n   int
	buf []byte
}

// keptOverhead is about what an entry takes beside its page.
const keptOverhead = 256

// NewPageCache makes a cache of at most limit bytes.
func NewPageCache(limit int64) *PageCache {
	c := &PageCache{seed: maphash.MakeSeed()}
	for i := range c.shards {
		c.shards[i] = pageShard{limit: limit / pageShards, order: list.New(), items: map[pageKey]*list.Element{}}
	}
	return c
}

// Stats gives the counts of pages found and not found so far.
func (c *PageCache) Stats() (hits, misses int64) { return c.hits.Load(), c.misses.Load() }

// Used gives the bytes and the number of pages kept now.
func (c *PageCache) Used() (bytes int64, pages int) {
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		bytes, pages = bytes+s.used, pages+len(s.items)
		s.mu.Unlock()
	}
	return bytes, pages
}

// Clear drops everything.
func (c *PageCache) Clear() {
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		s.order.Init()
		clear(s.items)
		s.used = 0
		s.mu.Unlock()
	}
}

func (c *PageCache) shard(k pageKey) *pageShard {
	return &c.shards[maphash.Comparable(c.seed, k)%pageShards]
}

func (c *PageCache) get(k pageKey) *keptPage {
	s := c.shard(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	el, ok := s.items[k]
	if !ok {
		c.misses.Add(1)
		return nil
	}
	c.hits.Add(1)
	s.order.MoveToFront(el)
	return el.Value.(*keptPage)
}

// keep adds a page and tells whether it did: then the page's bytes are the
// cache's.
func (c *PageCache) keep(p *keptPage) bool {
	size := int64(cap(p.buf)) + keptOverhead
	s := c.shard(p.key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.items[p.key]; ok || size > s.limit {
		return false
	}
	s.items[p.key] = s.order.PushFront(p)
	s.used += size
	for s.used > s.limit {
		last := s.order.Back()
		old := last.Value.(*keptPage)
		s.order.Remove(last)
		delete(s.items, old.key)
		s.used -= int64(cap(old.buf)) + keptOverhead
	}
	return true
}
