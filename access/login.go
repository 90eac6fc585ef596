package access

import (
	"context"
	"net"
	"net/netip"
	"regexp"
	"strings"
	"time"
)

// lookupTime bounds what is asked of the name service at a login.
const lookupTime = 2 * time.Second

// Allow tells whether a user may come from an address.
func (h Hosts) Allow(ctx context.Context, from netip.Addr) bool {
	from = from.Unmap()
	if h.Any || h.Local && from.IsLoopback() {
		return true
	}
	for _, p := range h.IPs {
		if p.Contains(from) {
			return true
		}
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	for _, name := range h.Names {
		addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", name)
		if err != nil {
			continue // a name that cannot be found lets nobody in
		}
		for _, a := range addrs {
			if a.Unmap() == from {
				return true
			}
		}
	}
	patterns := append([]string(nil), h.Regexps...)
	for _, l := range h.Likes {
		patterns = append(patterns, likePattern(l))
	}
	if len(patterns) == 0 {
		return false
	}
	names, err := net.DefaultResolver.LookupAddr(ctx, from.String())
	if err != nil {
		return false
	}
	for _, p := range patterns {
		re, err := regexp.Compile("^(?:" + p + ")$")
		if err != nil {
			continue
		}
		for _, n := range append(names, from.String()) {
			if re.MatchString(strings.TrimSuffix(n, ".")) {
				return true
			}
		}
	}
	return false
}

// likePattern is LIKE as a regular expression.
func likePattern(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch r {
		case '%':
			b.WriteString(".*")
		case '_':
			b.WriteString(".")
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	return b.String()
}
