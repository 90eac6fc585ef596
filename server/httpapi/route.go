package httpapi

import (
	_ "embed"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"lakeserver/server"
)

// Config is what a handler is made of.
type Config struct {
	Engine   server.Engine
	Users    *server.Users
	Sessions *server.Sessions
	// Version is shown in errors and must be four numbers.
	Version     string
	DisplayName string
	// Metrics serves /metrics; nil: there is none.
	Metrics http.Handler
	Log     *slog.Logger
	Now     func() time.Time
	Limits  Limits
}

// Limits bound what one request may take.
type Limits struct {
	// TempDir is where wait_end_of_query keeps large answers; "" is the system's.
	TempDir string
}

// Handler answers requests. It is safe for concurrent use.
type Handler struct{ cfg Config }

// New makes a handler.
func New(cfg Config) *Handler {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Handler{cfg}
}

//go:embed play.html
var playPage []byte

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	head["X-ClickHouse-Server-Display-Name"] = []string{h.cfg.DisplayName}
	head.Set("Keep-Alive", "timeout=30, max=10000")
	if r.Method == http.MethodOptions {
		h.options(w)
		return
	}
	switch r.URL.Path {
	case "/ping":
		plain(w, http.StatusOK, "Ok.\n")
	case "/replicas_status":
		plain(w, http.StatusOK, "Ok.\n")
	case "/play":
		head.Set("Content-Type", "text/html; charset=UTF-8")
		_, _ = w.Write(playPage) // the client may have left
	case "/metrics":
		if h.cfg.Metrics == nil {
			h.noHandle(w, r)
			return
		}
		h.cfg.Metrics.ServeHTTP(w, r)
	case "/", "/query":
		h.root(w, r)
	default:
		h.noHandle(w, r)
	}
}

func (h *Handler) root(w http.ResponseWriter, r *http.Request) {
	get := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case get && !r.URL.Query().Has("query"):
		w.Header().Set("Content-Type", "text/html; charset=UTF-8")
		plain(w, http.StatusOK, "Ok.\n")
	case get || r.Method == http.MethodPost || r.Method == http.MethodPut:
		h.query(w, r)
	default:
		plain(w, http.StatusNotImplemented, "Method "+r.Method+" is not supported\n")
	}
}

func plain(w http.ResponseWriter, status int, text string) {
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "text/plain; charset=UTF-8")
	}
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text)) // the client may have left
}

// options answers what browsers ask before a request from another page.
func (h *Handler) options(w http.ResponseWriter) {
	head := w.Header()
	head.Set("Access-Control-Allow-Origin", "*")
	head.Set("Access-Control-Allow-Headers", "origin, x-requested-with, x-clickhouse-format, x-clickhouse-user, x-clickhouse-key, Authorization, content-type")
	head.Set("Access-Control-Allow-Methods", "POST, GET, OPTIONS")
	head.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
}

func (h *Handler) noHandle(w http.ResponseWriter, r *http.Request) {
	plain(w, http.StatusNotFound, "There is no handle "+strings.ReplaceAll(r.URL.RequestURI(), "\n", " ")+"\n\n"+
		"Use / or /ping for health checks.\n"+
		"Or /replicas_status for more sophisticated health checks.\n\n"+
		"Send queries from your program with POST method or GET /?query=...\n\n"+
		"Use clickhouse-client:\n\n"+
		"For interactive data analysis:\n    clickhouse-client\n\n"+
		"For batch query processing:\n    clickhouse-client --query='SELECT 1' > result\n    clickhouse-client < query > result\n")
}
