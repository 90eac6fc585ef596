package objstore

import (
	"container/list"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"lakeserver/cherr"
)

// DiskCache keeps ranges of far objects in a folder of the local disk, up to a
// number of bytes; what was not used for the longest time goes first. A range
// is known by store, key and ETag, so that it never goes stale. A file is
// written beside and renamed, and ends with a sum over its name and content:
// what a crash or a bad disk left behind is not served. It is safe for
// concurrent use, and the folder is one process's.
type DiskCache struct {
	name, dir string
	max       int64

	mu    sync.Mutex
	size  int64
	order *list.List // of *cached, most recent first
	byID  map[string][]*list.Element

	hits, misses, hitBytes, missBytes, writeBytes atomic.Int64
}

// cached is one file of the cache.
type cached struct {
	id     string
	off, n int64
	since  time.Time
	hits   int64
}

const (
	cacheEnding = ".seg"
	cacheMark   = "put-" // begins the names of files that are not whole yet
	sumBytes    = 4
)

var cacheSums = crc32.MakeTable(crc32.Castagnoli)

// NewDiskCache opens the cache in a folder, which it makes, and drops from it
// what is not whole or too much.
func NewDiskCache(name, dir string, maxBytes int64) (*DiskCache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, cherr.New(cherr.CannotOpenFile, "The folder of the cache `%s` cannot be made: %s", name, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, cherr.New(cherr.CannotOpenFile, "The folder of the cache `%s` cannot be read: %s", name, err)
	}
	c := &DiskCache{name: name, dir: dir, max: maxBytes, order: list.New(), byID: map[string][]*list.Element{}}
	var found []*cached
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), cacheMark) {
			_ = os.Remove(filepath.Join(dir, e.Name())) // only room is lost if it stays
			continue
		}
		g, ok := parseCached(e.Name())
		fi, err := e.Info()
		switch {
		case !ok || err != nil: // not the cache's own
		case fi.Size() != g.n+sumBytes:
			_ = os.Remove(c.file(g))
		default:
			g.since = fi.ModTime()
			found = append(found, g)
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].since.Before(found[j].since) })
	for _, g := range found {
		c.insert(g)
	}
	return c, nil
}

func (c *DiskCache) file(g *cached) string { return filepath.Join(c.dir, g.fileName()) }

func (g *cached) fileName() string {
	return g.id + "-" + strconv.FormatInt(g.off, 10) + "-" + strconv.FormatInt(g.n, 10) + cacheEnding
}

func parseCached(name string) (*cached, bool) {
	rest, ok := strings.CutSuffix(name, cacheEnding)
	parts := strings.Split(rest, "-")
	if !ok || len(parts) != 3 || len(parts[0]) != 2*sha256.Size {
		return nil, false
	}
	off, err1 := strconv.ParseInt(parts[1], 10, 64)
	n, err2 := strconv.ParseInt(parts[2], 10, 64)
	return &cached{id: parts[0], off: off, n: n}, err1 == nil && err2 == nil && off >= 0 && n > 0
}

// contentID names one content of one object.
func contentID(store, key, etag string) string {
	h := sha256.New()
	for _, s := range [...]string{store, key, etag} {
		h.Write(binary.AppendUvarint(nil, uint64(len(s))))
		h.Write([]byte(s))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// get gives n bytes at off, if one file has all of them.
func (c *DiskCache) get(id string, off, n int64) ([]byte, bool) {
	c.mu.Lock()
	var g *cached
	for _, el := range c.byID[id] {
		if x := el.Value.(*cached); x.off <= off && off+n <= x.off+x.n {
			g = x
			g.hits++
			c.order.MoveToFront(el)
			break
		}
	}
	c.mu.Unlock()
	if g == nil {
		c.misses.Add(1)
		c.missBytes.Add(n)
		return nil, false
	}
	data, err := os.ReadFile(c.file(g))
	if err != nil || int64(len(data)) != g.n+sumBytes || binary.LittleEndian.Uint32(data[g.n:]) != g.sum(data[:g.n]) {
		c.drop(g) // evicted meanwhile, or spoilt
		c.misses.Add(1)
		c.missBytes.Add(n)
		return nil, false
	}
	c.hits.Add(1)
	c.hitBytes.Add(n)
	return data[off-g.off : off-g.off+n : off-g.off+n], true
}

func (g *cached) sum(data []byte) uint32 {
	return crc32.Update(crc32.Checksum([]byte(g.fileName()), cacheSums), cacheSums, data)
}

// put keeps bytes. A cache that cannot write is slow, not wrong: its errors are
// nobody's.
func (c *DiskCache) put(id string, off int64, data []byte) {
	g := &cached{id: id, off: off, n: int64(len(data)), since: time.Now()}
	if g.n == 0 || g.n+sumBytes > c.max {
		return
	}
	f, err := os.CreateTemp(c.dir, cacheMark)
	if err != nil {
		return
	}
	_, err = f.Write(data)
	if err == nil {
		_, err = f.Write(binary.LittleEndian.AppendUint32(nil, g.sum(data)))
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil && !c.has(g) {
		if err = os.Rename(f.Name(), c.file(g)); err == nil {
			c.writeBytes.Add(g.n)
			c.insertLocked(g)
			return
		}
	}
	_ = os.Remove(f.Name())
}

func (c *DiskCache) has(g *cached) bool {
	for _, el := range c.byID[g.id] {
		if x := el.Value.(*cached); x.off == g.off && x.n == g.n {
			return true
		}
	}
	return false
}

func (c *DiskCache) insert(g *cached) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.insertLocked(g)
}

func (c *DiskCache) insertLocked(g *cached) {
	c.byID[g.id] = append(c.byID[g.id], c.order.PushFront(g))
	c.size += g.n + sumBytes
	for c.size > c.max {
		c.removeLocked(c.order.Back())
	}
}

// drop forgets a file.
func (c *DiskCache) drop(g *cached) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, el := range c.byID[g.id] {
		if el.Value.(*cached) == g {
			c.removeLocked(el)
			return
		}
	}
}

func (c *DiskCache) removeLocked(el *list.Element) {
	g := c.order.Remove(el).(*cached)
	c.size -= g.n + sumBytes
	rest := c.byID[g.id][:0]
	for _, x := range c.byID[g.id] {
		if x != el {
			rest = append(rest, x)
		}
	}
	if c.byID[g.id] = rest; len(rest) == 0 {
		delete(c.byID, g.id)
	}
	_ = os.Remove(c.file(g)) // what stays is dropped at the next start, or used
}

// Clear empties the cache.
func (c *DiskCache) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.order.Len() > 0 {
		c.removeLocked(c.order.Back())
	}
}

// CacheSegment describes one range that a cache holds.
type CacheSegment struct {
	Cache, Folder, Path, Content string
	Offset, Length, Hits         int64
	Since                        time.Time
}

// Segments describes what is in the cache, lately used first.
func (c *DiskCache) Segments() []CacheSegment {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]CacheSegment, 0, c.order.Len())
	for el := c.order.Front(); el != nil; el = el.Next() {
		g := el.Value.(*cached)
		out = append(out, CacheSegment{c.name, c.dir, c.file(g), g.id, g.off, g.n, g.hits, g.since})
	}
	return out
}

// Events gives what happened so far, by ClickHouse's names.
func (c *DiskCache) Events() map[string]int64 {
	return map[string]int64{
		"CachedReadBufferReadFromCacheHits": c.hits.Load(), "CachedReadBufferReadFromCacheMisses": c.misses.Load(),
		"CachedReadBufferReadFromCacheBytes": c.hitBytes.Load(), "CachedReadBufferReadFromSourceBytes": c.missBytes.Load(),
		"CachedReadBufferCacheWriteBytes": c.writeBytes.Load(),
	}
}
