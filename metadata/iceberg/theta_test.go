package iceberg

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// TestThetaBytes: byte for byte what Apache DataSketches makes of the same
// values (testdata/theta.py).
func TestThetaBytes(t *testing.T) {
	text, err := os.ReadFile("testdata/theta.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name     string
		Values   any
		Bytes    string
		Estimate float64
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	if err := d.Decode(&cases); err != nil || len(cases) < 5 {
		t.Fatal(err)
	}
	for _, c := range cases {
		s := NewThetaSketch()
		add := func(n int64) { s.Add(binary.LittleEndian.AppendUint64(nil, uint64(n))) }
		switch v := c.Values.(type) {
		case json.Number:
			n, _ := v.Int64()
			for i := range n {
				add(i)
			}
		case []any:
			for _, x := range v {
				if text, ok := x.(string); ok {
					s.Add([]byte(text))
				} else {
					n, _ := x.(json.Number).Int64()
					add(n)
				}
			}
		}
		if got := hex.EncodeToString(s.Bytes()); got != c.Bytes || s.Estimate() != c.Estimate {
			t.Errorf("%s: %.80s, %v\nwant %.80s, %v", c.Name, got, s.Estimate(), c.Bytes, c.Estimate)
		}
	}
}

// TestThetaEstimate: a million values within 4 %, also as DataSketches reads
// the sketch; empty texts count as none.
func TestThetaEstimate(t *testing.T) {
	s := NewThetaSketch()
	s.Add(nil)
	for i := range 1_000_000 {
		s.Add([]byte(strconv.Itoa(i)))
		s.Add([]byte(strconv.Itoa(i / 2)))
	}
	if e := s.Estimate(); math.Abs(e-1e6) > 4e4 {
		t.Errorf("estimate %v", e)
	}
	python := os.Getenv("DATASKETCHES_PYTHON")
	if python == "" {
		t.Skip("DATASKETCHES_PYTHON does not name a Python with datasketches")
	}
	out, err := exec.Command(python, "-c", "import datasketches as d; s = d.compact_theta_sketch.deserialize(bytes.fromhex('"+hex.EncodeToString(s.Bytes())+"')); print(s.get_estimate())").CombinedOutput()
	if got, perr := strconv.ParseFloat(strings.TrimSpace(string(out)), 64); err != nil || perr != nil || math.Abs(got-s.Estimate()) > 1 {
		t.Errorf("%v, %s; want %v", err, out, s.Estimate())
	}
}
