package aggregate

import (
	"lakeserver/column"
	"lakeserver/functions"
)

// ops says what an aggregate function does with states of type S. The zero S
// is the empty state.
type ops[S any] struct {
	// add adds row i to a.s[groups[i]]; groups is never nil. It counts bytes
	// that states hold elsewhere in a.extra.
	add func(a *states[S], groups []uint32, args []column.Column) error
	// merge joins from into to; from is not used afterwards.
	merge  func(a *states[S], to, from *S) error
	result func(s []S) (column.Column, error)
	encode func(s *S, dst []byte) []byte
	decode func(s *S, r *reader) // into an empty state
}

// states is an Accumulator with one S a group.
type states[S any] struct {
	*ops[S]
	s     []S
	extra int64
}

func (o *ops[S]) new() functions.Accumulator { return &states[S]{ops: o} }

func (a *states[S]) Grow(n int) { a.s = grown(a.s, n) }

func (a *states[S]) Add(groups []uint32, args []column.Column, rows int) error {
	if rows == 0 {
		return nil
	}
	return a.add(a, groupsOf(groups, rows), args)
}

func (a *states[S]) Merge(groups []uint32, from functions.Accumulator, some []uint32) error {
	f := from.(*states[S])
	if some == nil {
		a.extra += f.extra
	}
	for i, g := range functions.Merged(groups, some, len(f.s)) {
		if err := a.merge(a, &a.s[g], &f.s[i]); err != nil {
			return err
		}
	}
	return nil
}

func (a *states[S]) Result(from, to int) (column.Column, error) { return a.result(a.s[from:to]) }

func (a *states[S]) Encode(group int, dst []byte) []byte { return a.encode(&a.s[group], dst) }

func (a *states[S]) Decode(group int, src []byte) (int, error) {
	r := &reader{src: src}
	var s S
	a.decode(&s, r)
	if r.err != nil {
		return 0, r.err
	}
	a.extra += int64(r.at)
	return r.at, a.merge(a, &a.s[group], &s)
}

func (a *states[S]) Size() int64 { return int64(cap(a.s))*sizeOf[S]() + a.extra }
