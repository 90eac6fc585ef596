#!/usr/bin/env bash
# Runs one of the suites that stand beside the checkout against a server of
# this build: suite.sh fixtures|conformance|clients SHARED
set -euo pipefail
suite=$1 shared=$2
[ -d "$shared" ] || { echo "$shared is not there: the suite '$suite' is skipped"; exit 0; }
work=$(mktemp -d); pid=
trap '[ -n "$pid" ] && kill "$pid" 2>/dev/null; rm -rf "$work"' EXIT
port() { python3 -c 'import socket; s=socket.socket(); s.bind(("127.0.0.1",0)); print(s.getsockname()[1])'; }
http=$(port) native=$(port)
mkdir "$work/files"
cp -r "$shared/fixtures/iceberg" "$work/files/"
echo "mergetree_as: memory" > "$work/config.yaml"
TZ=UTC bin/lakeserver serve --config "$work/config.yaml" --data-dir "$work/data" --user-files-dir "$work/files" \
  --http-listen "127.0.0.1:$http" --native-listen "127.0.0.1:$native" > "$work/log" 2>&1 &
pid=$!
for _ in $(seq 100); do curl -fsS "http://127.0.0.1:$http/ping" > /dev/null 2>&1 && break; sleep 0.1; done
case $suite in
fixtures) python3 "$shared/fixtures/check.py" --kind iceberg --skip-format orc --url "http://127.0.0.1:$http" ;;
conformance)
  for class in select memory; do
    python3 "$shared/conformance/conformance.py" --url "http://127.0.0.1:$http" --class "$class" --jobs 2
  done ;;
clients)
  LS_HOST=127.0.0.1 LS_HTTP_PORT=$http LS_NATIVE_PORT=$native LS_USER=default LS_PASSWORD= \
    LS_ICEBERG_QUERY="SELECT count() FROM icebergLocal('iceberg/nested/')" LS_ICEBERG_ANSWER=3 bash "$shared/clients/run-all.sh" ;;
*) echo "no suite '$suite'"; exit 1 ;;
esac
