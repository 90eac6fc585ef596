package cherr

import (
	"context"
	"errors"
	"fmt"
)

// Error is an error with a ClickHouse code. It is immutable and may be shared
// between goroutines.
type Error struct {
	code  Code
	msg   string
	cause error
	// Line and Column are 1-based positions in the query text, 0 when unknown.
	Line, Column int
}

// Error gives the message without code and name: the border that shows it adds those.
func (e *Error) Error() string {
	if e.cause == nil {
		return e.msg
	}
	return e.cause.Error() + ": While " + e.msg
}

// Unwrap gives the error that was wrapped, or nil.
func (e *Error) Unwrap() error { return e.cause }

// Code gives the ClickHouse code.
func (e *Error) Code() Code { return e.code }

// New makes an error with a code and a formatted message.
func New(code Code, format string, args ...any) error {
	return &Error{code: code, msg: fmt.Sprintf(format, args...)}
}

// At makes an error that points at a place of the query text.
func At(code Code, line, column int, format string, args ...any) error {
	return &Error{code: code, msg: fmt.Sprintf(format, args...), Line: line, Column: column}
}

// Wrap says what was being done ("reading manifest x") when err came; it keeps
// err's code. A nil err stays nil.
func Wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	w := &Error{code: CodeOf(err), msg: fmt.Sprintf(format, args...), cause: err}
	if e, ok := errors.AsType[*Error](err); ok {
		w.Line, w.Column = e.Line, e.Column
	}
	return w
}

// WithCode gives an outside error its code at the border where it enters.
// An error that has a code already keeps it.
func WithCode(code Code, err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return Wrap(err, format, args...)
	}
	return &Error{code: code, msg: fmt.Sprintf(format, args...) + ": " + err.Error()}
}

// CodeOf gives the code that a client is to see for err: OK for nil, the code
// of the outermost coded error, QUERY_WAS_CANCELLED and TIMEOUT_EXCEEDED for a
// context's ends, else UNKNOWN_EXCEPTION.
func CodeOf(err error) Code {
	if err == nil {
		return OK
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.code
	}
	switch {
	case errors.Is(err, context.Canceled):
		return QueryWasCancelled
	case errors.Is(err, context.DeadlineExceeded):
		return TimeoutExceeded
	}
	return UnknownException
}

// Is tells whether err carries code.
func Is(err error, code Code) bool { return err != nil && CodeOf(err) == code }

// Bug is for a broken invariant: it panics with an error that the session's
// border turns into LOGICAL_ERROR. The server lives on.
func Bug(format string, args ...any) {
	panic(&Error{code: LogicalError, msg: fmt.Sprintf(format, args...)})
}

// Refuse is for a limit that is met where no error can be returned (making a
// column of a size no machine has): it panics with a coded error that the
// session's border, or the goroutine's, gives to the client.
func Refuse(code Code, format string, args ...any) {
	panic(&Error{code: code, msg: fmt.Sprintf(format, args...)})
}

// Recovered turns what recover() gave into an error.
func Recovered(v any) error {
	if err, ok := v.(error); ok {
		if e, ok := errors.AsType[*Error](err); ok {
			return e
		}
		return &Error{code: LogicalError, msg: "Unexpected failure: " + err.Error()}
	}
	return &Error{code: LogicalError, msg: fmt.Sprintf("Unexpected failure: %v", v)}
}
