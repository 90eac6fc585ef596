package native

import (
	"bufio"
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"lakeserver/cherr"
	codec "lakeserver/codec/native"
	"lakeserver/column"
	"lakeserver/server"
	"lakeserver/server/native/wire"
	"lakeserver/settings"
	"lakeserver/types"
)

type fake struct{ inserted chan int }

func (f *fake) NewSession(u *server.User) server.Session { return &fakeSession{f, u.Settings} }
func (f *fake) Zone() *time.Location                     { return time.UTC }
func (f *fake) HasTable(_, table string) bool            { return table == "t" }

type fakeSession struct {
	f   *fake
	set *settings.Settings
}

func (s *fakeSession) Use(db string) error {
	if db == "none" {
		return cherr.New(cherr.UnknownDatabase, "Database none does not exist")
	}
	return nil
}
func (s *fakeSession) Settings() *settings.Settings { return s.set }
func (s *fakeSession) Zone() *time.Location         { return time.UTC }
func (s *fakeSession) Close()                       {}

// endless gives blocks until its context ends.
type endless struct{}

func (endless) Next(ctx context.Context) (*column.Block, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(time.Millisecond):
		return column.NewBlock(column.NewFixed([]uint64{1})), nil
	}
}
func (endless) Close() error { return nil }

func (s *fakeSession) Execute(ctx context.Context, q *server.Query) (*server.Result, error) {
	none := func() *column.Block { return nil }
	r := &server.Result{
		HasRows: true, Header: column.Header{{Name: "n", Type: types.UInt64}}, Totals: none, Extremes: none, Settings: s.set,
		Stats: func() server.Stats { return server.Stats{} }, Close: func(error) {},
	}
	switch q.Text {
	case "rows":
		r.Stream = column.Blocks(column.NewBlock(column.NewFixed([]uint64{1, 2})))
	case "endless":
		r.Stream = endless{}
	case "insert":
		_, stream, err := q.Insert(ctx, server.Insert{Header: r.Header, Settings: s.set})
		if err != nil {
			return nil, err
		}
		blocks, err := column.ReadAll(ctx, stream)
		if err != nil {
			return nil, err
		}
		n := 0
		for _, b := range blocks {
			n += b.Rows
		}
		s.f.inserted <- n
		r.HasRows, r.Stream = false, column.Blocks()
	default:
		return nil, cherr.New(cherr.UnknownTable, "Table %s does not exist", q.Text)
	}
	return r, nil
}

// client speaks the protocol at a revision.
type client struct {
	t   *testing.T
	nc  net.Conn
	in  *bufio.Reader
	rev int
}

func dial(t *testing.T, rev int, user, database string) (*client, *fake) {
	f := &fake{make(chan int, 1)}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	g, _ := cherr.NewGroup(context.Background())
	g.Go(func() error {
		return Serve(ctx, context.Background(), l, Config{Engine: f, Users: server.NewUsers(), Version: [3]int{1, 2, 3}, DisplayName: "x", HTTPPort: 8123})
	})
	t.Cleanup(func() { cancel(); _ = g.Wait() })
	nc, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = nc.Close() })
	_ = nc.SetDeadline(time.Now().Add(10 * time.Second))
	c := &client{t, nc, bufio.NewReader(nc), rev}
	var b wire.Buffer
	b.Uvarint(wire.ClientHello)
	b.String("test")
	b.Uvarint(1)
	b.Uvarint(1)
	b.Uvarint(uint64(rev))
	b.String(database)
	b.String(user)
	b.String("")
	c.send(b)
	return c, f
}

func (c *client) send(b wire.Buffer) {
	c.t.Helper()
	if _, err := c.nc.Write(b); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) code() uint64 {
	c.t.Helper()
	r := wire.NewReader(c.in)
	code := r.Uvarint()
	if r.Err() != nil {
		c.t.Fatal(r.Err())
	}
	return code
}

func (c *client) want(code uint64) {
	c.t.Helper()
	if got := c.code(); got != code {
		c.t.Fatalf("packet %d, want %d", got, code)
	}
}

// welcome reads the server's Hello of revision 54412.
func (c *client) welcome() {
	c.t.Helper()
	c.want(wire.ServerHello)
	r := wire.NewReader(c.in)
	name := r.Text()
	for range 3 {
		r.Uvarint()
	}
	zone, display := r.Text(), r.Text()
	if r.Uvarint() != 3 || name != "ClickHouse" || zone != "UTC" || display != "x" {
		c.t.Fatal(name, zone, display, r.Err())
	}
}

func (c *client) query(text string) {
	var b wire.Buffer
	b.Uvarint(wire.ClientQuery)
	b.String("")
	b.Byte(wire.KindNone)
	b.String("") // settings
	b.Uvarint(wire.StageComplete)
	b.Uvarint(0)
	b.String(text)
	c.send(b)
	c.block(nil, nil)
}

func (c *client) block(h column.Header, b *column.Block) {
	c.t.Helper()
	var p wire.Buffer
	wire.DataHead(&p, wire.ClientData, c.rev)
	out, err := codec.AppendBlock(p, c.rev, h, b)
	if err != nil {
		c.t.Fatal(err)
	}
	c.send(out)
}

func (c *client) data() *column.Block {
	c.t.Helper()
	c.want(wire.ServerData)
	r := wire.NewReader(c.in)
	r.Text()
	_, b, err := codec.ReadBlock(c.in, c.rev)
	if err != nil {
		c.t.Fatal(err)
	}
	return b
}

func (c *client) exception() (int, string) {
	c.t.Helper()
	c.want(wire.ServerException)
	r := wire.NewReader(c.in)
	b := r.Bytes(4)
	r.Text()
	msg := r.Text()
	r.Text()
	r.Byte()
	if r.Err() != nil {
		c.t.Fatal(r.Err())
	}
	return int(b[0]) | int(b[1])<<8, msg
}

func TestSelect(t *testing.T) {
	c, _ := dial(t, 54412, "default", "")
	c.welcome()
	c.send(wire.Buffer{wire.ClientPing})
	c.want(wire.ServerPong)
	c.query("rows")
	if b := c.data(); b.Rows != 0 || len(b.Columns) != 1 {
		t.Error("the header has rows or no columns", b)
	}
	if b := c.data(); b.Rows != 2 {
		t.Error(b)
	}
	c.want(wire.ServerProfileInfo)
	r := wire.NewReader(c.in)
	for range 3 {
		r.Uvarint()
	}
	r.Byte()
	r.Uvarint()
	if r.Byte() != 1 {
		t.Error("rows before limit must be called calculated")
	}
	c.want(wire.ServerProgress)
	for range 3 {
		r.Uvarint()
	}
	if b := c.data(); len(b.Columns) != 0 {
		t.Error(b)
	}
	c.want(wire.ServerEndOfStream)
	c.query("nope") // an error leaves the connection as it was
	if code, msg := c.exception(); code != 60 || !strings.HasPrefix(msg, "DB::Exception: Table nope") {
		t.Error(code, msg)
	}
	c.query("rows")
	c.data()
}

func TestCancel(t *testing.T) {
	c, _ := dial(t, 54412, "default", "")
	c.welcome()
	c.query("endless")
	c.data()
	c.data()
	c.send(wire.Buffer{wire.ClientCancel})
	for {
		switch code := c.code(); code {
		case wire.ServerEndOfStream:
			return
		case wire.ServerData:
			r := wire.NewReader(c.in)
			r.Text()
			if _, _, err := codec.ReadBlock(c.in, c.rev); err != nil {
				t.Fatal(err)
			}
		case wire.ServerProgress:
			r := wire.NewReader(c.in)
			for range 3 {
				r.Uvarint()
			}
		default:
			t.Fatalf("packet %d after Cancel", code)
		}
	}
}

func TestInsert(t *testing.T) {
	c, f := dial(t, 54412, "default", "")
	c.welcome()
	c.query("insert")
	c.want(wire.ServerTableColumns)
	r := wire.NewReader(c.in)
	r.Text()
	if text := r.Text(); text != "columns format version: 1\n1 columns:\n`n` UInt64\n" {
		t.Errorf("%q", text)
	}
	c.data()
	h := column.Header{{Name: "n", Type: types.UInt64}}
	c.block(h, column.NewBlock(column.NewFixed([]uint64{1, 2})))
	c.block(column.Header{{Name: "n", Type: types.String}}, column.NewBlock(column.NewStr("7")))
	c.block(nil, nil)
	if n := <-f.inserted; n != 3 {
		t.Error(n)
	}
	c.want(wire.ServerEndOfStream)
}

func TestRefused(t *testing.T) {
	c, _ := dial(t, 54412, "nobody", "")
	if code, _ := c.exception(); code != 516 {
		t.Error(code)
	}
	c, _ = dial(t, 54412, "default", "none")
	if code, _ := c.exception(); code != 81 {
		t.Error(code)
	}
}
