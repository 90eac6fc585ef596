package table

import "errors"

// Stale marks the error of a change that did not land because others changed
// the rows that it had read: read again, the same statement may succeed.
func Stale(err error) error {
	if err == nil {
		return nil
	}
	return &staleError{err}
}

// IsStale tells whether a statement is worth another try.
func IsStale(err error) bool {
	var s *staleError
	return errors.As(err, &s)
}

type staleError struct{ error }

func (e *staleError) Unwrap() error { return e.error }
