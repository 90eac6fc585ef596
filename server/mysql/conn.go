package mysql

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"lakeserver/cherr"
	"lakeserver/server"
)

// conn is one client.
type conn struct {
	raw    net.Conn // the socket
	nc     net.Conn // raw, or TLS over it
	secure bool
	of     *listener
	cfg    *Config
	id     uint32
	p      *packets
	nonce  []byte
	caps   uint32
	client string

	session  server.Session
	database string // the current one, as far as the client changed it
	vars     map[string]string
	stmts    map[uint32]*prepared
	lastStmt uint32
	limit    uint64 // SQL_SELECT_LIMIT; 0: none

	mu       sync.Mutex
	user     *server.User
	cancel   context.CancelCauseFunc // of the running query
	stopping bool
}

func newConn(nc net.Conn, of *listener) *conn {
	c := &conn{raw: nc, nc: nc, of: of, cfg: &of.cfg, p: newPackets(nc), nonce: newNonce(), stmts: map[uint32]*prepared{}, vars: map[string]string{}}
	c.limitPackets()
	return c
}

func (c *conn) limitPackets() {
	if c.cfg.MaxPacket > 0 {
		c.p.max = c.cfg.MaxPacket
	}
}

func (c *conn) userName() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.user == nil {
		return ""
	}
	return c.user.Name
}

// stop ends the connection now if it is idle, else after its query.
func (c *conn) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopping = true
	if c.cancel == nil {
		_ = c.raw.Close() // wakes the reader
	}
}

// endQuery ends the running query, if there is one.
func (c *conn) endQuery(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancel != nil {
		c.cancel(cause)
	}
}

// open begins the session.
func (c *conn) open(database string) error {
	c.session = c.cfg.Engine.NewSession(c.user)
	c.database = c.user.Database
	if c.database == "" {
		c.database = "default"
	}
	if database != "" {
		return c.use(database)
	}
	return nil
}

func (c *conn) use(database string) error {
	if err := c.session.Use(database); err != nil {
		return err
	}
	c.database = database
	return nil
}

// serve runs the connection to its end.
func (c *conn) serve(ctx context.Context) {
	err := c.handshake()
	defer func() {
		if c.session != nil {
			c.session.Close()
		}
	}()
	if err != nil {
		c.cfg.Log.Debug("a handshake failed", "address", c.raw.RemoteAddr().String(), "error", err)
		return
	}
	for err == nil && !c.ended() {
		c.p.seq = 0
		_ = c.raw.SetReadDeadline(time.Now().Add(idleTime))
		var payload []byte
		if payload, err = c.p.read(); err != nil {
			if errors.Is(err, errTooLong) || errors.Is(err, errOrder) {
				c.fail(err)
			}
			break
		}
		_ = c.raw.SetDeadline(time.Time{})
		err = c.command(ctx, payload)
	}
	if err != nil && !errors.Is(err, errQuit) && !errors.Is(err, io.EOF) {
		c.cfg.Log.Debug("a connection ended", "address", c.raw.RemoteAddr().String(), "error", err)
	}
}

func (c *conn) ended() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stopping
}

// errLeft is the cause when the client went away under its query.
var errLeft = cherr.New(cherr.QueryWasCancelled, "The client has left")

// watched runs a query under a context that ends when the client leaves or
// the query is killed. The protocol has no word for cancelling: the client's
// closed connection is one.
func (c *conn) watched(ctx context.Context, f func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c.mu.Lock()
	c.cancel = cancel
	c.mu.Unlock()
	g, _ := cherr.NewGroup(context.WithoutCancel(ctx))
	g.Go(func() error { // ends with the client, its next command, or the deadline below
		if _, err := c.p.in.Peek(1); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			cancel(errLeft)
		}
		return nil
	})
	err := f(ctx)
	_ = c.raw.SetReadDeadline(time.Unix(1, 0)) // wakes the watcher
	_ = g.Wait()                               // it has no error
	_ = c.raw.SetReadDeadline(time.Time{})
	c.mu.Lock()
	c.cancel = nil
	c.mu.Unlock()
	return err
}
