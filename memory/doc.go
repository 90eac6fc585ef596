// Package memory keeps budgets: a tree of trackers (server, user, query), and
// later the off-heap pools that count against them.
//
// The rule of the house: streaming blocks are not counted; who keeps a block
// (hash table, sort, join, distinct, cache) reserves for it before it
// allocates, and gives back what it reserved when it closes.
//
// Read next: tracker.go.
package memory
