package restcatalog

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"lakeserver/cherr"
	"lakeserver/server"
)

// Config is what the catalog is made of.
type Config struct {
	Warehouse Warehouse
	Engine    server.Engine
	Users     *server.Users
	// Properties keep what namespaces are said to be.
	Properties *Properties
	Log        *slog.Logger
	Now        func() time.Time // the clock; time.Now if nil
}

// Handler answers requests. It is safe for concurrent use.
type Handler struct {
	cfg    Config
	mux    *http.ServeMux
	tokens *tokens
}

// maxBody bounds a request: commits name snapshots, not files.
const maxBody = 64 << 20

// call is one request of a user.
type call struct {
	h    *Handler
	w    http.ResponseWriter
	r    *http.Request
	user *server.User
}

// endpoints are the protocol's, as the configuration's answer lists them.
var endpoints = []struct {
	pattern string
	serve   func(c *call) error
}{
	{"GET /v1/{prefix}/namespaces", (*call).listNamespaces},
	{"POST /v1/{prefix}/namespaces", (*call).createNamespace},
	{"GET /v1/{prefix}/namespaces/{namespace}", (*call).loadNamespace},
	{"HEAD /v1/{prefix}/namespaces/{namespace}", (*call).namespaceExists},
	{"DELETE /v1/{prefix}/namespaces/{namespace}", (*call).dropNamespace},
	{"POST /v1/{prefix}/namespaces/{namespace}/properties", (*call).updateProperties},
	{"GET /v1/{prefix}/namespaces/{namespace}/tables", (*call).listTables},
	{"POST /v1/{prefix}/namespaces/{namespace}/tables", (*call).createTable},
	{"GET /v1/{prefix}/namespaces/{namespace}/tables/{table}", (*call).loadTable},
	{"HEAD /v1/{prefix}/namespaces/{namespace}/tables/{table}", (*call).tableExists},
	{"POST /v1/{prefix}/namespaces/{namespace}/tables/{table}", (*call).commitTable},
	{"DELETE /v1/{prefix}/namespaces/{namespace}/tables/{table}", (*call).dropTable},
	{"POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/metrics", (*call).reportMetrics},
	{"POST /v1/{prefix}/namespaces/{namespace}/register", (*call).registerTable},
	{"POST /v1/{prefix}/tables/rename", (*call).renameTable},
}

// New makes the catalog.
func New(cfg Config) *Handler {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	h := &Handler{cfg: cfg, mux: http.NewServeMux(), tokens: newTokens(cfg.Now)}
	for _, e := range endpoints {
		h.mux.HandleFunc(strings.Replace(e.pattern, "{prefix}/", "", 1), h.authenticated(e.serve))
	}
	h.mux.HandleFunc("GET /v1/config", h.authenticated((*call).config))
	h.mux.HandleFunc("POST /v1/oauth/tokens", h.token)
	h.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		h.answerError(w, r, fail(http.StatusNotFound, "NoSuchEndpointException", "There is no endpoint "+r.Method+" "+r.URL.Path))
	})
	return h
}

// ServeHTTP answers one request; a panic is an error of that request alone.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if v := recover(); v != nil {
			h.answerError(w, r, cherr.Recovered(v))
		}
	}()
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	h.mux.ServeHTTP(w, r)
}

func (h *Handler) authenticated(serve func(c *call) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		user, err := h.login(r)
		if err == nil {
			err = serve(&call{h, w, r, user})
		}
		if err != nil {
			h.answerError(w, r, err)
		}
	}
}

// body reads the request's JSON.
func (c *call) body(v any) error {
	if err := json.NewDecoder(c.r.Body).Decode(v); err != nil {
		return fail(http.StatusBadRequest, "BadRequestException", "The request is not the JSON that is expected: "+err.Error())
	}
	return nil
}

// separator stands between the levels of a namespace in a path.
const separator = "\x1f"

// namespace gives the namespace of the path; UNKNOWN_DATABASE when it is not
// there or the user may not see it.
func (c *call) namespace() (string, error) {
	name := c.r.PathValue("namespace")
	if strings.Contains(name, separator) || !c.hasNamespace(name) {
		return "", noNamespace(strings.ReplaceAll(name, separator, "."))
	}
	return name, nil
}

func noNamespace(name string) error {
	return cherr.New(cherr.UnknownDatabase, "Namespace does not exist: %s", name)
}

// table gives the table of the path.
func (c *call) table() (Identifier, error) {
	ns, err := c.namespace()
	return Identifier{ns, c.r.PathValue("table")}, err
}

// one gives the name of a namespace, which has one level: a database.
func one(levels []string) (string, error) {
	if len(levels) != 1 || levels[0] == "" {
		return "", fail(http.StatusBadRequest, "BadRequestException", "A namespace of this catalog is a database, its name has one level")
	}
	return levels[0], nil
}
