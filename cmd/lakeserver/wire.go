package main

import (
	"context"
	"path/filepath"
	gostrings "strings"
	"time"

	"lakeserver/access"
	"lakeserver/codec/parquet"
	"lakeserver/collections"
	"lakeserver/engine"
	"lakeserver/engine/database"
	"lakeserver/engine/system"
	"lakeserver/format"
	"lakeserver/functions"
	"lakeserver/functions/aggregate"
	"lakeserver/functions/iceberg"
	"lakeserver/functions/paimon"
	"lakeserver/functions/scalar/arith"
	"lakeserver/functions/scalar/arrays"
	"lakeserver/functions/scalar/compare"
	"lakeserver/functions/scalar/conditional"
	"lakeserver/functions/scalar/convert"
	"lakeserver/functions/scalar/dates"
	"lakeserver/functions/scalar/encrypt"
	"lakeserver/functions/scalar/hashes"
	"lakeserver/functions/scalar/info"
	"lakeserver/functions/scalar/ip"
	"lakeserver/functions/scalar/json"
	"lakeserver/functions/scalar/logic"
	"lakeserver/functions/scalar/maps"
	"lakeserver/functions/scalar/math"
	"lakeserver/functions/scalar/strings"
	"lakeserver/functions/scalar/tuples"
	"lakeserver/functions/scalar/urls"
	"lakeserver/functions/scalar/variants"
	"lakeserver/functions/storage"
	"lakeserver/functions/tableengine"
	"lakeserver/functions/tablefunc"
	"lakeserver/functions/window"
	"lakeserver/memory"
	"lakeserver/metadata"
	"lakeserver/objstore"
	"lakeserver/read"
)

// registry joins every family of functions: what is not here is not in the server.
func registry(cfg Config, c *caches, named *collections.Store) (*functions.Registry, error) {
	sources, err := sourcesOf(cfg)
	if err != nil {
		return nil, err
	}
	sources.Collections, sources.Clusters = named, localClusters(cfg)
	sources.Registry.Caches(c.disk)
	return functions.NewRegistry(
		arith.Set(), arrays.Set(), compare.Set(), conditional.Set(), convert.Set(), dates.Set(), encrypt.Set(), hashes.Set(), info.Set(),
		ip.Set(), json.Set(), logic.Set(), maps.Set(), math.Set(), strings.Set(), tuples.Set(), urls.Set(), variants.Set(),
		aggregate.Set(), window.Set(),
		tablefunc.SetOver(tablefunc.Config{Sources: sources}), tableengine.Set(),
		iceberg.Set(iceberg.Config{Sources: sources, Cache: c.metadata, Shared: c.shared, Warehouse: warehouse(cfg)}),
		paimon.Set(paimon.Config{Sources: sources, Cache: c.metadata, Shared: c.shared}),
	)
}

// sourcesOf joins the stores that table functions may reach.
func sourcesOf(cfg Config) (*storage.Sources, error) {
	var hosts *objstore.Hosts
	if h := cfg.RemoteURLAllowHosts; h != nil {
		var err error
		if hosts, err = objstore.NewHosts(h.Host, h.HostRegexp); err != nil {
			return nil, err
		}
	}
	stores := objstore.NewRegistry(hosts)
	objstore.RegisterS3(stores)
	objstore.RegisterAzure(stores)
	objstore.RegisterHDFS(stores)
	objstore.RegisterLocal(stores, localStore(cfg))
	return &storage.Sources{Local: localStore(cfg), Registry: stores}, nil
}

// localStore is the part of the file system that table functions may read.
func localStore(cfg Config) objstore.Store {
	if cfg.anyPath {
		return objstore.NewUnrestricted(cfg.UserFilesDir)
	}
	return objstore.NewLocal(userFiles(cfg), cfg.AllowedLocalPaths...)
}

// warehouse is where tables without a place of their own are kept: below the
// data folder, so that a server without one has none.
func warehouse(cfg Config) objstore.Store {
	if cfg.DataDir == "" {
		return nil
	}
	dir, err := filepath.Abs(filepath.Join(cfg.DataDir, "warehouse"))
	if err != nil {
		return nil
	}
	return objstore.NewLocal(dir)
}

// caches are what queries share.
type caches struct {
	metadata *metadata.Cache
	shared   *read.Shared
	disk     map[string]*objstore.DiskCache // by name
	pages    *parquet.PageCache
}

const (
	// defaultMetadataCache bounds parsed metadata files, in bytes.
	defaultMetadataCache = 512 << 20
	// footerCache is ClickHouse's default for its cache of Parquet footers.
	footerCache = 512 << 20
	// pageCacheShare is the part of the machine's memory that decompressed
	// pages may take: one in so many.
	pageCacheShare = 4
)

func newCaches(cfg Config) *caches {
	n := int64(defaultMetadataCache)
	if cfg.Caches.MetadataBytes > 0 {
		n = cfg.Caches.MetadataBytes
	}
	pages := machineMemory() / pageCacheShare
	if cfg.Caches.PageBytes > 0 {
		pages = cfg.Caches.PageBytes
	}
	c := &caches{metadata: metadata.NewCache(n), shared: read.NewShared(footerCache), pages: parquet.NewPageCache(pages)}
	c.shared.KeepPages(c.pages)
	return c
}

// drop empties the caches that SYSTEM DROP … CACHE names.
func (c *caches) drop(command, name string) error {
	switch {
	case gostrings.Contains(command, "FILESYSTEM CACHE"):
		return c.dropDisk(name)
	case gostrings.Contains(command, "ICEBERG METADATA"), gostrings.Contains(command, "PAIMON METADATA"):
		c.metadata.Clear()
	case gostrings.Contains(command, "PARQUET METADATA"):
		c.shared.Clear()
	case gostrings.Contains(command, "PAGE CACHE"):
		c.pages.Clear()
	}
	return nil
}

// newEngine wires an engine of a configuration.
func newEngine(ctx context.Context, cfg Config) (*engine.Engine, error) {
	cache := newCaches(cfg)
	var err error
	if cache.disk, err = openDiskCaches(cfg); err != nil {
		return nil, err
	}
	users, err := openAccess(cfg)
	if err != nil {
		return nil, err
	}
	named, err := openCollections(cfg)
	if err != nil {
		return nil, err
	}
	reg, err := registry(cfg, cache, named)
	if err != nil {
		return nil, err
	}
	tracker := memory.New(nil, "server", memoryLimit(cfg.Limits.MemoryBytes))
	return engine.New(ctx, engine.Config{
		Registry: reg, DataDir: cfg.DataDir, Memory: tracker, MergeTreeAs: cfg.MergeTreeAs, DefaultEngine: defaultEngine(cfg), Zone: localZone(), DropCaches: cache.drop, Collections: named, Access: users,
		System: func(e *engine.Engine) map[string][]*database.Entry {
			return system.Tables(source(cfg, e, users, named, cache))
		},
	})
}

func defaultEngine(cfg Config) string {
	if cfg.DataDir == "" && cfg.DefaultTableEngine == "Iceberg" {
		return ""
	}
	return cfg.DefaultTableEngine
}

// userFiles is the folder that table functions may read.
func userFiles(cfg Config) string {
	if cfg.UserFilesDir != "" {
		return cfg.UserFilesDir
	}
	return filepath.Join(cfg.DataDir, "user_files")
}

// source is what the system tables tell of.
func source(cfg Config, e *engine.Engine, users *access.Store, named *collections.Store, c *caches) *system.Source {
	return &system.Source{
		Catalog: e.Catalog(), Registry: e.Registry(), DataDir: cfg.DataDir, Started: time.Now(), Extra: lakeTables(e.Catalog()),
		Formats: formats, Events: func() map[string]int64 { return c.events(e.Events().All()) }, Cached: c.cached, Access: users,
		Collections: describeCollections(cfg, named),
		Clusters:    func() []system.Node { return clusterNodes(cfg) }, CreateText: engine.CreateText, Present: engine.Present,
		Processes: func() []system.Query { return running(e) },
		QueryLog:  func() []system.Query { return finished(e) },
		Metrics: func() map[string]int64 {
			return map[string]int64{"Query": int64(len(e.Processes().List())), "MemoryTracking": e.Memory().Used()}
		},
	}
}

func formats() []system.Format {
	var out []system.Format
	for _, f := range format.All() {
		for _, name := range append([]string{f.Name}, f.Aliases...) {
			out = append(out, system.Format{Name: name, Input: f.NewReader != nil, Output: f.NewWriter != nil, ContentType: f.ContentType})
		}
	}
	return out
}

func clusterNodes(cfg Config) []system.Node {
	var out []system.Node
	for name, shards := range cfg.Clusters {
		for s, shard := range shards {
			for r, rep := range shard.Replicas {
				out = append(out, system.Node{
					Cluster: name, Shard: uint32(s + 1), Replica: uint32(r + 1),
					Host: rep.Host, Port: rep.Port, User: rep.User, Local: rep.Local,
				})
			}
		}
	}
	return out
}

// localClusters tells of each cluster whether this server is all of it.
func localClusters(cfg Config) map[string]bool {
	out := map[string]bool{}
	for name, shards := range cfg.Clusters {
		out[name] = len(shards) == 1 && len(shards[0].Replicas) == 1 && shards[0].Replicas[0].Local
	}
	return out
}

func running(e *engine.Engine) []system.Query {
	var out []system.Query
	for _, p := range e.Processes().List() {
		q := described(p)
		q.Elapsed = time.Since(p.Started)
		q.Memory, q.PeakMemory = p.Memory.Used(), p.Memory.Peak()
		out = append(out, q)
	}
	return out
}

func finished(e *engine.Engine) []system.Query {
	var out []system.Query
	for _, l := range e.Log().Entries() {
		q := described(l.Process)
		q.Elapsed, q.Code, q.Message, q.Memory = l.Finished.Sub(l.Process.Started), l.Code, l.Message, l.PeakMemory
		out = append(out, q)
	}
	return out
}

func described(p *engine.Process) system.Query {
	return system.Query{
		ID: p.ID, User: p.User, Database: p.Database, Text: p.Text, Kind: string(p.Kind), Interface: p.Interface, Client: p.Client,
		Address: p.Address, Started: p.Started, Cancelled: p.Cancelled(), Settings: p.Settings,
		ReadRows: p.Progress.ReadRows.Load(), ReadBytes: p.Progress.ReadBytes.Load(), TotalRows: p.Progress.TotalRows.Load(),
		WrittenRows: p.Progress.WrittenRows.Load(), WrittenBytes: p.Progress.WrittenBytes.Load(),
		ResultRows: p.Progress.ResultRows.Load(), ResultBytes: p.Progress.ResultBytes.Load(), Events: p.Progress.Events(),
	}
}
