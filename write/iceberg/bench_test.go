package iceberg_test

import (
	"context"
	"fmt"
	"testing"

	"lakeserver/objstore"
	write "lakeserver/write/iceberg"
)

// BenchmarkCommit is an append of one file to a table with a history.
func BenchmarkCommit(b *testing.B) {
	t := &testing.T{}
	dir := b.TempDir()
	tab := newTableIn(t, objstore.NewLocal(dir), dir, 2, nil, write.NewLines())
	add := func(i int) {
		p := &write.Producer{Table: tab, Added: []write.NewFile{file(tab.Meta, fmt.Sprint("f", i), 1, 10)}}
		if _, err := tab.Commit(context.Background(), p); err != nil {
			b.Fatal(err)
		}
	}
	for i := range 400 {
		add(i)
	}
	b.ResetTimer()
	for i := range b.N {
		add(400 + i)
	}
}
