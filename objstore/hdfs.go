package objstore

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/colinmarc/hdfs/v2"

	"lakeserver/cherr"
)

// hdfsStore speaks to one name node; its keys are absolute paths without the
// first slash. HDFS has no ETags: a file's size and time stand for its
// content, as on the local disk.
type hdfsStore struct {
	node string // host:port of the name node
	user string

	mu     sync.Mutex
	client *hdfs.Client
}

// RegisterHDFS adds hdfs:// to a registry.
func RegisterHDFS(r *Registry) {
	r.Register(func(_ context.Context, address string, a *Access) (Store, string, error) {
		_, rest, ok := strings.Cut(address, "://")
		host, p, _ := strings.Cut(rest, "/")
		user := a.User
		if u, h, given := strings.Cut(host, "@"); given {
			user, host = u, h
		}
		if !ok || host == "" {
			return nil, "", badAddress("must have the form hdfs://host:port/path")
		}
		if _, _, err := net.SplitHostPort(host); err != nil {
			host += ":8020"
		}
		if err := r.hosts.CheckHost(host); err != nil {
			return nil, "", err
		}
		p, err := url.PathUnescape(p)
		if err != nil {
			return nil, "", badAddress("has a wrong percent sign")
		}
		if user == "" {
			user = "lakeserver"
			if n := os.Getenv("HADOOP_USER_NAME"); n != "" {
				user = n
			}
		}
		key := "hdfs|" + user + "@" + host
		s, err := r.once(key, func() (Store, error) {
			return newRemote(&hdfsStore{node: host, user: user}, key, a.Retry), nil
		})
		return s, "/" + p, err
	}, "hdfs")
}

func (h *hdfsStore) resolve(p string) (string, error) {
	if Scheme(p) == "hdfs" {
		u, err := url.Parse(p)
		if err != nil {
			return "", badAddress("is not a URL")
		}
		if u.Host != "" && u.Host != h.node && !strings.HasPrefix(h.node, u.Host+":") {
			return "", cherr.New(cherr.PathAccessDenied, "Path `%s` lies in another file system than `%s`", p, h.node)
		}
		p = u.Path
	} else if Scheme(p) != "" {
		return "", cherr.New(cherr.PathAccessDenied, "Path `%s` does not lie in the file system", p)
	}
	for part := range strings.SplitSeq(p, "/") {
		if part == ".." || part == "." {
			return "", cherr.New(cherr.PathAccessDenied, "Path `%s` leaves its folder", p)
		}
	}
	return strings.TrimLeft(p, "/"), nil
}

func (h *hdfsStore) path(key string) string    { return "/" + key }
func (h *hdfsStore) address(key string) string { return "hdfs://" + h.node + "/" + key }

// conn gives the client, made when it is first needed and after it broke.
func (h *hdfsStore) conn() (*hdfs.Client, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.client != nil {
		return h.client, nil
	}
	d := net.Dialer{Timeout: 10 * time.Second}
	name := func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := d.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return patient{c}, nil
	}
	// Data nodes are not wrapped: reads set deadlines of their own there.
	c, err := hdfs.NewClient(hdfs.ClientOptions{Addresses: []string{h.node}, User: h.user, NamenodeDialFunc: name, DatanodeDialFunc: d.DialContext})
	if err != nil {
		return nil, &failure{err: cherr.New(cherr.NetworkError, "The name node at %s cannot be reached: %s", h.node, err), again: true}
	}
	h.client = c
	return c, nil
}

// rpcTime bounds how long one side of a connection stays silent.
const rpcTime = time.Minute

// patient is a connection whose reads and writes end when the other side is
// silent too long; the library itself waits for ever.
type patient struct{ net.Conn }

func (p patient) Read(b []byte) (int, error) {
	_ = p.SetReadDeadline(time.Now().Add(rpcTime))
	return p.Conn.Read(b)
}

func (p patient) Write(b []byte) (int, error) {
	_ = p.SetWriteDeadline(time.Now().Add(rpcTime))
	return p.Conn.Write(b)
}

// failed gives an error of HDFS its code. Errors of the wire drop the client
// that had them.
func (h *hdfsStore) failed(c *hdfs.Client, err error, key, doing string) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return cherr.New(cherr.FileDoesntExist, "File /%s doesn't exist", key)
	case errors.Is(err, fs.ErrPermission):
		return cherr.New(cherr.HDFSError, "%s /%s: permission denied", doing, key)
	}
	var remote hdfs.Error
	if errors.As(err, &remote) {
		return &failure{
			err:   cherr.New(cherr.HDFSError, "%s /%s: %s", doing, key, printable(remote.Message())),
			again: strings.Contains(remote.Exception(), "StandbyException") || strings.Contains(remote.Exception(), "SafeModeException") || strings.Contains(remote.Exception(), "RetriableException"),
		}
	}
	h.mu.Lock()
	if h.client == c && c != nil {
		h.client.Close()
		h.client = nil
	}
	h.mu.Unlock()
	return &failure{err: cherr.New(cherr.NetworkError, "%s /%s: %s", doing, key, err), again: true, unclear: true}
}

func hdfsObject(key string, fi fs.FileInfo) Object {
	return Object{
		Path: key, Size: fi.Size(), Modified: fi.ModTime(),
		ETag: strconv.FormatInt(fi.Size(), 16) + "-" + strconv.FormatInt(fi.ModTime().UnixMilli(), 16),
	}
}

func (h *hdfsStore) head(_ context.Context, key string) (Object, error) {
	c, err := h.conn()
	if err != nil {
		return Object{}, err
	}
	fi, err := c.Stat("/" + key)
	if err != nil {
		return Object{}, h.failed(c, err, key, "reading")
	}
	if err := isFile(fi, key); err != nil {
		return Object{}, err
	}
	return hdfsObject(key, fi), nil
}

// isFile refuses folders, and empty files: those are names that someone has
// claimed and not yet written to.
func isFile(fi fs.FileInfo, key string) error {
	switch {
	case fi.IsDir():
		return cherr.New(cherr.FileDoesntExist, "/%s is a folder", key)
	case fi.Size() == 0:
		return cherr.New(cherr.FileDoesntExist, "File /%s doesn't exist: it is empty", key)
	}
	return nil
}

// bounded reads n bytes and ends a wait when its query ends.
type bounded struct {
	*bufio.Reader
	file *hdfs.FileReader
	stop func() bool
}

func (b *bounded) Close() error {
	b.stop()
	return b.file.Close()
}

func (h *hdfsStore) get(ctx context.Context, key string, off, n int64, etag string) (io.ReadCloser, Object, error) {
	c, err := h.conn()
	if err != nil {
		return nil, Object{}, err
	}
	f, err := c.Open("/" + key)
	if err != nil {
		return nil, Object{}, h.failed(c, err, key, "reading")
	}
	obj := hdfsObject(key, f.Stat())
	fail := func(err error) (io.ReadCloser, Object, error) {
		f.Close()
		return nil, Object{}, err
	}
	if err := isFile(f.Stat(), key); err != nil {
		return fail(err)
	}
	switch {
	case etag != "" && etag != obj.ETag:
		return fail(changed("/" + key))
	case off < 0:
		off = max(0, obj.Size-n)
	}
	if _, err := f.Seek(off, io.SeekStart); err != nil {
		return fail(h.failed(c, err, key, "reading"))
	}
	var r io.Reader = f
	if n >= 0 {
		r = io.LimitReader(f, n)
	}
	stop := context.AfterFunc(ctx, func() { _ = f.SetDeadline(time.Unix(1, 0)) })
	body := &bounded{bufio.NewReaderSize(r, 64<<10), f, stop}
	if err := h.same(c, body, key, obj); err != nil {
		body.Close()
		return nil, Object{}, err
	}
	return body, obj, nil
}

// same makes sure that the blocks, which are looked up by the path at the
// first read, are those of the file that was opened.
func (h *hdfsStore) same(c *hdfs.Client, body *bounded, key string, obj Object) error {
	if _, err := body.Peek(1); err != nil && err != io.EOF {
		return h.failed(c, err, key, "reading")
	}
	fi, err := c.Stat("/" + key)
	if err != nil {
		return h.failed(c, err, key, "reading")
	}
	if hdfsObject(key, fi).ETag != obj.ETag {
		return changed("/" + key)
	}
	return nil
}

func (h *hdfsStore) list(ctx context.Context, prefix string, recursive bool, after string, yield func(Object)) error {
	c, err := h.conn()
	if err != nil {
		return err
	}
	var walk func(dir string) error
	walk = func(dir string) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		entries, err := c.ReadDir("/" + dir)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return h.failed(c, err, dir, "listing")
		}
		sort.Slice(entries, func(i, j int) bool { return entries[i].Name() < entries[j].Name() })
		for _, e := range entries {
			key := path.Join(dir, e.Name())
			switch {
			case e.IsDir() && recursive:
				if err := walk(key); err != nil {
					return err
				}
			case !e.IsDir() && e.Size() > 0 && !strings.HasPrefix(e.Name(), putMark):
				yield(hdfsObject(key, e))
			}
		}
		return nil
	}
	if after != "" { // what a broken listing gave comes again: yield keeps the last
		seen := yield
		yield = func(o Object) {
			if o.Path > after {
				seen(o)
			}
		}
	}
	return walk(strings.TrimSuffix(prefix, "/"))
}

// putMark begins the names of files that are not whole yet.
const putMark = ".put-"

// put writes beside the place and moves the file there when it is whole. The
// move overwrites, so that under IfAbsent the name is claimed first.
func (h *hdfsStore) put(ctx context.Context, key string, body []byte, opt PutOptions) (Object, error) {
	up, err := h.upload(ctx, key, opt)
	if err != nil {
		return Object{}, err
	}
	if err = up.part(ctx, 1, body); err == nil {
		var obj Object
		if obj, err = up.finish(ctx); err == nil {
			return obj, nil
		}
	}
	_ = up.abort(ctx)
	return Object{}, err
}

func (h *hdfsStore) remove(_ context.Context, key string) error {
	c, err := h.conn()
	if err != nil {
		return err
	}
	if err := c.Remove("/" + key); err != nil {
		return h.failed(c, err, key, "deleting")
	}
	return nil
}
