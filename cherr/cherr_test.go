package cherr

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestWrapKeepsCode(t *testing.T) {
	err := Wrap(Wrap(At(UnknownTable, 2, 7, "Table x does not exist"), "opening x"), "running a query")
	if CodeOf(err) != UnknownTable || !Is(err, UnknownTable) {
		t.Errorf("code %d", CodeOf(err))
	}
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Line != 2 || e.Column != 7 {
		t.Error("the place in the query is lost")
	}
	if !strings.HasPrefix(err.Error(), "Table x does not exist") {
		t.Errorf("clients match the beginning of %q", err)
	}
	if Wrap(nil, "nothing") != nil || WithCode(BadArguments, nil, "nothing") != nil {
		t.Error("no error became one")
	}
}

func TestCodes(t *testing.T) {
	for err, want := range map[error]Code{
		nil: OK, context.Canceled: QueryWasCancelled, context.DeadlineExceeded: TimeoutExceeded,
		errors.New("x"): UnknownException, WithCode(CannotOpenFile, errors.New("x"), "opening"): CannotOpenFile,
		WithCode(CannotOpenFile, New(UnknownTable, "x"), "opening"): UnknownTable,
	} {
		if CodeOf(err) != want {
			t.Errorf("CodeOf(%v) = %d, want %d", err, CodeOf(err), want)
		}
	}
	for code, name := range map[Code]string{62: "SYNTAX_ERROR", 241: "MEMORY_LIMIT_EXCEEDED", 743: "ICEBERG_SPECIFICATION_VIOLATION"} {
		if code.String() != name {
			t.Errorf("code %d is %s, want %s", int(code), code, name)
		}
	}
}

// A panic on a goroutine of a group is an error of the group.
func TestGroupRecovers(t *testing.T) {
	g, ctx := NewGroup(t.Context())
	g.Go(func() error { Bug("broken"); return nil })
	g.Go(func() error { <-ctx.Done(); return nil })
	if err := g.Wait(); !Is(err, LogicalError) {
		t.Errorf("Wait gave %v", err)
	}
}
