// Package change rewrites statements that change rows as queries that find
// them: DELETE, UPDATE, several mutations of one ALTER, and MERGE become a
// SELECT over the table's rows and whatever their conditions name. Conditions
// with subqueries and joins need nothing more. It also says what columns a
// table has after an ALTER.
//
// Deliberately elsewhere: running the queries and handing the rows to the table
// (engine), keeping what changed (table.Changer).
//
// Read next: target.go, mutate.go, merge.go.
package change
