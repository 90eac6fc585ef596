package parquet

import "runtime"

// unalignedLoads tells that the machine loads words from any address, and
// stores them as the format does, lowest byte first.
const unalignedLoads = runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64"
