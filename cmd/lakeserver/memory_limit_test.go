package main

import "testing"

func TestMemTotal(t *testing.T) {
	if got := memTotal("MemFree: 5 kB\nMemTotal:       24683928 kB\n"); got != 24683928<<10 {
		t.Errorf("memTotal = %d", got)
	}
	if got := memTotal("nothing\n"); got != 0 {
		t.Errorf("memTotal = %d without the line", got)
	}
	if got := memoryLimit(123); got != 123 {
		t.Errorf("a configured limit became %d", got)
	}
}
