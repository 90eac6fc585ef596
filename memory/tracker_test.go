package memory

import (
	"testing"

	"lakeserver/cherr"
)

// A refusal anywhere above leaves every tracker as it was.
func TestGrowIsAllOrNothing(t *testing.T) {
	server := New(nil, "server", 100)
	query := New(server, "query", 0)
	if err := query.Grow(80); err != nil {
		t.Fatal(err)
	}
	if err := query.Grow(30); !cherr.Is(err, cherr.MemoryLimitExceeded) {
		t.Fatalf("beyond the server's limit: %v", err)
	}
	if server.Used() != 80 || query.Used() != 80 {
		t.Errorf("after the refusal: server %d, query %d, want 80", server.Used(), query.Used())
	}
	query.Shrink(80)
	if server.Used() != 0 || query.Used() != 0 || query.Peak() != 80 {
		t.Errorf("at the end: server %d, query %d, peak %d", server.Used(), query.Used(), query.Peak())
	}
}

func TestReservation(t *testing.T) {
	q := New(nil, "query", 10)
	r := q.Reserve()
	if err := r.Resize(8); err != nil {
		t.Fatal(err)
	}
	if err := r.Add(5); !cherr.Is(err, cherr.MemoryLimitExceeded) || r.Bytes() != 8 {
		t.Errorf("a refused reservation holds %d: %v", r.Bytes(), err)
	}
	if err := r.Resize(3); err != nil || q.Used() != 3 {
		t.Errorf("smaller: %d used, %v", q.Used(), err)
	}
	r.Free()
	if q.Used() != 0 {
		t.Errorf("%d bytes are left", q.Used())
	}
}

// The nil tracker counts nothing and refuses nothing.
func TestNil(t *testing.T) {
	var q *Tracker
	if err := q.Grow(1 << 60); err != nil || q.Used() != 0 || q.Peak() != 0 || q.Limit() != 0 {
		t.Error("the nil tracker counts", err)
	}
}

func TestRefusing(t *testing.T) {
	m := Refusing("q", 2)
	child := New(m, "child", 0)
	if err := child.Grow(5); err != nil || m.Refused() {
		t.Fatal(err, m.Refused())
	}
	if err := child.Grow(7); !cherr.Is(err, cherr.MemoryLimitExceeded) || !m.Refused() {
		t.Fatal(err, m.Refused())
	}
	if err := child.Grow(7); err != nil {
		t.Fatal(err)
	}
	child.Shrink(12)
	if m.Used() != 0 || child.Used() != 0 {
		t.Fatal(m.Used(), child.Used())
	}
}
