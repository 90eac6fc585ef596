package httpapi

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"lakeserver/access"
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/server"
	"lakeserver/settings"
	"lakeserver/types"
)

// fake is an engine that knows a few texts.
type fake struct{ entered, wait chan struct{} }

func (f *fake) NewSession(u *server.User) server.Session { return &fakeSession{f: f, set: u.Settings} }
func (f *fake) Zone() *time.Location                     { return time.UTC }
func (f *fake) HasTable(string, string) bool             { return true }

type fakeSession struct {
	f   *fake
	set *settings.Settings
}

func (s *fakeSession) Use(string) error             { return nil }
func (s *fakeSession) Settings() *settings.Settings { return s.set }
func (s *fakeSession) Zone() *time.Location         { return time.UTC }
func (s *fakeSession) Close()                       {}

// numbers gives blocks of a column and, after them, an error.
type numbers struct {
	blocks, rows int
	err          error
}

func (n *numbers) Next(context.Context) (*column.Block, error) {
	if n.blocks == 0 {
		return nil, n.err
	}
	n.blocks--
	return column.NewBlock(column.NewConst(column.NewFixed([]uint64{7}), n.rows)), nil
}
func (n *numbers) Close() error { return nil }

func (s *fakeSession) Execute(ctx context.Context, q *server.Query) (*server.Result, error) {
	none := func() *column.Block { return nil }
	r := &server.Result{
		HasRows: true, Header: column.Header{{Name: "n", Type: types.UInt64}}, Totals: none, Extremes: none, Settings: s.set,
		Stats: func() server.Stats { return server.Stats{Progress: server.Progress{ReadRows: 3}} }, Close: func(error) {},
	}
	switch text := strings.TrimSpace(q.Text); {
	case text == "rows":
		r.Stream = &numbers{1, 2, nil}
	case text == "breaks late":
		r.Stream = &numbers{20, 65536, cherr.New(cherr.FunctionThrowIfValueIsNonZero, "late")}
	case text == "breaks early":
		r.Stream = &numbers{1, 2, cherr.New(cherr.UnknownTable, "early")}
	case text == "waits":
		close(s.f.entered)
		<-s.f.wait
		r.Stream = &numbers{}
	case strings.HasPrefix(text, "INSERT"):
		h, stream, err := q.Insert(ctx, server.Insert{Header: r.Header, Format: "CSV", Settings: s.set})
		if err != nil {
			return nil, err
		}
		blocks, err := column.ReadAll(ctx, stream)
		if err != nil || len(h) != 1 {
			return nil, err
		}
		r.Stream = column.Blocks(blocks...)
	default:
		return nil, cherr.New(cherr.SyntaxError, "Syntax error (SELEKT)")
	}
	return r, nil
}

func start(t *testing.T) (*httptest.Server, *fake) {
	f := &fake{make(chan struct{}), make(chan struct{})}
	users := server.NewUsers(&server.User{Name: "default"}, &server.User{Name: "u", Auth: []access.Auth{{Method: access.Plaintext, Secret: []byte("p")}}, Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	srv := httptest.NewServer(New(Config{Engine: f, Users: users, Sessions: server.NewSessions(f, time.Now), Version: "1.2.3.4"}))
	t.Cleanup(srv.Close)
	return srv, f
}

func post(t *testing.T, url, body string) (*http.Response, string, error) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept-Encoding", "identity")
	r, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	return r, string(b), err
}

func TestAnswers(t *testing.T) {
	srv, _ := start(t)
	for _, x := range []struct {
		query, body string
		status      int
		want        string
	}{
		{"", "rows", 200, "7\n7\n"},
		{"?default_format=JSONEachRow", "rows", 200, "{\"n\":7}\n{\"n\":7}\n"},
		{"?query=rows", "", 200, "7\n7\n"},
		{"?user=u&password=p", "rows", 200, "7\n7\n"},
		{"?user=u&password=x", "rows", 403, "Code: 516. DB::Exception: u: Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED) (version 1.2.3.4 (official build))\n"},
		{"?zz=1", "rows", 404, "Code: 115."},
		{"?session_id=a&session_check=1", "rows", 500, "Code: 372."},
		{"", "nope", 400, "Code: 62. DB::Exception: Syntax error ('SELEKT'). (SYNTAX_ERROR)"},
		{"", "breaks early", 404, "Code: 60. DB::Exception: early. (UNKNOWN_TABLE)"},
		{"?query=INSERT+INTO+t+FORMAT+CSV", "1\n2\n", 200, "1\n2\n"},
		{"", "INSERT INTO t FORMAT CSV\n5\n", 200, "5\n"},
		{"?query=INSERT+INTO+t+FORMAT+CSV", "1\nzz\n", 400, "Code: 27."},
	} {
		r, body, err := post(t, srv.URL+"/"+x.query, x.body)
		if err != nil || r.StatusCode != x.status || !strings.HasPrefix(body, x.want) {
			t.Errorf("%s %q: %d %q, %v", x.query, x.body, r.StatusCode, body, err)
		}
		if x.status == 200 && r.Header.Get("X-ClickHouse-Format") == "" {
			t.Errorf("%s: no format in the headers %v", x.query, r.Header)
		}
	}
}

// An error after the first bytes must not look like the end of the answer.
func TestErrorInTheMiddle(t *testing.T) {
	srv, _ := start(t)
	r, body, err := post(t, srv.URL, "breaks late")
	tag := r.Header.Get("X-ClickHouse-Exception-Tag")
	if err == nil || r.StatusCode != 200 || !strings.Contains(body, "\r\n__exception__\r\n"+tag+"\r\nCode: 395. DB::Exception: late.") {
		t.Errorf("%d, error %v, end %q", r.StatusCode, err, body[max(0, len(body)-300):])
	}
	// with the whole answer held back the error has its own status
	if r, body, err = post(t, srv.URL+"?wait_end_of_query=1", "breaks late"); err != nil || r.StatusCode != 500 || !strings.HasPrefix(body, "Code: 395.") {
		t.Errorf("%d %q %v", r.StatusCode, body[:min(len(body), 100)], err)
	}
}

func TestSessionIsLocked(t *testing.T) {
	srv, f := start(t)
	done := make(chan struct{})
	g, _ := cherr.NewGroup(context.Background())
	g.Go(func() error {
		defer close(done)
		_, _, err := post(t, srv.URL+"?session_id=a", "waits")
		return err
	})
	<-f.entered
	_, body, _ := post(t, srv.URL+"?session_id=a", "rows")
	if !strings.HasPrefix(body, "Code: 373.") {
		t.Error(body)
	}
	close(f.wait)
	<-done
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
	if _, body, _ = post(t, srv.URL+"?session_id=a&session_check=1", "rows"); body != "7\n7\n" {
		t.Error(body)
	}
}
