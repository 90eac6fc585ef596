package integration

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// binary is the server, built once for all tests of the package.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "lakeserver-test")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binary = filepath.Join(dir, "lakeserver")
	build := exec.Command("go", "build", "-o", binary, "lakeserver/cmd/lakeserver")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the server: %v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// process is a running server.
type process struct {
	cmd          *exec.Cmd
	http, native string
	greeting     string
	stderr       *bytes.Buffer
}

// start runs the server with an empty data folder and waits until it answers.
func start(t *testing.T, flags ...string) *process {
	t.Helper()
	p := &process{http: freeAddr(t), native: freeAddr(t), stderr: &bytes.Buffer{}}
	args := append([]string{"serve", "--http-listen", p.http, "--native-listen", p.native, "--data-dir", t.TempDir()}, flags...)
	p.cmd = exec.Command(binary, args...)
	p.cmd.Env = append(os.Environ(), "TZ=UTC")
	p.cmd.Stderr = p.stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p.cmd.ProcessState == nil {
			_ = p.cmd.Process.Kill()
			_ = p.cmd.Wait()
		}
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		p.greeting += lines.Text() + "\n"
		if strings.Contains(lines.Text(), "curl") || len(flags) > 0 && strings.Contains(lines.Text(), "files") {
			break
		}
	}
	for range 100 {
		if r, err := http.Get("http://" + p.http + "/ping"); err == nil {
			r.Body.Close()
			return p
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("the server does not answer: %s", p.stderr)
	return nil
}

func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// ask posts a query and gives status and body.
func (p *process) ask(t *testing.T, sql string) (int, string) {
	t.Helper()
	r, err := http.Post("http://"+p.http+"/", "text/plain", strings.NewReader(sql))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(body)
}

// TestGreeting: the query that the server prints works as pasted.
func TestGreeting(t *testing.T) {
	p := start(t)
	m := regexp.MustCompile(`--data-binary "(.*)"`).FindStringSubmatch(p.greeting)
	if m == nil {
		t.Fatalf("no query in the greeting:\n%s", p.greeting)
	}
	status, body := p.ask(t, m[1])
	if status != http.StatusOK || !strings.Contains(body, "2026-01-01") {
		t.Fatalf("status %d:\n%s", status, body)
	}
	// PyIceberg wrote 100 rows and deleted one.
	if _, n := p.ask(t, "SELECT count() FROM icebergLocal('sample/events')"); n != "99\n" {
		t.Errorf("the sample table has %q rows", n)
	}
}

// TestStop: SIGTERM lets a running query finish, then the server exits with 0.
func TestStop(t *testing.T) {
	p := start(t)
	answers := make(chan string, 1)
	go func() { //nolint:gocritic // ends with the request
		r, err := http.Post("http://"+p.http+"/", "text/plain", strings.NewReader("SELECT sum(sleepEachRow(0.3)) FROM numbers(4) SETTINGS max_block_size = 1"))
		if err != nil {
			answers <- err.Error()
			return
		}
		defer r.Body.Close()
		body, _ := io.ReadAll(r.Body)
		answers <- string(body)
	}()
	time.Sleep(300 * time.Millisecond)
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if a := <-answers; a != "0\n" {
		t.Errorf("the running query answered %q", a)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v: %s", err, p.stderr)
	}
}

// TestRefusals: what cannot be done at start is one line and exit code 1.
func TestRefusals(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	if err := os.WriteFile(bad, []byte("http_listen: 127.0.0.1:0\nno_such_key: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"address in use":       {[]string{"serve", "--http-listen", taken.Addr().String(), "--data-dir", t.TempDir()}, "cannot listen on " + taken.Addr().String()},
		"unknown key":          {[]string{"serve", "--config", bad}, "line 2"},
		"no folder":            {[]string{"serve", "--data-dir", file}, file},
		"open to the world":    {[]string{"serve", "--http-listen", "0.0.0.0:0", "--data-dir", t.TempDir()}, "no password"},
		"unknown command flag": {[]string{"serve", "--nonsense"}, "nonsense"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			cmd := exec.CommandContext(ctx, binary, c.args...)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			err := cmd.Run()
			if cmd.ProcessState.ExitCode() != 1 {
				t.Errorf("exit code %d (%v)", cmd.ProcessState.ExitCode(), err)
			}
			if text := strings.TrimSpace(stderr.String()); !strings.Contains(text, c.want) || strings.Count(text, "\n") > 0 {
				t.Errorf("printed %q, want one line with %q", text, c.want)
			}
		})
	}
}

// TestOneShot: lakeserver query reads any path, takes parameters and a format.
func TestOneShot(t *testing.T) {
	sample, err := filepath.Abs("../../cmd/lakeserver/sample/events")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(binary, "query", "SELECT count() AS n, {x:UInt8} AS x FROM icebergLocal('"+sample+"')", "--format", "JSONEachRow", "--param_x", "7").Output()
	if err != nil || string(out) != `{"n":99,"x":7}`+"\n" {
		t.Errorf("%q, %v", out, err)
	}
	out, err = exec.Command(binary, "version").Output()
	if err != nil || !strings.HasPrefix(string(out), "lakeserver ") {
		t.Errorf("%q, %v", out, err)
	}
}

// TestDurable: definitions outlive a restart, kill -9 included.
func TestDurable(t *testing.T) {
	dir := t.TempDir()
	p := start(t, "--data-dir", dir)
	for _, sql := range []string{
		"CREATE DATABASE d", "CREATE TABLE d.t (a UInt8 DEFAULT 3, b String) ENGINE = Memory",
		"CREATE VIEW d.v AS SELECT 1 AS one", "CREATE TABLE d.gone (a UInt8) ENGINE = Memory", "DROP TABLE d.gone",
	} {
		if status, body := p.ask(t, sql); status != http.StatusOK {
			t.Fatalf("%s: %s", sql, body)
		}
	}
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.cmd.Wait()
	p = start(t, "--data-dir", dir)
	if _, body := p.ask(t, "SHOW TABLES FROM d"); body != "t\nv\n" {
		t.Errorf("after the restart: %q", body)
	}
	if _, body := p.ask(t, "SELECT one FROM d.v"); body != "1\n" {
		t.Errorf("the view gives %q", body)
	}
	if _, body := p.ask(t, "DESCRIBE d.t"); !strings.HasPrefix(body, "a\tUInt8\tDEFAULT\t3") {
		t.Errorf("the table is %q", body)
	}
}
