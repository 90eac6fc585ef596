package sqlfuzz

import "strings"

// exclusion is a difference that is known.
type exclusion struct {
	// words that all occur in the query
	words  []string
	reason string
}

// exclusions lists the known differences; each has its line in
// docs/differences.md or is open by ClickHouse's own word.
var exclusions = []exclusion{
	{[]string{"toTypeName", "Tuple"}, "Nullable(Tuple)"},
	{[]string{"arrayUnion"}, "the order of elements is that of a hash table"},
	{[]string{"arraySymmetricDifference"}, "the order of elements is that of a hash table"},
	{[]string{"arrayIntersect"}, "the order of elements is that of a hash table"},
	{[]string{"Enum8", "JOIN"}, "a side that misses has the number 0, which may be no element"},
	{[]string{"Enum16", "JOIN"}, "a side that misses has the number 0, which may be no element"},
	{[]string{"WITH TOTALS"}, "ClickHouse writes no header where there are totals alone"},
}

// refusals are codes of what an engine does not offer.
var refusals = map[int]bool{
	48: true, // NOT_IMPLEMENTED
	46: true, // UNKNOWN_FUNCTION
}

// passing are codes of the reference that say nothing about the query.
var passing = map[int]bool{
	49:   true, // LOGICAL_ERROR: a fault of its own
	159:  true, // TIMEOUT_EXCEEDED
	241:  true, // MEMORY_LIMIT_EXCEEDED
	1002: true,
	307:  true,
}

func known(sql string, ours, theirs Outcome) bool {
	if refusals[ours.Code] || refusals[theirs.Code] || passing[theirs.Code] || ours.Code == 241 {
		return true
	}
	for _, x := range exclusions {
		all := true
		for _, w := range x.words {
			all = all && strings.Contains(sql, w)
		}
		if all {
			return true
		}
	}
	return false
}
