// Package bench measures what the tests cannot hold: how plans, commits and
// scans behave at the size of real tables. Its benchmarks make their own data
// and are run by hand:
//
//	go test ./tests/bench -run '^$' -bench Planning -benchtime 1x
package bench
