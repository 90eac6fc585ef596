package system

import (
	"runtime"
	"sort"
	"time"

	"lakeserver/cherr"
	"lakeserver/functions"
	"lakeserver/settings"
	"lakeserver/types"
)

func fillSettings(_ *Source, env *functions.Env, r *rows) error {
	for _, d := range settings.All() {
		r.next()
		r.set("name", d.Name)
		r.set("value", env.Settings.Get(d.Name))
		r.set("default", d.Default)
		r.set("changed", env.Settings.Changed(d.Name))
		r.set("description", d.Doc)
		r.set("type", d.Type)
		r.set("readonly", env.Settings.Get("readonly") == "1")
		r.set("is_obsolete", !d.Honored)
		r.set("tier", "Production")
	}
	return nil
}

func fillServerSettings(src *Source, _ *functions.Env, r *rows) error {
	for name, v := range map[string]string{"path": src.DataDir, "timezone": "UTC", "max_connections": "4096"} {
		r.next()
		r.set("name", name)
		r.set("value", v)
		r.set("default", v)
		r.set("type", "String")
	}
	return nil
}

func fillErrors(_ *Source, _ *functions.Env, r *rows) error {
	all := cherr.All()
	codes := make([]int, 0, len(all))
	for c := range all {
		codes = append(codes, int(c))
	}
	sort.Ints(codes)
	for _, c := range codes {
		r.next()
		r.set("name", all[cherr.Code(c)])
		r.set("code", c)
	}
	return nil
}

func fillFormats(src *Source, _ *functions.Env, r *rows) error {
	if src.Formats == nil {
		return nil
	}
	for _, f := range src.Formats() {
		r.next()
		r.set("name", f.Name)
		r.set("is_input", f.Input)
		r.set("is_output", f.Output)
		r.set("content_type", f.ContentType)
	}
	return nil
}

func fillTypes(_ *Source, _ *functions.Env, r *rows) error {
	families := types.Families()
	sort.Slice(families, func(i, j int) bool { return families[i].Name < families[j].Name })
	for _, f := range families {
		r.next()
		r.set("name", f.Name)
		r.set("case_insensitive", f.CaseInsensitive)
		r.set("alias_to", f.Of)
	}
	return nil
}

// fillTimeZones names the zones that the binary carries and people use; any
// other name of the IANA database works as well.
func fillTimeZones(_ *Source, _ *functions.Env, r *rows) error {
	for _, z := range zones() {
		if _, err := time.LoadLocation(z); err == nil {
			r.next()
			r.set("time_zone", z)
		}
	}
	return nil
}

func fillProcesses(src *Source, _ *functions.Env, r *rows) error {
	if src.Processes == nil {
		return nil
	}
	for _, q := range src.Processes() {
		r.next()
		setQuery(r, q)
		r.set("elapsed", q.Elapsed.Seconds())
		r.set("total_rows_approx", q.TotalRows)
		r.set("peak_memory_usage", q.PeakMemory)
		r.set("is_cancelled", q.Cancelled)
		r.set("is_initial_query", true)
		r.set("initial_user", q.User)
		r.set("initial_query_id", q.ID)
		r.set("is_all_data_sent", false)
	}
	return nil
}

func setQuery(r *rows, q Query) {
	r.set("query_id", q.ID)
	r.set("user", q.User)
	r.set("query", q.Text)
	r.set("query_kind", q.Kind)
	r.set("current_database", q.Database)
	r.set("client_name", q.Client)
	r.set("read_rows", q.ReadRows)
	r.set("read_bytes", q.ReadBytes)
	r.set("written_rows", q.WrittenRows)
	r.set("written_bytes", q.WrittenBytes)
	r.set("memory_usage", q.Memory)
	r.set("Settings", q.Settings)
	r.set("ProfileEvents", q.Events)
}

func fillQueryLog(src *Source, _ *functions.Env, r *rows) error {
	if src.QueryLog == nil {
		return nil
	}
	for _, q := range src.QueryLog() {
		r.next()
		setQuery(r, q)
		end := q.Started.Add(q.Elapsed)
		kind := "QueryFinish"
		if q.Code != 0 {
			kind = "ExceptionWhileProcessing"
		}
		r.set("type", kind)
		r.set("event_date", end)
		r.set("event_time", end)
		r.set("event_time_microseconds", end)
		r.set("query_start_time", q.Started)
		r.set("query_start_time_microseconds", q.Started)
		r.set("query_duration_ms", q.Elapsed.Milliseconds())
		r.set("result_rows", q.ResultRows)
		r.set("result_bytes", q.ResultBytes)
		r.set("exception_code", int(q.Code))
		r.set("exception", q.Message)
		r.set("is_initial_query", true)
		r.set("address", q.Address)
		r.set("interface", q.Interface)
	}
	return nil
}

func sortedCounters(m map[string]int64) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

func fillEvents(src *Source, _ *functions.Env, r *rows) error {
	if src.Events == nil {
		return nil
	}
	m := src.Events()
	for _, n := range sortedCounters(m) {
		r.next()
		r.set("event", n)
		r.set("name", n)
		r.set("value", m[n])
	}
	return nil
}

func fillMetrics(src *Source, _ *functions.Env, r *rows) error {
	if src.Metrics == nil {
		return nil
	}
	m := src.Metrics()
	for _, n := range sortedCounters(m) {
		r.next()
		r.set("metric", n)
		r.set("name", n)
		r.set("value", m[n])
	}
	return nil
}

func fillAsynchronousMetrics(src *Source, env *functions.Env, r *rows) error {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	for _, x := range []struct {
		name string
		v    float64
	}{
		{"Uptime", env.Uptime.Seconds()},
		{"MemoryResident", float64(m.Sys)},
		{"MemoryHeapInUse", float64(m.HeapInuse)},
		{"OSCPUCount", float64(runtime.NumCPU())},
		{"NumberOfDatabases", float64(len(src.Catalog.Databases()))},
	} {
		r.next()
		r.set("metric", x.name)
		r.set("value", x.v)
	}
	return nil
}

func fillUserProcesses(src *Source, _ *functions.Env, r *rows) error {
	if src.Processes == nil {
		return nil
	}
	seen := map[string]bool{}
	for _, q := range src.Processes() {
		if !seen[q.User] {
			seen[q.User] = true
			r.next()
			r.set("user", q.User)
		}
	}
	return nil
}

func fillFilesystemCache(src *Source, _ *functions.Env, r *rows) error {
	if src.Cached == nil {
		return nil
	}
	for _, g := range src.Cached() {
		r.next()
		r.set("cache_name", g.Cache)
		r.set("cache_base_path", g.Folder)
		r.set("cache_path", g.Path)
		r.set("key", g.Content)
		r.set("file_segment_range_begin", g.Offset)
		r.set("file_segment_range_end", g.Offset+g.Length-1)
		r.set("size", g.Length)
		r.set("state", "DOWNLOADED")
		r.set("finished_download_time", g.Since)
		r.set("cache_hits", g.Hits)
		r.set("downloaded_size", g.Length)
		r.set("kind", "Regular")
		r.set("segment_type", "Data")
	}
	return nil
}

func fillNamedCollections(src *Source, env *functions.Env, r *rows) error {
	if src.Collections == nil {
		return nil
	}
	for _, c := range src.Collections(env) {
		r.next()
		r.set("name", c.Name)
		r.set("collection", c.Values)
		r.set("source", c.Source)
		r.set("create_query", c.CreateText)
	}
	return nil
}

func fillClusters(src *Source, _ *functions.Env, r *rows) error {
	if src.Clusters == nil {
		return nil
	}
	for _, n := range src.Clusters() {
		r.next()
		r.set("cluster", n.Cluster)
		r.set("name", n.Cluster)
		r.set("shard_num", int64(n.Shard))
		r.set("shard_weight", 1)
		r.set("replica_num", int64(n.Replica))
		r.set("host_name", n.Host)
		r.set("host_address", n.Host)
		r.set("port", int64(n.Port))
		r.set("user", n.User)
		r.set("is_local", n.Local)
	}
	return nil
}

func fillBuildOptions(_ *Source, env *functions.Env, r *rows) error {
	for _, o := range [][2]string{{"VERSION_DESCRIBE", env.Version}, {"SYSTEM", runtime.GOOS}, {"CXX_COMPILER", runtime.Version()}} {
		r.next()
		r.set("name", o[0])
		r.set("value", o[1])
	}
	return nil
}

func fillContributors(_ *Source, _ *functions.Env, r *rows) error {
	r.next()
	r.set("name", "lakeserver's contributors")
	return nil
}

func fillKeywords(src *Source, _ *functions.Env, r *rows) error {
	if src.Keywords == nil {
		return nil
	}
	for _, k := range src.Keywords() {
		r.next()
		r.set("keyword", k)
	}
	return nil
}

func fillDisks(src *Source, _ *functions.Env, r *rows) error {
	r.next()
	r.set("name", "default")
	r.set("path", src.DataDir)
	r.set("type", "Local")
	return nil
}

func fillCollations(_ *Source, _ *functions.Env, r *rows) error {
	for _, c := range [][2]string{{"en", "English"}, {"de", "German"}, {"fr", "French"}, {"ru", "Russian"}, {"tr", "Turkish"}} {
		r.next()
		r.set("name", c[0])
		r.set("language", c[1])
	}
	return nil
}
