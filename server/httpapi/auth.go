package httpapi

import (
	"net/http"
	"net/netip"

	"lakeserver/cherr"
	"lakeserver/server"
)

// login finds who asks: by X-ClickHouse-User and -Key, by Basic, or by the
// user and password of the URL; never by two of them.
func (h *Handler) login(r *http.Request) (user *server.User, given bool, err error) {
	q := r.URL.Query()
	headers := r.Header.Get("X-ClickHouse-User") != "" || r.Header.Get("X-ClickHouse-Key") != ""
	basicUser, basicPassword, basic := r.BasicAuth()
	url := q.Has("user") || q.Has("password")
	ways := 0
	for _, w := range []bool{headers, basic, url} {
		if w {
			ways++
		}
	}
	if ways > 1 {
		return nil, true, cherr.New(cherr.AuthenticationFailed,
			"Invalid authentication: it is not allowed to use Authorization HTTP header and authentication via parameters simultaneously")
	}
	name, password := "default", ""
	switch {
	case headers:
		name, password = r.Header.Get("X-ClickHouse-User"), r.Header.Get("X-ClickHouse-Key")
	case basic:
		name, password = basicUser, basicPassword
	case url:
		name, password = q.Get("user"), q.Get("password")
	}
	if name == "" {
		name = "default"
	}
	user, err = h.cfg.Users.Login(name, password, address(r))
	return user, ways > 0, err
}

func address(r *http.Request) netip.Addr {
	a, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return a.Addr()
}
