package catalog

import (
	"bufio"
	"bytes"
	"reflect"
	"testing"
)

// What is read and written again is what was there, known or not.
func TestThriftPassesThrough(t *testing.T) {
	r := record{
		{1, thriftString, "name"},
		{2, thriftI64, int64(-5)},
		{3, thriftBool, byte(1)},
		{4, thriftI16, int16(7)},
		{5, thriftI32, int32(-9)},
		{6, thriftDouble, int64(4607182418800017408)},
		{7, thriftStruct, record{{1, thriftByte, byte(3)}}},
		{8, thriftMap, dict{key: thriftString, value: thriftI32, keys: []any{"a", "b"}, values: []any{int32(1), int32(2)}}},
		{9, thriftList, list{kind: thriftStruct, items: []any{record{{1, thriftString, "x"}}, record{{2, thriftString, "y"}}}}},
		{10, thriftSet, list{kind: thriftString, items: []any{"q"}}},
	}
	b := appendValue(nil, thriftStruct, r)
	rd := &thriftReader{r: bufio.NewReader(bytes.NewReader(b)), left: 1 << 20}
	got, _ := rd.value(thriftStruct).(record)
	if rd.err != nil || !reflect.DeepEqual(got, r) {
		t.Fatalf("%v, %v", got, rd.err)
	}
	if again := appendValue(nil, thriftStruct, got); !bytes.Equal(again, b) {
		t.Error("other bytes")
	}
	for n := range b {
		rd := &thriftReader{r: bufio.NewReader(bytes.NewReader(b[:n])), left: 1 << 20}
		if rd.value(thriftStruct); rd.err == nil {
			t.Errorf("cut at %d: no error", n)
		}
	}
}

func FuzzThrift(f *testing.F) {
	f.Add(appendValue(nil, thriftStruct, record{{1, thriftList, list{kind: thriftString, items: []any{"a"}}}}))
	f.Fuzz(func(_ *testing.T, b []byte) {
		rd := &thriftReader{r: bufio.NewReader(bytes.NewReader(b)), left: 1 << 16}
		rd.value(thriftStruct)
	})
}
