package main

import (
	"maps"
	"path/filepath"
	"slices"

	"lakeserver/cherr"
	"lakeserver/engine/system"
	"lakeserver/objstore"
)

// defaultDiskCache bounds a cache on disk, in bytes.
const defaultDiskCache = 10 << 30

// openDiskCaches opens the caches on disk that a configuration names.
func openDiskCaches(cfg Config) (map[string]*objstore.DiskCache, error) {
	out := map[string]*objstore.DiskCache{}
	folders := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(cfg.Caches.Disk)) {
		d := cfg.Caches.Disk[name]
		if d.Path == "" {
			d.Path = filepath.Join("caches", name)
		}
		if !filepath.IsAbs(d.Path) {
			if cfg.DataDir == "" {
				return nil, cherr.New(cherr.BadArguments, "The cache `%s` has no folder: there is no data directory", name)
			}
			d.Path = filepath.Join(cfg.DataDir, d.Path)
		}
		if d.MaxBytes <= 0 {
			d.MaxBytes = defaultDiskCache
		}
		if other := folders[d.Path]; other != "" {
			return nil, cherr.New(cherr.BadArguments, "The caches `%s` and `%s` have one folder", other, name)
		}
		folders[d.Path] = name
		c, err := objstore.NewDiskCache(name, d.Path, d.MaxBytes)
		if err != nil {
			return nil, err
		}
		out[name] = c
	}
	return out, nil
}

// dropDisk empties a cache on disk, or all of them.
func (c *caches) dropDisk(name string) error {
	if name != "" && c.disk[name] == nil {
		return cherr.New(cherr.BadArguments, "There is no cache by name: %s", name)
	}
	for n, d := range c.disk {
		if name == "" || n == name {
			d.Clear()
		}
	}
	return nil
}

// cached describes what the caches on disk hold.
func (c *caches) cached() []system.CacheSegment {
	var out []system.CacheSegment
	for _, name := range slices.Sorted(maps.Keys(c.disk)) {
		for _, g := range c.disk[name].Segments() {
			out = append(out, system.CacheSegment(g))
		}
	}
	return out
}

// events adds what the caches on disk counted.
func (c *caches) events(all map[string]int64) map[string]int64 {
	for _, d := range c.disk {
		for k, v := range d.Events() {
			all[k] += v
		}
	}
	return all
}
