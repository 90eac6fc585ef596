package tablefunc

import "lakeserver/functions"

var set = functions.Set{Family: "tablefunc"}

func add(f functions.TableFunction) bool {
	set.Tables = append(set.Tables, f)
	return true
}

// Set gives the family.
func Set() functions.Set { return set }
