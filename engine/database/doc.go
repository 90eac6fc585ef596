// Package database holds what a name in FROM can stand for: databases, created
// tables and views, kept durably as the statements that made them.
//
// Deliberately elsewhere: what a table does (table, and the engines in
// functions), reading SQL text (engine/parse, handed in as a function),
// system.* (engine/system registers its tables here).
//
// Read next: catalog.go, then disk.go for what is on disk.
package database
