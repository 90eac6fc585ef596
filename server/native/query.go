package native

import (
	"context"
	"errors"
	"strings"
	"time"

	"lakeserver/cherr"
	"lakeserver/codec/native"
	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/server"
	"lakeserver/server/native/wire"
	"lakeserver/settings"
	"lakeserver/types"
)

// exchange is one query and its answers.
type exchange struct {
	c        *conn
	q        *wire.Query
	in       <-chan packet
	set      *settings.Settings
	result   *server.Result
	compress *native.Compressor
	block    []byte // scratch
	frames   []byte // scratch
	started  time.Time
	sent     server.Progress // what Progress packets have told
	sentAt   time.Time
	rows     uint64
	blocks   uint64
	bytes    uint64
	// rowsAsked: the client was asked for an INSERT's rows; rowsEnded: it has
	// sent the empty block behind them.
	rowsAsked, rowsEnded bool
}

// query runs one query. An error ends the connection; errors of the query
// itself are sent and are none here.
func (c *conn) query(ctx context.Context, q *wire.Query, in <-chan packet) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c.mu.Lock()
	c.cancel = cancel
	c.mu.Unlock()
	x := &exchange{c: c, q: q, in: in, started: c.cfg.Now(), sentAt: c.cfg.Now(), set: c.session.Settings()}
	external, err := x.external(ctx)
	if err != nil {
		c.exception(err)
		return err
	}
	err = x.run(ctx, external)
	if x.result != nil {
		x.result.Close(err)
	}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errCancelled):
		c.send(func(b *wire.Buffer) { b.Uvarint(wire.ServerEndOfStream) })
	case err != nil:
		c.exception(err)
	default:
		c.send(func(b *wire.Buffer) { b.Uvarint(wire.ServerEndOfStream) })
	}
	return x.drainRows(ctx)
}

// external takes the tables that came with the query, up to the empty block
// that every query is followed by.
func (x *exchange) external(ctx context.Context) ([]server.External, error) {
	var out []server.External
	for {
		select {
		case p, ok := <-x.in:
			switch {
			case !ok:
				return nil, cherr.New(cherr.NetworkError, "The client has left")
			case p.err != nil:
				return nil, p.err
			case p.code != wire.ClientData:
				return nil, cherr.New(cherr.UnexpectedPacketFromClient, "Unexpected packet %d from client", p.code)
			case p.name == "" && len(p.header) == 0:
				return out, nil
			}
			out = addExternal(out, p)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func addExternal(all []server.External, p packet) []server.External {
	name := p.name
	if name == "" {
		name = "_data"
	}
	for i := range all {
		if all[i].Name == name {
			if p.block.Rows > 0 {
				all[i].Blocks = append(all[i].Blocks, p.block)
			}
			return all
		}
	}
	e := server.External{Name: name, Header: p.header}
	if p.block.Rows > 0 {
		e.Blocks = append(e.Blocks, p.block)
	}
	return append(all, e)
}

// run executes the query and sends its answer, all but the end.
func (x *exchange) run(ctx context.Context, external []server.External) (err error) {
	q, err := x.toQuery(external)
	if err != nil {
		return err
	}
	if x.result, err = x.c.session.Execute(ctx, q); err != nil {
		return err
	}
	if x.result.HasRows {
		return x.rowsOut(ctx)
	}
	x.profileEvents(true)
	if x.c.rev >= wire.RevInsertProfileEvents { // older ones take nothing but the end here
		x.progress()
	}
	return nil
}

// toQuery checks what came and brings it into the server's form.
func (x *exchange) toQuery(external []server.External) (*server.Query, error) {
	q := x.q
	if q.Stage != wire.StageComplete {
		return nil, cherr.New(cherr.NotImplemented,
			"Query processing stage %d is not supported: query one address, or set distributed_group_by_no_merge = 1", q.Stage)
	}
	if q.Info.Kind == wire.KindSecondary && q.Secret != "" {
		return nil, cherr.New(cherr.AuthenticationFailed, "Queries that carry an interserver secret are not accepted")
	}
	out := &server.Query{
		ID: q.ID, Text: q.Text, Params: map[string]string{}, Interface: "TCP", Client: x.c.hello.Client,
		Address: x.c.nc.RemoteAddr().String(), Insert: x.insert, External: external,
	}
	for _, s := range q.Settings {
		if _, ok := settings.Lookup(s.Name); !ok {
			if s.Flags&wire.FlagImportant != 0 {
				return nil, cherr.New(cherr.UnknownSetting, "Unknown setting '%s'", s.Name)
			}
			continue
		}
		if set, err := x.set.With(s.Name, s.Value); err == nil {
			x.set = set
		}
		out.Settings = append(out.Settings, server.Setting{Name: s.Name, Value: s.Value})
	}
	for _, p := range q.Params {
		v, err := parameter(p)
		if err != nil {
			return nil, err
		}
		out.Params[p.Name] = v
	}
	return out, x.openCompressor()
}

// openCompressor makes the codec that the client asked for. What ClickHouse
// of today takes by default is not understood by all clients, so that only a
// setting that was given counts.
func (x *exchange) openCompressor() error {
	if !x.q.Compress {
		return nil
	}
	name := "LZ4"
	if x.set.Changed("network_compression_method") {
		name = x.set.Get("network_compression_method")
	}
	m, err := native.ParseMethod(name)
	if err != nil {
		return err
	}
	level := 0
	if m == native.ZSTD {
		level = int(x.set.Int("network_zstd_compression_level"))
	}
	x.compress = native.NewCompressor(m, level)
	return nil
}

// rowsOut sends a result: the header, the blocks with progress between them,
// totals, extremes and what is known at the end.
func (x *exchange) rowsOut(ctx context.Context) error {
	res := x.result
	if zone := res.Settings.Get("session_timezone"); zone != "" && x.c.rev >= wire.RevTimezoneUpdate {
		x.c.send(func(b *wire.Buffer) { wire.AppendTimezone(b, zone) })
	}
	if err := x.data(wire.ServerData, res.Header, nil); err != nil {
		return err
	}
	every := time.Duration(max(x.set.Int("interactive_delay"), 10_000)) * time.Microsecond
	err := server.Drain(ctx, res.Stream, func(b *column.Block) error { return x.blockOut(b, every) }, every, func() error {
		x.progress()
		return nil
	})
	if err != nil {
		return err
	}
	if b := res.Totals(); b != nil {
		if err := x.data(wire.ServerTotals, res.Header, b); err != nil {
			return err
		}
	}
	if b := res.Extremes(); b != nil {
		if err := x.data(wire.ServerExtremes, res.Header, b); err != nil {
			return err
		}
	}
	x.profileInfo()
	x.progress()
	x.logs()
	x.profileEvents(false)
	return x.data(wire.ServerData, nil, nil)
}

// blockOut sends a block in pieces of the size that clients are used to.
func (x *exchange) blockOut(b *column.Block, every time.Duration) error {
	for from := 0; from < b.Rows; from += column.MaxBlockRows {
		piece := b.Slice(from, min(from+column.MaxBlockRows, b.Rows))
		if err := x.data(wire.ServerData, x.result.Header, piece); err != nil {
			return err
		}
		x.rows += uint64(piece.Rows)
		x.blocks++
		x.bytes += uint64(piece.Size())
	}
	if x.c.cfg.Now().Sub(x.sentAt) >= every {
		x.progress()
	}
	return nil
}

// data sends one block, compressed if the client asked for it.
func (x *exchange) data(code uint64, h column.Header, b *column.Block) (err error) {
	if x.c.rev < native.RevModernTypes && !x.rowsAsked {
		if h, b, err = native.Downgrade(h, b, x.print); err != nil {
			return err
		}
	}
	if x.block, err = native.AppendBlock(x.block[:0], x.c.rev, h, b); err != nil {
		return err
	}
	body := x.block
	if x.compress != nil {
		if x.frames, err = x.compress.Append(x.frames[:0], body); err != nil {
			return err
		}
		body = x.frames
	}
	x.c.send(func(w *wire.Buffer) {
		wire.DataHead(w, code, x.c.rev)
		*w = append(*w, body...)
	})
	return nil
}

// print gives a column as text.
func (x *exchange) print(t *types.Type, c column.Column) *column.Str {
	cell := text.Print(t, text.Plain, &text.Options{Zone: x.c.cfg.Engine.Zone()}, c)
	out := &column.Str{}
	for row := range c.Len() {
		from := len(out.Data)
		out.Data = cell(out.Data, row)
		out.Seal(from)
	}
	return out
}

func (x *exchange) profileInfo() {
	s := x.result.Stats()
	p := wire.ProfileInfo{Rows: x.rows, Blocks: x.blocks, Bytes: x.bytes, AppliedLimit: s.AppliedLimit, RowsBeforeLimit: s.RowsBeforeLimit}
	if !s.AppliedLimit {
		p.RowsBeforeLimit = x.rows
	}
	x.c.send(func(b *wire.Buffer) { p.Append(b, x.c.rev) })
}

// progress tells what was done since the last packet.
func (x *exchange) progress() {
	s := x.result.Stats().Progress
	now := x.c.cfg.Now()
	p := wire.Progress{
		Rows: s.ReadRows - x.sent.ReadRows, Bytes: s.ReadBytes - x.sent.ReadBytes, TotalRows: s.TotalRows - x.sent.TotalRows,
		WrittenRows: s.WrittenRows - x.sent.WrittenRows, WrittenBytes: s.WrittenBytes - x.sent.WrittenBytes,
		ElapsedNs: uint64(now.Sub(x.sentAt)),
	}
	if s.TotalRows < x.sent.TotalRows {
		p.TotalRows = 0
		s.TotalRows = x.sent.TotalRows
	}
	x.sent, x.sentAt = s, now
	x.c.send(func(b *wire.Buffer) { p.Append(b, x.c.rev) })
}

// logs sends one line about the query, when the client wants to see logs.
func (x *exchange) logs() {
	level := strings.ToLower(x.set.Get("send_logs_level"))
	if x.c.rev < wire.RevLogs || level == "" || level == "none" || level == "fatal" || level == "error" || level == "warning" {
		return
	}
	x.logLine()
}

// parameter takes the quotes off a parameter's value. Some clients quote
// without escaping the quotes inside: then all between the outer ones is meant.
func parameter(p wire.Setting) (string, error) {
	v, n, err := text.Unquote([]byte(p.Value), nil)
	if err == nil && n == len(p.Value) {
		return string(v), nil
	}
	if inner := len(p.Value) - 1; inner > 0 && p.Value[0] == '\'' && p.Value[inner] == '\'' {
		return p.Value[1:inner], nil
	}
	return "", cherr.New(cherr.BadQueryParameter, "Value %s of query parameter %s is not a quoted text", p.Value, p.Name)
}
