package mysql

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"

	"lakeserver/cherr"
	"lakeserver/server"
)

// Config is what a server of the MySQL protocol is made of.
type Config struct {
	Engine server.Engine
	Users  *server.Users
	// Version is ClickHouse's version, shown behind MySQL's.
	Version string
	// TLS, when set, is offered to clients.
	TLS *tls.Config
	Log *slog.Logger
	// MaxPacket bounds what a client may send at once; 0: 1 GB.
	MaxPacket int
}

// The times after which a connection is given up.
const (
	handshakeTime = 10 * time.Second
	idleTime      = 8 * time.Hour // MySQL's wait_timeout
	writeTime     = 5 * time.Minute
)

// Serve accepts connections until ctx ends, then stops accepting, lets running
// queries come to their end until drain has ended too, and returns when all
// connections are closed.
func Serve(ctx, drain context.Context, l net.Listener, cfg Config) error {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	s := &listener{cfg: cfg, all: map[*conn]struct{}{}}
	g, _ := cherr.NewGroup(context.WithoutCancel(ctx))
	g.Go(func() error { // ends with ctx
		<-ctx.Done()
		err := l.Close()
		s.closeIdle()
		return err
	})
	g.Go(func() error { return s.accept(ctx, drain, l, g) }) // ends when the listener is closed
	return g.Wait()
}

// listener is one listening address with its connections.
type listener struct {
	cfg  Config
	keys keys
	mu   sync.Mutex
	all  map[*conn]struct{}
	last uint32
	end  bool
}

func (s *listener) accept(ctx, drain context.Context, l net.Listener, g *cherr.Group) error {
	for {
		nc, err := l.Accept()
		if err != nil {
			if ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
				return nil
			}
			s.cfg.Log.Warn("accepting a connection failed", "error", err)
			time.Sleep(10 * time.Millisecond) // out of file descriptors, most likely
			continue
		}
		c := newConn(nc, s)
		if !s.add(c) {
			_ = nc.Close() // the server ends
			continue
		}
		g.Go(func() error { // ends when the connection is closed, by either side
			defer s.remove(c)
			defer func() {
				if v := recover(); v != nil {
					s.cfg.Log.Error("a connection failed", "error", cherr.Recovered(v))
				}
			}()
			c.serve(drain)
			return nil
		})
	}
}

func (s *listener) add(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end {
		return false
	}
	s.last++
	c.id = s.last
	s.all[c] = struct{}{}
	return true
}

func (s *listener) remove(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, c)
	_ = c.raw.Close() // mostly closed already
}

// closeIdle ends connections without a query; the others end after theirs.
func (s *listener) closeIdle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end = true
	for c := range s.all {
		c.stop()
	}
}

// kill ends a connection, or only its query, for a user who may: the
// connection's own. It tells whether there is one.
func (s *listener) kill(id uint32, user string, whole bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.all {
		if c.id == id && c.userName() == user {
			c.endQuery(cherr.New(cherr.QueryWasCancelled, "Query was cancelled"))
			if whole {
				_ = c.raw.Close() // wakes the reader
			}
			return true
		}
	}
	return false
}
