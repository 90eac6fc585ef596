package native

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"lakeserver/column"
)

// captures is bytes recorded from ClickHouse; absent outside the workshop.
const captures = "../../../../shared/docs/data/native-captures.txt"

func openCaptures(t *testing.T) []string {
	for _, p := range []string{captures, "../../../shared/docs/data/native-captures.txt"} {
		if b, err := os.ReadFile(p); err == nil {
			return strings.Split(string(b), "\n")
		}
	}
	t.Skip("no captures of ClickHouse's column bytes here")
	return nil
}

// Every captured block is read and written again byte for byte.
func TestCapturesRoundTrip(t *testing.T) {
	seen := 0
	for _, line := range openCaptures(t) {
		f := strings.Split(line, " | ")
		if len(f) != 3 || strings.HasPrefix(line, "#") {
			continue
		}
		want, err := hex.DecodeString(strings.ReplaceAll(f[2], " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		if unsupported(f[0]) {
			continue
		}
		seen++
		t.Run(f[0]+" "+f[1], func(t *testing.T) {
			// revision 54460 without BlockInfo
			r := bufio.NewReader(bytes.NewReader(want[2:]))
			fld, c, err := readNamed(r, 54460, int(want[1]))
			if err != nil {
				t.Fatal(err)
			}
			if r.Buffered() > 0 {
				t.Fatalf("%d bytes left", r.Buffered())
			}
			got, err := AppendBlock(nil, 54460, column.Header{fld}, column.NewBlock(c))
			if err != nil {
				t.Fatal(err)
			}
			if got = got[8:]; !bytes.Equal(got, want) {
				t.Fatalf("written\n%x\nwant\n%x", got, want)
			}
		})
	}
	if seen < 35 {
		t.Errorf("only %d captures were usable", seen)
	}
}

func unsupported(typ string) bool {
	for _, p := range []string{"Variant", "Dynamic", "JSON", "QBit", "uniq", "Point", "Ring", "Nullable(Tuple"} {
		if strings.Contains(typ, p) {
			return true
		}
	}
	return false
}
