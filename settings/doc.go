// Package settings holds every query setting: name, type, default, text. A
// setting is data: one line of the registry.
//
// Deliberately elsewhere: the configuration of the process (cmd/lakeserver).
//
// Read next: settings.go, then registry.go.
package settings
