package expr

import (
	"testing"

	"lakeserver/column"
	"lakeserver/types"
)

func TestSet(t *testing.T) {
	s := NewSet([]*types.Type{types.Int64})
	for batch := range 3 {
		v := make([]int64, 1000)
		for i := range v {
			v[i] = int64(batch*500 + i)
		}
		s.Add([]column.Column{column.NewFixed(v)}, len(v))
	}
	s.Seal()
	if s.Len() != 2000 {
		t.Fatalf("%d distinct values, want 2000", s.Len())
	}
	got := s.Contains([]column.Column{column.NewFixed([]int64{-1, 0, 1999, 2000})}, 4)
	if string(got) != "\x00\x01\x01\x00" {
		t.Errorf("Contains gives %v", got)
	}
	seen := map[int64]bool{}
	for _, v := range column.Values[int64](s.Elements()[0]) {
		seen[v] = true
	}
	if len(seen) != 2000 {
		t.Errorf("%d elements are distinct, want 2000", len(seen))
	}
}

func TestSetKeepsFewOfManyEqualRows(t *testing.T) {
	s := NewSet([]*types.Type{types.Int64})
	v := make([]int64, 10000)
	for i := range v {
		v[i] = int64(i % 7)
	}
	for range 3 {
		s.Add([]column.Column{column.NewFixed(v)}, len(v))
	}
	s.Add([]column.Column{column.NewFixed([]int64{100, 3, 101})}, 3)
	s.Seal()
	got := s.Contains([]column.Column{column.NewFixed([]int64{6, 7, 100, 101})}, 4)
	if s.Len() != 9 || string(got) != "\x01\x00\x01\x01" {
		t.Errorf("%d rows, Contains gives %v", s.Len(), got)
	}
}

func TestSetOfRows(t *testing.T) {
	s := NewSet([]*types.Type{types.String, types.Nullable(types.UInt8)})
	s.Add([]column.Column{
		column.NewStr("a", "a", "b", "a"),
		column.NewNullable(column.NewFixed([]uint8{1, 1, 0, 2}), []uint8{0, 0, 1, 0}),
	}, 4)
	s.Seal()
	if s.Len() != 3 || !s.HasNull() {
		t.Fatalf("%d rows, null %v", s.Len(), s.HasNull())
	}
	got := s.Contains([]column.Column{
		column.NewConst(column.NewStr("a"), 3),
		column.NewNullable(column.NewFixed([]uint8{2, 3, 1}), nil),
	}, 3)
	if string(got) != "\x01\x00\x01" {
		t.Errorf("Contains gives %v", got)
	}
}
