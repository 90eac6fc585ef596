package tablefunc

import (
	"lakeserver/codec/parquet"
	"lakeserver/functions"
	"lakeserver/objstore"
)

var set = functions.Set{Family: "tablefunc"}

func add(f functions.TableFunction) bool {
	set.Tables = append(set.Tables, f)
	return true
}

// Config is what the family stands on.
type Config struct {
	Local objstore.Store // where file() reads; nil: there is no file()
}

// Set gives the family over no store.
func Set() functions.Set { return set }

// SetOver gives the family with the functions that read a store.
func SetOver(cfg Config) functions.Set {
	out := set
	if cfg.Local != nil {
		f := &files{store: cfg.Local, scratch: parquet.NewScratch()}
		out.Tables = append(out.Tables[:len(out.Tables):len(out.Tables)], f.function())
	}
	return out
}
