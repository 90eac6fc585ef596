package native

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"

	"lakeserver/cherr"
	"lakeserver/codec/native"
	"lakeserver/column"
	"lakeserver/server"
	"lakeserver/server/native/wire"
)

// conn is one client.
type conn struct {
	nc      net.Conn
	cfg     *Config
	in      *bufio.Reader
	rev     int // agreed
	hello   wire.Hello
	user    *server.User
	session server.Session
	chunked bool // what we send

	write sync.Mutex
	wire  wire.Buffer // scratch of send

	mu       sync.Mutex
	cancel   context.CancelCauseFunc // of the running query
	stopping bool
}

// errCancelled is the cause when a client sent Cancel: it is no error to it.
var errCancelled = errors.New("the client cancelled the query")

func newConn(nc net.Conn, cfg *Config) *conn {
	return &conn{nc: nc, cfg: cfg, in: bufio.NewReaderSize(nc, 1<<16)}
}

// stop ends the connection now if it is idle, else after its query.
func (c *conn) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopping = true
	if c.cancel == nil {
		_ = c.nc.Close() // wakes the reader
	}
}

// serve runs the connection to its end.
func (c *conn) serve(ctx context.Context) {
	_ = c.nc.SetDeadline(time.Now().Add(handshakeTime)) // a dead connection shows at the next read
	if err := c.handshake(); err != nil {
		c.cfg.Log.Debug("a handshake failed", "address", c.nc.RemoteAddr().String(), "error", err)
		return
	}
	_ = c.nc.SetDeadline(time.Time{})
	defer c.session.Close()
	g, ctx := cherr.NewGroup(ctx)
	packets := make(chan packet, 1)
	done := make(chan struct{})
	g.Go(func() error { // ends when the connection is closed or says something wrong
		defer close(packets)
		c.read(ctx, packets, done)
		return nil
	})
	g.Go(func() error { // ends with the packets, or when a query asks for the end
		defer func() {
			close(done)
			_ = c.nc.Close() // wakes the reader
		}()
		return c.execute(ctx, packets)
	})
	if err := g.Wait(); err != nil {
		c.cfg.Log.Debug("a connection ended", "address", c.nc.RemoteAddr().String(), "error", err)
	}
}

// handshake greets the client and logs it in.
func (c *conn) handshake() error {
	first, err := c.in.Peek(1)
	if err != nil {
		return err
	}
	if first[0] == 'G' || first[0] == 'P' || first[0] == 'H' || first[0] == 'O' {
		return c.wrongPort()
	}
	r := wire.NewReader(c.in)
	if code := r.Uvarint(); code != wire.ClientHello || r.Err() != nil {
		return cherr.New(cherr.UnexpectedPacketFromClient, "Unexpected packet %d from client (expected Hello)", code)
	}
	if c.hello, err = wire.ReadHello(r); err != nil {
		return err
	}
	c.rev = min(c.hello.Revision, c.cfg.Revision)
	if err := c.login(); err != nil {
		c.exception(err)
		return err
	}
	c.welcome()
	add, err := wire.ReadAddendum(r, c.rev)
	if err != nil {
		return err
	}
	c.chunked = add.Recv == wire.Chunked
	if add.Send == wire.Chunked {
		c.in = bufio.NewReaderSize(wire.NewChunkReader(c.in), 1<<16)
	}
	return nil
}

func (c *conn) wrongPort() error {
	_, port, _ := net.SplitHostPort(c.nc.LocalAddr().String())
	_, err := fmt.Fprintf(c.nc, "HTTP/1.0 400 Bad Request\r\n\r\nPort %s is for clickhouse-client program\r\nYou must use port %d for HTTP.\r\n", port, c.cfg.HTTPPort)
	if err != nil {
		return err
	}
	return cherr.New(cherr.ClientHasConnectedToWrongPort, "Client has connected to wrong port")
}

// Users whose names announce another way to log in.
const (
	interserverUser = " INTERSERVER SECRET "
	sshUser         = " SSH KEY AUTHENTICATION "
	jwtUser         = " JWT AUTHENTICATION "
)

func (c *conn) login() error {
	switch c.hello.User {
	case interserverUser, sshUser, jwtUser:
		return cherr.New(cherr.AuthenticationFailed, "Authentication failed: this way to log in is not configured")
	case "":
		return cherr.New(cherr.UnexpectedPacketFromClient, "Unexpected packet from client (no user in Hello package)")
	}
	user, err := c.cfg.Users.Login(c.hello.User, c.hello.Password, c.address())
	if err != nil {
		return err
	}
	c.user = user
	c.session = c.cfg.Engine.NewSession(user)
	if c.hello.Database != "" {
		if err := c.session.Use(c.hello.Database); err != nil {
			c.session.Close()
			return err
		}
	}
	return nil
}

func (c *conn) address() netip.Addr {
	a, err := netip.ParseAddrPort(c.nc.RemoteAddr().String())
	if err != nil {
		return netip.Addr{}
	}
	return a.Addr()
}

func (c *conn) welcome() {
	var nonce [8]byte
	_, _ = rand.Read(nonce[:]) // never fails
	w := wire.Welcome{
		Name: "ClickHouse", Major: c.cfg.Version[0], Minor: c.cfg.Version[1], Patch: c.cfg.Version[2], Revision: c.cfg.Revision,
		Zone: c.cfg.Engine.Zone().String(), Display: c.cfg.DisplayName, Nonce: binary.LittleEndian.Uint64(nonce[:]),
	}
	c.send(func(b *wire.Buffer) { w.Append(b, c.rev) })
}

// send writes one packet. Errors of the connection show when it is read.
func (c *conn) send(build func(b *wire.Buffer)) {
	c.write.Lock()
	defer c.write.Unlock()
	c.wire = c.wire[:0]
	build(&c.wire)
	if c.chunked {
		c.wire = wire.AppendChunked(nil, c.wire)
	}
	_ = c.nc.SetWriteDeadline(time.Now().Add(writeTime))
	if _, err := c.nc.Write(c.wire); err != nil {
		_ = c.nc.Close() // wakes the reader, which ends everything
	}
	if cap(c.wire) > 8<<20 {
		c.wire = nil // one large packet must not stay
	}
}

func (c *conn) exception(err error) {
	text := err.Error()
	c.send(func(b *wire.Buffer) { wire.AppendException(b, int(cherr.CodeOf(err)), text) })
}

// packet is what the reader hands to the executor.
type packet struct {
	code   uint64
	query  *wire.Query
	tables []wire.TableName
	name   string
	header column.Header
	block  *column.Block
	err    error
}

// read takes packets until the connection ends. A client that leaves ends its
// query, as Cancel does.
func (c *conn) read(ctx context.Context, out chan<- packet, done <-chan struct{}) {
	compressed := false
	for {
		p, skip := c.next(&compressed)
		if skip {
			continue
		}
		if p.err != nil {
			c.endQuery(cherr.New(cherr.QueryWasCancelled, "The client has left"))
			if errors.Is(p.err, io.EOF) || errors.Is(p.err, net.ErrClosed) || isTimeout(p.err) {
				return
			}
		}
		select {
		case out <- p:
		case <-done:
			return
		case <-ctx.Done():
			return
		}
		if p.err != nil {
			return
		}
	}
}

func isTimeout(err error) bool {
	var t net.Error
	return errors.As(err, &t)
}

// next takes one packet; skip says that it was dealt with.
func (c *conn) next(compressed *bool) (p packet, skip bool) {
	r := wire.NewReader(c.in)
	p.code = r.Uvarint()
	if err := r.Err(); err != nil {
		return packet{err: err}, false
	}
	switch p.code {
	case wire.ClientPing:
		c.send(func(b *wire.Buffer) { b.Uvarint(wire.ServerPong) })
		return p, true
	case wire.ClientCancel:
		c.endQuery(errCancelled)
		return p, true
	case wire.ClientKeepAlive:
		return p, true
	case wire.ClientQuery:
		q, err := wire.ReadQuery(r, c.rev)
		*compressed = q.Compress
		p.query, p.err = &q, err
	case wire.ClientData, wire.ClientScalar:
		p.name, p.err = wire.ReadDataName(r, c.rev)
		if p.err == nil {
			p.header, p.block, p.err = c.readBlock(*compressed)
		}
		return p, p.err == nil && p.code == wire.ClientScalar
	case wire.ClientTablesStatusRequest:
		p.tables, p.err = wire.ReadTablesStatus(r)
	default:
		p.err = cherr.New(cherr.UnknownPacketFromClient, "Unknown packet %d from client", p.code)
	}
	return p, false
}

func (c *conn) readBlock(compressed bool) (column.Header, *column.Block, error) {
	src := c.in
	if compressed {
		src = bufio.NewReaderSize(native.NewFrameReader(c.in), 1<<15)
	}
	h, b, err := native.ReadBlock(src, c.rev)
	if errors.Is(err, io.EOF) {
		err = io.EOF
	}
	return h, b, err
}

// endQuery ends the running query, if there is one.
func (c *conn) endQuery(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancel != nil {
		c.cancel(cause)
	}
}

// execute answers the packets one after the other.
func (c *conn) execute(ctx context.Context, in <-chan packet) error {
	c.idle(true)
	for p := range in {
		if p.err != nil {
			c.exception(p.err)
			return p.err
		}
		switch p.code {
		case wire.ClientTablesStatusRequest:
			c.tablesStatus(p.tables)
		case wire.ClientData:
			// what is left of an INSERT that failed
		case wire.ClientQuery:
			c.idle(false)
			if err := c.query(ctx, p.query, in); err != nil {
				return err
			}
			if c.idle(true) {
				return nil // the server ends
			}
		}
	}
	return nil
}

// idle sets the deadline of the next read and tells whether the server ends.
func (c *conn) idle(idle bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := time.Time{}
	if idle {
		at = time.Now().Add(idleTime)
		c.cancel = nil
	}
	_ = c.nc.SetReadDeadline(at)
	return c.stopping
}

func (c *conn) tablesStatus(asked []wire.TableName) {
	var have []wire.TableName
	for _, t := range asked {
		if c.cfg.Engine.HasTable(t.Database, t.Table) {
			have = append(have, t)
		}
	}
	c.send(func(b *wire.Buffer) { wire.AppendTablesStatus(b, have) })
}
