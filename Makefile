# The commands that people use; CI calls the same ones.
GO ?= go
export CGO_ENABLED = 0

.PHONY: build test check race vet lint fuzz fuzz-sql bench bench-writes conformance clients reference fixtures night

build: ## the static binary
	$(GO) build -trimpath -ldflags "-s -w" -o bin/lakeserver ./cmd/lakeserver

test: ## all tests, on a fresh machine with Go only
	$(GO) test ./...

race: ## the packages with goroutines under the race detector (needs a C compiler)
	CGO_ENABLED=1 $(GO) test -race ./cherr ./memory ./engine/... ./server/... ./read ./metadata/... ./functions/iceberg

vet:
	$(GO) vet ./...

lint: ## gofumpt and staticcheck; the versions are fixed here
	test -z "$$($(GO) run mvdan.cc/gofumpt@v0.12.0 -l $$(git ls-files '*.go'))"
	$(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

fuzz: ## each fuzz target for a short while
	tests/fuzz.sh 20s

FOR ?= 20m
fuzz-sql: ## random queries, ours against ClickHouse's answers (needs CHDB_PYTHON; FOR=1h, SEED=n)
	$(GO) test ./cmd/lakeserver -run 'TestFuzzSQL$$' -v -timeout 0 -fuzz-sql $(FOR) -fuzz-seed $(or $(SEED),0)

night: ## the SQL tests under every variation, and long fuzzing
	$(GO) test ./cmd/lakeserver -run TestVariations -night
	tests/fuzz.sh 10m

check: vet lint test race ## what CI runs

BENCHES = ./codec/... ./engine/exec ./functions/aggregate ./column

bench: ## Go benchmarks with allocations
	$(GO) test -run '^$$' -bench . -benchmem $(BENCHES)

bench-planning: ## plans of a table of a million files (minutes; makes its own table)
	$(GO) test ./tests/bench -run '^$$' -bench Planning -benchtime 1x -timeout 30m

BASE ?= main~1
bench-compare: ## the same benchmarks over BASE and the work tree, beside each other (benchstat)
	rm -rf bin/base && git worktree add -f --detach bin/base $(BASE)
	cd bin/base && $(GO) test -run '^$$' -bench . -benchmem -count 6 $(BENCHES) > ../base.txt; true
	git worktree remove --force bin/base
	$(GO) test -run '^$$' -bench . -benchmem -count 6 $(BENCHES) > bin/head.txt
	$(GO) run golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da bin/base.txt bin/head.txt

# Writes beside other engines: BENCH_DATA is a folder of Parquet files (hits),
# BENCH_PYTHON a Python with chdb, duckdb and pyspark.
bench-writes: build ## INSERT, DELETE and rewrites beside ClickHouse, DuckDB and Spark; expiry of 10,000 snapshots
	$(GO) test ./tests/bench -run TestWrites -v -count 1 -timeout 30m
	$(GO) test ./write/iceberg -run '^$$' -bench BenchmarkExpire/10000 -benchtime 1x

# The suites below compare with material that stands beside the checkout
# (../shared); without it they say so.
SHARED ?= ../shared

fixtures: build ## lake tables of other engines against their expected rows
	tests/suite.sh fixtures $(SHARED)

conformance: build ## ClickHouse's own statements and answers
	tests/suite.sh conformance $(SHARED)

clients: build ## real drivers and clients
	tests/suite.sh clients $(SHARED)

reference: ## answers of tests/queries again from ClickHouse (needs a Python with chdb: CHDB_PYTHON)
	$(GO) test ./tests/queries -run TestQueries -rewrite
