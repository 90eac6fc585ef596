#!/usr/bin/env bash
# Runs every fuzz target of the tree for a while: fuzz.sh 20s
set -euo pipefail
for_time=${1:-20s}
grep -rlE '^func Fuzz' --include='*_test.go' . | while read -r file; do
  dir=$(dirname "$file")
  grep -oE '^func Fuzz[A-Za-z0-9_]+' "$file" | sed 's/^func //' | while read -r target; do
    echo "== $dir $target"
    go test "$dir" -run '^$' -fuzz "^$target\$" -fuzztime "$for_time"
  done
done
