package tablefunc

import (
	"lakeserver/functions"
	"lakeserver/functions/storage"
)

var set = functions.Set{Family: "tablefunc"}

func add(f functions.TableFunction) bool {
	set.Tables = append(set.Tables, f)
	return true
}

// Config is what the family stands on.
type Config struct {
	Sources *storage.Sources // where file(), s3() … read; nil: there are none
}

// Set gives the family over no store.
func Set() functions.Set { return set }

// SetOver gives the family with the functions that read a store.
func SetOver(cfg Config) functions.Set {
	out := set
	if cfg.Sources != nil {
		out.Tables = append(out.Tables[:len(out.Tables):len(out.Tables)], fileFunctions(cfg.Sources)...)
	}
	return out
}
