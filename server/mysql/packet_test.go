package mysql

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"testing"

	"lakeserver/cherr"
)

// TestLongPackets: what is longer than a packet goes on in the next, and what
// is exactly as long ends with an empty one.
func TestLongPackets(t *testing.T) {
	for _, n := range []int{0, 1, maxPayload - 1, maxPayload, maxPayload + 1, 2*maxPayload + 5} {
		var wire bytes.Buffer
		want := bytes.Repeat([]byte("x"), n)
		p := newPackets(&wire)
		if err := p.write(want); err != nil {
			t.Fatal(err)
		}
		if err := p.flush(); err != nil {
			t.Fatal(err)
		}
		if got := wire.Len() - n; got != 4*(n/maxPayload+1) {
			t.Errorf("%d bytes have %d bytes of headers", n, got)
		}
		q := newPackets(&wire)
		got, err := q.read()
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes came back as %d: %v", n, len(got), err)
		}
	}
}

func TestBrokenPackets(t *testing.T) {
	read := func(text string) error {
		b, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		p := newPackets(bytes.NewBuffer(b))
		p.max = 100
		_, err = p.read()
		return err
	}
	for text, want := range map[string]error{
		"":             io.EOF,
		"050000":       io.ErrUnexpectedEOF,
		"050000000102": io.ErrUnexpectedEOF,
		"0100000501":   errOrder,
		"ff0000000000": errTooLong,
	} {
		if err := read(text); !errors.Is(err, want) {
			t.Errorf("%q gave %v, want %v", text, err, want)
		}
	}
}

// TestErrorPacket: number, state and ClickHouse's text.
func TestErrorPacket(t *testing.T) {
	got := appendError(nil, cherr.New(cherr.UnknownTable, "Table d.t does not exist"), "1.2.3.4")
	want := "\xff\x7a\x04#42S02Code: 60. DB::Exception: Table d.t does not exist. (UNKNOWN_TABLE) (version 1.2.3.4 (official build))"
	if string(got) != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if e := errorOf(cherr.New(cherr.Code(999), "x")); e.number != 1105 || e.state != "HY000" {
		t.Errorf("a code of no meaning to MySQL gave %v", e)
	}
}

// TestLogin reads an answer as go-sql-driver/mysql sent it.
func TestLogin(t *testing.T) {
	b, err := hex.DecodeString("8da20a00" + "00000000" + "2d" + "0000000000000000000000000000000000000000000000" +
		"757365720014" + "0102030405060708090a0b0c0d0e0f1011121314" + "646200" + "6d7973716c5f6e61746976655f70617373776f726400")
	if err != nil {
		t.Fatal(err)
	}
	l, err := parseLogin(b)
	if err != nil || l.user != "user" || l.database != "db" || l.plugin != pluginNative || len(l.answer) != 20 {
		t.Errorf("%+v, %v", l, err)
	}
	for n := range b[:len(b)-25] {
		if _, err := parseLogin(b[:n]); err == nil && n < 32 {
			t.Errorf("the first %d bytes were taken for an answer", n)
		}
	}
	if _, err := parseLogin(make([]byte, 40)); cherr.CodeOf(err) != cherr.MySQLClientInsufficientCapabilities {
		t.Errorf("a client of the old protocol gave %v", err)
	}
}

func TestMoments(t *testing.T) {
	for text, want := range map[string]string{
		"2024-02-29":                 "04e807021d",
		"2024-02-29 00:00:00":        "04e807021d",
		"2024-02-29 01:02:03":        "07e807021d010203",
		"2024-02-29 01:02:03.000000": "07e807021d010203",
		"2024-02-29 00:00:00.500000": "0be807021d00000020a10700",
	} {
		b := appendMoment(nil, []byte(text))
		if got := hex.EncodeToString(b); got != want {
			t.Errorf("%s gave %s, want %s", text, got, want)
		}
	}
	for b, want := range map[string]string{
		"e807021d": "2024-02-29", "e807021d010203": "2024-02-29 01:02:03", "e807021d00000020a10700": "2024-02-29 00:00:00.500000", "": "0000-00-00",
	} {
		raw, _ := hex.DecodeString(b)
		if got := moment(raw); got != want {
			t.Errorf("%s gave %s, want %s", b, got, want)
		}
	}
}
