// Package analyze turns a query's syntax tree into a bound plan: names are
// resolved, types fixed, functions chosen, constants folded, tables opened.
//
// It works in two strokes. Expressions are resolved into expr trees whose
// leaves are still names of the query (nodes.go: ref, aggregate, window,
// arrayJoin); then a stage (stage.go) lowers them onto the columns of the plan
// built so far, one clause after the other, in the order in which ClickHouse
// evaluates clauses.
//
// Deliberately elsewhere: rewriting plans (engine/plan), running them
// (engine/exec), finding tables by name (engine/database, through Resolver).
//
// Read next: analyze.go, select.go for the order of clauses, resolve.go for
// expressions, identifier.go for the law of names.
package analyze
