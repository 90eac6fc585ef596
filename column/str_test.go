package column

import (
	"errors"
	"testing"

	"lakeserver/cherr"
)

// What 32-bit places cannot reach is refused, not wrapped around. The column
// poses as full: its buffer is never written to.
func TestStrRefusesBeyondItsPlaces(t *testing.T) {
	defer func() {
		err, _ := recover().(error)
		if e, ok := errors.AsType[*cherr.Error](err); !ok || e.Code() != cherr.MemoryLimitExceeded {
			t.Errorf("a column beyond 4 GB gave %v", err)
		}
	}()
	fits(maxStrBytes)
	fits(maxStrBytes + 1)
	t.Error("it was taken")
}

func TestStrRows(t *testing.T) {
	c := NewStr("a", "", "ünï")
	from := len(c.Data)
	c.Data = append(c.Data, "sealed"...)
	c.Seal(from)
	for i, want := range []string{"a", "", "ünï", "sealed"} {
		if c.StringAt(i) != want || string(c.At(i)) != want {
			t.Errorf("row %d is %q, want %q", i, c.StringAt(i), want)
		}
	}
	g, _ := c.Gather([]uint32{3, 0, 0}).(*Str)
	k := g.Compact()
	if k.StringAt(0) != "sealed" || k.StringAt(2) != "a" || len(k.Data) != 8 {
		t.Errorf("gathered and made compact: %q", k.Data)
	}
}
