package main

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// localZone gives the machine's time zone under its IANA name, which clients
// need: Go calls it "Local". Where the name cannot be found it is UTC.
func localZone() *time.Location {
	names := []string{strings.TrimPrefix(os.Getenv("TZ"), ":")}
	if b, err := os.ReadFile("/etc/timezone"); err == nil {
		names = append(names, strings.TrimSpace(string(b)))
	}
	if link, err := filepath.EvalSymlinks("/etc/localtime"); err == nil {
		if _, name, ok := strings.Cut(link, "/zoneinfo/"); ok {
			names = append(names, name)
		}
	}
	for _, n := range names {
		if n == "" || n == "Local" {
			continue
		}
		if loc, err := time.LoadLocation(n); err == nil {
			return loc
		}
	}
	return time.UTC
}
