package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// cost is what a step took.
type cost struct {
	Seconds, CPU float64
}

// side is one engine of the comparison.
type side interface {
	step(name string) (cost, error)
}

// TestWrites runs each step on every engine that has it, one after the other,
// and prints seconds and CPU seconds beside those of the best peer.
func TestWrites(t *testing.T) {
	data, python := os.Getenv("BENCH_DATA"), os.Getenv("BENCH_PYTHON")
	if data == "" || python == "" {
		t.Skip("BENCH_DATA names no folder of Parquet files, or BENCH_PYTHON no Python")
	}
	names := strings.Split(or(os.Getenv("BENCH_PEERS"), "chdb,duckdb,spark"), ",")
	sides := map[string]side{"lakeserver": newServer(t, data)}
	for _, n := range names {
		sides[n] = newPeer(t, python, n, filepath.Join(data, "*.parquet"))
	}
	for _, s := range []struct {
		name   string
		peers  string
		target float64
	}{{"insert", "chdb duckdb", 0.8}, {"delete", "chdb", 0.5}, {"fill", "spark", 0}, {"rewrite", "spark", 0.7}} {
		own, err := sides["lakeserver"].step(s.name)
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		best, who := cost{}, ""
		for _, n := range names {
			if !strings.Contains(s.peers, n) {
				continue
			}
			name := s.name
			if name == "fill" {
				name = "insert"
			}
			c, err := sides[n].step(name)
			if err != nil {
				t.Errorf("%s by %s: %v", s.name, n, err)
				continue
			}
			t.Logf("%-8s %-10s %7.2f s %7.2f s of CPU", s.name, n, c.Seconds, c.CPU)
			if who == "" || c.Seconds < best.Seconds {
				best, who = c, n
			}
		}
		t.Logf("%-8s lakeserver %7.2f s %7.2f s of CPU", s.name, own.Seconds, own.CPU)
		if who != "" && s.target > 0 {
			t.Logf("%-8s %.2f of %s's time, %.2f of its CPU time (target %.1f)", s.name, own.Seconds/best.Seconds, who, own.CPU/best.CPU, s.target)
		}
	}
}

func or(v, def string) string {
	if v == "" {
		return def
	}
	return v
}

// server is lakeserver in a process of its own.
type server struct {
	url string
	pid int
}

func newServer(t *testing.T, data string) *server {
	t.Helper()
	bin, err := filepath.Abs(or(os.Getenv("BENCH_SERVER"), "../../bin/lakeserver"))
	if err != nil {
		t.Fatal(err)
	}
	ports := [2]string{}
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ports[i] = l.Addr().String()
		l.Close()
	}
	cmd := exec.Command(bin, "serve", "--http-listen", ports[0], "--native-listen", ports[1], "--data-dir", t.TempDir(), "--user-files-dir", data)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	})
	s := &server{url: "http://" + ports[0], pid: cmd.Process.Pid}
	for range 100 {
		if _, err := s.ask("SELECT 1"); err == nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	for _, sql := range []string{
		"CREATE TABLE t EMPTY AS SELECT * FROM file('*.parquet')", "ALTER TABLE t MODIFY SETTING `write.delete.mode` = 'merge-on-read'",
		"CREATE TABLE many EMPTY AS SELECT * FROM file('*.parquet')",
	} {
		if _, err := s.ask(sql); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (s *server) ask(sql string) (string, error) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, s.url+"/?max_threads=2", strings.NewReader(sql))
	if err != nil {
		return "", err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s", body)
	}
	return string(body), err
}

func (s *server) step(name string) (cost, error) {
	sql := map[string]string{
		"insert":  "INSERT INTO t SELECT * FROM file('*.parquet')",
		"delete":  "DELETE FROM t WHERE CounterID % 100 = 7",
		"fill":    "INSERT INTO many SETTINGS iceberg_insert_max_rows_in_data_file = 125000 SELECT * FROM file('*.parquet')",
		"rewrite": "ALTER TABLE many EXECUTE rewrite_data_files(rewrite_all = 1)",
	}[name]
	began, used := time.Now(), s.cpu()
	_, err := s.ask(sql)
	return cost{time.Since(began).Seconds(), s.cpu() - used}, err
}

// cpu gives the process's seconds: the kernel counts hundredths.
func (s *server) cpu() float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.pid))
	if err != nil {
		return 0
	}
	f := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	user, _ := strconv.ParseFloat(f[11], 64)
	system, _ := strconv.ParseFloat(f[12], 64)
	return (user + system) / 100
}

// peer is another engine, below peers.py.
type peer struct {
	in  io.Writer
	out *bufio.Reader
}

func newPeer(t *testing.T, python, engine, rows string) *peer {
	t.Helper()
	cmd := exec.Command(python, "peers.py", engine, filepath.Join(t.TempDir(), engine), rows)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	})
	p := &peer{in: in, out: bufio.NewReader(out)}
	if _, err := p.answer(); err != nil {
		t.Fatalf("%s: %v", engine, err)
	}
	return p
}

func (p *peer) answer() (c cost, err error) {
	for {
		line, err := p.out.ReadBytes('\n')
		if err != nil {
			return c, err
		}
		if len(line) > 0 && line[0] == '{' {
			return c, json.Unmarshal(line, &c)
		}
	}
}

func (p *peer) step(name string) (cost, error) {
	if _, err := io.WriteString(p.in, name+"\n"); err != nil {
		return cost{}, err
	}
	return p.answer()
}
