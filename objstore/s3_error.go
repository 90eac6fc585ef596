package objstore

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/minio/minio-go/v7"

	"lakeserver/cherr"
)

// failed gives an error of S3 its code, and says whether to try again. Texts
// are the service's own: they hold no secrets, and signatures travel in
// headers, which are not shown.
func (s *s3) failed(err error, key, doing string) error {
	if e, ok := errors.AsType[*cherr.Error](err); ok {
		return e
	}
	r, ok := errors.AsType[minio.ErrorResponse](err)
	if !ok || r.StatusCode == 0 {
		return networkFailure(err, key, doing)
	}
	if r.StatusCode < 400 {
		return networkFailure(errors.New("the answer is not the one that was asked for"), key, doing)
	}
	code := cherr.S3Error
	f := &failure{again: r.StatusCode >= 500 || r.StatusCode == http.StatusTooManyRequests || r.StatusCode == http.StatusRequestTimeout}
	switch {
	case r.Code == "NoSuchKey" || r.Code == "NoSuchVersion":
		code = cherr.FileDoesntExist
	case r.StatusCode == http.StatusPreconditionFailed:
		return changed(key)
	case r.StatusCode == http.StatusConflict: // another conditional write is under way
		f.again, f.unclear = true, true
	case r.Code == "RequestTimeout" || r.Code == "SlowDown" || r.Code == "InternalError" || r.Code == "BadDigest" || r.Code == "IncompleteBody":
		f.again = true
	case s.renewable(r):
		f.again = true
		s.creds.Expire()
	case s.anonymous() && r.StatusCode == http.StatusForbidden && !s.access.NoSign:
		code = cherr.AccessDenied
	case r.Region != "" && r.Region != *s.region.Load() && (r.Code == "AuthorizationHeaderMalformed" || r.Code == "PermanentRedirect" || r.Code == "InvalidRegion"):
		region := r.Region
		s.region.Store(&region)
		f.again = s.connect() == nil
	}
	if r.Code == "SlowDown" || r.StatusCode == http.StatusServiceUnavailable {
		f.wait = 200 * time.Millisecond
	}
	f.unclear = f.unclear || r.StatusCode >= 500
	text := printable(r.Message)
	if code == cherr.AccessDenied {
		text += ": no credentials were given, and the server's own may not be used (s3_allow_server_credentials_in_user_queries)"
	}
	f.err = cherr.New(code, "%s object %s: %s (%s, HTTP status %d)", doing, key, text, r.Code, r.StatusCode)
	if code == cherr.FileDoesntExist {
		f.err = cherr.New(code, "Object %s doesn't exist", key)
	}
	return f
}

// networkFailure is for requests that got no answer, or none that can be read.
func networkFailure(err error, key, doing string) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // without the address
	}
	f := &failure{again: true, unclear: true}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		f.unclear = false
	}
	f.err = cherr.New(cherr.NetworkError, "%s object %s: %s", doing, key, err)
	return f
}

// renewable tells that the credentials ran out and others can be had.
func (s *s3) renewable(r minio.ErrorResponse) bool {
	if s.access.Refresh == nil && s.access.RoleARN == "" && !s.access.Server {
		return false
	}
	switch r.Code {
	case "ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "InvalidToken":
		return true
	}
	return false
}

// printable shortens a service's words to what can be shown.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == utf8.RuneError {
			return -1
		}
		return r
	}, s)
	if len(s) > 300 {
		s = strings.ToValidUTF8(s[:300], "") + "…"
	}
	return s
}
