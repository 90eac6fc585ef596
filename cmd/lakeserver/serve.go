package main

import (
	"context"
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
	"lakeserver/server/native"
	"lakeserver/settings"
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
	users, err := usersOf(cfg)
	if err != nil {
		return err
	}
	listeners, err := listen(cfg)
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
	return serve(ctx, eng, users, listeners, log)
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
	}{{c.HTTPListen, &cfg.HTTPListen}, {c.NativeListen, &cfg.NativeListen}, {c.DataDir, &cfg.DataDir}, {c.UserFilesDir, &cfg.UserFilesDir}} {
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
	for _, addr := range []string{cfg.HTTPListen, cfg.NativeListen} {
		host, _, err := net.SplitHostPort(addr)
		if err != nil {
			return fmt.Errorf("%q is not an address: %w", addr, err)
		}
		ip, err := netip.ParseAddr(host)
		if host == "localhost" || err == nil && ip.IsLoopback() || os.Getenv("LAKESERVER_ALLOW_OPEN") == "1" {
			continue
		}
		if u, ok := cfg.Users["default"]; len(cfg.Users) == 0 || ok && u.Password == "" && u.PasswordSHA256Hex == "" {
			return fmt.Errorf("refusing to listen on %s while user default has no password: set users.default.password_sha256_hex in the configuration", addr)
		}
	}
	return nil
}

func hidden(cfg Config) Config {
	users := map[string]UserConfig{}
	for n, u := range cfg.Users {
		if u.Password != "" {
			u.Password = "[HIDDEN]"
		}
		if u.PasswordSHA256Hex != "" {
			u.PasswordSHA256Hex = "[HIDDEN]"
		}
		users[n] = u
	}
	cfg.Users = users
	return cfg
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

// usersOf makes the users of a configuration.
func usersOf(cfg Config) (*server.Users, error) {
	var out []*server.User
	for name, u := range cfg.Users {
		x := &server.User{Name: name, Password: u.Password, PasswordSHA256: u.PasswordSHA256Hex, Settings: settings.Default()}
		if u.ReadOnly {
			x.Readonly = 1
		}
		for k, v := range cfg.Profiles[u.Profile] {
			var err error
			if x.Settings, err = x.Settings.With(k, v); err != nil {
				return nil, fmt.Errorf("profiles.%s: %w", u.Profile, err)
			}
		}
		for _, n := range u.Networks {
			p, err := prefix(n)
			if err != nil {
				return nil, fmt.Errorf("users.%s.networks: %w", name, err)
			}
			x.Networks = append(x.Networks, p)
		}
		out = append(out, x)
	}
	return server.NewUsers(out...), nil
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

type listeners struct{ http, native net.Listener }

func listen(cfg Config) (l listeners, err error) {
	if l.http, err = net.Listen("tcp", cfg.HTTPListen); err != nil {
		return l, fmt.Errorf("cannot listen on %s for HTTP: %w", cfg.HTTPListen, err)
	}
	if l.native, err = net.Listen("tcp", cfg.NativeListen); err != nil {
		return l, fmt.Errorf("cannot listen on %s for the native protocol: %w", cfg.NativeListen, err)
	}
	return l, nil
}

func announce(w io.Writer, cfg Config, l listeners) {
	fmt.Fprintf(w, "lakeserver %s\n  HTTP    http://%s\n  native  %s\n  files   %s\n", version, l.http.Addr(), l.native.Addr(), cfg.UserFilesDir)
}

// serve answers on the listeners until ctx ends.
func serve(ctx context.Context, eng *engine.Engine, users *server.Users, l listeners, log *slog.Logger) error {
	face := server.Over(eng)
	handler := httpapi.New(httpapi.Config{
		Engine: face, Users: users, Sessions: server.NewSessions(face, time.Now), Version: engine.Version,
		DisplayName: eng.Host(), Log: log, Metrics: server.Metrics(eng),
	})
	srv := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	g, gctx := cherr.NewGroup(ctx)
	g.Go(func() error {
		if err := srv.Serve(l.http); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	g.Go(func() error {
		<-gctx.Done()
		drain, cancel := context.WithTimeout(context.WithoutCancel(gctx), drainTime)
		defer cancel()
		return srv.Shutdown(drain)
	})
	g.Go(func() error {
		drain, cancel := context.WithCancel(context.WithoutCancel(gctx))
		defer cancel()
		stop := context.AfterFunc(gctx, func() { time.AfterFunc(drainTime, cancel) })
		defer stop()
		return native.Serve(gctx, drain, l.native, native.Config{
			Engine: face, Users: users, Version: numbers(engine.Version), DisplayName: eng.Host(), HTTPPort: port(l.http), Log: log,
		})
	})
	return g.Wait()
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
