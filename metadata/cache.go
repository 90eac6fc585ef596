package metadata

import (
	"container/list"
	"context"
	"sync"
	"sync/atomic"
)

// Cache keeps parsed files by key, the least recently used ones dropped when
// the bytes are more than the limit. What it holds is immutable and shared.
// Safe for concurrent use; a file asked for twice at once is parsed once.
type Cache struct {
	limit int64

	mu    sync.Mutex
	used  int64
	order *list.List // of *entry, most recent first
	items map[string]*list.Element
	loads map[string]*load

	hits, misses, lost atomic.Int64
}

type entry struct {
	key   string
	value any
	size  int64
}

// load is one parse under way.
type load struct {
	done  chan struct{}
	value any
	err   error
}

// NewCache makes a cache of at most limit bytes.
func NewCache(limit int64) *Cache {
	return &Cache{limit: limit, order: list.New(), items: map[string]*list.Element{}, loads: map[string]*load{}}
}

// Stats gives the counts of hits, misses and bytes dropped so far.
func (c *Cache) Stats() (hits, misses, lost int64) {
	return c.hits.Load(), c.misses.Load(), c.lost.Load()
}

// Used gives the bytes and the number of files kept now.
func (c *Cache) Used() (bytes int64, files int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.used, c.order.Len()
}

// Clear drops everything.
func (c *Cache) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.order.Init()
	clear(c.items)
	c.used = 0
}

// Get gives what is kept under key, or what parse gives, which is kept when it
// has no error. Errors are not kept. hit says that nothing was parsed for
// this call.
func (c *Cache) Get(ctx context.Context, key string, parse func() (value any, size int64, err error)) (value any, hit bool, err error) {
	c.mu.Lock()
	if el, ok := c.items[key]; ok {
		c.order.MoveToFront(el)
		c.mu.Unlock()
		c.hits.Add(1)
		return el.Value.(*entry).value, true, nil
	}
	if l, ok := c.loads[key]; ok {
		c.mu.Unlock()
		select {
		case <-ctx.Done():
			return nil, false, ctx.Err()
		case <-l.done:
		}
		if l.err == nil {
			c.hits.Add(1)
			return l.value, true, nil
		}
		// The other query's failure may be its own (a cancel): try ourselves.
		v, _, err := parse()
		return v, false, err
	}
	l := &load{done: make(chan struct{})}
	c.loads[key] = l
	c.mu.Unlock()
	c.misses.Add(1)

	finished := false
	defer func() { // also when parse panics: nobody may wait for ever
		if !finished {
			l.err = context.Canceled
		}
		c.mu.Lock()
		delete(c.loads, key)
		c.mu.Unlock()
		close(l.done)
	}()
	var size int64
	l.value, size, l.err = parse()
	finished = true
	if l.err == nil {
		c.keep(key, l.value, size)
	}
	return l.value, false, l.err
}

// peek gives what is kept under key, nil for nothing.
func (c *Cache) peek(key string) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.items[key]
	if !ok {
		return nil
	}
	c.order.MoveToFront(el)
	return el.Value.(*entry).value
}

// alone runs work while no other call under the same key runs; a call that had
// to wait does not run its own: it looks for what the other one kept.
func (c *Cache) alone(ctx context.Context, key string, work func() error) (ran bool, err error) {
	c.mu.Lock()
	if l, ok := c.loads[key]; ok {
		c.mu.Unlock()
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-l.done:
			return false, nil
		}
	}
	l := &load{done: make(chan struct{})}
	c.loads[key] = l
	c.mu.Unlock()
	defer func() { // also when work panics: nobody may wait for ever
		c.mu.Lock()
		delete(c.loads, key)
		c.mu.Unlock()
		close(l.done)
	}()
	return true, work()
}

func (c *Cache) keep(key string, value any, size int64) {
	size += int64(len(key)) + 128
	if size > c.limit {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.items[key]; ok {
		return
	}
	c.items[key] = c.order.PushFront(&entry{key, value, size})
	c.used += size
	for c.used > c.limit {
		last := c.order.Back()
		e := last.Value.(*entry)
		c.order.Remove(last)
		delete(c.items, e.key)
		c.used -= e.size
		c.lost.Add(e.size)
	}
}
