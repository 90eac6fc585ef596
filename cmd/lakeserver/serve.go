package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"lakeserver/cherr"
	"lakeserver/engine"
	"lakeserver/server"
	"lakeserver/server/httpapi"
	"lakeserver/server/mysql"
	"lakeserver/server/native"
)

// drainTime is how long running queries may go on after SIGTERM.
const drainTime = 30 * time.Second

// Run runs the server until the context ends, then lets queries finish.
func (c *ServeCmd) Run(ctx context.Context, stdout io.Writer) error {
	cfg, err := c.config()
	if err != nil {
		return err
	}
	if c.PrintConfig {
		text, err := yaml.Marshal(hidden(cfg))
		if err != nil {
			return err
		}
		_, err = stdout.Write(text)
		return err
	}
	if err := makeFolders(cfg); err != nil {
		return err
	}
	log := logger(cfg.Log, os.Stderr)
	tuneCollector()
	eng, err := newEngine(ctx, cfg)
	if err != nil {
		return err
	}
	users := server.UsersOf(eng.Access())
	var catalog http.Handler
	if cfg.RESTCatalogListen != "" {
		if catalog, err = restCatalog(cfg, eng, users, log); err != nil {
			return err
		}
	}
	secure, err := tlsConfig(cfg.TLS)
	if err != nil {
		return err
	}
	listeners, err := listen(cfg, secure)
	if err != nil {
		return err
	}
	announce(stdout, cfg, listeners)
	if own := filepath.Join(cfg.DataDir, "user_files"); cfg.UserFilesDir == own {
		if ok, err := writeSample(own); err != nil {
			return err
		} else if ok {
			fmt.Fprintf(stdout, "Try:\n  "+sampleQuery+"\n", listeners.http.Addr())
		}
	}
	return serve(ctx, front{eng, users, listeners, secure, catalog, log})
}

// config is the file with the flags over it.
func (c *ServeCmd) config() (Config, error) {
	cfg, err := loadConfig(c.Config)
	if err != nil {
		return cfg, err
	}
	for _, f := range []struct {
		flag string
		key  *string
	}{{c.HTTPListen, &cfg.HTTPListen}, {c.NativeListen, &cfg.NativeListen}, {c.MySQLListen, &cfg.MySQLListen}, {c.RESTCatalogListen, &cfg.RESTCatalogListen}, {c.DataDir, &cfg.DataDir}, {c.UserFilesDir, &cfg.UserFilesDir}} {
		if f.flag != "" {
			*f.key = f.flag
		}
	}
	for _, p := range []*string{&cfg.DataDir, &cfg.UserFilesDir} {
		if *p == "" {
			continue
		}
		if *p, err = filepath.Abs(*p); err != nil {
			return cfg, err
		}
	}
	cfg.UserFilesDir = userFiles(cfg)
	return cfg, checkListen(cfg)
}

// checkListen refuses to open the server to others without a password.
func checkListen(cfg Config) error {
	if cfg.HTTPListen == "" || cfg.NativeListen == "" {
		return errors.New("http_listen and native_listen cannot be empty")
	}
	for _, addr := range []string{cfg.HTTPListen, cfg.NativeListen, cfg.MySQLListen, cfg.RESTCatalogListen, cfg.HTTPSListen, cfg.NativeSecureListen} {
		if addr == "" {
			continue // off
		}
		host, _, err := net.SplitHostPort(addr)
		if err != nil {
			return fmt.Errorf("%q is not an address: %w", addr, err)
		}
		ip, err := netip.ParseAddr(host)
		if host == "localhost" || err == nil && ip.IsLoopback() || os.Getenv("LAKESERVER_ALLOW_OPEN") == "1" {
			continue
		}
		if name := openUser(cfg); name != "" {
			return fmt.Errorf("refusing to listen on %s while user %s has no password: set users.%s.password_sha256_hex in the configuration (echo -n PASSWORD | sha256sum prints it)", addr, name, name)
		}
	}
	return nil
}

func makeFolders(cfg Config) error {
	for _, dir := range []string{cfg.DataDir, cfg.UserFilesDir} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("cannot use the folder %s: %w", dir, err)
		}
		if _, err := os.ReadDir(dir); err != nil {
			return fmt.Errorf("cannot read the folder %s: %w", dir, err)
		}
	}
	return nil
}

func logger(cfg LogConfig, w io.Writer) *slog.Logger {
	level := map[string]slog.Level{"debug": slog.LevelDebug, "warn": slog.LevelWarn, "error": slog.LevelError}[cfg.Level]
	opt := &slog.HandlerOptions{Level: level}
	if cfg.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, opt))
	}
	return slog.New(slog.NewTextHandler(w, opt))
}

func prefix(s string) (netip.Prefix, error) {
	if p, err := netip.ParsePrefix(s); err == nil {
		return p, nil
	}
	a, err := netip.ParseAddr(s)
	if err != nil {
		return netip.Prefix{}, err
	}
	return netip.PrefixFrom(a, a.BitLen()), nil
}

// listeners are the addresses that the server answers on; all but http and
// native may be nil.
type listeners struct{ http, native, mysql, restCatalog, https, nativeSecure net.Listener }

func listen(cfg Config, secure *tls.Config) (l listeners, err error) {
	for _, x := range []struct {
		to         *net.Listener
		addr, name string
		secure     bool
	}{
		{&l.http, cfg.HTTPListen, "HTTP", false},
		{&l.native, cfg.NativeListen, "the native protocol", false},
		{&l.mysql, cfg.MySQLListen, "the MySQL protocol", false},
		{&l.restCatalog, cfg.RESTCatalogListen, "the REST catalog", false},
		{&l.https, cfg.HTTPSListen, "HTTPS", true},
		{&l.nativeSecure, cfg.NativeSecureListen, "the native protocol over TLS", true},
	} {
		opened, err := listenAt(x.addr, x.name)
		if err != nil {
			return l, err
		}
		if opened != nil && x.secure {
			opened = tls.NewListener(opened, secure)
		}
		*x.to = opened
	}
	return l, nil
}

func announce(w io.Writer, cfg Config, l listeners) {
	fmt.Fprintf(w, "lakeserver %s\n  HTTP    http://%s\n  native  %s\n", version, l.http.Addr(), l.native.Addr())
	for _, x := range []struct {
		name string
		l    net.Listener
	}{{"MySQL   ", l.mysql}, {"Iceberg REST catalog  http://", l.restCatalog}, {"HTTPS   https://", l.https}, {"native over TLS  ", l.nativeSecure}} {
		if x.l != nil {
			fmt.Fprintf(w, "  %s%s\n", x.name, x.l.Addr())
		}
	}
	fmt.Fprintf(w, "  files   %s\n", cfg.UserFilesDir)
}

// front is what the server's protocols are made of.
type front struct {
	eng    *engine.Engine
	users  *server.Users
	on     listeners
	secure *tls.Config
	// catalog is the REST catalog's handler; nil: it is off.
	catalog http.Handler
	log     *slog.Logger
}

// serve answers on the listeners until ctx ends.
func serve(ctx context.Context, f front) error {
	face := server.Over(f.eng)
	handler := httpapi.New(httpapi.Config{
		Engine: face, Users: f.users, Sessions: server.NewSessions(face, time.Now), Version: engine.Version,
		DisplayName: f.eng.Host(), Log: f.log, Metrics: server.Metrics(f.eng),
	})
	srv := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	g, gctx := cherr.NewGroup(ctx)
	// drained ends some time after gctx: what runs may come to its end.
	drained, cancel := context.WithCancel(context.WithoutCancel(gctx))
	defer cancel()
	stop := context.AfterFunc(gctx, func() { time.AfterFunc(drainTime, cancel) })
	defer stop()
	serveHTTP(gctx, g, srv, f.on.http, f.on.https)
	if f.on.restCatalog != nil {
		serveHTTP(gctx, g, &http.Server{Handler: f.catalog, ReadHeaderTimeout: time.Minute}, f.on.restCatalog)
	}
	for _, l := range []net.Listener{f.on.native, f.on.nativeSecure} {
		if l == nil {
			continue
		}
		g.Go(func() error { // ends with ctx
			return native.Serve(gctx, drained, l, native.Config{
				Engine: face, Users: f.users, Version: numbers(engine.Version), DisplayName: f.eng.Host(), HTTPPort: port(f.on.http), Log: f.log,
			})
		})
	}
	g.Go(func() error { return f.eng.RefreshViews(gctx) }) // ends with ctx
	if f.on.mysql != nil {
		g.Go(func() error { // ends with ctx
			return mysql.Serve(gctx, drained, f.on.mysql, mysql.Config{
				Engine: face, Users: f.users, Version: engine.Version, TLS: f.secure, Log: f.log,
			})
		})
	}
	return g.Wait()
}

// serveHTTP answers on the listeners that are there until ctx ends, and then
// lets requests finish.
func serveHTTP(ctx context.Context, g *cherr.Group, srv *http.Server, on ...net.Listener) {
	for _, l := range on {
		if l == nil {
			continue
		}
		g.Go(func() error { // ends with the shutdown below
			if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
				return err
			}
			return nil
		})
	}
	g.Go(func() error { // ends with ctx
		<-ctx.Done()
		drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
		defer cancel()
		return srv.Shutdown(drain)
	})
}

// numbers gives the first three numbers of a version.
func numbers(version string) (v [3]int) {
	for i, part := range strings.SplitN(version, ".", 4)[:3] {
		v[i], _ = strconv.Atoi(part) // the version is ours
	}
	return v
}

func port(l net.Listener) int {
	a, _ := l.Addr().(*net.TCPAddr)
	if a == nil {
		return 0
	}
	return a.Port
}
