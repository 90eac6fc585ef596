package exec_test

import (
	"context"
	"fmt"
	"syscall"
	"testing"

	"lakeserver/column"
	"lakeserver/types"

	"lakeserver/engine/exec"
	"lakeserver/engine/plan"
	"lakeserver/internal/exectest"
)

// mixed gives well-spread numbers.
func mixed(i uint64) uint64 { return i * 0x9E3779B97F4A7C15 }

// benchBlocks makes rows rows: key of groups values, string key, value.
func benchBlocks(rows, groups int) *exectest.Table {
	t := &exectest.Table{Fields: header("ksv", types.UInt64, types.String, types.UInt64)}
	for at := 0; at < rows; at += column.MaxBlockRows {
		n := min(column.MaxBlockRows, rows-at)
		k, v, s := make([]uint64, n), make([]uint64, n), &column.Str{}
		for i := range k {
			g := mixed(uint64(at+i)) % uint64(groups)
			k[i], v[i] = mixed(g), uint64(at+i)
			s.AppendString(fmt.Sprintf("https://example.com/page/%d", g))
		}
		t.Blocks = append(t.Blocks, column.NewBlock(column.NewFixed(k), s, column.NewFixed(v)))
	}
	return t
}

// cpuTime gives the nanoseconds that the process has used: a busy machine
// makes the clock tell little.
func cpuTime() int64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u.Utime.Nano() + u.Stime.Nano()
}

func run(b *testing.B, rows int, node func() plan.Node) {
	b.Helper()
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			b.ReportAllocs()
			cpu := cpuTime()
			for b.Loop() {
				r, err := exec.Build(context.Background(), node(), exec.Options{Threads: threads})
				if err != nil {
					b.Fatal(err)
				}
				for {
					blk, err := r.Next(context.Background())
					if err != nil {
						b.Fatal(err)
					}
					if blk == nil {
						break
					}
				}
				if err := r.Close(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(cpuTime()-cpu)/float64(b.N)/float64(rows), "cpu-ns/row")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
		})
	}
}

func BenchmarkSumAvg(b *testing.B) {
	const rows = 4_000_000
	t := benchBlocks(rows, 10)
	h := t.Fields
	run(b, rows, func() plan.Node {
		return group(exectest.Scan(t), nil, call(b, "sum", h, 2), call(b, "avg", h, 2), call(b, "min", h, 2))
	})
}

func BenchmarkGroupByInt(b *testing.B) {
	const rows = 10_000_000
	for _, groups := range []int{1000, 1_000_000} {
		b.Run(fmt.Sprintf("groups=%d", groups), func(b *testing.B) {
			t := benchBlocks(rows, groups)
			run(b, rows, func() plan.Node {
				in := exectest.Scan(t)
				return group(in, []int{0}, call(b, "count", in.Header()), call(b, "sum", in.Header(), 2))
			})
		})
	}
}

func BenchmarkGroupByString(b *testing.B) {
	const rows, groups = 2_000_000, 200_000
	t := benchBlocks(rows, groups)
	run(b, rows, func() plan.Node {
		in := exectest.Scan(t)
		return group(in, []int{1}, call(b, "count", in.Header()))
	})
}

func BenchmarkJoin(b *testing.B) {
	const rows, build = 4_000_000, 400_000
	left, right := benchBlocks(rows, build), benchBlocks(build, build)
	run(b, rows, func() plan.Node {
		l, r := exectest.Scan(left), exectest.Scan(right)
		l.Columns, l.Fields = []int{0, 2}, header("kv", types.UInt64, types.UInt64)
		r.Columns, r.Fields = []int{0, 2}, header("kv", types.UInt64, types.UInt64)
		j := &plan.Join{Left: l, Right: r, LeftKeys: []int{0}, RightKeys: []int{0}, Fields: append(append(column.Header(nil), l.Fields...), r.Fields...)}
		return group(j, nil, call(b, "count", j.Fields), call(b, "sum", j.Fields, 3))
	})
}

func BenchmarkTopN(b *testing.B) {
	const rows = 4_000_000
	t := benchBlocks(rows, rows)
	run(b, rows, func() plan.Node {
		return &plan.Sort{Input: exectest.Scan(t), Keys: []plan.SortKey{{Column: 0}}, Limit: 10}
	})
}

func BenchmarkSort(b *testing.B) {
	const rows = 2_000_000
	t := benchBlocks(rows, rows)
	run(b, rows, func() plan.Node {
		in := exectest.Scan(t)
		in.Columns, in.Fields = []int{0, 2}, header("kv", types.UInt64, types.UInt64)
		return &plan.Sort{Input: in, Keys: []plan.SortKey{{Column: 0}}}
	})
}
