package wire

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"io"
	"strings"
	"testing"
)

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The Hello that ClickHouse 18.16 sent to its client, as captured.
func TestWelcomeOf1816(t *testing.T) {
	var b Buffer
	(&Welcome{Name: "ClickHouse", Major: 18, Minor: 16, Patch: 1, Revision: 54412, Zone: "Etc/UTC", Display: "vm"}).Append(&b, 54412)
	want := append(unhex(t, "00 0a"), "ClickHouse"...)
	want = append(want, unhex(t, "12 10 8c a9 03 07")...)
	want = append(want, "Etc/UTC"...)
	want = append(append(want, 2), "vm"...)
	if want = append(want, 1); !bytes.Equal(b, want) {
		t.Errorf("%x, want %x", []byte(b), want)
	}
}

// What 18.16 sent after SELECT 1.
func TestRepliesOf1816(t *testing.T) {
	var b Buffer
	(&ProfileInfo{Rows: 1, Blocks: 1, Bytes: 9}).Append(&b, 54412)
	if !bytes.Equal(b, unhex(t, "06 01 01 09 00 00 01")) {
		t.Errorf("%x", []byte(b))
	}
	b = nil
	(&Progress{Rows: 1, Bytes: 1}).Append(&b, 54412)
	if !bytes.Equal(b, unhex(t, "03 01 01 00")) {
		t.Errorf("%x", []byte(b))
	}
}

// Each revision adds its fields and no others.
func TestWelcomeGates(t *testing.T) {
	sizes := map[int]int{}
	last := 0
	for _, rev := range []int{54032, 54058, 54372, 54401, 54461, 54462, 54470, 54471, 54474, 54477, 54479} {
		var b Buffer
		(&Welcome{Name: "ClickHouse", Revision: Revision, Zone: "UTC", Display: "x"}).Append(&b, rev)
		sizes[rev] = len(b)
		if len(b) <= last {
			t.Errorf("revision %d adds nothing: %d bytes", rev, len(b))
		}
		last = len(b)
	}
	if sizes[54479]-sizes[54477] != 1 || sizes[54462]-sizes[54461] != 8 {
		t.Error(sizes)
	}
}

// encodeQuery writes a query as a client of the revision does.
func encodeQuery(rev int, q Query) []byte {
	var b Buffer
	b.String(q.ID)
	b.Byte(1)
	for _, s := range []string{"", "", "1.2.3.4:5"} {
		b.String(s)
	}
	if rev >= revQueryStartTime {
		b.Uint64(0)
	}
	b.Byte(interfaceTCP)
	b.String("os")
	b.String("host")
	b.String(q.Info.Name)
	b.Uvarint(1)
	b.Uvarint(2)
	b.Uvarint(uint64(rev))
	if rev >= revQuotaKey {
		b.String("")
	}
	if rev >= revDistributedDepth {
		b.Uvarint(0)
	}
	if rev >= revVersionPatch {
		b.Uvarint(3)
	}
	if rev >= revOpenTelemetry {
		b.Byte(0)
	}
	if rev >= revParallelReplicas {
		b = append(b, 0, 0, 0)
	}
	if rev >= revScriptLines {
		b = append(b, 0, 0)
	}
	if rev >= revJWT {
		b.Byte(0)
	}
	for _, s := range q.Settings {
		b.String(s.Name)
		if rev >= revSettingsAsStrings {
			b.Uvarint(s.Flags)
			b.String(s.Value)
		} else {
			b.Uvarint(uint64(len(s.Value)))
		}
	}
	b.String("")
	if rev >= revExternalRoles {
		b.String("\x00")
	}
	if rev >= revInterserverSecret {
		b.String("")
	}
	b.Uvarint(StageComplete)
	b.Uvarint(1)
	b.String(q.Text)
	if rev >= revParameters {
		b.String("x")
		b.Uvarint(FlagCustom)
		b.String("'v'")
		b.String("")
	}
	return b
}

func TestQueryGates(t *testing.T) {
	for _, rev := range []int{54032, 54060, 54401, 54412, 54429, 54441, 54442, 54448, 54449, 54453, 54459, 54472, 54475, 54476, 54479} {
		in := encodeQuery(rev, Query{ID: "id", Text: "SELECT 1", Info: ClientInfo{Name: "c"}, Settings: []Setting{{Name: "max_block_size", Value: "12345"}}})
		src := bufio.NewReader(bytes.NewReader(in))
		q, err := ReadQuery(NewReader(src), rev)
		if err != nil || q.ID != "id" || q.Text != "SELECT 1" || !q.Compress || q.Stage != StageComplete || q.Info.Name != "c" || len(q.Settings) != 1 || src.Buffered() != 0 {
			t.Errorf("revision %d: %+v, %v, %d bytes left", rev, q, err, src.Buffered())
		}
		if rev >= revParameters && (len(q.Params) != 1 || q.Params[0].Value != "'v'") {
			t.Errorf("revision %d: parameters %v", rev, q.Params)
		}
		for n := range in { // cut anywhere: an error, never a panic
			if _, err := ReadQuery(NewReader(bufio.NewReader(bytes.NewReader(in[:n]))), rev); err == nil {
				t.Fatalf("revision %d cut at %d: no error", rev, n)
			}
		}
	}
}

func TestChunks(t *testing.T) {
	in := AppendChunked(AppendChunked(nil, []byte("abc")), []byte("de"))
	got, err := io.ReadAll(NewChunkReader(bufio.NewReader(bytes.NewReader(in))))
	if err != nil || string(got) != "abcde" {
		t.Errorf("%q %v", got, err)
	}
}

func FuzzQuery(f *testing.F) {
	f.Add(encodeQuery(Revision, Query{ID: "id", Text: "SELECT 1"}), Revision)
	f.Fuzz(func(_ *testing.T, in []byte, rev int) {
		_, _ = ReadQuery(NewReader(bufio.NewReader(bytes.NewReader(in))), rev)
	})
}
