package integration

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"
)

// TestNative: ClickHouse's own Go client reads, writes, sees errors, cancels.
func TestNative(t *testing.T) {
	p := start(t)
	ctx := t.Context()
	c, err := ch.Dial(ctx, ch.Options{Address: p.native, Compression: ch.CompressionLZ4})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()

	if err := c.Do(ctx, ch.Query{Body: "CREATE TABLE t (id UInt64, name String) ENGINE = Memory"}); err != nil {
		t.Fatal(err)
	}
	var id proto.ColUInt64
	var name proto.ColStr
	for i := range 1000 {
		id.Append(uint64(i))
		name.Append("row")
	}
	if err := c.Do(ctx, ch.Query{Body: "INSERT INTO t VALUES", Input: proto.Input{{Name: "id", Data: &id}, {Name: "name", Data: &name}}}); err != nil {
		t.Fatal(err)
	}
	var n proto.ColUInt64
	var sum proto.ColUInt64
	if err := c.Do(ctx, ch.Query{Body: "SELECT count() AS n, sum(id) AS s FROM t", Result: proto.Results{{Name: "n", Data: &n}, {Name: "s", Data: &sum}}}); err != nil {
		t.Fatal(err)
	}
	if n.Row(0) != 1000 || sum.Row(0) != 499500 {
		t.Errorf("read %d rows with sum %d", n.Row(0), sum.Row(0))
	}

	err = c.Do(ctx, ch.Query{Body: "SELECT nope FROM t"})
	var exc *ch.Exception
	if !errors.As(err, &exc) || exc.Code != proto.ErrUnknownIdentifier {
		t.Errorf("an unknown column gave %v", err)
	}
}

// TestCancel: a query ends within 100 ms of being cancelled, and the server lives on.
func TestCancel(t *testing.T) {
	p := start(t)
	c, err := ch.Dial(t.Context(), ch.Options{Address: p.native})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	if err := c.Do(ctx, ch.Query{Body: "SELECT sum(cityHash64(number)) FROM numbers(100000000000)", QueryID: "long", Result: discard()}); err == nil {
		t.Fatal("the query ended by itself")
	}
	begin := time.Now()
	for {
		if _, body := p.ask(t, "SELECT count() FROM system.processes WHERE query_id = 'long'"); body == "0\n" {
			break
		}
		if time.Since(begin) > time.Second {
			t.Fatal("the query still runs a second after it was cancelled")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func discard() proto.Results {
	return proto.Results{{Name: "sum(cityHash64(number))", Data: new(proto.ColUInt64)}}
}
