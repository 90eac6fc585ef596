package httpapi

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/format"
	"lakeserver/server"
	"lakeserver/settings"
)

// call is one query on its way.
type call struct {
	h       *Handler
	r       *http.Request
	req     *request
	out     *response
	user    *server.User
	session server.Session
	result  *server.Result
	started time.Time
	stmt    *statement
}

// query answers a request that carries a query.
func (h *Handler) query(w http.ResponseWriter, r *http.Request) {
	c := &call{h: h, r: r, out: newResponse(w, &h.cfg), started: h.cfg.Now()}
	c.out.summary = c.summary
	release, err := c.prepare()
	if err == nil {
		err = c.run()
	}
	if c.result != nil {
		c.result.Close(err)
	}
	if release != nil {
		release(flag(c.req.values, "close_session"))
	}
	if err == nil {
		err = c.out.finish()
	}
	if err != nil {
		c.fail(err)
	}
}

// prepare logs in and opens the session.
func (c *call) prepare() (release func(bool), err error) {
	user, given, err := c.h.login(c.r)
	if err != nil {
		if !given {
			c.out.w.Header().Set("WWW-Authenticate", `Basic realm="ClickHouse server HTTP API"`)
		}
		return nil, err
	}
	c.user = user
	if c.req, err = parseRequest(c.r); err != nil {
		return nil, err
	}
	if c.r.Method == http.MethodPost && c.r.ContentLength < 0 && len(c.r.TransferEncoding) == 0 {
		return nil, cherr.New(cherr.HTTPLengthRequired, "The Transfer-Encoding is not chunked and there is no Content-Length header for POST request")
	}
	head := c.out.w.Header()
	head["X-ClickHouse-Query-Id"] = []string{c.req.id}
	head["X-ClickHouse-Timezone"] = []string{c.h.cfg.Engine.Zone().String()}
	if c.r.Header.Get("Origin") != "" {
		head.Set("Access-Control-Allow-Origin", "*")
	}
	c.out.wait = c.req.wait
	c.out.max = max(holdBytes, c.req.keepBytes)
	if id := c.req.values.Get("session_id"); id != "" {
		timeout, err := c.req.sessionTimeout()
		if err != nil {
			return nil, err
		}
		c.session, release, err = c.h.cfg.Sessions.Acquire(user, id, timeout, flag(c.req.values, "session_check"))
		if err != nil {
			return nil, err
		}
	} else {
		s := c.h.cfg.Engine.NewSession(user)
		c.session, release = s, func(bool) { s.Close() }
	}
	return release, c.setRoles()
}

// setRoles is the parameter role, which may come several times.
func (c *call) setRoles() error {
	roles := c.req.values["role"]
	if len(roles) == 0 {
		return nil
	}
	names := make([]string, len(roles))
	for i, r := range roles {
		names[i] = "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(r) + "`"
	}
	r, err := c.session.Execute(c.r.Context(), &server.Query{Text: "SET ROLE " + strings.Join(names, ", "), Interface: "HTTP"})
	if err == nil {
		r.Close(nil)
	}
	return err
}

// run executes the statement and writes its rows.
func (c *call) run() error {
	ctx := c.r.Context()
	set, err := c.settings()
	if err != nil {
		return err
	}
	c.out.encode(c.req.compress, c.r.Header.Get("Accept-Encoding"), set.Bool("enable_http_compression"), int(set.Int("http_zlib_compression_level")))
	q := &server.Query{
		ID: c.req.id, Database: c.req.database, Settings: c.req.settings, Params: c.req.params,
		ReadOnly: c.r.Method == http.MethodGet || c.r.Method == http.MethodHead, Interface: "HTTP",
		Client: c.r.UserAgent(), Address: c.r.RemoteAddr,
	}
	if err := c.readBody(ctx, q, set); err != nil {
		return err
	}
	q.Text = c.stmt.text
	q.Insert = c.insert
	if c.result, err = c.session.Execute(ctx, q); err != nil {
		return err
	}
	if !c.result.HasRows {
		return nil
	}
	return c.write(ctx)
}

// settings gives the session's settings with the request's; their values are
// checked again by the session, whose rules (readonly) hold.
func (c *call) settings() (*settings.Settings, error) {
	set := c.session.Settings()
	for _, s := range c.req.settings {
		next, err := set.With(s.Name, s.Value)
		if err != nil {
			if _, known := settings.Lookup(s.Name); !known {
				continue // a custom setting
			}
			return nil, err
		}
		set = next
	}
	return set, nil
}

func (c *call) readBody(ctx context.Context, q *server.Query, set *settings.Settings) error {
	if isMultipart(c.r) {
		if err := c.externalTables(ctx, q, set); err != nil {
			return err
		}
		c.stmt = &statement{text: c.req.text}
		return nil
	}
	body, err := openBody(c.r, flag(c.req.values, "decompress"))
	if err != nil {
		return err
	}
	c.stmt, err = assemble(c.req.text, body, int(min(set.Uint("max_query_size"), 1<<30)))
	return err
}

// insert gives the rows that came in the body.
func (c *call) insert(ctx context.Context, i server.Insert) (column.Header, column.Stream, error) {
	var data io.Reader = bufio.NewReader(io.MultiReader(newReader(i.Inline), c.data()))
	name := first(i.Format, c.req.format)
	if name == "" {
		name = "TabSeparated"
	}
	if i.Infile != "" {
		return nil, nil, cherr.New(cherr.NotImplemented, "INSERT FROM INFILE is a matter of the client: it reads the file and sends the rows")
	}
	q := &server.Query{Settings: c.req.settings, Params: c.req.params, Interface: "HTTP"}
	return server.OpenRows(ctx, c.session, q, name, data, i)
}

func (c *call) data() io.Reader {
	if c.stmt.data == nil {
		return newReader(nil)
	}
	return c.stmt.data
}

// write sends the rows in the answer's format.
func (c *call) write(ctx context.Context) error {
	res := c.result
	name := first(res.Format, c.req.format)
	if name == "" {
		name = "TabSeparated"
	}
	f, err := format.Lookup(name)
	if err != nil {
		return err
	}
	o, err := server.FormatOptions(res.Settings, c.h.cfg.Engine.Zone())
	if err != nil {
		return err
	}
	o.NativeRevision = c.req.revision
	fw, err := format.OpenWriter(f.Name, c.out, res.Header, o)
	if err != nil {
		return err
	}
	head := c.out.w.Header()
	head.Set("Content-Type", f.ContentType)
	head["X-ClickHouse-Format"] = []string{f.Name}
	if zone := res.Settings.Get("session_timezone"); zone != "" {
		head["X-ClickHouse-Timezone"] = []string{zone}
	}
	var tick func() error
	if pw, ok := fw.(format.ProgressWriter); ok {
		tick = func() error { return pw.Progress(c.progress()) }
	}
	err = server.Drain(ctx, res.Stream, func(b *column.Block) error {
		if b.Rows == 0 {
			return nil
		}
		return fw.Write(b)
	}, 100*time.Millisecond, tick)
	if err != nil {
		return err
	}
	return c.end(fw, tick)
}

func (c *call) end(fw format.Writer, tick func() error) error {
	if b := c.result.Totals(); b != nil {
		if err := fw.Totals(b); err != nil {
			return err
		}
	}
	if b := c.result.Extremes(); b != nil {
		if err := fw.Extremes(b); err != nil {
			return err
		}
	}
	if tick != nil && c.progress().ReadRows > 0 {
		if err := tick(); err != nil {
			return err
		}
	}
	s := c.result.Stats()
	return fw.Finish(format.Statistics{
		Elapsed: c.h.cfg.Now().Sub(c.started), RowsRead: s.ReadRows, BytesRead: s.ReadBytes,
		RowsBeforeLimit: s.RowsBeforeLimit, HasRowsBeforeLimit: s.AppliedLimit,
	})
}

func (c *call) progress() format.Progress {
	s := c.result.Stats()
	return format.Progress{ReadRows: s.ReadRows, ReadBytes: s.ReadBytes, TotalRows: s.TotalRows, Elapsed: c.h.cfg.Now().Sub(c.started)}
}

// summary is the value of X-ClickHouse-Summary.
func (c *call) summary() string {
	var s server.Stats
	if c.result != nil {
		s = c.result.Stats()
	}
	u := func(v uint64) string { return strconv.FormatUint(v, 10) }
	b, _ := json.Marshal(struct { // strings never fail
		A string `json:"read_rows"`
		B string `json:"read_bytes"`
		C string `json:"written_rows"`
		D string `json:"written_bytes"`
		E string `json:"total_rows_to_read"`
		F string `json:"result_rows"`
		G string `json:"result_bytes"`
		H string `json:"elapsed_ns"`
		I string `json:"memory_usage"`
	}{
		u(s.ReadRows), u(s.ReadBytes), u(s.WrittenRows), u(s.WrittenBytes), u(s.TotalRows), u(s.ResultRows), u(s.ResultBytes),
		u(uint64(c.h.cfg.Now().Sub(c.started))), u(uint64(max(s.MemoryPeak, 0))),
	})
	return string(b)
}

// fail sends the error to the client.
func (c *call) fail(err error) {
	if errors.Is(err, context.Canceled) && c.r.Context().Err() != nil {
		panic(http.ErrAbortHandler) // the client left; net/http's way of closing without an answer
	}
	code := cherr.CodeOf(err)
	status := statusOf(code)
	if code == cherr.AuthenticationFailed && c.out.w.Header().Get("WWW-Authenticate") != "" {
		status = http.StatusUnauthorized
	}
	if c.out.fail(status, int(code), server.Message(err, c.h.cfg.Version)) {
		panic(http.ErrAbortHandler) // breaks the answer off, as the client must see
	}
}
