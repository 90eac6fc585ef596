package objstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"

	"lakeserver/cherr"
)

// s3 speaks to one endpoint with one set of credentials; its keys are
// bucket/key.
type s3 struct {
	place  s3Place
	access *Access
	hosts  *Hosts
	creds  *credentials.Credentials
	client atomic.Pointer[minio.Core]
	region atomic.Pointer[string]
	http   http.RoundTripper

	mu      sync.Mutex
	checked map[string]error // by bucket: whether its conditions hold
}

// RegisterS3 adds the S3 stores to a registry. style is ClickHouse's
// s3_uri_style of addresses: "auto", "path" or "virtual_hosted".
func RegisterS3(r *Registry) {
	r.Register(func(_ context.Context, address string, a *Access) (Store, string, error) {
		style := "auto"
		if a.PathStyle != nil {
			style = map[bool]string{true: "path", false: "virtual_hosted"}[*a.PathStyle]
		}
		p, err := parseS3(address, a, style)
		if err != nil {
			return nil, "", err
		}
		if err := r.hosts.CheckHost(p.host); err != nil {
			if virtual := p.bucketHost(); virtual == "" || r.hosts.CheckHost(virtual) != nil {
				return nil, "", err
			}
		}
		s, err := r.once(p.key(a), func() (Store, error) { return newS3(p, a, r.hosts) })
		return s, p.path, err
	}, "s3", "s3a", "s3n", "gs", "gcs", "oss", "http", "https")
}

// bucketHost is the host with the bucket in its name, "" for path style.
func (p *s3Place) bucketHost() string {
	if !p.virtual {
		return ""
	}
	bucket, _, _ := strings.Cut(p.path, "/")
	return bucket + "." + p.host
}

// key tells stores apart that may answer differently; of secrets it holds a
// hash, so that another secret is another store.
func (p *s3Place) key(a *Access) string {
	h := sha256.New()
	write := func(parts ...string) {
		for _, s := range parts {
			io.WriteString(h, strconv.Itoa(len(s))+":"+s)
		}
	}
	write(a.KeyID, a.Region, a.RoleARN, a.RoleSession, a.ExternalID, a.STSEndpoint, a.Scope, strconv.FormatBool(a.NoSign), strconv.FormatBool(a.Server))
	if a.Refresh == nil {
		write(a.Secret, a.Token)
	}
	for _, kv := range a.Headers {
		write(kv[0], kv[1])
	}
	style := "p"
	if p.virtual {
		style = "v"
	}
	return p.scheme + "://" + p.host + "|" + style + "|" + hex.EncodeToString(h.Sum(nil)[:12])
}

func newS3(p s3Place, a *Access, hosts *Hosts) (Store, error) {
	access := *a
	s := &s3{place: p, access: &access, hosts: hosts, checked: map[string]error{}}
	s.place.path = ""
	s.http = &guarded{next: transport(), hosts: hosts, home: p.host, headers: access.Headers, sign: access.Sign}
	region := access.Region
	if region == "" {
		region = p.region
	}
	if region == "" {
		region = "us-east-1"
	}
	s.region.Store(&region)
	s.creds = s.credentials()
	if err := s.connect(); err != nil {
		return nil, err
	}
	return newRemote(s, "s3|"+p.key(a), access.Retry), nil
}

func (s *s3) connect() error {
	lookup := minio.BucketLookupPath
	if s.place.virtual {
		lookup = minio.BucketLookupDNS
	}
	c, err := minio.NewCore(s.place.host, &minio.Options{
		Creds: s.creds, Secure: s.place.scheme == "https", Transport: s.http, Region: *s.region.Load(), BucketLookup: lookup,
		MaxRetries: 1, // repeating is ours: a conditional PUT must not be sent twice unseen
	})
	if err != nil {
		return cherr.New(cherr.BadArguments, "The address of the object store is not valid: %s", err)
	}
	c.SetAppInfo("lakeserver", "1")
	s.client.Store(c)
	return nil
}

// resolve gives bucket/key of a path: a bare one, s3://, or the endpoint's own
// URL. What lies elsewhere is refused.
func (s *s3) resolve(path string) (string, error) {
	key := path
	switch scheme := Scheme(path); scheme {
	case "":
	case "s3", "s3a", "s3n", "gs", "gcs", "oss":
		_, key, _ = strings.Cut(path, "://")
	case "http", "https":
		p, err := parseS3(path, s.access, "auto")
		if err != nil {
			return "", err
		}
		if p.host != s.place.host {
			if err := s.hosts.CheckHost(p.host); err != nil {
				return "", err
			}
			return "", cherr.New(cherr.PathAccessDenied, "Path `%s` lies in another store than `%s`", path, s.place.host)
		}
		key = p.path
	default:
		return "", cherr.New(cherr.PathAccessDenied, "Path `%s` does not lie in the object store", path)
	}
	key = strings.TrimLeft(key, "/")
	if key == "" || strings.IndexByte(key, 0) >= 0 {
		return "", cherr.New(cherr.PathAccessDenied, "Path `%s` names no object", path)
	}
	bucket, _ := split(key)
	if err := s3utils.CheckValidBucketName(bucket); err != nil {
		return "", cherr.New(cherr.S3Error, "`%s` is no name of a bucket: %s", bucket, err)
	}
	for part := range strings.SplitSeq(key, "/") {
		if part == ".." || part == "." {
			return "", cherr.New(cherr.PathAccessDenied, "Path `%s` leaves its folder", path)
		}
	}
	return key, nil
}

func (s *s3) path(key string) string    { return key }
func (s *s3) address(key string) string { return "s3://" + key }

func split(key string) (bucket, name string) {
	bucket, name, _ = strings.Cut(key, "/")
	return bucket, name
}

func (s *s3) head(ctx context.Context, key string) (Object, error) {
	bucket, name := split(key)
	if name == "" {
		return Object{}, cherr.New(cherr.FileDoesntExist, "%s is a bucket", key)
	}
	info, err := s.client.Load().StatObject(ctx, bucket, name, minio.StatObjectOptions{})
	if err != nil {
		return Object{}, s.failed(err, key, "reading")
	}
	return described(info), nil
}

func described(i minio.ObjectInfo) Object {
	return Object{Size: i.Size, Modified: i.LastModified, ETag: strings.Trim(i.ETag, `"`)}
}

func (s *s3) get(ctx context.Context, key string, off, n int64, etag string) (io.ReadCloser, Object, error) {
	bucket, name := split(key)
	opts := minio.GetObjectOptions{}
	switch {
	case off < 0:
		opts.Set("Range", "bytes=-"+strconv.FormatInt(n, 10))
	case n < 0: // also for the whole: the answer then tells the whole's size
		opts.Set("Range", "bytes="+strconv.FormatInt(off, 10)+"-")
	default:
		opts.Set("Range", "bytes="+strconv.FormatInt(off, 10)+"-"+strconv.FormatInt(off+n-1, 10))
	}
	if etag != "" {
		opts.Set("If-Match", `"`+etag+`"`)
	}
	body, info, header, err := s.client.Load().GetObject(ctx, bucket, name, opts)
	if err != nil {
		if minio.ToErrorResponse(err).StatusCode == http.StatusRequestedRangeNotSatisfiable && off <= 0 {
			return s.getAround(ctx, key, n, etag)
		}
		return nil, Object{}, s.failed(err, key, "reading")
	}
	obj := described(info)
	if err := position(body, header.Get("Content-Range"), &obj, off, n); err != nil {
		body.Close()
		return nil, Object{}, err
	}
	return body, obj, nil
}

// getAround answers for an object of which a range could not be given: it is
// empty, or shorter than the end that was asked for, which some services
// refuse.
func (s *s3) getAround(ctx context.Context, key string, n int64, etag string) (io.ReadCloser, Object, error) {
	obj, err := s.head(ctx, key)
	if err != nil || obj.Size == 0 {
		return io.NopCloser(bytes.NewReader(nil)), obj, err
	}
	if n < 0 {
		return nil, Object{}, broken(cherr.S3Error, "object %s has %d bytes, but gives none", key, obj.Size)
	}
	off := max(0, obj.Size-n)
	body, got, err := s.get(ctx, key, off, obj.Size-off, etag)
	if err == nil && got.ETag != obj.ETag {
		body.Close()
		return nil, Object{}, changed(key)
	}
	return body, got, err
}

// position checks that an answer is the range that was asked for, sets the
// size of the whole, and passes over what a server sent that knows no ranges.
func position(body io.Reader, contentRange string, obj *Object, off, n int64) error {
	if contentRange == "" {
		total, skip := obj.Size, max(off, 0)
		if off < 0 {
			skip = max(0, total-n)
		}
		if skip > 0 {
			if _, err := io.CopyN(io.Discard, body, skip); err != nil {
				return broken(cherr.NetworkError, "the answer ended early")
			}
		}
		return nil
	}
	first, last, total, ok := parseContentRange(contentRange)
	wantFirst, wantLast := off, off+n-1
	switch {
	case off < 0:
		wantFirst, wantLast = max(0, total-n), total-1
	case n < 0 || wantLast >= total:
		wantLast = total - 1
	}
	if !ok || first != wantFirst || last != wantLast || obj.Size >= 0 && obj.Size != last-first+1 {
		return broken(cherr.NetworkError, "the answer has %d bytes and says that they are %s", obj.Size, contentRange)
	}
	obj.Size = total
	return nil
}

// parseContentRange reads "bytes 0-9/100".
func parseContentRange(s string) (first, last, total int64, ok bool) {
	s, ok = strings.CutPrefix(s, "bytes ")
	if !ok {
		return 0, 0, 0, false
	}
	span, all, ok1 := strings.Cut(s, "/")
	a, b, ok2 := strings.Cut(span, "-")
	first, e1 := strconv.ParseInt(a, 10, 64)
	last, e2 := strconv.ParseInt(b, 10, 64)
	total, e3 := strconv.ParseInt(all, 10, 64)
	return first, last, total, ok1 && ok2 && e1 == nil && e2 == nil && e3 == nil
}

func (s *s3) list(ctx context.Context, prefix string, recursive bool, after string, yield func(Object)) error {
	bucket, name := split(prefix)
	_, start := split(after)
	for info := range s.client.Load().ListObjectsIter(ctx, bucket, minio.ListObjectsOptions{Prefix: name, Recursive: recursive, StartAfter: start}) {
		if info.Err != nil {
			return s.failed(info.Err, prefix, "listing")
		}
		if strings.HasSuffix(info.Key, "/") || info.Key == "" {
			continue // a folder, or the mark of one
		}
		o := described(info)
		o.Path = bucket + "/" + info.Key
		yield(o)
	}
	return ctx.Err()
}

func (s *s3) remove(ctx context.Context, key string) error {
	bucket, name := split(key)
	if err := s.client.Load().RemoveObject(ctx, bucket, name, minio.RemoveObjectOptions{}); err != nil {
		return s.failed(err, key, "deleting")
	}
	return nil
}

// transport is a connection pool with limits on waiting; the caller's context
// bounds the rest.
func transport() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DisableCompression = true // bytes are asked for by their place
	t.MaxIdleConns, t.MaxIdleConnsPerHost, t.IdleConnTimeout = 256, 128, 60*time.Second
	t.ResponseHeaderTimeout = 30 * time.Second
	t.TLSHandshakeTimeout = 10 * time.Second
	return t
}

// guarded sends requests to allowed hosts only, redirects included, and adds a
// query's own headers.
type guarded struct {
	next    http.RoundTripper
	hosts   *Hosts
	home    string // the endpoint, allowed when the store was opened
	headers [][2]string
	sign    func(r *http.Request) error // nil: the client has signed
}

func (g *guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != g.home && !strings.HasSuffix(r.URL.Host, "."+g.home) {
		if err := g.hosts.Check(r.URL); err != nil {
			return nil, err
		}
	}
	if len(g.headers) > 0 || g.sign != nil {
		r = r.Clone(r.Context())
		for _, kv := range g.headers {
			r.Header.Set(kv[0], kv[1])
		}
	}
	if g.sign != nil {
		if err := g.sign(r); err != nil {
			return nil, err
		}
	}
	return g.next.RoundTrip(r)
}
