package objstore

import (
	"net"
	"net/url"
	"regexp"
	"strings"

	"lakeserver/cherr"
)

// Hosts says which hosts may be reached on behalf of a query: ClickHouse's
// remote_url_allow_hosts. The zero value and nil allow all.
type Hosts struct {
	names    map[string]bool
	patterns []*regexp.Regexp
}

// NewHosts allows hosts by name, with a port or for any, and by patterns that
// must match the whole of either.
func NewHosts(names, patterns []string) (*Hosts, error) {
	h := &Hosts{names: map[string]bool{}}
	for _, n := range names {
		h.names[strings.ToLower(n)] = true
	}
	for _, p := range patterns {
		re, err := regexp.Compile("^(?:" + p + ")$")
		if err != nil {
			return nil, cherr.WithCode(cherr.BadArguments, err, "remote_url_allow_hosts")
		}
		h.patterns = append(h.patterns, re)
	}
	return h, nil
}

// Check gives UNACCEPTABLE_URL for an address whose host is not allowed. Names
// are compared as written: what a name resolves to is the administrator's word.
func (h *Hosts) Check(u *url.URL) error {
	if h == nil {
		return nil
	}
	for _, s := range []string{strings.ToLower(u.Host), strings.ToLower(u.Hostname())} {
		if h.names[s] {
			return nil
		}
		for _, re := range h.patterns {
			if re.MatchString(s) {
				return nil
			}
		}
	}
	return cherr.New(cherr.UnacceptableURL, "URL \"%s://%s\" is not allowed in configuration file, see <remote_url_allow_hosts>", u.Scheme, u.Host)
}

// CheckHost is Check for a bare host:port.
func (h *Hosts) CheckHost(hostport string) error {
	host := hostport
	if _, _, err := net.SplitHostPort(hostport); err != nil && strings.Contains(host, ":") && !strings.HasPrefix(host, "[") {
		host = "[" + host + "]"
	}
	return h.Check(&url.URL{Scheme: "tcp", Host: host})
}
