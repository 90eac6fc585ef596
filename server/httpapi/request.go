package httpapi

import (
	"net/http"
	"net/url"
	"sort"
	"strconv"
	"strings"
	"time"

	"lakeserver/cherr"
	"lakeserver/server"
	"lakeserver/settings"
)

// request is what the URL and the headers of a query say.
type request struct {
	values    url.Values
	id        string
	text      string // the query parameter
	settings  []server.Setting
	params    map[string]string
	format    string
	database  string
	compress  bool
	wait      bool
	keepBytes int // buffer_size
	revision  int // client_protocol_version
	external  map[string]bool
}

// reserved are the parameters that are not settings.
var reserved = map[string]bool{
	"query": true, "database": true, "default_format": true, "user": true, "password": true, "quota_key": true,
	"query_id": true, "role": true, "session_id": true, "session_timeout": true, "session_check": true,
	"close_session": true, "stacktrace": true, "buffer_size": true, "wait_end_of_query": true, "compress": true,
	"decompress": true, "client_protocol_version": true,
}

func parseRequest(r *http.Request) (*request, error) {
	v, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, cherr.New(cherr.BadArguments, "Cannot parse the URL: %s", err)
	}
	q := &request{values: v, params: map[string]string{}, external: map[string]bool{}}
	q.id = first(last(v, "query_id"), r.Header.Get("X-ClickHouse-Query-Id"))
	if q.id == "" {
		q.id = server.NewQueryID()
	}
	q.text = last(v, "query")
	q.format = first(last(v, "default_format"), r.Header.Get("X-ClickHouse-Format"))
	q.database = first(last(v, "database"), r.Header.Get("X-ClickHouse-Database"))
	q.compress, q.wait = flag(v, "compress"), flag(v, "wait_end_of_query") || flag(v, "http_wait_end_of_query")
	q.keepBytes, _ = strconv.Atoi(last(v, "buffer_size"))
	q.revision, _ = strconv.Atoi(last(v, "client_protocol_version"))
	names := make([]string, 0, len(v))
	for name := range v {
		names = append(names, name)
	}
	sort.Strings(names) // errors must not depend on the order of a map
	for _, name := range names {
		if err := q.take(name, last(v, name), isMultipart(r)); err != nil {
			return nil, err
		}
	}
	return q, nil
}

func isMultipart(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/form-data")
}

// take sorts one parameter into its place.
func (q *request) take(name, value string, multipart bool) error {
	switch {
	case reserved[name]:
	case strings.HasPrefix(name, "param_"):
		q.params[name[len("param_"):]] = value
	case multipart && externalTable(name) != "":
		q.external[externalTable(name)] = true
	default:
		if _, ok := settings.Lookup(name); !ok && !strings.HasPrefix(name, "custom_") && !strings.HasPrefix(name, "SQL_") {
			return cherr.New(cherr.UnknownSetting, "Setting %s is neither a builtin setting nor started with the prefix 'SQL_' registered for user-defined settings", name)
		}
		q.settings = append(q.settings, server.Setting{Name: name, Value: value})
	}
	return nil
}

// externalTable gives the table that x_structure, x_types or x_format is about.
func externalTable(param string) string {
	for _, suffix := range []string{"_structure", "_types", "_format"} {
		if t, ok := strings.CutSuffix(param, suffix); ok {
			if _, setting := settings.Lookup(param); !setting {
				return t
			}
		}
	}
	return ""
}

// sessionTimeout reads session_timeout: seconds, 60 by default, an hour at most.
func (q *request) sessionTimeout() (time.Duration, error) {
	s := last(q.values, "session_timeout")
	if s == "" {
		return time.Minute, nil
	}
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil {
		return 0, cherr.New(cherr.InvalidSessionTimeout, "Invalid session timeout: '%s'", s)
	}
	if n > 3600 {
		return 0, cherr.New(cherr.InvalidSessionTimeout, "Session timeout '%d' is larger than max_session_timeout: 3600. Maximum session timeout could be modified in configuration file.", n)
	}
	return time.Duration(n) * time.Second, nil
}

// last gives a parameter's last value, as ClickHouse takes those given twice.
func last(v url.Values, name string) string {
	if all := v[name]; len(all) > 0 {
		return all[len(all)-1]
	}
	return ""
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func flag(v url.Values, name string) bool {
	s := last(v, name)
	return s == "1" || strings.EqualFold(s, "true")
}
