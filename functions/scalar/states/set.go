package states

import "lakeserver/functions"

var set = functions.Set{Family: "states"}

// Set gives the family's functions.
func Set() functions.Set { return set }

func add(f functions.Scalar) struct{} {
	set.Scalars = append(set.Scalars, f)
	return struct{}{}
}
