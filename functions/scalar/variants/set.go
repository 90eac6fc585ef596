package variants

import "lakeserver/functions"

var set = functions.Set{Family: "variants"}

func add(f functions.Scalar) bool {
	set.Scalars = append(set.Scalars, f)
	return true
}

// Set gives the family.
func Set() functions.Set { return set }
